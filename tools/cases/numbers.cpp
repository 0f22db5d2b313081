// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace spk::cases {
namespace {

// A 16-bit binary format: sign, exponent, mantissa bits.
struct SmallFormat {
  int mantissa_bits;
  int min_exponent;  // of normal numbers
  int max_exponent;
};
constexpr SmallFormat kF16{10, -14, 15};
constexpr SmallFormat kBf16{7, -126, 127};

double round_small(const SmallFormat& format, double value) noexcept {
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  const double unit = std::ldexp(1.0, exponent - format.mantissa_bits);
  const double rounded = std::nearbyint(value / unit) * unit;
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, -format.mantissa_bits), format.max_exponent);
  if (std::fabs(rounded) > largest) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

std::uint16_t encode_small(const SmallFormat& format, double value) noexcept {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000u : 0u);
  const int exponent_ones = 2 * format.max_exponent + 1;
  const auto infinity = static_cast<std::uint16_t>(exponent_ones << format.mantissa_bits);
  if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | (1u << (format.mantissa_bits - 1)));
  const double rounded = std::fabs(round_small(format, value));
  if (std::isinf(rounded)) return static_cast<std::uint16_t>(sign | infinity);
  if (rounded < std::ldexp(1.0, format.min_exponent)) {
    const double units = std::ldexp(rounded, format.mantissa_bits - format.min_exponent);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(units));
  }
  const int exponent = std::ilogb(rounded);
  const double units = std::ldexp(rounded, format.mantissa_bits - exponent);  // in [2^bits, 2^(bits+1))
  const int biased = exponent + format.max_exponent;
  const int code = (biased << format.mantissa_bits) + static_cast<int>(units) - (1 << format.mantissa_bits);
  return static_cast<std::uint16_t>(sign | code);
}

double decode_small(const SmallFormat& format, std::uint16_t bits) noexcept {
  const int exponent_ones = 2 * format.max_exponent + 1;
  const int biased = (bits & 0x7fff) >> format.mantissa_bits;
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  double value = 0;
  if (biased == exponent_ones) {
    value = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (biased == 0) {
    value = std::ldexp(mantissa, format.min_exponent - format.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1 << format.mantissa_bits), biased - format.max_exponent - format.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

double round_real(spk_value_type_t type, double value) noexcept {
  switch (type) {
    case SPK_R_16F: return round_small(kF16, value);
    case SPK_R_16BF: return round_small(kBf16, value);
    case SPK_R_32F:
    case SPK_C_32F: return static_cast<double>(static_cast<float>(value));
    default: return value;
  }
}

std::string real_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  if (!std::isnan(value) && std::strtod(text, nullptr) != value) std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

bool is_complex(spk_value_type_t type) noexcept { return type == SPK_C_32F || type == SPK_C_64F; }

std::size_t bytes_of(spk_value_type_t type) noexcept {
  switch (type) {
    case SPK_R_16F:
    case SPK_R_16BF: return 2;
    case SPK_R_32F: return 4;
    case SPK_C_64F: return 16;
    default: return 8;
  }
}

std::size_t bytes_of_index(spk_index_type_t type) noexcept { return type == SPK_INDEX_64I ? 8 : 4; }

spk_compute_type_t compute_type_of(spk_value_type_t type) noexcept {
  switch (type) {
    case SPK_R_64F: return SPK_COMPUTE_64F;
    case SPK_C_32F: return SPK_COMPUTE_C_32F;
    case SPK_C_64F: return SPK_COMPUTE_C_64F;
    default: return SPK_COMPUTE_32F;
  }
}

const char* name_of(spk_value_type_t type) noexcept {
  switch (type) {
    case SPK_R_32F: return "f32";
    case SPK_R_64F: return "f64";
    case SPK_R_16F: return "f16";
    case SPK_R_16BF: return "bf16";
    case SPK_C_32F: return "c64";
    case SPK_C_64F: return "c128";
    default: return "?";
  }
}

bool value_type_from_name(const std::string& name, spk_value_type_t& type) noexcept {
  for (const spk_value_type_t known : {SPK_R_32F, SPK_R_64F, SPK_R_16F, SPK_R_16BF, SPK_C_32F, SPK_C_64F}) {
    if (name == name_of(known)) {
      type = known;
      return true;
    }
  }
  return false;
}

Number round_to(spk_value_type_t type, Number value) noexcept {
  return {round_real(type, value.real()), is_complex(type) ? round_real(type, value.imag()) : 0.0};
}

void store(spk_value_type_t type, void* where, Number value) noexcept {
  switch (type) {
    case SPK_R_16F:
    case SPK_R_16BF: {
      const std::uint16_t bits = encode_small(type == SPK_R_16F ? kF16 : kBf16, value.real());
      std::memcpy(where, &bits, sizeof bits);
      break;
    }
    case SPK_R_32F:
    case SPK_C_32F: {
      const float parts[2] = {static_cast<float>(value.real()), static_cast<float>(value.imag())};
      std::memcpy(where, parts, bytes_of(type));
      break;
    }
    default: {
      const double parts[2] = {value.real(), value.imag()};
      std::memcpy(where, parts, bytes_of(type));
      break;
    }
  }
}

Number load(spk_value_type_t type, const void* where) noexcept {
  switch (type) {
    case SPK_R_16F:
    case SPK_R_16BF: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, where, sizeof bits);
      return {decode_small(type == SPK_R_16F ? kF16 : kBf16, bits), 0};
    }
    case SPK_R_32F:
    case SPK_C_32F: {
      float parts[2] = {0, 0};
      std::memcpy(parts, where, bytes_of(type));
      return {static_cast<double>(parts[0]), static_cast<double>(parts[1])};
    }
    default: {
      double parts[2] = {0, 0};
      std::memcpy(parts, where, bytes_of(type));
      return {parts[0], parts[1]};
    }
  }
}

std::string to_text(Number value) {
  if (value.imag() == 0) return real_text(value.real());
  std::string text = "(";
  text.append(real_text(value.real())).append(", ").append(real_text(value.imag())).append(")");
  return text;
}

}  // namespace spk::cases
