/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#include <spk/spk.h>
#include <stdio.h>

int main(void) {
  /* A = [1 0 2; 0 3 0] as CSR; B (3 x 2) and C (2 x 2) row by row. C = A B. */
  int32_t row_offsets[] = {0, 2, 3}, col_indices[] = {0, 2, 1};
  float values[] = {1, 2, 3}, b[] = {1, 2, 3, 4, 5, 6}, c[4], alpha = 1, beta = 0;
  char message[256];
  spk_config_t config = {sizeof config, SPK_BACKEND_CPU, 0, 0, NULL};
  spk_handle_t handle;
  spk_spmat_t matA;
  spk_dnmat_t matB, matC;

  spk_create(&handle, &config); /* these arrays are the host's; spk_memory.h has memory for any backend */
  spk_csr_create(&matA, 2, 3, 3, row_offsets, col_indices, values, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                 SPK_R_32F);
  spk_dnmat_create(&matB, 3, 2, 2, b, SPK_R_32F, SPK_ORDER_ROW);
  spk_dnmat_create(&matC, 2, 2, 2, c, SPK_R_32F, SPK_ORDER_ROW);
  if (spk_spmm(handle, SPK_OP_N, SPK_OP_N, &alpha, matA, matB, &beta, matC, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL,
               0)) {
    spk_last_error(handle, message, sizeof message, NULL); /* names the argument and its value */
    return fprintf(stderr, "%s\n", message), 1;
  }
  printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
  spk_dnmat_destroy(matC);
  spk_dnmat_destroy(matB);
  spk_spmat_destroy(matA);
  spk_destroy(handle);
  return !(c[0] == 11 && c[1] == 14 && c[2] == 9 && c[3] == 12);
}
