// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"
#include "cuda/device.hpp"
#include "cuda/spmm_dense_tile.hpp"

// SpMM by a dense copy of op(A) in the workspace and a dense product on tensor cores of SM 9.0a (kernels/spmm_dense_copy*):
// what the kernels take, how a problem is cut, its cost.
namespace spk::cuda {

// C is cut into tiles of 64 or 128 lines (in 16-bit types rows if C is row-major, else columns) x 64, 128 or 256 places in a
// line.
enum class CopyTile { t64x64, t64x128, t128x128, t128x256, t128x64 };

struct CopyTileSize {
  int lines, places;
};
constexpr CopyTileSize size_of(CopyTile tile) noexcept {
  switch (tile) {
    case CopyTile::t64x64: return {64, 64};
    case CopyTile::t64x128: return {64, 128};
    case CopyTile::t128x128: return {128, 128};
    case CopyTile::t128x64: return {128, 64};
    case CopyTile::t128x256: break;
  }
  return {128, 256};
}

struct CopyShape {
  CopyTile tile = CopyTile::t64x64;
  int slices = 1;  // blocks of a cluster, which share k: 1, 2, 4 or 8
};
CopyShape best_copy_shape(const Device& device, const SpmmProblem& p, TileMath math);
double cost_of_copy(const Device& device, const SpmmProblem& p, TileMath math);
template <TileMath kMath>
double cost_copy(const Device& device, const SpmmProblem& p) {
  return cost_of_copy(device, p, kMath);
}

// The copy: elements from row to row, matrices; of split products hi and lo.
std::int64_t copy_ld(const SpmmProblem& p) noexcept;
std::int64_t copy_matrices(const SpmmProblem& p) noexcept;
// Whether A is stored by columns of op(A), and the copy is made from them. Not for split products, which must know short rows.
bool copies_columns(const SpmmProblem& p, TileMath math) noexcept;
bool copy_by_warps(const SpmmProblem& p) noexcept;  // a warp makes a row, not a block
std::size_t bytes_of_copy(const SpmmProblem& p, TileMath math);
template <TileMath kMath>
std::size_t copy_workspace(const Device&, const SpmmProblem& p) {
  return p.keeps_values ? 0 : bytes_of_copy(p, kMath);
}

const char* refuse_copy_of(const SpmmProblem& p, TileMath math);
// kRefuseTile: what all kernels by tiles of this type refuse.
template <const char* (*kRefuseTile)(const SpmmProblem&), TileMath kMath = TileMath::sixteen_bit>
const char* refuse_copy(const SpmmProblem& p) {
  const char* reason = kRefuseTile(p);
  return reason != nullptr ? reason : refuse_copy_of(p, kMath);
}

}  // namespace spk::cuda
