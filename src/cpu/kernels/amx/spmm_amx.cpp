// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/kernels/spmm_finish.hpp"
#include "cpu/kernels/spmm_kernels.hpp"
#include "cpu/kernels/spmm_stage.hpp"
#include "cpu/kernels/spmm_transpose.hpp"

// bf16 by the tiles of AMX: C of 32 x 32 in four tiles, 32 rows of op(B) a step. Dense work: tiles of A are made in the
// call, with zeros where nothing is stored, from one mask of 32 columns after the other: the values of a row lie in the
// order of its columns, so that an expanding move puts them into their places. The masks come from the plan or are made
// here. Tiles take no subnormal numbers and give none (Intel 64 manual, TDPBF16PS), and their zeros meet every element
// of op(B): blocks where that could show, and rows whose columns do not ascend, are left to the tile kernel of AVX-512.
namespace spk::cpu {
namespace {

constexpr int kBlock = kAmxRows;   // rows of C, columns of C, rows of op(B)
constexpr int kTileValues = 512;   // bf16 of a tile: 16 rows of 64 bytes
constexpr int kPairValues = 1024;  // of two tiles side by side: a step's part of a panel
constexpr int kPanelsInTurn = kTileColumns<float> / kBlock;
constexpr std::int32_t kZerosOnly = 255;
// Nonzero products and sums are multiples of 2^(ea + eb - 268), where ea and eb are the exponent fields of the smallest
// values: no sum is subnormal from here on.
constexpr std::int32_t kLeastExponents = 142;

using Buffer = RowBuffer<float, false>;
static_assert(kBufferedRows == 16 && kPanelsInTurn * kBlock == kTileColumns<float>);
static_assert(2 * sizeof(Buffer) <= kAmxBufferBytes);

// A thread's memory: tiles of a block of A's rows, their masks, the sums.
struct Chunk {
  std::uint16_t* tiles;
  std::uint32_t* masks;
  Buffer* sums;

  SPK_INLINE Chunk(void* memory, std::int64_t steps) noexcept {
    char* p = static_cast<char*>(memory);
    sums = reinterpret_cast<Buffer*>(p);
    tiles = reinterpret_cast<std::uint16_t*>(p + kAmxBufferBytes);
    masks = reinterpret_cast<std::uint32_t*>(tiles + 2 * steps * kTileValues);
  }
};

// Smallest exponent field of nonzero values, 0 for subnormal ones; finite or not.
struct Range {
  __m512i least = _mm512_set1_epi16(-1), most = _mm512_setzero_si512();

  SPK_INLINE void see(__m512i x) noexcept {
    const __m512i magnitude = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
    most = _mm512_max_epu16(most, magnitude);
    // 0 - 1 is the largest.
    least = _mm512_min_epu16(least, _mm512_sub_epi16(magnitude, _mm512_set1_epi16(1)));
  }
  std::int32_t least_exponent() const noexcept {
    alignas(64) std::uint16_t lanes[32];
    _mm512_store_si512(lanes, least);
    std::int32_t x = 0xffff;
    for (const std::uint16_t lane : lanes) x = lane < x ? lane : x;
    return x == 0xffff ? kZerosOnly : (x + 1) >> 7;
  }
  bool finite() const noexcept { return _mm512_cmpge_epu16_mask(most, _mm512_set1_epi16(0x7f80)) == 0; }
};

SPK_INLINE __mmask32 first_lanes(std::int64_t count) noexcept {
  return count >= 32 ? 0xffffffffu : count <= 0 ? 0u : (1u << count) - 1;
}

// ---- op(B): panels of 32 columns, each a step of 32 rows after the other; a tile's row holds pairs of op(B)'s rows.

// A step of a panel from whole rows of op(B).
SPK_INLINE void pack_step_of_rows(const std::uint16_t* b, std::int64_t stride, std::int64_t rows, __mmask32 columns,
                                  std::uint16_t* to, Range& range) noexcept {
  alignas(64) static constexpr std::uint16_t kLow[32] = {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
                                                         8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  const __m512i low = _mm512_load_si512(kLow), high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
  for (int pair = 0; pair < 16; ++pair) {
    const __m512i x = _mm512_maskz_loadu_epi16(2 * pair < rows ? columns : 0, b + 2 * pair * stride);
    const __m512i y = _mm512_maskz_loadu_epi16(2 * pair + 1 < rows ? columns : 0, b + (2 * pair + 1) * stride);
    range.see(x);
    range.see(y);
    _mm512_store_si512(to + pair * 32, _mm512_permutex2var_epi16(x, low, y));
    _mm512_store_si512(to + kTileValues + pair * 32, _mm512_permutex2var_epi16(x, high, y));
  }
}

// The same from columns: pairs of rows lie beside each other and are turned like numbers of 32 bits.
SPK_INLINE void pack_step_of_columns(const std::uint16_t* b, std::int64_t stride, __mmask32 rows, std::int64_t columns,
                                     std::uint16_t* to, Range& range) noexcept {
  alignas(64) float lines[16 * 16];
  for (int tile = 0; tile < 2; ++tile) {
    for (int j = 0; j < 16; ++j) {
      const std::int64_t column = tile * 16 + j;
      const __m512i x = _mm512_maskz_loadu_epi16(column < columns ? rows : 0, b + column * stride);
      range.see(x);
      _mm512_store_si512(lines + j * 16, x);
    }
    transpose_square(lines, 16, reinterpret_cast<float*>(to + tile * kTileValues), 16);
  }
}

// Rows [begin, end) of op(B), begin at a step, to all panels.
void pack(const SpmmTask& t, const SpmmStep& step) noexcept {
  const std::uint16_t* b = static_cast<const std::uint16_t*>(t.b);
  const std::int64_t steps = amx_steps(t.k);
  Range range;
  for (std::int64_t j = 0; j < t.columns; j += kBlock) {
    std::uint16_t* panel = static_cast<std::uint16_t*>(step.panel) + j / kBlock * steps * kPairValues;
    for (std::int64_t r = step.begin; r < step.end; r += kBlock) {
      const std::uint16_t* from = b + r * t.b_row_stride + j * t.b_col_stride;
      std::uint16_t* to = panel + r / kBlock * kPairValues;
      if (t.b_col_stride == 1)
        pack_step_of_rows(from, t.b_row_stride, t.k - r, first_lanes(t.columns - j), to, range);
      else
        pack_step_of_columns(from, t.b_col_stride, first_lanes(t.k - r), t.columns - j, to, range);
    }
  }
  *step.least_exponent = range.finite() ? range.least_exponent() : 0;
}

// ---- op(A)

// Up to 16 column indices.
template <class Index>
SPK_INLINE __m512i load_columns(const Index* indices, __mmask16 mask) noexcept {
  if constexpr (sizeof(Index) == 4) {
    return _mm512_maskz_loadu_epi32(mask, indices);
  } else {
    const __mmask8 low = static_cast<__mmask8>(mask), high = static_cast<__mmask8>(mask >> 8);
    const __m256i x = _mm512_maskz_cvtepi64_epi32(low, _mm512_maskz_loadu_epi64(low, indices));
    const __m256i y = _mm512_maskz_cvtepi64_epi32(high, _mm512_maskz_loadu_epi64(high, indices + 8));
    return _mm512_inserti64x4(_mm512_castsi256_si512(x), y, 1);
  }
}

// Masks of one row; false if its columns do not ascend.
template <class Index>
bool mask_row(const SpmmTask& t, std::int64_t row, std::uint32_t* masks) noexcept {
  const Index* indices = static_cast<const Index*>(t.indices);
  const std::int64_t end = row_start(t, row + 1);
  const __m512i one = _mm512_set1_epi32(1);
  for (std::int64_t e = row_start(t, row); e < end;) {
    const std::int64_t column = static_cast<std::int64_t>(indices[e]) - t.index_base, word = column / 32;
    const __m512i first = _mm512_set1_epi32(static_cast<std::int32_t>(word * 32 + t.index_base));
    const __m512i limit = _mm512_add_epi32(first, _mm512_set1_epi32(32));
    std::uint32_t bits = 0;
    for (int run = 16; run == 16 && e < end; e += run) {
      const __mmask16 valid = static_cast<__mmask16>(first_lanes(end - e)),
                      next = static_cast<__mmask16>(first_lanes(end - e - 1));
      const __m512i x = load_columns(indices + e, valid), y = load_columns(indices + e + 1, next);
      if (_mm512_mask_cmplt_epi32_mask(next, x, y) != next) return false;
      const __mmask16 below = _mm512_mask_cmplt_epi32_mask(valid, x, limit);
      bits |= static_cast<std::uint32_t>(
          _mm512_mask_reduce_or_epi32(below, _mm512_sllv_epi32(one, _mm512_sub_epi32(x, first))));
      run = __builtin_popcount(below);  // columns ascend
    }
    masks[word] = bits;
  }
  return true;
}

// Masks of a block of rows, row after row, and behind them whether tiles can take it.
void mask_block(const SpmmTask& t, std::int64_t first, std::uint32_t* masks) noexcept {
  const std::int64_t steps = amx_steps(t.k);
  for (std::int64_t i = 0; i < kBlock * steps; ++i) masks[i] = 0;
  bool ascending = true;
  for (std::int64_t r = 0; r < kBlock && first + r < t.m && ascending; ++r)
    ascending = t.index_type == IndexType::i64 ? mask_row<std::int64_t>(t, first + r, masks + r * steps)
                                               : mask_row<std::int32_t>(t, first + r, masks + r * steps);
  masks[kBlock * steps] = ascending ? 1 : 0;
}

// Tiles of a block of rows: all of the upper 16 rows, then those of the lower. Answers the smallest exponent field.
std::int32_t make_tiles(const SpmmTask& t, std::int64_t first, const std::uint32_t* masks,
                        std::uint16_t* tiles) noexcept {
  const std::int64_t steps = amx_steps(t.k);
  Range range;
  for (std::int64_t r = 0; r < kBlock; ++r) {
    const std::uint16_t* values =
        static_cast<const std::uint16_t*>(t.values) + (first + r < t.m ? row_start(t, first + r) : 0);
    std::uint16_t* to = tiles + r / 16 * steps * kTileValues + r % 16 * 32;
    for (std::int64_t s = 0; s < steps; ++s) {
      const __mmask32 mask = masks[r * steps + s];
      const int count = __builtin_popcount(mask);
      const __m512i x = _mm512_maskz_loadu_epi16(_bzhi_u32(0xffffffffu, static_cast<unsigned>(count)), values);
      range.see(x);
      _mm512_store_si512(to + s * kTileValues, _mm512_maskz_expand_epi16(mask, x));
      values += count;
    }
  }
  return range.least_exponent();
}

// ---- C

struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kTileConfig;

// Sums of a block and a panel, at column `column` of the buffers.
SPK_INLINE void multiply(const std::uint16_t* tiles, const std::uint16_t* panel, std::int64_t steps, Buffer* sums,
                         std::int64_t column) noexcept {
  const std::uint16_t* lower = tiles + steps * kTileValues;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::int64_t s = 0; s < steps; ++s) {
    _tile_loadd(4, tiles + s * kTileValues, 64);
    _tile_loadd(6, panel + s * kPairValues, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, panel + s * kPairValues + kTileValues, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, lower + s * kTileValues, 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  constexpr int kPitch = sizeof sums->real[0];
  _tile_stored(0, sums[0].real[0] + column, kPitch);
  _tile_stored(1, sums[0].real[0] + column + 16, kPitch);
  _tile_stored(2, sums[1].real[0] + column, kPitch);
  _tile_stored(3, sums[1].real[0] + column + 16, kPitch);
}

// Rows [begin, end) by the kernel that takes everything.
SPK_OUT_OF_LINE void run_without_tiles(const SpmmTask& t, std::int64_t begin, std::int64_t end) noexcept {
  SpmmStep step;
  step.begin = begin;
  step.end = end;
  for (step.tile = 0; step.tile < t.tiles; ++step.tile) spmm_tile_f32__avx512(t, step);
}

SPK_OUT_OF_LINE void run_block(const SpmmTask& t, std::int64_t first, const std::uint16_t* panels,
                               const Chunk& chunk) noexcept {
  const std::int64_t steps = amx_steps(t.k), last = first + kBlock < t.m ? first + kBlock : t.m;
  const std::uint32_t* masks = chunk.masks;
  if (t.amx_masks != nullptr)
    masks = t.amx_masks + first / kBlock * amx_mask_words(t.k);
  else
    mask_block(t, first, chunk.masks);
  if (masks[kBlock * steps] == 0) return run_without_tiles(t, first, last);
  const std::int32_t least = make_tiles(t, first, masks, chunk.tiles);
  if (least == 0 || least + t.b_least_exponent < kLeastExponents) return run_without_tiles(t, first, last);
  // The compiler does not know what tile instructions read.
  asm volatile("" ::: "memory");
  asm volatile("ldtilecfg %0" ::"m"(kTileConfig));
  for (std::int64_t j = 0; j < t.columns; j += kTileColumns<float>) {
    const std::int64_t width = t.columns - j < kTileColumns<float> ? t.columns - j : kTileColumns<float>;
    for (std::int64_t i = 0; i < width; i += kBlock)
      multiply(chunk.tiles, panels + (j + i) / kBlock * steps * kPairValues, steps, chunk.sums, i);
    for (std::int64_t half = 0; half < 2; ++half) {
      Buffer& sums = chunk.sums[half];
      for (sums.used = 0; sums.used < 16 && first + half * 16 + sums.used < last; ++sums.used)
        sums.rows[sums.used] = first + half * 16 + sums.used;
      finish_rows(t, sums, j, static_cast<int>(width));
    }
  }
  _tile_release();
}

}  // namespace

void SPK_ARCH_SYMBOL(spmm_amx_f32)(const SpmmTask& t, const SpmmStep& step) noexcept {
  if (step.kind == SpmmStep::pack) return pack(t, step);
  if (step.kind == SpmmStep::masks) {
    std::uint32_t* masks = static_cast<std::uint32_t*>(step.panel);
    for (std::int64_t row = step.begin; row < step.end; row += kBlock)
      mask_block(t, row, masks + row / kBlock * amx_mask_words(t.k));
    return;
  }
  if (t.empty || t.b_least_exponent == 0) return run_without_tiles(t, step.begin, step.end);
  const Chunk chunk(step.chunk, amx_steps(t.k));
  for (std::int64_t row = step.begin; row < step.end; row += kBlock)
    run_block(t, row, static_cast<const std::uint16_t*>(step.panel), chunk);
}

}  // namespace spk::cpu
