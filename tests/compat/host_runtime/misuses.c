/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* misuses NAME: does one thing wrong and prints what the runtime answered. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* what = argc == 2 ? argv[1] : "";
  char bytes[64] = {0};
  void* block = NULL;
  cudaError_t answer = cudaSuccess;
  /* Not flushed before the runtime's own lines would otherwise come first. */
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(what, "leak") == 0) return (int)cudaMallocHost(&block, 40);
  if (cudaMalloc(&block, strcmp(what, "reset") == 0 ? 24 : 40) != cudaSuccess) return 2;
  if (strcmp(what, "overrun") == 0) {
    memset((char*)block + 40, 0, 3);
    answer = cudaFree(block);
  } else if (strcmp(what, "underrun") == 0) {
    ((char*)block)[-1] = 0;
  } else if (strcmp(what, "double_free") == 0) {
    if (cudaFree(block) != cudaSuccess) return 2;
    answer = cudaFree(block);
  } else if (strcmp(what, "long_copy") == 0) {
    answer = cudaMemcpy((char*)block + 32, bytes, 9, cudaMemcpyHostToDevice);
  } else if (strcmp(what, "reset") == 0) {
    answer = cudaDeviceReset();
  } else {
    return 2;
  }
  printf("answer %d\n", (int)answer);
  return 0;
}
