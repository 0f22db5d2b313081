// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

// SpMV and SpMM of few columns straight from sliced ELLPACK.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kAhead = 4;    // slots that a thread loads at a time
constexpr int kColumns = 4;  // columns of C made at once, where there are several

struct SellGrid {
  int parts_log2;  // threads of a row: 1 to 32
  IndexType offset_type;
  std::int64_t slice_size;
  unsigned slice_rows;  // slice_size, or more than there are rows
};

// Mapping: neighbouring threads have neighbouring rows, so that they read neighbouring slots; 2^parts_log2 threads of a
// block share a row, of which part t takes slots t, t + 2^parts_log2, ... Sums meet in shared memory (kThreads * kCols)
// and are added in the order of parts. blockIdx.x runs over rows, y over the batch.
template <class Value, class Out, class Index, int kCols>
__global__ void __launch_bounds__(kThreads, 1)
    spmm_sell(const __grid_constant__ SpmmArgs<Value, Out> args, const SellGrid grid) {
  using S = Sum<Value>;
  __shared__ S partial[kCols][kThreads];
  const int parts = 1 << grid.parts_log2, rows = kThreads >> grid.parts_log2, thread = static_cast<int>(threadIdx.x);
  const int part = thread / rows;
  const std::int64_t row = std::int64_t{blockIdx.x} * rows + thread % rows;
  const Scaling<S> scaling = scaling_of(args);
  const bool active = row < args.m && !args.skips_product && !scaling.alpha_is_zero;
  for (std::int64_t batch = blockIdx.y; batch < args.batches; batch += gridDim.y) {
    const auto* __restrict__ indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* __restrict__ values = args.values + batch * args.values_stride;
    std::int64_t begin = 0, end = 0;
    if (active) {
      const auto number = static_cast<unsigned>(row), slice = number / grid.slice_rows;
      const std::int64_t at = batch * args.offsets_stride + slice;
      begin = read_index(args.offsets, grid.offset_type, at) - args.base + (number - slice * grid.slice_rows);
      end = read_index(args.offsets, grid.offset_type, at + 1) - args.base;
    }
    for (std::int64_t j = 0; j < args.n; j += kCols) {
      const Value* __restrict__ b = args.b.values + batch * args.b.batch_stride + j * args.b.col_stride;
      const int count = static_cast<int>(min(static_cast<std::int64_t>(kCols), args.n - j));
      S acc[kCols] = {};
      const std::int64_t step = grid.slice_size << grid.parts_log2;
      for (std::int64_t at = begin + part * grid.slice_size; at < end; at += kAhead * step) {
        Index column[kAhead];
        Value value[kAhead];
#pragma unroll
        for (int q = 0; q < kAhead; ++q) {
          column[q] = -1;  // as of a slot without an entry
          if (at + q * step < end) {
            column[q] = indices[at + q * step];
            value[q] = values[at + q * step];
          }
        }
#pragma unroll
        for (int c = 0; c < kCols; ++c) {
          Value element[kAhead];
#pragma unroll
          for (int q = 0; q < kAhead; ++q)
            if (column[q] != -1 && c < count)
              element[q] =
                  b[(static_cast<std::int64_t>(column[q]) - args.base) * args.b.row_stride + c * args.b.col_stride];
#pragma unroll
          for (int q = 0; q < kAhead; ++q)
            if (column[q] != -1 && c < count)
              acc[c] = multiply_add(to_sum(value[q]), conjugate_if(args.conjugate_b, to_sum(element[q])), acc[c]);
        }
      }
      if (parts > 1) {
        __syncthreads();
#pragma unroll
        for (int c = 0; c < kCols; ++c) partial[c][thread] = acc[c];
        __syncthreads();
        if (part == 0)
          for (int other = 1; other < parts; ++other)
#pragma unroll
            for (int c = 0; c < kCols; ++c) acc[c] = add(acc[c], partial[c][thread + other * rows]);
      }
      if (part == 0 && row < args.m)
#pragma unroll
        for (int c = 0; c < kCols; ++c)
          if (c < count) store(args, scaling, batch, row, j + c, acc[c]);
    }
  }
}

template <class Value, class Out, class Index>
void launch_spmm_sell(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  SellGrid grid{};
  grid.offset_type = p.a.offset_type;
  grid.slice_size = p.a.slice_size;
  grid.slice_rows = static_cast<unsigned>(std::min<std::int64_t>(p.a.slice_size, INT32_MAX));
  // About four slots per thread, more threads only while rows alone do not fill the device.
  const std::int64_t per_row = p.a.nnz / p.m, wanted = std::int64_t{2048} * launch.device.sm_count;
  while (grid.parts_log2 < 5 && 4 << grid.parts_log2 < per_row && p.m * p.c.batch_count << grid.parts_log2 < wanted)
    ++grid.parts_log2;
  const std::int64_t rows = kThreads >> grid.parts_log2;
  const dim3 blocks(static_cast<unsigned>((p.m + rows - 1) / rows),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  const auto kernel = p.n == 1 ? &spmm_sell<Value, Out, Index, 1> : &spmm_sell<Value, Out, Index, kColumns>;
  kernel<<<blocks, kThreads, 0, launch.stream>>>(spmm_args<Value, Out>(call), grid);
  SPK_CUDA_CHECK(cudaGetLastError());
}

template <class Value, class Out = Value>
void launch_by_index(const SpmmCall& call, const Launch& launch) {
  if (call.p.a.index_type == IndexType::i64) return launch_spmm_sell<Value, Out, std::int64_t>(call, launch);
  launch_spmm_sell<Value, Out, std::int32_t>(call, launch);
}

template <class Value>
void launch_by_output(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32) return launch_by_index<Value, float>(call, launch);
  launch_by_index<Value>(call, launch);
}

}  // namespace

void spmm_sell_f32(const SpmmCall& call, const Launch& launch) { launch_by_index<float>(call, launch); }
void spmm_sell_f64(const SpmmCall& call, const Launch& launch) { launch_by_index<double>(call, launch); }
void spmm_sell_f16(const SpmmCall& call, const Launch& launch) { launch_by_output<__half>(call, launch); }
void spmm_sell_bf16(const SpmmCall& call, const Launch& launch) { launch_by_output<__nv_bfloat16>(call, launch); }
void spmm_sell_c64(const SpmmCall& call, const Launch& launch) { launch_by_index<Complex<float>>(call, launch); }
void spmm_sell_c128(const SpmmCall& call, const Launch& launch) { launch_by_index<Complex<double>>(call, launch); }

}  // namespace spk::cuda
