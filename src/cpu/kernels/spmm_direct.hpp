// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/halves.hpp"
#include "cpu/kernels/spmm_rows.hpp"

// Rows of few vectors that go straight from registers to C, with few instructions and branches: between short rows each of
// them counts, and makes it harder for the processor to foresee how long the next row is.
namespace spk::cpu {
namespace {

constexpr int kMostDirectVectors = 8;

// body(values, indices, count, to) for every row of the step that is neither long nor in a run of empty ones: its entries, and
// the tile's columns of its row of C. Pointers advance from row to row.
template <class Real, class Index, class Offset, class Body>
SPK_INLINE void for_direct_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                                const Offset* offsets, const Body& body) noexcept {
  const EmptyRows empty(t, step, columns);
  const bool clears = empty.pass();
  // Entries less one: a comparison without sign finds both empty rows and long ones, which other steps make.
  const std::uint64_t most = static_cast<std::uint64_t>(t.long_row) - 1;
  const Offset *row = offsets + step.begin, *const rows_end = offsets + step.end;
  std::int64_t first = static_cast<std::int64_t>(*row);
  const Real* values = static_cast<const Real*>(t.values) + (first - t.offset_base);
  const Index* indices = static_cast<const Index*>(t.indices) + (first - t.offset_base);
  const std::int64_t c_stride = t.c_row_stride;
  Real* to = static_cast<Real*>(t.c) + step.begin * c_stride + columns.first;
  for (; row < rows_end; ++row, to += c_stride) {
    const std::int64_t end = static_cast<std::int64_t>(row[1]), count = end - first;
    first = end;
    if (__builtin_expect(static_cast<std::uint64_t>(count - 1) > most, 0)) {
      if (count != 0) {
        values += count;
        indices += count;
        continue;
      }
      if (clears && empty.begin_run(row, rows_end)) {
        const std::int64_t more = empty.clear_run(row - offsets) - (row - offsets);
        row += more;
        to += more * c_stride;
        continue;
      }
    }
    body(values, indices, count, to);
    values += count;
    indices += count;
  }
}

// kPlain: whole vectors, and nothing of C is read.
template <int kVectors, int kSets, bool kPartial, bool kPlain, class Real, class BValue, class Index, class Offset>
SPK_OUT_OF_LINE void run_direct_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                                     const Offset* offsets) noexcept {
  const RowSource<Real, false, BValue> source(t, step, columns);
  const RowTarget<Real> target(t, columns);
  const BValue* b = source.b;
  const std::int64_t stride = source.stride, shift = source.shift - t.index_base * stride;
  const int last = columns.last;
  for_direct_rows<Real, Index>(
      t, step, columns, offsets,
      [=](const Real* values, const Index* indices, std::int64_t count, Real* to) __attribute__((always_inline)) {
        Vec<Real> sum[kSets][kVectors];
        clear_sums(sum);
        add_entries<false, kVectors, kSets, kPartial>(sum, values, indices, count, b, stride, shift, last);
        join_sets(sum);
        if constexpr (kPlain)
          target.put_whole(to, sum[0]);
        else
          target.put(to, sum[0]);
      });
}

// All tiles of a row before the next row, each of whole vectors.
template <int kVectors, class Real, class Index, class Offset>
SPK_OUT_OF_LINE void run_whole_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                                    const Offset* offsets) noexcept {
  const RowSource<Real, false, Real> source(t, step, columns);
  const RowTarget<Real> target(t, columns);
  const Real* b = source.b;
  const std::int64_t stride = source.stride, base = source.shift - t.index_base * stride, width = t.columns;
  for_direct_rows<Real, Index>(
      t, step, columns, offsets,
      [=](const Real* values, const Index* indices, std::int64_t count, Real* to) __attribute__((always_inline)) {
        for (std::int64_t first = 0; first < width; first += kVectors * kLanes<Real>) {
          Vec<Real> sum[1][kVectors];
          clear_sums(sum);
          add_entries<false, kVectors, 1, false>(sum, values, indices, count, b, stride, base + first, kLanes<Real>);
          target.put(to + first, sum[0]);
        }
      });
}

#if defined(SPK_ARCH_avx512)
// Rows that fill at most half a register: entries pass two at a time, their rows of op(B) side by side. What is left of a row
// is a pair and an entry, each with a branch of its own.
template <bool kPartial, bool kPlain, class Real, class Index, class Offset>
SPK_OUT_OF_LINE void run_pairs(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                               const Offset* offsets) noexcept {
  const RowSource<Real, false, Real> source(t, step, columns);
  const RowAddress<Real> row_of(source.b, source.stride, source.shift - t.index_base * source.stride);
  const RowTarget<Real> target(t, columns);
  const int width = columns.width;
  const auto add_pair = [=](Vec<Real> & sum, const Real* v, const Index* i) __attribute__((always_inline)) {
    const Real *low = row_of(i[0]), *high = row_of(i[1]);
    sum = fma(splat_halves(v), kPartial ? load_first_halves(low, high, width) : load_halves(low, high), sum);
  };
  for_direct_rows<Real, Index>(
      t, step, columns,
      offsets, [=](const Real* v, const Index* i, std::int64_t count, Real* to) __attribute__((always_inline)) {
        Vec<Real> even = splat(Real{0}), odd = even;
        const Index* const fours = i + (count & ~std::int64_t{3});
        for (; i != fours; i += 4, v += 4) {
          add_pair(even, v, i);
          add_pair(odd, v + 2, i + 2);
        }
        even = even + odd;
        if (count & 2) {
          add_pair(even, v, i);
          i += 2;
          v += 2;
        }
        Vec<Real> sum = add_halves(even);
        if (count & 1) sum = fma(splat(*v), kPartial ? load_first_half(row_of(*i), width) : load_half(row_of(*i)), sum);
        sum = target.alpha * sum;
        if constexpr (!kPlain)
          if (target.reads_c) sum = fma(target.beta, kPartial ? load_first_half(to, width) : load_half(to), sum);
        if constexpr (kPartial)
          store_first(to, sum, width);
        else
          store_half(to, sum);
      });
}
#endif

template <int kVectors, int kSets, bool kPartial, class Real, class BValue, class Index, class Offset>
SPK_INLINE void run_direct_offsets(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  const Offset* offsets = static_cast<const Offset*>(t.offsets);
  const bool plain = !reads_c_of(t);
#if defined(SPK_ARCH_avx512)
  if constexpr (kVectors == 1 && std::is_same_v<BValue, Real>)
    if (columns.width <= kHalfLanes<Real>) {
      if (columns.width < kHalfLanes<Real>) return run_pairs<true, false, Real, Index>(t, step, columns, offsets);
      return plain ? run_pairs<false, true, Real, Index>(t, step, columns, offsets)
                   : run_pairs<false, false, Real, Index>(t, step, columns, offsets);
    }
#endif
  if constexpr (!kPartial && kVectors > 4 && kSets == 1 && std::is_same_v<BValue, Real>)
    if (t.whole_rows) return run_whole_rows<kVectors, Real, Index>(t, step, columns, offsets);
  if constexpr (!kPartial)
    if (plain && columns.last == kLanes<Real>)
      return run_direct_rows<kVectors, kSets, false, true, Real, BValue, Index>(t, step, columns, offsets);
  run_direct_rows<kVectors, kSets, kPartial, false, Real, BValue, Index>(t, step, columns, offsets);
}

template <int kVectors, int kSets, bool kPartial, class Real, class BValue, class Index>
inline void run_direct(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  if (t.offset_type == IndexType::i32)
    run_direct_offsets<kVectors, kSets, kPartial, Real, BValue, Index, std::int32_t>(t, step, columns);
  else
    run_direct_offsets<kVectors, kSets, kPartial, Real, BValue, Index, std::int64_t>(t, step, columns);
}

}  // namespace
}  // namespace spk::cpu
