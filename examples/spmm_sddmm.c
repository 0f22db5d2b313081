/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* SpMM and SDDMM from C99, row-major matrices, and the same SpMM once more through a plan. */
#include <spk/spk.h>
#include <stdio.h>
#include <stdlib.h>

static void require(spk_status_t status, const char* what) {
  char message[512];
  if (status == SPK_STATUS_SUCCESS) return;
  spk_last_error(NULL, message, sizeof message, NULL);
  fprintf(stderr, "%s: %s: %s\n", what, spk_status_name(status), message);
  exit(1);
}

static void expect(const char* what, const float* got, const float* want, int count) {
  int i;
  for (i = 0; i < count; ++i)
    if (got[i] != want[i]) {
      fprintf(stderr, "%s: element %d is %g but must be %g\n", what, i, (double)got[i], (double)want[i]);
      exit(1);
    }
}

int main(void) {
  /*     | 1 . 2 . |       | 1 2 |       | 1 2 |
   * A = | . . . 3 |   B = | 3 4 |   P = | 3 4 |
   *     | 4 5 . . |       | 5 6 |       | 5 6 |
   *                       | 7 8 |                 */
  int32_t row_offsets[] = {0, 2, 3, 5}, col_indices[] = {0, 2, 3, 0, 1};
  const float values[] = {1, 2, 3, 4, 5}, b[] = {1, 2, 3, 4, 5, 6, 7, 8}, p[] = {1, 2, 3, 4, 5, 6};
  const float two = 2, one = 1, zero = 0;
  const float want_c[] = {23, 29, 43, 49, 39, 57}; /* 2 A B + 1 */
  const float want_s[] = {5, 17, 53, 17, 39};      /* P B^T where A has entries */
  float c[] = {1, 1, 1, 1, 1, 1}, s[5];
  spk_handle_t handle;
  spk_const_spmat_t matA;
  spk_spmat_t matS;
  spk_const_dnmat_t matB, matP;
  spk_dnmat_t matC;
  spk_plan_t plan;
  int i;

  require(spk_create(&handle, NULL), "spk_create");
  require(spk_csr_create_const(&matA, 3, 4, 5, row_offsets, col_indices, values, SPK_INDEX_32I, SPK_INDEX_32I,
                               SPK_INDEX_BASE_ZERO, SPK_R_32F),
          "A");
  require(spk_dnmat_create_const(&matB, 4, 2, 2, b, SPK_R_32F, SPK_ORDER_ROW), "B");
  require(spk_dnmat_create_const(&matP, 3, 2, 2, p, SPK_R_32F, SPK_ORDER_ROW), "P");
  require(spk_dnmat_create(&matC, 3, 2, 2, c, SPK_R_32F, SPK_ORDER_ROW), "C");

  require(spk_spmm(handle, SPK_OP_N, SPK_OP_N, &two, matA, matB, &one, matC, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL, 0),
          "spk_spmm");
  expect("SpMM", c, want_c, 6);

  /* A plan looks at the structure once; worth it where the same matrix multiplies many times. */
  require(
      spk_spmm_plan_create(&plan, handle, SPK_OP_N, SPK_OP_N, matA, matB, matC, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL),
      "spk_spmm_plan_create");
  for (i = 0; i < 6; ++i) c[i] = 1;
  require(spk_spmm_execute(handle, plan, &two, matA, matB, &one, matC, NULL, NULL, 0), "spk_spmm_execute");
  expect("SpMM by plan", c, want_c, 6);

  /* S has the structure of A and values of its own. */
  require(spk_csr_create(&matS, 3, 4, 5, row_offsets, col_indices, s, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                         SPK_R_32F),
          "S");
  require(
      spk_sddmm(handle, SPK_OP_N, SPK_OP_T, &one, matP, matB, &zero, matS, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL, 0),
      "spk_sddmm");
  expect("SDDMM", s, want_s, 5);

  spk_plan_destroy(plan);
  spk_spmat_destroy(matS);
  spk_dnmat_destroy(matC);
  spk_dnmat_destroy(matP);
  spk_dnmat_destroy(matB);
  spk_spmat_destroy(matA);
  spk_destroy(handle);
  puts("C: right");
  return 0;
}
