/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* Reads a matrix with libspk_io, multiplies with libspk, and compares with the product known by hand. */
#include <spk/spk.h>
#include <spk/spk_io.h>
#include <stdio.h>

static const char text[] =
    "%%MatrixMarket matrix coordinate real general\n"
    "2 3 3\n"
    "1 1 2\n"
    "1 3 -1\n"
    "2 2 4\n";

static int failed(const char* what) {
  char message[512] = "";
  spk_last_error(NULL, message, sizeof message, NULL);
  fprintf(stderr, "%s: %s%s\n", what, message, spk_io_last_error());
  return 1;
}

int main(void) {
  const float b[6] = {1, 2, 3, 4, 5, 6}; /* 3 x 2, row-major */
  const float want[4] = {-3, -2, 12, 16};
  const float alpha = 1, beta = 0;
  int32_t row_offsets[3], col_indices[3];
  float values[3], c[4] = {0};
  int64_t nnz = 0;
  int i;
  spk_io_matrix_t matrix = NULL;
  const spk_config_t config = {sizeof config, SPK_BACKEND_CPU, 0, 0, NULL}; /* the arrays are the host's */
  spk_handle_t handle = NULL;
  spk_spmat_t matA = NULL;
  spk_const_dnmat_t matB = NULL;
  spk_dnmat_t matC = NULL;

  if (spk_version() != SPK_VERSION) return failed("header and library differ");
  if (spk_io_read_memory(&matrix, "text.mtx", text, sizeof text - 1, NULL)) return failed("read");
  if (spk_io_get_csr(matrix, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F, &nnz, NULL, NULL, NULL))
    return failed("count");
  if (nnz != 3) return failed("nnz");
  if (spk_io_get_csr(matrix, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F, &nnz, row_offsets, col_indices, values))
    return failed("csr");
  spk_io_matrix_destroy(matrix);

  if (spk_create(&handle, &config)) return failed("create");
  if (spk_csr_create(&matA, 2, 3, nnz, row_offsets, col_indices, values, SPK_INDEX_32I, SPK_INDEX_32I,
                     SPK_INDEX_BASE_ZERO, SPK_R_32F))
    return failed("A");
  if (spk_dnmat_create_const(&matB, 3, 2, 2, b, SPK_R_32F, SPK_ORDER_ROW)) return failed("B");
  if (spk_dnmat_create(&matC, 2, 2, 2, c, SPK_R_32F, SPK_ORDER_ROW)) return failed("C");
  if (spk_spmm(handle, SPK_OP_N, SPK_OP_N, &alpha, matA, matB, &beta, matC, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL, 0))
    return failed("spmm");
  spk_dnmat_destroy(matC);
  spk_dnmat_destroy(matB);
  spk_spmat_destroy(matA);
  spk_destroy(handle);
  for (i = 0; i < 4; ++i)
    if (c[i] != want[i]) {
      fprintf(stderr, "c[%d] = %g but must be %g\n", i, (double)c[i], (double)want[i]);
      return 1;
    }
  puts("outside: right");
  return 0;
}
