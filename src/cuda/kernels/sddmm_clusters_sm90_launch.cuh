// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "cuda/kernels/sddmm_clusters_sm90.cuh"
#include "cuda/kernels/sddmm_strips_sm90_launch.cuh"

// Launches the kernels of sddmm_clusters_sm90.cuh.
namespace spk::cuda {

template <class Config>
void launch_clusters_config(const SddmmProblem& p, const Launch& launch) {
  using Value = typename Config::Value;
  const auto args = sddmm_args<Value, typename Config::Out>(p);
  const auto ceil_div = [](std::int64_t x, std::int64_t y) { return static_cast<int>((x + y - 1) / y); };
  const int blocks = ceil_div(p.n, Config::kCols), clusters = ceil_div(p.m, Config::kRows);
  ClusterShape shape{};
  shape.chunks = ceil_div(p.k, Config::kChunk);
  shape.own_rows = ceil_div(Config::kRows, blocks);
  for (int x = 1; x < shape.own_rows; x *= 2) shape.step = static_cast<unsigned>(x);
  // Three blocks on a multiprocessor, or two if these would have too few stages.
  shape.stages = std::min(shape.chunks, kClusterStages);
  const auto too_many = [&](int least, int kilobytes) {
    return shape.stages > least && Config::shared_bytes(shape.stages, shape.own_rows, blocks) > kilobytes << 10;
  };
  while (too_many(4, 72) || too_many(2, 110)) --shape.stages;
  shape.a_batch = args.a.batch_stride != 0;
  shape.b_batch = args.b.batch_stride != 0;
  shape.b_turned = args.b.k_stride != 1;
  shape.alpha = args.alpha;
  shape.beta = args.beta;
  const CUtensorMap map_a = tensor_map_of(args.a, p.m, p.k, p.c.batch_count, Config::kRows);
  const CUtensorMap map_b = tensor_map_of(args.b, p.n, p.k, p.c.batch_count, Config::kCols);
  ClusterArgs<Config> operands{};
  if constexpr (Config::kSplit) operands = args;
  const auto kernel = sddmm_clusters_kernel<Config>;
  const auto bytes = static_cast<std::size_t>(Config::shared_bytes(shape.stages, shape.own_rows, blocks));
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, bytes);
  const dim3 grid(static_cast<unsigned>(clusters * blocks), static_cast<unsigned>(p.c.batch_count));
  launch_kernel(kernel, {grid, Config::kThreads, bytes, launch.device.overlaps_launches, blocks}, launch.stream,
                strip_matrix(args), shape, map_a, map_b, operands);
}

template <class Value, class Out>
void launch_clusters(const SddmmProblem& p, const Launch& launch) {
  const int tile = sddmm_cluster_tile(launch.device, p).place;
  [&]<std::size_t... kTile>(std::index_sequence<kTile...>) {
    const auto launch_if = [&]<std::size_t kThis>() {
      constexpr SddmmClusterTile kIt = kSddmmClusterTiles[kThis];
      if (tile == static_cast<int>(kThis))
        launch_clusters_config<ClusterConfig<Value, Out, kIt.rows, kIt.groups>>(p, launch);
    };
    (launch_if.template operator()<kTile>(), ...);
  }
  (std::make_index_sequence<std::size(kSddmmClusterTiles)>{});
}

}  // namespace spk::cuda
