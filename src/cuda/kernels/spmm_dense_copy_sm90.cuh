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
// kGroups warpgroups multiply, 64 lines by kN places each. Blocks stay, and go from tile to tile. Those with one tile write C
// by tensor copies from the memory of the stages, others from their registers. Of few tiles the blocks of a cluster take
// slices of k each (kSliced); every one sends the others what it has of their parts of C, and adds in the order of slices.
//
// What was not stored never meets B: a value of B that is not finite makes every sum of its column so, and a NaN in a row
// whose columns do not increase strictly those of the row. Sums that are not finite are made again from the stored entries
// alone.
namespace spk::cuda {

template <class ValueT, class OutT, CopyTile kTileT, int kStagesT, bool kSwappedT, bool kTurnedT, bool kSlicedT>
struct CopyConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr TileMath kMath = TileMath::sixteen_bit;
  static constexpr bool kSwapped = kSwappedT, kTurned = kTurnedT;  // kTurned: rows of op(B) are contiguous
  static constexpr int kM = size_of(kTileT).lines, kN = size_of(kTileT).places, kStages = kStagesT;
  static constexpr bool kSliced = kSlicedT;
  static constexpr bool kLarge = kTileT == CopyTile::t128x256;
  // A thread of a large tile has 128 sums: others give it registers, which goes by warpgroups.
  static constexpr int kGroups = kM / 64, kWarps = 4 * kGroups + (kLarge ? 4 : 1), kThreads = 32 * kWarps;
  static constexpr int kPlanes = 1, kChunk = 64, kBytesM = kM * 128, kBytesN = kN * 128,
                       kStageBytes = kBytesM + kBytesN;
  static constexpr bool kTurnedM = kSwapped && kTurned, kTurnedN = !kSwapped && kTurned;
  static constexpr int kSharedBytes = 1024 + kStages * kStageBytes + (kSliced ? kM * kN * 4 : 0);
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

// The sums of kSlices slices, added in their order: every block of the cluster gets from the others what they have of its
// part, in each warp 8 of 16 lines and some places, and finishes that. `received`: kM x kN floats of shared memory.
template <int kSlices, class Config, class Product>
__device__ void finish_slices(const Product& product, const Scaling<float>& scaling, const QuadPlace& at,
                              std::uint32_t arrived, std::uint32_t received, int rank, bool active,
                              const float (&sums)[Config::kN / 2]) {
  constexpr int kEights = Config::kN / 8 / (kSlices / 2), kFour = 128 * Config::kGroups * 16;
  const std::uint32_t mine = received + threadIdx.x * 16;
  constexpr auto bytes_of = [](int slice) { return slice * (kEights / 2) * kFour; };
  float own[2 * kEights], x[2 * kEights];
#pragma unroll
  for (int s = 0; s < kSlices; ++s) {
    const float* of_part = sums + s / 2 * kEights * 4 + s % 2 * 2;
    if (s == rank) {
#pragma unroll
      for (int i = 0; i < 2 * kEights; ++i) own[i] = of_part[i / 2 * 4 + i % 2];
    } else {
      const std::uint32_t to = sm90::address_in(s, mine + bytes_of(rank)), barrier = sm90::address_in(s, arrived);
#pragma unroll
      for (int i = 0; i < kEights / 2; ++i)
        sm90::store_there(to + i * kFour, of_part[8 * i], of_part[8 * i + 1], of_part[8 * i + 4], of_part[8 * i + 5],
                          barrier);
    }
  }
  sm90::barrier_wait(arrived, 0);
#pragma unroll
  for (int s = 0; s < kSlices; ++s) {
    float part[2 * kEights];
    if (s == rank) {
#pragma unroll
      for (int i = 0; i < 2 * kEights; ++i) part[i] = own[i];
    } else {
#pragma unroll
      for (int i = 0; i < kEights / 2; ++i) sm90::load_four(mine + bytes_of(s) + i * kFour, part + 4 * i);
    }
#pragma unroll
    for (int i = 0; i < 2 * kEights; ++i) x[i] = s == 0 ? part[i] : x[i] + part[i];
  }
  finish_lines<Config, kEights>(product.tile, scaling,
                                {at.batch, at.line + rank % 2 * 8, at.place + rank / 2 * kEights * 8}, x, active);
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    spmm_dense_copy(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                    const __grid_constant__ CUtensorMap map_c,
                    const __grid_constant__ CopyProduct<typename Config::Value, typename Config::Out> product) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char dynamic[];
  __shared__ CopyShared<Config> shared;
  const auto& args = product.tile.spmm;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // known to be uniform
  const std::uint32_t full = sm90::shared_address(shared.full), empty = sm90::shared_address(shared.empty);
  const std::uint32_t stages = (sm90::shared_address(dynamic) + 1023) & ~1023u;
  const int slices = Config::kSliced ? product.slices : 1, rank = Config::kSliced ? sm90::rank_in_cluster() : 0;
  const bool asks = threadIdx.x == 128 * Config::kGroups;
  if (warp == 4 * Config::kGroups) shared.init();
  if (asks) {
    sm90::prefetch_map(&map_a);
    sm90::prefetch_map(&map_b);
    if constexpr (Config::kSliced) {
      // The sums of the other slices.
      sm90::barrier_arrive_expect(sm90::shared_address(&shared.arrived),
                                  Config::kM * Config::kN * 4 / slices * (slices - 1));
    }
  }
  // The kernel in front may write them; what makes a copy has waited for that.
  if (product.kept && (args.alpha.pointer != nullptr || args.beta.pointer != nullptr)) wait_for_kernel_in_front();
  const Scaling<float> scaling = scaling_of(args);
  const bool active = !args.skips_product && !scaling.alpha_is_zero;
  const int all_chunks = active ? static_cast<int>((args.k + Config::kChunk - 1) / Config::kChunk) : 0;
  const int first_chunk = min(rank * product.chunks, all_chunks);
  const int chunks = min(product.chunks, all_chunks - first_chunk);
  const std::int64_t first_tile = blockIdx.x / slices, step = gridDim.x / slices;
  const CopySource<Config> source{&map_a, &map_b, stages, full, product.a_batch, product.tile.b_batch};
  if (asks) ask_early<Config>(source, product, first_tile, first_chunk, chunks);
  __syncthreads();
  // Not before: what the next call puts in front of its product would take time from this one.
  let_kernel_behind_start();
  if constexpr (Config::kSliced) sm90::arrive_in_cluster();  // this block's barriers are there

  if (warp >= 4 * Config::kGroups) {
    if constexpr (Config::kLarge) sm90::give_registers<40>();
    if (asks) ask_for_operands<Config>(source, product, empty, first_tile, step, first_chunk, chunks);
    __syncwarp();
    if constexpr (Config::kSliced) sm90::wait_for_cluster();
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
      const QuadPlace at_sum{place.batch, place.line + warp * 16 + lane / 4, place.place + lane % 4 * 2};
      if constexpr (!Config::kSliced) {
        const bool staged = product.stores_staged;
        if (staged) sm90::sync_threads(1, 128 * Config::kGroups);  // everybody has read its operands
        finish_registers<Config>(product.tile, scaling, at_sum, sums, active, staged ? &map_c : nullptr,
                                 stages + warp * 16 * 128);
      } else {
        sm90::wait_for_cluster();
        const std::uint32_t arrived = sm90::shared_address(&shared.arrived);
        const std::uint32_t received = stages + Config::kStages * Config::kStageBytes;
        if (slices == 2)
          finish_slices<2, Config>(product, scaling, at_sum, arrived, received, rank, active, sums);
        else if (slices == 4)
          finish_slices<4, Config>(product, scaling, at_sum, arrived, received, rank, active, sums);
        else
          finish_slices<8, Config>(product, scaling, at_sum, arrived, received, rank, active, sums);
      }
    }
  }
#endif
}

}  // namespace spk::cuda
