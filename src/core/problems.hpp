// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/views.hpp"

// One struct per operation: everything a backend needs to know, checked by core/validate_*.cpp before it gets there.
namespace spk {

// alpha or beta, widened; the imaginary part is 0 for real sums.
struct Scalar {
  double re = 0, im = 0;
  bool is_zero() const noexcept { return re == 0 && im == 0; }
  bool is_one() const noexcept { return re == 1 && im == 0; }
};

// Scalars of an operation. In device pointer mode a backend with memory of its own gets the two pointers (to values of
// the compute type) and alpha and beta mean nothing; elsewhere the pointers are NULL.
struct Scalars {
  Scalar alpha{1, 0}, beta{0, 0};
  const void* device_alpha = nullptr;
  const void* device_beta = nullptr;
};

enum class Activation : std::int32_t { none = 0, relu = 1, gelu = 2, gelu_tanh = 3 };
enum class BiasKind : std::int32_t { none = 0, per_row = 1, per_col = 2 };

// C = activation(alpha A B + beta C + bias) + residual
struct Epilogue {
  Activation activation = Activation::none;
  BiasKind bias_kind = BiasKind::none;
  const void* bias = nullptr;
  ValueType bias_type = ValueType::f32;
  bool has_residual = false;
  DenseView residual;
  bool is_identity() const noexcept {
    return activation == Activation::none && bias_kind == BiasKind::none && !has_residual;
  }
};

struct SpmmProblem {
  Op op_a = Op::n, op_b = Op::n;
  std::int64_t m = 0, n = 0, k = 0;  // C is m x n, op(A) m x k, op(B) k x n
  SparseView a;
  DenseView b, c;
  ValueType compute = ValueType::f32;  // type of the sums, alpha and beta
  bool allow_tf32 = false;
  std::int32_t alg = 0;  // 0 = default, 256 and above = one kernel
  Scalars scalars;
  Epilogue epilogue;
  bool is_spmv = false;
  std::int64_t longest_row = -1;  // entries of op(A)'s longest row where a plan has counted them
  bool keeps_values = false;      // of a plan: the values of A stay what they are when it is prepared
  // Nothing of A and B may be looked at (only C = beta C and the epilogue): alpha is 0, or there are no terms.
  bool skips_product() const noexcept {
    return k == 0 || a.nnz == 0 || (scalars.device_alpha == nullptr && scalars.alpha.is_zero());
  }
};

struct SddmmProblem {
  Op op_a = Op::n, op_b = Op::n;
  std::int64_t m = 0, n = 0, k = 0;  // op(A) m x k, op(B) k x n, C m x n
  DenseView a, b;
  SparseView c;
  ValueType compute = ValueType::f32;
  bool allow_tf32 = false;
  std::int32_t alg = 0;
  Scalars scalars;
  bool skips_product() const noexcept { return k == 0 || (scalars.device_alpha == nullptr && scalars.alpha.is_zero()); }
};

struct SoftmaxProblem {
  SparseView x, y;                     // CSR, one structure; y.values may be x.values
  const std::uint8_t* mask = nullptr;  // one byte per stored entry of x, 0 leaves it out
  double scale = 1;
  std::int32_t alg = 0;
};

struct SoftmaxBackwardProblem {
  SparseView y, dy, dx;  // CSR, one structure
  double scale = 1;
  std::int32_t alg = 0;
};

enum class VectorOp : std::int32_t { axpby, gather, scatter, rot, spvv };

// An operation of spk_vector.h: of a sparse vector and a dense one, which is a column.
struct VectorProblem {
  VectorOp op = VectorOp::axpby;
  SparseVectorView x;
  DenseView y;
  ValueType compute = ValueType::f32;  // type of the sums, the scalars and the result
  Scalars scalars;                     // axpby: alpha, beta; rot: c, s
  bool conjugate_x = false;            // spvv
  void* result = nullptr;              // spvv
  // The result is wanted in host memory by a backend with memory of its own.
  bool brings_result_home = false;
  std::int32_t alg = 0;
  bool writes_x() const noexcept { return op == VectorOp::gather || op == VectorOp::rot; }
  bool writes_y() const noexcept { return op == VectorOp::axpby || op == VectorOp::scatter || op == VectorOp::rot; }
  bool skips_x() const noexcept {
    return x.nnz == 0 || (op == VectorOp::axpby && scalars.device_alpha == nullptr && scalars.alpha.is_zero());
  }
};

struct SparseToDenseProblem {
  SparseView a;
  DenseView b;
};

struct DenseToSparseProblem {
  DenseView a;
  SparseView b;
  bool keep_columns = false;  // Blocked-ELL: b's block columns are given, only values are gathered
};

struct SparseToSparseProblem {
  SparseView a, b;
};

struct TransposeProblem {
  SparseView a, b;                      // CSR; b.values may be NULL
  std::int64_t* permutation = nullptr;  // or a.nnz positions, from 0
};

struct SortProblem {
  SparseView a;
  std::int64_t* permutation = nullptr;
};

struct CoalesceProblem {
  SparseView a;
};

}  // namespace spk
