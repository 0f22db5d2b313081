// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "value_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "failure.hpp"

namespace spk::tool {
namespace {

constexpr ValueType kTypes[] = {
    {"f32", SPK_R_32F, SPK_COMPUTE_32F, 4, false},  {"f64", SPK_R_64F, SPK_COMPUTE_64F, 8, false},
    {"f16", SPK_R_16F, SPK_COMPUTE_32F, 2, false},  {"bf16", SPK_R_16BF, SPK_COMPUTE_32F, 2, false},
    {"c64", SPK_C_32F, SPK_COMPUTE_C_32F, 8, true}, {"c128", SPK_C_64F, SPK_COMPUTE_C_64F, 16, true},
};

// Nearest even, for |x| <= 1 only: neither overflow nor NaN can happen.
std::uint16_t to_f16_bits(double x) {
  const double magnitude = std::fabs(x);
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  const auto digits = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // digits holds the hidden bit, which is why the exponent field is one short; a carry lands in it correctly.
  const unsigned bits = (static_cast<unsigned>(exponent + 14) << 10) + digits;
  return static_cast<std::uint16_t>(bits | (std::signbit(x) ? 0x8000u : 0u));
}

std::uint16_t to_bf16_bits(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

void store(std::byte* place, spk_value_type_t type, double x) {
  const auto put = [place](auto value) { std::memcpy(place, &value, sizeof value); };
  switch (type) {
    case SPK_R_16F: put(to_f16_bits(x)); break;
    case SPK_R_16BF: put(to_bf16_bits(x)); break;
    case SPK_R_64F:
    case SPK_C_64F: put(x); break;
    default: put(static_cast<float>(x)); break;
  }
}

}  // namespace

const ValueType& value_type(std::string_view name, std::string_view option) {
  for (const ValueType& type : kTypes) {
    if (name == type.name) return type;
  }
  throw UsageError(fmt::format("{} = {} but must be f32, f64, f16, bf16, c64 or c128", option, name));
}

const ValueType& value_type_of_field(bool is_complex, bool wide) {
  return value_type(is_complex ? (wide ? "c128" : "c64") : (wide ? "f64" : "f32"), "type");
}

Buffer random_values(std::int64_t count, const ValueType& type, std::uint64_t seed) {
  Buffer values(count, type.size);
  SplitMix64 random(seed);
  const std::int64_t parts = type.is_complex ? 2 * count : count;
  const std::size_t part_bytes = type.is_complex ? type.size / 2 : type.size;
  std::byte* place = values.as<std::byte>();
  for (std::int64_t t = 0; t < parts; ++t, place += part_bytes) store(place, type.type, random.next_value());
  return values;
}

Scalar make_scalar(double real, const ValueType& type) {
  Scalar scalar{{0, 0}};
  if (type.compute == SPK_COMPUTE_64F || type.compute == SPK_COMPUTE_C_64F) {
    scalar.storage[0] = real;
  } else {
    const float narrow = static_cast<float>(real);
    std::memcpy(scalar.storage, &narrow, sizeof narrow);
  }
  return scalar;
}

}  // namespace spk::tool
