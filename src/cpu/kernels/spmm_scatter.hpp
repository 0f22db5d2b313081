// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_stage.hpp"

// op(A) stored the other way round (transposed CSR, CSC): every stored row i holds a column of op(A) and adds
// value * B(i, :) to the rows of C that its entries name. Row i of B stays in registers while its entries pass. Sums go
// to partial rows of C's shape, one set per part of A, added up in order at the end: for C of few columns that is
// cheaper than transposing A.
namespace spk::cpu {
namespace {

// The columns of one pass: kVectors whole vectors, then one of `last` columns if that is not 0, for which sums have room.
// (A masked store would not be seen by the loads that follow it.)
template <class Real, int kVectors, class Value, class Index>
inline void scatter_vectors(const SpmmTask& t, const SpmmStep& step, Real* out, std::int64_t first, int last) noexcept {
  constexpr int kSize = kLanes<Real>;
  const Value* a = static_cast<const Value*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  const Real alpha = t.scatter_to_c ? static_cast<Real>(t.alpha.re) : Real{1};
  const std::int64_t pitch = t.scatter_pitch, shift = first - t.index_base * pitch;
  std::int64_t end = row_start(t, step.begin);
  for (std::int64_t i = step.begin; i < step.end; ++i) {
    const std::int64_t begin = end;
    end = row_start(t, i + 1);
    if (begin == end) continue;
    const Value* b = static_cast<const Value*>(t.b) + i * t.b_row_stride + first * t.b_col_stride;
    Vec<Real> x[kVectors + 1];
    SPK_UNROLL
    for (int v = 0; v < kVectors; ++v)
      x[v] = load_strided<Value, Real>(b + v * kSize * t.b_col_stride, t.b_col_stride, kSize);
    x[kVectors] = load_strided<Value, Real>(b + kVectors * kSize * t.b_col_stride, t.b_col_stride, last);
    if (last == 0) {
      for (std::int64_t e = begin; e < end; ++e) {
        Real* to = out + (static_cast<std::int64_t>(indices[e]) * pitch + shift);
        const Vec<Real> value = splat(static_cast<Real>(widen(a[e])) * alpha);
        SPK_UNROLL
        for (int v = 0; v < kVectors; ++v) store(to + v * kSize, fma(value, x[v], load(to + v * kSize)));
      }
      continue;
    }
    for (std::int64_t e = begin; e < end; ++e) {
      Real* to = out + (static_cast<std::int64_t>(indices[e]) * pitch + shift);
      const Vec<Real> value = splat(static_cast<Real>(widen(a[e])) * alpha);
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) store(to + v * kSize, fma(value, x[v], load(to + v * kSize)));
      Real* tail = to + kVectors * kSize;
      store(tail, fma(value, x[kVectors], load(tail)));
    }
  }
}

// to[j] = value * x[j] + to[j] with the same rounding as whole vectors.
template <class Real, int kColumns>
SPK_INLINE void add_scaled(Real* to, Real value, const Real* x) noexcept {
#if defined(SPK_ARCH_avx512) || defined(SPK_ARCH_avx2)
  if constexpr (sizeof(Real) * kColumns == 32) {
    if constexpr (sizeof(Real) == 4)
      return _mm256_storeu_ps(to, _mm256_fmadd_ps(_mm256_set1_ps(value), _mm256_loadu_ps(x), _mm256_loadu_ps(to)));
    else
      return _mm256_storeu_pd(to, _mm256_fmadd_pd(_mm256_set1_pd(value), _mm256_loadu_pd(x), _mm256_loadu_pd(to)));
  } else if constexpr (sizeof(Real) * kColumns == 16) {
    if constexpr (sizeof(Real) == 4)
      return _mm_storeu_ps(to, _mm_fmadd_ps(_mm_set1_ps(value), _mm_loadu_ps(x), _mm_loadu_ps(to)));
    else
      return _mm_storeu_pd(to, _mm_fmadd_pd(_mm_set1_pd(value), _mm_loadu_pd(x), _mm_loadu_pd(to)));
  }
#endif
  SPK_UNROLL
  for (int j = 0; j < kColumns; ++j) to[j] = fma1(value, x[j], to[j]);
}

// Few columns, in sums that have no room for a vector.
template <class Real, int kColumns, class Value, class Index>
inline void scatter_columns(const SpmmTask& t, const SpmmStep& step, Real* out, std::int64_t first) noexcept {
  const Value* a = static_cast<const Value*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  const Real alpha = t.scatter_to_c ? static_cast<Real>(t.alpha.re) : Real{1};
  const std::int64_t pitch = t.scatter_pitch, shift = first - t.index_base * pitch;
  std::int64_t end = row_start(t, step.begin);
  for (std::int64_t i = step.begin; i < step.end; ++i) {
    const std::int64_t begin = end;
    end = row_start(t, i + 1);
    const Value* b = static_cast<const Value*>(t.b) + i * t.b_row_stride + first * t.b_col_stride;
    Real x[kColumns] = {};
    if (begin < end)
      for (int j = 0; j < kColumns; ++j) x[j] = widen(b[j * t.b_col_stride]);
    for (std::int64_t e = begin; e < end; ++e) {
      Real* to = out + (static_cast<std::int64_t>(indices[e]) * pitch + shift);
      const Real value = static_cast<Real>(widen(a[e])) * alpha;
      add_scaled<Real, kColumns>(to, value, x);
    }
  }
}

template <class Real, class Value, class Index>
inline void scatter_real(const SpmmTask& t, const SpmmStep& step, Real* out) noexcept {
  constexpr int kSize = kLanes<Real>;
  const bool has_room = !t.scatter_to_c && t.scatter_pitch > t.columns;
  std::int64_t first = 0;
  for (std::int64_t left = t.columns; left > 0; left = t.columns - first) {
    if (left >= 8 * kSize) {
      scatter_vectors<Real, 8, Value, Index>(t, step, out, first, 0);
      first += 8 * kSize;
    } else if (left >= 4 * kSize) {
      scatter_vectors<Real, 4, Value, Index>(t, step, out, first, 0);
      first += 4 * kSize;
    } else if (left >= kSize || has_room) {
      const int whole = static_cast<int>(left / kSize), last = has_room ? static_cast<int>(left % kSize) : 0;
      if (whole == 0) scatter_vectors<Real, 0, Value, Index>(t, step, out, first, last);
      if (whole == 1) scatter_vectors<Real, 1, Value, Index>(t, step, out, first, last);
      if (whole == 2) scatter_vectors<Real, 2, Value, Index>(t, step, out, first, last);
      if (whole == 3) scatter_vectors<Real, 3, Value, Index>(t, step, out, first, last);
      first = has_room ? t.columns : first + whole * kSize;
    } else if (left >= 8) {
      scatter_columns<Real, 8, Value, Index>(t, step, out, first);
      first += 8;
    } else if (left >= 4) {
      scatter_columns<Real, 4, Value, Index>(t, step, out, first);
      first += 4;
    } else if (left >= 2) {
      scatter_columns<Real, 2, Value, Index>(t, step, out, first);
      first += 2;
    } else {
      scatter_columns<Real, 1, Value, Index>(t, step, out, first);
      first += 1;
    }
  }
}

template <class Real, class Index>
inline void scatter_complex(const SpmmTask& t, const SpmmStep& step, Real* out) noexcept {
  const Real* a = static_cast<const Real*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  const Real sign_a = t.conjugate_a ? Real{-1} : Real{1}, sign_b = t.conjugate_b ? Real{-1} : Real{1};
  for (std::int64_t i = step.begin; i < step.end; ++i) {
    const std::int64_t begin = row_start(t, i), end = row_start(t, i + 1);
    const Real* b = static_cast<const Real*>(t.b) + 2 * i * t.b_row_stride;
    for (std::int64_t e = begin; e < end; ++e) {
      Real* to = out + (static_cast<std::int64_t>(indices[e]) - t.index_base) * t.columns;
      const Real re = a[2 * e], im = sign_a * a[2 * e + 1];
      for (std::int64_t j = 0; j < t.columns; j += 2) {
        const Real* x = b + j * t.b_col_stride;
        const Real x_im = sign_b * x[1];
        to[j] = fma1(-im, x_im, fma1(re, x[0], to[j]));
        to[j + 1] = fma1(im, x[0], fma1(re, x_im, to[j + 1]));
      }
    }
  }
}

// beta * C, to add to.
template <class Real>
inline void scale_c(const SpmmTask& t, Real* c) noexcept {
  const Real beta = static_cast<Real>(t.beta.re);
  for (std::int64_t row = 0; row < t.m; ++row, c += t.scatter_pitch) {
    if (t.beta.is_zero())
      __builtin_memset(c, 0, static_cast<std::size_t>(t.columns) * sizeof(Real));
    else
      for (std::int64_t j = 0; j < t.columns; ++j) c[j] *= beta;
  }
}

template <class Real, bool kComplex, class Value, class Index>
inline void scatter_rows(const SpmmTask& t, const SpmmStep& step) noexcept {
  if constexpr (kComplex) {
    Real* out = static_cast<Real*>(t.partials) + step.partial * t.scatter_pitch;
    __builtin_memset(out, 0, static_cast<std::size_t>(t.m * t.scatter_pitch) * sizeof(Real));
    scatter_complex<Real, Index>(t, step, out);
  } else if (t.scatter_to_c) {
    scale_c(t, static_cast<Real*>(t.c));
    scatter_real<Real, Value, Index>(t, step, static_cast<Real*>(t.c));
  } else {
    Real* out = static_cast<Real*>(t.partials) + step.partial * t.scatter_pitch;
    __builtin_memset(out, 0, static_cast<std::size_t>(t.m * t.scatter_pitch) * sizeof(Real));
    scatter_real<Real, Value, Index>(t, step, out);
  }
}

template <class Real, bool kComplex, class Value>
inline void scatter_rows_of(const SpmmTask& t, const SpmmStep& step) noexcept {
  if (t.index_type == IndexType::i64) return scatter_rows<Real, kComplex, Value, std::int64_t>(t, step);
  scatter_rows<Real, kComplex, Value, std::int32_t>(t, step);
}

// C of rows [begin, end) from the sets of partial rows.
template <class Real, bool kComplex>
inline void finish_scatter(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kPer = kComplex ? 2 : 1;
  constexpr std::int64_t kWidth = kTileColumns<Real>;
  const Real* sums = static_cast<const Real*>(t.partials);
  alignas(64) Real line[kWidth] = {};
  const auto add_up = [&](std::int64_t at, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j) line[j] = 0;
    if (t.empty) return;
    for (std::int64_t part = 0; part < step.partials; ++part) {
      const Real* from = sums + part * t.m * t.scatter_pitch + at;
      for (std::int64_t j = 0; j < count; ++j) line[j] += from[j];
    }
  };
  if (t.columns == kPer) {  // a vector: its rows lie together
    for (std::int64_t row = step.begin; row < step.end; row += kWidth / kPer) {
      const std::int64_t count = step.end - row < kWidth / kPer ? step.end - row : kWidth / kPer;
      add_up(row * kPer, count * kPer);
      finish_any_line<Real, kComplex>(t, {row, 0, count, false}, line);
    }
    return;
  }
  for (std::int64_t row = step.begin; row < step.end; ++row)
    for (std::int64_t first = 0; first < t.columns; first += kWidth) {
      const std::int64_t width = t.columns - first < kWidth ? t.columns - first : kWidth;
      const Line c{row, first / kPer, width / kPer, true};
      if (!kComplex && !t.empty && step.partials == 1 && t.scatter_pitch % kLanes<Real> == 0) {
        finish_any_line<Real, kComplex>(t, c, sums + row * t.scatter_pitch + first);
        continue;
      }
      add_up(row * t.scatter_pitch + first, width);
      finish_any_line<Real, kComplex>(t, c, line);
    }
}

template <class Real, bool kComplex>
inline void run_scatter(const SpmmTask& t, const SpmmStep& step) noexcept {
  if (step.kind == SpmmStep::finish) return finish_scatter<Real, kComplex>(t, step);
  if constexpr (std::is_same_v<Real, float> && !kComplex) {
    if (t.value_type == ValueType::f16) return scatter_rows_of<Real, false, f16>(t, step);
    if (t.value_type == ValueType::bf16) return scatter_rows_of<Real, false, bf16>(t, step);
  }
  scatter_rows_of<Real, kComplex, Real>(t, step);
}

}  // namespace
}  // namespace spk::cpu
