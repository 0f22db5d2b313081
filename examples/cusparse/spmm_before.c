/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* C = 2 A B + C as written for cuSPARSE. */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>

static void require(int status, const char* what) {
  if (status == 0) return;
  fprintf(stderr, "%s answers %d\n", what, status);
  exit(1);
}
#define REQUIRE(call) require(call, #call)

static void* place(const void* array, size_t bytes) {
  void* memory;
  REQUIRE(cudaMalloc(&memory, bytes));
  REQUIRE(cudaMemcpy(memory, array, bytes, cudaMemcpyHostToDevice));
  return memory;
}

static void expect(const float* got, const float* want, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i)
    if (got[i] != want[i]) {
      fprintf(stderr, "element %u is %g but must be %g\n", (unsigned)i, (double)got[i], (double)want[i]);
      exit(1);
    }
}

int main(void) {
  /* A = ( 1 . 2 )   B = ( 1 2 )   C = ( 1 1 )
   *     ( . 3 . )       ( 3 4 )       ( 1 1 )
   *                     ( 5 6 )                  row-major */
  const int row_offsets[] = {0, 2, 3}, col_indices[] = {0, 2, 1};
  const float values[] = {1, 2, 3}, b[] = {1, 2, 3, 4, 5, 6}, ones[] = {1, 1, 1, 1};
  const float alpha = 2, beta = 1, want[] = {23, 29, 19, 25};
  float c[4];
  void *offsets = place(row_offsets, sizeof row_offsets), *indices = place(col_indices, sizeof col_indices);
  void *a = place(values, sizeof values), *bd = place(b, sizeof b), *cd = place(ones, sizeof ones), *buffer;
  size_t bytes;
  cusparseHandle_t handle;
  cusparseSpMatDescr_t matA;
  cusparseDnMatDescr_t matB, matC;

  REQUIRE(cusparseCreate(&handle));
  REQUIRE(cusparseCreateCsr(&matA, 2, 3, 3, offsets, indices, a, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  REQUIRE(cusparseCreateDnMat(&matB, 3, 2, 2, bd, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  REQUIRE(cusparseCreateDnMat(&matC, 2, 2, 2, cd, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  REQUIRE(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha,
                                  matA, matB, &beta, matC, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
  REQUIRE(cudaMalloc(&buffer, bytes));
  REQUIRE(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matA, matB,
                       &beta, matC, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
  REQUIRE(cudaMemcpy(c, cd, sizeof c, cudaMemcpyDeviceToHost));
  expect(c, want, 4);

  REQUIRE(cusparseDestroySpMat(matA));
  REQUIRE(cusparseDestroyDnMat(matB));
  REQUIRE(cusparseDestroyDnMat(matC));
  REQUIRE(cusparseDestroy(handle));
  REQUIRE(cudaFree(offsets) || cudaFree(indices) || cudaFree(a) || cudaFree(bd) || cudaFree(cd) || cudaFree(buffer));
  return 0;
}
