// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sm90.hpp"
#include "cuda/kernels/spmm_dense_tile_sm90_launch.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

namespace spk::cuda {

void spmm_dense_tile_f16(const SpmmCall& call, const Launch& launch) {
  if (!has_sm90a(launch.device)) return spmm_mma_tile_f16(call, launch);
  if (call.p.c.type == ValueType::f32) return launch_tiles<__half, float, TileMath::sixteen_bit>(call, launch);
  launch_tiles<__half, __half, TileMath::sixteen_bit>(call, launch);
}

}  // namespace spk::cuda
