// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/gathers.hpp"
#include "cpu/kernels/quads.hpp"
#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_stage.hpp"

// One column of C at a time: the dot product of every row of op(A) with a contiguous column of op(B), for matrices of
// very few columns. Elements of B are loaded one by one, which on most processors keeps up with gather instructions
// (about a cycle per lane), else gathered; what they are multiplied with, their indices and the sums are taken several
// at once, because a processor that loads one number for every multiplication can do no better than one multiplication
// a cycle.
namespace spk::cpu {
namespace {

constexpr int kDotLines = 64;  // rows between two visits to C
constexpr int kDotSums = 4;

// Where the element with stored index 0 would lie, so that indices need no base taken off.
template <class Value>
SPK_INLINE const Value* before(const Value* x, std::int64_t elements) noexcept {
  return reinterpret_cast<const Value*>(reinterpret_cast<std::uintptr_t>(x) -
                                        static_cast<std::uintptr_t>(elements) * sizeof(Value));
}

template <class Real, bool kAtOnce, class Value, class Index>
SPK_INLINE Real dot_row(const Value* a, const Index* indices, std::int64_t count, const Value* x) noexcept {
  if constexpr (kAtOnce && kHasGathers) return dot_row_by_gathers(a, indices, count, x);
  if constexpr (kAtOnce && kHasQuads) return dot_row_by_quads(a, indices, count, x);
  Real sum[kDotSums] = {};
  std::int64_t e = 0;
  for (; e + kDotSums <= count; e += kDotSums) {
    SPK_UNROLL
    for (int s = 0; s < kDotSums; ++s) {
      const Real b = widen(x[indices[e + s]]);
      sum[s] = fma1(static_cast<Real>(widen(a[e + s])), b, sum[s]);
    }
  }
  SPK_UNROLL
  for (int s = 0; s < kDotSums - 1; ++s) {
    if (e + s >= count) break;
    const Real b = widen(x[indices[e + s]]);
    sum[s] = fma1(static_cast<Real>(widen(a[e + s])), b, sum[s]);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Pairs: sum(re(a) x) to real[0..1], sum(im(a) x) to imag[0..1].
template <class Real, class Index>
SPK_INLINE void dot_row_complex(const Real* a, const Index* indices, std::int64_t count, const Real* x, Real* real,
                                Real* imag) noexcept {
  Real sum[2][4] = {};
  for (std::int64_t e = 0; e < count; ++e) {
    const Real* b = x + 2 * static_cast<std::int64_t>(indices[e]);
    Real* s = sum[e & 1];
    s[0] = fma1(a[2 * e], b[0], s[0]);
    s[1] = fma1(a[2 * e], b[1], s[1]);
    s[2] = fma1(a[2 * e + 1], b[0], s[2]);
    s[3] = fma1(a[2 * e + 1], b[1], s[3]);
  }
  real[0] = sum[0][0] + sum[1][0];
  real[1] = sum[0][1] + sum[1][1];
  imag[0] = sum[0][2] + sum[1][2];
  imag[1] = sum[0][3] + sum[1][3];
}

// The dots of `count` rows of op(A), each with x, to line.
template <class Real, bool kComplex, bool kAtOnce, class Value, class Index, class Offset>
SPK_INLINE void dot_lines(const SpmmTask& t, const Offset* offsets, std::int64_t count, const Value* x,
                          Real* line) noexcept {
  const Value* a = static_cast<const Value*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  const std::int64_t offset_base = t.offset_base;
  std::int64_t end = static_cast<std::int64_t>(offsets[0]) - offset_base;
  for (std::int64_t row = 0; row < count; ++row) {
    const std::int64_t begin = end;
    end = static_cast<std::int64_t>(offsets[row + 1]) - offset_base;
    if constexpr (kComplex) {
      Real imag[2];
      dot_row_complex(a + 2 * begin, indices + begin, end - begin, x, line + 2 * row, imag);
      join_complex(t, line + 2 * row, imag, 2);
    } else {
      line[row] = dot_row<Real, kAtOnce>(a + begin, indices + begin, end - begin, x);
    }
  }
}

// Whether elements go to C as they are, but for alpha.
template <class Real, bool kComplex>
SPK_INLINE bool stores_elements(const SpmmTask& t) noexcept {
  return !kComplex && t.c_type == (sizeof(Real) == 4 ? ValueType::f32 : ValueType::f64);
}

// Rows [begin, end), few of which have entries, none of them long: all of C is cleared, then those are found. Only where
// zeros are the answer for the others and C has one element a row.
template <class Real, bool kComplex, bool kAtOnce, class Value, class Index>
inline void dot_few_rows(const SpmmTask& t, std::int64_t begin, std::int64_t end, std::int64_t tile,
                         const Value* x) noexcept {
  constexpr std::int64_t kRows = 4096;  // their elements of C stay in the first-level cache
  const bool direct = stores_elements<Real, kComplex>(t);
  Real* const c = static_cast<Real*>(t.c) + tile * t.c_col_stride;
  const std::int64_t c_stride = t.c_row_stride, base = t.offset_base;
  const Real alpha = static_cast<Real>(t.alpha.re);
  const Value* a = static_cast<const Value*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  for (std::int64_t first = begin; first < end; first += kRows) {
    const std::int64_t last = first + kRows < end ? first + kRows : end;
    clear_rows(t, first, last - 1, tile, 1);
    const auto find = [&](auto* stored) {
      for_filled_rows(
          stored, first, last, [&](std::int64_t row) __attribute__((always_inline)) {
            if constexpr (!kComplex)
              if (direct) {
                const std::int64_t from = static_cast<std::int64_t>(stored[row]) - base;
                const std::int64_t to = static_cast<std::int64_t>(stored[row + 1]) - base;
                c[row * c_stride] = alpha * dot_row<Real, kAtOnce>(a + from, indices + from, to - from, x);
                return;
              }
            alignas(64) Real line[kLanes<Real>] = {};
            dot_lines<Real, kComplex, kAtOnce, Value, Index>(t, stored + row, 1, x, line);
            finish_any_line<Real, kComplex>(t, {row, tile, 1, false}, line);
          });
    };
    t.offset_type == IndexType::i32 ? find(static_cast<const std::int32_t*>(t.offsets))
                                    : find(static_cast<const std::int64_t*>(t.offsets));
  }
}

template <class Real, bool kComplex, bool kAtOnce, class Value, class Index>
inline void dot_rows(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kPer = kComplex ? 2 : 1;
  // Without a product B may be NULL, which takes no offset.
  const Value* x = nullptr;
  if (!t.empty) x = before(static_cast<const Value*>(t.b) + kPer * step.tile * t.b_col_stride, kPer * t.index_base);
  if (step.kind == SpmmStep::segment) {
    const Value* a = static_cast<const Value*>(t.values) + kPer * step.begin;
    const Index* indices = static_cast<const Index*>(t.indices) + step.begin;
    Real* to = static_cast<Real*>(t.partials) + (kPer * step.partial * t.columns) + kPer * step.tile;
    if constexpr (kComplex)
      dot_row_complex(a, indices, step.end - step.begin, x, to, to + t.columns);
    else
      *to = dot_row<Real, kAtOnce>(a, indices, step.end - step.begin, x);
    return;
  }
  const bool clears = may_clear_rows(t) && t.c_row_stride == 1;
  const bool clears_again = clears && !t.empty && turns_zeros(t);
  const RowOffsets offsets(t);
  if (clears && !t.empty) {
    const std::int64_t entries = offsets.at(step.end) - offsets.at(step.begin);
    if (entries < step.end - step.begin && entries <= t.long_row)
      return dot_few_rows<Real, kComplex, kAtOnce, Value, Index>(t, step.begin, step.end, step.tile, x);
  }
  for (std::int64_t row = step.begin, next; row < step.end; row = next) {
    next = row + kDotLines < step.end ? row + kDotLines : step.end;
    std::int64_t entries = t.empty ? 0 : offsets.at(next) - offsets.at(row);
    if (clears && entries != 0 && 4 * entries < next - row) {  // mostly empty rows: better found in between
      next = row + kDotLines / 8 < step.end ? row + kDotLines / 8 : step.end;
      entries = offsets.at(next) - offsets.at(row);
    }
    if (entries == 0 && clears) {
      next = last_empty_row(t, next - 1, step.end) + 1;
      clear_rows(t, row, next - 1, step.tile, 1);
      continue;
    }
    // One of the rows can be long only where all of them together are; the run ends before it then.
    bool skips = false;
    if (entries > t.long_row) {
      const std::int64_t most = next;
      next = row;
      while (next < most && offsets.at(next + 1) - offsets.at(next) <= t.long_row) ++next;
      skips = next < most;
    }
    alignas(64) Real line[kPer * kDotLines] = {};
    const auto dots = [&](auto* stored) {
      if (!t.empty) dot_lines<Real, kComplex, kAtOnce, Value, Index>(t, stored + row, next - row, x, line);
    };
    offsets.narrow ? dots(static_cast<const std::int32_t*>(t.offsets))
                   : dots(static_cast<const std::int64_t*>(t.offsets));
    finish_any_line<Real, kComplex>(t, {row, step.tile, next - row, false}, line);
    if (clears_again)
      for (std::int64_t r = row; r < next; ++r)
        if (offsets.at(r) == offsets.at(r + 1)) clear_rows(t, r, r, step.tile, 1);
    if (skips) ++next;
  }
}

template <class Real, bool kComplex, bool kAtOnce, class Value>
inline void dot_rows_of_any_index(const SpmmTask& t, const SpmmStep& step) noexcept {
  if (t.index_type == IndexType::i64) return dot_rows<Real, kComplex, kAtOnce, Value, std::int64_t>(t, step);
  if (t.index_type == IndexType::u16) return dot_rows<Real, kComplex, kAtOnce, Value, std::uint16_t>(t, step);
  dot_rows<Real, kComplex, kAtOnce, Value, std::int32_t>(t, step);
}

template <class Real, bool kComplex, class Value>
inline void dot_rows_of(const SpmmTask& t, const SpmmStep& step) noexcept {
  if constexpr (kHasQuads && !kComplex && std::is_same_v<Real, Value>) {
    // Rows of few entries are not worth it. The mean of the whole matrix decides, so that a row's bits do not depend on
    // how rows are shared out to threads.
    constexpr std::int64_t kLeastMean = 4;
    const RowOffsets offsets(t);
    if (!t.empty && offsets.at(t.m) - offsets.at(0) >= kLeastMean * t.m)
      return dot_rows_of_any_index<Real, false, true, Value>(t, step);
  }
  dot_rows_of_any_index<Real, kComplex, false, Value>(t, step);
}

template <class Real, bool kComplex>
inline void combine_dots(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kPer = kComplex ? 2 : 1;
  const std::int64_t pitch = kPer * t.columns;
  const Real* from = static_cast<const Real*>(t.partials) + step.partial * pitch + kPer * step.tile;
  alignas(64) Real real[kLanes<float>] = {};
  Real imag[2] = {};
  for (std::int64_t part = 0; part < step.partials; ++part)
    for (int i = 0; i < kPer; ++i) {
      real[i] += from[part * pitch + i];
      if constexpr (kComplex) imag[i] += from[part * pitch + t.columns + i];
    }
  if constexpr (kComplex) join_complex(t, real, imag, 2);
  finish_any_line<Real, kComplex>(t, {step.row, step.tile, 1, false}, real);
}

template <class Real, bool kComplex>
inline void run_dot(const SpmmTask& t, const SpmmStep& step) noexcept {
  if (step.kind == SpmmStep::combine) return combine_dots<Real, kComplex>(t, step);
  if constexpr (std::is_same_v<Real, float> && !kComplex) {
    if (t.value_type == ValueType::f16) return dot_rows_of<Real, false, f16>(t, step);
    if (t.value_type == ValueType::bf16) return dot_rows_of<Real, false, bf16>(t, step);
  }
  dot_rows_of<Real, kComplex, Real>(t, step);
}

}  // namespace
}  // namespace spk::cpu
