// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <climits>

#include "cuda/kernels/spmm_args.cuh"
#include "cuda/spmm_dense_tile.hpp"

// SpMM on tensor cores: tiles of A are expanded to dense ones in shared memory. What all these kernels share.
namespace spk::cuda {

// Below this many entries in a row the error of split products (8 u |a b| each in the worst case, u = 2^-24) could
// reach the allowed (nnz_row + 2) u sum |a b|; such rows are summed without tensor cores, unless they are empty.
inline constexpr int kShortRow = 12;
// Nonzero operands of split products smaller than this lose bits of lo in the subnormal range.
inline constexpr std::uint32_t kSmallBits = (127u - 60u) << 23;
// Smaller than twice kSmallBits - 1 exactly for the bits of such values; zeros become the largest number.
__device__ inline std::uint32_t smallness(std::uint32_t bits) { return (bits << 1) - 1; }
inline constexpr std::uint32_t kSmallness = (kSmallBits << 1) - 1;

__device__ inline std::uint32_t round_to_tf32(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
#else
  return (__float_as_uint(x) + 0x1000) & 0xffffe000;  // compiled, never run: older chips have no tf32
#endif
}

// A dense copy of op(A) that was made from its columns, in elements. Zeros that are stored are -0; NaN stands for repeated
// entries, too, which have to be looked up in the columns.
template <class Value>
struct ColumnsCopy {
  const Value* values;  // NULL: op(A) is there by rows
  std::int64_t ld, matrix;
};

// What such a kernel gets: indices are i32, offsets either, positions fit 31 bits.
template <class Value, class Out>
struct TileArgs {
  SpmmArgs<Value, Out> spmm;
  ColumnsCopy<Value> copy;
  bool wide_offsets;
  bool vector_c;  // 16-byte stores to C are aligned
  bool b_batch;   // B has a matrix per matrix of the batch
  std::int64_t tiles_m, tiles_n;
};

template <class Value, class Out>
TileArgs<Value, Out> tile_args(const SpmmCall& call, int rows, int cols) {
  const SpmmProblem& p = call.p;
  const DenseView& c = p.c;
  const auto aligned = [](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(sizeof(Out)) % 16 == 0;
  };
  TileArgs<Value, Out> tile{};
  tile.spmm = spmm_args<Value, Out>(call);
  tile.wide_offsets = call.rows.offset_type == IndexType::i64;
  tile.vector_c = reinterpret_cast<std::uintptr_t>(c.values) % 16 == 0 && aligned(c.ld) &&
                  (c.batch_count == 1 || aligned(c.batch_stride));
  tile.b_batch = p.b.batch_count > 1 && p.b.batch_stride != 0;
  tile.tiles_m = (p.m + rows - 1) / rows;
  tile.tiles_n = (p.n + cols - 1) / cols;
  return tile;
}

// Position of the first entry of row i, or of column i where op(A) is there by columns.
template <class Value, class Out>
__device__ int row_start(const TileArgs<Value, Out>& tile, std::int64_t batch, std::int64_t i) {
  const std::int64_t at = batch * tile.spmm.offsets_stride + i;
  const std::int64_t offset = tile.wide_offsets ? static_cast<const std::int64_t*>(tile.spmm.offsets)[at]
                                                : static_cast<const std::int32_t*>(tile.spmm.offsets)[at];
  return static_cast<int>(offset - tile.spmm.base);
}

// The sum over the entries [begin, end) times column j of B, in storage order: what an element of C is where the
// tensor cores' answer cannot be trusted. The loads of kAhead entries are under way together.
template <int kAhead = 4, class Value, class Out>
__device__ float sum_exactly(const TileArgs<Value, Out>& tile, std::int64_t batch, int begin, int end, std::int64_t j) {
  const auto& args = tile.spmm;
  const int* columns = static_cast<const int*>(args.indices) + batch * args.indices_stride;
  const Value* values = args.values + batch * args.values_stride;
  const Value* b = args.b.values + batch * args.b.batch_stride + j * args.b.col_stride;
  float sum = 0;
  for (int p = begin; p < end; p += kAhead) {
    float a[kAhead], x[kAhead];
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      const bool inside = p + u < end;
      a[u] = inside ? to_sum(values[p + u]) : 0.0f;
      x[u] = inside ? to_sum(b[(columns[p + u] - args.base) * args.b.row_stride]) : 0.0f;
    }
#pragma unroll
    for (int u = 0; u < kAhead; ++u)
      if (p + u < end) sum = fmaf(a[u], x[u], sum);
  }
  return sum;
}

// The same for row i from the copy and the columns that it was made from.
template <class Value, class Out>
__device__ float sum_by_columns(const TileArgs<Value, Out>& tile, std::int64_t batch, std::int64_t i, std::int64_t j) {
  const auto& args = tile.spmm;
  const Value* copy = tile.copy.values + batch * tile.copy.matrix + i * tile.copy.ld;
  const int* rows = static_cast<const int*>(args.indices) + batch * args.indices_stride;
  const Value* values = args.values + batch * args.values_stride;
  const Value* b = args.b.values + batch * args.b.batch_stride + j * args.b.col_stride;
  float sum = 0;
  for (std::int64_t p = 0; p < args.k; ++p) {
    const float a = to_sum(copy[p]);
    if (__float_as_uint(a) == 0) continue;  // not stored
    const float x = to_sum(b[p * args.b.row_stride]);
    if (!isnan(a)) {
      sum = fmaf(a, x, sum);
      continue;
    }
    const int end = row_start(tile, batch, p + 1);
    for (int t = row_start(tile, batch, p); t < end; ++t)
      if (rows[t] - args.base == i) sum = fmaf(to_sum(values[t]), x, sum);
  }
  return sum;
}

__device__ inline std::uint32_t load_shared(std::uint32_t address) {
  std::uint32_t bits;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(bits) : "r"(address) : "memory");
  return bits;
}

// An f32 operand as tf32 numbers hi and, with split products, lo; `smallest` keeps the least smallness.
template <class Config>
__device__ void split_b(std::uint32_t bits, std::uint32_t& hi, std::uint32_t& lo, std::uint32_t& smallest) {
  if constexpr (Config::kSplit) {
    // Rounds halves up; a NaN may lose itself here, not in lo.
    hi = (bits + 0x1000) & 0xffffe000;
    lo = __float_as_uint(__uint_as_float(bits) - __uint_as_float(hi));
    smallest = min(smallest, smallness(bits));
  } else {
    hi = round_to_tf32(__uint_as_float(bits));
  }
}

// `count` items to shared memory, and zeros up to kCount: what an asynchronous copy of whole packs would reach beyond.
template <int kCount, class Item>
__device__ void copy_few(std::uint32_t to, const Item* from, int count) {
#pragma unroll 1
  for (int i = 0; i < kCount; ++i) {
    if constexpr (sizeof(Item) == 2)
      asm volatile("st.shared.u16 [%0], %1;" ::"r"(to + 2 * i),
                   "h"(i < count ? reinterpret_cast<const unsigned short*>(from)[i] : static_cast<unsigned short>(0))
                   : "memory");
    else
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + 4 * i),
                   "r"(i < count ? reinterpret_cast<const std::uint32_t*>(from)[i] : 0u)
                   : "memory");
  }
}

// What a block knows of its rows and columns.
template <class Config>
struct TileLines {
  int begin[Config::kRows], end[Config::kRows];                                 // positions of entries
  alignas(4) unsigned char again_row[Config::kRows], again_col[Config::kCols];  // 1: to be made by sum_exactly
  int limit;                                                                    // end of the arrays

  // By `threads` threads, of which this is number `thread`.
  template <class Tile>
  __device__ void read(const Tile& tile, std::int64_t batch, std::int64_t row, bool active, int thread, int threads) {
    for (int i = thread; i < Config::kRows; i += threads) {
      const bool inside = active && row + i < tile.spmm.m;
      if (tile.copy.values != nullptr) {
        begin[i] = end[i] = again_row[i] = 0;
        continue;
      }
      begin[i] = inside ? row_start(tile, batch, row + i) : 0;
      end[i] = inside ? row_start(tile, batch, row + i + 1) : 0;
      again_row[i] = Config::kSplit && end[i] != begin[i] && end[i] - begin[i] < kShortRow;
    }
    for (int i = thread; i < Config::kCols; i += threads) again_col[i] = 0;
    if (thread == 0 && tile.copy.values == nullptr) limit = active ? row_start(tile, batch, tile.spmm.m) : 0;
  }
};

// Sums on their way to C, as floats in shared memory: the contiguous index of C is contiguous there, too; 4 floats more
// per line keep most accesses off each other's banks.
template <class Config>
struct StagedSteps {
  int row, col;
  __device__ explicit StagedSteps(bool along_cols)
      : row(along_cols ? Config::kCols + 4 : 1), col(along_cols ? 1 : Config::kRows + 4) {}
};

// Lines of a tile: [begin, end).
struct LineRange {
  int begin, end;
};
inline constexpr LineRange kAllLines{0, INT_MAX};

// Makes the marked rows of staged sums again, as far as they are in `range`: 32 columns to a warp. False: there were none; else
// the group has to wait for its threads. kThreads of them, all of which call this.
template <class Config, int kThreads>
__device__ bool make_rows_again(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                                const TileLines<Config>& lines, std::int64_t batch, std::int64_t col, float* staged,
                                int thread, LineRange range) {
  constexpr int kWords = Config::kRows / 4, kParts = Config::kCols / 32, kWarps = kThreads / 32;
  static_assert(kWords <= 32 && Config::kCols % 32 == 0);
  const int lane = thread % 32, warp = thread / 32;
  const std::uint32_t marks = lane < kWords ? reinterpret_cast<const std::uint32_t*>(lines.again_row)[lane] : 0;
  std::uint32_t words = __ballot_sync(0xffffffffu, marks != 0);
  if (words == 0) return false;
  const bool along_cols = tile.spmm.c.col_stride == 1;
  const StagedSteps<Config> steps(along_cols);
  for (int unit = 0; words != 0; words &= words - 1) {
    const int word = __ffs(static_cast<int>(words)) - 1;
    for (std::uint32_t four = __shfl_sync(0xffffffffu, marks, word); four != 0; four &= four - 1) {
      const int r = word * 4 + (__ffs(static_cast<int>(four)) - 1) / 8;
      for (int part = 0; part < kParts; ++part, ++unit) {
        const int j = part * 32 + lane, line = along_cols ? r : j;
        if (unit % kWarps == warp && line >= range.begin && line < range.end && col + j < tile.spmm.n)
          staged[r * steps.row + j * steps.col] =
              sum_exactly<kShortRow>(tile, batch, lines.begin[r], lines.end[r], col + j);
      }
    }
  }
  return true;
}

// From staged sums to C, by kThreads threads of a block, 16 bytes of C per thread and line. kAlongCols: lines are rows,
// as the columns of C are contiguous. The tile's first element of C is (row, col).
template <class Config, int kThreads, bool kAlongCols>
__device__ void finish_lines(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                             const Scaling<float>& scaling, const TileLines<Config>& lines, std::int64_t batch,
                             std::int64_t row, std::int64_t col, bool active, float* staged, int thread,
                             LineRange range) {
  using Out = typename Config::Out;
  constexpr int kLine = kAlongCols ? Config::kCols : Config::kRows, kLines = kAlongCols ? Config::kRows : Config::kCols;
  constexpr int kVector = 16 / sizeof(Out), kPerLine = kLine / kVector, kAtOnce = kThreads / kPerLine;
  constexpr int kBatch = kLines / kAtOnce < 4 ? kLines / kAtOnce : 4;  // lines whose loads are under way together
  static_assert(kThreads % kPerLine == 0 && kLines % (kAtOnce * kBatch) == 0,
                "every thread keeps its place in the line");
  const auto& args = tile.spmm;
  const bool plain = scaling.beta_is_zero && args.is_plain;
  const int minor = thread % kPerLine * kVector;
  const std::int64_t minor_left = (kAlongCols ? args.n - col : args.m - row) - minor;
  const std::int64_t lines_left = kAlongCols ? args.m - row : args.n - col;
  const int lines_end = static_cast<int>(min(lines_left, static_cast<std::int64_t>(min(range.end, kLines))));
  if (minor_left <= 0) return;
  const int count = static_cast<int>(min(minor_left, static_cast<std::int64_t>(kVector)));
  bool marked = false;
  if constexpr (kAlongCols)
#pragma unroll
    for (int e = 0; e < kVector; e += 4)
      marked |= *reinterpret_cast<const std::uint32_t*>(lines.again_col + minor + e) != 0;
  Out* const c =
      args.c.values + batch * args.c.batch_stride + row * args.c.row_stride + col * args.c.col_stride + minor;
  const std::int64_t line_stride = kAlongCols ? args.c.row_stride : args.c.col_stride;
  const bool whole = tile.vector_c && count == kVector;

#pragma unroll 1
  for (int first = range.begin + thread / kPerLine; first < lines_end; first += kAtOnce * kBatch) {
    float x[kBatch][kVector];
#pragma unroll
    for (int b = 0; b < kBatch; ++b)
#pragma unroll
      for (int e = 0; e < kVector; e += 4) {
        // Behind the end, the thread's first line again: no other thread writes there.
        const int line = first + b * kAtOnce < lines_end ? first + b * kAtOnce : first;
        const float4 four = *reinterpret_cast<const float4*>(staged + line * (kLine + 4) + minor + e);
        x[b][e] = four.x, x[b][e + 1] = four.y, x[b][e + 2] = four.z, x[b][e + 3] = four.w;
      }
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int line = first + b * kAtOnce;
      if (line >= lines_end) break;
      float* from = staged + line * (kLine + 4) + minor;
      Out* to = c + line * line_stride;
      float zero = 0;  // NaN where a sum is not finite
#pragma unroll
      for (int e = 0; e < kVector; ++e) zero = fmaf(x[b][e], 0.0f, zero);
      const bool again = active && (marked || (!kAlongCols && lines.again_col[line] != 0) || !(zero == 0));
      if (again || !plain) {
        // By way of the staged sums, so that this code is there once. Out to float and back is exact.
#pragma unroll 1
        for (int e = 0; e < count; ++e) {
          const int r = kAlongCols ? line : minor + e, j = kAlongCols ? minor + e : line;
          float sum = from[e];
          if (again && (!isfinite(sum) || lines.again_col[j] != 0))
            sum = tile.copy.values != nullptr ? sum_by_columns(tile, batch, row + r, col + j)
                                              : sum_exactly(tile, batch, lines.begin[r], lines.end[r], col + j);
          from[e] = plain ? sum : to_sum(finish(args, scaling, batch, row + r, col + j, sum, to + e));
        }
#pragma unroll
        for (int e = 0; e < kVector; ++e) x[b][e] = from[e];
      }
      alignas(16) Out out[kVector];
#pragma unroll
      for (int e = 0; e < kVector; ++e)
        out[e] = FromSum<Out>::of(plain ? (active ? scaling.alpha * x[b][e] : 0.0f) : x[b][e]);
      if (whole) {
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(out);
      } else {
#pragma unroll
        for (int e = 0; e < kVector; ++e)
          if (e < count) to[e] = out[e];
      }
    }
  }
}

template <class Config, int kThreads>
__device__ void finish_staged(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                              const Scaling<float>& scaling, const TileLines<Config>& lines, std::int64_t batch,
                              std::int64_t row, std::int64_t col, bool active, float* staged, int thread,
                              LineRange range) {
  if (tile.spmm.c.col_stride == 1)
    finish_lines<Config, kThreads, true>(tile, scaling, lines, batch, row, col, active, staged, thread, range);
  else
    finish_lines<Config, kThreads, false>(tile, scaling, lines, batch, row, col, active, staged, thread, range);
}

}  // namespace spk::cuda
