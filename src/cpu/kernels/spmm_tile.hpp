// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_blocked.hpp"
#include "cpu/kernels/spmm_direct.hpp"
#include "cpu/kernels/spmm_pack.hpp"
#include "cpu/kernels/spmm_rows.hpp"

// The tile kernels' steps, and the instance that serves a task.
namespace spk::cpu {
namespace {

template <bool kComplex, int kVectors, int kSets, class Real, class BValue, class Index>
SPK_INLINE void run_partial(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  const bool whole = columns.last == kLanes<Real> || t.b_access != BAccess::rows;
  if constexpr (std::is_void_v<Index>) {
    if (whole)
      run_staged_rows<kComplex, kVectors, kSets, false, Real, BValue>(t, step, columns);
    else
      run_staged_rows<kComplex, kVectors, kSets, true, Real, BValue>(t, step, columns);
  } else {
    if constexpr (!kComplex && std::is_same_v<BValue, Real>)
      if (is_direct<Real, Index>(t, step, columns))
        return whole ? run_direct<kVectors, kSets, false, Real, Index>(t, step, columns)
                     : run_direct<kVectors, kSets, true, Real, Index>(t, step, columns);
    if (whole)
      run_rows<kComplex, kVectors, kSets, false, Real, BValue, Index>(t, step, columns);
    else
      run_rows<kComplex, kVectors, kSets, true, Real, BValue, Index>(t, step, columns);
  }
}

// The (vectors, sets) that cpu/spmm_layout.cpp asks for; see accumulator_sets() there.
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
      if constexpr (!kComplex) {
        if (t.block_rows > 0 && step.kind == SpmmStep::rows) {
          if (t.short_indices != nullptr) return run_blocked_vectors<Real, std::uint16_t>(t, step);
          return t.index_type == IndexType::i64 ? run_blocked_vectors<Real, std::int64_t>(t, step)
                                                : run_blocked_vectors<Real, std::int32_t>(t, step);
        }
      }
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
