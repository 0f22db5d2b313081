// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/kernels/spmm_rows.cuh"

// SpMV and SpMM of few columns: lanes run along a row's entries.
namespace spk::cuda {

constexpr int kDotThreads = 256;
constexpr int kDotColumns = 4;  // columns of C made at once

struct DotGrid {
  int lanes_log2;  // lanes of a row: 2 to kDotThreads
  int cut_row;     // entries beyond which a row is left over
  IndexType offset_type;
  std::uint8_t* flags;  // NULL, or per batch and block: whether the block left a row over
  SplitTickets tickets;
};

// Mapping: 2^lanes_log2 neighbouring threads share a row of op(A); thread t takes entries t, t + 2^lanes_log2, ... and
// keeps kCols sums, one per column of C. The sums meet through shuffles, and where a row has more than one warp through
// shared memory (warps of a block times kCols), in fixed order. Rows longer than grid.cut_row are left to a launch behind
// (spmm_nnz_split.cuh). blockIdx.x runs over rows, y over the batch.
template <class Value, class Out, class Index, int kCols>
__global__ void __launch_bounds__(kDotThreads)
    spmm_dot(const __grid_constant__ SpmmArgs<Value, Out> args, const DotGrid grid) {
  using S = Sum<Value>;
  __shared__ S partial[kDotThreads / 32][kCols];
  if (grid.flags != nullptr) let_kernel_behind_start();
  clear_tickets(grid.tickets);
  const int lanes = 1 << grid.lanes_log2, thread = static_cast<int>(threadIdx.x), lane = thread & (lanes - 1);
  const std::int64_t rows_per_block = kDotThreads >> grid.lanes_log2;
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  for (std::int64_t batch = blockIdx.y; batch < args.batches; batch += gridDim.y) {
    const auto* __restrict__ indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* __restrict__ values = args.values + batch * args.values_stride;
    std::int64_t row = blockIdx.x * rows_per_block + (thread >> grid.lanes_log2);
    std::int64_t begin = 0, end = 0;
    if (row < args.m && !skip) {
      const std::int64_t at = batch * args.offsets_stride + row;
      begin = read_index(args.offsets, grid.offset_type, at) - args.base;
      end = read_index(args.offsets, grid.offset_type, at + 1) - args.base;
    }
    if (grid.flags != nullptr) {
      const bool cut = end - begin > grid.cut_row;
      if (cut) {
        row = args.m;
        end = begin;
      }
      const int left_over = __syncthreads_or(cut);
      if (thread == 0) grid.flags[batch * SplitTail::stride(gridDim.x) + blockIdx.x] = left_over != 0;
    }
    for (std::int64_t j = 0; j < args.n; j += kCols) {
      const Value* __restrict__ b = args.b.values + batch * args.b.batch_stride + j * args.b.col_stride;
      const int count = static_cast<int>(min(static_cast<std::int64_t>(kCols), args.n - j));
      S acc[kCols] = {};
      constexpr int kAhead = 4;
      std::int64_t at = begin + lane;
      for (; at + (kAhead - 1) * lanes < end; at += kAhead * lanes) {
        std::int64_t place[kAhead];
        S value[kAhead];
#pragma unroll
        for (int q = 0; q < kAhead; ++q) {
          place[q] = (static_cast<std::int64_t>(indices[at + q * lanes]) - args.base) * args.b.row_stride;
          value[q] = conjugate_if(args.conjugate_a, to_sum(values[at + q * lanes]));
        }
#pragma unroll
        for (int c = 0; c < kCols; ++c)
          if (c < count)
#pragma unroll
            for (int q = 0; q < kAhead; ++q)
              acc[c] = multiply_add(
                  value[q], conjugate_if(args.conjugate_b, to_sum(b[place[q] + c * args.b.col_stride])), acc[c]);
      }
      for (; at < end; at += lanes) {
        const std::int64_t place = (static_cast<std::int64_t>(indices[at]) - args.base) * args.b.row_stride;
        const S value = conjugate_if(args.conjugate_a, to_sum(values[at]));
#pragma unroll
        for (int c = 0; c < kCols; ++c)
          if (c < count)
            acc[c] =
                multiply_add(value, conjugate_if(args.conjugate_b, to_sum(b[place + c * args.b.col_stride])), acc[c]);
      }
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
}

template <class Value, class Out, class Index, int kCols>
void launch_spmm_dot(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  const std::int64_t per_row = call.rows.nnz / std::max<std::int64_t>(1, p.m);
  DotGrid grid{};
  grid.offset_type = call.rows.offset_type;
  // About four entries per lane; more lanes while rows alone do not fill the device.
  grid.lanes_log2 = 1;
  while (grid.lanes_log2 < 5 && 4 << grid.lanes_log2 < per_row) ++grid.lanes_log2;
  // Lanes for rows much longer than the mean, while they cost nothing.
  while (1 << grid.lanes_log2 < kDotThreads && 4 << grid.lanes_log2 < 4 * per_row + 32 &&
         p.m << grid.lanes_log2 < std::int64_t{512} * launch.device.sm_count)
    ++grid.lanes_log2;
  const std::int64_t rows_per_block = kDotThreads >> grid.lanes_log2;
  const dim3 blocks(static_cast<unsigned>((p.m + rows_per_block - 1) / rows_per_block),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  const SplitTail tail = split_tail_of_dot(p);
  grid.cut_row = static_cast<int>(std::max<std::int64_t>(tail.above, 32 << grid.lanes_log2));
  grid.flags = tail.above > 0 ? static_cast<std::uint8_t*>(launch.workspace) : nullptr;
  if (tail.above > 0)
    grid.tickets = split_tickets(p, nnz_split_of_dot(launch.device, p, true), grid.flags + tail.flags);
  spmm_dot<Value, Out, Index, kCols><<<blocks, kDotThreads, 0, launch.stream>>>(spmm_args<Value, Out>(call), grid);
  SPK_CUDA_CHECK(cudaGetLastError());
  if (tail.above > 0)
    launch_left_over(call, launch, spmm_nnz_dot(p.a.value_type), {grid.cut_row, tail.flags}, blocks.x);
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
