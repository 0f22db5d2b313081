// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sm90_split.cuh"
#include "cuda/kernels/spmm_dense_tile_expand.cuh"

// C^T = B^T A^T on SM 9.0a: wgmma with 64 columns of B as its rows and kRows rows of A as its columns.
//
// A block makes kRows x kCols of C. Chunks of kParts x 128 bytes along k (64 or 32 columns of A each) pass through
// kStages stages of shared memory. Eight producer warps expand the chunk's entries of A: each owns kRows / 8 rows,
// clears them, and scatters the entries, which the rows' lanes read once, in quads, running on from chunk to chunk;
// tensor copies bring B. kGroups warpgroups multiply, each kTiles x 64 columns. For f32 they take B from shared memory
// into registers and split it there; A is split when it is expanded.
//
// Dense work on sparse storage: Flash-LLM (arXiv 2309.10285). Split products: Ootomo and Yokota (arXiv 2203.03341).
//
// The blocks of a cluster lie side by side along n: each expands kRows / kCluster rows and copies them to the others.
//
// What was not stored never meets B: a value of B that is not finite makes every sum of its column so, and sums that
// are not finite are made again from the stored entries alone (sum_exactly). The same happens to rows whose columns do
// not increase strictly, which covers repeated ones, and with split products to short rows and tiny operands.
namespace spk::cuda {

template <class ValueT, class OutT, TileMath kMathT, int kRowsT, int kGroupsT, int kTilesT, int kStagesT, int kPartsT,
          int kClusterT, bool kTurnedT>
struct TileConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr TileMath kMath = kMathT;
  static constexpr int kRows = kRowsT, kGroups = kGroupsT, kTiles = kTilesT, kStages = kStagesT, kParts = kPartsT;
  static constexpr int kCluster = kClusterT, kOwnRows = kRows / kCluster;  // rows that a block expands
  static constexpr bool kTurned = kTurnedT;                                // B row-major: its columns lie side by side
  static constexpr int kCols = 64 * kGroups * kTiles;
  static constexpr int kLine = 128 / sizeof(Value), kDepth = kParts * kLine;  // of a part, of a chunk
  static constexpr int kExpanders = 8;                                        // warps
  static constexpr int kConsumerThreads = 128 * kGroups;
  static constexpr int kThreads = kConsumerThreads + 32 * kExpanders;
  static constexpr bool kSplit = kMath == TileMath::split_tf32;
  static constexpr int kTileBytes = kRows * 128;
  static constexpr int kLoBytes = kParts * kTileBytes;  // from hi to lo
  static constexpr int kBytesA = kSplit ? 2 * kLoBytes : kLoBytes;
  static constexpr int kPartB = kCols * 128, kBytesB = kParts * kPartB;
  static constexpr int kStageBytes = kBytesA + kBytesB;
  static constexpr int kSumBytes = 4 * (kRows + 4) * (kCols + 4);
  static_assert(kRows % 32 == 0 && kRows <= 128, "one warp clears whole 512 bytes; one barrier set per tile");
  static_assert(kMath == TileMath::sixteen_bit || kTiles == 1, "fragments of B are for one tile");
};

// Dynamic shared memory: stages, and slots of expanding warps; the sums on their way to C take their place.
template <class Config>
constexpr int tile_shared_bytes() {
  const int used = Config::kStages * Config::kStageBytes + Config::kExpanders * TileExpander<Config>::kSlotBytes;
  return 1024 + (used > Config::kSumBytes ? used : Config::kSumBytes);
}

template <class Config>
struct TileShared {
  alignas(8) std::uint64_t full[Config::kStages], empty[Config::kStages];
  TileLines<Config> lines;
};

template <class Config>
struct TilePlace {
  std::int64_t batch, row, col;  // first row and column of the tile
  int chunks;
  std::uint32_t stages;  // shared address of the first stage
};

template <class Config>
__device__ void copy_chunk_of_b(const CUtensorMap* map, const TilePlace<Config>& place, std::uint32_t barrier,
                                std::uint32_t to, int chunk, int z) {
  sm90::barrier_arrive_expect(barrier, Config::kBytesB + Config::kBytesA / Config::kCluster * (Config::kCluster - 1));
  const int n = static_cast<int>(place.col);
#pragma unroll
  for (int part = 0; part < Config::kParts; ++part) {
    const int k = chunk * Config::kDepth + part * Config::kLine;
    if constexpr (Config::kTurned) {
#pragma unroll
      for (int j = 0; j < Config::kCols; j += Config::kLine)
        sm90::tensor_copy(to + part * Config::kPartB + j * 128, map, barrier, n + j, k, z);
    } else {
      sm90::tensor_copy(to + part * Config::kPartB, map, barrier, k, n, z);
    }
  }
}

template <class Config>
__device__ void produce(const TileArgs<typename Config::Value, typename Config::Out>& tile, const CUtensorMap* map,
                        TileShared<Config>& shared, const TilePlace<Config>& place) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 - 4 * Config::kGroups;
  const std::uint32_t full = sm90::shared_address(shared.full), empty = sm90::shared_address(shared.empty);
  const bool copies = warp == 0 && lane == 0;
  const int z = tile.b_batch ? static_cast<int>(place.batch) : 0;
  if (copies)
    for (int c = 0; c < min(place.chunks, Config::kStages); ++c)
      copy_chunk_of_b<Config>(map, place, full + 8 * c, place.stages + c * Config::kStageBytes + Config::kBytesA, c, z);

  constexpr int kOwnBytes = TileExpander<Config>::kRowsPerWarp * 128;  // of a warp's rows, per tile
  const int rank = Config::kCluster > 1 ? sm90::rank_in_cluster() : 0;
  const int first_row = rank * Config::kOwnRows + warp * TileExpander<Config>::kRowsPerWarp;
  TileExpander<Config> expander;
  expander.start(tile, place.batch, shared.lines, first_row,
                 place.stages + Config::kStages * Config::kStageBytes + warp * TileExpander<Config>::kSlotBytes);
  for (int chunk = 0; chunk < place.chunks; ++chunk) {
    const int stage = chunk % Config::kStages;
    const std::uint32_t tile_a = place.stages + stage * Config::kStageBytes;
    if (chunk >= Config::kStages) {
      sm90::barrier_wait(empty + 8 * stage, (chunk / Config::kStages - 1) & 1);
      if (copies) copy_chunk_of_b<Config>(map, place, full + 8 * stage, tile_a + Config::kBytesA, chunk, z);
    }
    const bool last = chunk + 1 == place.chunks;
    expander.expand(tile_a, chunk * Config::kDepth + tile.spmm.base, last);
    if (last)
      expander.tell([&](int row) {
        const std::uint32_t mark = sm90::shared_address(shared.lines.again_row + row);
#pragma unroll
        for (int r = 0; r < Config::kCluster; ++r)
          asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(sm90::address_in(r, mark)), "r"(1) : "memory");
      });
    if constexpr (Config::kCluster > 1) sm90::proxy_fence();
    __syncwarp();
    if (lane == 0) {
#pragma unroll
      for (int i = 1; i < Config::kCluster; ++i) {
        const int r = (rank + i) % Config::kCluster;
#pragma unroll
        for (int part = 0; part < Config::kBytesA / Config::kTileBytes; ++part) {
          const std::uint32_t rows = tile_a + part * Config::kTileBytes + first_row * 128;
          sm90::copy_there(sm90::address_in(r, rows), rows, kOwnBytes, sm90::address_in(r, full + 8 * stage));
        }
      }
      sm90::barrier_arrive(full + 8 * stage);
    }
  }
}

// A consumer group is done with a stage: it may be written to from every block of the cluster.
template <class Config>
__device__ void release_stage(std::uint32_t empty) {
  if constexpr (Config::kCluster == 1) {
    if (threadIdx.x % 128 == 0) sm90::barrier_arrive(empty);
  } else {
    const int r = threadIdx.x % 128;
    if (r < Config::kCluster) sm90::barrier_arrive_there(sm90::address_in(r, empty));
  }
}

// Column of the tile that is row lane / 4 + 8 half of this warp's part of product `t`.
template <class Config>
__device__ int column_of(int t, int half) {
  const int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, g = threadIdx.x % 32 / 4;
  const int first = 64 * (group * Config::kTiles + t);
  if constexpr (Config::kMath != TileMath::sixteen_bit)
    return first + Tf32Product<Config::kRows, Config::kSplit, Config::kTurned>::column(half);
  else
    return first + 16 * warp + g + 8 * half;
}

template <class Config>
__device__ void multiply_16_bit(TileShared<Config>& shared, const TilePlace<Config>& place,
                                float (&sums)[Config::kTiles][Config::kRows / 2]) {
  const std::uint32_t full = sm90::shared_address(shared.full), empty = sm90::shared_address(shared.empty);
  const int group = threadIdx.x / 128;
  using Product = sm90::Product<typename Config::Value, Config::kRows, Config::kTurned>;
  for (int chunk = 0; chunk < place.chunks; ++chunk) {
    const int stage = chunk % Config::kStages;
    sm90::barrier_wait(full + 8 * stage, (chunk / Config::kStages) & 1);
    const std::uint32_t tile_a = place.stages + stage * Config::kStageBytes;
    sm90::proxy_fence();  // what expanding warps wrote before they arrived
    sm90::product_fence();
#pragma unroll
    for (int part = 0; part < Config::kParts; ++part) {
      const std::uint64_t k = sm90::descriptor(tile_a + part * Config::kTileBytes);
      const std::uint32_t tile_b = tile_a + Config::kBytesA + part * Config::kPartB;
#pragma unroll
      for (int step = 0; step < 4; ++step)
#pragma unroll
        for (int t = 0; t < Config::kTiles; ++t) {
          const std::uint64_t m = sm90::descriptor(tile_b + (group * Config::kTiles + t) * 8192);
          // 16 lines of 128 bytes, or 32 bytes of every line.
          Product::add(sums[t], m + step * (Config::kTurned ? 2048 >> 4 : 32 >> 4), k + step * (32 >> 4),
                       chunk + part + step);
        }
    }
    sm90::product_commit();
    // The stage before is read to its end; this one may still be.
    sm90::product_wait<1>();
    if (chunk > 0) release_stage<Config>(empty + 8 * ((chunk - 1) % Config::kStages));
  }
  sm90::product_wait<0>();
#pragma unroll
  for (int t = 0; t < Config::kTiles; ++t) sm90::keep(sums[t]);
}

template <class Config>
__device__ void multiply_tf32(TileShared<Config>& shared, const TilePlace<Config>& place,
                              float (&sums)[Config::kRows / 2]) {
  const std::uint32_t full = sm90::shared_address(shared.full), empty = sm90::shared_address(shared.empty);
  Tf32Product<Config::kRows, Config::kSplit, Config::kTurned> product;
  product.start();
  for (int chunk = 0; chunk < place.chunks; ++chunk) {
    const int stage = chunk % Config::kStages;
    const std::uint32_t tile_a = place.stages + stage * Config::kStageBytes;
    sm90::barrier_wait(full + 8 * stage, (chunk / Config::kStages) & 1);
    sm90::proxy_fence();  // what expanding warps wrote before they arrived
    for (int part = 0; part < Config::kParts; ++part) {
      const std::uint32_t hi_a = tile_a + part * Config::kTileBytes;
      product.add(tile_a + Config::kBytesA + part * Config::kPartB + threadIdx.x / 128 * 64 * 128, hi_a,
                  hi_a + Config::kLoBytes, chunk + part);
    }
    release_stage<Config>(empty + 8 * stage);
  }
  product.finish();
#pragma unroll
  for (int i = 0; i < Config::kRows / 2; ++i) sums[i] = product.sums[i];
}

// From sums in registers to C, through shared memory: so that stores are wide, and code is small.
template <class Config>
__device__ void finish_tile(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                            const Scaling<float>& scaling, TileShared<Config>& shared, const TilePlace<Config>& place,
                            const float (&sums)[Config::kTiles][Config::kRows / 2], float* staged) {
  const StagedSteps<Config> steps(tile.spmm.c.col_stride == 1);
  sm90::sync_threads(1, Config::kConsumerThreads);
#pragma unroll
  for (int t = 0; t < Config::kTiles; ++t)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float* to = staged + column_of<Config>(t, half) * steps.col + threadIdx.x % 4 * 2 * steps.row;
#pragma unroll
      for (int i = 0; i < Config::kRows / 8; ++i) {
        to[8 * i * steps.row] = sums[t][4 * i + 2 * half];
        to[(8 * i + 1) * steps.row] = sums[t][4 * i + 2 * half + 1];
      }
    }
  sm90::sync_threads(1, Config::kConsumerThreads);

  finish_staged<Config, Config::kConsumerThreads>(tile, scaling, shared.lines, place.batch, place.row, place.col,
                                                  place.chunks > 0, staged, static_cast<int>(threadIdx.x), kAllLines);
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    spmm_dense_tile(const __grid_constant__ CUtensorMap map,
                    const __grid_constant__ TileArgs<typename Config::Value, typename Config::Out> tile) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char dynamic[];
  __shared__ TileShared<Config> shared;
  const auto& args = tile.spmm;
  const Scaling<float> scaling = scaling_of(args);
  TilePlace<Config> place;
  std::int64_t at = blockIdx.x;
  place.col = at % tile.tiles_n * Config::kCols;
  at /= tile.tiles_n;
  place.row = at % tile.tiles_m * Config::kRows;
  place.batch = at / tile.tiles_m;
  const bool active = !args.skips_product && !scaling.alpha_is_zero;
  place.chunks = active ? static_cast<int>((args.k + Config::kDepth - 1) / Config::kDepth) : 0;
  const std::uint32_t begin = sm90::shared_address(dynamic);
  place.stages = (begin + 1023) & ~1023u;

  shared.lines.read(tile, place.batch, place.row, active, static_cast<int>(threadIdx.x), Config::kThreads);
  if (threadIdx.x == 0) {
    for (int s = 0; s < Config::kStages; ++s) {
      sm90::barrier_init(sm90::shared_address(shared.full + s), Config::kExpanders + 1);
      sm90::barrier_init(sm90::shared_address(shared.empty + s), Config::kGroups * Config::kCluster);
    }
    sm90::barrier_init_fence();
  }
  if constexpr (Config::kCluster > 1)
    sm90::sync_cluster();
  else
    __syncthreads();

  // With two consumer groups the sums of a thread take up to 128 registers.
  constexpr bool kMoveRegisters = Config::kGroups == 2;
  if (threadIdx.x >= Config::kConsumerThreads) {
    if constexpr (kMoveRegisters) sm90::give_registers<72>();
    produce<Config>(tile, &map, shared, place);
    if constexpr (Config::kCluster > 1) sm90::sync_cluster();
  } else {
    if constexpr (kMoveRegisters) sm90::take_registers<184>();
    float sums[Config::kTiles][Config::kRows / 2];
    if constexpr (Config::kMath == TileMath::sixteen_bit) {
      multiply_16_bit<Config>(shared, place, sums);
    } else {
      multiply_tf32<Config>(shared, place, sums[0]);
    }
    // Marks of rows come from all blocks; and none may leave while another writes to it.
    if constexpr (Config::kCluster > 1) sm90::sync_cluster();
    finish_tile<Config>(tile, scaling, shared, place, sums, reinterpret_cast<float*>(dynamic + (place.stages - begin)));
  }
#endif
}

}  // namespace spk::cuda
