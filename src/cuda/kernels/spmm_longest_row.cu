// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cuda/kernels/entries.cuh"
#include "cuda/spmm.hpp"

namespace spk::cuda {
namespace {

constexpr int kThreads = 256;

// Mapping: one thread per row, blocks in y over matrices. The maximum of integers does not depend on the order.
__global__ void __launch_bounds__(kThreads) longest_row(const LongestRow l, unsigned long long* longest) {
  unsigned most = 0;
  for (std::int64_t matrix = blockIdx.y; matrix < l.matrices; matrix += gridDim.y)
    for (std::int64_t row = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; row < l.rows;
         row += std::int64_t{gridDim.x} * kThreads) {
      const int count = row_range(l.offsets, l.type, 0, matrix * l.stride + row).count;
      if (count > 0) most = max(most, static_cast<unsigned>(count));
    }
  for (int mask = 16; mask > 0; mask /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, mask));
  if (threadIdx.x % 32 == 0) atomicMax(longest, static_cast<unsigned long long>(most));
}

}  // namespace

void find_longest_row(const LongestRow& l, std::int64_t* longest, const Launch& launch) {
  SPK_CUDA_CHECK(cudaMemsetAsync(longest, 0, sizeof *longest, launch.stream));
  const std::int64_t wanted = std::int64_t{4} * launch.device.sm_count;
  const dim3 blocks(static_cast<unsigned>(std::clamp<std::int64_t>((l.rows + kThreads - 1) / kThreads, 1, wanted)),
                    static_cast<unsigned>(std::min<std::int64_t>(l.matrices, 65535)));
  longest_row<<<blocks, kThreads, 0, launch.stream>>>(l, reinterpret_cast<unsigned long long*>(longest));
  SPK_CUDA_CHECK(cudaGetLastError());
}

}  // namespace spk::cuda
