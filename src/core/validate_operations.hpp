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
// `count` pieces of `length` elements, `stride` elements apart, from element `first` of an array on.
inline ByteRange range_of(const void* pointer, std::int64_t first, std::int64_t length, std::int64_t count,
                          std::int64_t stride, std::size_t element_size) noexcept {
  if (pointer == nullptr || length <= 0) return {};
  const auto size = static_cast<std::int64_t>(element_size);
  const char* begin = static_cast<const char*>(pointer) + first * size;
  return {begin, begin + ((count - 1) * stride + length) * size};
}
inline ByteRange range_of(const DenseView& x) noexcept {
  return range_of(x.values, 0, x.extent(), x.batch_count, x.batch_stride, size_of(x.type));
}
inline ByteRange offsets_range(const SparseView& a) noexcept {
  if (a.offset_type == IndexType::none) return {};
  return range_of(a.offsets, 0, a.major() + 1, a.batch_count, a.offsets_stride, size_of(a.offset_type));
}
inline ByteRange indices_range(const SparseView& a, const void* indices) noexcept {
  return range_of(indices, a.first_entry, a.nnzb, a.batch_count, a.indices_stride, size_of(a.index_type));
}
inline ByteRange values_range(const SparseView& a) noexcept {
  return range_of(a.values, a.first_entry * a.block_size * a.block_size, a.nnz, a.batch_count, a.values_stride,
                  size_of(a.value_type));
}

// Every array of a sparse matrix that holds elements must not be NULL.
void check_arrays(const SparseView& a, bool values_needed, const char* name);

}  // namespace spk
