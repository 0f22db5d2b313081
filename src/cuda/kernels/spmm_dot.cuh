// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/kernels/spmm_dot_column.cuh"
#include "cuda/kernels/spmm_rows.cuh"

// SpMV and SpMM of few columns: lanes run along a row's entries.
namespace spk::cuda {

constexpr int kDotColumns = 4;  // columns of C made at once

struct DotGrid {
  int lanes_log2;  // lanes of a row: 1 to kDotThreads
  int cut_row;     // entries beyond which a row is left over
  bool beside;     // to a launch in front, which has waited for what is in front of that
  IndexType offset_type;
};

// Mapping: 2^lanes_log2 neighbouring threads share a row of op(A); thread t takes entries t, t + 2^lanes_log2, ... and
// keeps kCols sums, one per column of C. The sums meet through shuffles, and where a row has more than one warp through
// shared memory (warps of a block times kCols), in fixed order. Rows longer than grid.cut_row are left to a launch in front
// (spmm_nnz_split.cuh). blockIdx.x runs over rows, y over the batch.
template <class Value, class Out, class Index, int kCols>
__global__ void __launch_bounds__(kDotThreads)
    spmm_dot(const __grid_constant__ SpmmArgs<Value, Out> args, const DotGrid grid) {
  using S = Sum<Value>;
  __shared__ S partial[kDotThreads / 32][kCols];
  const int lanes = 1 << grid.lanes_log2, thread = static_cast<int>(threadIdx.x), lane = thread & (lanes - 1);
  const std::int64_t rows_per_block = kDotThreads >> grid.lanes_log2;
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  for (std::int64_t batch = blockIdx.y; batch < args.batches; batch += gridDim.y) {
    const auto* __restrict__ indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* __restrict__ values = args.values + batch * args.values_stride;
    std::int64_t row = blockIdx.x * rows_per_block + (thread >> grid.lanes_log2);
    RowRange range{0, 0};
    if (row < args.m && !skip)
      range = row_range(args.offsets, grid.offset_type, args.base, batch * args.offsets_stride + row);
    if (range.count > grid.cut_row) {
      row = args.m;
      range.count = 0;
    }
    indices += range.begin;
    values += range.begin;
    for (std::int64_t j = 0; j < args.n; j += kCols) {
      const Value* __restrict__ b = args.b.values + batch * args.b.batch_stride + j * args.b.col_stride;
      const int count = static_cast<int>(min(static_cast<std::int64_t>(kCols), args.n - j));
      S acc[kCols] = {};
      // kDotAhead entries from `at` on, `lanes` apart; of a row's last ones only those that are there.
      const auto add_entries_from = [&](int at, auto is_last) {
        const auto is_there = [&](int q) { return !is_last.value || at + q * lanes < range.count; };
        std::int64_t place[kDotAhead];
        Value value[kDotAhead];
#pragma unroll
        for (int q = 0; q < kDotAhead; ++q)
          if (is_there(q)) {
            place[q] = (static_cast<std::int64_t>(indices[at + q * lanes]) - args.base) * args.b.row_stride;
            value[q] = values[at + q * lanes];
          }
#pragma unroll
        for (int c = 0; c < kCols; ++c)
          if (c < count) {
            Value element[kDotAhead];
#pragma unroll
            for (int q = 0; q < kDotAhead; ++q)
              if (is_there(q)) element[q] = b[place[q] + c * args.b.col_stride];
#pragma unroll
            for (int q = 0; q < kDotAhead; ++q)
              if (is_there(q))
                acc[c] = multiply_add(conjugate_if(args.conjugate_a, to_sum(value[q])),
                                      conjugate_if(args.conjugate_b, to_sum(element[q])), acc[c]);
          }
      };
      int at = lane;
      for (; at + (kDotAhead - 1) * lanes < range.count; at += kDotAhead * lanes)
        add_entries_from(at, std::false_type{});
      if (at < range.count) add_entries_from(at, std::true_type{});
      for (int mask = min(lanes, 32) >> 1; mask > 0; mask >>= 1)
#pragma unroll
        for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], shuffle_xor(acc[c], mask));
      if (lanes > 32) {
        __syncthreads();
        if (thread % 32 == 0)
#pragma unroll
          for (int c = 0; c < kCols; ++c) partial[thread / 32][c] = acc[c];
        __syncthreads();
        if (lane == 0)
          for (int other = 1; other < lanes / 32; ++other)
#pragma unroll
            for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], partial[thread / 32 + other][c]);
      }
      if (row < args.m && lane == 0)
#pragma unroll
        for (int c = 0; c < kCols; ++c)
          if (c < count) store(args, scaling, batch, row, j + c, acc[c]);
    }
  }
  end_beside_long_rows(grid.beside);
}

template <class Value, class Out, class Index, int kCols>
void launch_spmm_dot(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  const std::int64_t cut = cut_of_dot(launch.device, p);
  const int lanes_log2 = dot_lanes_log2(launch.device, p);
  if (cut > 0) launch_long_rows(call, launch, spmm_nnz_dot(p.a.value_type), cut);
  if constexpr (kCols == 1 && sizeof(Index) == 4)
    if (is_dot_column<Value>(call)) return launch_spmm_dot_column<Value, Out>(call, launch, lanes_log2, cut);
  DotGrid grid{};
  grid.offset_type = call.rows.offset_type;
  grid.lanes_log2 = lanes_log2;
  grid.cut_row = cut > 0 ? static_cast<int>(cut) : INT32_MAX;
  grid.beside = cut > 0;
  const std::int64_t rows_per_block = kDotThreads >> grid.lanes_log2;
  const dim3 blocks(static_cast<unsigned>((p.m + rows_per_block - 1) / rows_per_block),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  launch_kernel(&spmm_dot<Value, Out, Index, kCols>,
                {blocks, kDotThreads, 0, launch.device.overlaps_launches && cut > 0}, launch.stream,
                spmm_args<Value, Out>(call), grid);
}

template <class Value, class Out = Value>
void spmm_dot_by_index(const SpmmCall& call, const Launch& launch) {
  const bool wide = call.rows.index_type == IndexType::i64;
  if (call.p.n == 1)
    return wide ? launch_spmm_dot<Value, Out, std::int64_t, 1>(call, launch)
                : launch_spmm_dot<Value, Out, std::int32_t, 1>(call, launch);
  return wide ? launch_spmm_dot<Value, Out, std::int64_t, kDotColumns>(call, launch)
              : launch_spmm_dot<Value, Out, std::int32_t, kDotColumns>(call, launch);
}

}  // namespace spk::cuda
