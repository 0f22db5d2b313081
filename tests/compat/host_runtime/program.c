/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* A host program in C99 that only includes what it would include with CUDA. */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <library_types.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    cudaError_t status = (call);                                                       \
    if (status != cudaSuccess) {                                                       \
      printf("line %d: %s (%d)\n", __LINE__, cudaGetErrorString(status), (int)status); \
      return EXIT_FAILURE;                                                             \
    }                                                                                  \
  } while (0)

int main(void) {
  float values[4] = {1, 2, 3, 4}, back[4] = {0};
  float *device = NULL, milliseconds = -1;
  cudaDataType type = CUDA_R_32F;
  struct cudaDeviceProp prop;
  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  void* nothing = &type;
  CHECK(cudaGetDeviceProperties(&prop, 0));
  CHECK(cudaMalloc((void**)&device, sizeof values));
  CHECK(cudaMalloc(&nothing, 0));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaMemcpyAsync(device, values, sizeof values, kind, stream));
  CHECK(cudaMemcpyAsync(back, device, sizeof values, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(nothing));
  CHECK(cudaFree(device));
  if (nothing != NULL || back[3] != 4 || milliseconds < 0 || prop.major < 7 || type != 0) return EXIT_FAILURE;
  puts("PASSED");
  return EXIT_SUCCESS;
}
