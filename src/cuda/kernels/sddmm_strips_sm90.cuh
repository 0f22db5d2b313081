// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sddmm_dense.cuh"
#include "cuda/kernels/sddmm_strips.cuh"
#include "cuda/kernels/sm90_products.cuh"

// SDDMM of CSR by tiles of the whole product on SM 9.0a, in one launch.
//
// A block forms kM x kN elements of C. One warp asks for chunks of 128 bytes along k of both operands by tensor copies,
// through kStages stages of shared memory; kGroups warpgroups first look for the entries of their rows and columns
// (sddmm_strips.cuh) while the first chunks are on their way, then multiply, 64 rows each; every warp then has the sums of
// its 16 rows in shared memory, in the place of the stages, and takes from there what C stores. No warp waits for the
// entries of another.
//
// f32: three TF32 products of split operands. op(A) is split in registers; four warps of their own split op(B)'s chunks, the
// upper parts in place, the lower ones behind them.
namespace spk::cuda {

template <class ValueT, class OutT, int kGroupsT, int kNT, int kStagesT>
struct StripConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr bool kSplit = std::is_same_v<Value, float>;
  static constexpr int kGroups = kGroupsT, kM = 64 * kGroups, kN = kNT, kStages = kStagesT;
  static constexpr int kChunk = 128 / static_cast<int>(sizeof(Value));
  static constexpr int kMultipliers = 128 * kGroups, kSplitters = kSplit ? 128 : 0;  // threads
  static constexpr int kThreads = kMultipliers + 32 + kSplitters;
  static constexpr int kBlocks = kSplit && kGroups == 1 ? 2 : 1;  // that registers must allow on a multiprocessor
  static constexpr int kBytesM = kM * 128, kBytesN = kN * 128, kLower = kSplit ? kBytesN : 0;
  static constexpr int kStageBytes = kBytesM + kBytesN + kLower;
  static constexpr int kStride = kN + 8;  // floats from row to row of the sums: two of each lane meet in no bank
  static constexpr int kTileBytes = kM * kStride * 4;
  // The sums and a list for every warp take the place of the stages.
  static constexpr int kEndBytes = kTileBytes + 4 * kGroups * static_cast<int>(sizeof(StripList));
  static constexpr int kSharedBytes = 1024 + (kStages * kStageBytes > kEndBytes ? kStages * kStageBytes : kEndBytes);
};

// Of the operands.
struct StripShape {
  int chunks;
  bool a_batch, b_batch;    // matrices of a batch have their own
  bool a_turned, b_turned;  // not contiguous along k, but across
  ScalarArgument<float> alpha, beta;
};

template <class Config>
struct StripShared {
  alignas(8) std::uint64_t full[Config::kStages], ready[Config::kStages], empty[Config::kStages];
  StripEntries entries[4 * Config::kGroups];
  int again;
};

// Where a loop over chunks stands.
template <class Config>
struct StripStage {
  int stage = 0, phase = 0;
  __device__ void next() {
    if (++stage == Config::kStages) stage = 0, phase ^= 1;
  }
};

struct StripPipe {
  std::uint32_t stages, full, ready, empty;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
template <class Config>
struct StripSource {
  const CUtensorMap *a, *b;
  const StripShape& shape;
  const StripPipe& pipe;
  int row0, col0, batch;

  __device__ void copy(const CUtensorMap* map, std::uint32_t to, std::uint32_t barrier, bool turned, int line,
                       int lines, int k, int z) const {
    if (!turned) return sm90::tensor_copy(to, map, barrier, k, line, z);
    for (int i = 0; i < lines; i += 64) sm90::tensor_copy(to + i * 128, map, barrier, line + i, k, z);
  }
  __device__ void copy_chunk(int c, int stage) const {
    const std::uint32_t to = pipe.stages + stage * Config::kStageBytes, barrier = pipe.full + 8 * stage;
    const int k = c * Config::kChunk;
    sm90::barrier_arrive_expect(barrier, Config::kBytesM + Config::kBytesN);
    copy(a, to, barrier, shape.a_turned, row0, Config::kM, k, shape.a_batch ? batch : 0);
    copy(b, to + Config::kBytesM, barrier, shape.b_turned, col0, Config::kN, k, shape.b_batch ? batch : 0);
  }
};

// 16-bit operands are multiplied as they lie there.
template <class Config, bool kTurnedM, bool kTurnedN>
__device__ void multiply_chunks(float (&sums)[Config::kN / 2], const StripPipe& pipe, int group, int chunks) {
  using Product = sm90::HalfProduct<typename Config::Value, Config::kN, kTurnedM, kTurnedN>;
  // 16 lines of 128 bytes, or 32 bytes of every line.
  constexpr int kStepM = (kTurnedM ? 2048 : 32) >> 4, kStepN = (kTurnedN ? 2048 : 32) >> 4;
  const bool tells = threadIdx.x % 32 == 0;
  StripStage<Config> at;
  int before = 0;
#pragma unroll 1
  for (int c = 0; c < chunks; ++c) {
    sm90::barrier_wait(pipe.full + 8 * at.stage, at.phase);
    const std::uint32_t stage = pipe.stages + at.stage * Config::kStageBytes;
    const std::uint64_t m = sm90::descriptor(stage + group * 64 * 128);
    const std::uint64_t n = kTurnedN ? sm90::descriptor_of_panels(stage + Config::kBytesM, 64 * 128)
                                     : sm90::descriptor(stage + Config::kBytesM);
    sm90::product_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i) Product::add(sums, m + i * kStepM, n + i * kStepN, c + i);
    sm90::product_commit();
    sm90::product_wait<1>();
    if (c > 0 && tells) sm90::barrier_arrive(pipe.empty + 8 * before);
    before = at.stage;
    at.next();
  }
  sm90::product_wait<0>();
  sm90::keep(sums);
}

// Upper parts of op(B)'s chunks in place, lower parts behind them.
template <class Config>
__device__ void split_chunks(const StripPipe& pipe, unsigned char* stages, int* again, int chunks) {
  const int thread = static_cast<int>(threadIdx.x) - Config::kMultipliers - 32;
  StripStage<Config> at;
#pragma unroll 1
  for (int c = 0; c < chunks; ++c) {
    sm90::barrier_wait(pipe.full + 8 * at.stage, at.phase);
    unsigned char* const slice = stages + at.stage * Config::kStageBytes + Config::kBytesM;
    unsigned least = ~0u;
#pragma unroll
    for (int i = thread * 16; i < Config::kBytesN; i += Config::kSplitters * 16) {
      uint4 x = *reinterpret_cast<const uint4*>(slice + i), low;
      note_size(x.x, least);
      note_size(x.y, least);
      note_size(x.z, least);
      note_size(x.w, least);
      split_in_two(x.x, x.x, low.x);
      split_in_two(x.y, x.y, low.y);
      split_in_two(x.z, x.z, low.z);
      split_in_two(x.w, x.w, low.w);
      *reinterpret_cast<uint4*>(slice + i) = x;
      *reinterpret_cast<uint4*>(slice + Config::kBytesN + i) = low;
    }
    if (too_small(least)) *again = 1;
    sm90::proxy_fence();  // what was written here is for matrix products
    __syncwarp();
    if (threadIdx.x % 32 == 0) sm90::barrier_arrive(pipe.ready + 8 * at.stage);
    at.next();
  }
}

// The same of f32 operands. Returns the least size of op(A)'s.
template <class Config>
__device__ unsigned multiply_split(float (&sums)[Config::kN / 2], const StripPipe& pipe, int warp, int chunks) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned least = ~0u;
  StripStage<Config> at;
#pragma unroll 1
  for (int c = 0; c < chunks; ++c) {
    const std::uint32_t stage = pipe.stages + at.stage * Config::kStageBytes;
    sm90::barrier_wait(pipe.full + 8 * at.stage, at.phase);
    unsigned upper_a[4][4], lower_a[4][4];
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      load_matrices(upper_a[step],
                    stage + static_cast<unsigned>(slice_byte(warp * 16 + lane % 16, (step * 2 + lane / 16) * 16)));
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        note_size(upper_a[step][e], least);
        split_in_two(upper_a[step][e], upper_a[step][e], lower_a[step][e]);
      }
    }
    sm90::barrier_wait(pipe.ready + 8 * at.stage, at.phase);
    const std::uint64_t upper_b = sm90::descriptor(stage + Config::kBytesM);
    const std::uint64_t lower_b = sm90::descriptor(stage + Config::kBytesM + Config::kBytesN);
    sm90::product_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      const int along = step * (32 >> 4);
      sm90::ProductTf32<Config::kN>::add(sums, lower_a[step], upper_b + along, c + step);
      sm90::ProductTf32<Config::kN>::add(sums, upper_a[step], lower_b + along, 1);
      sm90::ProductTf32<Config::kN>::add(sums, upper_a[step], upper_b + along, 1);
    }
    sm90::product_commit();
    sm90::product_wait<0>();
    if (lane == 0) sm90::barrier_arrive(pipe.empty + 8 * at.stage);
    at.next();
  }
  sm90::keep(sums);
  return least;
}
#endif

// Mapping: blockIdx.x counts tiles of rows, y tiles of columns, z matrices of the batch.
template <class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocks)
    sddmm_strips_kernel(const StripMatrix c, const StripShape shape, const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b,
                        const __grid_constant__ SddmmArgs<typename Config::Value, typename Config::Out> args) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using Value = typename Config::Value;
  using Out = typename Config::Out;
  extern __shared__ unsigned char dynamic[];
  __shared__ StripShared<Config> shared;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // known to be uniform
  const int row0 = static_cast<int>(blockIdx.x) * Config::kM, col0 = static_cast<int>(blockIdx.y) * Config::kN;
  const std::int64_t batch = blockIdx.z;
  const std::uint32_t aligned = (sm90::shared_address(dynamic) + 1023) & ~1023u;
  unsigned char* const stages = dynamic + (aligned - sm90::shared_address(dynamic));
  const StripPipe pipe{aligned, sm90::shared_address(shared.full), sm90::shared_address(shared.ready),
                       sm90::shared_address(shared.empty)};
  const StripSource<Config> source{&map_a, &map_b, shape, pipe, row0, col0, static_cast<int>(batch)};
  if (threadIdx.x == Config::kMultipliers) {
    sm90::prefetch_map(&map_a);
    sm90::prefetch_map(&map_b);
#pragma unroll
    for (int s = 0; s < Config::kStages; ++s) {
      sm90::barrier_init(pipe.full + 8 * s, 1);
      if (Config::kSplit) sm90::barrier_init(pipe.ready + 8 * s, 4);
      sm90::barrier_init(pipe.empty + 8 * s, 4 * Config::kGroups);
    }
    sm90::barrier_init_fence();
    shared.again = 0;
  }
  wait_for_kernel_in_front();
  const float alpha = shape.alpha.get();
  const bool skips = alpha == 0;
  const int chunks = skips ? 0 : shape.chunks;
  StripLane row_of_lane{};
  if (threadIdx.x == Config::kMultipliers) {
#pragma unroll 1
    for (int c = 0; c < Config::kStages && c < chunks; ++c) source.copy_chunk(c, c);
  } else if (warp < 4 * Config::kGroups) {
    row_of_lane = strip_lane(c, row0 + warp * static_cast<int>(kStripRows), batch);
  }
  __syncthreads();

  if (warp == 4 * Config::kGroups) {
    if (threadIdx.x == Config::kMultipliers) {
      StripStage<Config> at;
#pragma unroll 1
      for (int c = Config::kStages; c < chunks; ++c, at.next()) {
        sm90::barrier_wait(pipe.empty + 8 * at.stage, at.phase);
        source.copy_chunk(c, at.stage);
      }
    }
    return;
  }
  if constexpr (Config::kSplit) {
    if (warp > 4 * Config::kGroups) return split_chunks<Config>(pipe, stages, &shared.again, chunks);
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const StripWork work{batch, row0 + warp * static_cast<int>(kStripRows), col0, alpha, shape.beta.get(), skips};
  StripEntries& entries = shared.entries[warp];
  const StripRange range = find_entries(c, entries, row_of_lane, col0, Config::kN, batch);
  __syncwarp();
  StripPass first;
  first.load(StripIndices(c, batch * c.indices_stride + range.first), entries, 0, static_cast<unsigned>(col0 + c.base));

  float sums[Config::kN / 2];
  if (chunks == 0) {
#pragma unroll
    for (int i = 0; i < Config::kN / 2; ++i) sums[i] = 0;
  }
  bool again = false;
  if constexpr (Config::kSplit) {
    again = too_small(multiply_split<Config>(sums, pipe, warp, chunks));
    again = __any_sync(0xffffffffu, again || shared.again != 0);
  } else {
    const int group = warp / 4;
    if (shape.a_turned && shape.b_turned)
      multiply_chunks<Config, true, true>(sums, pipe, group, chunks);
    else if (shape.a_turned)
      multiply_chunks<Config, true, false>(sums, pipe, group, chunks);
    else if (shape.b_turned)
      multiply_chunks<Config, false, true>(sums, pipe, group, chunks);
    else
      multiply_chunks<Config, false, false>(sums, pipe, group, chunks);
  }
  let_kernel_behind_start();
  sm90::sync_threads(1, Config::kMultipliers);  // everybody has read its operands: sums take their place
  float* const tile = reinterpret_cast<float*>(stages) + warp * static_cast<int>(kStripRows) * Config::kStride;
#pragma unroll
  for (int j = 0; j < Config::kN / 8; ++j)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float2*>(tile + (h * 8 + lane / 4) * Config::kStride + j * 8 + lane % 4 * 2) = {
          sums[j * 4 + h * 2], sums[j * 4 + h * 2 + 1]};
  __syncwarp();
  auto* const lists = reinterpret_cast<StripList*>(stages + Config::kTileBytes);
  finish_entries<Value, Out, Config::kN, Config::kStride>(args, c, work, entries, range, first, tile, lists[warp],
                                                          again);
#endif
}

}  // namespace spk::cuda
