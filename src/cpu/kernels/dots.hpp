// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"

// Several dot products at once: one register of partial sums per dot, all of them folded by one tree of shuffles. The
// order of a dot's additions depends on its length only, not on its neighbours, so equal operands give equal bits
// wherever they stand.
namespace spk::cpu {
namespace {  // NOLINT(google-build-namespaces)

// The compiler's own vectors, for shuffles. Registers are folded to 32 bytes before the tree.
template <class Real, int kBytes>
struct RawOf;
template <>
struct RawOf<float, 16> {
  typedef float type __attribute__((vector_size(16)));
};
template <>
struct RawOf<double, 16> {
  typedef double type __attribute__((vector_size(16)));
};
template <>
struct RawOf<float, 32> {
  typedef float type __attribute__((vector_size(32)));
};
template <>
struct RawOf<double, 32> {
  typedef double type __attribute__((vector_size(32)));
};
template <>
struct RawOf<float, 64> {
  typedef float type __attribute__((vector_size(64)));
};
template <>
struct RawOf<double, 64> {
  typedef double type __attribute__((vector_size(64)));
};
template <class Real>
using Raw = typename RawOf<Real, kVectorBytes>::type;
constexpr int kFoldBytes = kVectorBytes == 16 ? 16 : 32;
template <class Real>
using Fold = typename RawOf<Real, kFoldBytes>::type;
template <class Real>
constexpr int kFoldLanes = kFoldBytes / static_cast<int>(sizeof(Real));

// fma() of single numbers. Written out because GCC 12 fuses a complex product's multiplications with its additions in
// some places and not in others, also with -ffp-contract=off, and so makes bits depend on the place.
template <class Real>
SPK_INLINE Real fma_one(Real a, Real b, Real c) noexcept {
#if defined(SPK_ARCH_avx2) || defined(SPK_ARCH_avx512) || defined(__aarch64__)
  if constexpr (sizeof(Real) == 4)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// Exchanges neighbours: (re, im) -> (im, re).
SPK_INLINE Vec<float> swap_pairs(Vec<float> v) noexcept {
  const Raw<float> x = v;
#if defined(SPK_ARCH_avx512)
  return Vec<float>(__builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
#elif defined(SPK_ARCH_avx2)
  return Vec<float>(__builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6));
#else
  return Vec<float>(__builtin_shufflevector(x, x, 1, 0, 3, 2));
#endif
}
SPK_INLINE Vec<double> swap_pairs(Vec<double> v) noexcept {
  const Raw<double> x = v;
#if defined(SPK_ARCH_avx512)
  return Vec<double>(__builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6));
#elif defined(SPK_ARCH_avx2)
  return Vec<double>(__builtin_shufflevector(x, x, 1, 0, 3, 2));
#else
  return Vec<double>(__builtin_shufflevector(x, x, 1, 0));
#endif
}

// Lower half + upper half where a register is wider than the tree.
SPK_INLINE Fold<float> fold(Vec<float> v) noexcept {
  const Raw<float> x = v;
#if defined(SPK_ARCH_avx512)
  return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
         __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  return x;
#endif
}
SPK_INLINE Fold<double> fold(Vec<double> v) noexcept {
  const Raw<double> x = v;
#if defined(SPK_ARCH_avx512)
  return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
#else
  return x;
#endif
}

#if defined(SPK_ARCH_avx2) || defined(SPK_ARCH_avx512)
// Sums of neighbours inside each 16 bytes: x's, then y's.
SPK_INLINE Fold<float> add_pairs(Fold<float> x, Fold<float> y) noexcept {
  return __builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14) +
         __builtin_shufflevector(x, y, 1, 3, 9, 11, 5, 7, 13, 15);
}
SPK_INLINE Fold<double> add_pairs(Fold<double> x, Fold<double> y) noexcept {
  return __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
}
// Lower 16 bytes + upper 16 bytes: x's, then y's.
SPK_INLINE Fold<float> add_halves(Fold<float> x, Fold<float> y) noexcept {
  return __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
}
SPK_INLINE Fold<double> add_halves(Fold<double> x, Fold<double> y) noexcept {
  return __builtin_shufflevector(x, y, 0, 1, 4, 5) + __builtin_shufflevector(x, y, 2, 3, 6, 7);
}
#else
SPK_INLINE Fold<float> add_pairs(Fold<float> x, Fold<float> y) noexcept {
  return __builtin_shufflevector(x, y, 0, 2, 4, 6) + __builtin_shufflevector(x, y, 1, 3, 5, 7);
}
SPK_INLINE Fold<double> add_pairs(Fold<double> x, Fold<double> y) noexcept {
  return __builtin_shufflevector(x, y, 0, 2) + __builtin_shufflevector(x, y, 1, 3);
}
#endif

// sums[i] = sum of the lanes of acc[i]. Writes whole registers: sums has room for kFoldLanes - 1 elements more. The last
// of an odd number of registers is paired with itself.
template <class Real, int kCount>
SPK_INLINE void reduce(const Vec<Real>* acc, Real* sums) noexcept {
  Fold<Real> level[kCount];
  SPK_UNROLL for (int i = 0; i < kCount; ++i) level[i] = fold(acc[i]);
  constexpr int kPairs = (kCount + 1) / 2;
  SPK_UNROLL for (int i = 0; i < kPairs; ++i) level[i] =
      add_pairs(level[2 * i], level[2 * i + 1 < kCount ? 2 * i + 1 : 2 * i]);
  constexpr int kQuads = sizeof(Real) == 4 ? (kPairs + 1) / 2 : kPairs;
  if constexpr (sizeof(Real) == 4) {
    SPK_UNROLL for (int i = 0; i < kQuads; ++i) level[i] =
        add_pairs(level[2 * i], level[2 * i + 1 < kPairs ? 2 * i + 1 : 2 * i]);
  }
  int results = kQuads;
#if defined(SPK_ARCH_avx2) || defined(SPK_ARCH_avx512)
  constexpr int kHalves = (kQuads + 1) / 2;
  SPK_UNROLL for (int i = 0; i < kHalves; ++i) level[i] =
      add_halves(level[2 * i], level[2 * i + 1 < kQuads ? 2 * i + 1 : 2 * i]);
  results = kHalves;
#endif
  SPK_UNROLL for (int i = 0; i < results; ++i)
      __builtin_memcpy(sums + i * kFoldLanes<Real>, &level[i], sizeof level[i]);
}

// Lanes that are multiplied by -1 at the end turn the partial sums of a complex dot into its two parts.
template <class Real>
struct Signs {
  Vec<Real> re, im;
};
template <class Real>
SPK_INLINE Signs<Real> signs(bool conj_a, bool conj_b) noexcept {
  Real re[kLanes<Real>], im[kLanes<Real>];
  for (int i = 0; i < kLanes<Real>; i += 2) {
    re[i] = 1;
    re[i + 1] = conj_a != conj_b ? Real{1} : Real{-1};
    im[i] = conj_b ? Real{-1} : Real{1};
    im[i + 1] = conj_a ? Real{-1} : Real{1};
  }
  return {load(re), load(im)};
}

// sums[r * kCols + c] = dot of a[r] and b[c] over k real numbers.
template <class Stored, int kRows, int kCols>
SPK_INLINE void real_dots(const Stored* const* a, const Stored* const* b, std::int64_t k,
                          SumOf<Stored>* sums) noexcept {
  using Real = SumOf<Stored>;
  Vec<Real> acc[kRows * kCols];
  SPK_UNROLL for (int i = 0; i < kRows * kCols; ++i) acc[i] = splat(Real{0});
  const auto step = [&](auto&& read) __attribute__((always_inline)) {
    Vec<Real> va[kRows];
    SPK_UNROLL for (int r = 0; r < kRows; ++r) va[r] = read(a[r]);
    SPK_UNROLL for (int c = 0; c < kCols; ++c) {
      const Vec<Real> vb = read(b[c]);
      SPK_UNROLL for (int r = 0; r < kRows; ++r) acc[r * kCols + c] = fma(va[r], vb, acc[r * kCols + c]);
    }
  };
  std::int64_t p = 0;
  for (; p + kLanes<Real> <= k; p += kLanes<Real>) step([p](const Stored* x) { return load(x + p); });
  if (p < k) {
    const int left = static_cast<int>(k - p);
    step([p, left](const Stored* x) { return load_first(x + p, left); });
  }
  reduce<Real, kRows * kCols>(acc, sums);
}

// The same for interleaved complex numbers; k counts real numbers. sums holds (re, im) pairs. One accumulator takes
// a * b lane by lane (re re, im im), the other a * swapped b (re im, im re).
template <class Real, int kRows, int kCols>
SPK_INLINE void complex_dots(const Real* const* a, const Real* const* b, std::int64_t k, const Signs<Real>& sign,
                             Real* sums) noexcept {
  Vec<Real> acc[2 * kRows * kCols];
  SPK_UNROLL for (int i = 0; i < 2 * kRows * kCols; ++i) acc[i] = splat(Real{0});
  const auto step = [&](auto&& read) __attribute__((always_inline)) {
    Vec<Real> va[kRows];
    SPK_UNROLL for (int r = 0; r < kRows; ++r) va[r] = read(a[r]);
    SPK_UNROLL for (int c = 0; c < kCols; ++c) {
      const Vec<Real> vb = read(b[c]);
      const Vec<Real> swapped = swap_pairs(vb);
      SPK_UNROLL for (int r = 0; r < kRows; ++r) {
        const int i = 2 * (r * kCols + c);
        acc[i] = fma(va[r], vb, acc[i]);
        acc[i + 1] = fma(va[r], swapped, acc[i + 1]);
      }
    }
  };
  std::int64_t p = 0;
  for (; p + kLanes<Real> <= k; p += kLanes<Real>) step([p](const Real* x) { return load(x + p); });
  if (p < k) {
    const int left = static_cast<int>(k - p);
    step([p, left](const Real* x) { return load_first(x + p, left); });
  }
  SPK_UNROLL for (int i = 0; i < 2 * kRows * kCols; i += 2) {
    acc[i] = acc[i] * sign.re;
    acc[i + 1] = acc[i + 1] * sign.im;
  }
  reduce<Real, 2 * kRows * kCols>(acc, sums);
}

}  // namespace
}  // namespace spk::cpu
