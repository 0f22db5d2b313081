// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <cmath>

#include "arrays.hpp"
#include "core/error.hpp"
#include "cpu/reference/operations.hpp"

namespace spk {
namespace {

using test::Dense;
using test::Item;
using test::Number;
using test::Sparse;

SddmmProblem problem(const Dense& a, const Dense& b, const Sparse& c, Op op_a = Op::n, Op op_b = Op::n) {
  SddmmProblem p;
  p.op_a = op_a;
  p.op_b = op_b;
  p.m = c.view.rows;
  p.n = c.view.cols;
  p.k = op_a == Op::n ? a.view.cols : a.view.rows;
  p.a = a.view;
  p.b = b.view;
  p.c = c.view;
  p.compute = sum_type(a.view.type);
  return p;
}

// A = [1 2; 3 4], B = [5 6; 7 8], A B = [19 22; 43 50]
Dense counting(ValueType type, Order order, double first) {
  Dense x = test::dense(type, order, 2, 2, 1, NAN);
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 2; ++j) x.set(0, i, j, first + static_cast<double>(2 * i + j));
  return x;
}

TEST(ReferenceSddmm, WorkedExampleInEveryFormatAndType) {
  const std::vector<Item> items = {{1, 1, NAN}, {1, 0, NAN}, {0, 1, NAN}};
  for (const Format format : {Format::csr, Format::csc, Format::coo})
    for (const ValueType type : test::kAllTypes)
      for (unsigned variant = 0; variant < 8; ++variant) {
        const Sparse c = test::sparse(2, 2, items, test::layout_of(format, type, variant));
        reference::run(problem(counting(type, Order::row, 1), counting(type, Order::col, 5), c));
        const auto got = test::numbers(type, c.view.values, 3);
        const std::vector<Number> by_rows = {22, 50, 43}, by_columns = {43, 50, 22}, as_given = {50, 43, 22};
        EXPECT_EQ(got, format == Format::csr   ? by_rows
                       : format == Format::csc ? by_columns
                                               : as_given)
            << test::layout_of(format, type, variant).text();
      }
}

TEST(ReferenceSddmm, BlocksAreFilledInTheirOrder) {
  const std::vector<Item> items = {{0, 0, 1}};
  test::Layout layout{Format::bsr};
  layout.block_size = 2;
  for (const Order order : {Order::row, Order::col}) {
    layout.block_order = order;
    const Sparse c = test::sparse(2, 2, items, layout);
    const Dense a = counting(ValueType::f32, Order::row, 1), b = counting(ValueType::f32, Order::row, 5);
    SddmmProblem p = problem(a, b, c);
    p.scalars.beta = {10, 0};
    reference::run(p);
    const std::vector<Number> by_rows = {29, 22, 43, 50}, by_columns = {29, 43, 22, 50};
    EXPECT_EQ(test::numbers(ValueType::f32, c.view.values, 4), order == Order::row ? by_rows : by_columns);
  }
}

TEST(ReferenceSddmm, OperandsAreTransposedAndConjugated) {
  const std::vector<Item> items = {{0, 1, 0}};
  const Sparse c = test::sparse(2, 2, items, {Format::csr, ValueType::c64});
  Dense a = test::dense(ValueType::c64, Order::row, 1, 2), b = test::dense(ValueType::c64, Order::row, 2, 1);
  a.set(0, 0, 0, {1, 2});
  b.set(0, 1, 0, {3, 4});
  const auto value = [&](Op op_a, Op op_b) {
    reference::run(problem(a, b, c, op_a, op_b));
    return test::get(ValueType::c64, c.view.values, 0);
  };
  EXPECT_EQ(value(Op::t, Op::t), Number(-5, 10));
  EXPECT_EQ(value(Op::c, Op::t), Number(11, -2));
  EXPECT_EQ(value(Op::t, Op::c), Number(11, 2));
}

TEST(ReferenceSddmm, ScalarsFollowTheContract) {
  const std::vector<Item> items = {{0, 0, 4}, {1, 1, 8}};
  const Sparse c = test::sparse(2, 2, items, {});
  SddmmProblem p = problem(counting(ValueType::f32, Order::row, 1), counting(ValueType::f32, Order::row, 5), c);
  p.a.values = p.b.values = nullptr;  // not looked at
  p.scalars.alpha = {0, 0};
  p.scalars.beta = {0.5, 0};
  reference::run(p);
  EXPECT_EQ(test::numbers(ValueType::f32, c.view.values, 2), (std::vector<Number>{2, 4}));
  p.scalars.alpha = {1, 0};
  p.k = 0;
  reference::run(p);
  EXPECT_EQ(test::numbers(ValueType::f32, c.view.values, 2), (std::vector<Number>{1, 2}));
}

TEST(ReferenceSddmm, SixteenBitOperandsMayGiveFloat) {
  const std::vector<Item> items = {{0, 0, 0}};
  const Sparse c = test::sparse(1, 1, items, {});
  const Dense a = test::dense(ValueType::f16, Order::row, 1, 3, 0, 1.0009765625);
  const Dense b = test::dense(ValueType::f16, Order::row, 3, 1, 0, 1.0009765625);
  reference::run(problem(a, b, c));
  EXPECT_EQ(test::get(ValueType::f32, c.view.values, 0).real(), 3 * (1.0009765625 * 1.0009765625));
}

TEST(ReferenceSddmm, BatchesShareTheStructureAndAnOperand) {
  const std::vector<Item> items = {{0, 0, 0}, {1, 0, 0}};
  Sparse c = test::sparse(2, 1, items, {});
  c.values = test::values(ValueType::f32, std::vector<Number>(7, -1));
  c.view.values = c.values.data();
  c.view.batch_count = 2;
  c.view.values_stride = 3;
  Dense a = test::dense(ValueType::f32, Order::row, 2, 1, 0, 0, 2, 4);
  for (std::int64_t batch = 0; batch < 2; ++batch)
    for (std::int64_t i = 0; i < 2; ++i) a.set(batch, i, 0, static_cast<double>(10 * batch + i + 1));
  const Dense b = test::dense(ValueType::f32, Order::row, 1, 1, 0, 2);
  SddmmProblem p = problem(a, b, c);
  reference::run(p);
  EXPECT_EQ(test::numbers(ValueType::f32, c.view.values, 5), (std::vector<Number>{2, 4, -1, 22, 24}));
}

TEST(ReferenceSddmm, RowSlicesWriteTheirOwnEntriesOnly) {
  const std::vector<Item> items = {{0, 0, -1}, {1, 0, -1}, {1, 1, -1}};
  Sparse c = test::sparse(2, 2, items, {});
  c.view.rows = 1;
  c.view.first_entry = 1;
  c.view.nnz = c.view.nnzb = 2;
  c.view.offsets = static_cast<const std::int32_t*>(c.view.offsets) + 1;
  const Dense a = counting(ValueType::f32, Order::row, 1), b = counting(ValueType::f32, Order::row, 5);
  reference::run(problem(a, b, c));
  EXPECT_EQ(test::numbers(ValueType::f32, c.view.values, 3), (std::vector<Number>{-1, 19, 22}));
}

TEST(ReferenceSddmm, BrokenStructureIsRefusedBeforeAnythingIsWritten) {
  const std::vector<Item> items = {{0, 0, 7}, {1, 1, 7}};
  Sparse c = test::sparse(2, 2, items, {});
  static_cast<std::int32_t*>(c.col_indices.data())[1] = 2;
  EXPECT_THROW(
      reference::run(problem(counting(ValueType::f32, Order::row, 1), counting(ValueType::f32, Order::row, 5), c)),
      Error);
  EXPECT_EQ(test::get(ValueType::f32, c.view.values, 0), Number(7));
}

TEST(ReferenceSddmm, EqualsADenseTripleLoopOnRandomIntegersAndJudgesItRight) {
  test::SmallIntegers random(4242);
  for (int round = 0; round < 400; ++round) {
    const Format formats[] = {Format::csr, Format::bsr, Format::coo};
    const ValueType type = test::kAllTypes[random.below(6)];
    const test::Layout layout = test::layout_of(formats[round % 3], type, static_cast<unsigned>(random.below(16)));
    const bool complex = is_complex(type);
    const std::int64_t m = 2 * (1 + random.below(3)), n = 2 * (1 + random.below(3)), k = random.below(5);
    const Sparse c = test::sparse(m, n, test::random_items(random, m, n, random.below(m * n), complex), layout);
    const Op ops[] = {Op::n, Op::t, Op::c};
    const Op op_a = ops[random.below(3)], op_b = ops[random.below(3)];
    const Order orders[] = {Order::row, Order::col};
    Dense a = test::dense(type, orders[random.below(2)], op_a == Op::n ? m : k, op_a == Op::n ? k : m, 1, NAN);
    Dense b = test::dense(type, orders[random.below(2)], op_b == Op::n ? k : n, op_b == Op::n ? n : k, 1, NAN);
    for (Dense* x : {&a, &b})
      for (std::int64_t i = 0; i < x->view.rows; ++i)
        for (std::int64_t j = 0; j < x->view.cols; ++j) x->set(0, i, j, random(complex));
    SddmmProblem p = problem(a, b, c, op_a, op_b);
    p.scalars.beta = {2, complex ? 1.0 : 0.0};
    const auto old = test::numbers(type, c.view.values, c.view.nnz);
    Sparse judged = c;
    judged.view.values = judged.values.data();
    reference::run(p);

    // Every place of the dense product that is stored must have been found at its place in the arrays.
    const auto got = test::numbers(type, c.view.values, c.view.nnz);
    const std::int64_t edge = c.view.block_size;
    std::int64_t row = 0;
    for (std::int64_t t = 0; t < c.view.nnz; ++t) {
      const std::int64_t block = t / (edge * edge), inside = t % (edge * edge);
      if (layout.format == Format::coo)
        row = index_at(c.view.row_indices, c.view.index_type, t) - c.view.base;
      else
        while (c.view.offset(row + 1) <= block) ++row;
      const bool by_rows = layout.block_order == Order::row;
      const std::int64_t i = row * edge + (by_rows ? inside / edge : inside % edge);
      const std::int64_t j = (index_at(c.view.col_indices, c.view.index_type, block) - c.view.base) * edge +
                             (by_rows ? inside % edge : inside / edge);
      Number sum = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        Number x = op_a == Op::n ? a.at(0, i, l) : a.at(0, l, i), y = op_b == Op::n ? b.at(0, l, j) : b.at(0, j, l);
        if (op_a == Op::c) x = std::conj(x);
        if (op_b == Op::c) y = std::conj(y);
        sum += x * y;
      }
      ASSERT_EQ(got[static_cast<std::size_t>(t)],
                sum + Number(2, complex ? 1.0 : 0.0) * old[static_cast<std::size_t>(t)])
          << layout.text() << " place " << t;
    }

    p.c.values = judged.view.values;
    EXPECT_EQ(reference::judge(p, c.view).worst, 0);
    EXPECT_EQ(reference::judge(p, c.view).entries, c.view.nnz);
    if (c.view.nnz > 0) {
      test::put(type, c.view.values, c.view.nnz - 1, got.back() + 40.0);
      const Verdict v = reference::judge(p, c.view);
      EXPECT_GT(v.worst, 1);
      EXPECT_EQ(v.got.re, got.back().real() + 40);
    }
  }
}

}  // namespace
}  // namespace spk
