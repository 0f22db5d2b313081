// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cfloat>
#include <cstdint>
#include <limits>

// Numbers as the file formats write them, in the C locale. Every function starts at `p`, leaves `p` behind what it
// took, and relies on a line feed at the end of the text: no digit loop can run past it.
namespace spk::io {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool ends_number(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

// Behind the words of a line: true if its line feed follows, which may have a carriage return before it.
inline bool at_line_end(const char*& p) {
  p = skip_blanks(p);
  if (*p == '\r') ++p;
  return *p == '\n';
}

enum class NumberStatus { kOk, kNotANumber, kTooLarge };

// [+-]?[0-9]+ into 64 bits.
inline NumberStatus parse_integer(const char*& p, std::int64_t& value) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  constexpr int kSafeDigits = 19;  // 10^19 - 1 fits 64 unsigned bits
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const first = p;
  std::uint64_t magnitude = 0;
  while (is_digit(*p)) magnitude = magnitude * 10 + static_cast<unsigned>(*p++ - '0');
  if (p == first || !ends_number(*p)) return NumberStatus::kNotANumber;
  if (p - first > kSafeDigits) {
    magnitude = 0;
    for (const char* digit = first; digit != p; ++digit) {
      const auto next = static_cast<unsigned>(*digit - '0');
      if (magnitude > (kMax + 1 - next) / 10) return NumberStatus::kTooLarge;
      magnitude = magnitude * 10 + next;
    }
  }
  if (magnitude > kMax + (negative ? 1 : 0)) return NumberStatus::kTooLarge;
  value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return NumberStatus::kOk;
}

// The general case of parse_real: [first, last) without sign, of `digits` form (see there), correctly rounded.
double round_decimal(const char* first, const char* last);
// inf, infinity, nan in any case at `p`; false and `p` unmoved if it is none of them.
bool parse_special(const char*& p, double& value);

// [+-]? then digits with at most one point and an optional exponent, or inf, infinity, nan in any case. Rounded to
// nearest even; beyond the double range it is infinity or zero.
inline bool parse_real(const char*& p, double& value) {
  constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;
  constexpr std::int64_t kMostDigits = 19;
  constexpr std::int64_t kExponentCap = 100000;
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::int64_t kLargestPower = 22;

  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const first = p;
  std::uint64_t mantissa = 0;  // wraps beyond 19 digits; then it is not used
  while (is_digit(*p)) mantissa = mantissa * 10 + static_cast<unsigned>(*p++ - '0');
  std::int64_t digits = p - first;
  std::int64_t exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    while (is_digit(*p)) mantissa = mantissa * 10 + static_cast<unsigned>(*p++ - '0');
    exponent = fraction - p;
    digits -= exponent;
  }
  if (digits == 0) {
    p = first;
    if (!parse_special(p, value) || !ends_number(*p)) return false;
    if (negative) value = -value;
    return true;
  }
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    if (!is_digit(*p)) return false;
    std::int64_t power = 0;
    for (; is_digit(*p); ++p) {
      if (power < kExponentCap) power = power * 10 + (*p - '0');
    }
    exponent += down ? -power : power;
  }
  if (!ends_number(*p)) return false;
  // Both operands are exact doubles, so the one rounding of the product or quotient is the right one. Where doubles
  // are computed in wider registers that would be two roundings.
  if (FLT_EVAL_METHOD == 0 && digits <= kMostDigits && mantissa <= kExactIntegers && exponent >= -kLargestPower &&
      exponent <= kLargestPower) {
    const auto exact = static_cast<double>(mantissa);
    value = exponent < 0 ? exact / kPowers[-exponent] : exact * kPowers[exponent];
  } else {
    value = round_decimal(first, p);
  }
  if (negative) value = -value;
  return true;
}

}  // namespace spk::io
