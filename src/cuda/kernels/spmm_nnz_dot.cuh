// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_nnz_split.cuh"

// SpMV and SpMM of few columns, split by nonzeros: threads run along the entries, whatever rows they belong to.
namespace spk::cuda {

constexpr int kNnzDotThreads = 256;

// Mapping: a block has a part of the matrix (spmm_nnz_split.cuh). Its threads form the products of the entries of its
// whole rows, kCols columns at a time, in shared memory (kNnzSplitStage bytes); then groups of lanes, as many as suit the
// rows at hand, add up a row each. Cut rows are summed at once by all threads, which meet through shuffles and shared
// memory. All in fixed order. blockIdx.x runs over parts, y over the batch.
template <class Value, class Out, class Index, int kCols>
__global__ void __launch_bounds__(kNnzDotThreads)
    spmm_nnz_dot(const __grid_constant__ SpmmArgs<Value, Out> args, const SplitParts<Sum<Value>> parts) {
  using S = Sum<Value>;
  let_kernel_behind_start();
  if (!is_told(parts)) return;
  constexpr int kWarps = kNnzDotThreads / 32, kAhead = 4;
  constexpr int kStage = static_cast<int>(2 * nnz_split_most_items(kCols, sizeof(S)));
  __shared__ S products[kCols][kStage];
  __shared__ S partial[kWarps][kCols];
  __shared__ S room[kNnzDotThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  for (std::int64_t batch = blockIdx.y; batch < args.batches; batch += gridDim.y) {
    const auto* __restrict__ indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* __restrict__ values = args.values + batch * args.values_stride;
    const SplitShare share = find_share(args, parts, batch, blockIdx.x, skip);
    if (thread == 0) tell_cut_row(parts, share, batch, blockIdx.x);
    if (!has_wanted_rows(args, parts, share, batch, skip)) continue;
    const auto range_of = [&](std::int64_t row) {
      return row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row);
    };
    RowRange whole{0, 0};  // entries of the whole rows
    if (share.begin < share.end && !skip) {
      whole.begin = range_of(share.begin).begin;
      const RowRange last = range_of(share.end - 1);
      whole.count = static_cast<int>(last.begin + last.count - whole.begin);
    }
    for (std::int64_t j = 0; j < args.n; j += kCols) {
      const Value* __restrict__ b = args.b.values + batch * args.b.batch_stride + j * args.b.col_stride;
      const int count = static_cast<int>(min(static_cast<std::int64_t>(kCols), args.n - j));
      // Calls take(entry, column, product) for every kNnzDotThreads-th entry of a range, each column of it in order.
      const auto multiply_range = [&](const RowRange& range, const auto& take) {
        for (int at = thread; at < range.count; at += kAhead * kNnzDotThreads) {
          std::int64_t place[kAhead];
          S value[kAhead];
#pragma unroll
          for (int q = 0; q < kAhead; ++q)
            if (at + q * kNnzDotThreads < range.count) {
              const std::int64_t entry = range.begin + at + q * kNnzDotThreads;
              place[q] = (static_cast<std::int64_t>(indices[entry]) - args.base) * args.b.row_stride;
              value[q] = conjugate_if(args.conjugate_a, to_sum(values[entry]));
            }
#pragma unroll
          for (int c = 0; c < kCols; ++c)
            if (c < count)
#pragma unroll
              for (int q = 0; q < kAhead; ++q)
                if (at + q * kNnzDotThreads < range.count)
                  take(at + q * kNnzDotThreads, c, value[q],
                       conjugate_if(args.conjugate_b, to_sum(b[place[q] + c * args.b.col_stride])));
        }
      };

      multiply_range(whole, [&](int entry, int c, S x, S y) { products[c][entry] = multiply(x, y); });
      __syncthreads();
      // As many lanes of a row as have about four entries each.
      const int rows = static_cast<int>(share.end - share.begin);
      int lanes = 1;
      while (lanes < 32 && 4 * lanes * rows < whole.count) lanes *= 2;
      const int lane = thread & (lanes - 1), warp_first = thread / 32 * 32 / lanes;
#pragma unroll 1
      for (int first = warp_first; first < rows; first += kNnzDotThreads / lanes) {
        const std::int64_t row = share.begin + first + thread % 32 / lanes;
        RowRange range{0, 0};
        if (row < share.end && !skip) range = range_of(row);
        const int begin = static_cast<int>(range.begin - whole.begin);
        S acc[kCols] = {};
        for (int e = lane; e < range.count; e += lanes)
#pragma unroll
          for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], products[c][begin + e]);
        for (int mask = lanes >> 1; mask > 0; mask >>= 1)
#pragma unroll
          for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], shuffle_xor(acc[c], mask));
        if (lane == 0 && row < share.end && parts.wants(range))
#pragma unroll
          for (int c = 0; c < kCols; ++c)
            if (c < count) store(args, scaling, batch, row, j + c, acc[c]);
      }

#pragma unroll 1
      for (int slot = 0; slot < 2; ++slot) {
        const RowRange range = slot == 0 ? share.cut[0] : share.cut[1];
        if (range.count == 0) continue;
        S acc[kCols] = {};
        multiply_range(range, [&](int, int c, S x, S y) { acc[c] = multiply_add(x, y, acc[c]); });
        for (int mask = 16; mask > 0; mask >>= 1)
#pragma unroll
          for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], shuffle_xor(acc[c], mask));
        __syncthreads();
        if (thread % 32 == 0)
#pragma unroll
          for (int c = 0; c < kCols; ++c) partial[thread / 32][c] = acc[c];
        __syncthreads();
        if (thread < count) {
          S sum = partial[0][thread];
          for (int warp = 1; warp < kWarps; ++warp) sum = add(sum, partial[warp][thread]);
          if (parts.cuts)
            parts.sums_of(batch, blockIdx.x, slot, args.n)[j + thread] = sum;
          else
            store(args, scaling, batch, share.end, j + thread, sum);
        }
      }
      __syncthreads();  // the products are used again
    }
    join_if_last(args, parts, share, batch, 1, room);
  }
}

template <class Value, class Out, class Index, int kCols>
void launch_spmm_nnz_dot(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  const auto parts = split_parts<Sum<Value>>(call, nnz_split_of_dot(launch.device, p, call.cut > 0), launch.workspace);
  const dim3 blocks(static_cast<unsigned>(parts.count),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  const auto args = spmm_args<Value, Out>(call);
  const auto kernel = &spmm_nnz_dot<Value, Out, Index, kCols>;
  launch_kernel(kernel, {blocks, kNnzDotThreads, 0, launch.device.overlaps_launches && call.cut > 0}, launch.stream,
                args, parts);
  join_parts(args, parts, launch);
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
