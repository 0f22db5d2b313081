// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sddmm_args.cuh"
#include "cuda/kernels/sm90.hpp"
#include "cuda/kernels/spmm_kernels.hpp"

// SDDMM of CSR in 16-bit types by the whole dense product: f32 sums of all of op(A) op(B) go to the workspace
// (spmm_dense_copy_sm90.cuh), from where the stored places are read.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256, kWarp = 32, kEach = 8;

// Mapping: a warp has a row, blockIdx.y says which of gridDim.y shares of it, z runs over the batch; a lane takes kEach
// entries at a time, a warp's width apart. No shared memory.
template <class Value, class Out>
__global__ void __launch_bounds__(kThreads)
    sddmm_sample_kernel(const SddmmArgs<Value, Out> args, const float* product, std::int64_t ld, std::int64_t matrix) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t row = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kWarp;
  const SddmmFinish<Value, Out> finish(args);
  if (row < args.m)
    for (std::int64_t batch = blockIdx.z; batch < args.batches; batch += gridDim.z) {
      const std::int64_t at = batch * args.offsets_stride + row;
      const std::int64_t begin = load_index(args.offsets, args.offset_type, at) - args.base;
      const auto count = static_cast<unsigned>(load_index(args.offsets, args.offset_type, at + 1) - args.base - begin);
      const float* const from = product + batch * matrix + row * ld - args.base;
      Out* const to = args.values + batch * args.values_stride + begin;
      const auto place = [&](unsigned first, int u) { return first + static_cast<unsigned>(u * kWarp + lane); };
      for (unsigned first = blockIdx.y * kEach * kWarp; first < count; first += gridDim.y * kEach * kWarp) {
        std::uint64_t cols[kEach];
        load_indices(cols, args.indices, args.index_type, batch * args.indices_stride + begin, count,
                     [&](int u) { return place(first, u); });
        wait_for_kernel_in_front();
        float sums[kEach];
#pragma unroll
        for (int u = 0; u < kEach; ++u) sums[u] = cols[u] != kNoIndex ? from[cols[u]] : 0.0f;
#pragma unroll
        for (int u = 0; u < kEach; ++u)
          if (cols[u] != kNoIndex) finish.store(to + place(first, u), sums[u]);
      }
    }
  wait_for_kernel_in_front();  // whoever waits for this kernel waits for that one
}

}  // namespace

void sddmm_csr_product__sm90(const SddmmProblem& p, const Launch& launch) {
  if (!has_sm90a(launch.device)) return launch_sddmm_dense_sm80(p, {128, 128, 1}, launch);
  const SpmmProblem product = sddmm_whole_product(p, launch.workspace);
  const Operand a = operand(p.a, p.op_a);
  SpmmCall call{product, product.a};
  call.dense_a = &a;
  call.dense_a_stride = p.a.batch_stride;
  (p.a.type == ValueType::f16 ? spmm_dense_copy_f16 : spmm_dense_copy_bf16)(call, launch);
  visit_sddmm_types(p, [&](auto value, auto out) {
    using Value = typename decltype(value)::type;
    if constexpr (sizeof(Value) == 2) {
      const auto args = sddmm_args<Value, typename decltype(out)::type>(p);
      const auto blocks = static_cast<unsigned>((p.m + kThreads / kWarp - 1) / (kThreads / kWarp));
      // As many shares as have something of a row three times as full as the mean.
      const std::int64_t mean = p.c.nnz / p.m, shares = std::clamp<std::int64_t>(3 * mean / (kEach * kWarp), 1, 64);
      const dim3 grid(blocks, static_cast<unsigned>(shares),
                      static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
      launch_kernel(sddmm_sample_kernel<Value, typename decltype(out)::type>,
                    {grid, kThreads, 0, launch.device.overlaps_launches}, launch.stream, args,
                    static_cast<const float*>(launch.workspace), product.c.ld, product.c.batch_stride);
    }
  });
}

}  // namespace spk::cuda
