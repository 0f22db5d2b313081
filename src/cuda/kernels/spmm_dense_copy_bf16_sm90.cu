// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_dense_copy_sm90_launch.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

namespace spk::cuda {

void spmm_dense_copy_bf16(const SpmmCall& call, const Launch& launch) {
  // A plan may be run with alpha = 0: nothing of A and B may be looked at.
  if (call.p.skips_product()) return spmm_any_bf16(call, launch);
  if (!launch.device.runs_sm90a) return spmm_mma_tile_bf16(call, launch);
  if (call.p.c.type == ValueType::f32) return launch_copy_orders<__nv_bfloat16, float>(call, launch);
  launch_copy_orders<__nv_bfloat16, __nv_bfloat16>(call, launch);
}

}  // namespace spk::cuda
