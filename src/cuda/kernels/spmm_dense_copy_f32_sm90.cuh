// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sm90_split.cuh"
#include "cuda/kernels/spmm_dense_copy_source.cuh"

// C^T = B^T A^T on SM 9.0a in f32, in tf32 or split products of it, with a dense copy of op(A), hi and lo, that the kernel in
// front has made (spmm_dense_copy_expand.cu).
//
// The columns of B are the M of wgmma, the rows of A its N. One warp asks for chunks of 32 along k by tensor copies, through
// kStages stages of shared memory. Each of kGroups warpgroups has 64 columns by kN rows, and brings them to C by way of
// shared memory of its own, so that the others go on. Blocks stay, and go from tile to tile. Of few tiles the blocks of a
// cluster take slices of k each; every block finishes some lines of C, adding the sums of all slices in order.
//
// What was not stored never meets B: a value of B that is not finite makes every sum of its column so; a NaN in a row whose
// columns do not increase strictly, or have tiny values, those of the row; tiny operands of B those of their column. Sums
// that are not finite, and those of short rows, are made again from the stored entries alone.
namespace spk::cuda {

template <TileMath kMathT, int kGroupsT, int kNT, int kStagesT, bool kTurnedT>
struct CopyConfigF32 {
  using Value = float;
  using Out = float;
  static constexpr bool kSwapped = true, kTurned = kTurnedT;
  static constexpr TileMath kMath = kMathT;
  static constexpr bool kSplit = kMath == TileMath::split_tf32;
  static constexpr int kGroups = kGroupsT, kM = 64 * kGroups, kN = kNT, kStages = kStagesT;
  static constexpr int kPlanes = kSplit ? 2 : 1, kChunk = 32;
  static constexpr int kBytesM = kM * 128, kBytesN = kPlanes * kN * 128, kStageBytes = kBytesM + kBytesN;
  // A thread has up to 128 sums: others give it registers, which goes by warpgroups.
  static constexpr bool kMovesRegisters = kGroups == 2 && kN == 128;
  static constexpr int kThreads = 128 * kGroups + (kMovesRegisters ? 128 : 32);
  // What one warpgroup finishes: names as in spmm_dense_tile.cuh.
  static constexpr int kRows = kN, kCols = 64;
  static constexpr int kSumBytes = 4 * (kRows > kCols ? kRows * (kCols + 4) : kCols * (kRows + 4));
  static constexpr int kSharedBytes = 1024 + kStages * kStageBytes + kGroups * kSumBytes;
};

template <class Config>
struct CopySharedF32 : CopyShared<Config> {
  TileLines<Config> lines[Config::kGroups];
};

// The group's lines of C that this block finishes, all of them unless there are slices.
template <class Config, class Product>
__device__ LineRange lines_to_finish(const Product& product, int rank) {
  const int lines = product.tile.spmm.c.col_stride == 1 ? Config::kRows : Config::kCols, share = lines / product.slices;
  return {rank * share, (rank + 1) * share};
}

// Adds what the other blocks of the cluster have of these lines, in the order of slices.
template <class Config>
__device__ void add_slices(bool along_cols, LineRange range, int slices, std::uint32_t staged) {
  const int per_line = (along_cols ? Config::kCols : Config::kRows) / 4;
  for (int i = static_cast<int>(threadIdx.x) % 128; i < (range.end - range.begin) * per_line; i += 128) {
    const std::uint32_t at = staged + ((range.begin + i / per_line) * (per_line + 1) + i % per_line) * 16;
    float4 sum{};
    for (int s = 0; s < slices; ++s) {
      const float4 x = sm90::load_there(sm90::address_in(s, at));
      sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
    }
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(sum.x), "f"(sum.y), "f"(sum.z), "f"(sum.w)
                 : "memory");
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    spmm_dense_copy_f32(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                        const __grid_constant__ CopyProduct<float, float> product) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char dynamic[];
  __shared__ CopySharedF32<Config> shared;
  const auto& args = product.tile.spmm;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // known to be uniform
  const std::uint32_t full = sm90::shared_address(shared.full), empty = sm90::shared_address(shared.empty);
  const std::uint32_t stages = (sm90::shared_address(dynamic) + 1023) & ~1023u;
  const int slices = product.slices, rank = slices > 1 ? sm90::rank_in_cluster() : 0;
  const bool asks = threadIdx.x == 128 * Config::kGroups;
  if (warp == 4 * Config::kGroups) shared.init();
  if (asks) {
    sm90::prefetch_map(&map_a);
    sm90::prefetch_map(&map_b);
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
  let_kernel_behind_start();

  if (warp >= 4 * Config::kGroups) {
    if constexpr (Config::kMovesRegisters) sm90::give_registers<40>();
    if (asks) ask_for_operands<Config>(source, product, empty, first_tile, step, first_chunk, chunks);
    __syncwarp();
    if (slices > 1) sm90::sync_cluster();
  } else {
    if constexpr (Config::kMovesRegisters) sm90::take_registers<232>();
    wait_for_kernel_in_front();
    const int group = warp / 4, thread = static_cast<int>(threadIdx.x) % 128;
    const bool along_cols = args.c.col_stride == 1;
    const StagedSteps<Config> steps(along_cols);
    const std::uint32_t staged = stages + Config::kStages * Config::kStageBytes + group * Config::kSumBytes;
    float* const sums = reinterpret_cast<float*>(dynamic + (staged - sm90::shared_address(dynamic)));
    TileLines<Config>& lines = shared.lines[group];
    int stage = 0, phase = 0;
    for (std::int64_t at = first_tile; at < product.tiles; at += step) {
      const CopyPlace place = place_of_tile<Config>(product, at);
      const std::int64_t row = place.place, col = place.line + group * 64;
      lines.read(product.tile, place.batch, row, active, thread, 128);
      Tf32Product<Config::kN, Config::kSplit, Config::kTurned> sum;
      sum.start();
      if (chunks > 0) {
        sm90::barrier_wait(full + 8 * stage, phase);
        sum.load(stages + stage * Config::kStageBytes + group * 64 * 128);
      }
      for (int c = 0; c < chunks; ++c) {
        const int now = stage;
        const std::uint32_t n = stages + stage * Config::kStageBytes + Config::kBytesM;
        sum.multiply(n, n + Config::kN * 128, c);
        if (++stage == Config::kStages) stage = 0, phase ^= 1;
        if (c + 1 < chunks) {
          sm90::barrier_wait(full + 8 * stage, phase);
          sum.load(stages + stage * Config::kStageBytes + group * 64 * 128);
        }
        sm90::product_wait<0>();
        release(empty + 8 * now);
      }
      sum.finish();
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float* to = sums + sum.column(half) * steps.col + thread % 4 * 2 * steps.row;
#pragma unroll
        for (int i = 0; i < Config::kN / 8; ++i) {
          to[8 * i * steps.row] = sum.sums[4 * i + 2 * half];
          to[(8 * i + 1) * steps.row] = sum.sums[4 * i + 2 * half + 1];
        }
      }
      const LineRange range = lines_to_finish<Config>(product, rank);
      if (slices > 1) {
        sm90::sync_cluster();
        add_slices<Config>(along_cols, range, slices, staged);
      }
      sm90::sync_threads(1 + group, 128);
      if (make_rows_again<Config, 128>(product.tile, lines, place.batch, col, sums, thread, range))
        sm90::sync_threads(1 + group, 128);
      finish_staged<Config, 128>(product.tile, scaling, lines, place.batch, row, col, active, sums, thread, range);
      sm90::sync_threads(1 + group, 128);  // sums and lines are read to their end
    }
  }
  // None leaves while others read what it has.
  if (slices > 1) sm90::sync_cluster();
#endif
}

}  // namespace spk::cuda
