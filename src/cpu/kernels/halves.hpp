// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"

// Halves of a register of AVX-512, each for a row of its own: what rows of few columns fill.
namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_avx512)
template <class Real>
constexpr int kHalfLanes = kLanes<Real> / 2;

SPK_INLINE Vec<float> load_half(const float* p) noexcept { return _mm512_zextps256_ps512(_mm256_loadu_ps(p)); }
SPK_INLINE Vec<double> load_half(const double* p) noexcept { return _mm512_zextpd256_pd512(_mm256_loadu_pd(p)); }
SPK_INLINE Vec<float> load_first_half(const float* p, int n) noexcept {
  return _mm512_zextps256_ps512(_mm256_maskz_loadu_ps(static_cast<__mmask8>(first_bits(n)), p));
}
SPK_INLINE Vec<double> load_first_half(const double* p, int n) noexcept {
  return _mm512_zextpd256_pd512(_mm256_maskz_loadu_pd(static_cast<__mmask8>(first_bits(n)), p));
}
SPK_INLINE Vec<float> load_halves(const float* low, const float* high) noexcept {
  return _mm512_mask_broadcast_f32x8(load_half(low), 0xff00, _mm256_loadu_ps(high));
}
SPK_INLINE Vec<double> load_halves(const double* low, const double* high) noexcept {
  return _mm512_mask_broadcast_f64x4(load_half(low), 0xf0, _mm256_loadu_pd(high));
}
SPK_INLINE Vec<float> load_first_halves(const float* low, const float* high, int n) noexcept {
  return _mm512_insertf32x8(load_first_half(low, n), _mm512_castps512_ps256(load_first_half(high, n)), 1);
}
SPK_INLINE Vec<double> load_first_halves(const double* low, const double* high, int n) noexcept {
  return _mm512_insertf64x4(load_first_half(low, n), _mm512_castpd512_pd256(load_first_half(high, n)), 1);
}
// Part of a half goes to memory by store_first(): GCC would make of a masked store of half a register an instruction whose mask
// does not keep it from touching what lies beyond.
SPK_INLINE void store_half(float* p, Vec<float> v) noexcept { _mm256_storeu_ps(p, _mm512_castps512_ps256(v)); }
SPK_INLINE void store_half(double* p, Vec<double> v) noexcept { _mm256_storeu_pd(p, _mm512_castpd512_pd256(v)); }
// In the lower half the sum of both.
SPK_INLINE Vec<float> add_halves(Vec<float> v) noexcept { return v + Vec<float>(_mm512_shuffle_f32x4(v, v, 0x4e)); }
SPK_INLINE Vec<double> add_halves(Vec<double> v) noexcept { return v + Vec<double>(_mm512_shuffle_f64x2(v, v, 0x4e)); }
// p[0] in the lower half, p[1] in the upper one.
SPK_INLINE Vec<float> splat_halves(const float* p) noexcept {
  double both;
  __builtin_memcpy(&both, p, sizeof both);
  const __m512i order = _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  return _mm512_permutexvar_ps(order, _mm512_castpd_ps(_mm512_set1_pd(both)));
}
SPK_INLINE Vec<double> splat_halves(const double* p) noexcept {
  const __m512i order = _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0);
  return _mm512_permutexvar_pd(order, _mm512_broadcast_f64x2(_mm_loadu_pd(p)));
}
#endif

}  // namespace
}  // namespace spk::cpu
