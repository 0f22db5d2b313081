// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/quads.hpp"

// Sparse dot products by gather instructions, in registers half as wide as the widest, for processors that have AMX: all of
// them gather about as fast as they load elements one by one, with a fraction of the instructions.
namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_amx)
constexpr bool kHasGathers = true;

// x[i[0]], x[i[1]], ...: of 8 floats or 4 doubles those in the mask, else 0. Narrow indices are never negative.
SPK_INLINE __m256 gather(__mmask8 mask, const float* x, const std::int32_t* i) noexcept {
  return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), mask, _mm256_maskz_loadu_epi32(mask, i), x, 4);
}
SPK_INLINE __m256 gather(__mmask8 mask, const float* x, const std::uint16_t* i) noexcept {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(mask, i));
  return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), mask, wide, x, 4);
}
SPK_INLINE __m256 gather(__mmask8 mask, const float* x, const std::int64_t* i) noexcept {
  return _mm512_mask_i64gather_ps(_mm256_setzero_ps(), mask, _mm512_maskz_loadu_epi64(mask, i), x, 4);
}
SPK_INLINE __m256d gather(__mmask8 mask, const double* x, const std::int32_t* i) noexcept {
  return _mm256_mmask_i32gather_pd(_mm256_setzero_pd(), mask, _mm_maskz_loadu_epi32(mask, i), x, 8);
}
SPK_INLINE __m256d gather(__mmask8 mask, const double* x, const std::uint16_t* i) noexcept {
  const __m128i wide = _mm_cvtepu16_epi32(_mm_maskz_loadu_epi16(mask, i));
  return _mm256_mmask_i32gather_pd(_mm256_setzero_pd(), mask, wide, x, 8);
}
SPK_INLINE __m256d gather(__mmask8 mask, const double* x, const std::int64_t* i) noexcept {
  return _mm256_mmask_i64gather_pd(_mm256_setzero_pd(), mask, _mm256_maskz_loadu_epi64(mask, i), x, 8);
}

SPK_INLINE __m256 add_products(__mmask8 mask, const float* a, __m256 x, __m256 sum) noexcept {
  return _mm256_fmadd_ps(_mm256_maskz_loadu_ps(mask, a), x, sum);
}
SPK_INLINE __m256d add_products(__mmask8 mask, const double* a, __m256d x, __m256d sum) noexcept {
  return _mm256_fmadd_pd(_mm256_maskz_loadu_pd(mask, a), x, sum);
}
SPK_INLINE float sum_of(__m256 x, __m256 y) noexcept {
  const __m256 s = _mm256_add_ps(x, y);
  return sum_of(Quad<float>{_mm256_castps256_ps128(s)}, Quad<float>{_mm256_extractf128_ps(s, 1)});
}
SPK_INLINE double sum_of(__m256d x, __m256d y) noexcept { return sum_of(Quad<double>{x}, Quad<double>{y}); }

template <class Real, class Index>
SPK_INLINE Real dot_row_by_gathers(const Real* a, const Index* indices, std::int64_t count, const Real* x) noexcept {
  constexpr int kSize = 32 / static_cast<int>(sizeof(Real));
  constexpr __mmask8 kAll = static_cast<__mmask8>((1u << kSize) - 1);
  decltype(gather(kAll, x, indices)) even = {}, odd = {};
  std::int64_t e = 0;
  for (; e + 2 * kSize <= count; e += 2 * kSize) {
    even = add_products(kAll, a + e, gather(kAll, x, indices + e), even);
    odd = add_products(kAll, a + e + kSize, gather(kAll, x, indices + e + kSize), odd);
  }
  for (; e < count; e += kSize) {
    const std::uint32_t left = static_cast<std::uint32_t>(count - e);
    const __mmask8 mask = static_cast<__mmask8>(kAll & _bzhi_u32(~0u, left < kSize ? left : kSize));
    even = add_products(mask, a + e, gather(mask, x, indices + e), even);
  }
  return sum_of(even, odd);
}
#else
constexpr bool kHasGathers = false;
template <class Real, class Index>
Real dot_row_by_gathers(const Real* a, const Index* indices, std::int64_t count, const Real* x) noexcept;
#endif

}  // namespace
}  // namespace spk::cpu
