// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// GCC 12 warns about the deliberately undefined registers inside its own AVX-512 intrinsics.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <cstdint>
#include <type_traits>

#include "core/problems.hpp"

// Registers of the instruction set that this translation unit is compiled for: a thin layer over xsimd with what it
// lacks (partial loads and stores, 16-bit floating point, a fused multiply-add on AVX-512). Everything is in an
// anonymous namespace: a function that the linker could merge with another instruction set's copy would bring wide
// instructions to machines without them.

// spmm_csr_f32 -> spmm_csr_f32__avx512, inside the namespace it is written in.
#define SPK_ARCH_JOIN2(name, isa) name##__##isa
#define SPK_ARCH_JOIN(name, isa) SPK_ARCH_JOIN2(name, isa)
#define SPK_ARCH_SYMBOL(name) SPK_ARCH_JOIN(name, SPK_ARCH_NAME)

// GCC 12 keeps arrays of registers in memory unless the loops over them are unrolled by request.
#if defined(__clang__)
#define SPK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SPK_UNROLL _Pragma("GCC unroll 16")
#endif
#define SPK_INLINE inline __attribute__((always_inline))

namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_avx512)
using Arch = xsimd::avx512bw;
#elif defined(SPK_ARCH_avx2)
using Arch = xsimd::fma3<xsimd::avx2>;
#elif defined(__aarch64__)
using Arch = xsimd::neon64;
#else
using Arch = xsimd::sse2;
#endif

template <class T>
using Vec = xsimd::batch<T, Arch>;
template <class T>
constexpr int kLanes = static_cast<int>(Vec<T>::size);
constexpr int kVectorBytes = static_cast<int>(sizeof(Vec<float>));

// The type in which values of a stored real type are summed.
template <class S>
using SumOf = std::conditional_t<std::is_same_v<S, double>, double, float>;

template <class T>
SPK_INLINE Vec<T> splat(T x) noexcept {
  return Vec<T>(x);
}

// a * b + c, rounded once where the instruction set can.
template <class T>
SPK_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) noexcept {
#if defined(SPK_ARCH_avx512)
  if constexpr (std::is_same_v<T, float>)
    return _mm512_fmadd_ps(a, b, c);
  else
    return _mm512_fmadd_pd(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}

// ---- 16-bit floating point, one at a time -------------------------------------------------------------------------

SPK_INLINE float bits_to_float(std::uint32_t bits) noexcept { return __builtin_bit_cast(float, bits); }
SPK_INLINE std::uint32_t float_to_bits(float x) noexcept { return __builtin_bit_cast(std::uint32_t, x); }

SPK_INLINE float widen(float x) noexcept { return x; }
SPK_INLINE double widen(double x) noexcept { return x; }
SPK_INLINE float widen(bf16 x) noexcept { return bits_to_float(static_cast<std::uint32_t>(x.bits) << 16); }
SPK_INLINE float widen(f16 x) noexcept {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(x.bits & 0x7fffu) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
  // Exponents are 112 apart; the multiplication also normalises subnormals. Infinity and NaN keep the top exponent.
  const std::uint32_t finite = float_to_bits(bits_to_float(magnitude) * 0x1p112f);
  return bits_to_float(sign | (magnitude >= (0x7c00u << 13) ? magnitude | 0x7f800000u : finite));
}

template <class S>
SPK_INLINE S narrow(SumOf<S> x) noexcept {
  if constexpr (std::is_same_v<S, bf16>) {
    const std::uint32_t bits = float_to_bits(x);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return {static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
  } else if constexpr (std::is_same_v<S, f16>) {
    const std::uint32_t bits = float_to_bits(x);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t a = bits & 0x7fffffffu;
    std::uint32_t h;
    if (a > 0x7f800000u)
      h = 0x7e00u | ((a >> 13) & 0x1ffu);
    else if (a >= 0x477ff000u)
      h = 0x7c00u;  // 65520 and above round to infinity
    else if (a < 0x38800000u)
      h = float_to_bits(bits_to_float(a) + 0.5f) - 0x3f000000u;  // 0.5 puts 2^-24 at the last place
    else
      h = (a + 0xfffu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
    return {static_cast<std::uint16_t>(sign | h)};
  } else {
    return x;
  }
}

// ---- Whole registers ----------------------------------------------------------------------------------------------

SPK_INLINE Vec<float> load(const float* p) noexcept { return Vec<float>::load_unaligned(p); }
SPK_INLINE Vec<double> load(const double* p) noexcept { return Vec<double>::load_unaligned(p); }

#if defined(SPK_ARCH_avx512)
SPK_INLINE Vec<float> from_halves(f16, __m256i h) noexcept { return _mm512_cvtph_ps(h); }
SPK_INLINE Vec<float> from_halves(bf16, __m256i h) noexcept {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}
template <class H>
SPK_INLINE Vec<float> load_16bit(const H* p) noexcept {
  return from_halves(H{}, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
#elif defined(SPK_ARCH_avx2)
SPK_INLINE Vec<float> from_halves(f16, __m128i h) noexcept { return _mm256_cvtph_ps(h); }
SPK_INLINE Vec<float> from_halves(bf16, __m128i h) noexcept {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}
template <class H>
SPK_INLINE Vec<float> load_16bit(const H* p) noexcept {
  return from_halves(H{}, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
#else
template <class H>
SPK_INLINE Vec<float> load_16bit(const H* p) noexcept {
  float wide[kLanes<float>];
  for (int i = 0; i < kLanes<float>; ++i) wide[i] = widen(p[i]);
  return load(wide);
}
#endif
SPK_INLINE Vec<float> load(const f16* p) noexcept { return load_16bit(p); }
SPK_INLINE Vec<float> load(const bf16* p) noexcept { return load_16bit(p); }

SPK_INLINE void store(float* p, Vec<float> v) noexcept { v.store_unaligned(p); }
SPK_INLINE void store(double* p, Vec<double> v) noexcept { v.store_unaligned(p); }

// ---- The first n elements, 0 <= n <= lanes; nothing beyond them is touched ---------------------------------------

#if defined(SPK_ARCH_avx512)
SPK_INLINE std::uint32_t first_bits(int n) noexcept { return _bzhi_u32(~0u, static_cast<std::uint32_t>(n)); }
SPK_INLINE Vec<float> load_first(const float* p, int n) noexcept {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(first_bits(n)), p);
}
SPK_INLINE Vec<double> load_first(const double* p, int n) noexcept {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(first_bits(n)), p);
}
template <class H, std::enable_if_t<sizeof(H) == 2, int> = 0>
SPK_INLINE Vec<float> load_first(const H* p, int n) noexcept {
  return from_halves(H{}, _mm256_maskz_loadu_epi16(static_cast<__mmask16>(first_bits(n)), p));
}
SPK_INLINE void store_first(float* p, Vec<float> v, int n) noexcept {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>(first_bits(n)), v);
}
SPK_INLINE void store_first(double* p, Vec<double> v, int n) noexcept {
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>(first_bits(n)), v);
}
SPK_INLINE __m256i to_halves(f16, Vec<float> v) noexcept {
  return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
SPK_INLINE __m256i to_halves(bf16, Vec<float> v) noexcept {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
  const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_mask_mov_epi32(rounded, nan, quiet), 16));
}
template <class H, std::enable_if_t<sizeof(H) == 2, int> = 0>
SPK_INLINE void store(H* p, Vec<float> v) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), to_halves(H{}, v));
}
template <class H, std::enable_if_t<sizeof(H) == 2, int> = 0>
SPK_INLINE void store_first(H* p, Vec<float> v, int n) noexcept {
  _mm256_mask_storeu_epi16(p, static_cast<__mmask16>(first_bits(n)), to_halves(H{}, v));
}
#else
#if defined(SPK_ARCH_avx2)
alignas(32) constexpr std::int32_t kFirst32[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
alignas(32) constexpr std::int64_t kFirst64[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
SPK_INLINE __m256i first_mask32(int n) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kFirst32 + 8 - n));
}
SPK_INLINE __m256i first_mask64(int n) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kFirst64 + 4 - n));
}
SPK_INLINE Vec<float> load_first(const float* p, int n) noexcept { return _mm256_maskload_ps(p, first_mask32(n)); }
SPK_INLINE Vec<double> load_first(const double* p, int n) noexcept { return _mm256_maskload_pd(p, first_mask64(n)); }
SPK_INLINE void store_first(float* p, Vec<float> v, int n) noexcept { _mm256_maskstore_ps(p, first_mask32(n), v); }
SPK_INLINE void store_first(double* p, Vec<double> v, int n) noexcept { _mm256_maskstore_pd(p, first_mask64(n), v); }
#else
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
SPK_INLINE Vec<T> load_first(const T* p, int n) noexcept {
  T part[kLanes<T>] = {};
  for (int i = 0; i < n; ++i) part[i] = p[i];
  return load(part);
}
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
SPK_INLINE void store_first(T* p, Vec<T> v, int n) noexcept {
  T part[kLanes<T>];
  store(part, v);
  for (int i = 0; i < n; ++i) p[i] = part[i];
}
#endif
template <class H, std::enable_if_t<sizeof(H) == 2, int> = 0>
SPK_INLINE Vec<float> load_first(const H* p, int n) noexcept {
  H part[kLanes<float>] = {};
  for (int i = 0; i < n; ++i) part[i] = p[i];
  return load(part);
}
template <class H, std::enable_if_t<sizeof(H) == 2, int> = 0>
SPK_INLINE void store_first(H* p, Vec<float> v, int n) noexcept {
  float wide[kLanes<float>];
  store(wide, v);
  for (int i = 0; i < n; ++i) p[i] = narrow<H>(wide[i]);
}
template <class H, std::enable_if_t<sizeof(H) == 2, int> = 0>
SPK_INLINE void store(H* p, Vec<float> v) noexcept {
#if defined(SPK_ARCH_avx2)
  if constexpr (std::is_same_v<H, f16>) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    return;
  }
#endif
  store_first(p, v, kLanes<float>);
}
#endif

}  // namespace
}  // namespace spk::cpu
