// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sddmm_clusters.cuh"
#include "cuda/kernels/sddmm_dense.cuh"
#include "cuda/kernels/sm90_products.cuh"

// SDDMM of CSR by clusters of blocks that have whole rows of C, on SM 9.0a, in one launch.
//
// The blocks of a cluster form the product of kRows rows, each kCols of its columns: columns of op(B) lie along m of the
// matrix products and rows of op(A), which may be few, along n. One warp asks for chunks of 128 bytes along k by tensor copies;
// the others meanwhile load the columns of their entries. Then every block sends the others their rows' sums, so that each has
// some rows from end to end, and takes from these what C stores: nothing is searched for but the rows of entries, among
// the offsets of a few, and rows may be in any order.
//
// f32: three TF32 products of split operands; op(B) is split in registers, op(A) in shared memory, the upper parts in place,
// the lower ones behind them. Where parts would be lost, sums are NaN, and these are formed once more from the operands.
namespace spk::cuda {

constexpr int kClusterStages = 8;  // at most

template <class ValueT, class OutT, int kRowsT, int kGroupsT>
struct ClusterConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr bool kSplit = std::is_same_v<Value, float>;
  static constexpr int kRows = kRowsT, kGroups = kGroupsT, kCols = 64 * kGroups;
  static constexpr int kChunk = 128 / static_cast<int>(sizeof(Value));
  static constexpr int kMultipliers = 128 * kGroups, kThreads = kMultipliers + 32;
  static constexpr int kWarps = kMultipliers / 32;
  static constexpr int kBytesM = kCols * 128, kBytesN = kRows * 128;
  static constexpr int kStageBytes = kBytesM + (kSplit ? 2 : 1) * kBytesN;
  static constexpr int kStride =
      kCols + 4;  // floats from row to row of the sums: no two of a warp's writes share a bank
  static constexpr int kTileBytes = kRows * kStride * 4;
  static constexpr int shared_bytes(int stages, int own_rows, int blocks) {
    return 1024 + stages * kStageBytes + kTileBytes + (blocks > 1 ? blocks * own_rows * kStride * 4 : 0);
  }
};

// Of the operands.
struct ClusterShape {
  int chunks, stages;
  int own_rows;           // of each block of a cluster; the last ones may have fewer
  unsigned step;          // half of the least power of two that is no less
  bool a_batch, b_batch;  // matrices of a batch have their own
  bool b_turned;          // not contiguous along k, but across
  ScalarArgument<float> alpha, beta;
};

template <class Config>
struct ClusterShared {
  alignas(8) std::uint64_t full[kClusterStages], empty[kClusterStages], sums;
  unsigned offsets[Config::kWarps][Config::kRows + 1];
  int too_small;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
namespace sm90 {
// From this block's shared memory to that of another block of the cluster, whose barrier gets the number of bytes; both
// addresses there are ones of address_in().
__device__ inline void copy_there(std::uint32_t to, std::uint32_t from, int bytes, std::uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "r"(from), "r"(bytes), "r"(barrier)
               : "memory");
}
// By whole warps; nothing that was written before need be there for others.
__device__ inline void arrive_in_cluster_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ inline void wait_for_cluster_aligned() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ inline int cluster_in_grid() {
  int id;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
  return id;
}
__device__ inline int blocks_of_cluster() {
  int count;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return count;
}
}  // namespace sm90

struct ClusterPipe {
  std::uint32_t stages, full, empty;
  int chunks, count;  // count: stages
};

struct ClusterStage {
  int stage = 0, phase = 0;
  __device__ void next(int count) {
    if (++stage == count) stage = 0, phase ^= 1;
  }
};

// A warp has read a chunk: its stage may take another, if there is one.
__device__ inline void free_stage(const ClusterPipe& pipe, int chunk, int stage) {
  if (threadIdx.x % 32 == 0 && chunk + pipe.count < pipe.chunks) sm90::barrier_arrive(pipe.empty + 8 * stage);
}

// 16-bit operands are multiplied as they lie there.
template <class Config, bool kTurned>
__device__ void multiply_in_cluster(float (&sums)[Config::kRows / 2], const ClusterPipe& pipe, int warp) {
  using Product = sm90::HalfProduct<typename Config::Value, Config::kRows, kTurned, false>;
  constexpr int kStepM = (kTurned ? 2048 : 32) >> 4;  // 16 lines of 128 bytes, or 32 bytes of every line
  ClusterStage at;
  int before = 0;
#pragma unroll 1
  for (int i = 0; i < pipe.chunks; ++i) {
    sm90::barrier_wait(pipe.full + 8 * at.stage, at.phase);
    const std::uint32_t stage = pipe.stages + at.stage * Config::kStageBytes;
    const std::uint64_t m = sm90::descriptor(stage + warp / 4 * 64 * 128);
    const std::uint64_t n = sm90::descriptor(stage + Config::kBytesM);
    sm90::product_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step) Product::add(sums, m + step * kStepM, n + step * (32 >> 4), i + step);
    sm90::product_commit();
    sm90::product_wait<1>();
    if (i > 0) free_stage(pipe, i - 1, before);
    before = at.stage;
    at.next(pipe.count);
  }
}

// The same of f32 operands. Returns whether some were too small for that.
template <class Config>
__device__ bool multiply_split_in_cluster(float (&sums)[Config::kRows / 2], const ClusterPipe& pipe,
                                          unsigned char* stages, int* too_small_n, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned least = ~0u, least_n = ~0u;
  ClusterStage at;
#pragma unroll 1
  for (int i = 0; i < pipe.chunks; ++i) {
    const std::uint32_t stage = pipe.stages + at.stage * Config::kStageBytes;
    unsigned char* const lines = stages + at.stage * Config::kStageBytes + Config::kBytesM;
    sm90::barrier_wait(pipe.full + 8 * at.stage, at.phase);
#pragma unroll
    for (int j = static_cast<int>(threadIdx.x) * 16; j < Config::kBytesN; j += Config::kMultipliers * 16) {
      uint4 x = *reinterpret_cast<const uint4*>(lines + j), low;
      note_size(x.x, least_n);
      note_size(x.y, least_n);
      note_size(x.z, least_n);
      note_size(x.w, least_n);
      split_in_two(x.x, x.x, low.x);
      split_in_two(x.y, x.y, low.y);
      split_in_two(x.z, x.z, low.z);
      split_in_two(x.w, x.w, low.w);
      *reinterpret_cast<uint4*>(lines + j) = x;
      *reinterpret_cast<uint4*>(lines + Config::kBytesN + j) = low;
    }
    if (too_small(least_n)) *too_small_n = 1;
    unsigned upper[4][4], lower[4][4];
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      load_matrices(upper[step],
                    stage + static_cast<unsigned>(slice_byte(warp * 16 + lane % 16, (step * 2 + lane / 16) * 16)));
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        note_size(upper[step][e], least);
        split_in_two(upper[step][e], upper[step][e], lower[step][e]);
      }
    }
    sm90::proxy_fence();  // what was written here is for matrix products
    sm90::sync_threads(1, Config::kMultipliers);
    const std::uint64_t upper_n = sm90::descriptor(stage + Config::kBytesM);
    const std::uint64_t lower_n = sm90::descriptor(stage + Config::kBytesM + Config::kBytesN);
    sm90::product_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      const int along = step * (32 >> 4);
      sm90::ProductTf32<Config::kRows>::add(sums, lower[step], upper_n + along, i + step);
      sm90::ProductTf32<Config::kRows>::add(sums, upper[step], lower_n + along, 1);
      sm90::ProductTf32<Config::kRows>::add(sums, upper[step], upper_n + along, 1);
    }
    sm90::product_commit();
    sm90::product_wait<0>();
    free_stage(pipe, i, at.stage);
    at.next(pipe.count);
  }
  return __any_sync(0xffffffffu, too_small(least)) || *too_small_n != 0;
}

#endif

// What a kernel without split operands has in the place of its arguments.
struct NoSddmmArgs {};
template <class Config>
using ClusterArgs =
    std::conditional_t<Config::kSplit, SddmmArgs<typename Config::Value, typename Config::Out>, NoSddmmArgs>;

// Mapping: clusters have kRows neighbouring rows each, their blocks kCols neighbouring columns; blockIdx.y counts matrices of
// the batch.
template <class Config>
__global__ void __launch_bounds__(Config::kThreads)
    sddmm_clusters_kernel(const StripMatrix c, const ClusterShape shape, const __grid_constant__ CUtensorMap map_a,
                          const __grid_constant__ CUtensorMap map_b, const __grid_constant__ ClusterArgs<Config> args) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using Value = typename Config::Value;
  using Out = typename Config::Out;
  extern __shared__ unsigned char dynamic[];
  __shared__ ClusterShared<Config> shared;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // known to be uniform
  const int lane = static_cast<int>(threadIdx.x) % 32, rank = sm90::rank_in_cluster();
  const int row0 = sm90::cluster_in_grid() * Config::kRows, col0 = rank * Config::kCols;
  const int batch = static_cast<int>(blockIdx.y);
  const std::uint32_t aligned = (sm90::shared_address(dynamic) + 1023) & ~1023u;
  unsigned char* const stages = dynamic + (aligned - sm90::shared_address(dynamic));
  ClusterPipe pipe{aligned, sm90::shared_address(shared.full), sm90::shared_address(shared.empty), 0, shape.stages};
  const int blocks = sm90::blocks_of_cluster();
  // Rows of the block, from the cluster's first on.
  const int own0 = min(rank * shape.own_rows, Config::kRows), own = min(shape.own_rows, Config::kRows - own0);
  const bool sends = blocks > 1;
  const std::uint32_t arrived = sm90::shared_address(&shared.sums);
  if (threadIdx.x == Config::kMultipliers) {
    sm90::prefetch_map(&map_a);
    sm90::prefetch_map(&map_b);
#pragma unroll 1
    for (int s = 0; s < pipe.count; ++s) {
      sm90::barrier_init(pipe.full + 8 * s, 1);
      sm90::barrier_init(pipe.empty + 8 * s, Config::kWarps);
    }
    sm90::barrier_init(arrived, 1);
    sm90::barrier_init_fence();
    sm90::barrier_arrive_expect(arrived, (blocks - 1) * own * Config::kStride * 4);
    shared.too_small = 0;
  }
  __syncwarp();
  sm90::arrive_in_cluster_relaxed();  // others may send to this block
  wait_for_kernel_in_front();
  const float alpha = shape.alpha.get(), beta = shape.beta.get();
  pipe.chunks = alpha == 0 ? 0 : shape.chunks;
  const auto copy_chunk = [&](int chunk, int stage) {
    const std::uint32_t to = pipe.stages + stage * Config::kStageBytes, barrier = pipe.full + 8 * stage;
    const int k = chunk * Config::kChunk;
    sm90::barrier_arrive_expect(barrier, Config::kBytesM + Config::kBytesN);
    if (!Config::kSplit && shape.b_turned)
      for (int i = 0; i < Config::kCols; i += 64)
        sm90::tensor_copy(to + i * 128, &map_b, barrier, col0 + i, k, shape.b_batch ? batch : 0);
    else
      sm90::tensor_copy(to, &map_b, barrier, k, col0, shape.b_batch ? batch : 0);
    sm90::tensor_copy(to + Config::kBytesM, &map_a, barrier, k, row0, shape.a_batch ? batch : 0);
  };
  ClusterEntries mine{};
  if (threadIdx.x == Config::kMultipliers) {
#pragma unroll 1
    for (int i = 0; i < pipe.count && i < pipe.chunks; ++i) copy_chunk(i, i);
  } else if (warp < Config::kWarps) {
    mine = entries_of_warp<Config::kRows>(c, shared.offsets[warp], row0 + own0, own, batch, static_cast<unsigned>(warp),
                                          Config::kWarps);
  }
  __syncthreads();

  if (warp == Config::kWarps) {
    if (threadIdx.x == Config::kMultipliers) {
      ClusterStage at;
#pragma unroll 1
      for (int i = pipe.count; i < pipe.chunks; ++i, at.next(pipe.count)) {
        sm90::barrier_wait(pipe.empty + 8 * at.stage, at.phase);
        copy_chunk(i, at.stage);
      }
    }
    __syncwarp();
    sm90::wait_for_cluster_aligned();
    sm90::arrive_in_cluster_relaxed();
    return sm90::wait_for_cluster_aligned();
  }
  const unsigned* const offsets = shared.offsets[warp];
  const auto rows = static_cast<unsigned>(own), base = static_cast<unsigned>(c.base);
  const unsigned words = c.index_type == IndexType::i32 ? 1 : 2;
  const ClusterIndices indices{
      reinterpret_cast<const std::uint32_t*>(c.indices) + (batch * c.indices_stride + mine.first) * words, words, base};
  ClusterPass<Config> pass, ahead;
  pass.load(indices, mine.begin, mine.end);
  constexpr unsigned kPass = kClusterEach * 32;
  ahead.load(indices, mine.begin + kPass, mine.end);

  float sums[Config::kRows / 2];
#pragma unroll
  for (int i = 0; i < Config::kRows / 2; ++i) sums[i] = 0;
  bool lost = false;
  if constexpr (Config::kSplit)
    lost = multiply_split_in_cluster<Config>(sums, pipe, stages, &shared.too_small, warp);
  else if (shape.b_turned)
    multiply_in_cluster<Config, true>(sums, pipe, warp);
  else
    multiply_in_cluster<Config, false>(sums, pipe, warp);
  let_kernel_behind_start();
  pass.find(offsets, rows, shape.step, mine.begin, base);
  sm90::product_wait<0>();
  sm90::keep(sums);
  const std::uint32_t tile = pipe.stages + pipe.count * Config::kStageBytes;
  const float* own_sums = reinterpret_cast<const float*>(stages + pipe.count * Config::kStageBytes);
  float* const to = reinterpret_cast<float*>(stages + pipe.count * Config::kStageBytes) + warp * 16 + lane / 4;
  // The block's own rows go at once to where those of the others arrive.
  const int own_shift = sends ? Config::kRows + rank * own - own0 : 0;
#pragma unroll
  for (int j = 0; j < Config::kRows / 8; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float x = Config::kSplit && lost ? __int_as_float(0x7fffffff) : sums[j * 4 + i];
      const int row = j * 8 + lane % 4 * 2 + i % 2;
      const bool stays = static_cast<unsigned>(row - own0) < static_cast<unsigned>(own);
      to[(row + (stays ? own_shift : 0)) * Config::kStride + i / 2 * 8] = x;
    }
  sm90::wait_for_cluster_aligned();
  if (sends) {
    sm90::proxy_fence();
    sm90::sync_threads(1, Config::kMultipliers);
    for (int to_block = warp; to_block * shape.own_rows < Config::kRows; to_block += Config::kWarps) {
      if (to_block == rank) continue;
      const int from = to_block * shape.own_rows, count = min(shape.own_rows, Config::kRows - from);
      const std::uint32_t place = tile + Config::kTileBytes + rank * count * Config::kStride * 4;
      if (lane == 0)
        sm90::copy_there(sm90::address_in(to_block, place), tile + from * Config::kStride * 4,
                         count * Config::kStride * 4, sm90::address_in(to_block, arrived));
    }
    own_sums += Config::kTileBytes / 4;
    sm90::barrier_wait(arrived, 0);
  } else {
    sm90::sync_threads(1, Config::kMultipliers);
  }
  // This block has all that is for it; once all have, none is read any more.
  __syncwarp();
  sm90::arrive_in_cluster_relaxed();

  Out* const values = static_cast<Out*>(c.values) + batch * c.values_stride + mine.first;
#pragma unroll 1
  for (unsigned begin = mine.begin; begin < mine.end; begin += kPass) {
    float x[kClusterEach], odd = 0;
#pragma unroll
    for (unsigned u = 0; u < kClusterEach; ++u) {
      x[u] = own_sums[pass.at[u]];
      if (Config::kSplit) odd = fmaf(x[u], 0.0f, odd);
    }
    if constexpr (Config::kSplit) {
      if (__any_sync(0xffffffffu, alpha != 0 && !(odd == 0))) {
#pragma unroll 1
        for (unsigned u = 0; u < kClusterEach; ++u) {
          const unsigned place = begin + u * 32 + lane;
          const float sum = x[0];
#pragma unroll
          for (unsigned i = 0; i + 1 < kClusterEach; ++i) x[i] = x[i + 1];
          x[kClusterEach - 1] = sum_again(args, indices, offsets, rows, shape.step, row0 + own0, batch, place,
                                          place < mine.end && !isfinite(sum), sum);
        }
      }
    }
    if (begin + kPass < mine.end) {
      pass = ahead;
      pass.find(offsets, rows, shape.step, begin + kPass, base);
      ahead.load(indices, begin + 2 * kPass, mine.end);
    }
    Out* const at = values + (begin + static_cast<unsigned>(lane));
    const int left = static_cast<int>(mine.end - begin) - lane;
    if (beta != 0) {
#pragma unroll
      for (int u = 0; u < static_cast<int>(kClusterEach); ++u) {
        x[u] *= alpha;
        if (u * 32 < left) x[u] = fmaf(beta, to_sum(at[u * 32]), x[u]);
      }
    } else {
#pragma unroll
      for (unsigned u = 0; u < kClusterEach; ++u) x[u] *= alpha;
    }
#pragma unroll
    for (int u = 0; u < static_cast<int>(kClusterEach); ++u)
      if (u * 32 < left) at[u * 32] = FromSum<Out>::of(x[u]);
  }
  __syncwarp();
  sm90::wait_for_cluster_aligned();
#endif
}

}  // namespace spk::cuda
