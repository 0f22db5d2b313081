// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/half.hpp"

namespace spk {
namespace {

// The two 16-bit formats as their definitions have them.
template <class Half>
struct Definition;
template <>
struct Definition<f16> {
  static constexpr int kFraction = 10, kBias = 15, kExponents = 31;
  static f16 round(float x) { return to_f16(x); }
  static f16 round(double x) { return to_f16(x); }
};
template <>
struct Definition<bf16> {
  static constexpr int kFraction = 7, kBias = 127, kExponents = 255;
  static bf16 round(float x) { return to_bf16(x); }
  static bf16 round(double x) { return to_bf16(x); }
};

template <class Half>
double value_of_code(unsigned code) {
  using D = Definition<Half>;
  const int exponent = static_cast<int>(code >> D::kFraction) & D::kExponents;
  const int fraction = static_cast<int>(code) & ((1 << D::kFraction) - 1);
  double x = std::ldexp(fraction, 1 - D::kBias - D::kFraction);
  if (exponent == D::kExponents)
    x = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent > 0)
    x = std::ldexp(fraction + (1 << D::kFraction), exponent - D::kBias - D::kFraction);
  return (code & 0x8000u) != 0 ? -x : x;
}

// All numbers from 0 to the largest, by code, and the one that would follow; its code is that of infinity.
template <class Half>
const std::vector<double>& ladder() {
  static const std::vector<double> steps = [] {
    using D = Definition<Half>;
    std::vector<double> out;
    for (unsigned code = 0; code < static_cast<unsigned>(D::kExponents << D::kFraction); ++code)
      out.push_back(value_of_code<Half>(code));
    out.push_back(std::ldexp(1.0, D::kExponents - D::kBias));
    return out;
  }();
  return steps;
}

// Nearest, ties to the even code. Midpoints of neighbours are exact in double, so comparing with them is exact.
template <class Half>
unsigned nearest_code(double x) {
  const auto& steps = ladder<Half>();
  const unsigned sign = std::signbit(x) ? 0x8000u : 0u;
  const double magnitude = std::fabs(x);
  const auto above = std::upper_bound(steps.begin(), steps.end(), magnitude);
  if (above == steps.end()) return sign | static_cast<unsigned>(steps.size() - 1);
  auto code = static_cast<unsigned>(above - steps.begin()) - 1;
  const double midpoint = (steps[code] + steps[code + 1]) / 2;
  if (magnitude > midpoint || (magnitude == midpoint && code % 2 == 1)) ++code;
  return sign | code;
}

template <class Half>
void expect_rounds_right(double x) {
  ASSERT_EQ(Definition<Half>::round(x).bits, nearest_code<Half>(x)) << std::hexfloat << x;
  const auto narrow = static_cast<float>(x);
  ASSERT_EQ(Definition<Half>::round(narrow).bits, nearest_code<Half>(static_cast<double>(narrow)))
      << std::hexfloat << narrow;
}

template <class Half>
class HalfTest : public ::testing::Test {};
using Halves = ::testing::Types<f16, bf16>;
TYPED_TEST_SUITE(HalfTest, Halves);

TYPED_TEST(HalfTest, EveryCodeHasItsValueAndComesBack) {
  for (unsigned code = 0; code < 65536; ++code) {
    const TypeParam half{static_cast<std::uint16_t>(code)};
    const float x = to_float(half);
    const double want = value_of_code<TypeParam>(code);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(x)) << code;
      ASSERT_TRUE(std::isnan(to_float(Definition<TypeParam>::round(x)))) << code;
      ASSERT_TRUE(std::isnan(to_float(Definition<TypeParam>::round(static_cast<double>(x))))) << code;
      continue;
    }
    ASSERT_EQ(static_cast<double>(x), want) << code;
    ASSERT_EQ(std::signbit(x), (code & 0x8000u) != 0) << code;
    ASSERT_EQ(Definition<TypeParam>::round(x).bits, code);
    ASSERT_EQ(Definition<TypeParam>::round(want).bits, code);
  }
}

// At every tie, one step of float and of double to both sides of it, and at the numbers themselves.
TYPED_TEST(HalfTest, RoundsRightAroundEveryTie) {
  const auto& steps = ladder<TypeParam>();
  for (std::size_t code = 0; code + 1 < steps.size(); ++code)
    for (const double x : {(steps[code] + steps[code + 1]) / 2, steps[code]}) {
      const auto f = static_cast<float>(x);
      constexpr float kInf = std::numeric_limits<float>::infinity();
      for (const double y :
           {x, std::nextafter(x, 1e300), std::nextafter(x, -1e300), static_cast<double>(std::nextafter(f, kInf)),
            static_cast<double>(std::nextafter(f, -kInf))}) {
        expect_rounds_right<TypeParam>(y);
        expect_rounds_right<TypeParam>(-y);
      }
    }
}

TYPED_TEST(HalfTest, RoundsRightOnRandomBits) {
  std::mt19937_64 random(123);
  for (int round = 0; round < 300000; ++round) {
    const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(f)) expect_rounds_right<TypeParam>(static_cast<double>(f));
    // A double near the range, with all its bits.
    const int exponent = static_cast<int>(random() % 300) - 160;
    expect_rounds_right<TypeParam>(std::ldexp(static_cast<double>(random()), exponent - 64));
    const auto d = std::bit_cast<double>(random());
    if (!std::isnan(d)) expect_rounds_right<TypeParam>(d);
  }
}

TYPED_TEST(HalfTest, EndsOfTheRange) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const double x : {0.0, kInf, 1e300, 1e-300, 5e-324, 3.5e38, 0x1p-134, 0x1.8p-134, 0x1p-25, 0x1.8p-25}) {
    expect_rounds_right<TypeParam>(x);
    expect_rounds_right<TypeParam>(-x);
  }
}

TEST(Half, LiteralCodes) {
  EXPECT_EQ(to_f16(1.0f).bits, 0x3c00);
  EXPECT_EQ(to_f16(-2.0f).bits, 0xc000);
  EXPECT_EQ(to_f16(65504.0f).bits, 0x7bff);
  EXPECT_EQ(to_f16(65519.99).bits, 0x7bff);
  EXPECT_EQ(to_f16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(to_f16(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(to_f16(0x1p-25f).bits, 0x0000);
  EXPECT_EQ(to_f16(0x1.0000000000001p-25).bits, 0x0001);
  EXPECT_EQ(to_bf16(1.0f).bits, 0x3f80);
  EXPECT_EQ(to_bf16(0x1.01p0).bits, 0x3f80);
  EXPECT_EQ(to_bf16(0x1.0100000000001p0).bits, 0x3f81);
  EXPECT_EQ(to_bf16(3.4e38f).bits, 0x7f80);
  EXPECT_EQ(to_bf16(-0.0f).bits, 0x8000);
}

}  // namespace
}  // namespace spk
