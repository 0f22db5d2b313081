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
};

template <class Config>
struct CopyShared {
  alignas(8) std::uint64_t full[Config::kStages], empty[Config::kStages];
};

struct CopyPlace {
  std::int64_t batch, line, place;  // of the tile's first element
};

template <class Config, class Product>
__device__ CopyPlace place_of_tile(const Product& product, std::int64_t at) {
  CopyPlace place;
  place.line = at % product.tiles_m * Config::kM;
  at /= product.tiles_m;
  place.place = at % product.tiles_n * Config::kN;
  place.batch = at / product.tiles_n;
  return place;
}

// What the warp that asks for operands knows.
template <class Config>
struct CopySource {
  const CUtensorMap *a, *b;
  std::uint32_t stages, full;
  bool a_batch, b_batch;

  // An operand with kLines lines, from `line` on; turned: kChunk of them lie side by side.
  template <int kLines, bool kTurned>
  __device__ void copy(const CUtensorMap* map, std::uint32_t to, std::uint32_t barrier, std::int64_t line, int k,
                       int z) {
    if constexpr (kTurned) {
#pragma unroll
      for (int i = 0; i < kLines; i += Config::kChunk)
        sm90::tensor_copy(to + i * 128, map, barrier, static_cast<int>(line) + i, k, z);
    } else {
      sm90::tensor_copy(to, map, barrier, k, static_cast<int>(line), z);
    }
  }
  __device__ void copy_a(const CopyPlace& place, int stage, int chunk) {
    const std::uint32_t to = stages + stage * Config::kStageBytes, barrier = full + 8 * stage;
    const int k = chunk * Config::kChunk, z = (a_batch ? static_cast<int>(place.batch) : 0) * Config::kPlanes;
#pragma unroll
    for (int plane = 0; plane < Config::kPlanes; ++plane)
      if constexpr (Config::kSwapped)
        copy<Config::kN, false>(a, to + Config::kBytesM + plane * Config::kN * 128, barrier, place.place, k, z + plane);
      else
        copy<Config::kM, false>(a, to + plane * Config::kM * 128, barrier, place.line, k, z + plane);
  }
  __device__ void copy_b(const CopyPlace& place, int stage, int chunk) {
    const std::uint32_t to = stages + stage * Config::kStageBytes, barrier = full + 8 * stage;
    const int k = chunk * Config::kChunk, z = b_batch ? static_cast<int>(place.batch) : 0;
    sm90::barrier_arrive_expect(barrier, Config::kStageBytes);
    if constexpr (Config::kSwapped)
      copy<Config::kM, Config::kTurned>(b, to, barrier, place.line, k, z);
    else
      copy<Config::kN, Config::kTurned>(b, to + Config::kBytesM, barrier, place.place, k, z);
  }
};

// All that a block multiplies: chunks from first_chunk on, of every step-th tile from first_tile on. One thread. B is
// asked for before the kernel in front is done: what that one waited for is there already.
template <class Config, class Product>
__device__ void ask_for_operands(CopySource<Config> source, const Product& product, std::uint32_t empty,
                                 std::int64_t first_tile, std::int64_t step, int first_chunk, int chunks) {
  sm90::prefetch_map(source.a);
  const int early = min(chunks, Config::kStages);
  CopyPlace place = place_of_tile<Config>(product, first_tile);
  for (int c = 0; c < early; ++c) source.copy_b(place, c, first_chunk + c);
  wait_for_kernel_in_front();
  for (int c = 0; c < early; ++c) source.copy_a(place, c, first_chunk + c);
  int stage = early % Config::kStages, round = early / Config::kStages, next = early;
  for (std::int64_t at = first_tile; at < product.tiles; at += step, next = 0) {
    place = place_of_tile<Config>(product, at);
    for (int c = next; c < chunks; ++c) {
      if (round > 0) sm90::barrier_wait(empty + 8 * stage, (round - 1) & 1);
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
