// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/kernels/spmm_rows.hpp"

// Row-wise product in blocks of t.block_rows rows of op(B), so few that the tile's columns of a block stay in the
// first-level cache while kChunkRows rows of C pass; the rows' sums wait in between. Every row has a place in its
// entries and takes, block by block, all that follow up to the first one beyond the block; the last block has no end.
// So entries are added in the order in which they are stored whatever that order is: unsorted columns only miss the
// cache.
namespace spk::cpu {
namespace {

#if defined(SPK_ARCH_avx512)
// A bit for each of a register's indices of which `valid` says that it is there: whether it is below the limit.
SPK_INLINE std::uint32_t bits_below(const std::uint16_t* indices, std::uint32_t valid, std::int64_t limit) noexcept {
  const __mmask32 mask = valid;
  return _mm512_mask_cmplt_epu16_mask(mask, _mm512_maskz_loadu_epi16(mask, indices),
                                      _mm512_set1_epi16(static_cast<short>(limit)));
}
SPK_INLINE std::uint32_t bits_below(const std::int32_t* indices, std::uint32_t valid, std::int64_t limit) noexcept {
  const __mmask16 mask = static_cast<__mmask16>(valid);
  return _mm512_mask_cmplt_epi32_mask(mask, _mm512_maskz_loadu_epi32(mask, indices),
                                      _mm512_set1_epi32(static_cast<int>(limit)));
}
SPK_INLINE std::uint32_t bits_below(const std::int64_t* indices, std::uint32_t valid, std::int64_t limit) noexcept {
  const __mmask8 mask = static_cast<__mmask8>(valid);
  return _mm512_mask_cmplt_epi64_mask(mask, _mm512_maskz_loadu_epi64(mask, indices), _mm512_set1_epi64(limit));
}
#endif

// How many of the first `count` indices are below `limit`, before the first one that is not.
template <class Index>
SPK_INLINE std::int64_t count_below(const Index* indices, std::int64_t count, std::int64_t limit) noexcept {
  std::int64_t e = 0;
#if defined(SPK_ARCH_avx512)
  // As many at a time for all types: each step ends with a branch that is hard to foresee.
  constexpr int kStep = 32, kLanesOfIndex = 64 / static_cast<int>(sizeof(Index));
  while (e < count) {
    const std::int64_t left = count - e;
    const std::uint64_t valid = (std::uint64_t{1} << (left < kStep ? left : kStep)) - 1;
    std::uint64_t below = 0;
    SPK_UNROLL
    for (int i = 0; i < kStep; i += kLanesOfIndex)
      below |= static_cast<std::uint64_t>(bits_below(indices + e + i, static_cast<std::uint32_t>(valid >> i), limit))
               << i;
    const int run = __builtin_ctzll(~below | (std::uint64_t{1} << kStep));
    e += run;
    if (run < kStep) break;
  }
#else
  while (e < count && indices[e] < limit) ++e;
#endif
  return e;
}

// The processor cannot foresee where the next row's entries of a block lie: they are fetched kRowsAhead rows before.
constexpr int kRowsAhead = 2;

SPK_INLINE void prefetch_lines(const void* first, std::int64_t bytes) noexcept {
  const char* p = static_cast<const char*>(first);
  for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i);
}

// The rows of C that pass a block together, in memory of the workspace.
template <class Real, int kVectors>
struct RowChunk {
  alignas(64) Real sums[kChunkRows][kVectors * kLanes<Real>];
  std::int64_t rows[kChunkRows], next[kChunkRows], end[kChunkRows];
  int used;
};

// Entries that a row of the chunk has in a block: the mean and somewhat more.
template <class Real, int kVectors>
SPK_INLINE std::int64_t likely_entries(const RowChunk<Real, kVectors>& chunk, std::int64_t block_rows,
                                       std::int64_t k) noexcept {
  std::int64_t entries = 0;
  for (int r = 0; r < chunk.used; ++r) entries += chunk.end[r] - chunk.next[r];
  const double mean = static_cast<double>(entries) / chunk.used;
  return static_cast<std::int64_t>(1.25 * mean * static_cast<double>(block_rows) / static_cast<double>(k));
}

// Where op(B) exceeds the second-level cache, the rows of a block bring the next one near. Blocks are taken to lie as in
// a panel; where they do not, only time is lost.
template <class Real>
class NextBlock {
 public:
  SPK_INLINE NextBlock(const RowSource<Real, false, Real>& source, std::int64_t k, std::int64_t block_rows,
                       int rows) noexcept
      : first_(reinterpret_cast<const char*>(source.b + source.shift)), k_(k), block_rows_(block_rows) {
    row_bytes_ = source.stride * static_cast<std::int64_t>(sizeof(Real));
    constexpr std::int64_t kCacheBytes = 3 << 18;
    if (k * row_bytes_ > kCacheBytes) step_ = (block_rows * row_bytes_ + rows * 64 - 1) / (rows * 64) * 64;
  }
  // Row r of the chunk passes the block that begins with row `begin` of op(B).
  SPK_INLINE void prefetch(std::int64_t begin, std::int64_t r) const noexcept {
    if (step_ == 0) return;
    const std::int64_t next = begin + block_rows_ < k_ ? begin + block_rows_ : 0;
    const char* p = first_ + next * row_bytes_ + r * step_;
    for (std::int64_t i = 0; i < step_; i += 64) __builtin_prefetch(p + i, 0, 2);
  }

 private:
  const char* first_;
  std::int64_t k_, block_rows_, row_bytes_ = 0, step_ = 0;
};

// C of the chunk's rows, which it empties.
template <int kVectors, int kSets, class Real, class Index>
SPK_OUT_OF_LINE void run_chunk(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns,
                               RowChunk<Real, kVectors>& chunk) noexcept {
  constexpr int kSize = kLanes<Real>;
  const RowSource<Real, false, Real> source(t, step, columns);
  const RowTarget<Real> target(t, columns);
  constexpr bool kShort = sizeof(Index) == 2;
  const std::int64_t k = t.k, block_rows = t.block_rows, index_base = kShort ? 0 : t.index_base;
  const auto row_of = source.rows(index_base);
  const Real* values = static_cast<const Real*>(t.values);
  const Index* indices = static_cast<const Index*>(kShort ? t.short_indices : t.indices);
  const bool direct = stores_rows<Real>(t);
  const int used = chunk.used;
  const std::int64_t fetched = likely_entries(chunk, block_rows, k);
  const NextBlock<Real> next_block(source, k, block_rows, used);
  for (std::int64_t begin = 0; begin < k; begin += block_rows) {
    const bool first = begin == 0, last = k - begin <= block_rows;
    const std::int64_t limit = begin + block_rows + index_base;
    for (int r = 0; r < used; ++r) {
      const std::int64_t next = chunk.next[r];
      std::int64_t count = chunk.end[r] - next;
      if (!last) count = count_below(indices + next, count, limit);
      chunk.next[r] = next + count;
      const std::int64_t ahead = chunk.next[r + kRowsAhead < used ? r + kRowsAhead : 0];
      next_block.prefetch(begin, r);
      prefetch_lines(values + ahead, fetched * static_cast<std::int64_t>(sizeof(Real)));
      prefetch_lines(indices + ahead, fetched * static_cast<std::int64_t>(sizeof(Index)));
      Vec<Real> sum[kSets][kVectors];
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        sum[0][v] = first ? splat(Real{0}) : load(chunk.sums[r] + v * kSize);
        SPK_UNROLL
        for (int s = 1; s < kSets; ++s) sum[s][v] = splat(Real{0});
      }
      // With one set rows have so few entries in a block that four at a time cost more than they save.
      add_entries<false, kVectors, kSets, false, (kSets > 1)>(sum, values + next, indices + next, count, row_of, kSize);
      join_sets(sum);
      if (last && direct) {
        target.put(chunk.rows[r], sum[0]);
        continue;
      }
      SPK_UNROLL
      for (int v = 0; v < kVectors; ++v) store(chunk.sums[r] + v * kSize, sum[0][v]);
    }
  }
  if (!direct) {
    RowBuffer<Real, false> buffer;
    for (int r = 0; r < chunk.used; ++r) {
      if (buffer.used > 0 && buffer.rows[buffer.used - 1] + 1 != chunk.rows[r])
        finish_rows(t, buffer, columns.first, columns.width);
      for (int v = 0; v < kVectors; ++v) store(buffer.real[buffer.used] + v * kSize, load(chunk.sums[r] + v * kSize));
      buffer.rows[buffer.used++] = chunk.rows[r];
      if (buffer.used == kBufferedRows) finish_rows(t, buffer, columns.first, columns.width);
    }
    finish_rows(t, buffer, columns.first, columns.width);
  }
  chunk.used = 0;
}

template <int kVectors, int kSets, class Real, class Index>
inline void run_blocked(const SpmmTask& t, const SpmmStep& step, const TileColumns& columns) noexcept {
  const EmptyRows empty(t, step, columns);
  const bool clears = empty.pass();
  static_assert(sizeof(RowChunk<Real, kVectors>) <= chunk_bytes(kVectors * kLanes<Real>, sizeof(Real)));
  RowChunk<Real, kVectors>& chunk = *static_cast<RowChunk<Real, kVectors>*>(step.chunk);
  chunk.used = 0;
  for (std::int64_t row = step.begin; row < step.end; ++row) {
    const std::int64_t next = row_start(t, row), end = row_start(t, row + 1);
    if (end - next > t.long_row) continue;
    if (clears && next == end) {
      const std::int64_t last = empty.clear_from(row);
      if (last >= row) {
        row = last;
        continue;
      }
    }
    chunk.rows[chunk.used] = row;
    chunk.next[chunk.used] = next;
    chunk.end[chunk.used++] = end;
    if (chunk.used == kChunkRows) run_chunk<kVectors, kSets, Real, Index>(t, step, columns, chunk);
  }
  if (chunk.used > 0) run_chunk<kVectors, kSets, Real, Index>(t, step, columns, chunk);
}

template <class Real, class Index>
inline void run_blocked_vectors(const SpmmTask& t, const SpmmStep& step) noexcept {
  const TileColumns columns = columns_of<Real>(t, step.tile);
  if (t.sets == 2)
    return columns.vectors == 3 ? run_blocked<3, 2, Real, Index>(t, step, columns)
                                : run_blocked<4, 2, Real, Index>(t, step, columns);
  switch (columns.vectors) {
    case 4: return run_blocked<4, 1, Real, Index>(t, step, columns);
    case 5: return run_blocked<5, 1, Real, Index>(t, step, columns);
    case 6: return run_blocked<6, 1, Real, Index>(t, step, columns);
    case 7: return run_blocked<7, 1, Real, Index>(t, step, columns);
    default: return run_blocked<8, 1, Real, Index>(t, step, columns);
  }
}

}  // namespace
}  // namespace spk::cpu
