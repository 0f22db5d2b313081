/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* A dense matrix to CSR as written for cuSPARSE. */
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
  /* ( 5 . 6 )
   * ( . 7 . ), row-major, to CSR. */
  const float dense[] = {5, 0, 6, 0, 7, 0}, want[] = {5, 6, 7};
  float values[3];
  int64_t rows, cols, nnz;
  void *from = place(dense, sizeof dense), *offsets, *indices, *a, *buffer;
  size_t bytes;
  cusparseHandle_t handle;
  cusparseConstDnMatDescr_t matA;
  cusparseSpMatDescr_t matB;

  REQUIRE(cusparseCreate(&handle));
  REQUIRE(cudaMalloc(&offsets, 3 * sizeof(int)));
  REQUIRE(cusparseCreateConstDnMat(&matA, 2, 3, 3, from, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  REQUIRE(cusparseCreateCsr(&matB, 2, 3, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  REQUIRE(cusparseDenseToSparse_bufferSize(handle, matA, matB, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
  REQUIRE(cudaMalloc(&buffer, bytes));
  REQUIRE(cusparseDenseToSparse_analysis(handle, matA, matB, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
  REQUIRE(cusparseSpMatGetSize(matB, &rows, &cols, &nnz));
  REQUIRE(cudaMalloc(&indices, (size_t)nnz * sizeof(int)));
  REQUIRE(cudaMalloc(&a, (size_t)nnz * sizeof(float)));
  REQUIRE(cusparseCsrSetPointers(matB, offsets, indices, a));
  REQUIRE(cusparseDenseToSparse_convert(handle, matA, matB, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
  require(nnz != 3, "the number of entries");
  REQUIRE(cudaMemcpy(values, a, sizeof values, cudaMemcpyDeviceToHost));
  expect(values, want, 3);

  REQUIRE(cusparseDestroySpMat(matB));
  REQUIRE(cusparseDestroyDnMat(matA));
  REQUIRE(cusparseDestroy(handle));
  REQUIRE(cudaFree(from) || cudaFree(offsets) || cudaFree(indices) || cudaFree(a) || cudaFree(buffer));
  return 0;
}
