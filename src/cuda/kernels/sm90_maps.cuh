// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cuda.h>

#include "core/error.hpp"
#include "cuda/device.hpp"
#include "cuda/value.cuh"

// What makes descriptors of tensor copies on the host.
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

struct TensorBox {
  int elements, lines;  // of a line; lines
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
};

// `matrices` matrices of `lines` lines of `length` elements as a tensor of boxes. pitch, matrix: elements from line to line,
// from matrix to matrix.
template <class T>
CUtensorMap tensor_map_of_boxes(const void* values, std::int64_t length, std::int64_t lines, std::int64_t matrices,
                                std::int64_t pitch, std::int64_t matrix, const TensorBox& shape) {
  const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(length), static_cast<cuuint64_t>(lines),
                               static_cast<cuuint64_t>(matrices)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(pitch) * sizeof(T),
                                 static_cast<cuuint64_t>(matrix) * sizeof(T)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(shape.elements), static_cast<cuuint32_t>(shape.lines), 1},
                   steps[3] = {1, 1, 1};
  alignas(64) CUtensorMap map;
  const CUresult result = tensor_map_encoder()(&map, tensor_map_type<T>(), 3, const_cast<void*>(values), sizes, strides,
                                               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, shape.swizzle,
                                               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error(SPK_STATUS_EXECUTION_FAILED, "cuTensorMapEncodeTiled: error %d", static_cast<int>(result));
  return map;
}

// The same by 128 bytes of a line and `box_lines` lines.
template <class T>
CUtensorMap tensor_map_of_lines(const void* values, std::int64_t length, std::int64_t lines, std::int64_t matrices,
                                std::int64_t pitch, std::int64_t matrix, int box_lines) {
  return tensor_map_of_boxes<T>(values, length, lines, matrices, pitch, matrix,
                                {static_cast<int>(128 / sizeof(T)), box_lines});
}

}  // namespace spk::cuda
