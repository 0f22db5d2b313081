// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_copy_finish.cuh"
#include "cuda/kernels/spmm_dense_copy_source.cuh"

// C = A B on SM 9.0a in 16-bit types, with a dense copy of op(A) that the kernel in front has made
// (spmm_dense_copy_expand.cu).
//
// The lines of C (its rows, or its columns if these are contiguous: kSwapped) are the M of wgmma, the places in a line its
// N. One warp asks for chunks of 64 along k of both operands by tensor copies, through kStages stages of shared memory;
// kGroups warpgroups multiply, 64 lines by kN places each, and write C from their registers. Blocks stay, and go from tile
// to tile. Of few tiles the blocks of a cluster take slices of k each; their sums meet through shared memory, in the
// order of slices.
//
// What was not stored never meets B: a value of B that is not finite makes every sum of its column so, and a NaN in a row
// whose columns do not increase strictly those of the row. Sums that are not finite are made again from the stored entries
// alone.
namespace spk::cuda {

template <class ValueT, class OutT, CopyTile kTileT, int kStagesT, bool kSwappedT, bool kTurnedT>
struct CopyConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr TileMath kMath = TileMath::sixteen_bit;
  static constexpr bool kSwapped = kSwappedT, kTurned = kTurnedT;  // kTurned: rows of op(B) are contiguous
  static constexpr int kM = size_of(kTileT).lines, kN = size_of(kTileT).places, kStages = kStagesT;
  static constexpr bool kLarge = kTileT == CopyTile::t128x256;
  // A thread of a large tile has 128 sums: others give it registers, which goes by warpgroups.
  static constexpr int kGroups = kM / 64, kWarps = 4 * kGroups + (kLarge ? 4 : 1), kThreads = 32 * kWarps;
  static constexpr int kPlanes = 1, kChunk = 64, kBytesM = kM * 128, kBytesN = kN * 128,
                       kStageBytes = kBytesM + kBytesN;
  static constexpr bool kTurnedM = kSwapped && kTurned, kTurnedN = !kSwapped && kTurned;
  static constexpr int kSharedBytes = 1024 + kStages * kStageBytes;
  static constexpr int kUnits = 4 * kGroups * (kN / kQuadPlaces), kUnitBytes = kQuadSums * 128;
  static_assert(kUnits * kUnitBytes <= kStages * kStageBytes, "sums of a slice take the place of the stages");
};

// A chunk: this warpgroup's 64 lines by all places.
template <class Config>
__device__ void multiply_chunk(float (&sums)[Config::kN / 2], std::uint32_t stage, int group, int accumulate) {
  using Product = sm90::HalfProduct<typename Config::Value, Config::kN, Config::kTurnedM, Config::kTurnedN>;
  const std::uint64_t m = sm90::descriptor(stage + group * 64 * 128);
  const std::uint64_t n = Config::kTurnedN ? sm90::descriptor_of_panels(stage + Config::kBytesM, 64 * 128)
                                           : sm90::descriptor(stage + Config::kBytesM);
  // 16 lines of 128 bytes, or 32 bytes of every line.
  constexpr int kStepM = (Config::kTurnedM ? 2048 : 32) >> 4, kStepN = (Config::kTurnedN ? 2048 : 32) >> 4;
  sm90::product_fence();
#pragma unroll
  for (int i = 0; i < 4; ++i) Product::add(sums, m + i * kStepM, n + i * kStepN, accumulate + i);
  sm90::product_commit();
}

// The sums of all slices: every block of the cluster finishes some of the units of 16 lines by 32 places.
template <class Config, class Product>
__device__ void finish_slices(const Product& product, const Scaling<float>& scaling, const CopyPlace& place,
                              std::uint32_t staged, int rank, bool active) {
  constexpr int kQuads = Config::kN / kQuadPlaces, kWorkers = 4 * Config::kGroups;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int unit = rank + warp * product.slices; unit < Config::kUnits; unit += kWorkers * product.slices) {
    const std::uint32_t from = staged + unit * Config::kUnitBytes + lane * 16;
    float x[kQuadSums] = {};
#pragma unroll 2
    for (int s = 0; s < product.slices; ++s) {
      const std::uint32_t there = sm90::address_in(s, from);
#pragma unroll
      for (int f = 0; f < 4; ++f) {
        const float4 four = sm90::load_there(there + f * 512);
        x[4 * f] += four.x, x[4 * f + 1] += four.y, x[4 * f + 2] += four.z, x[4 * f + 3] += four.w;
      }
    }
    const QuadPlace at{place.batch, place.line + unit / kQuads * 16 + lane / 4,
                       place.place + unit % kQuads * kQuadPlaces + lane % 4 * 2};
    finish_quad<Config>(product.tile, scaling, at, x, active);
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    spmm_dense_copy(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                    const __grid_constant__ CopyProduct<typename Config::Value, typename Config::Out> product) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char dynamic[];
  __shared__ CopyShared<Config> shared;
  const auto& args = product.tile.spmm;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // known to be uniform
  const std::uint32_t full = sm90::shared_address(shared.full), empty = sm90::shared_address(shared.empty);
  const std::uint32_t stages = (sm90::shared_address(dynamic) + 1023) & ~1023u;
  const int slices = product.slices, rank = slices > 1 ? sm90::rank_in_cluster() : 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < Config::kStages; ++s) {
      sm90::barrier_init(full + 8 * s, 1);
      sm90::barrier_init(empty + 8 * s, Config::kGroups);
    }
    sm90::barrier_init_fence();
  }
  const Scaling<float> scaling = scaling_of(args);
  const bool active = !args.skips_product && !scaling.alpha_is_zero;
  const int all_chunks = active ? static_cast<int>((args.k + Config::kChunk - 1) / Config::kChunk) : 0;
  const int first_chunk = min(rank * product.chunks, all_chunks);
  const int chunks = min(product.chunks, all_chunks - first_chunk);
  const std::int64_t first_tile = blockIdx.x / slices, step = gridDim.x / slices;
  __syncthreads();
  let_kernel_behind_start();

  if (warp >= 4 * Config::kGroups) {
    if constexpr (Config::kLarge) sm90::give_registers<40>();
    if (threadIdx.x == 128 * Config::kGroups)
      ask_for_operands<Config>({&map_a, &map_b, stages, full, product.a_batch, product.tile.b_batch}, product, empty,
                               first_tile, step, first_chunk, chunks);
    __syncwarp();
    if (slices > 1) sm90::sync_cluster();
  } else {
    if constexpr (Config::kLarge) sm90::take_registers<232>();
    wait_for_kernel_in_front();
    const int group = warp / 4;
    int stage = 0, phase = 0;
    float sums[Config::kN / 2];
    for (std::int64_t at = first_tile; at < product.tiles; at += step) {
      const CopyPlace place = place_of_tile<Config>(product, at);
      if (chunks == 0) {
#pragma unroll
        for (int i = 0; i < Config::kN / 2; ++i) sums[i] = 0;
      }
      int before = 0;
      for (int c = 0; c < chunks; ++c) {
        sm90::barrier_wait(full + 8 * stage, phase);
        multiply_chunk<Config>(sums, stages + stage * Config::kStageBytes, group, c);
        sm90::product_wait<1>();
        if (c > 0) release(empty + 8 * before);
        before = stage;
        if (++stage == Config::kStages) stage = 0, phase ^= 1;
      }
      sm90::product_wait<0>();
      sm90::keep(sums);
      if (chunks > 0) release(empty + 8 * before);
      if (slices == 1) {
        finish_registers<Config>(product.tile, scaling,
                                 {place.batch, place.line + warp * 16 + lane / 4, place.place + lane % 4 * 2}, sums,
                                 active);
      } else {
        sm90::sync_threads(1, 128 * Config::kGroups);  // everybody has read its operands: sums take their place
        auto* to = reinterpret_cast<float4*>(dynamic + (stages - sm90::shared_address(dynamic))) +
                   warp * (Config::kN / kQuadPlaces) * (Config::kUnitBytes / 16) + lane;
#pragma unroll
        for (int i = 0; i < Config::kN / 8; ++i)
          to[i * 32] = {sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]};
        sm90::sync_cluster();
        finish_slices<Config>(product, scaling, place, stages, rank, active);
      }
    }
  }
  // None leaves while others read what it has.
  if (slices > 1) sm90::sync_cluster();
#endif
}

}  // namespace spk::cuda
