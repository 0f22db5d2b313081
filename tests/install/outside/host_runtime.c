/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* A program that includes CUDA's runtime and gets the stand-in. */
#include <cuda_runtime.h>
#include <stdio.h>

int main(void) {
  const int value = 42;
  int back = 0;
  void* block = NULL;
  if (cudaMalloc(&block, sizeof value) || cudaMemcpy(block, &value, sizeof value, cudaMemcpyHostToDevice) ||
      cudaMemcpy(&back, block, sizeof back, cudaMemcpyDeviceToHost) || cudaFree(block) || back != value) {
    fprintf(stderr, "host_runtime: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  puts("host_runtime: right");
  return 0;
}
