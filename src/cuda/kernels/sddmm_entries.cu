// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cuda/kernels/sddmm_args.cuh"

namespace spk::cuda {
namespace {

constexpr int kThreads = 256, kWarp = 32;

template <class T>
__device__ T add_lanes(T x) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) x = add(x, shuffle_xor(x, mask));
  return x;
}

struct Place {
  std::int64_t row = 0, col = 0;
};

// Row and column of stored element t, counted from the first one of C. The row comes from a search in the offsets: the
// first one that ends behind the element.
template <class Args>
__device__ Place place_of(const Args& args, std::int64_t batch, std::int64_t t) {
  const std::int64_t area = args.block_size * args.block_size;
  const std::int64_t block = args.first_entry + (area == 1 ? t : t / area);
  const std::int64_t shift = batch * args.offsets_stride + 1;
  std::int64_t low = 0, high = args.major - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (load_index(args.offsets, args.offset_type, shift + middle) - args.base > block)
      high = middle;
    else
      low = middle + 1;
  }
  Place p;
  p.row = low;
  p.col = load_index(args.indices, args.index_type, batch * args.indices_stride + block) - args.base;
  if (area != 1) {
    const std::int64_t e = t % area, slow = e / args.block_size, fast = e % args.block_size;
    p.row = p.row * args.block_size + (args.columns_inside ? fast : slow);
    p.col = p.col * args.block_size + (args.columns_inside ? slow : fast);
  }
  return p;
}

// Any storage and any strides. A warp owns 32 stored elements, finds their rows with one search per lane, and forms one
// dot after the other with its lanes along k; if k is small every lane forms its own. No shared memory.
template <class Value, class Out>
__global__ void __launch_bounds__(kThreads) sddmm_entries_kernel(const SddmmArgs<Value, Out> args) {
  using S = Sum<Value>;
  constexpr std::int64_t kSmallK = 16;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const SddmmFinish<Value, Out> finish(args);
  const std::int64_t area = args.block_size * args.block_size;
  const std::int64_t chunks = (args.nnz + kWarp - 1) / kWarp, units = chunks * args.batches;
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / kWarp);
  for (std::int64_t unit = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kWarp; unit < units; unit += warps) {
    const std::int64_t batch = unit / chunks, first = unit % chunks * kWarp;
    const int count = static_cast<int>(args.nnz - first < kWarp ? args.nnz - first : kWarp);
    S mine{};
    if (!finish.skips) {
      Place own;
      if (lane < count) own = place_of(args, batch, first + lane);
      const Value* const a = args.a.values + batch * args.a.batch_stride;
      const Value* const b = args.b.values + batch * args.b.batch_stride;
      if (args.k <= kSmallK) {
        if (lane < count)
          for (std::int64_t l = 0; l < args.k; ++l)
            mine = multiply_add(
                conjugate_if(args.conjugate_a, to_sum(a[own.row * args.a.stride + l * args.a.k_stride])),
                conjugate_if(args.conjugate_b, to_sum(b[own.col * args.b.stride + l * args.b.k_stride])), mine);
      } else {
        for (int i = 0; i < count; ++i) {
          const Value* const x = a + __shfl_sync(0xffffffffu, own.row, i) * args.a.stride;
          const Value* const y = b + __shfl_sync(0xffffffffu, own.col, i) * args.b.stride;
          S sum{};
#pragma unroll 4
          for (std::int64_t l = lane; l < args.k; l += kWarp)
            sum = multiply_add(conjugate_if(args.conjugate_a, to_sum(x[l * args.a.k_stride])),
                               conjugate_if(args.conjugate_b, to_sum(y[l * args.b.k_stride])), sum);
          sum = add_lanes(sum);
          if (lane == i) mine = sum;
        }
      }
    }
    if (lane < count)
      finish.store(args.values + batch * args.values_stride + args.first_entry * area + first + lane, mine);
  }
}

}  // namespace

void sddmm_entries__sm70(const SddmmProblem& p, const Launch& launch) {
  visit_sddmm_types(p, [&](auto value, auto out) {
    const auto args = sddmm_args<typename decltype(value)::type, typename decltype(out)::type>(p);
    const std::int64_t units = (p.c.nnz + kWarp - 1) / kWarp * p.c.batch_count, per_block = kThreads / kWarp;
    const auto blocks =
        static_cast<unsigned>(std::min<std::int64_t>((units + per_block - 1) / per_block, std::int64_t{1} << 30));
    sddmm_entries_kernel<<<blocks, kThreads, 0, launch.stream>>>(args);
    SPK_CUDA_CHECK(cudaGetLastError());
  });
}

}  // namespace spk::cuda
