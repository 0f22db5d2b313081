/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* What C hears from every getter, for comparison with fortran_getters.f90: the same questions in the same order. */
#include <spk/spk.h>

static int count;

static void put(int64_t* answers, int64_t value) { answers[count++] = value; }

int c_answers(spk_handle_t handle, spk_const_spmat_t sparse, spk_const_dnmat_t dense, spk_const_dnvec_t vec,
              int64_t* answers);

/* Returns the number of answers. Pointers travel as numbers. */
int c_answers(spk_handle_t handle, spk_const_spmat_t sparse, spk_const_dnmat_t dense, spk_const_dnvec_t vec,
              int64_t* answers) {
  int32_t number = -1;
  spk_spmat_info_t info = {.struct_size = sizeof info};
  spk_backend_info_t backend = {.struct_size = sizeof backend};
  spk_check_report_t report = {.struct_size = sizeof report};
  int64_t rows = -1, cols = -1, ld = -1, batches = -1, stride = -1, size = -1;
  int32_t type = -1, order = -1;
  const void* values = NULL;
  void* stream = NULL;
  size_t needed = 0;
  count = 0;

  put(answers, sizeof info);
  put(answers, sizeof backend);
  put(answers, sizeof report);
  put(answers, spk_version());

  put(answers, spk_get_num_threads(handle, &number));
  put(answers, number);
  put(answers, spk_get_stream(handle, &stream));
  put(answers, (int64_t)(intptr_t)stream);
  put(answers, spk_get_pointer_mode(handle, &number));
  put(answers, number);
  put(answers, spk_get_backend(handle, &number));
  put(answers, number);
  put(answers, spk_backend_info(SPK_BACKEND_REFERENCE, &backend));
  put(answers, backend.backend);
  put(answers, backend.available);
  put(answers, backend.default_threads);
  put(answers, (int64_t)(intptr_t)backend.name);
  put(answers, (int64_t)(intptr_t)backend.detail);
  put(answers, spk_get_check_report(handle, &report));
  put(answers, report.operation);
  put(answers, report.entries);
  put(answers, report.worst <= 1);
  put(answers, report.batch);
  put(answers, report.row);
  put(answers, report.col);

  put(answers, spk_spmat_get_info(sparse, &info));
  put(answers, info.format);
  put(answers, info.offset_type);
  put(answers, info.index_type);
  put(answers, info.index_base);
  put(answers, info.value_type);
  put(answers, info.block_order);
  put(answers, info.is_const);
  put(answers, info.rows);
  put(answers, info.cols);
  put(answers, info.nnz);
  put(answers, info.block_size);
  put(answers, info.nnzb);
  put(answers, info.ell_cols);
  put(answers, info.batch_count);
  put(answers, info.offsets_stride);
  put(answers, info.indices_stride);
  put(answers, info.values_stride);
  put(answers, (int64_t)(intptr_t)info.offsets);
  put(answers, (int64_t)(intptr_t)info.row_indices);
  put(answers, (int64_t)(intptr_t)info.col_indices);
  put(answers, (int64_t)(intptr_t)info.values);
  put(answers, spk_spmat_get_values(sparse, &values));
  put(answers, (int64_t)(intptr_t)values);

  put(answers, spk_dnmat_get(dense, &rows, &cols, &ld, &values, &type, &order));
  put(answers, rows);
  put(answers, cols);
  put(answers, ld);
  put(answers, (int64_t)(intptr_t)values);
  put(answers, type);
  put(answers, order);
  put(answers, spk_dnmat_get_batch(dense, &batches, &stride));
  put(answers, batches);
  put(answers, stride);

  put(answers, spk_dnvec_get(vec, &size, &values, &type));
  put(answers, size);
  put(answers, (int64_t)(intptr_t)values);
  put(answers, type);

  put(answers, spk_spmm_workspace(handle, SPK_OP_N, SPK_OP_N, sparse, dense, dense, SPK_COMPUTE_64F, 255, &needed));
  put(answers, (int64_t)needed);
  put(answers, spk_last_error(handle, NULL, 0, &needed));
  put(answers, (int64_t)needed);
  return count;
}
