// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_tile_sm80.cuh"

// Launches the kernels of spmm_dense_tile_sm80.cuh.
namespace spk::cuda {

template <class Config>
void launch_mma_config(const SpmmCall& call, const Launch& launch) {
  const auto tile = tile_args<typename Config::Value, typename Config::Out>(call, Config::kRows, Config::kCols);
  const auto kernel = spmm_mma_tile<Config>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, mma_shared_bytes<Config>());
  const auto blocks = static_cast<unsigned>(tile.tiles_m * tile.tiles_n * tile.spmm.batches);
  kernel<<<blocks, Config::kThreads, mma_shared_bytes<Config>(), launch.stream>>>(tile);
  SPK_CUDA_CHECK(cudaGetLastError());
}

template <class Value, class Out, TileMath kMath, bool kTurned>
void launch_mma_shape(const SpmmCall& call, const Launch& launch) {
  using Middle = MmaTileConfig<Value, Out, kMath, 64, 128, 2, kTurned>;
  using Small = MmaTileConfig<Value, Out, kMath, 32, 64, 3, kTurned>;
  const bool fits = mma_shared_bytes<Middle>() + sizeof(TileLines<Middle>) <= launch.device.shared_per_block;
  if (fits && best_tile_shape(launch.device, call.p, kMath) == TileShape::middle)
    launch_mma_config<Middle>(call, launch);
  else
    launch_mma_config<Small>(call, launch);
}

template <class Value, class Out, TileMath kMath>
void launch_mma_tiles(const SpmmCall& call, const Launch& launch) {
  if (operand(call.p.b, call.p.op_b).col_stride == 1)
    launch_mma_shape<Value, Out, kMath, true>(call, launch);
  else
    launch_mma_shape<Value, Out, kMath, false>(call, launch);
}

}  // namespace spk::cuda
