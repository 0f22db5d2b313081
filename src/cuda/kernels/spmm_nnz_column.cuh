// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dot_column.cuh"

// SpMV in the most frequent form (DotColumnArgs), split by nonzeros.
namespace spk::cuda {

constexpr int kColumnThreads = 256;
constexpr int kColumnPerLane = 4;    // entries of a row that a lane adds up, in the mean of a block
constexpr int kColumnOfWarp = 2048;  // most entries of a long row that is left to a warp

// As SplitParts; counts in 32 bits, which rows and entries together do not exceed.
template <class S>
struct ColumnParts {
  unsigned items, all;    // of a part, of the matrix
  unsigned base, origin;  // of the indices, of the offsets
  unsigned entries;       // of the arrays
  float rows_per_item;
  bool reads_runs, cuts;
  int cut;                    // of the kernel for long rows: only rows of more entries are wanted
  S* sums;                    // (parts)
  unsigned long long* flags;  // (parts)
  unsigned long long token;
};

// The first rows whose items begin at the two bounds of a part or behind them. In the first round threads look at as many
// rows evenly spread, and at those where the bound would be if all rows were equally long.
template <class S>
__device__ void find_bounds(const std::int32_t* offsets, const ColumnParts<S>& parts, unsigned m, unsigned (&low)[2]) {
  constexpr unsigned kThreads = kColumnThreads;
  const unsigned thread = threadIdx.x;
  const unsigned bounds[2] = {blockIdx.x * parts.items, parts.all - blockIdx.x * parts.items < parts.items
                                                            ? parts.all
                                                            : (blockIdx.x + 1) * parts.items};
  const auto is_before = [&](unsigned row, int i) {
    return static_cast<unsigned>(offsets[row]) - parts.origin + row < bounds[i];
  };
  unsigned left[2], step = (m + kThreads - 1) / kThreads, at = (thread + 1) * step - 1, window[2];
  bool before[2] = {}, near[2] = {};
  const unsigned last = m < kThreads ? 0 : m - kThreads;  // window
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const auto guess = static_cast<unsigned>(static_cast<float>(bounds[i]) * parts.rows_per_item);
    window[i] = min(guess < kThreads / 2 ? 0 : guess - kThreads / 2, last);
    if (at < m) before[i] = is_before(at, i);
    if (window[i] + thread < m) near[i] = is_before(window[i] + thread, i);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const unsigned found = __syncthreads_count(near[i]), passed = __syncthreads_count(before[i]) * step;
    const bool is_here = (found > 0 || window[i] == 0) && (found < kThreads || window[i] == last);
    low[i] = is_here ? window[i] + found : min(passed, m);
    left[i] = is_here ? 0 : min(step - 1, m - low[i]);
  }
  while (left[0] > 0 || left[1] > 0) {
    unsigned steps[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      steps[i] = (left[i] + kThreads - 1) / kThreads;
      at = (thread + 1) * steps[i] - 1;
      before[i] = at < left[i] && is_before(low[i] + at, i);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned passed = min(__syncthreads_count(before[i]) * steps[i], left[i]);
      low[i] += passed;
      left[i] = left[i] == 0 ? 0 : min(steps[i] - 1, left[i] - passed);
    }
  }
}

// Calls take(entry, products of four entries from there on) for the entries [begin, end), counted from the first run of four
// that they touch: runs in turn for `step` threads of which this is number `number`. Of entries that are not in the range
// the products are 0.
template <class Value, class Out, class S, class Take>
__device__ __forceinline__ void multiply_runs(const DotColumnArgs<Value, Out>& args, const ColumnParts<S>& parts,
                                              unsigned begin, unsigned end, unsigned number, unsigned step,
                                              const Take& take) {
  constexpr int kAhead = sizeof(S) <= 8 ? 2 : 1;
  const unsigned origin = begin & ~(kRun - 1U);
  for (unsigned first = origin + number * kRun; first < end; first += kAhead * kRun * step) {
    Pack<std::int32_t, kRun> column[kAhead];
    Held<Value, kRun> value[kAhead] = {};
    const auto mine = [&](unsigned at) { return at >= begin && at < end; };
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      const unsigned at = first + a * kRun * step;
      if (at >= end) continue;
      if (parts.reads_runs && at + kRun <= parts.entries) {
        column[a] = *reinterpret_cast<const Pack<std::int32_t, kRun>*>(args.indices + at);
        value[a].template load<kRun>(0, args.values + at);
      } else {
#pragma unroll
        for (int q = 0; q < kRun; ++q)
          if (mine(at + q)) {
            column[a].at[q] = args.indices[at + q];
            value[a].put(q, args.values[at + q]);
          }
      }
    }
    Value element[kAhead][kRun];
#pragma unroll
    for (int a = 0; a < kAhead; ++a)
#pragma unroll
      for (int q = 0; q < kRun; ++q)
        if (mine(first + a * kRun * step + q)) element[a][q] = *place_of<Value>(args.b, column[a].at[q], args.b_bytes);
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      const unsigned at = first + a * kRun * step;
      if (at >= end) continue;
      S product[kRun];
#pragma unroll
      for (int q = 0; q < kRun; ++q)
        product[q] = mine(at + q) ? multiply(to_sum(value[a].get(q)), to_sum(element[a][q])) : S{};
      take(at - origin, product);
    }
  }
}

// Mapping: as spmm_nnz_dot, for one column. kLong: only rows of more than parts.cut entries are wanted: those that are not
// cut have a warp each, or the whole block. blockIdx.x runs over parts.
template <class Value, class Out, bool kLong>
__global__ void __launch_bounds__(kColumnThreads, resident_blocks(sizeof(Sum<Value>) <= 4 ? 4 : 2))
    spmm_nnz_column(const __grid_constant__ DotColumnArgs<Value, Out> args, const ColumnParts<Sum<Value>> parts) {
  using S = Sum<Value>;
  constexpr int kWarps = kColumnThreads / 32;
  constexpr int kStage = static_cast<int>(2 * nnz_split_most_items(1, sizeof(S))) + 2 * kRun;
  __shared__ S partial[kWarps];
  begin_split();
  const unsigned thread = threadIdx.x, part = blockIdx.x, warp_lane = thread % 32, warp = thread / 32;
  const auto begin_of = [&](unsigned row) { return static_cast<unsigned>(args.offsets[row]) - parts.base; };
  unsigned bounds[2];
  find_bounds(args.offsets, parts, args.m, bounds);
  const unsigned first_row = bounds[0];
  unsigned end_row = bounds[1];

  const auto sum_of_warp = [&](S x) {
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) x = add(x, shuffle_xor(x, mask));
    return x;
  };
  // By all threads, for all of them.
  const auto sum_of_block = [&](S x) {
    x = sum_of_warp(x);
    __syncthreads();
    if (warp_lane == 0) partial[warp] = x;
    __syncthreads();
    x = partial[0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) x = add(x, partial[w]);
    return x;
  };
  const auto sum_range = [&](unsigned begin, unsigned end, unsigned number, unsigned step) {
    S acc{};
    multiply_runs(args, parts, begin, end, number, step, [&](unsigned, const S(&product)[kRun]) {
      acc = add(acc, add(add(product[0], product[1]), add(product[2], product[3])));
    });
    return acc;
  };

  // Cut rows: of the one that began before and the last one that begins here, what lies in the part.
  S joined{};
  unsigned joins_from = part;  // the part that the row begins in whose last entry is here
  if (parts.cuts) {
    const unsigned shift = parts.base - parts.origin, from = part * parts.items, to = from + parts.items;
#pragma unroll 1
    for (int slot = 0; slot < 2; ++slot) {
      if (slot == 0 ? first_row == 0 : end_row == first_row) continue;
      const unsigned row = (slot == 0 ? first_row : end_row) - 1, begin = begin_of(row), end = begin_of(row + 1);
      if (end - begin <= parts.items) continue;
      if (slot == 1) --end_row;
      if (static_cast<int>(end - begin) <= parts.cut) continue;
      // Its items, counted from the matrix's first.
      const unsigned item = begin + shift + row, last = item + (end - begin) - 1;
      if (last < from) continue;
      const bool ends_here = last - from < parts.items;
      const S sum = sum_of_block(sum_range(slot == 0 ? from - shift - row : begin, ends_here ? end : to - shift - row,
                                           thread, kColumnThreads));
      if (ends_here) {
        joined = sum;
        joins_from = item / parts.items;
      } else if (thread == 0) {
        parts.sums[part] = sum;
        store_release(parts.flags + part, parts.token);
      }
    }
  } else if (end_row > first_row && begin_of(end_row) - begin_of(end_row - 1) > parts.items) {
    // Repeated columns can make a row longer than was thought.
    --end_row;
    const unsigned begin = begin_of(end_row), end = begin_of(end_row + 1);
    if (static_cast<int>(end - begin) > parts.cut) {
      const S sum = sum_of_block(sum_range(begin, end, thread, kColumnThreads));
      if (thread == 0) args.store(end_row, sum);
    }
  }

  if constexpr (kLong) {
    __shared__ unsigned list[kNnzList], listed;
    bool any = false;
#pragma unroll 4
    for (unsigned row = first_row + thread; row < end_row; row += kColumnThreads)
      any |= args.offsets[row + 1] - args.offsets[row] > parts.cut;
    if (__syncthreads_or(any)) {
      if (thread == 0) listed = 0;
      __syncthreads();
      for (unsigned row = first_row + thread; row < end_row; row += kColumnThreads)
        if (args.offsets[row + 1] - args.offsets[row] > parts.cut) list[atomicAdd(&listed, 1U)] = row;
      __syncthreads();
      for (unsigned i = warp; i < listed; i += kWarps) {
        const unsigned begin = begin_of(list[i]), end = begin_of(list[i] + 1);
        if (end - begin > kColumnOfWarp) continue;
        const S sum = sum_of_warp(sum_range(begin, end, warp_lane, 32));
        if (warp_lane == 0) args.store(list[i], sum);
      }
      for (unsigned i = 0; i < listed; ++i) {
        const unsigned begin = begin_of(list[i]), end = begin_of(list[i] + 1);
        if (end - begin <= kColumnOfWarp) continue;
        const S sum = sum_of_block(sum_range(begin, end, thread, kColumnThreads));
        if (thread == 0) args.store(list[i], sum);
      }
    }
  } else if (end_row > first_row) {
    __shared__ __align__(16) S products[kStage];
    const unsigned begin = begin_of(first_row), end = begin_of(end_row), origin = begin & ~(kRun - 1U);
    multiply_runs(args, parts, begin, end, thread, kColumnThreads, [&](unsigned entry, const S(&product)[kRun]) {
      using Piece = Pack<S, sizeof(S) <= 4 ? 4 : sizeof(S) <= 8 ? 2 : 1>;
      constexpr int kPiece = sizeof(Piece) / sizeof(S);
#pragma unroll
      for (int q = 0; q < kRun; q += kPiece) {
        Piece piece;
#pragma unroll
        for (int i = 0; i < kPiece; ++i) piece.at[i] = product[q + i];
        *reinterpret_cast<Piece*>(products + entry + q) = piece;
      }
    });
    // As many lanes of a row as have about kColumnPerLane entries each.
    const unsigned rows = end_row - first_row;
    unsigned lanes = 1;
    while (lanes < 32 && kColumnPerLane * lanes * rows < end - begin) lanes *= 2;
    const unsigned lane = thread & (lanes - 1), step = kColumnThreads / lanes;
    unsigned row = thread / lanes, row_begin = 0, length = 0;
    const auto look_at = [&](unsigned which) {
      row_begin = length = 0;
      if (which >= rows) return;
      row_begin = begin_of(first_row + which);
      length = begin_of(first_row + which + 1) - row_begin;
      row_begin -= origin;
    };
    look_at(row);
    __syncthreads();
#pragma unroll 1
    for (unsigned of_warp = warp * 32 / lanes; of_warp < rows; of_warp += step, row += step) {
      const unsigned at = row_begin, count = length;
      look_at(row + step);
      const bool waits = lanes < 32 && count > 4 * kColumnPerLane * lanes;
      S acc{};
      if (!waits)
        for (unsigned e = lane; e < count; e += lanes) acc = add(acc, products[at + e]);
      for (unsigned mask = lanes / 2; mask > 0; mask /= 2) acc = add(acc, shuffle_xor(acc, static_cast<int>(mask)));
      for (unsigned left = __ballot_sync(0xffffffffu, waits && lane == 0); left != 0; left &= left - 1) {
        const int from = __ffs(static_cast<int>(left)) - 1;
        const unsigned its_at = __shfl_sync(0xffffffffu, at, from), its_count = __shfl_sync(0xffffffffu, count, from);
        S sum[2] = {};
        unsigned e = warp_lane;
        for (; e + 32 < its_count; e += 64) {
          sum[0] = add(sum[0], products[its_at + e]);
          sum[1] = add(sum[1], products[its_at + e + 32]);
        }
        if (e < its_count) sum[0] = add(sum[0], products[its_at + e]);
        const S whole = sum_of_warp(add(sum[0], sum[1]));
        if (static_cast<int>(warp_lane) == from) acc = whole;
      }
      if (lane == 0 && row < rows) args.store(first_row + row, acc);
    }
  }

  // Last, so that the others have had time.
  if (joins_from < part) {
    S sum{};
    for (unsigned i = joins_from + thread; i < part; i += kColumnThreads) {
      while (load_acquire(parts.flags + i) != parts.token) {
      }
      sum = add(sum, load_fresh(parts.sums + i));
      parts.flags[i] = 0;  // a graph of launches says it again
    }
    sum = sum_of_block(sum);
    if (thread == 0) args.store(first_row - 1, add(sum, joined));
  }
}

template <class Value, class Out>
void launch_spmm_nnz_column(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  const NnzSplit split = nnz_split_of_dot(launch.device, p, call.cut);
  DotColumnArgs<Value, Out> args = dot_column_args<Value, Out>(call);
  ColumnParts<Sum<Value>> parts{};
  parts.items = static_cast<unsigned>(split.items);
  parts.all = static_cast<unsigned>(p.m + call.rows.nnz);
  parts.base = static_cast<unsigned>(call.rows.base);
  parts.origin = static_cast<unsigned>(call.rows.base + call.rows.first_entry);
  parts.entries = static_cast<unsigned>(call.rows.first_entry + call.rows.nnz);
  parts.rows_per_item = static_cast<float>(p.m) / static_cast<float>(p.m + call.rows.nnz);
  parts.reads_runs = reads_runs(call.rows);
  parts.cuts = split.cuts;
  parts.cut = static_cast<int>(call.cut);
  if (split.cuts) {
    parts.sums = static_cast<Sum<Value>*>(launch.workspace);
    parts.flags =
        reinterpret_cast<unsigned long long*>(static_cast<char*>(launch.workspace) + nnz_split_layout(p, split).flags);
    parts.token = split_token();
  }
  // Runs of four start at multiples of four in the arrays themselves.
  args.indices += call.rows.base;
  args.values += call.rows.base;
  const LaunchShape shape{static_cast<unsigned>(split.parts), kColumnThreads};
  if (call.cut > 0) return launch_kernel(&spmm_nnz_column<Value, Out, true>, shape, launch.stream, args, parts);
  launch_kernel(&spmm_nnz_column<Value, Out, false>, shape, launch.stream, args, parts);
}

}  // namespace spk::cuda
