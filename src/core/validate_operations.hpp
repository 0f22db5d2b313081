// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"

// Checks of a whole problem, the same for every backend. They throw spk::Error with the public name of the argument and
// read no array.
namespace spk {

// Shapes, types, batches. Broadcast operands leave with the output's batch count and strides of 0.
void validate(SpmmProblem& p);
void validate(SddmmProblem& p);
void validate(SoftmaxProblem& p);
void validate(SoftmaxBackwardProblem& p);

// NULL arrays and overlap: what must hold before a validated problem runs.
void validate_memory(const SpmmProblem& p);
void validate_memory(const SddmmProblem& p);
void validate_memory(const SoftmaxProblem& p);
void validate_memory(const SoftmaxBackwardProblem& p);

// No element of the output exists, so there is nothing to do.
inline bool is_empty(const SpmmProblem& p) noexcept { return p.m == 0 || p.n == 0; }
inline bool is_empty(const SddmmProblem& p) noexcept { return p.c.nnz == 0; }
inline bool is_empty(const SoftmaxProblem& p) noexcept { return p.x.nnz == 0; }
inline bool is_empty(const SoftmaxBackwardProblem& p) noexcept { return p.y.nnz == 0; }

// The sum type and TF32 permission behind a compute type's number.
struct ComputeType {
  ValueType sum = ValueType::f32;
  bool allow_tf32 = false;
};
ComputeType compute_type_of(std::int32_t number);

// Whether two matrices share an element. Column blocks of one row-major array (or row blocks of a column-major one) do
// not, although their addresses interleave.
bool overlap(const DenseView& x, const DenseView& y) noexcept;

// An address range and a matrix, an address range and the arrays of a sparse matrix.
struct ByteRange {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool meets(const ByteRange& other) const noexcept { return begin < other.end && other.begin < end; }
};
ByteRange range_of(const DenseView& x) noexcept;
ByteRange offsets_range(const SparseView& a) noexcept;
ByteRange indices_range(const SparseView& a, const void* indices) noexcept;
ByteRange values_range(const SparseView& a) noexcept;

// Every array of a sparse matrix that holds elements must not be NULL.
void check_arrays(const SparseView& a, bool values_needed, const char* name);

}  // namespace spk
