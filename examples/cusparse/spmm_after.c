/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* C = 2 A B + C with spk's own interface. */
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
  /* A = ( 1 . 2 )   B = ( 1 2 )   C = ( 1 1 )
   *     ( . 3 . )       ( 3 4 )       ( 1 1 )
   *                     ( 5 6 )                  row-major */
  const int row_offsets[] = {0, 2, 3}, col_indices[] = {0, 2, 1};
  const float values[] = {1, 2, 3}, b[] = {1, 2, 3, 4, 5, 6}, ones[] = {1, 1, 1, 1};
  const float alpha = 2, beta = 1, want[] = {23, 29, 19, 25};
  float c[4];
  void *offsets, *indices, *a, *bd, *cd;
  spk_spmat_t matA;
  spk_dnmat_t matB, matC;

  REQUIRE(spk_create(&handle, NULL));
  offsets = place(row_offsets, sizeof row_offsets);
  indices = place(col_indices, sizeof col_indices);
  a = place(values, sizeof values);
  bd = place(b, sizeof b);
  cd = place(ones, sizeof ones);
  REQUIRE(spk_csr_create(&matA, 2, 3, 3, offsets, indices, a, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                         SPK_R_32F));
  REQUIRE(spk_dnmat_create(&matB, 3, 2, 2, bd, SPK_R_32F, SPK_ORDER_ROW));
  REQUIRE(spk_dnmat_create(&matC, 2, 2, 2, cd, SPK_R_32F, SPK_ORDER_ROW));
  REQUIRE(
      spk_spmm(handle, SPK_OP_N, SPK_OP_N, &alpha, matA, matB, &beta, matC, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, NULL, 0));
  REQUIRE(spk_memory_download(handle, c, cd, sizeof c));
  expect(c, want, 4);

  spk_spmat_destroy(matA);
  spk_dnmat_destroy(matB);
  spk_dnmat_destroy(matC);
  REQUIRE(spk_memory_free(handle, offsets, sizeof row_offsets));
  REQUIRE(spk_memory_free(handle, indices, sizeof col_indices));
  REQUIRE(spk_memory_free(handle, a, sizeof values));
  REQUIRE(spk_memory_free(handle, bd, sizeof b));
  REQUIRE(spk_memory_free(handle, cd, sizeof ones));
  spk_destroy(handle);
  return 0;
}
