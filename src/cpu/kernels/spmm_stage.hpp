// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"
#include "cpu/kernels/spmm_task.hpp"

// Reading op(A): offsets, and entries brought into the form that the inner loops take (values of the sum's type, 64-bit
// rows of op(B) from 0).
namespace spk::cpu {
namespace {

// a * b + c on one element, rounded like fma() on vectors.
template <class Real>
SPK_INLINE Real fma1(Real a, Real b, Real c) noexcept {
#if defined(SPK_ARCH_avx512) || defined(SPK_ARCH_avx2) || defined(SPK_ARCH_neon)
  if constexpr (sizeof(Real) == 4)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

constexpr int kStagedEntries = 128;  // a multiple of every number of accumulator sets

// Kept out of the many instances of the inner loops.
#define SPK_OUT_OF_LINE __attribute__((noinline))

template <class Real>
struct Staged {
  Real values[2 * kStagedEntries];  // pairs for complex matrices
  std::int64_t indices[kStagedEntries];
};

SPK_INLINE std::int64_t read_index(const void* array, IndexType type, std::int64_t i) noexcept {
  if (type == IndexType::i32) return static_cast<const std::int32_t*>(array)[i];
  if (type == IndexType::i64) return static_cast<const std::int64_t*>(array)[i];
  return static_cast<const std::uint16_t*>(array)[i];
}

// First entry (or block) of row (or block row) i.
SPK_INLINE std::int64_t row_start(const SpmmTask& t, std::int64_t i) noexcept {
  if (t.offsets == nullptr) return i * t.slots;
  return read_index(t.offsets, t.offset_type, i) - t.offset_base;
}

// The same for loops over rows of entries.
struct RowOffsets {
  const void* array;
  std::int64_t base;
  bool narrow;

  SPK_INLINE explicit RowOffsets(const SpmmTask& t) noexcept
      : array(t.offsets), base(t.offset_base), narrow(t.offset_type == IndexType::i32) {}
  SPK_INLINE std::int64_t at(std::int64_t i) const noexcept {
    return (narrow ? std::int64_t{static_cast<const std::int32_t*>(array)[i]}
                   : static_cast<const std::int64_t*>(array)[i]) -
           base;
  }
};

template <class Value, class Real>
SPK_INLINE void copy_widened(const Value* from, std::int64_t step, std::int64_t count, Real* to) noexcept {
  std::int64_t e = 0;
  if (step == 1)
    for (; e + kLanes<Real> <= count; e += kLanes<Real>) store(to + e, load(from + e));
  for (; e < count; ++e) to[e] = widen(from[e * step]);
}

// `count` values of A, `step` elements apart, widened. Complex values are pairs of reals.
template <class Real, bool kComplex>
inline void copy_values(const SpmmTask& t, std::int64_t first, std::int64_t step, std::int64_t count,
                        Real* to) noexcept {
  if constexpr (kComplex) {
    const Real* from = static_cast<const Real*>(t.values) + 2 * first;
    for (std::int64_t e = 0; e < count; ++e) {
      to[2 * e] = from[2 * e * step];
      to[2 * e + 1] = from[2 * e * step + 1];
    }
  } else if constexpr (std::is_same_v<Real, float>) {
    if (t.value_type == ValueType::f16)
      copy_widened(static_cast<const f16*>(t.values) + first, step, count, to);
    else if (t.value_type == ValueType::bf16)
      copy_widened(static_cast<const bf16*>(t.values) + first, step, count, to);
    else
      copy_widened(static_cast<const float*>(t.values) + first, step, count, to);
  } else {
    copy_widened(static_cast<const Real*>(t.values) + first, step, count, to);
  }
}

// Walks the entries of one row. stage() fills a chunk completely unless the row ends.
template <class Real, bool kComplex>
struct RowCursor {
  const SpmmTask& t;
  std::int64_t next, end;  // entries, or blocks
  std::int64_t row_in_block = 0, col_in_block = 0;

  SPK_OUT_OF_LINE std::int64_t stage(Staged<Real>& s) noexcept {
    return t.block_size == 0 ? stage_entries(s) : stage_blocks(s);
  }

 private:
  std::int64_t stage_entries(Staged<Real>& s) noexcept {
    const std::int64_t left = end - next;
    const std::int64_t count = left < kStagedEntries ? left : kStagedEntries;
    if (count <= 0) return 0;
    copy_values<Real, kComplex>(t, next, 1, count, s.values);
    for (std::int64_t e = 0; e < count; ++e)
      s.indices[e] = read_index(t.indices, t.index_type, next + e) - t.index_base;
    next += count;
    return count;
  }

  std::int64_t stage_blocks(Staged<Real>& s) noexcept {
    std::int64_t count = 0;
    while (next < end && count < kStagedEntries) {
      const std::int64_t stored = read_index(t.indices, t.index_type, next);
      if (stored < 0) {
        ++next;
        continue;
      }
      const std::int64_t place = t.positions == nullptr ? next : t.positions[next];
      const std::int64_t slab = t.slots == 0 ? 0 : place / t.slots;
      const std::int64_t first =
          slab * t.block_slab + (place - slab * t.slots) * t.block_step + row_in_block * t.block_row_step;
      const std::int64_t left = t.block_size - col_in_block;
      const std::int64_t part = left < kStagedEntries - count ? left : kStagedEntries - count;
      copy_values<Real, kComplex>(t, first + col_in_block * t.block_col_step, t.block_col_step, part,
                                  s.values + (kComplex ? 2 : 1) * count);
      const std::int64_t col = (stored - t.index_base) * t.block_size + col_in_block;
      for (std::int64_t e = 0; e < part; ++e) s.indices[count + e] = col + e;
      count += part;
      col_in_block += part;
      if (col_in_block == t.block_size) {
        col_in_block = 0;
        ++next;
      }
    }
    return count;
  }
};

template <class Real, bool kComplex>
SPK_INLINE RowCursor<Real, kComplex> cursor_at(const SpmmTask& t, std::int64_t row) noexcept {
  if (t.empty) return {t, 0, 0};
  if (t.block_size == 0) return {t, row_start(t, row), row_start(t, row + 1)};
  const std::int64_t block_row = row / t.block_size;
  return {t, row_start(t, block_row), row_start(t, block_row + 1), row - block_row * t.block_size, 0};
}

}  // namespace
}  // namespace spk::cpu
