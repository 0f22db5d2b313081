// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_finish.hpp"

// One column of C at a time from entries that a plan has brought into vectors (cpu/spmm_windows.hpp). A lane is a row of
// C; a vector holds at most one entry of each, and all of its entries lie in a window of two vectors of op(B)'s column.
// So B is read by two plain loads and one permutation of two registers takes every lane's element, where loads of single
// elements and gather instructions cost about a cycle a lane. Lanes without an entry take nothing from B: what is not
// stored never meets an infinity.
namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_avx512)

// Element places[l] of the window [low, high] in lane l; 0 where the place's highest bit is not set.
SPK_INLINE Vec<float> take(const std::uint8_t* places, Vec<float> low, Vec<float> high) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places));
  return _mm512_maskz_permutex2var_ps(_mm_movepi8_mask(bytes), low, _mm512_cvtepu8_epi32(bytes), high);
}
SPK_INLINE Vec<double> take(const std::uint8_t* places, Vec<double> low, Vec<double> high) noexcept {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places));
  return _mm512_maskz_permutex2var_pd(static_cast<__mmask8>(_mm_movepi8_mask(bytes)), low, _mm512_cvtepu8_epi64(bytes),
                                      high);
}

template <class Real, class Value>
inline void window_rows(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kL = kLanes<Real>;
  const Value* x = t.empty ? nullptr : static_cast<const Value*>(t.b) + step.tile * t.b_col_stride;
  const Value* values = static_cast<const Value*>(t.values);
  const WindowVectors& w = t.windows;
  for (std::int64_t row = step.begin; row < step.end; row += kWindowRows) {
    const std::int64_t count = step.end - row < kWindowRows ? step.end - row : kWindowRows;
    alignas(64) Real line[kWindowRows + kL] = {};  // lanes beyond the last row of C write behind
    for (std::int64_t s = row / kL; !t.empty && s * kL < row + count; ++s) {
      Vec<Real> sum[2] = {splat(Real{0}), splat(Real{0})};
      const auto add = [&](std::int64_t v, Vec<Real>& to) {
        const Value* window = x + w.starts[v];
        to = fma(load(values + v * kL), take(w.places + v * kL, load(window), load(window + kL)), to);
      };
      const std::int64_t end = w.slices[s + 1];
      std::int64_t v = w.slices[s];
      for (; v + 2 <= end; v += 2) {
        add(v, sum[0]);
        add(v + 1, sum[1]);
      }
      if (v < end) add(v, sum[0]);
      alignas(64) Real lanes[kL];
      store(lanes, sum[0] + sum[1]);
      const std::uint8_t* rows = w.rows + s * kL;
      SPK_UNROLL
      for (int l = 0; l < kL; ++l) line[rows[l]] = lanes[l];
    }
    finish_any_line<Real, false>(t, {row, step.tile, count, false}, line);
  }
}

#endif

}  // namespace
}  // namespace spk::cpu
