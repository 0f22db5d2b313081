// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "core/problems.hpp"

// The types in which the oracle computes: wide enough that their own rounding does not count against the bounds of what
// it judges. f16, bf16, f32 -> double; f64 -> long double; complex types -> pairs of these.
namespace spk::reference {

// A pair with the textbook product. (std::complex repairs infinities afterwards, which no kernel does.)
template <class Real>
struct Complex {
  Real re{}, im{};
};

template <class Real>
constexpr Complex<Real> operator+(Complex<Real> a, Complex<Real> b) noexcept {
  return {a.re + b.re, a.im + b.im};
}
template <class Real>
constexpr Complex<Real> operator*(Complex<Real> a, Complex<Real> b) noexcept {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class W>
struct Traits {
  using Real = W;
  static constexpr bool kComplex = false;
};
template <class R>
struct Traits<Complex<R>> {
  using Real = R;
  static constexpr bool kComplex = true;
};
template <class W>
using RealOf = typename Traits<W>::Real;

inline double conj(double x) noexcept { return x; }
inline long double conj(long double x) noexcept { return x; }
template <class Real>
constexpr Complex<Real> conj(Complex<Real> x) noexcept {
  return {x.re, -x.im};
}

inline double magnitude(double x) noexcept { return std::fabs(x); }
inline long double magnitude(long double x) noexcept { return std::fabs(x); }
// The exponents of the wide types cannot overflow here, because the parts come from narrower ones.
template <class Real>
Real magnitude(Complex<Real> x) noexcept {
  return std::sqrt(x.re * x.re + x.im * x.im);
}

inline double widen(f16 x) noexcept { return static_cast<double>(to_float(x)); }
inline double widen(bf16 x) noexcept { return static_cast<double>(to_float(x)); }
inline double widen(float x) noexcept { return static_cast<double>(x); }
inline long double widen(double x) noexcept { return static_cast<long double>(x); }
inline Complex<double> widen(c64 x) noexcept { return {widen(x.real()), widen(x.imag())}; }
inline Complex<long double> widen(c128 x) noexcept { return {widen(x.real()), widen(x.imag())}; }

template <class T>
using WideOf = decltype(widen(T{}));

template <class W>
W widen(Scalar x) noexcept {
  using Real = RealOf<W>;
  if constexpr (Traits<W>::kComplex)
    return {static_cast<Real>(x.re), static_cast<Real>(x.im)};
  else
    return static_cast<Real>(x.re);
}

inline Scalar to_scalar(double x) noexcept { return {x, 0}; }
inline Scalar to_scalar(long double x) noexcept { return {static_cast<double>(x), 0}; }
template <class Real>
Scalar to_scalar(Complex<Real> x) noexcept {
  return {static_cast<double>(x.re), static_cast<double>(x.im)};
}

// The one rounding at the end of an operation.
inline void round_to(f16& out, double x) noexcept { out = to_f16(x); }
inline void round_to(bf16& out, double x) noexcept { out = to_bf16(x); }
inline void round_to(float& out, double x) noexcept { out = static_cast<float>(x); }
inline void round_to(double& out, long double x) noexcept { out = static_cast<double>(x); }
inline void round_to(c64& out, Complex<double> x) noexcept {
  out = {static_cast<float>(x.re), static_cast<float>(x.im)};
}
inline void round_to(c128& out, Complex<long double> x) noexcept {
  out = {static_cast<double>(x.re), static_cast<double>(x.im)};
}

// Calls f(TypeTag<W>) for the wide type W of a value type.
template <class F>
decltype(auto) visit_wide(ValueType t, F&& f) {
  switch (t) {
    case ValueType::f64: return f(TypeTag<long double>{});
    case ValueType::c64: return f(TypeTag<Complex<double>>{});
    case ValueType::c128: return f(TypeTag<Complex<long double>>{});
    default: break;
  }
  return f(TypeTag<double>{});
}

// Element i of an array whose type's wide type is W.
template <class W>
W load(ValueType t, const void* array, std::int64_t i) noexcept {
  return visit(t, [&](auto tag) -> W {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<WideOf<T>, W>)
      return widen(static_cast<const T*>(array)[i]);
    else
      return W{};  // operands of one problem share their wide type
  });
}
template <class W>
void store(ValueType t, void* array, std::int64_t i, W x) noexcept {
  visit(t, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<WideOf<T>, W>) round_to(static_cast<T*>(array)[i], x);
  });
}

// Matrix `batch` of an operand that is a batch itself or shared by the whole batch.
template <class View>
View member(const View& view, std::int64_t batch) noexcept {
  return view.batch_count > 1 ? view.batch(batch) : view;
}

}  // namespace spk::reference
