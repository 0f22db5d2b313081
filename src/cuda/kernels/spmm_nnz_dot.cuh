// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_nnz_column.cuh"
#include "cuda/kernels/spmm_nnz_split.cuh"

// SpMV and SpMM of few columns, split by nonzeros: threads run along the entries, whatever rows they belong to.
namespace spk::cuda {

constexpr int kNnzDotThreads = 256;
constexpr int kNnzDotPerLane = 4;  // entries of a row that a lane adds up, in the mean of a block

// Mapping: a block has a part of the matrix (spmm_nnz_split.cuh). Its threads form the products of the entries of its
// whole rows, four neighbouring ones at a time and kCols columns at once, in shared memory (about kNnzSplitStage bytes);
// then groups of lanes, as many as suit the rows at hand, add up a row each, and whole warps the rows that are much
// longer. Cut rows are summed at once by all threads, which meet through shuffles and shared memory, and so is every row
// where only long ones are wanted. All in fixed order. blockIdx.x runs over parts, y over the batch.
template <class Value, class Out, class Index, int kCols>
__global__ void __launch_bounds__(kNnzDotThreads) spmm_nnz_dot(const __grid_constant__ SpmmArgs<Value, Out> args,
                                                               const SplitParts<Sum<Value>> parts, bool reads_runs) {
  using S = Sum<Value>;
  begin_split();
  constexpr int kWarps = kNnzDotThreads / 32, kStep = kNnzDotThreads * kRun, kAhead = sizeof(S) <= 8 ? 2 : 1;
  constexpr int kStage = static_cast<int>(2 * nnz_split_most_items(kCols, sizeof(S))) + 2 * kRun;
  __shared__ __align__(16) S products[kCols][kStage];
  __shared__ S partial[kWarps][kCols];
  __shared__ S room[kNnzDotThreads];
  __shared__ int list[kNnzList], listed;
  const int thread = static_cast<int>(threadIdx.x), warp_lane = thread % 32;
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  for (std::int64_t batch = blockIdx.y; batch < args.batches; batch += gridDim.y) {
    const SplitShare share = find_share(args, parts, batch, blockIdx.x, skip);
    if (!has_wanted_rows(args, parts, share, batch, skip)) continue;
    const Index* indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* values = args.values + batch * args.values_stride;
    const auto range_of = [&](std::int64_t row) {
      return row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row);
    };
    // Calls take(entry, column, products of four entries from there on) for the entries of a range, counted from its first
    // run of four, in turn for all threads; of entries that are not of the range the products are 0.
    const auto multiply_range = [&](const RowRange& range, std::int64_t j, int count, const auto& take) {
      const Value* __restrict__ b =
          args.b.values + batch * args.b.batch_stride + j * args.b.col_stride - args.base * args.b.row_stride;
      const int before = static_cast<int>(range.begin & (kRun - 1)), end = before + range.count;
      const std::int64_t origin = range.begin - before;
      for (int first = thread * kRun; first < end; first += kAhead * kStep) {
        Pack<Index, kRun> column[kAhead];
        Held<Value, kRun> value[kAhead] = {};
        const auto mine = [&](int at) {
          return static_cast<unsigned>(at - before) < static_cast<unsigned>(range.count);
        };
#pragma unroll
        for (int a = 0; a < kAhead; ++a) {
          const int at = first + a * kStep;
          if (at >= end) continue;
          if (reads_runs && origin + at + kRun <= args.entries) {
            column[a] = *reinterpret_cast<const Pack<Index, kRun>*>(indices + origin + at);
            value[a].template load<kRun>(0, values + origin + at);
          } else {
#pragma unroll
            for (int q = 0; q < kRun; ++q)
              if (mine(at + q)) {
                column[a].at[q] = indices[origin + at + q];
                value[a].put(q, values[origin + at + q]);
              }
          }
        }
#pragma unroll
        for (int c = 0; c < kCols; ++c) {
          if (c >= count) break;
          Value element[kAhead][kRun];
#pragma unroll
          for (int a = 0; a < kAhead; ++a)
#pragma unroll
            for (int q = 0; q < kRun; ++q)
              if (mine(first + a * kStep + q))
                element[a][q] =
                    b[static_cast<std::int64_t>(column[a].at[q]) * args.b.row_stride + c * args.b.col_stride];
#pragma unroll
          for (int a = 0; a < kAhead; ++a) {
            const int at = first + a * kStep;
            if (at >= end) continue;
            S product[kRun];
#pragma unroll
            for (int q = 0; q < kRun; ++q)
              product[q] = mine(at + q) ? multiply(conjugate_if(args.conjugate_a, to_sum(value[a].get(q))),
                                                   conjugate_if(args.conjugate_b, to_sum(element[a][q])))
                                        : S{};
            take(at, c, product);
          }
        }
      }
    };
    // The sums of columns j .. j + count - 1 of a range, one for each of the first `count` threads. By all threads.
    const auto sum_range = [&](const RowRange& range, std::int64_t j, int count) {
      S acc[kCols] = {};
      multiply_range(range, j, count, [&](int, int c, const S(&product)[kRun]) {
        acc[c] = add(acc[c], add(add(product[0], product[1]), add(product[2], product[3])));
      });
      for (int mask = 16; mask > 0; mask >>= 1)
#pragma unroll
        for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], shuffle_xor(acc[c], mask));
      __syncthreads();
      if (warp_lane == 0)
#pragma unroll
        for (int c = 0; c < kCols; ++c) partial[thread / 32][c] = acc[c];
      __syncthreads();
      S sum{};
      if (thread < count)
        for (int warp = 0; warp < kWarps; ++warp) sum = add(sum, partial[warp][thread]);
      return sum;
    };

    // What other blocks wait for comes first.
    for (int slot = 0; slot < 2; ++slot) {
      const RowRange range = slot == 0 ? share.cut[0] : share.cut[1];
      if (range.count == 0) continue;
      for (std::int64_t j = 0; j < args.n; j += kCols) {
        const int count = static_cast<int>(min(static_cast<std::int64_t>(kCols), args.n - j));
        const S sum = sum_range(range, j, count);
        if (thread >= count) continue;
        if (parts.cuts)
          parts.sums_of(batch, blockIdx.x, slot, args.n)[j + thread] = sum;
        else
          store(args, scaling, batch, share.end, j + thread, sum);
      }
    }
    join_cut_rows(args, parts, share, batch, args.n, 0, 1, room);

    if (parts.cut > 0) {
      const int rows = list_long_rows(args, parts, share, batch, parts.cut, list, listed);
      for (int i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < args.n; j += kCols) {
          const int count = static_cast<int>(min(static_cast<std::int64_t>(kCols), args.n - j));
          const S sum = sum_range(range_of(share.begin + list[i]), j, count);
          if (thread < count) store(args, scaling, batch, share.begin + list[i], j + thread, sum);
        }
      __syncthreads();  // the list is used again
      continue;
    }

    RowRange whole{0, 0};  // entries of the whole rows
    if (share.begin < share.end && !skip) {
      whole.begin = range_of(share.begin).begin;
      const RowRange last = range_of(share.end - 1);
      whole.count = static_cast<int>(last.begin + last.count - whole.begin);
    }
    const std::int64_t origin = whole.begin & ~std::int64_t{kRun - 1};
    // As many lanes of a row as have about kNnzDotPerLane entries each.
    const int rows = static_cast<int>(share.end - share.begin);
    int lanes = 1;
    while (lanes < 32 && kNnzDotPerLane * lanes * rows < whole.count) lanes *= 2;
    const int lane = thread & (lanes - 1), group = warp_lane / lanes, step = kNnzDotThreads / lanes;
    for (std::int64_t j = 0; j < args.n; j += kCols) {
      const int count = static_cast<int>(min(static_cast<std::int64_t>(kCols), args.n - j));
      multiply_range(whole, j, count, [&](int entry, int c, const S(&product)[kRun]) {
        using Part = Pack<S, sizeof(S) <= 4 ? 4 : sizeof(S) <= 8 ? 2 : 1>;
        constexpr int kPart = sizeof(Part) / sizeof(S);
#pragma unroll
        for (int q = 0; q < kRun; q += kPart) {
          Part part;
#pragma unroll
          for (int i = 0; i < kPart; ++i) part.at[i] = product[q + i];
          *reinterpret_cast<Part*>(&products[c][entry + q]) = part;
        }
      });
      int first = (thread - warp_lane) / lanes;  // of the warp's rows
      const auto row_at = [&](int row) { return row < rows && !skip ? range_of(share.begin + row) : RowRange{0, 0}; };
      RowRange next = row_at(first + group);
      __syncthreads();
#pragma unroll 1
      for (; first < rows; first += step) {
        const int begin = static_cast<int>(next.begin - origin), length = next.count, row = first + group;
        next = row_at(row + step);
        const bool is_long = length > 4 * kNnzDotPerLane * lanes && lanes < 32;
        S acc[kCols] = {};
        if (!is_long)
          for (int e = lane; e < length; e += lanes)
#pragma unroll
            for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], products[c][begin + e]);
        for (int mask = lanes >> 1; mask > 0; mask >>= 1)
#pragma unroll
          for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], shuffle_xor(acc[c], mask));
        for (unsigned left = __ballot_sync(0xffffffffu, is_long && lane == 0); left != 0; left &= left - 1) {
          const int from = __ffs(static_cast<int>(left)) - 1;
          const int its_begin = __shfl_sync(0xffffffffu, begin, from);
          const int its_length = __shfl_sync(0xffffffffu, length, from);
          S sum[kCols] = {};
#pragma unroll 4
          for (int e = warp_lane; e < its_length; e += 32)
#pragma unroll
            for (int c = 0; c < kCols; ++c) sum[c] = add(sum[c], products[c][its_begin + e]);
          for (int mask = 16; mask > 0; mask >>= 1)
#pragma unroll
            for (int c = 0; c < kCols; ++c) sum[c] = add(sum[c], shuffle_xor(sum[c], mask));
          if (warp_lane == from)
#pragma unroll
            for (int c = 0; c < kCols; ++c) acc[c] = sum[c];
        }
        if (lane == 0 && row < rows)
#pragma unroll
          for (int c = 0; c < kCols; ++c)
            if (c < count) store(args, scaling, batch, share.begin + row, j + c, acc[c]);
      }
      __syncthreads();  // the products are used again
    }
  }
}

template <class Value, class Out, class Index, int kCols>
void launch_spmm_nnz_dot(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  if constexpr (kCols == 1 && sizeof(Index) == 4)
    if (is_dot_column<Value>(call)) return launch_spmm_nnz_column<Value, Out>(call, launch);
  const auto parts = split_parts<Sum<Value>>(call, nnz_split_of_dot(launch.device, p, call.cut), launch.workspace);
  const dim3 blocks(static_cast<unsigned>(parts.count),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  launch_kernel(&spmm_nnz_dot<Value, Out, Index, kCols>, {blocks, kNnzDotThreads}, launch.stream,
                spmm_args<Value, Out>(call), parts, reads_runs(call.rows));
}

template <class Value, class Out = Value>
void spmm_nnz_dot_by_index(const SpmmCall& call, const Launch& launch) {
  constexpr int kSome = nnz_split_columns(2);
  const bool wide = call.rows.index_type == IndexType::i64;
  if (call.p.n == 1)
    return wide ? launch_spmm_nnz_dot<Value, Out, std::int64_t, 1>(call, launch)
                : launch_spmm_nnz_dot<Value, Out, std::int32_t, 1>(call, launch);
  return wide ? launch_spmm_nnz_dot<Value, Out, std::int64_t, kSome>(call, launch)
              : launch_spmm_nnz_dot<Value, Out, std::int32_t, kSome>(call, launch);
}

}  // namespace spk::cuda
