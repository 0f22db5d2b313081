// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace {

static_assert(std::is_trivially_copyable_v<__half> && std::is_trivially_default_constructible_v<__half>);
static_assert(std::is_trivially_copyable_v<nv_bfloat16> && std::is_convertible_v<double, nv_bfloat16>);

float next(float x, float towards) { return std::nextafter(x, towards); }

TEST(Half, EveryValueSurvivesTheWayThroughFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const __half half = __ushort_as_half(static_cast<unsigned short>(bits));
    const float value = half;
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x7fffu, 0x7c00u);
      EXPECT_EQ(__half_as_ushort(__half(value)), 0x7fff);
      continue;
    }
    ASSERT_EQ(__half_as_ushort(__float2half(value)), bits);
    ASSERT_EQ(__half_as_ushort(__half(static_cast<double>(value))), bits);
    // Built from the fields of the format.
    const int exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
    if (exponent == 31) continue;
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(value, (bits & 0x8000u) != 0 ? -magnitude : magnitude) << bits;
  }
}

TEST(Half, TiesGoToEvenAndEverythingElseToTheNearest) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const float low = __ushort_as_half(static_cast<unsigned short>(bits));
    const float high = __ushort_as_half(static_cast<unsigned short>(bits + 1));
    const float middle = low + (high - low) / 2;
    ASSERT_EQ(__half_as_ushort(__half(middle)), (bits + 1) & ~1u) << bits;
    ASSERT_EQ(__half_as_ushort(__half(next(middle, 0))), bits);
    ASSERT_EQ(__half_as_ushort(__half(next(middle, infinity))), bits + 1);
    // Too close to the tie for a float: rounding twice would get it wrong.
    const double middle64 = middle;
    ASSERT_EQ(__half_as_ushort(__half(std::nextafter(middle64, 0.0))), bits);
    ASSERT_EQ(__half_as_ushort(__half(std::nextafter(middle64, 1e9))), bits + 1);
    ASSERT_EQ(__half_as_ushort(__half(-std::nextafter(middle64, 1e9))), (bits + 1) | 0x8000u);
  }
}

TEST(Half, LargeValuesBecomeInfinite) {
  EXPECT_EQ(__half_as_ushort(__half(next(65520.0f, 0))), 0x7bff);
  EXPECT_EQ(__half_as_ushort(__half(65520.0f)), 0x7c00);
  EXPECT_EQ(__half_as_ushort(__half(-1e30)), 0xfc00);
  EXPECT_EQ(__half_as_ushort(__half(-1e300)), 0xfc00);
  EXPECT_EQ(__half_as_ushort(__half(std::numeric_limits<float>::infinity())), 0x7c00);
  EXPECT_EQ(__half_as_ushort(__half(1 << 30)), 0x7c00);
}

TEST(Half, CountsAsAFloatInExpressions) {
  __half x = 3, y(0.5);
  x += y;
  EXPECT_EQ(x, 3.5f);
  x -= 0.5f;
  x *= y;
  x /= __half(3u);
  EXPECT_EQ(static_cast<double>(x), 0.5);
  EXPECT_EQ(static_cast<int>(-(++x)), -1);
  EXPECT_TRUE(y < x && x == 1.5f && x != y);
  const __half sum = x + y;
  EXPECT_EQ(__half2float(sum), 2.0f);
}

TEST(Bfloat16, KeepsTheUpperHalfOfAFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const nv_bfloat16 narrow = __ushort_as_bfloat16(static_cast<unsigned short>(bits));
    const float value = narrow;
    if (std::isnan(value)) {
      EXPECT_EQ(__bfloat16_as_ushort(nv_bfloat16(value)), 0x7fff);
      continue;
    }
    ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(value)), bits);
    unsigned wide = bits << 16;
    ASSERT_EQ(std::memcmp(&wide, &value, sizeof wide), 0);
  }
}

TEST(Bfloat16, TiesGoToEvenAndEverythingElseToTheNearest) {
  for (unsigned bits = 0x80; bits < 0x7f7f; ++bits) {
    const float low = __ushort_as_bfloat16(static_cast<unsigned short>(bits));
    const float high = __ushort_as_bfloat16(static_cast<unsigned short>(bits + 1));
    const float middle = low + (high - low) / 2;
    const double middle64 = middle;
    ASSERT_EQ(__bfloat16_as_ushort(nv_bfloat16(middle)), (bits + 1) & ~1u) << bits;
    ASSERT_EQ(__bfloat16_as_ushort(nv_bfloat16(next(middle, 0))), bits);
    ASSERT_EQ(__bfloat16_as_ushort(nv_bfloat16(std::nextafter(middle64, 1e300))), bits + 1);
  }
  EXPECT_EQ(__bfloat16_as_ushort(nv_bfloat16(std::numeric_limits<float>::max())), 0x7f80);
  EXPECT_EQ(__bfloat16_as_ushort(nv_bfloat16(257)), 0x4380);
  EXPECT_EQ(__bfloat16_as_ushort(nv_bfloat16(259)), 0x4382);
}

}  // namespace
