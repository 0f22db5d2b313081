// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_convert.hpp"

#include <span>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/validate_operations.hpp"

namespace spk {
namespace {

using Long = long long;

void check_equal(std::int64_t got, std::int64_t want, const char* got_name, const char* want_name) {
  if (got != want)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %lld but must equal %s = %lld", got_name, static_cast<Long>(got),
                want_name, static_cast<Long>(want));
}

void check_types(ValueType a, ValueType b) {
  if (a != b)
    throw Error(SPK_STATUS_INVALID_VALUE, "matB holds %s but must hold matA's %s: conversions keep the value type",
                name_of(b), name_of(a));
}

template <class View>
void check_single(const View& x, const char* name) {
  if (x.batch_count != 1)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "%s is a batch of %lld, and conversions take one matrix", name,
                static_cast<Long>(x.batch_count));
}

// Neither source nor destination (spk_sell_create says why).
void check_convertible(const SparseView& x, const char* name) {
  if (x.format == Format::sell)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "%s is sell, which no conversion reads or makes", name);
}

void check_sortable(const SparseView& a) {
  if (a.format != Format::csr && a.format != Format::csc && a.format != Format::coo)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "mat is %s but only csr, csc and coo are sorted in place", name_of(a.format));
  check_single(a, "mat");
}

void check_dense_values(const DenseView& x, const char* name) {
  if (x.extent() != 0 && x.values == nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s has NULL values but %lld x %lld elements", name,
                static_cast<Long>(x.rows), static_cast<Long>(x.cols));
}

void check_permutation(const std::int64_t* permutation) {
  check_alignment(permutation, alignof(std::int64_t), "permutation");
}

// An array of the call under the name that messages give it.
struct NamedRange {
  ByteRange range;
  const char* name;
};

// No output may meet another output or an input.
void check_apart(std::span<const NamedRange> outputs, std::span<const NamedRange> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto check = [&](const NamedRange& other) {
      if (outputs[i].range.meets(other.range))
        throw Error(SPK_STATUS_INVALID_VALUE, "%s overlap %s in memory", outputs[i].name, other.name);
    };
    for (const NamedRange& input : inputs) check(input);
    for (std::size_t j = 0; j < i; ++j) check(outputs[j]);
  }
}

ByteRange permutation_range(const std::int64_t* permutation, std::int64_t count) noexcept {
  if (permutation == nullptr) return {};
  return {reinterpret_cast<const char*>(permutation), reinterpret_cast<const char*>(permutation + count)};
}

// The destination's arrays that a phase writes must be there.
void check_destination(const SparseView& b, bool values_needed, ConversionPhase phase) {
  if (phase == ConversionPhase::convert) return check_arrays(b, values_needed, "matB");
  if (b.offset_type != IndexType::none && b.offsets == nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "matB has NULL offsets");
}

struct Arrays {
  NamedRange ranges[4];
};
Arrays arrays_of_a(const SparseView& a) noexcept {
  return {{{offsets_range(a), "matA's offsets"},
           {indices_range(a, a.row_indices), "matA's row indices"},
           {indices_range(a, a.col_indices), "matA's column indices"},
           {values_range(a), "matA's values"}}};
}
// What a phase writes of matB.
Arrays arrays_of_b(const SparseView& b, ConversionPhase phase) noexcept {
  Arrays arrays{};
  arrays.ranges[0] = {offsets_range(b), "matB's offsets"};
  if (phase == ConversionPhase::analyze) return arrays;
  arrays.ranges[1] = {indices_range(b, b.row_indices), "matB's row indices"};
  arrays.ranges[2] = {indices_range(b, b.col_indices), "matB's column indices"};
  arrays.ranges[3] = {values_range(b), "matB's values"};
  return arrays;
}

void check_in_place(const SparseView& a, const std::int64_t* permutation) {
  check_arrays(a, true, "mat");
  check_permutation(permutation);
  const NamedRange outputs[] = {{offsets_range(a), "mat's offsets"},
                                {indices_range(a, a.row_indices), "mat's row indices"},
                                {indices_range(a, a.col_indices), "mat's column indices"},
                                {values_range(a), "mat's values"},
                                {permutation_range(permutation, a.nnz), "permutation's numbers"}};
  check_apart(outputs, {});
}

}  // namespace

void validate(const SparseToDenseProblem& p) {
  check_convertible(p.a, "matA");
  check_equal(p.b.rows, p.a.rows, "rows of matB", "rows of matA");
  check_equal(p.b.cols, p.a.cols, "columns of matB", "columns of matA");
  check_types(p.a.value_type, p.b.type);
  check_single(p.a, "matA");
  check_single(p.b, "matB");
}

void validate(const DenseToSparseProblem& p) {
  check_convertible(p.b, "matB");
  check_equal(p.b.rows, p.a.rows, "rows of matB", "rows of matA");
  check_equal(p.b.cols, p.a.cols, "columns of matB", "columns of matA");
  check_types(p.a.type, p.b.value_type);
  check_single(p.a, "matA");
  check_single(p.b, "matB");
}

void validate(const SparseToSparseProblem& p) {
  check_convertible(p.a, "matA");
  check_convertible(p.b, "matB");
  check_equal(p.b.rows, p.a.rows, "rows of matB", "rows of matA");
  check_equal(p.b.cols, p.a.cols, "columns of matB", "columns of matA");
  check_types(p.a.value_type, p.b.value_type);
  check_single(p.a, "matA");
  check_single(p.b, "matB");
}

void validate(const TransposeProblem& p) {
  if (p.a.format != Format::csr || p.b.format != Format::csr)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "matA is %s and matB is %s but both must be csr", name_of(p.a.format),
                name_of(p.b.format));
  check_equal(p.b.rows, p.a.cols, "rows of matB", "columns of matA");
  check_equal(p.b.cols, p.a.rows, "columns of matB", "rows of matA");
  check_types(p.a.value_type, p.b.value_type);
  check_single(p.a, "matA");
  check_single(p.b, "matB");
}

void validate(const SortProblem& p) { check_sortable(p.a); }

void validate(const CoalesceProblem& p) { check_sortable(p.a); }

void validate_memory(const SparseToDenseProblem& p, ConversionPhase) {
  check_arrays(p.a, true, "matA");
  check_dense_values(p.b, "matB");
  const NamedRange output[] = {{range_of(p.b), "matB's values"}};
  check_apart(output, arrays_of_a(p.a).ranges);
}

void validate_memory(const DenseToSparseProblem& p, ConversionPhase phase) {
  check_dense_values(p.a, "matA");
  check_destination(p.b, true, phase);
  const NamedRange input[] = {{range_of(p.a), "matA's values"}};
  check_apart(arrays_of_b(p.b, phase).ranges, input);
}

void validate_memory(const SparseToSparseProblem& p, ConversionPhase phase) {
  check_arrays(p.a, true, "matA");
  check_destination(p.b, true, phase);
  check_apart(arrays_of_b(p.b, phase).ranges, arrays_of_a(p.a).ranges);
}

void validate_memory(const TransposeProblem& p, ConversionPhase phase) {
  const bool has_values = p.b.values != nullptr || p.permutation == nullptr;
  check_equal(p.b.nnz, p.a.nnz, "nnz of matB", "nnz of matA");
  check_arrays(p.a, has_values, "matA");
  check_destination(p.b, has_values, phase);
  check_permutation(p.permutation);
  const Arrays b = arrays_of_b(p.b, phase);
  const NamedRange outputs[] = {b.ranges[0],
                                b.ranges[1],
                                b.ranges[2],
                                b.ranges[3],
                                {permutation_range(p.permutation, p.b.nnz), "permutation's numbers"}};
  check_apart(outputs, arrays_of_a(p.a).ranges);
}

void validate_memory(const SortProblem& p, ConversionPhase) { check_in_place(p.a, p.permutation); }

void validate_memory(const CoalesceProblem& p, ConversionPhase) { check_in_place(p.a, nullptr); }

void check_result(const SparseView& b, std::int64_t count) {
  if (b.offset_type != IndexType::none && count > max_of(b.offset_type) - b.base)
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "matB: %lld stored %s with base %d do not fit offsets of type %s",
                static_cast<Long>(count), b.format == Format::bsr ? "blocks" : "entries", b.base,
                name_of(b.offset_type));
  const std::int64_t elements =
      b.format == Format::blocked_ell ? b.rows : saturating_product(b.block_size, b.block_size);
  check_bytes(count, elements, size_of(b.value_type), "matB: values");
}

void check_destination(const SparseView& b, std::int64_t count) {
  check_result(b, count);
  const bool is_ell = b.format == Format::blocked_ell;
  const std::int64_t room = is_ell ? b.ell_cols : b.nnzb;
  if (room != count)
    throw Error(SPK_STATUS_INVALID_VALUE, "matB: %s = %lld but the conversion gives %lld",
                is_ell                    ? "ell_cols"
                : b.format == Format::bsr ? "nnzb"
                                          : "nnz",
                static_cast<Long>(room), static_cast<Long>(count));
}

}  // namespace spk
