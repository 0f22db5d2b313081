// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/kernels/spmm_row_tile_sm90.cuh"

namespace spk::cuda {

void spmm_row_tile_f16(const SpmmCall& call, const Launch& launch) {
  // A plan may be run with alpha = 0: nothing of A and B may be looked at.
  if (call.p.skips_product()) return spmm_any_f16(call, launch);
  const RowTileShape shape = row_tile_shape(launch.device, call.p);
  if (shape.columns == 0) return spmm_mma_tile_f16(call, launch);
  if (call.p.c.type == ValueType::f32) return launch_row_tile<__half, float>(call, launch, shape);
  launch_row_tile<__half, __half>(call, launch, shape);
}

}  // namespace spk::cuda
