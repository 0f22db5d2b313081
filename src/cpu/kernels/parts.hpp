// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"

// Halves and quarters of a register of AVX-512, each for a row of its own: what rows of few columns fill. kParts says which.
namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_avx512)
template <class Real, int kParts>
constexpr int kPartLanes = kLanes<Real> / kParts;

// p[0], p[1], ... in the first part, zeros in the others.
template <int kParts>
SPK_INLINE Vec<float> load_part(const float* p) noexcept {
  if constexpr (kParts == 2)
    return _mm512_zextps256_ps512(_mm256_loadu_ps(p));
  else
    return _mm512_zextps128_ps512(_mm_loadu_ps(p));
}
template <int kParts>
SPK_INLINE Vec<double> load_part(const double* p) noexcept {
  if constexpr (kParts == 2)
    return _mm512_zextpd256_pd512(_mm256_loadu_pd(p));
  else
    return _mm512_zextpd128_pd512(_mm_loadu_pd(p));
}
// v, but p[0], p[1], ... in part `part`.
template <int kParts, int part>
SPK_INLINE Vec<float> replace_part(Vec<float> v, const float* p) noexcept {
  if constexpr (kParts == 2)
    return _mm512_mask_broadcast_f32x8(v, static_cast<__mmask16>(0xff << 8 * part), _mm256_loadu_ps(p));
  else
    return _mm512_mask_broadcast_f32x4(v, static_cast<__mmask16>(0xf << 4 * part), _mm_loadu_ps(p));
}
template <int kParts, int part>
SPK_INLINE Vec<double> replace_part(Vec<double> v, const double* p) noexcept {
  if constexpr (kParts == 2)
    return _mm512_mask_broadcast_f64x4(v, static_cast<__mmask8>(0xf << 4 * part), _mm256_loadu_pd(p));
  else
    return _mm512_mask_broadcast_f64x2(v, static_cast<__mmask8>(0x3 << 2 * part), _mm_loadu_pd(p));
}

// Halves: the first n of them, and nothing beyond them is touched.
SPK_INLINE Vec<float> load_first_of_half(const float* p, int n) noexcept {
  return _mm512_zextps256_ps512(_mm256_maskz_loadu_ps(static_cast<__mmask8>(first_bits(n)), p));
}
SPK_INLINE Vec<double> load_first_of_half(const double* p, int n) noexcept {
  return _mm512_zextpd256_pd512(_mm256_maskz_loadu_pd(static_cast<__mmask8>(first_bits(n)), p));
}
SPK_INLINE Vec<float> load_first_of_halves(const float* low, const float* high, int n) noexcept {
  return _mm512_insertf32x8(load_first_of_half(low, n), _mm512_castps512_ps256(load_first_of_half(high, n)), 1);
}
SPK_INLINE Vec<double> load_first_of_halves(const double* low, const double* high, int n) noexcept {
  return _mm512_insertf64x4(load_first_of_half(low, n), _mm512_castpd512_pd256(load_first_of_half(high, n)), 1);
}

// rows[i][0], rows[i][1], ... in part i; kPartial: the first n of each.
template <int kParts, bool kPartial, class Real>
SPK_INLINE Vec<Real> load_parts(const Real* const* rows, [[maybe_unused]] int n) noexcept {
  if constexpr (kPartial) {
    static_assert(kParts == 2);
    return load_first_of_halves(rows[0], rows[1], n);
  } else {
    Vec<Real> v = replace_part<kParts, 1>(load_part<kParts>(rows[0]), rows[1]);
    if constexpr (kParts == 4) v = replace_part<4, 3>(replace_part<4, 2>(v, rows[2]), rows[3]);
    return v;
  }
}

// Some of a half goes to memory by store_first(): GCC would make of a masked store of it an instruction whose mask does not keep
// it from touching what lies beyond.
template <int kParts>
SPK_INLINE void store_part(float* p, Vec<float> v) noexcept {
  if constexpr (kParts == 2)
    _mm256_storeu_ps(p, _mm512_castps512_ps256(v));
  else
    _mm_storeu_ps(p, _mm512_castps512_ps128(v));
}
template <int kParts>
SPK_INLINE void store_part(double* p, Vec<double> v) noexcept {
  if constexpr (kParts == 2)
    _mm256_storeu_pd(p, _mm512_castpd512_pd256(v));
  else
    _mm_storeu_pd(p, _mm512_castpd512_pd128(v));
}

// In the first part the sum of all.
template <int kParts>
SPK_INLINE Vec<float> add_parts(Vec<float> v) noexcept {
  v = v + Vec<float>(_mm512_shuffle_f32x4(v, v, 0x4e));
  if constexpr (kParts == 4) v = v + Vec<float>(_mm512_shuffle_f32x4(v, v, 0xb1));
  return v;
}
template <int kParts>
SPK_INLINE Vec<double> add_parts(Vec<double> v) noexcept {
  v = v + Vec<double>(_mm512_shuffle_f64x2(v, v, 0x4e));
  if constexpr (kParts == 4) v = v + Vec<double>(_mm512_shuffle_f64x2(v, v, 0xb1));
  return v;
}
#endif

}  // namespace
}  // namespace spk::cpu
