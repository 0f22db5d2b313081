// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/half.hpp"

// From the values of a file (double, 64-bit integer, complex of two doubles) to those of a caller. The result is what
// one rounding to nearest even gives, also where the way has two steps.
namespace spk::io {

__extension__ using Int128 = __int128;  // sums of 64-bit integers, exact

template <class Real>
struct Complex {
  Real re;
  Real im;
};

template <class T>
inline constexpr bool kIsComplex = false;
template <class Real>
inline constexpr bool kIsComplex<Complex<Real>> = true;

template <class Value>
Value from_real(double value) {
  if constexpr (std::is_same_v<Value, f16>) {
    return to_f16(value);
  } else if constexpr (std::is_same_v<Value, bf16>) {
    return to_bf16(value);
  } else {
    return static_cast<Value>(value);
  }
}

// To a double, with the last bit set if anything was lost ("round to odd"), so that rounding the result once more to
// a narrower type gives what rounding `value` would have given.
inline double narrow_integer(Int128 value) {
  constexpr int kDoubleBits = 53;
  __extension__ using Magnitude = unsigned __int128;
  const bool negative = value < 0;
  Magnitude magnitude = negative ? 0 - static_cast<Magnitude>(value) : static_cast<Magnitude>(value);
  int shift = 0;
  bool lost = false;
  for (; magnitude >> kDoubleBits != 0; magnitude >>= 1, ++shift) lost = lost || (magnitude & 1) != 0;
  const auto odd = static_cast<std::int64_t>(magnitude) | (lost ? 1 : 0);
  const double rounded = std::ldexp(static_cast<double>(odd), shift);
  return negative ? -rounded : rounded;
}

template <class Value>
Value from_integer(Int128 value) {
  if constexpr (std::is_same_v<Value, double>) {
    return static_cast<double>(value);
  } else {
    return from_real<Value>(narrow_integer(value));
  }
}

}  // namespace spk::io
