// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_tile.cuh"

// From the entries of rows of A to dense tiles in shared memory.
namespace spk::cuda {

// Four entries of a row whose positions begin at a multiple of four: columns as stored (with the index base), and
// values. Places outside of the row hold columns that no chunk contains.
template <class Value>
struct Quad {
  int column[4];
  int following;  // the column behind
  alignas(4 * sizeof(Value)) Value value[4];
};

// Copies kBytes asynchronously to shared memory.
template <int kBytes>
__device__ void start_copy(std::uint32_t to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(__cvta_generic_to_global(from)), "n"(kBytes)
               : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// One row's entries as one lane of kLanes sees them: every kLanes-th quad. kAhead quads are on their way to slots of
// shared memory that are the lane's own: registers could not wait for them, as a load of one lane holds up all that
// read the register.
template <class Value, int kLanes>
struct RowReader {
  static constexpr int kAhead = 4;
  static constexpr int kValueBytes = 4 * sizeof(Value);
  // Of a warp: columns, values, the column behind.
  static constexpr int kBytes = kAhead * 32 * (16 + kValueBytes + 4);

  int position, begin, end;
  int turn;       // slot of `position`
  bool unsorted;  // columns do not increase strictly

  __device__ void start(int row_begin, int row_end, int lane) {
    begin = row_begin;
    end = row_end;
    position = (row_begin & ~3) + 4 * lane;
    turn = 0;
    unsorted = false;
  }

  // Asks for the quad `ahead` turns from now. limit: end of the arrays, below 2^31 - 256.
  __device__ void ask(const int* columns, const Value* values, int limit, std::uint32_t slots, int ahead) {
    const int p = position + ahead * 4 * kLanes;
    if (p < end) {
      const std::uint32_t at = (turn + ahead) % kAhead * 512 + threadIdx.x % 32 * 16;
      if (limit - p >= 4) {
        start_copy<16>(slots + at, columns + p);
        start_copy<kValueBytes>(value_slot(slots, at), values + p);
      } else {
        copy_few<4>(slots + at, columns + p, limit - p);
        copy_few<4>(value_slot(slots, at), values + p, limit - p);
      }
      if (p + 4 < end) start_copy<4>(behind_slot(slots, at), columns + p + 4);
    }
  }
  // Columns, values and columns behind lie in planes of their own; `at` is this lane's place in that of the columns.
  static __device__ std::uint32_t value_slot(std::uint32_t slots, std::uint32_t at) {
    return slots + kAhead * 512 + at / (16 / kValueBytes);
  }
  static __device__ std::uint32_t behind_slot(std::uint32_t slots, std::uint32_t at) {
    return slots + kAhead * (512 + 32 * kValueBytes) + at / 4;
  }

  // The next quad, which must have arrived; its slot is used again.
  __device__ Quad<Value> next(const int* columns, const Value* values, int limit, std::uint32_t slots) {
    Quad<Value> q;
    const std::uint32_t at = turn * 512 + threadIdx.x % 32 * 16;
    int following;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(q.column[0]), "=r"(q.column[1]), "=r"(q.column[2]), "=r"(q.column[3])
                 : "r"(slots + at)
                 : "memory");
    auto* raw = reinterpret_cast<std::uint32_t*>(q.value);
    if constexpr (sizeof(Value) == 2)
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                   : "=r"(raw[0]), "=r"(raw[1])
                   : "r"(value_slot(slots, at))
                   : "memory");
    else
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(raw[0]), "=r"(raw[1]), "=r"(raw[2]), "=r"(raw[3])
                   : "r"(value_slot(slots, at))
                   : "memory");
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(following) : "r"(behind_slot(slots, at)) : "memory");
    const int p = position;
    if (p < begin || p + 4 >= end) {
      if (p + 4 >= end) following = INT_MAX;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (p + e < begin) q.column[e] = e - 8;  // before every chunk
        if (p + e >= end) q.column[e] = INT_MAX - 4 + e;
      }
    }
    q.following = following;
    unsorted |= q.column[0] >= q.column[1] || q.column[1] >= q.column[2] || q.column[2] >= q.column[3] ||
                q.column[3] >= following;
    if (p < end) {  // else stay: no overflow at the end of huge arrays
      ask(columns, values, limit, slots, kAhead);
      position = p + 4 * kLanes;
      turn = (turn + 1) % kAhead;
    }
    return q;
  }
};

// Entries of a quad that lie in the chunk [start, start + kDepth). The chunk's kParts tiles hold lines of 128 bytes per
// row; `row` is the shared address of the first with the swizzle's bits set: bytes 16 s .. 16 s + 15 of line r lie at
// 16 (s ^ r % 8).
template <class Config>
__device__ bool scatter(const Quad<typename Config::Value>& q, int start, std::uint32_t row) {
  bool small = false;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const unsigned at = static_cast<unsigned>(q.column[e] - start);
    // Of neighbours at one place the last alone is written, so that lanes do not race; the row is made again anyway.
    const bool is_last = q.column[e] < (e < 3 ? q.column[e < 3 ? e + 1 : 3] : q.following);
    if (at < static_cast<unsigned>(Config::kDepth) && is_last) {
      const std::uint32_t to = (row ^ at % Config::kLine * static_cast<unsigned>(sizeof(q.value[e]))) +
                               at / Config::kLine * Config::kTileBytes;
      if constexpr (Config::kMath == TileMath::sixteen_bit) {
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(*reinterpret_cast<const unsigned short*>(&q.value[e]))
                     : "memory");
      } else {
        const std::uint32_t hi = round_to_tf32(q.value[e]);
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(hi) : "memory");
        if constexpr (Config::kSplit) {
          const float lo = q.value[e] - __uint_as_float(hi);
          asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + Config::kLoBytes), "r"(round_to_tf32(lo)) : "memory");
          small |= smallness(__float_as_uint(q.value[e])) < kSmallness;
        }
      }
    }
  }
  return small;
}

// Expands the rows of one warp, chunk after chunk.
template <class Config>
struct TileExpander {
  using Value = typename Config::Value;
  static constexpr int kRowsPerWarp = Config::kRows / Config::kExpanders;
  static constexpr int kRowsAtOnce = kRowsPerWarp < 8 ? kRowsPerWarp : 8;
  static constexpr int kLanes = 32 / kRowsAtOnce;  // per row
  static constexpr int kSteps = kRowsPerWarp / kRowsAtOnce;

  const int* columns;
  const Value* values;
  int limit, first_row;
  using Reader = RowReader<Value, kLanes>;
  static constexpr int kSlotBytes = kSteps * Reader::kBytes;  // of a warp

  std::uint32_t slots;  // shared address
  Reader reader[kSteps];
  Quad<Value> q[kSteps];
  bool again[kSteps];

  template <class Tile, class Lines>
  __device__ void start(const Tile& tile, std::int64_t batch, const Lines& lines, int first,
                        std::uint32_t slots_of_warp) {
    const int lane = threadIdx.x % 32;
    columns = static_cast<const int*>(tile.spmm.indices) + batch * tile.spmm.indices_stride;
    values = tile.spmm.values + batch * tile.spmm.values_stride;
    limit = lines.limit;
    first_row = first;
    slots = slots_of_warp;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      again[step] = false;
      const int row = row_of(step);
      reader[step].start(lines.begin[row], lines.end[row], lane % kLanes);
    }
#pragma unroll
    for (int i = 0; i < Reader::kAhead; ++i) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) reader[step].ask(columns, values, limit, slots_of(step), i);
      commit_copies();
    }
    wait_for_copies<Reader::kAhead - 1>();
#pragma unroll
    for (int step = 0; step < kSteps; ++step) q[step] = read(step);
    commit_copies();
  }
  __device__ std::uint32_t slots_of(int step) const { return slots + step * Reader::kBytes; }
  __device__ int row_of(int step) const { return first_row + threadIdx.x % 32 / kLanes + step * kRowsAtOnce; }
  __device__ Quad<Value> read(int step) { return reader[step].next(columns, values, limit, slots_of(step)); }
  __device__ void put(int step, int start, std::uint32_t tile_a) {
    const int row = row_of(step);
    again[step] |= scatter<Config>(q[step], start, tile_a + row * 128 + row % 8 * 16);
  }

  // The chunk that begins at stored column `start`, to the tile at shared address tile_a.
  __device__ void expand(std::uint32_t tile_a, int start, bool last) {
    __syncwarp();
    const std::uint32_t cleared = tile_a + first_row * 128 + threadIdx.x % 32 * 16;
#pragma unroll
    for (int part = 0; part < Config::kBytesA / Config::kTileBytes; ++part)
#pragma unroll
      for (int i = 0; i < kRowsPerWarp * 128; i += 512)
        if (kRowsPerWarp % 4 == 0 || threadIdx.x % 32 < kRowsPerWarp * 8)
          asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(cleared + part * Config::kTileBytes + i), "r"(0)
                       : "memory");
    __syncwarp();
    // The last chunk takes everything in, so that every column is looked at.
    const int stop = last ? INT_MAX - 4 : start + Config::kDepth;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) put(step, start, tile_a);
    // All lanes go round together, so that a quad was asked for at least kAhead rounds before it is read.
    while (true) {
      bool more = false;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) more |= q[step].column[3] < stop;
      if (!__any_sync(0xffffffffu, more)) break;
      wait_for_copies<Reader::kAhead - 1>();
#pragma unroll
      for (int step = 0; step < kSteps; ++step)
        if (q[step].column[3] < stop) {
          q[step] = read(step);
          put(step, start, tile_a);
        }
      commit_copies();
    }
  }
  // After the last chunk: calls mark(row) for rows that must not be trusted.
  template <class Mark>
  __device__ void tell(const Mark& mark) const {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
      if (again[step] || reader[step].unsorted) mark(row_of(step));
  }
};

}  // namespace spk::cuda
