// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>

#include "core/error.hpp"
#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/spmm_dense_tile_sm90.cuh"
#include "cuda/spmm_dense_tile.hpp"

// Launches the kernels of spmm_dense_tile_sm90.cuh.
namespace spk::cuda {

template <class T>
CUtensorMapDataType tensor_map_type() {
  if constexpr (std::is_same_v<T, __half>) return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}

// The driver's function; the runtime finds it, so that the plug-in needs no libcuda to load.
inline auto tensor_map_encoder() {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    SPK_CUDA_CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
#else
    SPK_CUDA_CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result));
#endif
    if (found == nullptr) throw Error(SPK_STATUS_EXECUTION_FAILED, "the driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<Encode>(found);
  }();
  return encode;
}

// B as a tensor of boxes: 128 bytes of its contiguous index by `other` of the strided one.
template <class T>
CUtensorMap tensor_map_of_b(const SpmmProblem& p, int other) {
  const Operand b = operand(p.b, p.op_b);
  const bool turned = b.col_stride == 1;
  const bool batch = p.b.batch_count > 1 && p.b.batch_stride != 0;
  const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(turned ? b.cols : b.rows),
                               static_cast<cuuint64_t>(turned ? b.rows : b.cols),
                               static_cast<cuuint64_t>(batch ? p.b.batch_count : 1)};
  const std::int64_t line = (turned ? b.row_stride : b.col_stride) * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t matrix = batch ? p.b.batch_stride * static_cast<std::int64_t>(sizeof(T)) : line;
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(line), static_cast<cuuint64_t>(matrix)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(128 / sizeof(T)), static_cast<cuuint32_t>(other), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  alignas(64) CUtensorMap map;
  const CUresult result =
      tensor_map_encoder()(&map, tensor_map_type<T>(), 3, const_cast<void*>(b.values), sizes, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error(SPK_STATUS_EXECUTION_FAILED, "cuTensorMapEncodeTiled: error %d", static_cast<int>(result));
  return map;
}

template <class Config>
void launch_tile_config(const SpmmCall& call, const Launch& launch) {
  using Value = typename Config::Value;
  auto tile = tile_args<Value, typename Config::Out>(call, Config::kRows, Config::kCols);
  // Whole clusters lie side by side; blocks behind the last column help to expand.
  tile.tiles_n = (tile.tiles_n + Config::kCluster - 1) / Config::kCluster * Config::kCluster;
  const CUtensorMap map = tensor_map_of_b<Value>(call.p, Config::kTurned ? Config::kLine : Config::kCols);
  const auto kernel = spmm_dense_tile<Config>;
  SPK_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, tile_shared_bytes<Config>()));
  launch_kernel(kernel,
                {static_cast<unsigned>(tile.tiles_m * tile.tiles_n * tile.spmm.batches), Config::kThreads,
                 tile_shared_bytes<Config>(), false, Config::kCluster},
                launch.stream, map, tile);
}

template <class Value, class Out, TileMath kMath, bool kTurned>
void launch_tile_shape(const SpmmCall& call, const Launch& launch) {
  constexpr bool kHalf = kMath == TileMath::sixteen_bit;
  switch (best_tile_shape(launch.device, call.p, TileKind::warpgroup, kMath)) {
    case TileShape::large:
      return launch_tile_config<TileConfig<Value, Out, kMath, 128, 2, kHalf ? 2 : 1, 3, 1, 2, kTurned>>(call, launch);
    case TileShape::middle:
      return launch_tile_config<TileConfig<Value, Out, kMath, 64, 2, 1, kHalf ? 3 : 2, 2, 1, kTurned>>(call, launch);
    case TileShape::small:
      return launch_tile_config<TileConfig<Value, Out, kMath, 32, 1, 1, kHalf ? 6 : 4, 2, 1, kTurned>>(call, launch);
  }
}

template <class Value, class Out, TileMath kMath>
void launch_tiles(const SpmmCall& call, const Launch& launch) {
  if (operand(call.p.b, call.p.op_b).col_stride == 1)
    launch_tile_shape<Value, Out, kMath, true>(call, launch);
  else
    launch_tile_shape<Value, Out, kMath, false>(call, launch);
}

}  // namespace spk::cuda
