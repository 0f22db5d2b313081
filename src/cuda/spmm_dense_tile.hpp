// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"
#include "cuda/device.hpp"

// SpMM on tensor cores over tiles of A that are expanded to dense ones (kernels/spmm_dense_tile*): what the kernels
// take, which tile a problem gets, and what it will cost.
namespace spk::cuda {

// Which products a kernel forms. split_tf32: every f32 operand is hi + lo, both tf32; hi hi + lo hi + hi lo.
enum class TileMath { sixteen_bit, tf32, split_tf32 };

// Rows of A x columns of B per block: 64 x 128, 32 x 64.
enum class TileShape { middle, small };

TileShape best_tile_shape(const Device& device, const SpmmProblem& p, TileMath math);
double cost_of_tiles(const Device& device, const SpmmProblem& p, TileMath math);
template <TileMath kMath>
double cost_mma_tile(const Device& device, const SpmmProblem& p) {
  return cost_of_tiles(device, p, kMath);
}

const char* refuse_tile_f16(const SpmmProblem& p);
const char* refuse_tile_bf16(const SpmmProblem& p);
const char* refuse_tile_split(const SpmmProblem& p);
const char* refuse_tile_tf32(const SpmmProblem& p);

}  // namespace spk::cuda
