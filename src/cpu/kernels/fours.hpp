// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"

// Four entries of A with few loads: where C has few columns, the processor's loads are what a product waits for.
namespace spk::cpu {
namespace {

// Indices are never negative, so they need no sign.
template <class Index>
class FourIndices {
 public:
  SPK_INLINE explicit FourIndices(const Index* p) noexcept {
    if constexpr (sizeof(Index) == 8) {
      SPK_UNROLL
      for (int i = 0; i < 4; ++i) word_[i] = static_cast<std::uint64_t>(p[i]);
    } else {
      SPK_UNROLL
      for (int i = 0; i < kWords; ++i) __builtin_memcpy(&word_[i], p + i * kPerWord, sizeof word_[i]);
    }
  }
  SPK_INLINE std::uint64_t operator[](int i) const noexcept {
    if constexpr (sizeof(Index) == 8) {
      return word_[i];
    } else {
      constexpr int kBits = 8 * static_cast<int>(sizeof(Index));
      const std::uint64_t shifted = word_[i / kPerWord] >> (i % kPerWord * kBits);
      return i % kPerWord == kPerWord - 1 ? shifted : shifted & ((std::uint64_t{1} << kBits) - 1);
    }
  }

 private:
  static constexpr int kPerWord = 8 / static_cast<int>(sizeof(Index)), kWords = 4 / kPerWord;
  std::uint64_t word_[kWords];
};

// Values, each in all lanes of a register: at<i>() is p[i].
template <class Real>
class FourValues {
 public:
#if defined(SPK_ARCH_avx512)
  SPK_INLINE explicit FourValues(const float* p) noexcept : all_(_mm512_broadcast_f32x4(_mm_loadu_ps(p))) {}
  SPK_INLINE explicit FourValues(const double* p) noexcept : all_(_mm512_broadcast_f64x4(_mm256_loadu_pd(p))) {}
  // p[0] and p[1] alone.
  SPK_INLINE static FourValues two(const float* p) noexcept {
    double both;
    __builtin_memcpy(&both, p, sizeof both);
    return FourValues(Vec<float>(_mm512_castpd_ps(_mm512_set1_pd(both))));
  }
  SPK_INLINE static FourValues two(const double* p) noexcept {
    return FourValues(Vec<double>(_mm512_broadcast_f64x2(_mm_loadu_pd(p))));
  }
  template <int i>
  SPK_INLINE Vec<Real> at() const noexcept {
    if constexpr (std::is_same_v<Real, float>)
      return _mm512_permute_ps(all_, 0x55 * i);
    else
      return _mm512_permutex_pd(all_, 0x55 * i);
  }
  // p[first], p[first + 1], ..., each in a part of a register of kParts.
  template <int kParts, int first>
  SPK_INLINE Vec<Real> parts() const noexcept {
    constexpr int kShift = kParts == 2 ? 3 : 2;  // of a float's lane
    if constexpr (std::is_same_v<Real, float>) {
      const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
      return _mm512_permutexvar_ps(_mm512_add_epi32(_mm512_srli_epi32(lane, kShift), _mm512_set1_epi32(first)), all_);
    } else {
      const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
      return _mm512_permutexvar_pd(_mm512_add_epi64(_mm512_srli_epi64(lane, kShift - 1), _mm512_set1_epi64(first)),
                                   all_);
    }
  }

 private:
  SPK_INLINE explicit FourValues(const Vec<Real>& all) noexcept : all_(all) {}
  Vec<Real> all_;
#elif defined(SPK_ARCH_avx2)
  SPK_INLINE explicit FourValues(const float* p) noexcept
      : all_(_mm256_broadcast_ps(reinterpret_cast<const __m128*>(p))) {}
  SPK_INLINE explicit FourValues(const double* p) noexcept : all_(_mm256_loadu_pd(p)) {}
  template <int i>
  SPK_INLINE Vec<Real> at() const noexcept {
    if constexpr (std::is_same_v<Real, float>)
      return _mm256_permute_ps(all_, 0x55 * i);
    else
      return _mm256_permute4x64_pd(all_, 0x55 * i);
  }

 private:
  Vec<Real> all_;
#else
  SPK_INLINE explicit FourValues(const Real* p) noexcept : p_(p) {}
  template <int i>
  SPK_INLINE Vec<Real> at() const noexcept {
    return splat(p_[i]);
  }

 private:
  const Real* p_;
#endif
};

}  // namespace
}  // namespace spk::cpu
