// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_dense_tile_sm80_launch.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

namespace spk::cuda {

void spmm_mma_tile_bf16(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32)
    return launch_mma_tiles<__nv_bfloat16, float, TileMath::sixteen_bit>(call, launch);
  launch_mma_tiles<__nv_bfloat16, __nv_bfloat16, TileMath::sixteen_bit>(call, launch);
}

}  // namespace spk::cuda
