// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_tile_expand.cuh"

// C = A B on tensor cores since SM 8.0: mma.sync with expanded tiles of A and copied tiles of B in shared memory.
//
// A block of 8 warps makes kRows x kCols of C; a warp makes kRows / 2 x kCols / 4 of them. Chunks of 128 bytes along k
// pass through kStages stages: every warp expands kRows / 8 rows of A, asynchronous copies of 16 bytes bring B, two
// chunks ahead. In both tiles lines of 128 bytes are swizzled: bytes 16 s .. 16 s + 15 of line r lie at 16 (s ^ r % 8).
// f32 operands are split when A is expanded and when B is read. What is done about B's infinities, repeated columns and
// the accuracy of split products: see spmm_dense_tile_sm90.cuh; it is the same.
namespace spk::cuda {

template <class ValueT, class OutT, TileMath kMathT, int kRowsT, int kColsT, int kStagesT, bool kTurnedT>
struct MmaTileConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr TileMath kMath = kMathT;
  static constexpr int kRows = kRowsT, kCols = kColsT, kStages = kStagesT;
  static constexpr bool kTurned = kTurnedT;  // B row-major
  static constexpr int kLine = 128 / sizeof(Value), kDepth = kLine;
  static constexpr int kExpanders = 8;  // all warps
  static constexpr int kThreads = 256;
  static constexpr bool kSplit = kMath == TileMath::split_tf32;
  static constexpr int kTileBytes = kRows * 128, kLoBytes = kTileBytes;  // from hi to lo
  static constexpr int kBytesA = kSplit ? 2 * kTileBytes : kTileBytes;
  static constexpr int kStageBytes = kBytesA + kCols * 128;
  static constexpr int kSumBytes = 4 * (kRows + 4) * (kCols + 4);
  // With split products a thread of a middle tile has 64 sums, too many for two blocks.
  static constexpr int kBlocksPerSm = kSplit && kRows > 32 ? 1 : 2;
  static constexpr int kTilesM = kRows / 32, kTilesN = kCols / 32;  // of 16 x 8, per warp
  static_assert(kRows % 32 == 0 && kCols % 64 == 0, "two by four warps of 16 x 16");
};

// Dynamic shared memory: stages, and slots of expanding warps; the sums on their way to C take their place.
template <class Config>
constexpr int mma_shared_bytes() {
  const int used = Config::kStages * Config::kStageBytes + Config::kExpanders * TileExpander<Config>::kSlotBytes;
  return 128 + (used > Config::kSumBytes ? used : Config::kSumBytes);
}

__device__ inline void load_matrices(std::uint32_t (&d)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(address)
               : "memory");
}
__device__ inline void load_matrices_turned(std::uint32_t (&d)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(address)
               : "memory");
}

template <class Value>
__device__ void multiply_tile(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#define SPK_MMA(shape)                                                                                      \
  asm volatile("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                             \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  if constexpr (std::is_same_v<Value, __half>)
    SPK_MMA("m16n8k16.row.col.f32.f16.f16.f32");
  else if constexpr (std::is_same_v<Value, __nv_bfloat16>)
    SPK_MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
  else
    SPK_MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
#undef SPK_MMA
}

// Starts the copy of one chunk of B. Lines of 128 bytes hold columns of one k in panels (row-major B), or k's of one
// column; what lies outside of B becomes zero.
template <class Config>
__device__ void start_copy_of_b(const TileArgs<typename Config::Value, typename Config::Out>& tile, std::int64_t batch,
                                std::int64_t first_col, int chunk, std::uint32_t to) {
  const auto& args = tile.spmm;
  constexpr int kPiece = 16 / sizeof(typename Config::Value);
  const std::int64_t first_k = static_cast<std::int64_t>(chunk) * Config::kDepth;
  const auto* b = args.b.values + batch * args.b.batch_stride;
#pragma unroll 1
  for (int i = threadIdx.x; i < Config::kCols * 8; i += Config::kThreads) {
    const int line = i / 8, piece = i % 8;
    std::int64_t k = first_k, j = first_col;
    if constexpr (Config::kTurned) {
      k += line % Config::kDepth;
      j += line / Config::kDepth * Config::kDepth + piece * kPiece;
    } else {
      k += piece * kPiece;
      j += line;
    }
    const std::int64_t left = Config::kTurned ? args.n - j : args.k - k;
    const bool inside = left > 0 && (Config::kTurned ? k < args.k : j < args.n);
    const auto* from = inside ? b + k * args.b.row_stride + j * args.b.col_stride : b;
    const std::uint32_t there = to + line * 128 + (piece ^ line % 8) * 16;
    if (inside && left < kPiece)
      copy_few<kPiece>(there, from, static_cast<int>(left));
    else
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(__cvta_generic_to_global(from)),
                   "r"(inside ? 16 : 0)
                   : "memory");
  }
}

// Column within a warp's kCols / 4 of product tile `t`, place `g`. Reading row-major f32 B, this order keeps the 32
// lanes of a load on 32 banks.
template <class Config>
__device__ int mma_column(int warp_n, int t, int g) {
  if constexpr (Config::kMath != TileMath::sixteen_bit && Config::kTurned) {
    const int tile = warp_n * Config::kTilesN + t;  // of the block
    return tile / 4 * 32 + g % 4 + 16 * (g / 4) + 4 * (tile % 4);
  } else {
    return (warp_n * Config::kTilesN + t) * 8 + g;
  }
}

template <class Config>
struct MmaSums {
  float main[Config::kTilesM][Config::kTilesN][4];
  // Of split products the two small ones, which would be cut off at the size of the sum.
  float rest[Config::kSplit ? Config::kTilesM : 1][Config::kSplit ? Config::kTilesN : 1][4];
  std::uint32_t smallest[Config::kTilesN];  // of this lane's column of each tile
};

// One step of 32 bytes along k.
template <class Config>
__device__ void multiply_step(MmaSums<Config>& sums, std::uint32_t tile_a, int step) {
  using Value = typename Config::Value;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_m = warp / 4, warp_n = warp % 4;
  const std::uint32_t tile_b = tile_a + Config::kBytesA;
  std::uint32_t a[Config::kTilesM][4], a_lo[Config::kSplit ? Config::kTilesM : 1][4];
#pragma unroll
  for (int i = 0; i < Config::kTilesM; ++i) {
    const int row = (warp_m * Config::kTilesM + i) * 16 + lane % 16;
    const std::uint32_t at = tile_a + row * 128 + ((2 * step + lane / 16) ^ row % 8) * 16;
    load_matrices(a[i], at);
    if constexpr (Config::kSplit) load_matrices(a_lo[i], at + Config::kTileBytes);
  }
  if constexpr (Config::kMath == TileMath::sixteen_bit) {
#pragma unroll
    for (int t = 0; t < Config::kTilesN; t += 2) {
      const int first = (warp_n * Config::kTilesN + t) * 8;  // column of the block
      std::uint32_t four[4];
      if constexpr (Config::kTurned) {
        const int k = step * 16 + lane % 16, c = first + lane / 16 * 8;
        load_matrices_turned(four, tile_b + c / 64 * 8192 + k * 128 + ((c % 64 / 8) ^ k % 8) * 16);
      } else {
        const int c = first + lane / 16 * 8 + lane % 8;
        load_matrices(four, tile_b + c * 128 + ((2 * step + lane / 8 % 2) ^ c % 8) * 16);
      }
      const std::uint32_t b[2][2] = {{four[0], four[1]}, {four[2], four[3]}};
#pragma unroll
      for (int i = 0; i < Config::kTilesM; ++i) {
        multiply_tile<Value>(sums.main[i][t], a[i], b[0]);
        multiply_tile<Value>(sums.main[i][t + 1], a[i], b[1]);
      }
    }
  } else {
#pragma unroll
    for (int t = 0; t < Config::kTilesN; ++t) {
      const int c = mma_column<Config>(warp_n, t, lane / 4);
      std::uint32_t hi[2], lo[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int k = 8 * step + lane % 4 + 4 * i;
        const int at = Config::kTurned ? c / 32 * 4096 + k * 128 + ((c / 4 % 8) ^ (k % 8)) * 16 + c % 4 * 4
                                       : c * 128 + ((k / 4) ^ (c % 8)) * 16 + k % 4 * 4;
        const std::uint32_t bits = load_shared(tile_b + static_cast<std::uint32_t>(at));
        split_b<Config>(bits, hi[i], lo[i], sums.smallest[t]);
      }
#pragma unroll
      for (int i = 0; i < Config::kTilesM; ++i) {
        multiply_tile<Value>(sums.main[i][t], a[i], hi);
        if constexpr (Config::kSplit) {
          multiply_tile<Value>(sums.rest[i][t], a[i], lo);
          multiply_tile<Value>(sums.rest[i][t], a_lo[i], hi);
        }
      }
    }
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    spmm_mma_tile(const __grid_constant__ TileArgs<typename Config::Value, typename Config::Out> tile) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ unsigned char dynamic[];
  __shared__ TileLines<Config> lines;
  const auto& args = tile.spmm;
  const Scaling<float> scaling = scaling_of(args);
  std::int64_t at = blockIdx.x;
  const std::int64_t col = at % tile.tiles_n * Config::kCols;
  at /= tile.tiles_n;
  const std::int64_t row = at % tile.tiles_m * Config::kRows, batch = at / tile.tiles_m;
  const bool active = !args.skips_product && !scaling.alpha_is_zero;
  const int chunks = active ? static_cast<int>((args.k + Config::kDepth - 1) / Config::kDepth) : 0;
  const std::uint32_t begin = static_cast<std::uint32_t>(__cvta_generic_to_shared(dynamic));
  const std::uint32_t stages = (begin + 127) & ~127u;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_m = warp / 4, warp_n = warp % 4;

  lines.read(tile, batch, row, active, static_cast<int>(threadIdx.x), Config::kThreads);
  __syncthreads();
  MmaSums<Config> sums{};
#pragma unroll
  for (int t = 0; t < Config::kTilesN; ++t) sums.smallest[t] = ~0u;
  TileExpander<Config> expander;
  auto fetch = [&](int chunk) {
    if (chunk < chunks)
      start_copy_of_b<Config>(tile, batch, col, chunk,
                              stages + chunk % Config::kStages * Config::kStageBytes + Config::kBytesA);
    commit_copies();  // an empty group where there is nothing to copy
  };
  auto expand = [&](int chunk) {
    const bool last = chunk + 1 == chunks;
    expander.expand(stages + chunk % Config::kStages * Config::kStageBytes, chunk * Config::kDepth + args.base, last);
    if (last) expander.tell([&](int r) { lines.again_row[r] = 1; });
  };
#pragma unroll
  for (int c = 0; c + 1 < Config::kStages; ++c) fetch(c);
  if (chunks > 0) {
    expander.start(tile, batch, lines, warp * TileExpander<Config>::kRowsPerWarp,
                   stages + Config::kStages * Config::kStageBytes + warp * TileExpander<Config>::kSlotBytes);
    expand(0);
  }
  for (int chunk = 0; chunk < chunks; ++chunk) {
    wait_for_copies<Config::kStages - 2>();
    __syncthreads();  // the chunk is there for all, and the stage before it is free
    fetch(chunk + Config::kStages - 1);
    if (chunk + 1 < chunks) expand(chunk + 1);
    __syncwarp();
    const std::uint32_t tile_a = stages + chunk % Config::kStages * Config::kStageBytes;
#pragma unroll
    for (int step = 0; step < 4; ++step) multiply_step(sums, tile_a, step);
  }
  wait_for_copies<0>();
  if constexpr (Config::kSplit)
#pragma unroll
    for (int t = 0; t < Config::kTilesN; ++t)
      if (sums.smallest[t] < kSmallness) lines.again_col[mma_column<Config>(warp_n, t, lane / 4)] = 1;
  __syncthreads();

  float* staged = reinterpret_cast<float*>(dynamic + (stages - begin));
  const StagedSteps<Config> steps(args.c.col_stride == 1);
#pragma unroll
  for (int i = 0; i < Config::kTilesM; ++i)
#pragma unroll
    for (int t = 0; t < Config::kTilesN; ++t)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float sum = sums.main[i][t][e];
        if constexpr (Config::kSplit) sum += sums.rest[i][t][e];
        const int r = (warp_m * Config::kTilesM + i) * 16 + lane / 4 + e / 2 * 8;
        staged[r * steps.row + mma_column<Config>(warp_n, t, lane % 4 * 2 + e % 2) * steps.col] = sum;
      }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  if (make_rows_again<Config, Config::kThreads>(tile, lines, batch, col, staged, thread, kAllLines)) __syncthreads();
  finish_staged<Config, Config::kThreads>(tile, scaling, lines, batch, row, col, active, staged, thread, kAllLines);
#endif
}

}  // namespace spk::cuda
