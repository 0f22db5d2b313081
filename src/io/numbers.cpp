// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/numbers.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace spk::io {
namespace {

// True if the decimal [first, last), known to be outside the double range, is large rather than small.
bool is_beyond_one(const char* first, const char* last) {
  std::int64_t before_point = 0;  // decimal places between the leading digit that is not 0 and the point
  bool seen_digit = false;
  bool seen_point = false;
  const char* p = first;
  for (; p != last && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') {
      seen_point = true;
      continue;
    }
    seen_digit = seen_digit || *p != '0';
    if (seen_digit && !seen_point) ++before_point;
    if (!seen_digit && seen_point) --before_point;
  }
  if (p == last) return before_point > 0;
  ++p;
  const bool down = *p == '-';
  if (down || *p == '+') ++p;
  // No text in memory has more digits than this, so a longer exponent decides alone.
  constexpr std::int64_t kExponentCap = std::int64_t{1} << 56;
  std::int64_t power = 0;
  for (; p != last; ++p) {
    if (power < kExponentCap) power = power * 10 + (*p - '0');
  }
  return before_point + (down ? -power : power) > 0;
}

bool matches(const char* p, std::string_view lower) {
  for (const char want : lower) {
    if ((*p | 0x20) != want) return false;
    ++p;
  }
  return true;
}

}  // namespace

double round_decimal(const char* first, const char* last) {
  double value = 0;
  const std::from_chars_result result = std::from_chars(first, last, value);
  if (result.ec != std::errc::result_out_of_range) return value;
  return is_beyond_one(first, last) ? std::numeric_limits<double>::infinity() : 0.0;
}

bool parse_special(const char*& p, double& value) {
  constexpr std::string_view kInfinity = "infinity";
  constexpr std::string_view kInf = "inf";
  constexpr std::string_view kNan = "nan";
  if (matches(p, kNan)) {
    value = std::numeric_limits<double>::quiet_NaN();
    p += kNan.size();
    return true;
  }
  if (!matches(p, kInf)) return false;
  value = std::numeric_limits<double>::infinity();
  p += matches(p, kInfinity) ? kInfinity.size() : kInf.size();
  return true;
}

}  // namespace spk::io
