// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_copy_launch.cuh"
#include "cuda/kernels/spmm_dense_copy_sm90.cuh"

// Launches the kernels of spmm_dense_copy_sm90.cuh.
namespace spk::cuda {

template <class Config>
void launch_copy_config(const SpmmCall& call, const Launch& launch, int slices) {
  launch_copy<Config>(spmm_dense_copy<Config>, call, launch, slices);
}

template <class Value, class Out, bool kSwapped, bool kTurned>
void launch_copy_tile(const SpmmCall& call, const Launch& launch) {
  const CopyShape shape = best_copy_shape(launch.device, call.p, TileMath::sixteen_bit);
  switch (shape.tile) {
    case CopyTile::t64x64:
      return launch_copy_config<CopyConfig<Value, Out, CopyTile::t64x64, 8, kSwapped, kTurned>>(call, launch,
                                                                                                shape.slices);
    case CopyTile::t64x128:
      return launch_copy_config<CopyConfig<Value, Out, CopyTile::t64x128, 8, kSwapped, kTurned>>(call, launch,
                                                                                                 shape.slices);
    case CopyTile::t128x128:
      return launch_copy_config<CopyConfig<Value, Out, CopyTile::t128x128, 6, kSwapped, kTurned>>(call, launch,
                                                                                                  shape.slices);
    case CopyTile::t128x256:
      if constexpr (sizeof(Out) == 2)
        return launch_copy_config<CopyConfig<Value, Out, CopyTile::t128x256, 4, kSwapped, kTurned>>(call, launch, 1);
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
