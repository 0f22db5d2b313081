// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sm90_products.cuh"
#include "cuda/kernels/spmm_dense_tile.cuh"
#include "cuda/spmm_dense_copy.hpp"

// How operands come to the kernels that multiply a dense copy of op(A) by B: tiles, stages of shared memory, and the warp
// that asks for them. One operand is the M of wgmma, the other its N: a Config says which (kSwapped: B is M), how the lines
// of each lie, and how long a chunk of k is (128 bytes).
namespace spk::cuda {

template <class Value, class Out>
struct CopyProduct {
  TileArgs<Value, Out> tile;
  std::int64_t tiles_m, tiles_n, tiles;  // of lines, of places, all
  int slices, chunks;                    // chunks of a slice
  bool a_batch;
  bool kept;           // the copy was there before the kernel in front began
  bool stores_staged;  // blocks have one tile each: the memory of its operands is free for C behind it
};

template <class Config>
struct CopyShared {
  alignas(8) std::uint64_t full[Config::kStages], empty[Config::kStages], arrived;

  // One warp, for all.
  __device__ void init() {
    static_assert(Config::kStages < 16);
    const int lane = static_cast<int>(threadIdx.x) % 32, s = lane % 16;
    if (s < Config::kStages)
      sm90::barrier_init(sm90::shared_address((lane < 16 ? full : empty) + s), lane < 16 ? 1 : Config::kGroups);
    if (lane == 31) sm90::barrier_init(sm90::shared_address(&arrived), 1);
    sm90::barrier_init_fence();
    __syncwarp();
  }
};

struct CopyPlace {
  std::int64_t batch, line, place;  // of the tile's first element
};

template <class Config, class Product>
__device__ CopyPlace place_of_tile(const Product& product, std::int64_t at) {
  // Operands wait for this, and divisions of 32 bits are much quicker: there are no more tiles than that.
  const auto index = static_cast<unsigned>(at), tiles_m = static_cast<unsigned>(product.tiles_m),
             tiles_n = static_cast<unsigned>(product.tiles_n), over = index / tiles_m;
  return {over / tiles_n, std::int64_t{index - over * tiles_m} * Config::kM, std::int64_t{over % tiles_n} * Config::kN};
}

// Asks for kLines lines of an operand, from `line` on; turned: kChunk of them lie side by side.
template <int kLines, bool kTurned, int kChunk>
__device__ void copy_operand(const CUtensorMap* map, std::uint32_t to, std::uint32_t barrier, std::int64_t line, int k,
                             int z) {
  if constexpr (kTurned) {
#pragma unroll
    for (int i = 0; i < kLines; i += kChunk)
      sm90::tensor_copy(to + i * 128, map, barrier, static_cast<int>(line) + i, k, z);
  } else {
    sm90::tensor_copy(to, map, barrier, k, static_cast<int>(line), z);
  }
}

// What the warp that asks for operands knows.
template <class Config>
struct CopySource {
  const CUtensorMap *a, *b;
  std::uint32_t stages, full;
  bool a_batch, b_batch;

  __device__ void expect(int stage) { sm90::barrier_arrive_expect(full + 8 * stage, Config::kStageBytes); }
  __device__ void copy_a(const CopyPlace& place, int stage, int chunk) {
    const std::uint32_t to = stages + stage * Config::kStageBytes, barrier = full + 8 * stage;
    const int k = chunk * Config::kChunk, z = (a_batch ? static_cast<int>(place.batch) : 0) * Config::kPlanes;
#pragma unroll
    for (int plane = 0; plane < Config::kPlanes; ++plane)
      if constexpr (Config::kSwapped)
        copy_operand<Config::kN, false, Config::kChunk>(a, to + Config::kBytesM + plane * Config::kN * 128, barrier,
                                                        place.place, k, z + plane);
      else
        copy_operand<Config::kM, false, Config::kChunk>(a, to + plane * Config::kM * 128, barrier, place.line, k,
                                                        z + plane);
  }
  __device__ void copy_b(const CopyPlace& place, int stage, int chunk) {
    const std::uint32_t to = stages + stage * Config::kStageBytes, barrier = full + 8 * stage;
    const int k = chunk * Config::kChunk, z = b_batch ? static_cast<int>(place.batch) : 0;
    if constexpr (Config::kSwapped)
      copy_operand<Config::kM, Config::kTurned, Config::kChunk>(b, to, barrier, place.line, k, z);
    else
      copy_operand<Config::kN, Config::kTurned, Config::kChunk>(b, to + Config::kBytesM, barrier, place.place, k, z);
  }
};

// Chunks of which one operand is asked for early: all that there is memory for, but of a kept copy and wide tiles few, since
// these, of which all multiprocessors ask for much, would hold up the other operand of the first chunk.
template <class Config, class Product>
__device__ int early_chunks(const Product& product, int chunks) {
  return min(chunks, product.kept && Config::kN >= 256 ? 2 : Config::kStages);
}

// Asks for the operand that is there before the kernel in front is done: a copy that was kept, or, as what makes the copy
// has waited for all in front of it, B. One thread.
template <class Config, class Product>
__device__ void ask_early(CopySource<Config> source, const Product& product, std::int64_t first_tile, int first_chunk,
                          int chunks) {
  const CopyPlace place = place_of_tile<Config>(product, first_tile);
  for (int c = 0; c < early_chunks<Config>(product, chunks); ++c) {
    source.expect(c);
    product.kept ? source.copy_a(place, c, first_chunk + c) : source.copy_b(place, c, first_chunk + c);
  }
}

// All the other operands of a block: chunks from first_chunk on, of every step-th tile from first_tile on. One thread.
template <class Config, class Product>
__device__ void ask_for_operands(CopySource<Config> source, const Product& product, std::uint32_t empty,
                                 std::int64_t first_tile, std::int64_t step, int first_chunk, int chunks) {
  const int early = early_chunks<Config>(product, chunks);
  CopyPlace place = place_of_tile<Config>(product, first_tile);
  wait_for_kernel_in_front();
  for (int c = 0; c < early; ++c)
    product.kept ? source.copy_b(place, c, first_chunk + c) : source.copy_a(place, c, first_chunk + c);
  int stage = early % Config::kStages, round = early / Config::kStages, next = early;
  for (std::int64_t at = first_tile; at < product.tiles; at += step, next = 0) {
    place = place_of_tile<Config>(product, at);
    for (int c = next; c < chunks; ++c) {
      if (round > 0) sm90::barrier_wait(empty + 8 * stage, (round - 1) & 1);
      source.expect(stage);
      source.copy_b(place, stage, first_chunk + c);
      source.copy_a(place, stage, first_chunk + c);
      if (++stage == Config::kStages) stage = 0, ++round;
    }
  }
}

// A stage is read to its end by this group.
__device__ inline void release(std::uint32_t empty) {
  if (threadIdx.x % 128 == 0) sm90::barrier_arrive(empty);
}

}  // namespace spk::cuda
