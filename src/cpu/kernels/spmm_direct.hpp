// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/parts.hpp"
#include "cpu/kernels/spmm_rows.hpp"

// Rows of few vectors that go straight from registers to C, with few instructions and branches: between short rows each of
// them counts, and makes it harder for the processor to foresee how long the next row is.
namespace spk::cpu {
namespace {

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
template <int kVectors, int kSets, bool kPartial, bool kPlain, class Real, class Index, class Offset>
SPK_OUT_OF_LINE void run_direct_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                                     const Offset* offsets) noexcept {
  const auto row_of = RowSource<Real, false, Real>(t, step, columns).template rows<kSets == 4>(t.index_base);
  const RowTarget<Real> target(t, columns);
  const int last = columns.last;
  for_direct_rows<Real, Index>(
      t, step, columns, offsets,
      [=](const Real* values, const Index* indices, std::int64_t count, Real* to) __attribute__((always_inline)) {
        Vec<Real> sum[kSets][kVectors];
        clear_sums(sum);
        add_entries<false, kVectors, kSets, kPartial>(sum, values, indices, count, row_of, last);
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
          add_entries<false, kVectors, 1, false>(sum, values, indices, count, RowAddress<Real>(b, stride, base + first),
                                                 kLanes<Real>);
          target.put(to + first, sum[0]);
        }
      });
}

#if defined(SPK_ARCH_avx512)
// Rows that fill a quarter or at most half of a register: two or four entries pass at a time, their rows of op(B) side by side.
// What is left of a row are as many entries as bits of its length say, each with a branch of its own.
template <int kParts, bool kPartial, bool kPlain, class Real, class Index, class Offset>
SPK_OUT_OF_LINE void run_parts(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                               const Offset* offsets) noexcept {
  const auto row_of = RowSource<Real, false, Real>(t, step, columns).template rows<true>(t.index_base);
  const RowTarget<Real> target(t, columns);
  const int width = columns.width;
  const auto load_one = [=](const Real* p) __attribute__((always_inline)) {
    return kPartial ? load_first_of_half(p, width) : load_part<kParts>(p);
  };
  const auto load_some = [=](const Real* const* rows) __attribute__((always_inline)) {
    return load_parts<kParts, kPartial>(rows, width);
  };
  for_direct_rows<Real, Index>(
      t, step, columns,
      offsets, [=](const Real* v, const Index* i, std::int64_t count, Real* to) __attribute__((always_inline)) {
        Vec<Real> even = splat(Real{0}), odd = even;
        const auto add_four = [&](Vec<Real> & first, Vec<Real> & second) __attribute__((always_inline)) {
          const FourValues<Real> a(v);
          const auto rows = row_of.four(i);
          first = fma(a.template parts<kParts, 0>(), load_some(rows.row), first);
          if constexpr (kParts == 2) second = fma(a.template parts<2, 2>(), load_some(rows.row + 2), second);
          v += 4;
          i += 4;
        };
        constexpr std::int64_t kStep = 2 * kParts;
        const Index* const whole = i + (count & -kStep);
        while (i != whole) {
          add_four(even, odd);
          if constexpr (kParts == 4) add_four(odd, even);
        }
        if constexpr (kParts == 4)
          if (count & 4) add_four(even, odd);
        Vec<Real> sum = even + odd;
        if constexpr (kParts == 4) sum = add_parts<4>(sum);
        if (count & 2) {
          const Real* const rows[2] = {row_of(i[0]), row_of(i[1])};
          if constexpr (kParts == 2) {
            sum = fma(FourValues<Real>::two(v).template parts<2, 0>(), load_some(rows), sum);
          } else {
            sum = fma(splat(v[0]), load_one(rows[0]), sum);
            sum = fma(splat(v[1]), load_one(rows[1]), sum);
          }
          v += 2;
          i += 2;
        }
        if constexpr (kParts == 2) sum = add_parts<2>(sum);
        if (count & 1) sum = fma(splat(*v), load_one(row_of(*i)), sum);
        sum = target.alpha * sum;
        if constexpr (!kPlain)
          if (target.reads_c) sum = fma(target.beta, load_one(to), sum);
        if constexpr (kPartial)
          store_first(to, sum, width);
        else
          store_part<kParts>(to, sum);
      });
}

template <int kParts, class Real, class Index, class Offset>
SPK_INLINE void run_whole_parts(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                                const Offset* offsets) noexcept {
  if (reads_c_of(t))
    run_parts<kParts, false, false, Real, Index>(t, step, columns, offsets);
  else
    run_parts<kParts, false, true, Real, Index>(t, step, columns, offsets);
}
#endif

template <int kVectors, int kSets, bool kPartial, class Real, class Index, class Offset>
SPK_INLINE void run_direct_offsets(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  const Offset* offsets = static_cast<const Offset*>(t.offsets);
  const bool plain = !reads_c_of(t);
#if defined(SPK_ARCH_avx512)
  if constexpr (kVectors == 1) {
    if (columns.width == kPartLanes<Real, 4>) return run_whole_parts<4, Real, Index>(t, step, columns, offsets);
    if (columns.width == kPartLanes<Real, 2>) return run_whole_parts<2, Real, Index>(t, step, columns, offsets);
    if (columns.width < kPartLanes<Real, 2>) return run_parts<2, true, false, Real, Index>(t, step, columns, offsets);
  }
#endif
  if constexpr (!kPartial && kVectors > 4 && kSets == 1)
    if (t.whole_rows) return run_whole_rows<kVectors, Real, Index>(t, step, columns, offsets);
  if constexpr (!kPartial)
    if (plain && columns.last == kLanes<Real>)
      return run_direct_rows<kVectors, kSets, false, true, Real, Index>(t, step, columns, offsets);
  run_direct_rows<kVectors, kSets, kPartial, false, Real, Index>(t, step, columns, offsets);
}

// Narrow offsets beside wide indices are too rare for loops of their own, and so are rows of op(B) that take more than 4 GiB.
template <class Real, class Index>
SPK_INLINE bool is_direct(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  return step.kind == SpmmStep::rows && stores_rows<Real>(t) &&
         (sizeof(Index) == 4 || t.offset_type == IndexType::i64) &&
         RowSource<Real, false, Real>(t, step, columns).is_narrow(t);
}

template <int kVectors, int kSets, bool kPartial, class Real, class Index>
inline void run_direct(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  if constexpr (sizeof(Index) == 4)
    if (t.offset_type == IndexType::i32)
      return run_direct_offsets<kVectors, kSets, kPartial, Real, Index, std::int32_t>(t, step, columns);
  run_direct_offsets<kVectors, kSets, kPartial, Real, Index, std::int64_t>(t, step, columns);
}

}  // namespace
}  // namespace spk::cpu
