// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"

// Transposes squares of kLanes x kLanes elements in registers.
namespace spk::cpu {
namespace {

// Row i of the square is at from + i * from_pitch, of the result at to + i * to_pitch. `from` may be of any type that
// load() widens to Real.
template <class From, class Real>
inline void transpose_square(const From* from, std::int64_t from_pitch, Real* to, std::int64_t to_pitch) noexcept {
  constexpr int kSize = kLanes<Real>;
  Vec<Real> r[kSize];
  SPK_UNROLL
  for (int i = 0; i < kSize; ++i) r[i] = load(from + i * from_pitch);
#if defined(SPK_ARCH_avx512)
  if constexpr (sizeof(Real) == 4) {
    // 4 x 4 squares inside the 128-bit lanes, then the lanes among each other.
    __m512 u[16];
    SPK_UNROLL
    for (int i = 0; i < 16; i += 4) {
      const __m512 a = _mm512_unpacklo_ps(r[i], r[i + 1]), b = _mm512_unpackhi_ps(r[i], r[i + 1]);
      const __m512 c = _mm512_unpacklo_ps(r[i + 2], r[i + 3]), d = _mm512_unpackhi_ps(r[i + 2], r[i + 3]);
      u[i] = _mm512_shuffle_ps(a, c, 0x44);
      u[i + 1] = _mm512_shuffle_ps(a, c, 0xee);
      u[i + 2] = _mm512_shuffle_ps(b, d, 0x44);
      u[i + 3] = _mm512_shuffle_ps(b, d, 0xee);
    }
    SPK_UNROLL
    for (int i = 0; i < 4; ++i) {
      const __m512 a = _mm512_shuffle_f32x4(u[i], u[i + 4], 0x88), b = _mm512_shuffle_f32x4(u[i], u[i + 4], 0xdd);
      const __m512 c = _mm512_shuffle_f32x4(u[i + 8], u[i + 12], 0x88);
      const __m512 d = _mm512_shuffle_f32x4(u[i + 8], u[i + 12], 0xdd);
      r[i] = _mm512_shuffle_f32x4(a, c, 0x88);
      r[i + 8] = _mm512_shuffle_f32x4(a, c, 0xdd);
      r[i + 4] = _mm512_shuffle_f32x4(b, d, 0x88);
      r[i + 12] = _mm512_shuffle_f32x4(b, d, 0xdd);
    }
  } else {
    __m512d u[8];
    SPK_UNROLL
    for (int i = 0; i < 8; i += 2) {
      u[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
      u[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
    }
    SPK_UNROLL
    for (int i = 0; i < 2; ++i) {
      const __m512d a = _mm512_shuffle_f64x2(u[i], u[i + 2], 0x88), b = _mm512_shuffle_f64x2(u[i], u[i + 2], 0xdd);
      const __m512d c = _mm512_shuffle_f64x2(u[i + 4], u[i + 6], 0x88);
      const __m512d d = _mm512_shuffle_f64x2(u[i + 4], u[i + 6], 0xdd);
      r[i] = _mm512_shuffle_f64x2(a, c, 0x88);
      r[i + 4] = _mm512_shuffle_f64x2(a, c, 0xdd);
      r[i + 2] = _mm512_shuffle_f64x2(b, d, 0x88);
      r[i + 6] = _mm512_shuffle_f64x2(b, d, 0xdd);
    }
  }
  SPK_UNROLL
  for (int i = 0; i < kSize; ++i) store(to + i * to_pitch, r[i]);
#elif defined(SPK_ARCH_avx2)
  if constexpr (sizeof(Real) == 4) {
    __m256 u[8];
    SPK_UNROLL
    for (int i = 0; i < 8; i += 4) {
      const __m256 a = _mm256_unpacklo_ps(r[i], r[i + 1]), b = _mm256_unpackhi_ps(r[i], r[i + 1]);
      const __m256 c = _mm256_unpacklo_ps(r[i + 2], r[i + 3]), d = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
      u[i] = _mm256_shuffle_ps(a, c, 0x44);
      u[i + 1] = _mm256_shuffle_ps(a, c, 0xee);
      u[i + 2] = _mm256_shuffle_ps(b, d, 0x44);
      u[i + 3] = _mm256_shuffle_ps(b, d, 0xee);
    }
    SPK_UNROLL
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
      r[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
    }
  } else {
    const __m256d a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
    const __m256d c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(a, c, 0x20);
    r[1] = _mm256_permute2f128_pd(b, d, 0x20);
    r[2] = _mm256_permute2f128_pd(a, c, 0x31);
    r[3] = _mm256_permute2f128_pd(b, d, 0x31);
  }
  SPK_UNROLL
  for (int i = 0; i < kSize; ++i) store(to + i * to_pitch, r[i]);
#else
  Real lanes[kSize][kSize];
  for (int i = 0; i < kSize; ++i) store(lanes[i], r[i]);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) to[i * to_pitch + j] = lanes[j][i];
#endif
}

}  // namespace
}  // namespace spk::cpu
