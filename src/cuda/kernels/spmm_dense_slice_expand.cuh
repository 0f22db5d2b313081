// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_tile.cuh"
#include "cuda/spmm_dense_slice.hpp"

// From the entries of rows of A to a dense slice in shared memory, for spmm_dense_slice_sm90.cuh.
namespace spk::cuda {

constexpr int kSlicePadding = 4;  // floats per line of staged sums

template <class ValueT, class OutT, SliceTile kTileT>
struct SliceConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr bool kSplit = sizeof(Value) == 4;
  static constexpr int kLine = 128 / sizeof(Value);  // columns of A of a chunk
  static constexpr int kRows = size_of(kTileT).rows, kCols = size_of(kTileT).cols;
  static constexpr int kWarps = kSplit ? 8 : 16, kThreads = 32 * kWarps, kRowsPerWarp = kRows / kWarps;
  static constexpr int kColGroups = kCols / 64, kRowGroups = kCols == 256 || (kSplit && kCols == 128) ? 1 : 2;
  static constexpr int kGroups = kColGroups * kRowGroups, kProduct = kRows / kRowGroups;  // that multiply
  static constexpr int kLoBytes = kRows * 128;                                            // from hi to lo
  static constexpr int kChunkA = (kSplit ? 2 : 1) * kLoBytes, kChunkB = kCols * 128;
  static constexpr int kPitch = kCols + kSlicePadding;  // of staged sums
  static_assert(kGroups * 4 <= kWarps, "a warpgroup multiplies 64 columns by kProduct rows");
};

// The entries of the rows of a warp. Eight lanes read a row, four neighbouring entries each.
template <class Config>
struct SliceRows {
  using Value = typename Config::Value;
  static constexpr int kRows = Config::kRowsPerWarp, kTurns = kRows / 4;  // four rows at a time
  static constexpr unsigned kAll = 0xffffffffu;

  const int* columns;
  const Value* values;
  int limit;   // end of the arrays
  int bounds;  // lane r: where row r begins
  int probe[kRows];
  unsigned bad;  // bit r: row r is out of order

  __device__ int lane() const { return static_cast<int>(threadIdx.x) % 32; }
  __device__ int begin_of(int r) const { return __shfl_sync(kAll, bounds, r); }

  static __device__ int step_of(int length) { return ((length + 31) / 32 + 3) & ~3; }

  __device__ void probe_rows() {
    bad = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int begin = begin_of(r), length = begin_of(r + 1) - begin, at = lane() * step_of(length);
      probe[r] = at < length ? columns[begin + at] : INT_MAX;
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int before = __shfl_up_sync(kAll, probe[r], 1);
      if (__any_sync(kAll, lane() > 0 && probe[r] != INT_MAX && before >= probe[r])) bad |= 1u << r;
    }
  }

  struct Quad {
    int4 column;
    Pack<Value, 4> value;
  };
  __device__ Quad load(int p, int stop) const {
    Quad q{};
    if (p < stop) {
      if (p + 4 <= limit) {
        q.column = *reinterpret_cast<const int4*>(columns + p);
        q.value = *reinterpret_cast<const Pack<Value, 4>*>(values + p);
      } else {
        int column[4] = {};
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (p + e < limit) {
            column[e] = columns[p + e];
            q.value.at[e] = values[p + e];
          }
        q.column = {column[0], column[1], column[2], column[3]};
      }
    }
    return q;
  }

  // One entry to its place; true if it is too small to be split.
  static __device__ bool put(std::uint32_t line, unsigned k, Value value) {
    const std::uint32_t to = (line ^ k % Config::kLine * static_cast<unsigned>(sizeof(Value))) +
                             k / Config::kLine * static_cast<unsigned>(Config::kChunkA);
    if constexpr (Config::kSplit) {
      const std::uint32_t hi = round_to_tf32(value);
      store_shared(to, hi);
      store_shared(to + Config::kLoBytes, round_to_tf32(value - __uint_as_float(hi)));
      return smallness(__float_as_uint(value)) < kSmallness;
    } else {
      asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(*reinterpret_cast<const unsigned short*>(&value))
                   : "memory");
      return false;
    }
  }
  static __device__ void store_shared(std::uint32_t to, std::uint32_t bits) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(bits) : "memory");
  }

  // Entries with columns from `low` on and fewer than `depth` behind it, to lines of shared memory from `tile` on.
  // first, last: nobody else takes what lies before and behind.
  __device__ void expand(std::uint32_t tile, int low, int depth, bool first, bool last) {
    const int high = low + depth, group = lane() / 8, place = lane() % 8;
    int begins[kTurns], lengths[kTurns], at[kTurns], stop[kTurns], most = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int begin = begin_of(r), end = begin_of(r + 1);
      int from = begin, to = end;
      if (!first || !last) {
        const int step = step_of(end - begin);
        const int before = __popc(__ballot_sync(kAll, probe[r] < low));
        const int within = __popc(__ballot_sync(kAll, probe[r] < high));
        if (!first) from = begin + max(before - 1, 0) * step;
        if (!last) to = min(end, begin + within * step + 1);
      }
      most = max(most, to - (from & ~3));
      if (r % 4 == group)
        begins[r / 4] = begin, lengths[r / 4] = end - begin, at[r / 4] = (from & ~3) + 4 * place, stop[r / 4] = to;
    }
    std::uint32_t line[kTurns];
    int carry[kTurns];  // the column before; positions before a quad's first count as before every column
    bool untrusted[kTurns];
#pragma unroll
    for (int h = 0; h < kTurns; ++h) {
      const int row = (static_cast<int>(threadIdx.x) / 32 * kRows + h * 4 + group) % 8;
      line[h] = tile + (h * 4 + group) * 128 + row * 16;
      carry[h] = INT_MIN;
      untrusted[h] = false;
    }
    constexpr int kAhead = Config::kProduct == 128 ? 1 : 2;
    for (int done = 0; done < most; done += 32 * kAhead) {
      Quad quads[kAhead][kTurns];
#pragma unroll
      for (int i = 0; i < kAhead; ++i)
#pragma unroll
        for (int h = 0; h < kTurns; ++h) quads[i][h] = load(at[h] + 32 * i, stop[h]);
#pragma unroll
      for (int i = 0; i < kAhead; ++i)
#pragma unroll
        for (int h = 0; h < kTurns; ++h) {
          const int p = at[h] + 32 * i;
          const Quad& q = quads[i][h];
          const int column[4] = {q.column.x, q.column.y, q.column.z, q.column.w};
          // Of the row, and not after the last that is this block's to look at, whose quad is.
          bool mine[4];
#pragma unroll
          for (int e = 0; e < 4; ++e)
            mine[e] = p < stop[h] && static_cast<unsigned>(p + e - begins[h]) < static_cast<unsigned>(lengths[h]);
          int before = __shfl_up_sync(kAll, column[3], 1, 8);
          if (place == 0) before = carry[h];
          if (p <= begins[h]) before = INT_MIN;
          carry[h] = __shfl_sync(kAll, column[3], 7, 8);
          untrusted[h] |= mine[0] && before >= column[0];
#pragma unroll
          for (int e = 0; e < 3; ++e) untrusted[h] |= mine[e] && mine[e + 1] && column[e] >= column[e + 1];
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const unsigned k = static_cast<unsigned>(column[e]) - static_cast<unsigned>(low);
            // Of neighbours at one place the first alone is written, so that lanes do not race.
            const bool is_first =
                e > 0 ? !mine[e > 0 ? e - 1 : 0] || column[e > 0 ? e - 1 : 0] < column[e] : before < column[0];
            if (mine[e] && is_first && k < static_cast<unsigned>(depth)) untrusted[h] |= put(line[h], k, q.value.at[e]);
          }
        }
#pragma unroll
      for (int h = 0; h < kTurns; ++h) at[h] += 32 * kAhead;
    }
    __syncwarp();
#pragma unroll
    for (int h = 0; h < kTurns; ++h) {
      const unsigned lanes = __ballot_sync(kAll, untrusted[h]);
      if (place == 0 && ((lanes >> 8 * group & 0xff) != 0 || (bad >> (h * 4 + group) & 1) != 0))
        store_shared(line[h], 0x7fff7fff);  // NaN in all these types, before the swizzle: columns 0 and 1
    }
  }
};

// Zeros to the lines of a warp.
template <class Config>
__device__ void clear_lines(std::uint32_t lines, int chunks) {
  const std::uint32_t to = lines + threadIdx.x % 32 * 16;
#pragma unroll 4
  for (int c = 0; c < chunks; ++c)
#pragma unroll
    for (int part = 0; part < Config::kChunkA; part += Config::kLoBytes)
#pragma unroll
      for (int i = 0; i < Config::kRowsPerWarp * 128; i += 512)
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(to + c * Config::kChunkA + part + i), "r"(0)
                     : "memory");
}

}  // namespace spk::cuda
