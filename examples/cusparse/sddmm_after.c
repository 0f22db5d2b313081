/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* Sampled products with one structure, prepared once, with spk's own interface. */
#include <spk/spk.h>
#include <stdio.h>
#include <stdlib.h>

static void require(spk_status_t status, const char* what) {
  char message[512];
  if (status == SPK_STATUS_SUCCESS) return;
  spk_last_error(NULL, message, sizeof message, NULL);
  fprintf(stderr, "%s: %s\n", what, message);
  exit(1);
}
#define REQUIRE(call) require(call, #call)

static spk_handle_t handle;

static void* place(const void* array, size_t bytes) {
  void* memory;
  REQUIRE(spk_memory_alloc(handle, bytes, &memory));
  REQUIRE(spk_memory_upload(handle, memory, array, bytes));
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
  void *offsets, *indices, *pd, *sd;
  spk_spmat_t matS;
  spk_const_dnmat_t matP;
  spk_plan_t plan;

  REQUIRE(spk_create(&handle, NULL));
  offsets = place(row_offsets, sizeof row_offsets);
  indices = place(col_indices, sizeof col_indices);
  pd = place(p, sizeof p);
  sd = place(s, sizeof s);
  REQUIRE(spk_csr_create(&matS, 2, 2, 3, offsets, indices, sd, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                         SPK_R_32F));
  REQUIRE(spk_dnmat_create_const(&matP, 2, 2, 2, pd, SPK_R_32F, SPK_ORDER_ROW));
  REQUIRE(spk_sddmm_plan_create(&plan, handle, SPK_OP_N, SPK_OP_T, matP, matP, matS, SPK_COMPUTE_32F, SPK_ALG_DEFAULT));
  REQUIRE(spk_sddmm_execute(handle, plan, &alpha, matP, matP, &beta, matS, NULL, 0));
  REQUIRE(spk_memory_download(handle, s, sd, sizeof s));
  expect(s, want, 3);
  REQUIRE(spk_memory_upload(handle, pd, q, sizeof q));
  REQUIRE(spk_sddmm_execute(handle, plan, &alpha, matP, matP, &beta, matS, NULL, 0));
  REQUIRE(spk_memory_download(handle, s, sd, sizeof s));
  expect(s, want_again, 3);

  spk_plan_destroy(plan);
  spk_spmat_destroy(matS);
  spk_dnmat_destroy(matP);
  REQUIRE(spk_memory_free(handle, offsets, sizeof row_offsets));
  REQUIRE(spk_memory_free(handle, indices, sizeof col_indices));
  REQUIRE(spk_memory_free(handle, pd, sizeof p));
  REQUIRE(spk_memory_free(handle, sd, sizeof s));
  spk_destroy(handle);
  return 0;
}
