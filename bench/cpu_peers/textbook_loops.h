/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_BENCH_TEXTBOOK_LOOPS_H
#define SPK_BENCH_TEXTBOOK_LOOPS_H

#include <stdint.h>

/* Sparse operations as textbooks write them, f32 values and 32-bit indices, base 0. Dense matrices have no padding. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct textbook_csr {
  int64_t rows, cols;
  const int32_t *row_offsets, *col_indices;
  const float* values;
} textbook_csr;

/* C (rows x n) = A B (cols x n); all row-major. */
void textbook_spmm_row(const textbook_csr* a, const float* b, float* c, int64_t n, int threads);
/* The same, B and C column-major. */
void textbook_spmm_col(const textbook_csr* a, const float* b, float* c, int64_t n, int threads);
/* C (cols x n) = A^T B (rows x n); all row-major, and all column-major. Threads share the columns. */
void textbook_spmm_transposed_row(const textbook_csr* a, const float* b, float* c, int64_t n, int threads);
void textbook_spmm_transposed_col(const textbook_csr* a, const float* b, float* c, int64_t n, int threads);

/* out = values of A B^T at the stored places of `mask`; A rows x k, B cols x k, both row-major. */
void textbook_sddmm_row(const textbook_csr* mask, const float* a, const float* b, float* out, int64_t k, int threads);
/* The same, A and B column-major. */
void textbook_sddmm_col(const textbook_csr* mask, const float* a, const float* b, float* out, int64_t k, int threads);

/* out = softmax of every row over its stored entries. */
void textbook_softmax(const textbook_csr* x, float* out, int threads);

#ifdef __cplusplus
}
#endif

#endif
