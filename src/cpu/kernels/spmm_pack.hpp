// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_rows.hpp"

// Copies of op(B)'s rows, one tile's columns wide.
namespace spk::cpu {
namespace {

// Rows [begin, end) of op(B) to a panel of one tile's columns, in the sum's type, whole vectors wide.
template <class BValue, class Real, bool kComplex>
inline void pack_rows_of(const SpmmTask& t, const SpmmStep& step) noexcept {
  constexpr int kSize = kLanes<Real>, kPer = kComplex ? 2 : 1;
  const TileColumns columns = columns_of<Real>(t, step.tile);
  const std::int64_t pitch = panel_pitch<Real>(t);
  const BValue* b = static_cast<const BValue*>(t.b) + columns.first / kPer * kPer * t.b_col_stride;
  Real* panel = static_cast<Real*>(step.panel);
  const int whole = columns.width / kSize;
  if (t.b_col_stride == 1) {
    for (std::int64_t r = step.begin; r < step.end; ++r) {
      const BValue* from = b + kPer * r * t.b_row_stride;
      for (int v = 0; v < whole; ++v) store(panel + r * pitch + v * kSize, load(from + v * kSize));
      if (whole < columns.vectors)
        store(panel + r * pitch + whole * kSize, load_first(from + whole * kSize, columns.last));
    }
    return;
  }
  std::int64_t squares_end = step.begin;
  if constexpr (!kComplex) {
    if (t.b_row_stride == 1) {
      squares_end = step.begin + (step.end - step.begin) / kSize * kSize;
      for (std::int64_t r = step.begin; r < squares_end; r += kSize)
        for (int v = 0; v < whole; ++v)
          transpose_square(b + r + v * kSize * t.b_col_stride, t.b_col_stride, panel + r * pitch + v * kSize, pitch);
    }
  }
  // What is left: columns beyond the whole vectors, then rows beyond the squares.
  const auto copy = [&](std::int64_t begin, std::int64_t end, int first_column) {
    for (std::int64_t r = begin; r < end; ++r) {
      Real* to = panel + r * pitch;
      for (int j = first_column; j < columns.width; ++j)
        to[j] = widen(b[kPer * r * t.b_row_stride + j / kPer * kPer * t.b_col_stride + j % kPer]);
      for (int j = columns.width; j < columns.vectors * kSize; ++j) to[j] = 0;
    }
  };
  if (whole < columns.vectors) copy(step.begin, squares_end, whole * kSize);
  copy(squares_end, step.end, 0);
}

template <class Real, bool kComplex>
inline void pack_rows(const SpmmTask& t, const SpmmStep& step) noexcept {
  if constexpr (std::is_same_v<Real, float> && !kComplex) {
    if (t.b_type == ValueType::f16) return pack_rows_of<f16, Real, kComplex>(t, step);
    if (t.b_type == ValueType::bf16) return pack_rows_of<bf16, Real, kComplex>(t, step);
  }
  pack_rows_of<Real, Real, kComplex>(t, step);
}

}  // namespace
}  // namespace spk::cpu
