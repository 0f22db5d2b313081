// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_rows.hpp"

// Rows of few vectors that go straight from registers to C, with few branches: between short rows each of them counts, and
// makes it harder for the processor to foresee how long the next row is.
namespace spk::cpu {
namespace {

constexpr int kMostDirectVectors = 4;

// kPlain: whole vectors, and nothing of C is read.
template <int kVectors, int kSets, bool kPartial, bool kPlain, class Real, class BValue, class Index, class Offset>
SPK_OUT_OF_LINE void run_direct_rows(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                                     const Offset* offsets) noexcept {
  const RowSource<Real, false, BValue> source(t, step, columns);
  const std::int64_t stride = source.stride, shift = source.shift - t.index_base * stride;
  const std::int64_t base = t.offset_base, long_row = t.long_row, rows_end = step.end;
  const Real* values = static_cast<const Real*>(t.values);
  const Index* indices = static_cast<const Index*>(t.indices);
  const RowTarget<Real> target(t, columns);
  const EmptyRows empty(t, step, columns);
  const bool clears = empty.pass();
  // Entries less one: a comparison without sign finds both empty rows and long ones, which other steps make.
  const std::uint64_t most = static_cast<std::uint64_t>(long_row) - 1;
  std::int64_t end = static_cast<std::int64_t>(offsets[step.begin]) - base;
  for (std::int64_t row = step.begin; row < rows_end; ++row) {
    const std::int64_t next = end;
    end = static_cast<std::int64_t>(offsets[row + 1]) - base;
    if (static_cast<std::uint64_t>(end - next - 1) > most) {
      if (end != next) continue;
      const std::int64_t last = clears ? empty.clear_from(row) : row - 1;
      if (last >= row) {
        row = last;
        continue;
      }
    }
    Vec<Real> sum[kSets][kVectors];
    clear_sums(sum);
    add_entries<false, kVectors, kSets, kPartial>(sum, values + next, indices + next, end - next, source.b, stride,
                                                  shift, columns.last);
    join_sets(sum);
    if constexpr (kPlain)
      target.put_whole(row, sum[0]);
    else
      target.put(row, sum[0]);
  }
}

template <int kVectors, int kSets, bool kPartial, class Real, class BValue, class Index, class Offset>
SPK_INLINE void run_direct_offsets(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  const Offset* offsets = static_cast<const Offset*>(t.offsets);
  if constexpr (!kPartial)
    if (!reads_c_of(t) && columns.last == kLanes<Real>)
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
