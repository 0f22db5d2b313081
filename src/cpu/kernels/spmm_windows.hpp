// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_finish.hpp"

// One column of C at a time from entries that a plan has brought into vectors (cpu/spmm_windows.hpp). A lane is a row of
// C; a vector holds at most one entry of each, and all of its entries lie in a window of op(B)'s column, twice as long.
// So B is read by plain loads, and permutations of two registers take every lane's element, where loads of single
// elements and gather instructions cost about a cycle a lane. Lanes without an entry take nothing from B: what is not
// stored never meets an infinity.
namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_avx512)

template <class Real>
constexpr int kWindowParts = static_cast<int>(kWindowLanes) / kLanes<Real>;  // registers of a vector

// For every lane the element of the window at its place, 0 where there is no entry.
template <class Value>
SPK_INLINE void take(const std::uint8_t* places, const Value* window, Vec<float>* x) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places));
  x[0] = _mm512_maskz_permutex2var_ps(_mm_movepi8_mask(bytes), load(window), _mm512_cvtepu8_epi32(bytes),
                                      load(window + 16));
}
SPK_INLINE void take(const std::uint8_t* places, const double* window, Vec<double>* x) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places));
  const __mmask16 filled = _mm_movepi8_mask(bytes);
  // Places from 16 on are in the upper half of the window.
  const __mmask16 upper = filled & _mm_movepi8_mask(_mm_slli_epi16(bytes, 3));
  const Vec<double> b[4] = {load(window), load(window + 8), load(window + 16), load(window + 24)};
  SPK_UNROLL
  for (int part = 0; part < 2; ++part) {
    const __m512i place = _mm512_cvtepu8_epi64(part == 0 ? bytes : _mm_unpackhi_epi64(bytes, bytes));
    const __m512d low = _mm512_maskz_permutex2var_pd(static_cast<__mmask8>(filled >> 8 * part), b[0], place, b[1]);
    const __m512d high = _mm512_permutex2var_pd(b[2], place, b[3]);
    x[part] = _mm512_mask_mov_pd(low, static_cast<__mmask8>(upper >> 8 * part), high);
  }
}

template <class Real, class Value>
inline void window_rows(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kParts = kWindowParts<Real>, kL = kLanes<Real>;
  const Value* column = t.empty ? nullptr : static_cast<const Value*>(t.b) + step.tile * t.b_col_stride;
  const Value* values = static_cast<const Value*>(t.values);
  const WindowVectors& w = t.windows;
  for (std::int64_t row = step.begin; row < step.end; row += kWindowRows) {
    const std::int64_t count = step.end - row < kWindowRows ? step.end - row : kWindowRows;
    alignas(64) Real line[kWindowRows + kL] = {};  // lanes beyond the last row of C write behind
    for (std::int64_t s = row / kWindowLanes; !t.empty && s * kWindowLanes < row + count; ++s) {
      Vec<Real> sum[2][kParts];
      SPK_UNROLL
      for (int part = 0; part < kParts; ++part) sum[0][part] = sum[1][part] = splat(Real{0});
      const auto add = [&](std::int64_t v, Vec<Real>* to) {
        Vec<Real> x[kParts];
        take(w.places + v * kWindowLanes, column + w.starts[v], x);
        SPK_UNROLL
        for (int part = 0; part < kParts; ++part)
          to[part] = fma(load(values + v * kWindowLanes + part * kL), x[part], to[part]);
      };
      const std::int64_t end = w.slices[s + 1];
      std::int64_t v = w.slices[s];
      for (; v + 2 <= end; v += 2) {
        add(v, sum[0]);
        add(v + 1, sum[1]);
      }
      if (v < end) add(v, sum[0]);
      alignas(64) Real lanes[kWindowLanes];
      SPK_UNROLL
      for (int part = 0; part < kParts; ++part) store(lanes + part * kL, sum[0][part] + sum[1][part]);
      const std::uint8_t* rows = w.rows + s * kWindowLanes;
      SPK_UNROLL
      for (int l = 0; l < kWindowLanes; ++l) line[rows[l]] = lanes[l];
    }
    finish_any_line<Real, false>(t, {row, step.tile, count, false}, line);
  }
}

#endif

}  // namespace
}  // namespace spk::cpu
