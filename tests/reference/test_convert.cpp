// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "arrays.hpp"
#include "core/error.hpp"
#include "cpu/reference/operations.hpp"

namespace spk {
namespace {

using test::Dense;
using test::Item;
using test::Layout;
using test::Number;
using test::Sparse;
using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<Number>;

// An empty destination with an array of offsets, as spk_convert.h asks for.
Sparse destination(std::int64_t rows, std::int64_t cols, const Layout& layout) {
  Sparse s = test::sparse(rows, cols, {}, layout);
  if (layout.format == Format::blocked_ell) s.view.ell_cols = s.view.nnz = s.view.nnzb = 0;
  return s;
}

// Brings the arrays for what analyze has counted.
void allocate(Sparse& s, std::int64_t count) {
  SparseView& v = s.view;
  const std::int64_t edge = v.block_size;
  v.nnzb = v.format == Format::blocked_ell ? v.major() * (count / edge) : count;
  v.nnz = v.nnzb * edge * edge;
  if (v.format == Format::blocked_ell) v.ell_cols = count;
  s.row_indices = test::indices(v.index_type, Integers(static_cast<std::size_t>(v.nnzb), 99));
  s.col_indices = test::indices(v.index_type, Integers(static_cast<std::size_t>(v.nnzb), 99));
  s.values = test::values(v.value_type, Numbers(static_cast<std::size_t>(v.nnz), 99));
  if (v.format == Format::csc || v.format == Format::coo) v.row_indices = s.row_indices.data();
  if (v.format != Format::csc) v.col_indices = s.col_indices.data();
  v.values = s.values.data();
}

template <class Problem>
Sparse converted(Problem p, std::int64_t rows, std::int64_t cols, const Layout& layout) {
  Sparse s = destination(rows, cols, layout);
  p.b = s.view;
  const std::int64_t count = reference::analyze(p);
  allocate(s, count);
  p.b = s.view;
  EXPECT_EQ(reference::run(p), count);
  return s;
}
Sparse from_sparse(const SparseView& a, const Layout& layout) {
  SparseToSparseProblem p;
  p.a = a;
  return converted(p, a.rows, a.cols, layout);
}
Sparse from_dense(const Dense& a, const Layout& layout) {
  DenseToSparseProblem p;
  p.a = a.view;
  return converted(p, a.view.rows, a.view.cols, layout);
}

Dense to_dense(const SparseView& a, Order order = Order::row, std::int64_t padding = 0) {
  Dense b = test::dense(a.value_type, order, a.rows, a.cols, padding, 77);
  EXPECT_EQ(reference::run(SparseToDenseProblem{a, b.view}), a.rows * a.cols);
  return b;
}

Integers offsets_of(const Sparse& s) { return test::integers(s.view.offset_type, s.view.offsets, s.view.major() + 1); }
Integers cols_of(const Sparse& s) { return test::integers(s.view.index_type, s.view.col_indices, s.view.nnzb); }
Integers rows_of(const Sparse& s) { return test::integers(s.view.index_type, s.view.row_indices, s.view.nnzb); }
Numbers values_of(const Sparse& s) { return test::numbers(s.view.value_type, s.view.values, s.view.nnz); }

// [0 1 0 2]
// [0 0 0 0]
// [3 0 0 0]
// [0 4 0 0], unsorted, with a stored zero at (2, 2) and 1 = 3 - 2
const std::vector<Item> kItems = {{0, 3, 2}, {0, 1, 3}, {2, 2, 0}, {2, 0, 3}, {0, 1, -2}, {3, 1, 4}};

TEST(ReferenceConvert, SparseToDenseAddsRepeatsAndLeavesPadding) {
  const Numbers want = {0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0};
  for (const Format format : test::kAllFormats)
    for (const ValueType type : test::kAllTypes)
      for (unsigned variant = 0; variant < 16; ++variant) {
        const Sparse a = test::sparse(4, 4, kItems, test::layout_of(format, type, variant));
        for (const Order order : {Order::row, Order::col}) {
          const Dense b = to_dense(a.view, order, 1);
          for (std::int64_t i = 0; i < 4; ++i) {
            for (std::int64_t j = 0; j < 4; ++j)
              EXPECT_EQ(b.at(0, i, j), want[static_cast<std::size_t>(4 * i + j)])
                  << test::layout_of(format, type, variant).text() << " at " << i << ", " << j;
            EXPECT_EQ(test::get(type, b.view.values, 5 * i + 4), Number(77));
          }
        }
      }
}

TEST(ReferenceConvert, EveryFormatInItsSortedForm) {
  for (const Format source : {Format::csr, Format::csc, Format::coo}) {
    for (unsigned variant = 0; variant < 8; ++variant) {
      const Sparse a = test::sparse(4, 4, kItems, test::layout_of(source, ValueType::f16, variant));
      const auto to = [&](Format format) { return test::layout_of(format, ValueType::f16, 7 - variant); };
      const std::int64_t o = to(Format::csr).base;
      const Sparse csr = from_sparse(a.view, to(Format::csr));
      EXPECT_EQ(offsets_of(csr), (Integers{o, 3 + o, 3 + o, 5 + o, 6 + o}));
      EXPECT_EQ(cols_of(csr), (Integers{1 + o, 1 + o, 3 + o, o, 2 + o, 1 + o}));
      EXPECT_EQ(values_of(csr), (Numbers{3, -2, 2, 3, 0, 4}));
      const Sparse csc = from_sparse(a.view, to(Format::csc));
      EXPECT_EQ(offsets_of(csc), (Integers{o, 1 + o, 4 + o, 5 + o, 6 + o}));
      EXPECT_EQ(rows_of(csc), (Integers{2 + o, o, o, 3 + o, 2 + o, o}));
      EXPECT_EQ(values_of(csc), (Numbers{3, 3, -2, 4, 0, 2}));
      const Sparse coo = from_sparse(a.view, to(Format::coo));
      EXPECT_EQ(rows_of(coo), (Integers{o, o, o, 2 + o, 2 + o, 3 + o}));
      EXPECT_EQ(cols_of(coo), cols_of(csr));
      EXPECT_EQ(values_of(coo), values_of(csr));
      Layout layout = to(Format::bsr);
      layout.block_order = Order::row;
      Sparse bsr = from_sparse(a.view, layout);
      EXPECT_EQ(offsets_of(bsr), (Integers{o, 2 + o, 4 + o}));
      EXPECT_EQ(cols_of(bsr), (Integers{o, 1 + o, o, 1 + o}));
      EXPECT_EQ(values_of(bsr), (Numbers{0, 1, 0, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0}));
      layout.block_order = Order::col;
      bsr = from_sparse(a.view, layout);
      EXPECT_EQ(values_of(bsr), (Numbers{0, 0, 1, 0, 0, 0, 2, 0, 3, 0, 0, 4, 0, 0, 0, 0}));
      const Sparse ell = from_sparse(a.view, to(Format::blocked_ell));
      EXPECT_EQ(ell.view.ell_cols, 4);
      EXPECT_EQ(cols_of(ell), (Integers{o, 1 + o, o, 1 + o}));
      EXPECT_EQ(values_of(ell), (Numbers{0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0}));
    }
  }
}

TEST(ReferenceConvert, BlocksGiveAllTheirPlaces) {
  const std::vector<Item> items = {{1, 0, 5}};
  for (const Format format : {Format::bsr, Format::blocked_ell}) {
    const Sparse a = test::sparse(4, 4, items, test::layout_of(format, ValueType::f32, 8));
    const Sparse csr = from_sparse(a.view, {});
    EXPECT_EQ(offsets_of(csr), (Integers{0, 2, 4, 4, 4}));
    EXPECT_EQ(cols_of(csr), (Integers{0, 1, 0, 1}));
    EXPECT_EQ(values_of(csr), (Numbers{0, 0, 5, 0}));
    // To blocks of another size: every place of the old block is an entry.
    Layout layout{Format::bsr};
    layout.block_size = 1;
    EXPECT_EQ(from_sparse(a.view, layout).view.nnzb, 4);
    layout.block_size = 4;
    EXPECT_EQ(values_of(from_sparse(a.view, layout))[4], Number(5));
  }
}

TEST(ReferenceConvert, RepeatedBlocksBecomeOne) {
  const std::vector<Item> items = {{0, 0, 1}, {0, 2, 8}};
  Layout layout{Format::bsr};
  layout.block_size = 2;
  Sparse a = test::sparse(2, 4, items, layout);
  set_index(a.col_indices.data(), IndexType::i32, 1, 0);
  const Sparse b = from_sparse(a.view, layout);
  EXPECT_EQ(offsets_of(b), (Integers{0, 1}));
  EXPECT_EQ(values_of(b), (Numbers{9, 0, 0, 0}));
  EXPECT_EQ(values_of(from_sparse(a.view, {})), (Numbers{1, 8, 0, 0, 0, 0, 0, 0}));
}

TEST(ReferenceConvert, UnusedSlotsFollowTheUsedOnes) {
  const std::vector<Item> items = {{0, 5, 1}, {1, 0, 2}, {4, 3, 3}};
  Layout layout{Format::blocked_ell};
  layout.block_size = 2;
  layout.base = 1;
  const Sparse a = from_sparse(test::sparse(6, 6, items, {}).view, layout);
  EXPECT_EQ(a.view.ell_cols, 4);
  EXPECT_EQ(cols_of(a), (Integers{1, 3, -1, -1, 2, -1}));
  EXPECT_EQ(values_of(a), (Numbers{0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0}));
}

TEST(ReferenceConvert, DenseToSparseKeepsNanAndDropsZeros) {
  for (const ValueType type : test::kAllTypes) {
    Dense a = test::dense(type, Order::col, 2, 3, 1, NAN);
    const double numbers[] = {-0.0, NAN, 5, 0, -0.0, 0x1p-20};
    for (std::int64_t t = 0; t < 6; ++t) a.set(0, t / 3, t % 3, numbers[t]);
    const Sparse csr = from_dense(a, {Format::csr, type});
    EXPECT_EQ(offsets_of(csr), (Integers{0, 2, 3}));
    EXPECT_EQ(cols_of(csr), (Integers{1, 2, 2}));
    EXPECT_TRUE(std::isnan(values_of(csr)[0].real()));
    EXPECT_EQ(values_of(csr)[2], Number(0x1p-20));
    const Sparse csc = from_dense(a, {Format::csc, type});
    EXPECT_EQ(offsets_of(csc), (Integers{0, 0, 1, 3}));
    EXPECT_EQ(rows_of(csc), (Integers{0, 0, 1}));
    EXPECT_EQ(rows_of(from_dense(a, {Format::coo, type})), (Integers{0, 0, 1}));
  }
  // One part of a complex number is enough.
  Dense a = test::dense(ValueType::c64, Order::row, 1, 2);
  a.set(0, 0, 1, {0, 3});
  EXPECT_EQ(values_of(from_dense(a, {Format::csr, ValueType::c64})), (Numbers{Number(0, 3)}));
}

TEST(ReferenceConvert, DenseToBlocksCopiesStoredBlocksWhole) {
  Dense a = test::dense(ValueType::f32, Order::row, 4, 4);
  a.set(0, 0, 3, 1);
  a.set(0, 1, 2, -0.0);
  a.set(0, 2, 2, -0.0);
  Layout layout{Format::bsr};
  layout.block_size = 2;
  const Sparse bsr = from_dense(a, layout);
  EXPECT_EQ(offsets_of(bsr), (Integers{0, 1, 1}));
  EXPECT_EQ(cols_of(bsr), (Integers{1}));
  EXPECT_EQ(values_of(bsr), (Numbers{0, 1, 0, 0}));
  EXPECT_TRUE(std::signbit(values_of(bsr)[2].real()));
  layout.format = Format::blocked_ell;
  const Sparse ell = from_dense(a, layout);
  EXPECT_EQ(ell.view.ell_cols, 2);
  EXPECT_EQ(cols_of(ell), (Integers{1, -1}));
}

TEST(ReferenceConvert, GivenBlockColumnsAreKept) {
  Dense a = test::dense(ValueType::f32, Order::row, 2, 6);
  for (std::int64_t j = 0; j < 6; ++j) a.set(0, 1, j, static_cast<double>(j + 1));
  Layout layout{Format::blocked_ell};
  layout.block_size = 2;
  const std::vector<Item> items = {{0, 4, 0}, {0, 0, 0}};  // an unused slot, then blocks 2 and 0
  Sparse b = test::sparse(2, 6, items, layout);
  DenseToSparseProblem p{a.view, b.view, true};
  EXPECT_EQ(reference::run(p), 6);
  EXPECT_EQ(cols_of(b), (Integers{-1, 2, 0}));
  EXPECT_EQ(values_of(b), (Numbers{0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 1, 2}));
  set_index(b.col_indices.data(), IndexType::i32, 2, 2);
  EXPECT_THROW(reference::run(p), Error);
  set_index(b.col_indices.data(), IndexType::i32, 2, 3);
  EXPECT_THROW(reference::run(p), Error);
}

TEST(ReferenceConvert, MovedValuesKeepTheirBits) {
  const std::vector<Item> items = {{0, 1, 0}, {0, 0, 0}};
  Sparse a = test::sparse(1, 2, items, {});
  const std::uint32_t bits[] = {0x7fa00001u, 0x80000000u};  // a signalling NaN, -0
  std::memcpy(a.values.data(), bits, sizeof bits);
  const std::uint32_t want[] = {bits[1], bits[0]};
  Layout bsr{Format::bsr};
  for (const Layout& layout : {Layout{}, Layout{Format::csc}, Layout{Format::coo}, bsr})
    EXPECT_EQ(std::memcmp(from_sparse(a.view, layout).values.data(), want, sizeof want), 0) << layout.text();
  EXPECT_EQ(std::memcmp(to_dense(a.view).memory.data(), want, sizeof want), 0);
  reference::run(CoalesceProblem{a.view});
  EXPECT_EQ(std::memcmp(a.values.data(), want, sizeof want), 0);
}

TEST(ReferenceConvert, RepeatsRoundEachTimeInDenseAndOnceInCoalesce) {
  // 2048 + 1 + 1 in f16: each 1 is lost alone, both together are not.
  const std::vector<Item> items = {{0, 0, 2048}, {0, 0, 1}, {0, 0, 1}};
  Sparse a = test::sparse(1, 1, items, {Format::csr, ValueType::f16});
  EXPECT_EQ(to_dense(a.view).at(0, 0, 0), Number(2048));
  EXPECT_EQ(values_of(from_sparse(a.view, {Format::bsr, ValueType::f16})), (Numbers{2048}));
  EXPECT_EQ(reference::run(CoalesceProblem{a.view}), 1);
  EXPECT_EQ(test::get(ValueType::f16, a.view.values, 0), Number(2050));
}

TEST(ReferenceConvert, SlicesAreSources) {
  const Sparse whole = test::sparse(4, 4, kItems, test::layout_of(Format::csr, ValueType::f32, 1));
  SparseView slice = whole.view;
  slice.rows = 2;
  slice.first_entry = 3;
  slice.nnz = slice.nnzb = 3;
  slice.offsets = static_cast<const std::int32_t*>(slice.offsets) + 2;
  const Sparse csr = from_sparse(slice, {});
  EXPECT_EQ(offsets_of(csr), (Integers{0, 2, 3}));
  EXPECT_EQ(values_of(csr), (Numbers{3, 0, 4}));
  EXPECT_EQ(to_dense(slice).at(0, 1, 1), Number(4));
  Sparse b = destination(4, 2, {});
  allocate(b, 3);
  Integers permutation(3);
  EXPECT_EQ(reference::run(TransposeProblem{slice, b.view, permutation.data()}), 3);
  EXPECT_EQ(permutation, (Integers{4, 5, 3}));
}

TEST(ReferenceConvert, TransposeBringsThePermutation) {
  const Sparse a = test::sparse(4, 4, kItems, test::layout_of(Format::csr, ValueType::f64, 3));
  Sparse b = destination(4, 4, test::layout_of(Format::csr, ValueType::f64, 4));
  EXPECT_EQ(reference::analyze(TransposeProblem{a.view, b.view}), 6);
  EXPECT_EQ(offsets_of(b), (Integers{0, 1, 4, 5, 6}));
  allocate(b, 6);
  Integers permutation(6, -1);
  TransposeProblem p{a.view, b.view, permutation.data()};
  EXPECT_EQ(reference::run(p), 6);
  // As stored: (0,3) 2, (0,1) 3, (0,1) -2, (2,2) 0, (2,0) 3, (3,1) 4
  EXPECT_EQ(cols_of(b), (Integers{2, 0, 0, 3, 2, 0}));
  EXPECT_EQ(values_of(b), (Numbers{3, 3, -2, 4, 0, 2}));
  EXPECT_EQ(permutation, (Integers{4, 1, 2, 5, 3, 0}));
  p.b.values = p.a.values = nullptr;
  EXPECT_EQ(reference::run(p), 6);
}

TEST(ReferenceConvert, SortIsStableAndInPlace) {
  for (unsigned variant = 0; variant < 8; ++variant) {
    const std::int64_t o = variant & 1;
    Sparse a = test::sparse(4, 4, kItems, test::layout_of(Format::csr, ValueType::f32, variant));
    Integers permutation(6);
    EXPECT_EQ(reference::run(SortProblem{a.view, permutation.data()}), 6);
    EXPECT_EQ(offsets_of(a), (Integers{o, 3 + o, 3 + o, 5 + o, 6 + o}));
    EXPECT_EQ(cols_of(a), (Integers{1 + o, 1 + o, 3 + o, o, 2 + o, 1 + o}));
    EXPECT_EQ(values_of(a), (Numbers{3, -2, 2, 3, 0, 4}));
    EXPECT_EQ(permutation, (Integers{1, 2, 0, 4, 3, 5}));
  }
  Sparse coo = test::sparse(4, 4, kItems, {Format::coo});
  Integers permutation(6);
  reference::run(SortProblem{coo.view, permutation.data()});
  EXPECT_EQ(rows_of(coo), (Integers{0, 0, 0, 2, 2, 3}));
  EXPECT_EQ(permutation, (Integers{1, 4, 0, 3, 2, 5}));
  Sparse csc = test::sparse(4, 4, kItems, {Format::csc});
  reference::run(SortProblem{csc.view});
  EXPECT_EQ(rows_of(csc), (Integers{2, 0, 0, 3, 2, 0}));
}

TEST(ReferenceConvert, CoalesceAddsRepeatsUp) {
  for (const ValueType type : test::kAllTypes) {
    Sparse a = test::sparse(4, 4, kItems, {Format::csr, type});
    EXPECT_EQ(reference::analyze(CoalesceProblem{a.view}), 5);
    EXPECT_EQ(reference::run(CoalesceProblem{a.view}), 5);
    EXPECT_EQ(offsets_of(a), (Integers{0, 2, 2, 4, 5}));
    a.view.nnz = a.view.nnzb = 5;
    EXPECT_EQ(cols_of(a), (Integers{1, 3, 0, 2, 1}));
    EXPECT_EQ(values_of(a), (Numbers{1, 2, 3, 0, 4}));
  }
  Sparse coo = test::sparse(4, 4, kItems, {Format::coo});
  EXPECT_EQ(reference::run(CoalesceProblem{coo.view}), 5);
  coo.view.nnz = coo.view.nnzb = 5;
  EXPECT_EQ(rows_of(coo), (Integers{0, 0, 2, 2, 3}));
}

TEST(ReferenceConvert, EmptyMatricesHaveOffsetsOfTheirBase) {
  for (const Format format : test::kAllFormats) {
    Layout layout = test::layout_of(format, ValueType::f32, 1);
    const Sparse none = test::sparse(0, 0, {}, {});
    const Sparse to = from_sparse(none.view, layout);
    if (to.view.offset_type != IndexType::none) {
      EXPECT_EQ(offsets_of(to), (Integers{1}));
    }
    EXPECT_EQ(from_dense(test::dense(ValueType::f32, Order::row, 0, 0), layout).view.nnz, 0);
    const Dense zeros = to_dense(test::sparse(2, 2, {}, layout).view);
    EXPECT_EQ(zeros.at(0, 1, 1), Number(0));
  }
}

TEST(ReferenceConvert, RefusesWhatDoesNotFit) {
  const auto status_of = [](auto&& call) -> spk_status_t {
    try {
      call();
    } catch (const Error& error) {
      return error.status();
    }
    return SPK_STATUS_SUCCESS;
  };
  const Sparse a = test::sparse(4, 4, kItems, {});
  Sparse b = destination(4, 4, {});
  allocate(b, 5);
  EXPECT_EQ(status_of([&] { reference::run(SparseToSparseProblem{a.view, b.view}); }), SPK_STATUS_INVALID_VALUE);
  EXPECT_EQ(cols_of(b), (Integers{99, 99, 99, 99, 99}));

  // 65536 entries and the base do not fit 16-bit offsets.
  const Dense ones = test::dense(ValueType::f16, Order::row, 256, 256, 0, 1);
  Layout narrow{Format::csr, ValueType::f16, IndexType::u16};
  const Sparse c = destination(256, 256, narrow);
  EXPECT_EQ(status_of([&] { reference::analyze(DenseToSparseProblem{ones.view, c.view}); }), SPK_STATUS_INDEX_OVERFLOW);
  EXPECT_EQ(offsets_of(c)[1], 0);

  Sparse broken = test::sparse(4, 4, kItems, {});
  set_index(broken.col_indices.data(), IndexType::i32, 5, 4);
  EXPECT_EQ(status_of([&] { from_sparse(broken.view, {}); }), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_EQ(status_of([&] { to_dense(broken.view); }), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_EQ(status_of([&] { reference::run(SortProblem{broken.view}); }), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_EQ(status_of([&] { reference::run(CoalesceProblem{broken.view}); }), SPK_STATUS_INVALID_STRUCTURE);
}

// Every pair of formats: the dense form stays the same.
TEST(ReferenceConvert, EveryPairOfFormatsDescribesTheSameMatrix) {
  test::SmallIntegers random(31337);
  for (const Format from : test::kAllFormats)
    for (const Format to : test::kAllFormats)
      for (int round = 0; round < 8; ++round) {
        const ValueType type = test::kAllTypes[random.below(6)];
        const std::int64_t rows = 2 * random.below(5), cols = 2 * (1 + random.below(4));
        const std::int64_t count = rows == 0 ? 0 : random.below(rows * cols + 3);
        const auto items = test::random_items(random, std::max<std::int64_t>(1, rows), cols, count, is_complex(type));
        const Layout source_layout = test::layout_of(from, type, static_cast<unsigned>(random.below(16)));
        const Layout layout = test::layout_of(to, type, static_cast<unsigned>(random.below(16)));
        const Sparse a = test::sparse(rows, cols, items, source_layout), b = from_sparse(a.view, layout);
        const Dense wanted = to_dense(a.view), got = to_dense(b.view);
        SCOPED_TRACE(source_layout.text() + " to " + layout.text());
        std::vector<Number> direct(static_cast<std::size_t>(rows * cols));
        for (const Item& item : items) direct[static_cast<std::size_t>(item.row * cols + item.col)] += item.value;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < cols; ++j) {
            ASSERT_EQ(wanted.at(0, i, j), direct[static_cast<std::size_t>(i * cols + j)]);
            ASSERT_EQ(got.at(0, i, j), wanted.at(0, i, j));
          }
        const Dense again = to_dense(from_dense(wanted, layout).view);
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < cols; ++j) ASSERT_EQ(again.at(0, i, j), wanted.at(0, i, j));
      }
}

}  // namespace
}  // namespace spk
