// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"

// What the launcher (cpu/spmm*.cpp) tells the SpMM kernels: one matrix of a batch, reduced to rows of op(A), rows of
// op(B) and tiles of columns. Plain structs; complex numbers are pairs of reals, so "columns" below are reals: n, or
// 2 n for complex matrices.
namespace spk::cpu {

// Where a kernel finds the elements of op(B).
enum class BAccess : std::int32_t {
  rows,      // row r is contiguous at b + r * b_row_stride
  panel,     // the columns of one tile are, padded to whole vectors (pack steps made it)
  elements,  // anywhere: columns are copied as entries need them
};

// Rows of op(A) in vectors (cpu/spmm_windows.hpp): so many rows of C are brought to C together.
constexpr std::int64_t kWindowRows = 128;
constexpr std::int64_t kWindowLanes = 16, kWindowColumns = 32;
constexpr std::int64_t kWindowPlace = 128;  // the bit of a place that holds an entry
struct WindowVectors {
  const std::int64_t* slices = nullptr;   // first vector of every slice, kWindowLanes rows
  const std::uint32_t* starts = nullptr;  // of every vector: the first row of op(B) in its window
  const std::uint8_t* places = nullptr;   // of every lane of a vector: kWindowPlace + row of op(B) - start, or 0
  const std::uint8_t* rows = nullptr;     // of every lane of a slice: row of C, counted from its group's first
};

struct SpmmTask {
  // ---- op(A): rows of entries, or of blocks where block_size > 0
  std::int64_t m = 0, k = 0;
  bool empty = false;             // no product: every row counts as empty, and A and B are not looked at
  const void* offsets = nullptr;  // NULL: block row i has the slots [i * slots, (i + 1) * slots)
  IndexType offset_type = IndexType::i64;
  std::int64_t offset_base = 0;
  const void* indices = nullptr;  // a negative block index is an unused slot
  IndexType index_type = IndexType::i32;
  std::int64_t index_base = 0;
  const void* values = nullptr;
  ValueType value_type = ValueType::f32;
  bool conjugate_a = false;
  std::int64_t block_size = 0, slots = 0;
  const std::int64_t* positions = nullptr;  // NULL, or the place of every block among the stored ones
  // Element (r, c) of the block at place p: values[(p / slots) * slab + (p % slots) * step + r * row_step + c *
  // col_step]; slots = 0 stands for one slab of all blocks.
  std::int64_t block_slab = 0, block_step = 0, block_row_step = 0, block_col_step = 0;
  std::int64_t long_row = INT64_MAX;  // rows of more entries are left to segment and combine steps

  // ---- op(B)
  const void* b = nullptr;
  ValueType b_type = ValueType::f32;  // f32, f64, f16, bf16; the sum's type in a panel
  BAccess b_access = BAccess::rows;
  std::int64_t b_row_stride = 0, b_col_stride = 0;  // in elements of the matrix
  std::int64_t b_panel_stride = 0;                  // reals from one tile's panel to the next
  std::int64_t b_first_panel = 0;                   // tile of the first panel in memory
  bool conjugate_b = false;
  std::int64_t block_rows = 0;                   // rows of op(B) that C's rows pass together, 0: all
  const std::uint16_t* short_indices = nullptr;  // NULL, or for such blocks A's indices, counted from 0

  WindowVectors windows;  // of a plan that keeps values so; `values` goes with them

  const std::uint32_t* amx_masks = nullptr;  // AMX: of A, in a plan, or NULL
  std::int32_t b_least_exponent = 0;         // AMX: exponent field of B's smallest nonzero element; 0: not for tiles

  // ---- columns: tile t covers the vectors [t * vectors / tiles, (t + 1) * vectors / tiles)
  bool complex = false;
  std::int64_t columns = 0;  // reals
  std::int64_t vectors = 0, tiles = 0;
  bool whole_rows = false;  // a step of rows is for all tiles, not for one: they are alike, and rows go straight to C
  std::int32_t sets = 1;    // accumulators per column; the same for the whole call, so that columns round alike

  // ---- C and the end of the operation
  void* c = nullptr;
  ValueType c_type = ValueType::f32;
  std::int64_t c_row_stride = 0, c_col_stride = 0;  // in elements of the matrix
  Scalar alpha{1, 0}, beta{0, 0};
  Epilogue epilogue;

  // ---- sums of segments of long rows, rows of `columns` reals, or of scattered parts, rows of `scatter_pitch`
  void* partials = nullptr;
  std::int64_t scatter_pitch = 0;  // reals from one row of sums to the next; in partials beyond columns: whole vectors
  bool scatter_to_c = false;       // they go straight to C, which is real, of the sum's type and has whole rows
};

// Rows of C that pass a block of op(B)'s rows together, and the memory of their sums, aligned to a cache line: too much
// for the stack of a thread. `pitch` reals are the vectors of the widest tile.
constexpr int kChunkRows = 256;
constexpr std::int64_t chunk_bytes(std::int64_t pitch, std::int64_t real_bytes) noexcept {
  return kChunkRows * (pitch * real_bytes + 3 * 8) + 64;
}

// Blocks of the AMX kernel: rows and columns of C, rows of op(B). Its memory: panels of op(B), padded to whole blocks;
// for every block of C's rows a mask of 32 columns for each row and step, and one word more; a thread's chunk.
constexpr std::int64_t kAmxRows = 32, kAmxBufferBytes = 20 << 10;
constexpr std::int64_t amx_steps(std::int64_t k) noexcept { return (k + kAmxRows - 1) / kAmxRows; }
constexpr std::int64_t amx_mask_words(std::int64_t k) noexcept { return kAmxRows * amx_steps(k) + 1; }
constexpr std::int64_t amx_panel_bytes(std::int64_t k) noexcept { return amx_steps(k) * kAmxRows * kAmxRows * 2; }
constexpr std::int64_t amx_chunk_bytes(std::int64_t k) noexcept {
  return kAmxBufferBytes + amx_panel_bytes(k) + (amx_mask_words(k) * 4 + 63) / 64 * 64;
}

// One piece of a task.
struct SpmmStep {
  enum Kind : std::int32_t {
    rows,     // C of rows [begin, end), columns of tile `tile`
    segment,  // sums of the entries [begin, end) of row `row`, tile `tile`, to partial row `partial`
    combine,  // C of row `row`, tile `tile`, from `partials` partial rows from `partial` on
    pack,     // rows [begin, end) of op(B), tile `tile`, to the panel
    scatter,  // adds the products of rows [begin, end) of A's stored form to the partial rows from `partial` on
    finish,   // C of rows [begin, end) from `partials` sets of m partial rows
    masks,    // AMX: of rows [begin, end), to the panel
  };
  Kind kind = rows;
  std::int64_t begin = 0, end = 0, tile = 0, row = 0, partial = 0, partials = 0;
  void* panel = nullptr;  // pack; rows of AMX
  void* chunk = nullptr;  // rows of AMX, and where the task has block_rows: memory of this thread alone
  std::int32_t* least_exponent = nullptr;  // pack of AMX: b_least_exponent of these rows
};

using SpmmKernel = void(const SpmmTask& task, const SpmmStep& step) noexcept;

}  // namespace spk::cpu
