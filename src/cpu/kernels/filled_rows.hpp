// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/simd.hpp"

// Passing rows without entries. In a nearly empty matrix looking at every row is most of the work.
namespace spk::cpu {
namespace {

// The first of `count` numbers that is not `value`; count if there is none.
template <class Offset>
SPK_INLINE std::int64_t first_other(const Offset* numbers, std::int64_t count, Offset value) noexcept {
  std::int64_t i = 0;
#if defined(SPK_ARCH_avx512) || defined(SPK_ARCH_avx2)
  constexpr int kStep = kVectorBytes / static_cast<int>(sizeof(Offset));
  for (; i + kStep <= count; i += kStep) {
#if defined(SPK_ARCH_avx512)
    const __m512i v = _mm512_loadu_si512(numbers + i);
    const std::uint32_t other = sizeof(Offset) == 4
                                    ? _mm512_cmpneq_epi32_mask(v, _mm512_set1_epi32(static_cast<int>(value)))
                                    : _mm512_cmpneq_epi64_mask(v, _mm512_set1_epi64(value));
#else
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + i));
    const int equal =
        sizeof(Offset) == 4
            ? _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(v, _mm256_set1_epi32(static_cast<int>(value)))))
            : _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(v, _mm256_set1_epi64x(value))));
    const std::uint32_t other = static_cast<std::uint32_t>(equal) ^ ((1u << kStep) - 1);
#endif
    if (other != 0) return i + __builtin_ctz(other);
  }
#endif
  while (i < count && numbers[i] == value) ++i;
  return i;
}

// The first row from `row` on, below `end`, that has entries; `end` if there is none. Offsets of rows [row, end] are
// read.
SPK_INLINE std::int64_t next_filled_row(const void* offsets, IndexType type, std::int64_t row,
                                        std::int64_t end) noexcept {
  if (type == IndexType::i32) {
    const std::int32_t* o = static_cast<const std::int32_t*>(offsets) + row;
    return row + first_other(o + 1, end - row, *o);
  }
  const std::int64_t* o = static_cast<const std::int64_t*>(offsets) + row;
  return row + first_other(o + 1, end - row, *o);
}

// body(row) for the rows of [begin, end) that have entries, in order. Looks at a register of rows at a time, so that where
// they lie costs no wrong guesses but how many there are does.
template <class Offset, class Body>
SPK_INLINE void for_filled_rows(const Offset* offsets, std::int64_t begin, std::int64_t end,
                                const Body& body) noexcept {
  std::int64_t row = begin;
#if defined(SPK_ARCH_avx512)
  constexpr int kStep = kVectorBytes / static_cast<int>(sizeof(Offset));
  for (; row + kStep <= end; row += kStep) {
    const __m512i starts = _mm512_loadu_si512(offsets + row), ends = _mm512_loadu_si512(offsets + row + 1);
    std::uint32_t filled =
        sizeof(Offset) == 4 ? _mm512_cmpneq_epi32_mask(starts, ends) : _mm512_cmpneq_epi64_mask(starts, ends);
    for (; filled != 0; filled &= filled - 1) body(row + __builtin_ctz(filled));
  }
#endif
  while ((row += first_other(offsets + row + 1, end - row, offsets[row])) < end) body(row++);
}

}  // namespace
}  // namespace spk::cpu
