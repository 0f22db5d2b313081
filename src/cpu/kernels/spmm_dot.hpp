// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_stage.hpp"

// One column of C at a time: the dot product of every row of op(A) with a contiguous column of op(B), for matrices of
// very few columns. Four running sums hide the latency of the multiplier; more leave more ends of short rows to guess.
// Loading element by element keeps up with gather instructions, which cost about a cycle per lane.
namespace spk::cpu {
namespace {

constexpr int kDotLines = 64;  // rows between two visits to C
constexpr int kDotSums = 4;

template <class Real, class Value, class Index>
SPK_INLINE Real dot_row(const Value* a, const Index* indices, std::int64_t count, const Value* x,
                        std::int64_t base) noexcept {
  Real sum[kDotSums] = {};
  std::int64_t e = 0;
  for (; e + kDotSums <= count; e += kDotSums) {
    SPK_UNROLL
    for (int s = 0; s < kDotSums; ++s) {
      const Real b = widen(x[static_cast<std::int64_t>(indices[e + s]) - base]);
      sum[s] = fma1(static_cast<Real>(widen(a[e + s])), b, sum[s]);
    }
  }
  SPK_UNROLL
  for (int s = 0; s < kDotSums - 1; ++s) {
    if (e + s >= count) break;
    const Real b = widen(x[static_cast<std::int64_t>(indices[e + s]) - base]);
    sum[s] = fma1(static_cast<Real>(widen(a[e + s])), b, sum[s]);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Pairs: sum(re(a) x) to real[0..1], sum(im(a) x) to imag[0..1].
template <class Real, class Index>
SPK_INLINE void dot_row_complex(const Real* a, const Index* indices, std::int64_t count, const Real* x,
                                std::int64_t base, Real* real, Real* imag) noexcept {
  Real sum[2][4] = {};
  for (std::int64_t e = 0; e < count; ++e) {
    const Real* b = x + 2 * (static_cast<std::int64_t>(indices[e]) - base);
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

template <class Real, bool kComplex, class Value, class Index>
inline void dot_rows(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kPer = kComplex ? 2 : 1;
  const Value* a = static_cast<const Value*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  // Without a product B may be NULL, which takes no offset.
  const Value* x = t.empty ? nullptr : static_cast<const Value*>(t.b) + kPer * step.tile * t.b_col_stride;
  const std::int64_t base = t.index_base;
  const auto dot = [&](std::int64_t begin, std::int64_t end, Real* real, Real* imag) {
    if constexpr (kComplex)
      dot_row_complex(a + 2 * begin, indices + begin, end - begin, x, base, real, imag);
    else
      *real = dot_row<Real>(a + begin, indices + begin, end - begin, x, base);
  };
  if (step.kind == SpmmStep::segment) {
    Real* to = static_cast<Real*>(t.partials) + (kPer * step.partial * t.columns) + kPer * step.tile;
    return dot(step.begin, step.end, to, to + t.columns);
  }
  alignas(64) Real line[kPer * kDotLines];
  Line where{step.begin, step.tile, 0, false};
  const auto flush = [&](std::int64_t next_row) {
    finish_any_line<Real, kComplex>(t, where, line);
    where.row = next_row;
    where.count = 0;
  };
  constexpr std::int64_t kLeastRun = 8;  // of empty rows, to be worth an interruption
  const bool clears = may_clear_rows(t) && t.c_row_stride == 1;
  const bool empty = t.empty;
  const std::int64_t long_row = t.long_row, rows_end = step.end;
  const RowOffsets offsets(t);
  std::int64_t end = empty ? 0 : offsets.at(step.begin);
  for (std::int64_t row = step.begin; row < rows_end; ++row) {
    const std::int64_t begin = end;
    if (!empty) end = offsets.at(row + 1);
    if (end - begin > long_row) {
      flush(row + 1);
      continue;
    }
    if (end == begin && clears) {
      const std::int64_t last = last_empty_row(t, row, rows_end);
      if (last - row >= kLeastRun) {
        clear_rows(t, row, last, step.tile, 1);
        flush(last + 1);
        row = last;
        continue;
      }
    }
    Real imag[2];
    Real* real = line + kPer * where.count;
    dot(begin, end, real, imag);
    if constexpr (kComplex) join_complex(t, real, imag, 2);
    if (++where.count == kDotLines) flush(row + 1);
  }
  flush(rows_end);
}

template <class Real, bool kComplex, class Value>
inline void dot_rows_of(const SpmmTask& t, const SpmmStep& step) noexcept {
  if (t.index_type == IndexType::i64) return dot_rows<Real, kComplex, Value, std::int64_t>(t, step);
  if (t.index_type == IndexType::u16) return dot_rows<Real, kComplex, Value, std::uint16_t>(t, step);
  dot_rows<Real, kComplex, Value, std::int32_t>(t, step);
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
