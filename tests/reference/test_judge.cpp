// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "cpu/reference/operations.hpp"

namespace spk {
namespace {

using test::Dense;
using test::Number;
using test::Sparse;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// C = alpha * sum of the given terms times 1 + beta * c, one element; `judged` is the verdict on `got`.
struct OneElement {
  std::vector<Number> terms;
  ValueType type = ValueType::f32;
  Scalars scalars = {};
  Number c = 0;
  Epilogue epilogue = {};
  ValueType c_type = type;

  Verdict judged(Number got) const {
    std::vector<test::Item> items;
    for (std::size_t l = 0; l < terms.size(); ++l) items.push_back({0, static_cast<std::int64_t>(l), terms[l]});
    const auto k = static_cast<std::int64_t>(terms.size());
    const Sparse a = test::sparse(1, k, items, {Format::csr, type});
    const Dense b = test::dense(type, Order::row, k, 1, 0, 1);
    Dense before = test::dense(c_type, Order::row, 1, 1, 0, c);
    const Dense after = test::dense(c_type, Order::row, 1, 1, 0, got);
    SpmmProblem p;
    p.m = p.n = 1;
    p.k = k;
    p.a = a.view;
    p.b = b.view;
    p.c = before.view;
    p.compute = sum_type(type);
    p.scalars = scalars;
    p.epilogue = epilogue;
    return reference::judge(p, after.view);
  }
};

TEST(ReferenceJudge, BoundIsTheDocumentedOne) {
  const OneElement one{{3, -1}};
  const Verdict v = one.judged(2);
  EXPECT_EQ(v.entries, 1);
  EXPECT_EQ(v.worst, 0);
  EXPECT_EQ(v.want.re, 2);
  // (2 + 2) 2^-24 (3 + 1), and half an ulp of 2.
  EXPECT_NEAR(v.bound, 16 * 0x1p-24 + 0x1p-23, 0x1p-60);
  EXPECT_EQ(v.largest_bound, v.bound);

  OneElement scaled{{3, -1}};
  scaled.scalars.alpha = {-2, 0};
  scaled.scalars.beta = {0.5, 0};
  scaled.c = 8;
  // 4 2^-24 (2 * 4 + 0.5 * 8), and half an ulp of the 0 that comes out, moved by the error before.
  const double error = 4 * 0x1p-24 * 12;
  EXPECT_NEAR(scaled.judged(0).bound, error, error * 1e-6);
  EXPECT_EQ(scaled.judged(0).want.re, 0);
}

TEST(ReferenceJudge, LastBitPassesAndMoreDoesNot) {
  const OneElement one{{1}};
  EXPECT_LE(one.judged(1 + 0x1p-23).worst, 1);
  EXPECT_GT(one.judged(1 + 0x1p-21).worst, 1);
  const OneElement wide{{1}, ValueType::f64};
  EXPECT_LE(wide.judged(1 + 0x1p-52).worst, 1);
  EXPECT_GT(wide.judged(1 + 0x1p-50).worst, 1);
}

TEST(ReferenceJudge, SixteenBitResultsMayBeHalfAnUlpOff) {
  // 1 + 2^-11 lies half-way between two f16 numbers; an f32 result of the same operands has no such excuse.
  OneElement one{{1, 0x1p-11}, ValueType::f16};
  EXPECT_LE(one.judged(1).worst, 1);
  EXPECT_LE(one.judged(1 + 0x1p-10).worst, 1);
  EXPECT_GT(one.judged(1 + 0x1p-9).worst, 1);
  one.c_type = ValueType::f32;
  EXPECT_GT(one.judged(1).worst, 1);
  EXPECT_EQ(one.judged(1 + 0x1p-11).worst, 0);
}

TEST(ReferenceJudge, NanAndInfinityMustAgree) {
  const OneElement finite{{1}}, nan{{kNan}}, infinite{{kInf}}, mixed{{kInf, -kInf}};
  EXPECT_EQ(finite.judged(kNan).worst, kInf);
  EXPECT_EQ(finite.judged(kInf).worst, kInf);
  EXPECT_EQ(nan.judged(1).worst, kInf);
  EXPECT_EQ(nan.judged(kInf).worst, kInf);
  EXPECT_EQ(nan.judged(kNan).worst, 0);
  EXPECT_EQ(infinite.judged(kInf).worst, 0);
  EXPECT_EQ(infinite.judged(-kInf).worst, kInf);
  EXPECT_EQ(infinite.judged(3e38).worst, kInf);
  EXPECT_EQ(mixed.judged(kNan).worst, 0);
  EXPECT_EQ(mixed.judged(0).worst, kInf);
}

TEST(ReferenceJudge, RoundingDecidesAtTheEndOfTheRange) {
  // f16 ends at 65504; from 65520 on results round to infinity.
  const OneElement inside{{65472, 32}, ValueType::f16}, tie{{65504, 16}, ValueType::f16},
      outside{{65504, 64}, ValueType::f16};
  EXPECT_EQ(inside.judged(65504).worst, 0);
  EXPECT_GT(inside.judged(kInf).worst, 1);
  EXPECT_LE(tie.judged(kInf).worst, 1);
  EXPECT_LE(tie.judged(65504).worst, 1);
  EXPECT_EQ(outside.judged(kInf).worst, 0);
  EXPECT_EQ(outside.judged(-kInf).worst > 1, true);
  EXPECT_GT(outside.judged(65504).worst, 1);
}

TEST(ReferenceJudge, SumsThatLeaveTheirRangeAreNobodysFault) {
  const OneElement big{{3e38, 3e38, -3e38}};
  EXPECT_EQ(big.judged(kInf).worst, 0);
  EXPECT_EQ(big.judged(kNan).worst, 0);
  EXPECT_LE(big.judged(3e38).worst, 1);
  EXPECT_GT(big.judged(1e38).worst, 1);
  // The same numbers in double stay in range.
  const OneElement wide{{3e38, 3e38, -3e38}, ValueType::f64};
  EXPECT_EQ(wide.judged(kInf).worst, kInf);
}

TEST(ReferenceJudge, SubnormalResultsMayLoseTheirLastBitOnly) {
  OneElement one{{0x1p-100}};
  one.scalars.alpha = {0x1.8p-49, 0};  // 1.5 * 2^-149
  EXPECT_LE(one.judged(0x1p-149).worst, 1);
  EXPECT_LE(one.judged(0x1p-148).worst, 1);
  EXPECT_GT(one.judged(0x1p-140).worst, 1);
  const OneElement f16_subnormal{{0x1p-24, 0x1p-24}, ValueType::f16};
  EXPECT_EQ(f16_subnormal.judged(0x1p-23).worst, 0);
  EXPECT_GT(f16_subnormal.judged(0).worst, 1);
}

TEST(ReferenceJudge, ComplexPartsShareOneBound) {
  OneElement one{{Number(3, 4)}, ValueType::c64};
  const Verdict v = one.judged(Number(3, 4 + 0x1p-21));
  EXPECT_EQ(v.want.im, 4);
  // 2 (1 + 2) 2^-24 |3 + 4i|, and half an ulp of 4.
  EXPECT_NEAR(v.bound, 30 * 0x1p-24 + 0x1p-22, 0x1p-40);
  EXPECT_NEAR(v.worst, 0x1p-21 / v.bound, 1e-6);
  one.terms = {Number(kInf, 0)};
  EXPECT_EQ(one.judged(Number(kInf, kNan)).worst, 0);
  EXPECT_EQ(one.judged(Number(kNan, kInf)).worst, 0);
  EXPECT_EQ(one.judged(Number(1, 2)).worst, kInf);
}

TEST(ReferenceJudge, EpiloguesWidenTheBoundByTheirSlope) {
  OneElement one{{1}};
  const double plain = one.judged(1).bound - 0x1p-24;
  one.epilogue.activation = Activation::gelu;
  const Verdict v = one.judged(0.84134475);
  EXPECT_NEAR(v.want.re, 0.8413447460685429, 1e-15);
  EXPECT_LE(v.worst, 1);
  EXPECT_NEAR(v.bound, 1.13 * plain + 8 * 0x1p-24 + 0x1p-25, 1e-12);
  EXPECT_GT(one.judged(0.8413500).worst, 1);

  // relu(-inf) is exactly 0.
  one.terms = {-kInf};
  one.epilogue.activation = Activation::relu;
  EXPECT_EQ(one.judged(0).worst, 0);
  EXPECT_GT(one.judged(1e-30).worst, 1);
}

TEST(ReferenceJudge, ReportsTheWorstPlaceOfABatch) {
  const std::vector<test::Item> items = {{0, 0, 1}, {1, 0, 1}};
  const Sparse a = test::sparse(2, 1, items, {});
  const Dense b = test::dense(ValueType::f32, Order::row, 1, 3, 0, 1);
  const Dense c = test::dense(ValueType::f32, Order::col, 2, 3, 1, 0, 2, 5);
  Dense got = test::dense(ValueType::f32, Order::col, 2, 3, 1, 1, 2, 5);
  got.set(0, 0, 1, 1.5);
  got.set(1, 1, 2, 3);
  SpmmProblem p;
  p.m = 2;
  p.n = 3;
  p.k = 1;
  p.a = a.view;
  p.b = b.view;
  p.c = c.view;
  const Verdict v = reference::judge(p, got.view);
  EXPECT_EQ(v.entries, 12);
  EXPECT_EQ(v.batch, 1);
  EXPECT_EQ(v.row, 1);
  EXPECT_EQ(v.col, 2);
  EXPECT_EQ(v.got.re, 3);
  EXPECT_EQ(v.want.re, 1);
}

// Plain sums in the sum's own type must pass, whatever their order, for every type and also for small numbers.
TEST(ReferenceJudge, AcceptsEveryOrderOfSummationInTheSumType) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double worst = 0;
  for (int round = 0; round < 2000; ++round) {
    const bool wide = round % 2 == 0;
    const auto count = static_cast<std::size_t>(1 + random() % 50);
    const double scale = std::ldexp(1.0, round % 5 == 0 ? (wide ? -1070 : -146) : 0);
    OneElement one{{}, wide ? ValueType::f64 : ValueType::f32};
    double sum64 = 0;
    float sum32 = 0;
    for (std::size_t l = 0; l < count; ++l) {
      const double term =
          wide ? uniform(random) * scale : static_cast<double>(static_cast<float>(uniform(random) * scale));
      one.terms.push_back(term);
      sum64 += term;
      sum32 += static_cast<float>(term);
    }
    worst = std::max(worst, one.judged(wide ? sum64 : static_cast<double>(sum32)).worst);
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.01);
}

}  // namespace
}  // namespace spk
