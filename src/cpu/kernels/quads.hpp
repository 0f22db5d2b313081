// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/fours.hpp"
#include "cpu/kernels/spmm_stage.hpp"

// Sparse dot products four entries at a time, for the x86 instruction sets with fused multiplication.
namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_avx2) || defined(SPK_ARCH_avx512)
constexpr bool kHasQuads = true;

// Four numbers. Wider registers would take longer to fill than they save.
template <class Real>
struct Quad;
template <>
struct Quad<float> {
  __m128 v = _mm_setzero_ps();
  SPK_INLINE void add_product(const float* a, float x0, float x1, float x2, float x3) noexcept {
    v = _mm_fmadd_ps(_mm_loadu_ps(a), _mm_set_ps(x3, x2, x1, x0), v);
  }
};
template <>
struct Quad<double> {
  __m256d v = _mm256_setzero_pd();
  SPK_INLINE void add_product(const double* a, double x0, double x1, double x2, double x3) noexcept {
    v = _mm256_fmadd_pd(_mm256_loadu_pd(a), _mm256_set_pd(x3, x2, x1, x0), v);
  }
};
SPK_INLINE float sum_of(const Quad<float>& x, const Quad<float>& y) noexcept {
  const __m128 s = _mm_add_ps(x.v, y.v), t = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(t, _mm_shuffle_ps(t, t, 1)));
}
SPK_INLINE double sum_of(const Quad<double>& x, const Quad<double>& y) noexcept {
  const __m256d s = _mm256_add_pd(x.v, y.v);
  const __m128d t = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
  return _mm_cvtsd_f64(_mm_add_sd(t, _mm_unpackhi_pd(t, t)));
}

template <class Real, class Index>
SPK_INLINE void add_entries(Quad<Real>& sum, const Real* a, const Index* indices, const Real* x) noexcept {
  const FourIndices<Index> i(indices);
  sum.add_product(a, x[i[0]], x[i[1]], x[i[2]], x[i[3]]);
}

template <class Real, class Index>
SPK_INLINE Real dot_row_by_quads(const Real* a, const Index* indices, std::int64_t count, const Real* x) noexcept {
  Quad<Real> sum[2];
  std::int64_t e = 0;
  for (; e + 8 <= count; e += 8) {
    add_entries(sum[0], a + e, indices + e, x);
    add_entries(sum[1], a + e + 4, indices + e + 4, x);
  }
  if (e + 4 <= count) {
    sum[0].add_product(a + e, x[indices[e]], x[indices[e + 1]], x[indices[e + 2]], x[indices[e + 3]]);
    e += 4;
  }
  Real rest = 0;
  SPK_UNROLL
  for (int s = 0; s < 3; ++s) {
    if (e + s >= count) break;
    rest = fma1(a[e + s], x[indices[e + s]], rest);
  }
  return sum_of(sum[0], sum[1]) + rest;
}
#else
constexpr bool kHasQuads = false;
template <class Real, class Index>
Real dot_row_by_quads(const Real* a, const Index* indices, std::int64_t count, const Real* x) noexcept;
#endif

}  // namespace
}  // namespace spk::cpu
