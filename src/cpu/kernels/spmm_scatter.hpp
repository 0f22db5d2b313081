// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_stage.hpp"

// op(A) stored the other way round (transposed CSR, CSC): every stored row i holds a column of op(A) and adds
// value * B(i, :) to the rows of C that its entries name. Sums go to partial rows of C's shape, one set per part of A,
// added up in order at the end: few columns make that cheaper than transposing A.
namespace spk::cpu {
namespace {

template <class Real, bool kComplex, class Value, class Index>
inline void scatter_rows(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kSize = kLanes<Real>, kPer = kComplex ? 2 : 1;
  constexpr std::int64_t kWidth = kTileColumns<Real>;
  const Value* a = static_cast<const Value*>(t.values);
  const Value* b = static_cast<const Value*>(t.b);
  const Index* indices = static_cast<const Index*>(t.indices);
  Real* out = static_cast<Real*>(t.partials) + step.partial * t.columns;
  for (std::int64_t i = 0; i < t.m * t.columns; ++i) out[i] = 0;
  const Real sign_a = t.conjugate_a ? Real{-1} : Real{1}, sign_b = t.conjugate_b ? Real{-1} : Real{1};
  alignas(64) Real row[kWidth];
  for (std::int64_t first = 0; first < t.columns; first += kWidth) {
    const int width = static_cast<int>(t.columns - first < kWidth ? t.columns - first : kWidth);
    const int whole = width / kSize, last = width - whole * kSize;
    for (std::int64_t i = step.begin; i < step.end; ++i) {
      const std::int64_t begin = row_start(t, i), end = row_start(t, i + 1);
      if (begin == end) continue;
      const Value* from = b + kPer * (i * t.b_row_stride + first / kPer * t.b_col_stride);
      for (int j = 0; j < width; ++j) row[j] = widen(from[j / kPer * kPer * t.b_col_stride + j % kPer]);
      if constexpr (kComplex)
        for (int j = 1; j < width; j += 2) row[j] *= sign_b;
      for (std::int64_t e = begin; e < end; ++e) {
        Real* to = out + (static_cast<std::int64_t>(indices[e]) - t.index_base) * t.columns + first;
        if constexpr (kComplex) {
          const Real re = a[2 * e], im = sign_a * a[2 * e + 1];
          for (int j = 0; j < width; j += 2) {
            to[j] = fma1(-im, row[j + 1], fma1(re, row[j], to[j]));
            to[j + 1] = fma1(im, row[j], fma1(re, row[j + 1], to[j + 1]));
          }
        } else {
          const Real value = widen(a[e]);
          if (width < kSize) {
            for (int j = 0; j < width; ++j) to[j] = fma1(value, row[j], to[j]);
          } else {
            const Vec<Real> v = splat(value);
            for (int w = 0; w < whole; ++w) store(to + w * kSize, fma(v, load(row + w * kSize), load(to + w * kSize)));
            if (last != 0)
              store_first(to + whole * kSize,
                          fma(v, load_first(row + whole * kSize, last), load_first(to + whole * kSize, last)), last);
          }
        }
      }
    }
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
  for (std::int64_t row = step.begin; row < step.end; ++row)
    for (std::int64_t first = 0; first < t.columns; first += kWidth) {
      const int width = static_cast<int>(t.columns - first < kWidth ? t.columns - first : kWidth);
      for (int j = 0; j < width; ++j) line[j] = 0;
      if (!t.empty)
        for (std::int64_t part = 0; part < step.partials; ++part)
          for (int j = 0; j < width; ++j) line[j] += sums[(part * t.m + row) * t.columns + first + j];
      finish_any_line<Real, kComplex>(t, {row, first / kPer, width / kPer, true}, line);
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
