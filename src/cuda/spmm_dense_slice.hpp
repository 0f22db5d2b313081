// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"
#include "cuda/device.hpp"

// SpMM in 16-bit types, and in f32 as split products, on tensor cores of SM 9.0a, with whole slices of A along k
// expanded in shared memory (kernels/spmm_dense_slice*): what the kernels take, how a problem is cut, its cost.
namespace spk::cuda {

// Rows of A x columns of B per cluster of blocks.
enum class SliceTile { t64x64, t64x128, t128x128, t128x256 };

struct SliceShape {
  SliceTile tile;
  int slices;           // blocks of a cluster, which share k: 1, 2, 4 or 8
  int chunks;           // of a slice; a chunk is 128 bytes of a row of A
  int chunks_per_step;  // that are expanded at once
  int stages;           // chunks of B in shared memory
  int shared_bytes;     // dynamic
};

// How p is cut with this tile and number of slices; stages = 0: not at all.
SliceShape slice_shape(const SpmmProblem& p, SliceTile tile, int slices);
SliceShape best_slice_shape(const Device& device, const SpmmProblem& p);
double cost_slices(const Device& device, const SpmmProblem& p);

const char* refuse_slices_of(const SpmmProblem& p, ValueType type);
template <ValueType kType>
const char* refuse_slices(const SpmmProblem& p) {
  return refuse_slices_of(p, kType);
}

struct SliceTileSize {
  int rows, cols;
};
constexpr SliceTileSize size_of(SliceTile tile) noexcept {
  switch (tile) {
    case SliceTile::t64x64: return {64, 64};
    case SliceTile::t64x128: return {64, 128};
    case SliceTile::t128x128: return {128, 128};
    case SliceTile::t128x256: break;
  }
  return {128, 256};
}

}  // namespace spk::cuda
