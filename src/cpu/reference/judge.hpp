// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>

#include "cpu/reference/operations.hpp"
#include "cpu/reference/wide.hpp"

// Holding a result against the oracle's.
namespace spk::reference {

// What a real number of a type (the real part of a complex one) looks like.
struct Precision {
  int digits;        // of the significand, the hidden one included
  int min_exponent;  // of the smallest normal number
  int max_exponent;  // of the largest number

  long double unit_roundoff() const noexcept { return std::ldexp(1.0L, -digits); }
  // Half the distance between subnormal numbers: what a rounding may lose however small the result is.
  long double underflow() const noexcept { return std::ldexp(1.0L, min_exponent - digits); }
  long double smallest_normal() const noexcept { return std::ldexp(1.0L, min_exponent); }
  // The first power of two beyond the largest number; what rounds there becomes infinity.
  long double beyond() const noexcept { return std::ldexp(1.0L, max_exponent + 1); }
  long double largest() const noexcept { return beyond() * (1 - std::ldexp(1.0L, -digits)); }
  long double half_ulp(long double x) const noexcept {
    const int exponent = x > smallest_normal() ? std::min(std::ilogb(x), max_exponent) : min_exponent;
    return std::ldexp(1.0L, exponent - digits);
  }
};

constexpr Precision precision_of(ValueType t) noexcept {
  switch (t) {
    case ValueType::f16: return {11, -14, 15};
    case ValueType::bf16: return {8, -126, 127};
    case ValueType::f64:
    case ValueType::c128: return {53, -1022, 1023};
    default: return {24, -126, 127};
  }
}

// The oracle's value of one element, unrounded, and how far a result may be from it before its rounding to the output
// type. `may_overflow`: intermediate numbers may leave the range of the sum's type, so that a result that is not finite
// is no fault.
template <class W>
struct Expected {
  W value{};
  long double error = 0;
  bool may_overflow = false;
};

// One real number: |got - want| / bound, and the bound.
struct Share {
  double ratio = 0;
  double bound = 0;
};
Share share_of_bound(long double got, long double want, long double error, bool may_overflow, ValueType output);

// Collects the worst element of an output.
class Judge {
 public:
  explicit Judge(ValueType output) noexcept : output_(output) {}

  template <class W>
  void compare(std::int64_t batch, std::int64_t row, std::int64_t col, W got, const Expected<W>& want) {
    Share share;
    if constexpr (Traits<W>::kComplex) {
      // Which part of a complex infinity is infinite or NaN depends on how scalars are multiplied.
      const bool want_finite = std::isfinite(want.value.re) && std::isfinite(want.value.im);
      const bool got_finite = std::isfinite(got.re) && std::isfinite(got.im);
      if (want_finite) {
        share = share_of_bound(got.re, want.value.re, want.error, want.may_overflow, output_);
        const Share other = share_of_bound(got.im, want.value.im, want.error, want.may_overflow, output_);
        if (other.ratio > share.ratio) share = other;
      } else if (got_finite) {
        share.ratio = std::numeric_limits<double>::infinity();
      }
    } else {
      share = share_of_bound(got, want.value, want.error, want.may_overflow, output_);
    }
    if (std::isfinite(share.bound)) verdict_.largest_bound = std::max(verdict_.largest_bound, share.bound);
    if (verdict_.entries++ == 0 || share.ratio > verdict_.worst) {
      verdict_.worst = share.ratio;
      verdict_.bound = share.bound;
      verdict_.batch = batch;
      verdict_.row = row;
      verdict_.col = col;
      verdict_.got = to_scalar(got);
      verdict_.want = to_scalar(want.value);
    }
  }
  const Verdict& verdict() const noexcept { return verdict_; }

 private:
  ValueType output_;
  Verdict verdict_;
};

}  // namespace spk::reference
