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

constexpr std::int64_t kMostRowBytes = 192 << 10;           // of A: a row is made in shared memory
constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;  // of the copy
constexpr std::int64_t element_bytes(TileMath math) noexcept {
  return math == TileMath::sixteen_bit ? 2 : math == TileMath::tf32 ? 4 : 8;
}

// Microseconds on an H200, fitted to 9 matrices and 3 or 4 widths, with an error of 10 % (tf32: guessed from the others); tiles
// of 16-bit types to 81 products, of which they choose one within 0.2 % of the quickest on average. Both launches: `start`,
// bytes of the copy and of A's entries, rows that a whole block makes. For each tile: a step of 128 bytes along k, less the way
// of the first operands, and what else a block does, which overlaps with the launch in front; the way of the sums through a
// cluster of 2, 4 or 8 slices.
constexpr double kBlockRow = 0.3e-4;
constexpr double kBeyondCache = 5e6;  // bytes of the copy per microsecond that the second launch has to get from memory
struct TileRates {
  double step, block;  // step = 0: there is no such kernel
};
struct CopyRates {
  double start, copy, entries;  // bytes per microsecond
  double kept;                  // instead of these, where the copy is there already
  double operands;              // bytes per microsecond to all multiprocessors
  double crowd;                 // as more than half of the multiprocessors have a block, launches overlap less
  double full;                  // as two launches have no place next to one another
  double exchange[4];           // by the logarithm of slices
  TileRates tiles[5];           // by CopyTile
};
constexpr CopyRates kCopyRates[3] = {
    {1.95,
     3e6,
     5e6,
     0.16,
     15.8e6,
     0.86,
     0.88,
     {0, 0.74, 0.84, 0.93},
     {{0.172, 1.2}, {0.185, 1.74}, {0.341, 2.32}, {0.562, 3.09}, {}}},
    {3.6, 5.9e6, 3.3e6, 2.5, 9.7e6, 2.1, 0, {0, 1.4, 0.1, 0.1}, {{0.2, 1.8}, {}, {0.4, 4.8}, {}, {0.3, 2.6}}},
    {3.8, 5.9e6, 3.3e6, 2.5, 9.7e6, 2.1, 0, {0, 1.4, 0.1, 0.1}, {{0.31, 1.8}, {}, {0.81, 4.8}, {}, {0.52, 2.6}}}};
const CopyRates& rates_of(TileMath math) noexcept { return kCopyRates[static_cast<int>(math)]; }

std::int64_t steps_of(const SpmmProblem& p, TileMath math) noexcept {
  return ceil_div(p.k, math == TileMath::sixteen_bit ? 64 : 32);
}

bool takes(const SpmmProblem& p, TileMath math, const CopyShape& s) noexcept {
  if (rates_of(math).tiles[static_cast<int>(s.tile)].step == 0) return false;
  if (s.slices > 1 && s.slices > steps_of(p, math)) return false;
  if (math != TileMath::sixteen_bit) return true;
  if (s.tile == CopyTile::t128x256) return s.slices == 1 && p.c.type != ValueType::f32;
  return s.slices == 1 || s.tile != CopyTile::t128x128;
}

double tiles_of(const SpmmProblem& p, TileMath math, CopyTile tile) noexcept {
  const CopyTileSize size = size_of(tile);
  const bool swapped = math != TileMath::sixteen_bit || p.c.order != Order::row;
  const std::int64_t lines = ceil_div(swapped ? p.n : p.m, size.lines);
  return static_cast<double>(lines) * static_cast<double>(ceil_div(swapped ? p.m : p.n, size.places)) *
         static_cast<double>(p.c.batch_count);
}

double cost_of_product(const Device& device, const SpmmProblem& p, TileMath math, const CopyShape& s) noexcept {
  const CopyRates& rates = rates_of(math);
  const TileRates& tile = rates.tiles[static_cast<int>(s.tile)];
  const CopyTileSize size = size_of(s.tile);
  const double blocks = tiles_of(p, math, s.tile) * s.slices, sms = device.sm_count;
  // Clusters must lie in one group of multiprocessors, of which some are left over.
  const double filled = s.slices == 8 ? sms * 120 / 132 : s.slices == 4 ? sms * 124 / 132 : sms;
  if (s.slices > 1 && blocks > 2 * filled) return 1e30;
  const double busy = std::min(blocks, sms);
  const int copies = math == TileMath::split_tf32 ? 2 : 1;
  const double step = std::max(tile.step, busy * (size.lines + copies * size.places) * 128 / rates.operands);
  const auto steps = static_cast<double>(ceil_div(steps_of(p, math), s.slices));
  return std::ceil(blocks / filled) * (steps * step + tile.block) + rates.exchange[s.slices == 8 ? 3 : s.slices / 2] +
         rates.crowd * std::clamp(2 * busy / sms - 1, 0.0, 1.0) + (2 * blocks > filled ? rates.full : 0);
}

struct Best {
  CopyShape shape;
  double cost = 1e30;
};

Best best(const Device& device, const SpmmProblem& p, TileMath math) noexcept {
  Best found;
  for (const CopyTile tile :
       {CopyTile::t64x64, CopyTile::t64x128, CopyTile::t128x128, CopyTile::t128x256, CopyTile::t128x64})
    for (const int slices : {1, 2, 4, 8}) {
      const CopyShape shape{tile, slices};
      if (!takes(p, math, shape)) continue;
      const double cost = cost_of_product(device, p, math, shape);
      if (cost < found.cost) found = {shape, cost};
    }
  return found;
}

}  // namespace

std::int64_t copy_ld(const SpmmProblem& p) noexcept { return ceil_div(p.k, 16) * 16; }

bool copies_columns(const SpmmProblem& p, TileMath math) noexcept {
  return math != TileMath::split_tf32 && p.a.index_type == IndexType::i32 &&
         p.a.format == (p.op_a == Op::n ? Format::csc : Format::csr);
}

std::int64_t copy_matrices(const SpmmProblem& p) noexcept {
  const bool shared = p.a.offsets_stride == 0 && p.a.indices_stride == 0 && p.a.values_stride == 0;
  return shared ? 1 : p.c.batch_count;
}

bool copy_by_warps(const SpmmProblem& p) noexcept {
  // Few rows want many warps each; many of up to 4 KB are quicker without waiting for one another.
  return p.k <= 1024 || (p.k <= 2048 && p.m * copy_matrices(p) >= 4096);
}

std::size_t bytes_of_copy(const SpmmProblem& p, TileMath math) {
  return static_cast<std::size_t>((copy_matrices(p) * p.m * copy_ld(p) * element_bytes(math) + 255) / 256 * 256);
}

const char* refuse_copy_of(const SpmmProblem& p, TileMath math) {
  const std::int64_t bytes = element_bytes(math);
  const bool halves = math == TileMath::sixteen_bit;
  if (!copies_columns(p, math) && p.k > kMostRowBytes / (halves ? 2 : 4))
    return halves ? "more than 98304 columns of op(A)" : "more than 49152 columns of op(A)";
  if (p.m > kMostBytes / bytes / copy_ld(p) / copy_matrices(p)) return "a dense copy of op(A) takes more than 2 GiB";
  return nullptr;
}

CopyShape best_copy_shape(const Device& device, const SpmmProblem& p, TileMath math) {
  return best(device, p, math).shape;
}

double cost_of_copy(const Device& device, const SpmmProblem& p, TileMath math) {
  // Only chips of SM 9.0 have these instructions.
  if (!device.runs_sm90a) return 1e30;
  const CopyRates& rates = rates_of(math);
  // Split products make rows of fewer than a dozen entries again, which hold up the others of their tile.
  const bool again = math == TileMath::split_tf32 && static_cast<double>(p.a.nnz) < 48 * static_cast<double>(p.m);
  const double product = best(device, p, math).cost * (again ? 3 : 1);
  // With few columns most of a tile is idle.
  if (p.keeps_values) return rates.kept + product + (p.n < 32 ? 2 : 0);
  const auto matrices = static_cast<double>(copy_matrices(p));
  const auto bytes = static_cast<double>(p.m * copy_ld(p) * element_bytes(math)) * matrices;
  // All other kernels wait for rows to be made first.
  constexpr double kRowsMade = 7;
  const double columns = copies_columns(p, math) ? kRowsMade : 0;
  const double rows = columns != 0 || copy_by_warps(p) ? 0 : static_cast<double>(p.m) * matrices;
  const double beyond = std::max(0.0, bytes - 2.0 / 3 * static_cast<double>(device.l2_bytes));
  const double entry_bytes = 4 + static_cast<double>(size_of(p.a.value_type));
  // Where rows are not known to be alike, kernels that have them one by one need more than they expect, most of all for a
  // matrix with few entries and wide products. With this, 4 of 624 problems of the DLMC in f16 take more than twice as long
  // as cuBLAS; without, 14.
  constexpr double kUnknownRows = 1.0;
  const bool uneven = math == TileMath::sixteen_bit && p.longest_row < 0 && p.n >= 32 && p.m * p.n >= 1 << 16 &&
                      static_cast<double>(p.a.nnz) < 0.11 * static_cast<double>(p.m) * static_cast<double>(p.k);
  return (uneven ? -kUnknownRows : 0) + rates.start + bytes / rates.copy + beyond / kBeyondCache +
         static_cast<double>(p.a.nnz) * matrices * entry_bytes / rates.entries + rows * kBlockRow + product - columns;
}

}  // namespace spk::cuda
