// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/dots.hpp"

// The exponential of numbers that are not above 0, and the vectors of integers that it and masks need.
namespace spk::cpu {
namespace {  // NOLINT(google-build-namespaces)

template <class Real>
struct BitsOf;
template <>
struct BitsOf<float> {
  typedef std::int32_t type __attribute__((vector_size(kVectorBytes)));
  typedef std::uint8_t bytes __attribute__((vector_size(kVectorBytes / 4)));
};
template <>
struct BitsOf<double> {
  typedef std::int64_t type __attribute__((vector_size(kVectorBytes)));
  typedef std::uint8_t bytes __attribute__((vector_size(kVectorBytes / 8)));
};
template <class Real>
using Bits = typename BitsOf<Real>::type;

template <class Real>
SPK_INLINE Raw<Real> raw(Vec<Real> v) noexcept {
  return v;
}
template <class Real>
SPK_INLINE Raw<Real> raw_splat(Real x) noexcept {
  return raw<Real>(splat(x));
}
template <class Real>
SPK_INLINE Raw<Real> raw_fma(Raw<Real> a, Raw<Real> b, Raw<Real> c) noexcept {
  return raw<Real>(fma(Vec<Real>(a), Vec<Real>(b), Vec<Real>(c)));
}

// exp(x) = 2^n exp(r) with n = round(x / ln 2) and r = x - n ln 2, |r| <= ln(2) / 2, and the Taylor polynomial of exp(r),
// whose first missing term is below a tenth of a unit in the last place.
template <class Real>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float kLowest = -105;      // exp of anything lower rounds to 0
  static constexpr float kMagic = 0x1.8p23f;  // adding it leaves the rounded integer in the last bits
  static constexpr float kLog2E = 0x1.715476p0f;
  static constexpr float kLn2High = 0x1.62ep-1f;  // few bits, so that its product with n is exact
  static constexpr float kLn2Low = 0x1.0bfbe8p-15f;
  static constexpr int kDegree = 7;
  static constexpr int kShift = 23, kBias = 127;
  static constexpr std::int32_t kLift = 64;  // keeps 2^(n + kLift) normal
  static constexpr float kUnlift = 0x1p-64f;
};
template <>
struct ExpConstants<double> {
  static constexpr double kLowest = -750;
  static constexpr double kMagic = 0x1.8p52;
  static constexpr double kLog2E = 0x1.71547652b82fep0;
  static constexpr double kLn2High = 0x1.62e42fefap-1;
  static constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
  static constexpr int kDegree = 13;
  static constexpr int kShift = 52, kBias = 1023;
  static constexpr std::int64_t kLift = 512;
  static constexpr double kUnlift = 0x1p-512;
};
constexpr double kInverseFactorial[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

// x <= 0 or NaN, which stays NaN. Subnormal results are rounded once.
template <class Real>
SPK_INLINE Raw<Real> exp_not_above_zero(Raw<Real> x) noexcept {
  using C = ExpConstants<Real>;
  x = x < raw_splat(C::kLowest) ? raw_splat(C::kLowest) : x;
  const Raw<Real> magic = raw_splat(C::kMagic);
  const Raw<Real> shifted = raw_fma<Real>(x, raw_splat(C::kLog2E), magic);
  const Raw<Real> n = shifted - magic;
  Raw<Real> r = raw_fma<Real>(n, raw_splat(-C::kLn2High), x);
  r = raw_fma<Real>(n, raw_splat(-C::kLn2Low), r);
  Raw<Real> p = raw_splat(static_cast<Real>(kInverseFactorial[C::kDegree]));
  SPK_UNROLL for (int i = C::kDegree - 1; i >= 2; --i) p =
      raw_fma<Real>(p, r, raw_splat(static_cast<Real>(kInverseFactorial[i])));
  p = raw_fma<Real>(r * r, p, r) + raw_splat(Real{1});
  Bits<Real> exponent;
  __builtin_memcpy(&exponent, &shifted, sizeof exponent);
  exponent = (exponent + (C::kBias + C::kLift)) << C::kShift;
  Raw<Real> power;
  __builtin_memcpy(&power, &exponent, sizeof power);
  return p * power * raw_splat(C::kUnlift);
}

// Lanes below n, all bits set.
template <class Real>
SPK_INLINE Bits<Real> first_lanes(int n) noexcept {
  using Integer = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  Integer lane[kLanes<Real>];
  for (int i = 0; i < kLanes<Real>; ++i) lane[i] = i;
  Bits<Real> lanes;
  __builtin_memcpy(&lanes, lane, sizeof lanes);
  return lanes < static_cast<Integer>(n);
}

// Lanes whose byte is not 0; reads n bytes.
template <class Real>
SPK_INLINE Bits<Real> nonzero_bytes(const std::uint8_t* p, int n) noexcept {
  typename BitsOf<Real>::bytes bytes{};
  if (n == kLanes<Real>)
    __builtin_memcpy(&bytes, p, sizeof bytes);
  else
    for (int i = 0; i < n; ++i) bytes[i] = p[i];
  return __builtin_convertvector(bytes, Bits<Real>) != 0;
}

// Where one of them is NaN, which one it is stays open.
template <class V>
SPK_INLINE V larger(V a, V b) noexcept {
  return a > b ? a : b;
}
// The largest lane; which one wins over NaN is open.
SPK_INLINE float largest_lane(Raw<float> v) noexcept {
#if defined(SPK_ARCH_avx512)
  const Fold<float> f = larger(Fold<float>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)),
                               Fold<float>(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)));
#else
  const Fold<float> f = v;
#endif
  using Quarter = RawOf<float, 16>::type;
#if defined(SPK_ARCH_avx2) || defined(SPK_ARCH_avx512)
  Quarter q =
      larger(Quarter(__builtin_shufflevector(f, f, 0, 1, 2, 3)), Quarter(__builtin_shufflevector(f, f, 4, 5, 6, 7)));
#else
  Quarter q = f;
#endif
  q = larger(q, Quarter(__builtin_shufflevector(q, q, 2, 3, 2, 3)));
  q = larger(q, Quarter(__builtin_shufflevector(q, q, 1, 1, 1, 1)));
  return q[0];
}
SPK_INLINE double largest_lane(Raw<double> v) noexcept {
#if defined(SPK_ARCH_avx512)
  const Fold<double> f = larger(Fold<double>(__builtin_shufflevector(v, v, 0, 1, 2, 3)),
                                Fold<double>(__builtin_shufflevector(v, v, 4, 5, 6, 7)));
#else
  const Fold<double> f = v;
#endif
  using Quarter = RawOf<double, 16>::type;
#if defined(SPK_ARCH_avx2) || defined(SPK_ARCH_avx512)
  Quarter q = larger(Quarter(__builtin_shufflevector(f, f, 0, 1)), Quarter(__builtin_shufflevector(f, f, 2, 3)));
#else
  Quarter q = f;
#endif
  q = larger(q, Quarter(__builtin_shufflevector(q, q, 1, 1)));
  return q[0];
}

template <class Real>
SPK_INLINE Real sum_of_lanes(Raw<Real> v) noexcept {
  const Vec<Real> acc[1] = {Vec<Real>(v)};
  Real sums[kFoldLanes<Real>];
  reduce<Real, 1>(acc, sums);
  return sums[0];
}

}  // namespace
}  // namespace spk::cpu
