// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_copy_launch.cuh"
#include "cuda/kernels/spmm_dense_copy_sm90.cuh"

// Launches the kernels of spmm_dense_copy_sm90.cuh.
namespace spk::cuda {

// C as a tensor of what a warp stores by way of shared memory.
template <class Config>
CUtensorMap tensor_map_of_c(const SpmmProblem& p) {
  return tensor_map_of_lines<typename Config::Out>(p.c.values, Config::kSwapped ? p.m : p.n,
                                                   Config::kSwapped ? p.n : p.m, p.c.batch_count, p.c.ld,
                                                   p.c.batch_count > 1 ? p.c.batch_stride : p.c.ld, kWarpLines);
}

template <class Config>
void launch_copy_config(const SpmmCall& call, const Launch& launch, int slices) {
  const auto kernel = spmm_dense_copy<Config>;
  auto ready = make_copy_for<Config>(reinterpret_cast<const void*>(kernel), call, launch, slices);
  CUtensorMap map_c{};
  if constexpr (sizeof(typename Config::Out) == 2 && !Config::kSliced) {
    // What is stored ends at a multiple of 16 bytes.
    ready.product.stores_staged = ready.product.tile.vector_c && ready.shape.blocks.x == ready.product.tiles &&
                                  (Config::kSwapped ? call.p.m : call.p.n) % 8 == 0;
    if (ready.product.stores_staged) map_c = tensor_map_of_c<Config>(call.p);
  }
  launch_kernel(kernel, ready.shape, launch.stream, ready.map_a, ready.map_b, map_c, ready.product);
}

template <class Value, class Out, CopyTile kTile, int kStages, bool kSwapped, bool kTurned>
void launch_copy_slices(const SpmmCall& call, const Launch& launch, int slices) {
  slices > 1
      ? launch_copy_config<CopyConfig<Value, Out, kTile, kStages, kSwapped, kTurned, true>>(call, launch, slices)
      : launch_copy_config<CopyConfig<Value, Out, kTile, kStages, kSwapped, kTurned, false>>(call, launch, slices);
}

template <class Value, class Out, bool kSwapped, bool kTurned>
void launch_copy_tile(const SpmmCall& call, const Launch& launch) {
  const CopyShape shape = best_copy_shape(launch.device, call.p, TileMath::sixteen_bit);
  switch (shape.tile) {
    case CopyTile::t64x64:
      return launch_copy_slices<Value, Out, CopyTile::t64x64, 8, kSwapped, kTurned>(call, launch, shape.slices);
    case CopyTile::t64x128:
      return launch_copy_slices<Value, Out, CopyTile::t64x128, 8, kSwapped, kTurned>(call, launch, shape.slices);
    case CopyTile::t128x128:
      return launch_copy_config<CopyConfig<Value, Out, CopyTile::t128x128, 6, kSwapped, kTurned, false>>(call, launch,
                                                                                                         1);
    case CopyTile::t128x256:
      if constexpr (sizeof(Out) == 2)
        return launch_copy_config<CopyConfig<Value, Out, CopyTile::t128x256, 4, kSwapped, kTurned, false>>(call, launch,
                                                                                                           1);
    case CopyTile::t128x64: break;  // of f32 alone
  }
}

template <class Value, class Out>
void launch_copy_orders(const SpmmCall& call, const Launch& launch) {
  const bool turned = operand(call.p.b, call.p.op_b).col_stride == 1;
  if (call.p.c.order == Order::row)
    return turned ? launch_copy_tile<Value, Out, false, true>(call, launch)
                  : launch_copy_tile<Value, Out, false, false>(call, launch);
  return turned ? launch_copy_tile<Value, Out, true, true>(call, launch)
                : launch_copy_tile<Value, Out, true, false>(call, launch);
}

}  // namespace spk::cuda
