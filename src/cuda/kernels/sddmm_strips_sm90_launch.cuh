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
  const std::int64_t line = (turned ? x.k_stride : x.stride) * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t matrix = batch ? x.batch_stride * static_cast<std::int64_t>(sizeof(T)) : line;
  const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(turned ? count : k), static_cast<cuuint64_t>(turned ? k : count),
                               static_cast<cuuint64_t>(batch ? batches : 1)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(line), static_cast<cuuint64_t>(matrix)};
  const cuuint32_t box[3] = {kLine, static_cast<cuuint32_t>(turned ? kLine : rows), 1}, steps[3] = {1, 1, 1};
  alignas(64) CUtensorMap map;
  const CUresult result = tensor_map_encoder()(&map, tensor_map_type<T>(), 3, const_cast<T*>(x.values), sizes, strides,
                                               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error(SPK_STATUS_EXECUTION_FAILED, "cuTensorMapEncodeTiled: error %d", static_cast<int>(result));
  return map;
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
  launch_kernel(kernel, {grid, Config::kThreads, Config::kSharedBytes}, launch.stream, strip_matrix(args), shape, map_a,
                map_b, args);
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
