// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"
#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_stage.hpp"
#include "cpu/kernels/spmm_task.hpp"

// Row-wise product (Gustavson): one row of C at a time, a tile of up to kMaxVectors vectors of its columns in registers
// while the row's entries pass. Every entry costs one broadcast and one fused multiply-add per vector, B's row being
// the memory operand. `sets` copies of the accumulators take entries in turn where few vectors would leave the
// multiplier waiting for its own results. Needs no order of entries; B is read exactly within its described columns.
namespace spk::cpu {
namespace {

struct TileColumns {
  std::int64_t first = 0;  // real column
  int vectors = 0;
  int width = 0;  // reals
  int last = 0;   // columns in the last vector
};

template <class Real>
SPK_INLINE std::int64_t tile_vector(const SpmmTask& t, std::int64_t tile) noexcept {
  // floor(tile * vectors / tiles) without overflow
  const std::int64_t each = t.vectors / t.tiles, rest = t.vectors - each * t.tiles;
  return tile * each + tile * rest / t.tiles;
}

template <class Real>
SPK_INLINE TileColumns columns_of(const SpmmTask& t, std::int64_t tile) noexcept {
  constexpr int kSize = kLanes<Real>;
  const std::int64_t begin = tile_vector<Real>(t, tile), end = tile_vector<Real>(t, tile + 1);
  TileColumns columns;
  columns.first = begin * kSize;
  columns.vectors = static_cast<int>(end - begin);
  const std::int64_t left = t.columns - columns.first;
  columns.width = left < columns.vectors * kSize ? static_cast<int>(left) : columns.vectors * kSize;
  columns.last = columns.width - (columns.vectors - 1) * kSize;
  return columns;
}

// Distance of rows in a panel, in reals: whole vectors of the widest tile.
template <class Real>
SPK_INLINE std::int64_t panel_pitch(const SpmmTask& t) noexcept {
  return (t.vectors + t.tiles - 1) / t.tiles * kLanes<Real>;
}

// Adds `count` entries to the accumulators. Row r of op(B) starts at b + r * stride + shift.
template <bool kComplex, int kVectors, int kSets, bool kPartial, class Real, class BValue, class Index>
SPK_INLINE void add_entries(Vec<Real> (&sum)[kSets][kVectors], const Real* values, const Index* indices,
                            std::int64_t count, const BValue* b, std::int64_t stride, std::int64_t shift,
                            int last) noexcept {
  constexpr int kSize = kLanes<Real>;
  const auto vector_of = [&](const BValue* row, int v) __attribute__((always_inline)) {
    if (kPartial && v == kVectors - 1) return load_first(row + v * kSize, last);
    return load(row + v * kSize);
  };
  if constexpr (kComplex) {
    static_assert(kSets == 2);
    for (std::int64_t e = 0; e < count; ++e) {
      const BValue* row = b + (static_cast<std::int64_t>(indices[e]) * stride + shift);
      const Vec<Real> re = splat(values[2 * e]), im = splat(values[2 * e + 1]);
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const Vec<Real> x = vector_of(row, v);
        sum[0][v] = fma(re, x, sum[0][v]);
        sum[1][v] = fma(im, x, sum[1][v]);
      }
    }
  } else {
    std::int64_t e = 0;
    for (; e + kSets <= count; e += kSets) {
      SPK_UNROLL
      for (int s = 0; s < kSets; ++s) {
        const BValue* row = b + (static_cast<std::int64_t>(indices[e + s]) * stride + shift);
        const Vec<Real> a = splat(values[e + s]);
        SPK_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[s][v] = fma(a, vector_of(row, v), sum[s][v]);
      }
    }
    if constexpr (kSets > 1) {
      SPK_UNROLL
      for (int s = 0; s < kSets - 1; ++s) {
        if (e + s >= count) break;
        const BValue* row = b + (static_cast<std::int64_t>(indices[e + s]) * stride + shift);
        const Vec<Real> a = splat(values[e + s]);
        SPK_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[s][v] = fma(a, vector_of(row, v), sum[s][v]);
      }
    }
  }
}

// Copies the tile's columns of the rows of op(B) that staged entries name; the entries then name the copies.
template <class BValue, class Real, bool kComplex>
inline void gather_rows_of(const SpmmTask& t, const TileColumns& columns, Staged<Real>& s, std::int64_t count,
                           Real* to) noexcept {
  constexpr int kPer = kComplex ? 2 : 1;
  const BValue* b = static_cast<const BValue*>(t.b);
  const std::int64_t pitch = columns.vectors * kLanes<Real>;
  for (std::int64_t e = 0; e < count; ++e) {
    const BValue* row = b + kPer * (s.indices[e] * t.b_row_stride + columns.first / kPer * t.b_col_stride);
    Real* copy = to + e * pitch;
    for (int j = 0; j < columns.width; ++j) copy[j] = widen(row[j / kPer * kPer * t.b_col_stride + j % kPer]);
    for (std::int64_t j = columns.width; j < pitch; ++j) copy[j] = 0;
    s.indices[e] = e;
  }
}

template <class Real, bool kComplex>
SPK_OUT_OF_LINE void gather_rows(const SpmmTask& t, const TileColumns& columns, Staged<Real>& s, std::int64_t count,
                                 Real* to) noexcept {
  if constexpr (std::is_same_v<Real, float>) {
    if (t.b_type == ValueType::f16) return gather_rows_of<f16, Real, kComplex>(t, columns, s, count, to);
    if (t.b_type == ValueType::bf16) return gather_rows_of<bf16, Real, kComplex>(t, columns, s, count, to);
  }
  gather_rows_of<Real, Real, kComplex>(t, columns, s, count, to);
}

// Zeros for the empty row p and those that follow it; answers the last. In a row-major C the first tile clears whole
// rows, in a column-major one every tile clears its columns, which pays for a few rows at least.
template <class Real>
SPK_OUT_OF_LINE std::int64_t clear_empty_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                                              std::int64_t p) noexcept {
  constexpr std::int64_t kLeastColumnRun = 4;
  const std::int64_t per = t.complex ? 2 : 1, last = last_empty_row(t, p, step.end);
  if (t.c_col_stride == 1) {
    if (step.tile == 0) clear_rows(t, p, last, 0, t.columns / per);
    return last;
  }
  if (last - p + 1 < kLeastColumnRun) return p - 1;
  clear_rows(t, p, last, columns.first / per, columns.width / per);
  return last;
}

// Index void: entries are staged first (blocks, 16-bit values, B in no usable order).
template <bool kComplex, int kVectors, int kSets, bool kPartial, class Real, class BValue, class Index>
inline void run_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  constexpr int kSize = kLanes<Real>, kPer = kComplex ? 2 : 1;
  constexpr bool kStaged = std::is_void_v<Index>;
  const bool panel = t.b_access == BAccess::panel, elements = t.b_access == BAccess::elements;
  const BValue* b = static_cast<const BValue*>(t.b);
  std::int64_t stride = kPer * t.b_row_stride, shift = columns.first;
  if (panel) {
    stride = panel_pitch<Real>(t);
    shift = (step.tile - t.b_first_panel) * t.b_panel_stride;
  }
  if (!kStaged) shift -= t.index_base * stride;

  const bool to_partial = step.kind == SpmmStep::segment;
  const bool direct = to_partial || (!kComplex && t.c_col_stride == 1 && t.epilogue.is_identity() &&
                                     t.c_type == (sizeof(Real) == 4 ? ValueType::f32 : ValueType::f64));
  const Vec<Real> alpha = splat(static_cast<Real>(t.alpha.re)), beta = splat(static_cast<Real>(t.beta.re));
  const bool reads_c = !t.beta.is_zero();

  const bool clears_empty_rows = !to_partial && may_clear_rows(t) && (t.c_col_stride == 1 || t.c_row_stride == 1);

  RowBuffer<Real, kComplex> buffer;
  Staged<Real> staged;
  alignas(64) Real copies[kStaged ? kStagedEntries / 4 * kVectors * kSize : 1];

  const std::int64_t rows_begin = to_partial ? 0 : step.begin, rows_end = to_partial ? 1 : step.end;
  for (std::int64_t p = rows_begin; p < rows_end; ++p) {
    const std::int64_t row = to_partial ? step.row : p;
    auto cursor = cursor_at<Real, kComplex>(t, row);
    if (to_partial) {
      cursor.next = step.begin;
      cursor.end = step.end;
    } else if (cursor.end - cursor.next > t.long_row) {
      if (!direct) finish_rows(t, buffer, columns.first, columns.width);
      continue;
    }
    if (clears_empty_rows && cursor.next == cursor.end) {
      const std::int64_t last = clear_empty_rows<Real>(t, step, columns, p);
      if (last >= p) {
        if (!direct) finish_rows(t, buffer, columns.first, columns.width);  // buffered rows are consecutive
        p = last;
        continue;
      }
    }
    Vec<Real> sum[kSets][kVectors];
    SPK_UNROLL
    for (int s = 0; s < kSets; ++s) {
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[s][v] = splat(Real{0});
    }
    if constexpr (kStaged) {
      while (cursor.next < cursor.end) {
        const std::int64_t count = cursor.stage(staged);
        if (!elements) {
          add_entries<kComplex, kVectors, kSets, kPartial>(sum, staged.values, staged.indices, count, b, stride, shift,
                                                           columns.last);
          continue;
        }
        // Copies of B's rows are whole vectors; a quarter of the entries at a time bounds their memory.
        constexpr std::int64_t kPart = kStagedEntries / 4;
        for (std::int64_t e = 0; e < count; e += kPart) {
          const std::int64_t part = count - e < kPart ? count - e : kPart;
          Staged<Real> some;
          for (std::int64_t i = 0; i < part; ++i) some.indices[i] = staged.indices[e + i];
          gather_rows<Real, kComplex>(t, columns, some, part, copies);
          add_entries<kComplex, kVectors, kSets, false>(sum, staged.values + kPer * e, some.indices, part,
                                                        static_cast<const Real*>(copies),
                                                        std::int64_t{kVectors * kSize}, std::int64_t{0}, kSize);
        }
      }
    } else {
      add_entries<kComplex, kVectors, kSets, kPartial>(sum, static_cast<const Real*>(t.values) + kPer * cursor.next,
                                                       static_cast<const Index*>(t.indices) + cursor.next,
                                                       cursor.end - cursor.next, b, stride, shift, columns.last);
    }
    if constexpr (!kComplex && kSets > 1) {
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        sum[0][v] = sum[0][v] + sum[1][v];
        if constexpr (kSets == 4) sum[0][v] = sum[0][v] + (sum[2][v] + sum[3][v]);
      }
    }
    if (direct) {
      Real* c = to_partial ? static_cast<Real*>(t.partials) + step.partial * kPer * t.columns + columns.first
                           : static_cast<Real*>(t.c) + row * t.c_row_stride + columns.first;
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const bool part = v == kVectors - 1 && columns.last < kSize;
        Real* to = c + v * kSize;
        Vec<Real> x = sum[0][v];
        if (!to_partial) {
          x = alpha * x;
          if (reads_c) x = fma(beta, part ? load_first(to, columns.last) : load(to), x);
        }
        if (part)
          store_first(to, x, columns.last);
        else
          store(to, x);
        if constexpr (kComplex) {
          Real* imag = to + t.columns;
          if (part)
            store_first(imag, sum[1][v], columns.last);
          else
            store(imag, sum[1][v]);
        }
      }
      continue;
    }
    SPK_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      store(buffer.real[buffer.used] + v * kSize, sum[0][v]);
      if constexpr (kComplex) store(buffer.imag[buffer.used] + v * kSize, sum[1][v]);
    }
    buffer.rows[buffer.used++] = row;
    if (buffer.used == kBufferedRows) finish_rows(t, buffer, columns.first, columns.width);
  }
  if (!direct) finish_rows(t, buffer, columns.first, columns.width);
}

template <bool kComplex, int kVectors, int kSets, class Real, class BValue, class Index>
SPK_INLINE void run_partial(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  if (columns.last == kLanes<Real> || t.b_access != BAccess::rows)
    run_rows<kComplex, kVectors, kSets, false, Real, BValue, Index>(t, step, columns);
  else
    run_rows<kComplex, kVectors, kSets, true, Real, BValue, Index>(t, step, columns);
}

// The (vectors, sets) that cpu/spmm.cpp asks for; see accumulator_sets() there.
template <bool kComplex, class Real, class BValue, class Index>
inline void run_vectors(const SpmmTask& t, const SpmmStep& step) noexcept {
  const TileColumns columns = columns_of<Real>(t, step.tile);
  if constexpr (kComplex) {
    switch (columns.vectors) {
      case 1: return run_partial<true, 1, 2, Real, BValue, Index>(t, step, columns);
      case 2: return run_partial<true, 2, 2, Real, BValue, Index>(t, step, columns);
      case 3: return run_partial<true, 3, 2, Real, BValue, Index>(t, step, columns);
      default: return run_partial<true, 4, 2, Real, BValue, Index>(t, step, columns);
    }
  } else {
    if (t.sets == 4)
      return columns.vectors == 1 ? run_partial<false, 1, 4, Real, BValue, Index>(t, step, columns)
                                  : run_partial<false, 2, 4, Real, BValue, Index>(t, step, columns);
    if (t.sets == 2)
      return columns.vectors == 3 ? run_partial<false, 3, 2, Real, BValue, Index>(t, step, columns)
                                  : run_partial<false, 4, 2, Real, BValue, Index>(t, step, columns);
    switch (columns.vectors) {
      case 4: return run_partial<false, 4, 1, Real, BValue, Index>(t, step, columns);
      case 5: return run_partial<false, 5, 1, Real, BValue, Index>(t, step, columns);
      case 6: return run_partial<false, 6, 1, Real, BValue, Index>(t, step, columns);
      case 7: return run_partial<false, 7, 1, Real, BValue, Index>(t, step, columns);
      default: return run_partial<false, 8, 1, Real, BValue, Index>(t, step, columns);
    }
  }
}

template <bool kComplex, class Real, class BValue>
inline void run_index(const SpmmTask& t, const SpmmStep& step) noexcept {
  if constexpr (std::is_same_v<BValue, Real>) {
    const bool plain_values = kComplex || t.value_type == (sizeof(Real) == 4 ? ValueType::f32 : ValueType::f64);
    if (!t.empty && t.block_size == 0 && t.b_access != BAccess::elements && plain_values) {
      if (t.index_type == IndexType::i64) return run_vectors<kComplex, Real, BValue, std::int64_t>(t, step);
      return run_vectors<kComplex, Real, BValue, std::int32_t>(t, step);
    }
  }
  run_vectors<kComplex, Real, BValue, void>(t, step);
}

// C of a long row from the sums of its segments, taken in order.
template <bool kComplex, class Real>
inline void combine_segments(const SpmmTask& t, const SpmmStep& step) noexcept {
  const TileColumns columns = columns_of<Real>(t, step.tile);
  RowBuffer<Real, kComplex> buffer;
  const std::int64_t pitch = (kComplex ? 2 : 1) * t.columns;
  const Real* from = static_cast<const Real*>(t.partials) + step.partial * pitch + columns.first;
  for (int j = 0; j < columns.vectors * kLanes<Real>; ++j) {
    buffer.real[0][j] = 0;
    if constexpr (kComplex) buffer.imag[0][j] = 0;
  }
  for (std::int64_t part = 0; part < step.partials; ++part)
    for (int j = 0; j < columns.width; ++j) {
      buffer.real[0][j] += from[part * pitch + j];
      if constexpr (kComplex) buffer.imag[0][j] += from[part * pitch + t.columns + j];
    }
  buffer.rows[0] = step.row;
  buffer.used = 1;
  finish_rows(t, buffer, columns.first, columns.width);
}

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

template <class Real, bool kComplex>
inline void run_tile(const SpmmTask& t, const SpmmStep& step) noexcept {
  if (step.kind == SpmmStep::pack) return pack_rows<Real, kComplex>(t, step);
  if (step.kind == SpmmStep::combine) return combine_segments<kComplex, Real>(t, step);
  if constexpr (std::is_same_v<Real, float> && !kComplex) {
    if (t.b_access == BAccess::rows && t.b_type == ValueType::f16) return run_index<kComplex, Real, f16>(t, step);
    if (t.b_access == BAccess::rows && t.b_type == ValueType::bf16) return run_index<kComplex, Real, bf16>(t, step);
  }
  run_index<kComplex, Real, Real>(t, step);
}

}  // namespace
}  // namespace spk::cpu
