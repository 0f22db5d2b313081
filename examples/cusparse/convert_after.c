/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* A dense matrix to CSR with spk's own interface. */
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
  /* ( 5 . 6 )
   * ( . 7 . ), row-major, to CSR. */
  const float dense[] = {5, 0, 6, 0, 7, 0}, want[] = {5, 6, 7};
  float values[3];
  void *from, *offsets, *indices, *a;
  spk_const_dnmat_t matA;
  spk_spmat_t matB;
  spk_spmat_info_t info = {0};

  REQUIRE(spk_create(&handle, NULL));
  from = place(dense, sizeof dense);
  REQUIRE(spk_memory_alloc(handle, 3 * sizeof(int32_t), &offsets));
  REQUIRE(spk_dnmat_create_const(&matA, 2, 3, 3, from, SPK_R_32F, SPK_ORDER_ROW));
  REQUIRE(spk_csr_create(&matB, 2, 3, 0, offsets, NULL, NULL, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                         SPK_R_32F));
  REQUIRE(spk_dense_to_sparse_analyze(handle, matA, matB, NULL, 0));
  info.struct_size = sizeof info;
  REQUIRE(spk_spmat_get_info(matB, &info));
  REQUIRE(spk_memory_alloc(handle, (size_t)info.nnz * sizeof(int32_t), &indices));
  REQUIRE(spk_memory_alloc(handle, (size_t)info.nnz * sizeof(float), &a));
  REQUIRE(spk_spmat_set_pointers(matB, offsets, indices, a));
  REQUIRE(spk_dense_to_sparse_convert(handle, matA, matB, NULL, 0));
  require(info.nnz != 3, "the number of entries");
  REQUIRE(spk_memory_download(handle, values, a, sizeof values));
  expect(values, want, 3);

  spk_spmat_destroy(matB);
  spk_dnmat_destroy(matA);
  REQUIRE(spk_memory_free(handle, from, sizeof dense));
  REQUIRE(spk_memory_free(handle, offsets, 3 * sizeof(int32_t)));
  REQUIRE(spk_memory_free(handle, indices, (size_t)info.nnz * sizeof(int32_t)));
  REQUIRE(spk_memory_free(handle, a, (size_t)info.nnz * sizeof(float)));
  spk_destroy(handle);
  return 0;
}
