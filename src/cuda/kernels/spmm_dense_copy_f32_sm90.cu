// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_dense_copy_f32_sm90.cuh"
#include "cuda/kernels/spmm_dense_copy_launch.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

namespace spk::cuda {
namespace {

template <class Config>
void launch_config(const SpmmCall& call, const Launch& launch, int slices) {
  const auto kernel = spmm_dense_copy_f32<Config>;
  const auto ready = make_copy_for<Config>(reinterpret_cast<const void*>(kernel), call, launch, slices);
  launch_kernel(kernel, ready.shape, launch.stream, ready.map_a, ready.map_b, ready.product);
}

template <TileMath kMath, bool kTurned>
void launch_tile(const SpmmCall& call, const Launch& launch) {
  constexpr bool kSplit = kMath == TileMath::split_tf32;
  const CopyShape shape = best_copy_shape(launch.device, call.p, kMath);
  switch (shape.tile) {
    case CopyTile::t64x64:
      return launch_config<CopyConfigF32<kMath, 1, 64, kSplit ? 7 : 8, kTurned>>(call, launch, shape.slices);
    case CopyTile::t128x64:
      return launch_config<CopyConfigF32<kMath, 2, 64, kSplit ? 5 : 7, kTurned>>(call, launch, shape.slices);
    default: return launch_config<CopyConfigF32<kMath, 2, 128, kSplit ? 3 : 4, kTurned>>(call, launch, shape.slices);
  }
}

template <TileMath kMath>
void launch_math(const SpmmCall& call, const Launch& launch, SpmmKernel* other) {
  // A plan may be run with alpha = 0: nothing of A and B may be looked at.
  if (call.p.skips_product()) return spmm_any_f32(call, launch);
  if (!launch.device.runs_sm90a) return other(call, launch);
  operand(call.p.b, call.p.op_b).col_stride == 1 ? launch_tile<kMath, true>(call, launch)
                                                 : launch_tile<kMath, false>(call, launch);
}

}  // namespace

void spmm_dense_copy_split_tf32(const SpmmCall& call, const Launch& launch) {
  launch_math<TileMath::split_tf32>(call, launch, spmm_mma_tile_split_tf32);
}
void spmm_dense_copy_tf32(const SpmmCall& call, const Launch& launch) {
  launch_math<TileMath::tf32>(call, launch, spmm_mma_tile_tf32);
}

}  // namespace spk::cuda
