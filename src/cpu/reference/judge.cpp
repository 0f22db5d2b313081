// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/reference/judge.hpp"

namespace spk::reference {

Share share_of_bound(long double got, long double want, long double error, bool may_overflow, ValueType output) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (!std::isfinite(want)) {
    const bool same = std::isnan(want) ? std::isnan(got) : got == want;
    return {same ? 0.0 : kWrong, 0.0};
  }
  const Precision precision = precision_of(output);
  // The computed sum, up to `error` away from `want`, is rounded: half an ulp at the far end.
  const long double bound = error + precision.half_ulp(std::fabs(want) + error);
  const double shown_bound = static_cast<double>(bound);
  if (!std::isfinite(got) && may_overflow) return {0.0, shown_bound};
  if (std::isnan(got)) return {kWrong, shown_bound};
  if (std::isinf(got)) {
    // Rounding to infinity is rounding to the number that would follow the largest one.
    const long double beyond = std::copysign(precision.beyond(), got);
    const bool further = got > 0 ? want >= beyond : want <= beyond;
    const auto ratio = static_cast<double>(std::fabs(beyond - want) / bound);
    return {further ? 0.0 : ratio <= 1 ? ratio : kWrong, shown_bound};
  }
  return {static_cast<double>(std::fabs(got - want) / bound), shown_bound};
}

}  // namespace spk::reference
