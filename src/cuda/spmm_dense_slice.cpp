// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_dense_slice.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/spmm.hpp"
#include "cuda/spmm_dense_tile.hpp"

namespace spk::cuda {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return a / b + (a % b != 0); }

// Microseconds on an H200, measured on 11 matrices and 5 widths: `start` of a launch; for each block a chunk of k, a
// thousand entries, a step of expansion, the sums on their way to C, and their way through a cluster. By tile.
struct SliceRates {
  double start, chunk[4], entries, step, store[4], exchange[4];
};
constexpr SliceRates kHalfRates = {1.07, {0.39, 0.447, 0.626, 0.854}, 0.253,
                                   2.7,  {0.35, 0.81, 1.88, 2.92},    {2.2, 2.37, 3.39, 3.24}};
constexpr SliceRates kSplitRates = {1.63, {0.613, 0.84}, 0.38, 3.38, {1.31, 2.73}, {0.83, 0.31}};

// Clusters must lie in one group of multiprocessors, of which some are left over: with one block each, this share of
// the device can be filled.
double share_filled(int slices) noexcept { return slices <= 2 ? 1 : slices == 4 ? 124.0 / 132 : 120.0 / 132; }

double cost(const Device& device, const SpmmProblem& p, const SliceShape& s) noexcept {
  const SliceRates& rates = p.a.value_type == ValueType::f32 ? kSplitRates : kHalfRates;
  const SliceTileSize size = size_of(s.tile);
  const int tile = static_cast<int>(s.tile);
  const auto m = static_cast<double>(p.m);
  const double blocks = static_cast<double>(ceil_div(p.m, size.rows)) * static_cast<double>(ceil_div(p.n, size.cols)) *
                        static_cast<double>(p.c.batch_count) * s.slices;
  const double entries = static_cast<double>(p.a.nnz) / m * std::min<double>(size.rows, m) / s.slices;
  const double steps = static_cast<double>(ceil_div(s.chunks, s.chunks_per_step));
  const double block = s.chunks * rates.chunk[tile] + entries * 1e-3 * rates.entries + steps * rates.step +
                       rates.store[tile] + (s.slices > 1 ? rates.exchange[tile] : 0);
  // Split products make rows of fewer than a dozen entries again, one sum after the other.
  const double again = p.a.value_type == ValueType::f32 && static_cast<double>(p.a.nnz) < 24 * m ? 3 : 1;
  return rates.start + again * std::ceil(blocks / std::floor(share_filled(s.slices) * device.sm_count)) * block;
}

struct Best {
  SliceShape shape;
  double cost = 1e30;
};

Best best(const Device& device, const SpmmProblem& p) {
  Best found{};
  for (const SliceTile tile : {SliceTile::t64x64, SliceTile::t64x128, SliceTile::t128x128, SliceTile::t128x256})
    for (const int slices : {1, 2, 4, 8}) {
      const SliceShape shape = slice_shape(p, tile, slices);
      if (shape.stages == 0) continue;
      const double expected = cost(device, p, shape);
      if (expected < found.cost) found = {shape, expected};
    }
  return found;
}

}  // namespace

const char* refuse_slices_of(const SpmmProblem& p, ValueType type) {
  const char* reason = type == ValueType::f16    ? refuse_tile_f16(p)
                       : type == ValueType::bf16 ? refuse_tile_bf16(p)
                                                 : refuse_tile_split(p);
  if (reason != nullptr) return reason;
  if (operand(p.b, p.op_b).col_stride != 1) return "rows of op(B) are not contiguous";
  if (p.c.col_stride() != 1) return "rows of C are not contiguous";
  if (p.a.first_entry + p.a.nnz >= std::int64_t{1} << 30) return "2^30 entries";
  return ceil_div(p.m, 64) > (INT32_MAX >> 3) / ceil_div(p.n, 64) / p.c.batch_count ? "more than 2^28 tiles" : nullptr;
}

SliceShape slice_shape(const SpmmProblem& p, SliceTile tile, int slices) {
  const SliceTileSize size = size_of(tile);
  const bool split = p.a.value_type == ValueType::f32;
  const int chunk_a = size.rows * (split ? 256 : 128), chunk_b = size.cols * 128,
            sums = size.rows * (size.cols + 4) * 4;
  // What a block may have, less the alignment of the stages and the kernel's own variables.
  constexpr int kBudget = (225 << 10) - 1024;
  const int others = sums / slices * (slices - 1);
  SliceShape s{};
  if (split && (tile == SliceTile::t128x128 || tile == SliceTile::t128x256)) return s;
  s.tile = tile;
  s.slices = slices;
  const int chunks = static_cast<int>(ceil_div(ceil_div(p.k, split ? 32 : 64), slices)), work = kBudget - others;
  s.chunks = chunks;
  if (sums > work || chunks == 0) return s;
  const int least = std::min(chunks, 3), room = work - least * chunk_b;
  if (room < std::min(chunks, 2) * chunk_a) return s;
  const int steps = static_cast<int>(ceil_div(chunks, std::min(chunks, room / chunk_a)));
  s.chunks_per_step = static_cast<int>(ceil_div(chunks, steps));
  s.stages = std::min({chunks, (work - s.chunks_per_step * chunk_a) / chunk_b, 16});
  s.shared_bytes = 1024 + std::max(s.stages * chunk_b + s.chunks_per_step * chunk_a, sums) + others;
  return s;
}

SliceShape best_slice_shape(const Device& device, const SpmmProblem& p) { return best(device, p).shape; }

double cost_slices(const Device& device, const SpmmProblem& p) {
  // Only chips of SM 9.0 have these instructions.
  return device.runs_sm90a ? best(device, p).cost : 1e30;
}

}  // namespace spk::cuda
