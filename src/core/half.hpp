// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <bit>
#include <cstdint>

// 16-bit floating point on the host: storage types and conversions by bit code, the same on every machine.
// Kernels may use instructions instead (F16C); these define the right answer.
namespace spk {

struct f16 {
  std::uint16_t bits;
};

struct bf16 {
  std::uint16_t bits;
};

inline float to_float(f16 h) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (h.bits >> 10) & 0x1fu;
  const std::uint32_t mantissa = h.bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Subnormal: mantissa * 2^-24 is exact in float.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

inline float to_float(bf16 h) noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(h.bits) << 16); }

// Rounds to nearest, ties to even; overflow gives infinity, NaN stays a quiet NaN.
inline f16 to_f16(float value) noexcept {
  const std::uint32_t x = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (x >> 16) & 0x8000u;
  const std::uint32_t a = x & 0x7fffffffu;
  std::uint32_t result;
  if (a > 0x7f800000u) {
    result = 0x7e00u | ((a >> 13) & 0x1ffu);
  } else if (a >= 0x477ff000u) {
    result = 0x7c00u;  // 65520 and above round to infinity
  } else if (a < 0x38800000u) {
    // Below 2^-14: adding 0.5 puts the unit 2^-24 at the last place of a float, which rounds once and correctly.
    const float shifted = std::bit_cast<float>(a) + 0.5f;
    result = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u;
  } else {
    const std::uint32_t rounded = a + 0xfffu + ((a >> 13) & 1u);
    result = (rounded - 0x38000000u) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | result)};
}

inline bf16 to_bf16(float value) noexcept {
  const std::uint32_t x = std::bit_cast<std::uint32_t>(value);
  if ((x & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((x >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16)};
}

// A double on its way to 16 bits: rounded to odd first, so that the second rounding knows which side it came from.
inline float round_to_odd(double value) noexcept {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if ((value > 0) == (back > value)) --bits;  // towards zero
  return std::bit_cast<float>(bits | 1u);
}

inline f16 to_f16(double value) noexcept { return to_f16(round_to_odd(value)); }
inline bf16 to_bf16(double value) noexcept { return to_bf16(round_to_odd(value)); }

}  // namespace spk
