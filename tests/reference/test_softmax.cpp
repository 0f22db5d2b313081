// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "core/error.hpp"
#include "cpu/reference/operations.hpp"

namespace spk {
namespace {

using test::Number;
using test::Sparse;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr ValueType kRealTypes[] = {ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64};

// A CSR matrix with rows of the given values, in columns 0, 1, ...
Sparse rows_of(const std::vector<std::vector<double>>& rows, ValueType type = ValueType::f64, unsigned variant = 0) {
  std::vector<test::Item> items;
  std::size_t cols = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cols = std::max(cols, rows[i].size());
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      items.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), rows[i][j]});
  }
  return test::sparse(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(cols), items,
                      test::layout_of(Format::csr, type, variant));
}

std::vector<double> reals(const SparseView& a) {
  std::vector<double> out;
  for (const Number x : test::numbers(a.value_type, a.values, a.nnz)) out.push_back(x.real());
  return out;
}

// Softmax in place.
std::vector<double> softmax(const std::vector<std::vector<double>>& rows, double scale = 1,
                            const std::vector<std::uint8_t>& mask = {}) {
  const Sparse x = rows_of(rows);
  SoftmaxProblem p;
  p.x = p.y = x.view;
  p.scale = scale;
  p.mask = mask.empty() ? nullptr : mask.data();
  reference::run(p);
  return reals(x.view);
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-16) << i;
}

TEST(ReferenceSoftmax, WorkedRows) {
  const double e = std::exp(1.0);
  expect_near(softmax({{1000, 1000, -1000}, {}, {89, 90}}), {0.5, 0.5, 0, 1 / (1 + e), e / (1 + e)});
  expect_near(softmax({{0, std::log(3.0)}}), {0.25, 0.75});
  expect_near(softmax({{0, 2 * std::log(3.0)}}, 0.5), {0.25, 0.75});
  expect_near(softmax({{std::log(3.0), 0}}, -1), {0.25, 0.75});
  expect_near(softmax({{5, 7, 9, 11}}, 0), {0.25, 0.25, 0.25, 0.25});
}

TEST(ReferenceSoftmax, MasksLeaveEntriesOut) {
  expect_near(softmax({{0, 50, std::log(3.0)}, {1, 2}}, 1, {1, 0, 7, 0, 0}), {0.25, 0, 0.75, 0, 0});
  // What is left out does not matter, and stays 0 in a lost row.
  expect_near(softmax({{0, kNan, 0}}, 1, {1, 0, 1}), {0.5, 0, 0.5});
  const auto lost = softmax({{kNan, 3, 0}}, 1, {1, 0, 1});
  EXPECT_TRUE(std::isnan(lost[0]) && std::isnan(lost[2]));
  EXPECT_EQ(lost[1], 0);
}

TEST(ReferenceSoftmax, InfinitiesAndNan) {
  expect_near(softmax({{-kInf, 0, -kInf, 0}}), {0, 0.5, 0, 0.5});
  expect_near(softmax({{-kInf, -kInf}}), {0, 0});
  for (const double bad : {kInf, kNan})
    for (const double x : softmax({{1, bad, 2}})) EXPECT_TRUE(std::isnan(x));
  // 0 * infinity
  for (const double x : softmax({{1, -kInf}}, 0)) EXPECT_TRUE(std::isnan(x));
}

TEST(ReferenceSoftmax, EveryTypeIndexTypeAndBase) {
  for (const ValueType type : kRealTypes)
    for (unsigned variant = 0; variant < 8; ++variant) {
      const Sparse x = rows_of({{3, 3}, {-5, -5, -5, -5}}, type, variant);
      const Sparse y = rows_of({{kNan, kNan}, {kNan, kNan, kNan, kNan}}, type, variant);
      SoftmaxProblem p;
      p.x = x.view;
      p.y = y.view;
      reference::run(p);
      EXPECT_EQ(reals(y.view), (std::vector<double>{0.5, 0.5, 0.25, 0.25, 0.25, 0.25}));
      EXPECT_EQ(reals(x.view)[0], 3);
    }
}

TEST(ReferenceSoftmax, SlicesCountTheirMaskFromTheirFirstEntry) {
  const Sparse x = rows_of({{8, 8, 8}, {1, 2, 1}});
  SoftmaxProblem p;
  p.x = x.view;
  p.x.rows = 1;
  p.x.first_entry = 3;
  p.x.nnz = p.x.nnzb = 3;
  p.x.offsets = static_cast<const std::int32_t*>(p.x.offsets) + 1;
  p.y = p.x;
  const std::vector<std::uint8_t> mask = {1, 0, 1};
  p.mask = mask.data();
  reference::run(p);
  EXPECT_EQ(reals(x.view), (std::vector<double>{8, 8, 8, 0.5, 0, 0.5}));
}

TEST(ReferenceSoftmax, BatchesShareTheMask) {
  Sparse x = rows_of({{0, 0}});
  x.values = test::values(ValueType::f64, {1, 1, -7, 4, 4});
  x.view.values = x.values.data();
  x.view.batch_count = 2;
  x.view.values_stride = 3;
  SoftmaxProblem p;
  p.x = p.y = x.view;
  const std::vector<std::uint8_t> mask = {0, 1};
  p.mask = mask.data();
  reference::run(p);
  x.view.nnz = 5;
  EXPECT_EQ(reals(x.view), (std::vector<double>{0, 1, -7, 0, 1}));
}

TEST(ReferenceSoftmax, BrokenOffsetsAreRefused) {
  Sparse x = rows_of({{1, 2}, {3}});
  static_cast<std::int32_t*>(x.offsets.data())[1] = 5;
  SoftmaxProblem p;
  p.x = p.y = x.view;
  EXPECT_THROW(reference::run(p), Error);
  EXPECT_EQ(reals(x.view), (std::vector<double>{1, 2, 3}));
}

TEST(ReferenceSoftmaxBackward, WorkedRows) {
  for (const ValueType type : kRealTypes)
    for (const bool in_place : {false, true}) {
      const Sparse y = rows_of({{0.25, 0.75}, {}, {1, 0}}, type), dy = rows_of({{1, 2}, {}, {3, 9}}, type);
      const Sparse dx = rows_of({{kNan, kNan}, {}, {kNan, kNan}}, type);
      SoftmaxBackwardProblem p;
      p.y = y.view;
      p.dy = dy.view;
      p.dx = in_place ? dy.view : dx.view;
      p.scale = 2;
      reference::run(p);
      // Row 0: sum y dy = 1.75; row 2: 3, and an entry that is left out gets 0.
      EXPECT_EQ(reals(p.dx), (std::vector<double>{-0.375, 0.375, 0, 0}));
    }
}

// float arithmetic as a kernel would do it.
std::vector<double> float_softmax(const std::vector<double>& row, float scale) {
  float max = -std::numeric_limits<float>::infinity(), sum = 0;
  for (const double x : row) max = std::max(max, scale * static_cast<float>(x));
  std::vector<double> out;
  for (const double x : row) {
    const float e = std::exp(scale * static_cast<float>(x) - max);
    sum += e;
    out.push_back(static_cast<double>(e));
  }
  for (double& e : out) e = static_cast<double>(static_cast<float>(e) / sum);
  return out;
}

TEST(ReferenceSoftmaxJudge, AcceptsFloatArithmeticAndNothingMuchWorse) {
  std::mt19937_64 random(99);
  double worst = 0, smallest_refused = kInf;
  for (int round = 0; round < 500; ++round) {
    const double scales[] = {1, 0.125, 0.1, -3, 1e-3, 40};
    const double scale = scales[round % 6];
    std::normal_distribution<double> normal(0, round % 4 == 0 ? 50 : 2);
    std::vector<double> row(1 + random() % 40);
    for (double& x : row) x = static_cast<double>(static_cast<float>(normal(random)));
    const Sparse x = rows_of({row}, ValueType::f32);
    Sparse y = rows_of({float_softmax(row, static_cast<float>(scale))}, ValueType::f32);
    SoftmaxProblem p;
    p.x = p.y = x.view;
    p.scale = scale;
    const Verdict v = reference::judge(p, y.view);
    worst = std::max(worst, v.worst);
    EXPECT_EQ(v.entries, x.view.nnz);
    // A thousandth off where an entry is large must not pass unless the exponents themselves are that uncertain.
    auto off = float_softmax(row, static_cast<float>(scale));
    *std::max_element(off.begin(), off.end()) *= 1.001;
    y = rows_of({off}, ValueType::f32);
    smallest_refused = std::min(smallest_refused, reference::judge(p, y.view).worst);
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.02);
  EXPECT_GT(smallest_refused, 1);
}

TEST(ReferenceSoftmaxJudge, NanZeroAndOverflow) {
  const auto judged = [](std::vector<double> row, std::vector<double> got, double scale = 1) {
    const Sparse x = rows_of({row}, ValueType::f32), y = rows_of({got}, ValueType::f32);
    SoftmaxProblem p;
    p.x = p.y = x.view;
    p.scale = scale;
    return reference::judge(p, y.view).worst;
  };
  EXPECT_EQ(judged({-kInf, -kInf}, {0, 0}), 0);
  EXPECT_EQ(judged({-kInf, -kInf}, {kNan, 0}), kInf);
  EXPECT_GT(judged({-kInf, 0}, {1e-6, 1}), 1);
  EXPECT_EQ(judged({kNan, 0}, {kNan, kNan}), 0);
  EXPECT_EQ(judged({kNan, 0}, {kNan, 0.5}), kInf);
  // 1e38 * 100 leaves the range of float.
  EXPECT_LE(judged({1e38, 0}, {kNan, kNan}, 100), 1);
  EXPECT_LE(judged({1e38, 0}, {1, 0}, 100), 1);
}

TEST(ReferenceSoftmaxBackwardJudge, AcceptsFloatArithmeticAndNothingMuchWorse) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 1);
  double worst = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> row(1 + random() % 40), dy(row.size()), dx;
    for (double& x : row) x = static_cast<double>(static_cast<float>(normal(random)));
    for (double& x : dy) x = static_cast<double>(static_cast<float>(normal(random)));
    const auto y = float_softmax(row, 1);
    const float scale = 0.3f;
    float dot = 0;
    for (std::size_t l = 0; l < y.size(); ++l) dot += static_cast<float>(y[l]) * static_cast<float>(dy[l]);
    for (std::size_t l = 0; l < y.size(); ++l)
      dx.push_back(static_cast<double>(scale * static_cast<float>(y[l]) * (static_cast<float>(dy[l]) - dot)));
    const Sparse y_matrix = rows_of({y}, ValueType::f32), dy_matrix = rows_of({dy}, ValueType::f32);
    Sparse dx_matrix = rows_of({dx}, ValueType::f32);
    SoftmaxBackwardProblem p;
    p.y = y_matrix.view;
    p.dy = dy_matrix.view;
    p.dx = dx_matrix.view;
    p.scale = 0.3;
    worst = std::max(worst, reference::judge(p, dx_matrix.view).worst);
    dx[0] += 1e-3 * y[0];
    dx_matrix = rows_of({dx}, ValueType::f32);
    EXPECT_GT(reference::judge(p, dx_matrix.view).worst, 1);
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.02);
}

}  // namespace
}  // namespace spk
