// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_columns.hpp"
#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_stage.hpp"
#include "cpu/kernels/spmm_task.hpp"

// Row-wise product (Gustavson): one row of C at a time, a tile of up to kMaxVectors vectors of its columns in registers
// while the row's entries pass. Every entry costs one broadcast and one fused multiply-add per vector, B's row being
// the memory operand. `sets` copies of the accumulators take entries in turn where few vectors would leave the
// multiplier waiting for its own results. Needs no order of entries; B is read exactly within its described columns.
namespace spk::cpu {
namespace {

// Adds `count` entries to the accumulators, four at a time (kFours) or one by one.
template <bool kComplex, int kVectors, int kSets, bool kPartial, bool kFours = true, class Real, class BValue,
          bool kNarrow, class Index>
SPK_INLINE void add_entries(Vec<Real> (&sum)[kSets][kVectors], const Real* values, const Index* indices,
                            std::int64_t count, const RowAddress<BValue, kNarrow>& row_of, int last) noexcept {
  constexpr int kSize = kLanes<Real>;
  const auto vector_of = [&](const BValue* row, int v) __attribute__((always_inline)) {
    if (kPartial && v == kVectors - 1) return load_first(row + v * kSize, last);
    return load(row + v * kSize);
  };
  if constexpr (kComplex) {
    static_assert(kSets == 2);
    for (std::int64_t e = 0; e < count; ++e) {
      const BValue* row = row_of(indices[e]);
      const Vec<Real> re = splat(values[2 * e]), im = splat(values[2 * e + 1]);
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const Vec<Real> x = vector_of(row, v);
        sum[0][v] = fma(re, x, sum[0][v]);
        sum[1][v] = fma(im, x, sum[1][v]);
      }
    }
  } else {
    const auto add = [&](int s, const Vec<Real>& a, const BValue* row) __attribute__((always_inline)) {
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[s][v] = fma(a, vector_of(row, v), sum[s][v]);
    };
    std::int64_t e = 0;
    if constexpr (kFours) {
      for (; e + 4 <= count; e += 4) {
        const FourValues<Real> a(values + e);
        const auto four = row_of.four(indices + e);
        add(0, a.template at<0>(), four.row[0]);
        add(1 % kSets, a.template at<1>(), four.row[1]);
        add(2 % kSets, a.template at<2>(), four.row[2]);
        add(3 % kSets, a.template at<3>(), four.row[3]);
      }
      SPK_UNROLL
      for (int s = 0; s < 3; ++s) {
        if (e + s >= count) break;
        add(s % kSets, splat(values[e + s]), row_of(indices[e + s]));
      }
    } else {
      static_assert(kSets == 1);
      for (; e < count; ++e) add(0, splat(values[e]), row_of(indices[e]));
    }
  }
}

// All sets in the first one.
template <class Real, int kVectors, int kSets>
SPK_INLINE void join_sets(Vec<Real> (&sum)[kSets][kVectors]) noexcept {
  SPK_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    if constexpr (kSets > 1) sum[0][v] = sum[0][v] + sum[1][v];
    if constexpr (kSets == 4) sum[0][v] = sum[0][v] + (sum[2][v] + sum[3][v]);
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

template <bool kComplex, class Real, int kVectors, int kSets>
SPK_INLINE void store_partial(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                              const Vec<Real> (&sum)[kSets][kVectors]) noexcept {
  constexpr int kSize = kLanes<Real>, kPer = kComplex ? 2 : 1;
  Real* to = static_cast<Real*>(t.partials) + step.partial * kPer * t.columns + columns.first;
  SPK_UNROLL
  for (int v = 0; v < kVectors; ++v)
    for (int part = 0; part < kPer; ++part) {
      if (v == kVectors - 1 && columns.last < kSize)
        store_first(to + part * t.columns + v * kSize, sum[part][v], columns.last);
      else
        store(to + part * t.columns + v * kSize, sum[part][v]);
    }
}

template <bool kComplex, class Real, int kVectors, int kSets>
SPK_INLINE void buffer_row(RowBuffer<Real, kComplex>& buffer, std::int64_t row,
                           const Vec<Real> (&sum)[kSets][kVectors]) noexcept {
  constexpr int kSize = kLanes<Real>;
  SPK_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    store(buffer.real[buffer.used] + v * kSize, sum[0][v]);
    if constexpr (kComplex) store(buffer.imag[buffer.used] + v * kSize, sum[1][v]);
  }
  buffer.rows[buffer.used++] = row;
}

template <class Real, int kVectors, int kSets>
SPK_INLINE void clear_sums(Vec<Real> (&sum)[kSets][kVectors]) noexcept {
  SPK_UNROLL
  for (int s = 0; s < kSets; ++s) {
    SPK_UNROLL
    for (int v = 0; v < kVectors; ++v) sum[s][v] = splat(Real{0});
  }
}

// Rows of entries that the inner loop reads where they are.
template <bool kComplex, int kVectors, int kSets, bool kPartial, class Real, class BValue, class Index>
inline void run_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  constexpr int kPer = kComplex ? 2 : 1;
  const auto row_of = RowSource<Real, kComplex, BValue>(t, step, columns).rows(t.index_base);
  const Real* values = static_cast<const Real*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  const auto add = [&](Vec<Real>(&sum)[kSets][kVectors], std::int64_t next, std::int64_t end)
      __attribute__((always_inline)) {
    clear_sums(sum);
    add_entries<kComplex, kVectors, kSets, kPartial>(sum, values + kPer * next, indices + next, end - next, row_of,
                                                     columns.last);
    if constexpr (!kComplex) join_sets(sum);
  };
  Vec<Real> sum[kSets][kVectors];
  if (step.kind == SpmmStep::segment) {
    add(sum, step.begin, step.end);
    return store_partial<kComplex>(t, step, columns, sum);
  }
  const RowOffsets offsets(t);
  const std::int64_t long_row = t.long_row, rows_end = step.end;
  const EmptyRows empty(t, step, columns);
  const bool clears = empty.pass();
  RowBuffer<Real, kComplex> buffer;
  std::int64_t end = offsets.at(step.begin);
  for (std::int64_t row = step.begin; row < rows_end; ++row) {
    const std::int64_t next = end;
    end = offsets.at(row + 1);
    if (end - next > long_row) {
      finish_rows(t, buffer, columns.first, columns.width);
      continue;
    }
    if (next == end && clears) {
      const std::int64_t last = empty.clear_from(row);
      if (last >= row) {
        finish_rows(t, buffer, columns.first, columns.width);  // buffered rows are consecutive
        row = last;
        continue;
      }
    }
    add(sum, next, end);
    buffer_row(buffer, row, sum);
    if (buffer.used == kBufferedRows) finish_rows(t, buffer, columns.first, columns.width);
  }
  finish_rows(t, buffer, columns.first, columns.width);
}

// Rows whose entries are staged first: blocks, 16-bit values, B in no usable order, no product at all.
template <bool kComplex, int kVectors, int kSets, bool kPartial, class Real, class BValue>
inline void run_staged_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  constexpr int kSize = kLanes<Real>, kPer = kComplex ? 2 : 1;
  const bool elements = t.b_access == BAccess::elements, to_partial = step.kind == SpmmStep::segment;
  const auto row_of = RowSource<Real, kComplex, BValue>(t, step, columns).rows(0);
  const RowTarget<Real> target(t, columns);
  const bool direct = !kComplex && stores_rows<Real>(t);
  const EmptyRows empty(t, step, columns);
  const bool clears = empty.pass();

  RowBuffer<Real, kComplex> buffer;
  Staged<Real> staged;
  alignas(64) Real copies[kStagedEntries / 4 * kVectors * kSize];

  const std::int64_t rows_begin = to_partial ? step.row : step.begin, rows_end = to_partial ? step.row + 1 : step.end;
  for (std::int64_t row = rows_begin; row < rows_end; ++row) {
    auto cursor = cursor_at<Real, kComplex>(t, row);
    if (to_partial) {
      cursor.next = step.begin;
      cursor.end = step.end;
    } else if (cursor.end - cursor.next > t.long_row) {
      finish_rows(t, buffer, columns.first, columns.width);
      continue;
    }
    if (clears && cursor.next == cursor.end) {
      const std::int64_t last = empty.clear_from(row);
      if (last >= row) {
        finish_rows(t, buffer, columns.first, columns.width);
        row = last;
        continue;
      }
    }
    Vec<Real> sum[kSets][kVectors];
    clear_sums(sum);
    while (cursor.next < cursor.end) {
      const std::int64_t count = cursor.stage(staged);
      if (!elements) {
        add_entries<kComplex, kVectors, kSets, kPartial>(sum, staged.values, staged.indices, count, row_of,
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
                                                      RowAddress<Real>(copies, kVectors * kSize, 0), kSize);
      }
    }
    if constexpr (!kComplex) join_sets(sum);
    if (to_partial) return store_partial<kComplex>(t, step, columns, sum);
    if (direct) {
      target.put(row, sum[0]);
      continue;
    }
    buffer_row(buffer, row, sum);
    if (buffer.used == kBufferedRows) finish_rows(t, buffer, columns.first, columns.width);
  }
  finish_rows(t, buffer, columns.first, columns.width);
}

}  // namespace
}  // namespace spk::cpu
