// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sm90_maps.cuh"
#include "cuda/kernels/spmm_dense_copy_expand.hpp"
#include "cuda/kernels/spmm_dense_copy_source.cuh"

// Launches what multiplies a dense copy of op(A), behind what makes it.
namespace spk::cuda {

// B as a tensor of boxes: 128 bytes of its contiguous index by `other` of the strided one.
template <class T>
CUtensorMap tensor_map_of_b(const SpmmProblem& p, int other) {
  const Operand b = operand(p.b, p.op_b);
  const bool turned = b.col_stride == 1, batch = p.b.batch_count > 1 && p.b.batch_stride != 0;
  const std::int64_t pitch = turned ? b.row_stride : b.col_stride;
  return tensor_map_of_lines<T>(b.values, turned ? b.cols : b.rows, turned ? b.rows : b.cols,
                                batch ? p.b.batch_count : 1, pitch, batch ? p.b.batch_stride : pitch, other);
}

// op(A) as dense matrices whose rows are contiguous.
struct DenseRows {
  const void* values;
  std::int64_t ld, matrices, stride;  // stride: elements from matrix to matrix
};
inline DenseRows dense_rows_of(const SpmmCall& call, const Launch& launch, int planes) {
  const SpmmProblem& p = call.p;
  return {call.kept_copy != nullptr ? call.kept_copy : launch.workspace, copy_ld(p), copy_matrices(p) * planes,
          copy_ld(p) * p.m};
}

// What the kernel that multiplies gets, and how it is launched.
template <class Config>
struct CopyLaunch {
  CUtensorMap map_a, map_b;
  CopyProduct<typename Config::Value, typename Config::Out> product;
  LaunchShape shape;
};

// Launches what makes the copy, unless a plan has it. `kernel` multiplies.
template <class Config>
CopyLaunch<Config> make_copy_for(const void* kernel, const SpmmCall& call, const Launch& launch, int slices) {
  using Value = typename Config::Value;
  const SpmmProblem& p = call.p;
  const auto ceil_div = [](std::int64_t x, std::int64_t y) { return (x + y - 1) / y; };
  CopyProduct<Value, typename Config::Out> product{};
  product.tile = tile_args<Value, typename Config::Out>(call, 1, 1);
  product.tiles_m = ceil_div(Config::kSwapped ? p.n : p.m, Config::kM);
  product.tiles_n = ceil_div(Config::kSwapped ? p.m : p.n, Config::kN);
  product.tiles = product.tiles_m * product.tiles_n * p.c.batch_count;
  product.slices = slices;
  product.chunks = static_cast<int>(ceil_div(ceil_div(p.k, Config::kChunk), slices));
  product.kept = call.kept_copy != nullptr;
  const DenseRows a = dense_rows_of(call, launch, Config::kPlanes);
  product.a_batch = a.matrices > Config::kPlanes;
  if (call.by_columns) product.tile.copy = {static_cast<const Value*>(a.values), a.ld, product.a_batch ? a.stride : 0};
  constexpr int kBoxM = Config::kM, kBoxN = Config::kN;
  const CUtensorMap map_a =
      tensor_map_of_lines<Value>(a.values, p.k, p.m, a.matrices, a.ld, a.stride, Config::kSwapped ? kBoxN : kBoxM);
  const CUtensorMap map_b = tensor_map_of_b<Value>(p, Config::kTurned    ? Config::kChunk
                                                      : Config::kSwapped ? kBoxM
                                                                         : kBoxN);
  allow_shared_memory(kernel, launch.device, Config::kSharedBytes);
  if (!product.kept) make_dense_copy(call, launch, Config::kMath);
  // One block per multiprocessor, which stays.
  const std::int64_t most = slices > 1 ? product.tiles : launch.device.sm_count;
  return {map_a, map_b, product,
          LaunchShape{static_cast<unsigned>(std::min(product.tiles, most) * slices), Config::kThreads,
                      Config::kSharedBytes, launch.device.overlaps_launches, slices}};
}

}  // namespace spk::cuda
