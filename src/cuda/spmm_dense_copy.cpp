// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_dense_copy.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/spmm.hpp"
#include "cuda/spmm_dense_tile.hpp"

namespace spk::cuda {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return a / b + (a % b != 0); }

constexpr std::int64_t kMostColumns = 96 << 10;                // of A: a row is made in shared memory
constexpr std::int64_t kMostElements = std::int64_t{1} << 29;  // of the copy: 1 GiB

// Microseconds on an H200, fitted to 9 matrices and 4 widths. Both launches: `kStart`, bytes of the copy and of A's entries,
// rows that a whole block makes. For each tile: a step of 64 along k, less the way of the first operands, and what else a
// block does, which overlaps with the launch in front; the way of the sums through a cluster of 2, 4 or 8 slices.
constexpr double kStart = 0.62, kCopyRate = 4.4e6, kEntryRate = 3.1e6, kBlockRow = 0.3e-4;
constexpr double kBeyondCache = 5e6;  // bytes of the copy per microsecond that the second launch has to get from memory
constexpr double kExchange[4] = {0, 1.4, 1.95, 3.4};
constexpr double kOperandRate = 12.7e6;  // bytes per microsecond to all multiprocessors
constexpr double kCrowd = 1.25;          // as more than half of the multiprocessors have a block, launches overlap less
struct Rates {
  double step, block;
};
constexpr Rates kRates[4] = {{0.182, 2.15}, {0.22, 2.85}, {0.29, 4.2}, {0.58, 5.25}};

bool takes(const SpmmProblem& p, const CopyShape& s) noexcept {
  if (s.slices > 1 && s.slices > ceil_div(p.k, 64)) return false;
  if (s.tile == CopyTile::t128x256) return s.slices == 1 && p.c.type != ValueType::f32;
  return true;
}

double tiles_of(const SpmmProblem& p, CopyTile tile) noexcept {
  const CopyTileSize size = size_of(tile);
  const bool swapped = p.c.order != Order::row;
  const std::int64_t lines = ceil_div(swapped ? p.n : p.m, size.lines);
  return static_cast<double>(lines) * static_cast<double>(ceil_div(swapped ? p.m : p.n, size.places)) *
         static_cast<double>(p.c.batch_count);
}

double cost_of_product(const Device& device, const SpmmProblem& p, const CopyShape& s) noexcept {
  const Rates& rates = kRates[static_cast<int>(s.tile)];
  const CopyTileSize size = size_of(s.tile);
  const double blocks = tiles_of(p, s.tile) * s.slices, sms = device.sm_count;
  // Clusters must lie in one group of multiprocessors, of which some are left over.
  const double filled = s.slices == 8 ? sms * 120 / 132 : s.slices == 4 ? sms * 124 / 132 : sms;
  if (s.slices > 1 && blocks > 2 * filled) return 1e30;
  const double busy = std::min(blocks, sms);
  const double step = std::max(rates.step, busy * (size.lines + size.places) * 128 / kOperandRate);
  const auto steps = static_cast<double>(ceil_div(ceil_div(p.k, 64), s.slices));
  return std::ceil(blocks / filled) * (steps * step + rates.block) + kExchange[s.slices == 8 ? 3 : s.slices / 2] +
         kCrowd * std::clamp(2 * busy / sms - 1, 0.0, 1.0);
}

struct Best {
  CopyShape shape;
  double cost = 1e30;
};

Best best(const Device& device, const SpmmProblem& p) noexcept {
  Best found;
  for (const CopyTile tile : {CopyTile::t64x64, CopyTile::t64x128, CopyTile::t128x128, CopyTile::t128x256})
    for (const int slices : {1, 2, 4, 8}) {
      const CopyShape shape{tile, slices};
      if (!takes(p, shape)) continue;
      const double cost = cost_of_product(device, p, shape);
      if (cost < found.cost) found = {shape, cost};
    }
  return found;
}

}  // namespace

std::int64_t copy_ld(const SpmmProblem& p) noexcept { return ceil_div(p.k, 16) * 16; }

std::int64_t copy_matrices(const SpmmProblem& p) noexcept {
  const bool shared = p.a.offsets_stride == 0 && p.a.indices_stride == 0 && p.a.values_stride == 0;
  return shared ? 1 : p.c.batch_count;
}

bool copy_by_warps(const SpmmProblem& p) noexcept {
  // Few rows want many warps each; many of up to 4 KB are quicker without waiting for one another.
  return p.k <= 1024 || (p.k <= 2048 && p.m * copy_matrices(p) >= 4096);
}

std::size_t copy_workspace(const Device&, const SpmmProblem& p) {
  return static_cast<std::size_t>((copy_matrices(p) * p.m * copy_ld(p) * 2 + 255) / 256 * 256);
}

const char* refuse_copy_of(const SpmmProblem& p, ValueType type) {
  if (const char* reason = type == ValueType::f16 ? refuse_tile_f16(p) : refuse_tile_bf16(p)) return reason;
  if (p.k > kMostColumns) return "more than 98304 columns of op(A)";
  if (p.m > kMostElements / copy_ld(p) / copy_matrices(p)) return "a dense copy of op(A) takes more than 1 GiB";
  return nullptr;
}

CopyShape best_copy_shape(const Device& device, const SpmmProblem& p) { return best(device, p).shape; }

double cost_copy(const Device& device, const SpmmProblem& p) {
  // Only chips of SM 9.0 have these instructions.
  if (!device.runs_sm90a) return 1e30;
  const auto matrices = static_cast<double>(copy_matrices(p));
  const double elements = static_cast<double>(p.m) * static_cast<double>(copy_ld(p)) * matrices;
  const double rows = copy_by_warps(p) ? 0 : static_cast<double>(p.m) * matrices;
  const double beyond = std::max(0.0, elements * 2 - 2.0 / 3 * static_cast<double>(device.l2_bytes));
  return kStart + elements * 2 / kCopyRate + beyond / kBeyondCache +
         static_cast<double>(p.a.nnz) * matrices * 6 / kEntryRate + rows * kBlockRow + best(device, p).cost;
}

}  // namespace spk::cuda
