// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <limits>

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

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

SpmmProblem problem(const Sparse& a, const Dense& b, const Dense& c, Op op_a = Op::n, Op op_b = Op::n) {
  SpmmProblem p;
  p.op_a = op_a;
  p.op_b = op_b;
  p.m = c.view.rows;
  p.n = c.view.cols;
  p.k = op_a == Op::n ? a.view.cols : a.view.rows;
  p.a = a.view;
  p.b = b.view;
  p.c = c.view;
  p.compute = sum_type(b.view.type);
  return p;
}

// [1 0 2 0]       [1 2]
// [0 0 0 0]       [3 4]
// [0 3 0 4]   and [5 6]
// [5 0 0 0]       [7 8]
const std::vector<Item> kA = {{0, 2, 2}, {0, 0, 1}, {3, 0, 5}, {2, 1, 3}, {2, 3, 4}};

Dense counting_b(ValueType type, Order order, Op op, std::int64_t padding) {
  Dense b = op == Op::n ? test::dense(type, order, 4, 2, padding, kNan) : test::dense(type, order, 2, 4, padding, kNan);
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 2; ++j) {
      const auto x = static_cast<double>(2 * i + j + 1);
      if (op == Op::n)
        b.set(0, i, j, x);
      else
        b.set(0, j, i, x);
    }
  return b;
}

void expect_rows(const Dense& c, const std::vector<std::vector<double>>& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    for (std::size_t j = 0; j < want[i].size(); ++j) {
      const Number got = c.at(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      EXPECT_EQ(got, Number(want[i][j])) << "at " << i << ", " << j;
    }
}

TEST(ReferenceSpmm, WorkedExampleInEveryFormatTypeAndLayout) {
  for (const Format format : test::kAllFormats)
    for (const ValueType type : test::kAllTypes)
      for (unsigned variant = 0; variant < 64; ++variant) {
        const Layout layout = test::layout_of(format, type, variant);
        const Sparse a = test::sparse(4, 4, kA, layout);
        const Op op_b = (variant & 16) != 0 ? Op::t : Op::n;
        const Order order = (variant & 32) != 0 ? Order::col : Order::row;
        const Dense b = counting_b(type, order, op_b, variant % 3);
        for (const Op op_a : {Op::n, Op::t, Op::c}) {
          SCOPED_TRACE(layout.text() + " opA " + name_of(op_a) + " opB " + name_of(op_b) + " " + name_of(order));
          Dense c = test::dense(type, variant % 2 == 0 ? Order::row : Order::col, 4, 2, 1, kNan);
          reference::run(problem(a, b, c, op_a, op_b));
          if (op_a == Op::n)
            expect_rows(c, {{11, 14}, {0, 0}, {37, 44}, {5, 10}});
          else
            expect_rows(c, {{36, 42}, {15, 18}, {2, 4}, {20, 24}});
          // The element between two rows or columns of C is padding.
          EXPECT_TRUE(std::isnan(test::get(type, c.view.values, c.view.ld - 1).real()));
        }
      }
}

TEST(ReferenceSpmm, ConjugatesOnlyWhereAsked) {
  const std::vector<Item> items = {{0, 0, {1, 2}}};
  const Sparse a = test::sparse(1, 1, items, {Format::csr, ValueType::c64});
  Dense b = test::dense(ValueType::c64, Order::row, 1, 1);
  b.set(0, 0, 0, {3, 4});
  const auto product = [&](Op op_a, Op op_b) {
    const Dense c = test::dense(ValueType::c64, Order::row, 1, 1);
    reference::run(problem(a, b, c, op_a, op_b));
    return c.at(0, 0, 0);
  };
  EXPECT_EQ(product(Op::n, Op::n), Number(-5, 10));
  EXPECT_EQ(product(Op::t, Op::t), Number(-5, 10));
  EXPECT_EQ(product(Op::c, Op::n), Number(11, -2));
  EXPECT_EQ(product(Op::n, Op::c), Number(11, 2));
  EXPECT_EQ(product(Op::c, Op::c), Number(-5, -10));
}

TEST(ReferenceSpmm, ScalarsFollowTheContract) {
  const Sparse a = test::sparse(4, 4, kA, {});
  const Dense b = counting_b(ValueType::f32, Order::row, Op::n, 0);
  Dense c = test::dense(ValueType::f32, Order::row, 4, 2, 0, 10);
  SpmmProblem p = problem(a, b, c);
  p.scalars.alpha = {2, 0};
  p.scalars.beta = {3, 0};
  reference::run(p);
  expect_rows(c, {{52, 58}, {30, 30}, {104, 118}, {40, 50}});

  // alpha = 0 looks at neither A nor B.
  p.scalars.alpha = {0, 0};
  p.scalars.beta = {0.5, 0};
  p.a.offsets = p.a.col_indices = nullptr;
  p.a.values = p.b.values = nullptr;
  reference::run(p);
  expect_rows(c, {{26, 29}, {15, 15}, {52, 59}, {20, 25}});

  // beta = 0 does not look at C.
  c = test::dense(ValueType::f32, Order::row, 4, 2, 0, kNan);
  p.c = c.view;
  p.scalars.beta = {0, 0};
  reference::run(p);
  expect_rows(c, {{0, 0}, {0, 0}, {0, 0}, {0, 0}});
}

TEST(ReferenceSpmm, StoredZerosMeetInfinityAndOthersDoNot) {
  const std::vector<Item> items = {{0, 0, 0}, {1, 1, 1}};
  for (const Format format : {Format::csr, Format::csc, Format::coo}) {
    const Sparse a = test::sparse(2, 2, items, {format});
    Dense b = test::dense(ValueType::f32, Order::row, 2, 1);
    b.set(0, 0, 0, kInf);
    b.set(0, 1, 0, 7);
    const Dense c = test::dense(ValueType::f32, Order::row, 2, 1);
    reference::run(problem(a, b, c));
    EXPECT_TRUE(std::isnan(c.at(0, 0, 0).real())) << name_of(format);
    EXPECT_EQ(c.at(0, 1, 0), Number(7)) << name_of(format);
  }
}

TEST(ReferenceSpmm, RepeatedEntriesAddUp) {
  const std::vector<Item> items = {{0, 1, 2}, {0, 0, 1}, {0, 1, 3}};
  for (const Format format : test::kAllFormats) {
    const Sparse a = test::sparse(2, 2, items, {format});
    Dense b = test::dense(ValueType::f32, Order::row, 2, 1);
    b.set(0, 0, 0, 10);
    b.set(0, 1, 0, 1);
    const Dense c = test::dense(ValueType::f32, Order::row, 2, 1, 0, kNan);
    reference::run(problem(a, b, c));
    expect_rows(c, {{15}, {0}});
  }
}

TEST(ReferenceSpmm, SumsWideAndRoundsOnce) {
  // 2048 + 1 + 1 in f16 loses both ones when each sum is rounded; the exact sum 2050 is an f16 number.
  const std::vector<Item> items = {{0, 0, 2048}, {0, 1, 1}, {0, 2, 1}};
  const Sparse a = test::sparse(1, 3, items, {Format::csr, ValueType::f16});
  const Dense b = test::dense(ValueType::f16, Order::row, 3, 1, 0, 1);
  const Dense c = test::dense(ValueType::f16, Order::row, 1, 1);
  reference::run(problem(a, b, c));
  EXPECT_EQ(c.at(0, 0, 0), Number(2050));

  // 2^60 + 1 - 2^60 in f64 needs more than double.
  const std::vector<Item> cancelling = {{0, 0, 0x1p60}, {0, 1, 1}, {0, 2, -0x1p60}};
  const Sparse a64 = test::sparse(1, 3, cancelling, {Format::csr, ValueType::f64});
  const Dense b64 = test::dense(ValueType::f64, Order::row, 3, 1, 0, 1);
  const Dense c64 = test::dense(ValueType::f64, Order::row, 1, 1);
  reference::run(problem(a64, b64, c64));
  EXPECT_EQ(c64.at(0, 0, 0), Number(1));
}

TEST(ReferenceSpmm, SixteenBitOperandsMayGiveFloat) {
  const Sparse a = test::sparse(4, 4, kA, {Format::csr, ValueType::bf16});
  const Dense b = counting_b(ValueType::bf16, Order::row, Op::n, 0);
  const Dense c = test::dense(ValueType::f32, Order::row, 4, 2, 0, kNan);
  SpmmProblem p = problem(a, b, c);
  p.scalars.alpha = {0x1.000002p0, 0};  // not a bf16 number
  reference::run(p);
  EXPECT_EQ(c.at(0, 3, 0).real(), static_cast<double>(5 * 0x1.000002p0f));
}

TEST(ReferenceSpmm, RowSlicesCountFromTheWholeMatrix) {
  for (const Format format : {Format::csr, Format::bsr}) {
    const Sparse a = test::sparse(4, 4, kA, test::layout_of(format, ValueType::f32, 1));
    const Dense b = counting_b(ValueType::f32, Order::row, Op::n, 0);
    const Dense c = test::dense(ValueType::f32, Order::row, 2, 2, 0, kNan);
    SpmmProblem p = problem(a, b, c);
    const std::int64_t first = 2 / p.a.block_size;
    p.a.rows = 2;
    p.a.first_entry = p.a.offset(first);
    p.a.nnzb -= p.a.first_entry;
    p.a.nnz = p.a.nnzb * p.a.block_size * p.a.block_size;
    p.a.offsets = static_cast<const std::int32_t*>(p.a.offsets) + first;
    reference::run(p);
    expect_rows(c, {{37, 44}, {5, 10}});
  }
}

TEST(ReferenceSpmm, BatchesShareOrStrideEveryOperand) {
  constexpr std::int64_t kBatches = 3;
  // Three diagonal matrices in one array of values; structure shared.
  const std::vector<Item> items = {{0, 0, 1}, {1, 1, 2}};
  Sparse a = test::sparse(2, 2, items, {});
  a.values = test::values(ValueType::f32, {1, 2, 3, 4, 5, 6});
  a.view.values = a.values.data();
  a.view.batch_count = kBatches;
  a.view.values_stride = 2;
  Dense b = test::dense(ValueType::f32, Order::row, 2, 1);
  b.set(0, 0, 0, 10);
  b.set(0, 1, 0, 100);
  const Dense c = test::dense(ValueType::f32, Order::row, 2, 1, 1, kNan, kBatches, 1);
  reference::run(problem(a, b, c));
  for (std::int64_t batch = 0; batch < kBatches; ++batch) {
    EXPECT_EQ(c.at(batch, 0, 0), Number(static_cast<double>(10 * (2 * batch + 1))));
    EXPECT_EQ(c.at(batch, 1, 0), Number(static_cast<double>(100 * (2 * batch + 2))));
  }

  // A shared, B and C strided.
  a.view.batch_count = 1;
  Dense b3 = test::dense(ValueType::f32, Order::col, 2, 1, 0, 0, kBatches, 3);
  for (std::int64_t batch = 0; batch < kBatches; ++batch) b3.set(batch, 1, 0, static_cast<double>(batch + 1));
  reference::run(problem(a, b3, c));
  for (std::int64_t batch = 0; batch < kBatches; ++batch)
    EXPECT_EQ(c.at(batch, 1, 0), Number(static_cast<double>(2 * (batch + 1))));
}

TEST(ReferenceSpmm, EmptySizesAreLegal) {
  const Sparse none = test::sparse(0, 0, {}, {});
  const Dense b = test::dense(ValueType::f32, Order::row, 0, 0);
  const Dense c = test::dense(ValueType::f32, Order::row, 0, 0);
  EXPECT_NO_THROW(reference::run(problem(none, b, c)));

  // No inner size: only beta C is left.
  const Sparse flat = test::sparse(2, 0, {}, {});
  const Dense kept = test::dense(ValueType::f32, Order::row, 2, 1, 0, 4);
  SpmmProblem p = problem(flat, test::dense(ValueType::f32, Order::row, 0, 1), kept);
  p.b.values = nullptr;
  p.scalars.beta = {0.25, 0};
  reference::run(p);
  expect_rows(kept, {{1}, {1}});
}

TEST(ReferenceSpmm, BrokenStructureIsRefusedBeforeAnythingIsWritten) {
  const Dense b = counting_b(ValueType::f32, Order::row, Op::n, 0);
  for (const Format format : test::kAllFormats) {
    Sparse a = test::sparse(4, 4, kA, test::layout_of(format, ValueType::f32, 0));
    auto* const minor = static_cast<std::int32_t*>(const_cast<void*>(a.view.minor_indices()));
    minor[a.view.format == Format::blocked_ell ? 1 : 0] = 4;
    const Dense c = test::dense(ValueType::f32, Order::row, 4, 2, 0, 9);
    try {
      reference::run(problem(a, b, c));
      FAIL() << name_of(format);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), SPK_STATUS_INVALID_STRUCTURE);
      EXPECT_NE(std::string(error.what()).find("= 4"), std::string::npos) << error.what();
    }
    expect_rows(c, {{9, 9}, {9, 9}, {9, 9}, {9, 9}});
  }
  Sparse a = test::sparse(4, 4, kA, {});
  static_cast<std::int32_t*>(a.offsets.data())[2] = 1;
  const Dense c = test::dense(ValueType::f32, Order::row, 4, 2, 0, 9);
  EXPECT_THROW(reference::run(problem(a, b, c)), Error);
}

TEST(ReferenceSpmm, EpilogueActivatesBeforeTheResidual) {
  const std::vector<Item> items = {{0, 0, 1}, {1, 0, -1}};
  const Sparse a = test::sparse(2, 1, items, {});
  const Dense b = test::dense(ValueType::f32, Order::row, 1, 1, 0, 2);
  Dense c = test::dense(ValueType::f32, Order::row, 2, 1, 0, 4);
  SpmmProblem p = problem(a, b, c);
  p.scalars.beta = {0.5, 0};
  const std::vector<float> bias = {1, -3};
  p.epilogue.bias_kind = BiasKind::per_row;
  p.epilogue.bias = bias.data();
  p.epilogue.activation = Activation::relu;
  p.epilogue.has_residual = true;
  p.epilogue.residual = p.c;  // C's own old values
  reference::run(p);          // relu(2 + 2 + 1) + 4, relu(-2 + 2 - 3) + 4
  expect_rows(c, {{9}, {4}});

  p.epilogue.bias_kind = BiasKind::per_col;  // relu(2 + 4.5 + 1) + 9, relu(-2 + 2 + 1) + 4
  reference::run(p);
  expect_rows(c, {{16.5}, {5}});
}

TEST(ReferenceSpmm, ActivationsHaveTheirPublishedValues) {
  const auto value = [](Activation activation, double x) {
    const std::vector<Item> items = {{0, 0, 1}};
    const Sparse a = test::sparse(1, 1, items, {Format::csr, ValueType::f64});
    const Dense b = test::dense(ValueType::f64, Order::row, 1, 1, 0, x);
    const Dense c = test::dense(ValueType::f64, Order::row, 1, 1);
    SpmmProblem p = problem(a, b, c);
    p.epilogue.activation = activation;
    reference::run(p);
    return c.at(0, 0, 0).real();
  };
  // x Phi(x) from tables of the normal distribution.
  EXPECT_NEAR(value(Activation::gelu, 1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(value(Activation::gelu, -1), -0.1586552539314571, 1e-15);
  EXPECT_NEAR(value(Activation::gelu, -3), -3 * 0.0013498980316301, 1e-15);
  EXPECT_NEAR(value(Activation::gelu_tanh, 1), 0.5 * (1 + std::tanh(0.7978845608028654 * 1.044715)), 1e-15);
  EXPECT_NEAR(value(Activation::gelu_tanh, -1), -0.5 * (1 - std::tanh(0.7978845608028654 * 1.044715)), 1e-15);
  for (const Activation gelu : {Activation::gelu, Activation::gelu_tanh}) {
    EXPECT_EQ(value(gelu, 0), 0);
    EXPECT_EQ(value(gelu, kInf), kInf);
    EXPECT_EQ(value(gelu, -1e6), 0);
    EXPECT_TRUE(std::isnan(value(gelu, -kInf)));
    EXPECT_TRUE(std::isnan(value(gelu, kNan)));
  }
  EXPECT_EQ(value(Activation::relu, -kInf), 0);
  EXPECT_TRUE(std::isnan(value(Activation::relu, kNan)));
}

// op(A) op(B) by three loops over dense copies.
TEST(ReferenceSpmm, EqualsADenseTripleLoopOnRandomIntegers) {
  test::SmallIntegers random(20240607);
  for (int round = 0; round < 600; ++round) {
    const Format format = test::kAllFormats[round % 5];
    const ValueType type = test::kAllTypes[random.below(6)];
    const bool complex = is_complex(type);
    const Layout layout = test::layout_of(format, type, static_cast<unsigned>(random.below(16)));
    const std::int64_t rows = 2 * (1 + random.below(4)), cols = 2 * (1 + random.below(4)), n = random.below(6);
    const auto items = test::random_items(random, rows, cols, random.below(rows * cols), complex);
    const Sparse a = test::sparse(rows, cols, items, layout);
    const Op ops[] = {Op::n, Op::t, Op::c};
    const Op op_a = ops[random.below(3)], op_b = ops[random.below(3)];
    const std::int64_t m = op_a == Op::n ? rows : cols, k = op_a == Op::n ? cols : rows;
    const Order orders[] = {Order::row, Order::col};
    Dense b =
        test::dense(type, orders[random.below(2)], op_b == Op::n ? k : n, op_b == Op::n ? n : k, random.below(3), kNan);
    for (std::int64_t i = 0; i < b.view.rows; ++i)
      for (std::int64_t j = 0; j < b.view.cols; ++j) b.set(0, i, j, random(complex));
    Dense c = test::dense(type, orders[random.below(2)], m, n, random.below(3), kNan);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) c.set(0, i, j, random(complex));
    SpmmProblem p = problem(a, b, c, op_a, op_b);
    const Number alpha = random(complex), beta = random(complex);
    p.scalars.alpha = {alpha.real(), alpha.imag()};
    p.scalars.beta = {beta.real(), beta.imag()};

    std::vector<Number> dense(static_cast<std::size_t>(rows * cols));
    for (const Item& item : items) dense[static_cast<std::size_t>(item.row * cols + item.col)] += item.value;
    std::vector<Number> want;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        Number sum = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          Number x = dense[static_cast<std::size_t>(op_a == Op::n ? i * cols + l : l * cols + i)];
          Number y = op_b == Op::n ? b.at(0, l, j) : b.at(0, j, l);
          if (op_a == Op::c) x = std::conj(x);
          if (op_b == Op::c) y = std::conj(y);
          sum += x * y;
        }
        // Sums beyond 2048 would not be exact in f16, nor beyond 256 in bf16: those round as the type does.
        Number rounded = 0;
        test::put(type, &rounded, 0, alpha * sum + beta * c.at(0, i, j));
        want.push_back(test::get(type, &rounded, 0));
      }

    SCOPED_TRACE("round " + std::to_string(round) + " " + layout.text() + " opA " + name_of(op_a));
    reference::run(p);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        ASSERT_EQ(c.at(0, i, j), want[static_cast<std::size_t>(i * n + j)]) << i << ", " << j;
  }
}

}  // namespace
}  // namespace spk
