// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <numbers>

#include "cpu/reference/judge.hpp"

namespace spk::reference {

template <class Real>
Real activate(Activation activation, Real x) noexcept {
  switch (activation) {
    case Activation::none: break;
    case Activation::relu: return x < 0 ? Real(0) : x;
    // Without the cancellation of 1 + erf(...) and 1 + tanh(...).
    case Activation::gelu: return x / 2 * std::erfc(-x / std::numbers::sqrt2_v<Real>);
    case Activation::gelu_tanh: {
      const Real slope = std::sqrt(2 * std::numbers::inv_pi_v<Real>);
      const Real z = slope * (x + Real(0.044715L) * x * x * x);
      return x / (1 + std::exp(-2 * z));
    }
  }
  return x;
}

template <class Real>
Real bias_of(const Epilogue& epilogue, std::int64_t i, std::int64_t j) noexcept {
  if (epilogue.bias_kind == BiasKind::none) return 0;
  return load<Real>(epilogue.bias_type, epilogue.bias, epilogue.bias_kind == BiasKind::per_row ? i : j);
}

// Turns `out` from t = alpha A B + beta C + bias into activation(t) + residual, with its bound, for sums with unit
// roundoff u. Returns the magnitude of the last sum.
//
// The bound: an activation stretches an error of t by at most 1.13 (the slope of GELU peaks at 1.129). Evaluating it
// costs at most 8 u |t|: in t/2 times 1 + erf(...) the two summands cancel for negative t and leave absolute errors of
// a few u; the tanh form is alike, since a relative error d of its argument moves tanh by at most 0.45 d. Adding the
// residual rounds once more.
template <class Real>
long double activate_and_add(const Epilogue& epilogue, std::int64_t batch, std::int64_t i, std::int64_t j,
                             long double u, Expected<Real>& out) {
  constexpr long double kSlope = 1.13L, kEvaluation = 8;
  if (epilogue.activation != Activation::none) {
    const long double t = std::fabs(out.value);
    // An infinite sum is exact, and so is what becomes of it.
    out.error = std::isfinite(t) ? kSlope * out.error + kEvaluation * u * t : 0;
    out.value = activate(epilogue.activation, out.value);
  }
  if (!epilogue.has_residual) return 0;
  const DenseView r = member(epilogue.residual, batch);
  const Real residual = load<Real>(r.type, r.values, i * r.row_stride() + j * r.col_stride());
  const long double size = std::fabs(out.value) + std::fabs(residual);
  out.error += u * size;
  out.value += residual;
  return size;
}

}  // namespace spk::reference
