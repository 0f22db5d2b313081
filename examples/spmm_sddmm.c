/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* SpMM and SDDMM from C99, row-major matrices, and the same SpMM once more through a plan. Runs on whatever backend is
 * there: the arrays are placed where the handle computes. */
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

/* A copy of an array where the handle computes. */
static void* place(spk_handle_t handle, const void* array, size_t bytes) {
  void* memory;
  require(spk_memory_alloc(handle, bytes, &memory), "spk_memory_alloc");
  require(spk_memory_upload(handle, memory, array, bytes), "spk_memory_upload");
  return memory;
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
  const int32_t row_offsets[] = {0, 2, 3, 5}, col_indices[] = {0, 2, 3, 0, 1};
  const float values[] = {1, 2, 3, 4, 5}, b[] = {1, 2, 3, 4, 5, 6, 7, 8}, p[] = {1, 2, 3, 4, 5, 6};
  const float two = 2, one = 1, zero = 0;
  const float want_c[] = {23, 29, 43, 49, 39, 57}; /* 2 A B + 1 */
  const float want_s[] = {5, 17, 53, 17, 39};      /* P B^T where A has entries */
  const float ones[] = {1, 1, 1, 1, 1, 1};
  float c[6], s[5] = {0};
  void *device_offsets, *device_indices, *device_values, *device_b, *device_p, *device_c, *device_s;
  spk_handle_t handle;
  spk_const_spmat_t matA;
  spk_spmat_t matS;
  spk_const_dnmat_t matB, matP;
  spk_dnmat_t matC;
  spk_plan_t plan;

  require(spk_create(&handle, NULL), "spk_create");
  device_offsets = place(handle, row_offsets, sizeof row_offsets);
  device_indices = place(handle, col_indices, sizeof col_indices);
  device_values = place(handle, values, sizeof values);
  device_b = place(handle, b, sizeof b);
  device_p = place(handle, p, sizeof p);
  device_c = place(handle, ones, sizeof ones);
  device_s = place(handle, s, sizeof s);
  require(spk_csr_create_const(&matA, 3, 4, 5, device_offsets, device_indices, device_values, SPK_INDEX_32I,
                               SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F),
          "A");
  require(spk_dnmat_create_const(&matB, 4, 2, 2, device_b, SPK_R_32F, SPK_ORDER_ROW), "B");
  require(spk_dnmat_create_const(&matP, 3, 2, 2, device_p, SPK_R_32F, SPK_ORDER_ROW), "P");
  require(spk_dnmat_create(&matC, 3, 2, 2, device_c, SPK_R_32F, SPK_ORDER_ROW), "C");

  require(spk_spmm(handle, SPK_OP_N, SPK_OP_N, &two, matA, matB, &one, matC, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL, 0),
          "spk_spmm");
  require(spk_memory_download(handle, c, device_c, sizeof c), "C");
  expect("SpMM", c, want_c, 6);

  /* A plan looks at the structure once; worth it where the same matrix multiplies many times. */
  require(
      spk_spmm_plan_create(&plan, handle, SPK_OP_N, SPK_OP_N, matA, matB, matC, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL),
      "spk_spmm_plan_create");
  require(spk_memory_upload(handle, device_c, ones, sizeof ones), "C");
  require(spk_spmm_execute(handle, plan, &two, matA, matB, &one, matC, NULL, NULL, 0), "spk_spmm_execute");
  require(spk_memory_download(handle, c, device_c, sizeof c), "C");
  expect("SpMM by plan", c, want_c, 6);

  /* S has the structure of A and values of its own. */
  require(spk_csr_create(&matS, 3, 4, 5, device_offsets, device_indices, device_s, SPK_INDEX_32I, SPK_INDEX_32I,
                         SPK_INDEX_BASE_ZERO, SPK_R_32F),
          "S");
  require(
      spk_sddmm(handle, SPK_OP_N, SPK_OP_T, &one, matP, matB, &zero, matS, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL, 0),
      "spk_sddmm");
  require(spk_memory_download(handle, s, device_s, sizeof s), "S");
  expect("SDDMM", s, want_s, 5);

  spk_plan_destroy(plan);
  spk_spmat_destroy(matS);
  spk_dnmat_destroy(matC);
  spk_dnmat_destroy(matP);
  spk_dnmat_destroy(matB);
  spk_spmat_destroy(matA);
  require(spk_memory_free(handle, device_s, sizeof s), "S");
  require(spk_memory_free(handle, device_c, sizeof ones), "C");
  require(spk_memory_free(handle, device_p, sizeof p), "P");
  require(spk_memory_free(handle, device_b, sizeof b), "B");
  require(spk_memory_free(handle, device_values, sizeof values), "values");
  require(spk_memory_free(handle, device_indices, sizeof col_indices), "col_indices");
  require(spk_memory_free(handle, device_offsets, sizeof row_offsets), "row_offsets");
  spk_destroy(handle);
  puts("C: right");
  return 0;
}
