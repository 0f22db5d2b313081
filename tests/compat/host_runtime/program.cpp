// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// A host program in C++17 that only includes what it would include with CUDA, and uses what C++ adds.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <library_types.h>

#include <cstdio>
#include <vector>

namespace {

__host__ __device__ __forceinline__ int twice(int x) { return 2 * x; }

bool run() {
  const std::vector<__half> values = {1.5f, -2.0f, 0.25f};
  std::vector<__half> back(values.size());
  const std::size_t bytes = values.size() * sizeof(__half);
  __half *device = nullptr, *pinned = nullptr, *managed = nullptr, *late = nullptr;
  nv_bfloat16* wide = nullptr;
  cudaEvent_t event = nullptr;
  bool good = cudaMalloc(&device, bytes) == cudaSuccess && cudaMallocHost(&pinned, bytes) == cudaSuccess &&
              cudaMallocManaged(&managed, bytes) == cudaSuccess &&
              cudaMallocAsync(&late, bytes, nullptr) == cudaSuccess &&
              cudaHostAlloc(&wide, bytes, cudaHostAllocDefault) == cudaSuccess &&
              cudaEventCreate(&event, cudaEventDisableTiming) == cudaSuccess;
  good = good && cudaMemcpy(device, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
  good = good && cudaMemcpyAsync(late, device, bytes, cudaMemcpyDeviceToDevice) == cudaSuccess;
  good = good && cudaMemcpy(back.data(), late, bytes, cudaMemcpyDefault) == cudaSuccess;
  for (std::size_t i = 0; i < values.size(); ++i) good = good && back[i] == values[i];
  const __half sum = back[0] + back[1];
  good = good && sum == -0.5f && twice(static_cast<int>(back[1])) == -4;
  good = good && cudaEventRecord(event) == cudaSuccess && cudaEventDestroy(event) == cudaSuccess;
  good = good && cudaFreeAsync(late, nullptr) == cudaSuccess && cudaFree(managed) == cudaSuccess;
  good = good && cudaFreeHost(wide) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess;
  return good && cudaFree(device) == cudaSuccess;
}

}  // namespace

int main() {
  std::puts(run() ? "PASSED" : "FAILED");
  return 0;
}
