/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* A program as written for cuSPARSE: y = A x with a 2 x 2 matrix, on a machine without CUDA. */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status, const char* what) {
  if (status == 0) return;
  fprintf(stderr, "%s answers %d: %s\n", what, status, spk_cusparseLastError());
  exit(1);
}

static void* on_device(const void* host, size_t bytes) {
  void* device = NULL;
  check(cudaMalloc(&device, bytes), "cudaMalloc");
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return device;
}

int main(void) {
  const int offsets[] = {0, 1, 3};
  const int columns[] = {1, 0, 1};
  const float values[] = {2.0F, 3.0F, 4.0F};
  const float x[] = {10.0F, 100.0F};
  float y[] = {0.0F, 0.0F};
  const float one = 1.0F, zero = 0.0F;
  void* arrays[] = {on_device(offsets, sizeof offsets),
                    on_device(columns, sizeof columns),
                    on_device(values, sizeof values),
                    on_device(x, sizeof x),
                    on_device(y, sizeof y),
                    NULL};
  cusparseHandle_t handle = NULL;
  cusparseSpMatDescr_t matrix = NULL;
  cusparseDnVecDescr_t in = NULL, out = NULL;
  size_t bytes = 0, i = 0;
  check(cusparseCreate(&handle), "cusparseCreate");
  check(cusparseCreateCsr(&matrix, 2, 2, 3, arrays[0], arrays[1], arrays[2], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
        "cusparseCreateCsr");
  check(cusparseCreateDnVec(&in, 2, arrays[3], CUDA_R_32F), "cusparseCreateDnVec");
  check(cusparseCreateDnVec(&out, 2, arrays[4], CUDA_R_32F), "cusparseCreateDnVec");
  check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_32F,
                                CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
        "cusparseSpMV_bufferSize");
  check(cudaMalloc(&arrays[5], bytes), "cudaMalloc");
  check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_32F,
                     CUSPARSE_SPMV_ALG_DEFAULT, arrays[5]),
        "cusparseSpMV");
  check(cudaMemcpy(y, arrays[4], sizeof y, cudaMemcpyDeviceToHost), "cudaMemcpy");
  check(cusparseDestroySpMat(matrix), "cusparseDestroySpMat");
  check(cusparseDestroyDnVec(in), "cusparseDestroyDnVec");
  check(cusparseDestroyDnVec(out), "cusparseDestroyDnVec");
  check(cusparseDestroy(handle), "cusparseDestroy");
  for (i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) check(cudaFree(arrays[i]), "cudaFree");
  if (y[0] != 200.0F || y[1] != 430.0F) {
    fprintf(stderr, "y = %g %g but must be 200 430\n", (double)y[0], (double)y[1]);
    return 1;
  }
  return 0;
}
