// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sddmm_strips_sm90.cuh"
#include "cuda/kernels/sm90.hpp"
#include "cuda/kernels/sm90_maps.cuh"

// Launches the kernels of sddmm_strips_sm90.cuh.
namespace spk::cuda {

// op(A), or op(B) seen as its transpose, with `count` rows, as a tensor of boxes: 128 bytes along k by `rows`, or, where
// rows lie side by side, 128 bytes of these by a chunk along k.
template <class T>
CUtensorMap tensor_map_of(const SddmmOperand<T>& x, std::int64_t count, std::int64_t k, std::int64_t batches,
                          int rows) {
  constexpr int kLine = 128 / static_cast<int>(sizeof(T));
  const bool turned = x.k_stride != 1, batch = batches > 1 && x.batch_stride != 0;
  const std::int64_t pitch = turned ? x.k_stride : x.stride;
  return tensor_map_of_lines<T>(x.values, turned ? count : k, turned ? k : count, batch ? batches : 1, pitch,
                                batch ? x.batch_stride : pitch, turned ? kLine : rows);
}

template <class Config>
void launch_strips_config(const SddmmProblem& p, const Launch& launch) {
  using Value = typename Config::Value;
  const auto args = sddmm_args<Value, typename Config::Out>(p);
  const auto ceil_div = [](std::int64_t x, std::int64_t y) { return static_cast<unsigned>((x + y - 1) / y); };
  StripShape shape{};
  shape.chunks = static_cast<int>(ceil_div(p.k, Config::kChunk));
  shape.a_turned = args.a.k_stride != 1;
  shape.b_turned = args.b.k_stride != 1;
  shape.a_batch = args.a.batch_stride != 0;
  shape.b_batch = args.b.batch_stride != 0;
  shape.alpha = args.alpha;
  shape.beta = args.beta;
  const CUtensorMap map_a = tensor_map_of(args.a, p.m, p.k, p.c.batch_count, Config::kM);
  const CUtensorMap map_b = tensor_map_of(args.b, p.n, p.k, p.c.batch_count, Config::kN);
  const auto kernel = sddmm_strips_kernel<Config>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, Config::kSharedBytes);
  const dim3 grid(ceil_div(p.m, Config::kM), ceil_div(p.n, Config::kN), static_cast<unsigned>(p.c.batch_count));
  launch_kernel(kernel, {grid, Config::kThreads, Config::kSharedBytes, launch.device.overlaps_launches}, launch.stream,
                strip_matrix(args), shape, map_a, map_b, args);
}

template <class Value, class Out>
void launch_strips(const SddmmProblem& p, const Launch& launch) {
  switch (sddmm_strip_tile(launch.device, p)) {
    case SddmmStripTile::t64x64: return launch_strips_config<StripConfig<Value, Out, 1, 64, 4>>(p, launch);
    case SddmmStripTile::t128x64: return launch_strips_config<StripConfig<Value, Out, 2, 64, 4>>(p, launch);
    case SddmmStripTile::t128x128: return launch_strips_config<StripConfig<Value, Out, 2, 128, 4>>(p, launch);
  }
}

}  // namespace spk::cuda
