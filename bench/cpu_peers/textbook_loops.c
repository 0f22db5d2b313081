/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#include "textbook_loops.h"

#include <math.h>

/* Rows are split evenly; one thread enters no parallel region, so that it pays nothing for it. */

void textbook_spmm_row(const textbook_csr* a, const float* restrict b, float* restrict c, int64_t n, int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (int64_t i = 0; i < a->rows; ++i) {
    float* restrict out = c + i * n;
    for (int64_t j = 0; j < n; ++j) out[j] = 0;
    for (int32_t t = a->row_offsets[i]; t < a->row_offsets[i + 1]; ++t) {
      const float value = a->values[t];
      const float* restrict in = b + a->col_indices[t] * n;
      for (int64_t j = 0; j < n; ++j) out[j] += value * in[j];
    }
  }
}

void textbook_spmm_col(const textbook_csr* a, const float* restrict b, float* restrict c, int64_t n, int threads) {
  for (int64_t j = 0; j < n; ++j) {
    const float* restrict in = b + j * a->cols;
    float* restrict out = c + j * a->rows;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (int64_t i = 0; i < a->rows; ++i) {
      float sum = 0;
      for (int32_t t = a->row_offsets[i]; t < a->row_offsets[i + 1]; ++t) sum += a->values[t] * in[a->col_indices[t]];
      out[i] = sum;
    }
  }
}

void textbook_spmm_transposed_row(const textbook_csr* a, const float* restrict b, float* restrict c, int64_t n,
                                  int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (int64_t part = 0; part < threads; ++part) {
    const int64_t begin = n * part / threads, end = n * (part + 1) / threads;
    for (int64_t i = 0; i < a->cols; ++i)
      for (int64_t j = begin; j < end; ++j) c[i * n + j] = 0;
    for (int64_t i = 0; i < a->rows; ++i) {
      const float* restrict in = b + i * n;
      for (int32_t t = a->row_offsets[i]; t < a->row_offsets[i + 1]; ++t) {
        const float value = a->values[t];
        float* restrict out = c + a->col_indices[t] * n;
        for (int64_t j = begin; j < end; ++j) out[j] += value * in[j];
      }
    }
  }
}

void textbook_spmm_transposed_col(const textbook_csr* a, const float* restrict b, float* restrict c, int64_t n,
                                  int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (int64_t j = 0; j < n; ++j) {
    const float* restrict in = b + j * a->rows;
    float* restrict out = c + j * a->cols;
    for (int64_t i = 0; i < a->cols; ++i) out[i] = 0;
    for (int64_t i = 0; i < a->rows; ++i)
      for (int32_t t = a->row_offsets[i]; t < a->row_offsets[i + 1]; ++t)
        out[a->col_indices[t]] += a->values[t] * in[i];
  }
}

void textbook_sddmm_row(const textbook_csr* mask, const float* restrict a, const float* restrict b, float* restrict out,
                        int64_t k, int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (int64_t i = 0; i < mask->rows; ++i) {
    const float* restrict left = a + i * k;
    for (int32_t t = mask->row_offsets[i]; t < mask->row_offsets[i + 1]; ++t) {
      const float* restrict right = b + mask->col_indices[t] * k;
      float sum = 0;
      /* Without this pragma no compiler may vectorize the sum, which would make the race too easy. */
#pragma omp simd reduction(+ : sum)
      for (int64_t p = 0; p < k; ++p) sum += left[p] * right[p];
      out[t] = sum;
    }
  }
}

void textbook_sddmm_col(const textbook_csr* mask, const float* restrict a, const float* restrict b, float* restrict out,
                        int64_t k, int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (int64_t i = 0; i < mask->rows; ++i) {
    for (int32_t t = mask->row_offsets[i]; t < mask->row_offsets[i + 1]; ++t) {
      const int64_t column = mask->col_indices[t];
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t p = 0; p < k; ++p) sum += a[p * mask->rows + i] * b[p * mask->cols + column];
      out[t] = sum;
    }
  }
}

void textbook_softmax(const textbook_csr* x, float* restrict out, int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (int64_t i = 0; i < x->rows; ++i) {
    const int32_t begin = x->row_offsets[i];
    const int32_t end = x->row_offsets[i + 1];
    float largest = -INFINITY;
    for (int32_t t = begin; t < end; ++t) {
      if (x->values[t] > largest) largest = x->values[t];
    }
    float sum = 0;
    for (int32_t t = begin; t < end; ++t) {
      out[t] = expf(x->values[t] - largest);
      sum += out[t];
    }
    for (int32_t t = begin; t < end; ++t) out[t] /= sum;
  }
}
