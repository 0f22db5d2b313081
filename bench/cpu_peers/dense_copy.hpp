// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>

#include "peers.hpp"

namespace spk::bench {

// cblas_sgemm of the BLAS standard's C interface, 32-bit sizes.
using Gemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                      const float* b, int ldb, float beta, float* c, int ldc);

// Whether A written out is of a size that somebody would multiply: up to 1 GB.
inline bool has_dense_copy(const PeerProblem& given) {
  return static_cast<double>(given.matrix.rows) * static_cast<double>(given.matrix.cols) <= 0x1p28;
}

// C = op(A) B with A written out, in the problem's order. The time of writing it out does not count.
inline std::function<void()> dense_call(const PeerProblem& given, Gemm gemm) {
  const tool::CsrMatrix& matrix = given.matrix;
  const bool row = given.workload.problem().order == SPK_ORDER_ROW;
  const auto a = std::make_shared<tool::Buffer>(matrix.rows * matrix.cols, sizeof(float));
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    for (std::int64_t e = matrix.offset(i); e < matrix.offset(i + 1); ++e) {
      const std::int64_t j = matrix.column(e);
      a->as<float>()[row ? i * matrix.cols + j : j * matrix.rows + i] += matrix.values.as<float>()[e];
    }
  const int m = static_cast<int>(given.rows_of_c()), k = static_cast<int>(given.inner());
  const int lda = static_cast<int>(row ? matrix.cols : matrix.rows);
  const bool transposed = given.transposed();
  const int n = static_cast<int>(given.workload.problem().n);
  const float* b = given.workload.right().as<float>();
  float* c = given.out;
  return [=] {
    constexpr int kRowMajor = 101, kColMajor = 102, kNoTrans = 111, kTrans = 112;
    gemm(row ? kRowMajor : kColMajor, transposed ? kTrans : kNoTrans, kNoTrans, m, n, k, 1, a->as<float>(), lda, b,
         row ? n : k, 0, c, row ? n : m);
  };
}

}  // namespace spk::bench
