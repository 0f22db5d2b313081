/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* Sampled products with one structure, prepared once, as written for cuSPARSE. */
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
  /* S has entries at (0, 0), (0, 1) and (1, 1); P = ( 1 2 ; 3 4 ), row-major. The product is that of P and its transpose
   * at these places: once with P, once more with other numbers in the same memory. */
  const int row_offsets[] = {0, 2, 3}, col_indices[] = {0, 1, 1};
  const float p[] = {1, 2, 3, 4}, q[] = {2, 2, 3, 4};
  const float alpha = 1, beta = 0, want[] = {5, 11, 25}, want_again[] = {8, 14, 25};
  float s[3] = {0, 0, 0};
  void *offsets = place(row_offsets, sizeof row_offsets), *indices = place(col_indices, sizeof col_indices);
  void *pd = place(p, sizeof p), *sd = place(s, sizeof s), *buffer;
  size_t bytes;
  cusparseHandle_t handle;
  cusparseSpMatDescr_t matS;
  cusparseConstDnMatDescr_t matP;

  REQUIRE(cusparseCreate(&handle));
  REQUIRE(cusparseCreateCsr(&matS, 2, 2, 3, offsets, indices, sd, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  REQUIRE(cusparseCreateConstDnMat(&matP, 2, 2, 2, pd, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  REQUIRE(cusparseSDDMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &alpha, matP,
                                   matP, &beta, matS, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
  REQUIRE(cudaMalloc(&buffer, bytes));
  REQUIRE(cusparseSDDMM_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &alpha, matP,
                                   matP, &beta, matS, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
  REQUIRE(cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &alpha, matP, matP,
                        &beta, matS, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
  REQUIRE(cudaMemcpy(s, sd, sizeof s, cudaMemcpyDeviceToHost));
  expect(s, want, 3);
  REQUIRE(cudaMemcpy(pd, q, sizeof q, cudaMemcpyHostToDevice));
  REQUIRE(cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &alpha, matP, matP,
                        &beta, matS, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
  REQUIRE(cudaMemcpy(s, sd, sizeof s, cudaMemcpyDeviceToHost));
  expect(s, want_again, 3);

  REQUIRE(cusparseDestroySpMat(matS));
  REQUIRE(cusparseDestroyDnMat(matP));
  REQUIRE(cusparseDestroy(handle));
  REQUIRE(cudaFree(offsets) || cudaFree(indices) || cudaFree(pd) || cudaFree(sd) || cudaFree(buffer));
  return 0;
}
