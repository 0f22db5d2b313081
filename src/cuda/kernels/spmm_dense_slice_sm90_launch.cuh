// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/spmm_dense_slice_sm90.cuh"
#include "cuda/kernels/spmm_dense_tile_sm90_launch.cuh"

// Launches the kernels of spmm_dense_slice_sm90.cuh.
namespace spk::cuda {

template <class Config>
void launch_slice_config(const SpmmCall& call, const Launch& launch, const SliceShape& shape) {
  using Value = typename Config::Value;
  SliceArgs<Value, typename Config::Out> slice{};
  slice.tile = tile_args<Value, typename Config::Out>(call, Config::kRows, Config::kCols);
  slice.slices = shape.slices;
  slice.chunks = shape.chunks;
  slice.chunks_per_step = shape.chunks_per_step;
  slice.stages = shape.stages;
  const CUtensorMap map = tensor_map_of_b<Value>(call.p, Config::kLine);
  const auto kernel = spmm_dense_slice<Config>;
  // Besides these bytes the kernel has some of its own: the limit of 48 KB that holds without asking is for both.
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device,
                      std::max<std::size_t>(static_cast<std::size_t>(shape.shared_bytes), 49 << 10));
  const std::int64_t blocks = slice.tile.tiles_m * slice.tile.tiles_n * slice.tile.spmm.batches * shape.slices;
  launch_kernel(kernel,
                {static_cast<unsigned>(blocks), Config::kThreads, static_cast<std::size_t>(shape.shared_bytes), false,
                 shape.slices},
                launch.stream, map, slice);
}

template <class Value, class Out>
void launch_slice_shape(const SpmmCall& call, const Launch& launch, const SliceShape& shape) {
  switch (shape.tile) {
    case SliceTile::t64x64: return launch_slice_config<SliceConfig<Value, Out, SliceTile::t64x64>>(call, launch, shape);
    case SliceTile::t64x128:
      return launch_slice_config<SliceConfig<Value, Out, SliceTile::t64x128>>(call, launch, shape);
    case SliceTile::t128x128:
      if constexpr (!std::is_same_v<Value, float>)
        return launch_slice_config<SliceConfig<Value, Out, SliceTile::t128x128>>(call, launch, shape);
    case SliceTile::t128x256:
      if constexpr (!std::is_same_v<Value, float>)
        return launch_slice_config<SliceConfig<Value, Out, SliceTile::t128x256>>(call, launch, shape);
  }
}

template <class Value>
void launch_slices(const SpmmCall& call, const Launch& launch) {
  const SliceShape shape = best_slice_shape(launch.device, call.p);
  if (call.p.c.type == ValueType::f32) return launch_slice_shape<Value, float>(call, launch, shape);
  launch_slice_shape<Value, Value>(call, launch, shape);
}

}  // namespace spk::cuda
