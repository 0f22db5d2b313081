// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "core/validate_structure.hpp"

namespace spk {
namespace {

using test::Item;
using test::Sparse;

spk_validation_report_t validated(const SparseView& a) {
  spk_validation_report_t report{};
  report.struct_size = sizeof report;
  report.fault = 77;  // everything but the size is overwritten
  report.bad_indices = 77;
  validate_structure(a, report);
  EXPECT_EQ(report.struct_size, sizeof report);
  return report;
}

void expect_fault(const spk_validation_report_t& report, spk_fault_t fault, std::int64_t position, std::int64_t value) {
  EXPECT_EQ(report.fault, fault);
  EXPECT_EQ(report.position, position);
  EXPECT_EQ(report.value, value);
}

void set_offset(Sparse& a, std::int64_t i, std::int64_t x) { set_index(a.offsets.data(), a.view.offset_type, i, x); }
void set_col(Sparse& a, std::int64_t i, std::int64_t x) { set_index(a.col_indices.data(), a.view.index_type, i, x); }
void set_row(Sparse& a, std::int64_t i, std::int64_t x) { set_index(a.row_indices.data(), a.view.index_type, i, x); }

const std::vector<Item> kItems = {{0, 0, 1}, {0, 2, 2}, {2, 1, 3}, {3, 3, 4}};

TEST(ValidateStructure, SoundMatricesHaveNoFault) {
  for (const Format format : test::kAllFormats)
    for (const ValueType type : test::kAllTypes)
      for (unsigned variant = 0; variant < 16; ++variant) {
        const Sparse a = test::sparse(4, 4, kItems, test::layout_of(format, type, variant));
        const auto report = validated(a.view);
        SCOPED_TRACE(test::layout_of(format, type, variant).text());
        expect_fault(report, SPK_FAULT_NONE, 0, 0);
        EXPECT_EQ(report.bad_offsets + report.bad_indices + report.unsorted_rows + report.duplicates, 0);
        EXPECT_EQ(report.nan_values + report.infinite_values, 0);  // also with NaN in an unused slot
        EXPECT_EQ(report.empty_rows, a.view.block_size == 2 ? 0 : format == Format::csc ? 0 : 1);
      }
}

TEST(ValidateStructure, EmptyMatricesNeedOffsetsOnly) {
  Sparse a = test::sparse(3, 4, {}, {});
  a.view.col_indices = a.view.values = nullptr;
  auto report = validated(a.view);
  EXPECT_EQ(report.fault, SPK_FAULT_NONE);
  EXPECT_EQ(report.empty_rows, 3);
  a.view.offsets = nullptr;
  expect_fault(validated(a.view), SPK_FAULT_NULL_ARRAY, 0, 0);
  Sparse coo = test::sparse(3, 4, {}, {Format::coo});
  coo.view.row_indices = coo.view.col_indices = coo.view.values = nullptr;
  report = validated(coo.view);
  EXPECT_EQ(report.fault, SPK_FAULT_NONE);
  EXPECT_EQ(report.empty_rows, 3);
}

TEST(ValidateStructure, NamesTheNullArray) {
  Sparse a = test::sparse(4, 4, kItems, {Format::coo});
  a.view.values = nullptr;
  expect_fault(validated(a.view), SPK_FAULT_NULL_ARRAY, 0, 3);
  a.view.col_indices = nullptr;
  expect_fault(validated(a.view), SPK_FAULT_NULL_ARRAY, 0, 2);
  a.view.row_indices = nullptr;
  expect_fault(validated(a.view), SPK_FAULT_NULL_ARRAY, 0, 1);
}

TEST(ValidateStructure, FindsEveryKindOfBadOffset) {
  for (unsigned variant = 0; variant < 4; ++variant)
    for (const Format format : {Format::csr, Format::csc, Format::bsr}) {
      const auto fresh = [&] { return test::sparse(4, 4, kItems, test::layout_of(format, ValueType::f32, variant)); };
      const std::int64_t base = variant & 1, last = fresh().view.major(), stored = fresh().view.nnzb;
      Sparse a = fresh();
      set_offset(a, 0, base + 1);
      expect_fault(validated(a.view), SPK_FAULT_FIRST_OFFSET, 0, base + 1);
      a = fresh();
      set_offset(a, 0, base - 1);
      expect_fault(validated(a.view), SPK_FAULT_FIRST_OFFSET, 0, base - 1);
      a = fresh();
      set_offset(a, 1, base - 1);
      expect_fault(validated(a.view), SPK_FAULT_OFFSET_DECREASES, 1, base - 1);
      EXPECT_EQ(validated(a.view).bad_offsets, 1);
      a = fresh();
      set_offset(a, 1, base + stored + 1);
      expect_fault(validated(a.view), SPK_FAULT_LAST_OFFSET, 1, base + stored + 1);
      EXPECT_EQ(validated(a.view).bad_offsets, 2);  // it, and the next, which is below it
      a = fresh();
      set_offset(a, last, base + stored + 1);
      expect_fault(validated(a.view), SPK_FAULT_LAST_OFFSET, last, base + stored + 1);
      EXPECT_EQ(validated(a.view).bad_offsets, 1);
      const std::int64_t extreme = max_of(a.view.offset_type);
      a = fresh();
      set_offset(a, 1, extreme);
      expect_fault(validated(a.view), SPK_FAULT_LAST_OFFSET, 1, extreme);
      a = fresh();
      set_offset(a, 1, -extreme - 1);
      expect_fault(validated(a.view), SPK_FAULT_OFFSET_DECREASES, 1, -extreme - 1);
    }
}

TEST(ValidateStructure, FindsBadIndicesInEveryFormat) {
  for (unsigned variant = 0; variant < 8; ++variant) {
    const std::int64_t base = variant & 1;
    const std::int64_t extreme = max_of((variant & 4) != 0 ? IndexType::i64 : IndexType::i32);
    for (const Format format : {Format::csr, Format::coo, Format::bsr, Format::blocked_ell})
      for (const std::int64_t bad : {base - (format == Format::blocked_ell && base == 0 ? 2 : 1), extreme, -extreme}) {
        Sparse a = test::sparse(4, 4, kItems, test::layout_of(format, ValueType::f32, variant));
        set_col(a, 1, bad);
        expect_fault(validated(a.view), SPK_FAULT_COL_INDEX, 1, bad);
        EXPECT_EQ(validated(a.view).bad_indices, 1);
        EXPECT_EQ(validated(a.view).bad_offsets, 0);
        a = test::sparse(4, 4, kItems, test::layout_of(format, ValueType::f32, variant));
        set_col(a, 1, base + a.view.block_cols());
        expect_fault(validated(a.view), SPK_FAULT_COL_INDEX, 1, base + a.view.block_cols());
      }
    for (const Format format : {Format::csc, Format::coo}) {
      Sparse a = test::sparse(4, 4, kItems, test::layout_of(format, ValueType::f32, variant));
      set_row(a, 3, base + 4);
      set_row(a, 2, base - 1);
      expect_fault(validated(a.view), SPK_FAULT_ROW_INDEX, 2, base - 1);
      EXPECT_EQ(validated(a.view).bad_indices, 2);
    }
  }
}

TEST(ValidateStructure, BadOffsetsHideNoBadIndex) {
  Sparse a = test::sparse(4, 4, kItems, {});
  set_offset(a, 1, 1000);
  set_col(a, 0, 4);
  const auto report = validated(a.view);
  EXPECT_EQ(report.fault, SPK_FAULT_LAST_OFFSET);
  EXPECT_EQ(report.bad_indices, 1);
}

TEST(ValidateStructure, CountsRepeatsAndDisorderExactly) {
  // Row 0: 3 1 3 1 3 with three repeats; row 1: 0 0, sorted, with one.
  const std::vector<Item> items = {{0, 3, 1}, {0, 1, 1}, {0, 3, 1}, {0, 1, 1}, {0, 3, 1}, {1, 0, 1}, {1, 0, 1}};
  const auto csr = validated(test::sparse(3, 4, items, {}).view);
  EXPECT_EQ(csr.fault, SPK_FAULT_NONE);
  EXPECT_EQ(csr.unsorted_rows, 1);
  EXPECT_EQ(csr.duplicates, 4);
  EXPECT_EQ(csr.empty_rows, 1);
  const auto csc = validated(test::sparse(3, 4, items, {Format::csc}).view);
  EXPECT_EQ(csc.unsorted_rows, 0);
  EXPECT_EQ(csc.duplicates, 4);
  EXPECT_EQ(csc.empty_rows, 1);  // column 2
  const auto coo = validated(test::sparse(3, 4, items, {Format::coo}).view);
  EXPECT_EQ(coo.unsorted_rows, 2);  // 3 > 1, twice
  EXPECT_EQ(coo.duplicates, 4);
  EXPECT_EQ(coo.empty_rows, 1);
}

TEST(ValidateStructure, CountsSpecialValues) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const ValueType type : test::kAllTypes) {
    const std::vector<Item> items = {{0, 0, NAN}, {0, 1, inf}, {1, 0, -inf}, {1, 1, 5}};
    for (const Format format : test::kAllFormats) {
      const auto report = validated(test::sparse(2, 2, items, test::layout_of(format, type, 0)).view);
      EXPECT_EQ(report.nan_values, 1);
      EXPECT_EQ(report.infinite_values, 2);
      EXPECT_EQ(report.fault, SPK_FAULT_NONE);
    }
  }
}

TEST(ValidateStructure, SlicesStartAtTheirFirstEntry) {
  Sparse a = test::sparse(4, 4, kItems, {});
  SparseView slice = a.view;
  slice.rows = 2;
  slice.first_entry = 2;
  slice.nnz = slice.nnzb = 2;
  slice.offsets = static_cast<const std::int32_t*>(slice.offsets) + 2;
  EXPECT_EQ(validated(slice).fault, SPK_FAULT_NONE);
  EXPECT_EQ(validated(slice).empty_rows, 0);
  set_col(a, 0, -5);  // not in the slice
  EXPECT_EQ(validated(slice).fault, SPK_FAULT_NONE);
  set_col(a, 3, -5);
  expect_fault(validated(slice), SPK_FAULT_COL_INDEX, 3, -5);
  slice.first_entry = 1;
  expect_fault(validated(slice), SPK_FAULT_FIRST_OFFSET, 0, 2);
}

TEST(ValidateStructure, BatchesNameTheMatrixAndCountSharedArraysOnce) {
  Sparse a = test::sparse(1, 2, std::vector<Item>{{0, 1, 1}, {0, 0, NAN}}, {});
  a.view.batch_count = 3;
  auto report = validated(a.view);
  EXPECT_EQ(report.unsorted_rows, 1);
  EXPECT_EQ(report.nan_values, 1);

  a.values = test::values(ValueType::f32, {1, NAN, 9, NAN, NAN, 9, 1, 1});
  a.view.values = a.values.data();
  a.view.values_stride = 3;
  report = validated(a.view);
  EXPECT_EQ(report.unsorted_rows, 1);
  EXPECT_EQ(report.nan_values, 3);

  a.col_indices = test::indices(IndexType::i32, {0, 1, 1, 0, 0, 2});
  a.view.col_indices = a.col_indices.data();
  a.view.indices_stride = 2;
  report = validated(a.view);
  EXPECT_EQ(report.unsorted_rows, 1);
  EXPECT_EQ(report.batch, 2);
  expect_fault(report, SPK_FAULT_COL_INDEX, 1, 2);
}

}  // namespace
}  // namespace spk
