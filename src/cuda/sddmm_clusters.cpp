// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cmath>
#include <iterator>

#include "cuda/sddmm.hpp"

// Which tiles the SDDMM kernel by clusters takes, and how long it needs.
namespace spk::cuda {
namespace {

constexpr int kTiles = static_cast<int>(std::size(kSddmmClusterTiles));

bool fits(const SddmmProblem& p, const SddmmClusterTile& tile) noexcept {
  return p.n <= std::int64_t{kSddmmClusterBlocks} * 64 * tile.groups;
}

// Microseconds: of a chunk of 128 bytes along k, and of a pass of a block's warps over 256 entries each; the `load` ones for
// each block that a multiprocessor has. Fitted to 156 races of each type on an H200, of 39 matrices with k of 32 to 512: half
// of the expected times lie within 5 %, of the widest blocks within 13 %.
struct ClusterRates {
  double start, chunk, load, load_chunk, pass, load_pass;
};
constexpr ClusterRates kRates[2][kTiles] = {
    // 16 bits
    {{2.03, 0.109, 0.160, 0.127, 0, 0.139},
     {2.02, 0.117, 0.293, 0.076, 0, 0.200},
     {2.37, 0.051, 0.405, 0.163, 0.305, 0.087},
     {1.94, 0.159, 1.504, 0.246, 0, 1.141}},
    // f32
    {{1.78, 0.296, 0.531, 0.195, 0.372, 0},
     {1.91, 0.325, 0.531, 0.175, 0, 0.346},
     {1.86, 0.373, 0.942, 0.272, 0.344, 0.207},
     {1.66, 0.402, 2.592, 0.650, 0, 0}}};

double time_of(const Device& device, const SddmmProblem& p, int place) {
  const SddmmClusterTile tile = kSddmmClusterTiles[place];
  const ClusterRates& rates = kRates[p.a.type == ValueType::f32][place];
  const double blocks = std::ceil(static_cast<double>(p.n) / (64 * tile.groups));
  const double chunks = std::ceil(static_cast<double>(p.k) * static_cast<double>(size_of(p.a.type)) / 128);
  const double load =
      std::ceil(static_cast<double>(p.m) / tile.rows) * blocks * static_cast<double>(p.c.batch_count) / device.sm_count;
  const double mean = static_cast<double>(p.c.nnz) / static_cast<double>(std::max<std::int64_t>(p.m, 1));
  const double passes = std::ceil(tile.rows / blocks) * mean / (4 * tile.groups * 256);
  return rates.start + chunks * (rates.chunk + load * rates.load_chunk) + load * rates.load +
         passes * (rates.pass + load * rates.load_pass);
}

}  // namespace

bool sddmm_cluster_fits(const SddmmProblem& p) noexcept {
  return std::any_of(std::begin(kSddmmClusterTiles), std::end(kSddmmClusterTiles),
                     [&](const SddmmClusterTile& tile) { return fits(p, tile); });
}

SddmmClusterChoice sddmm_cluster_tile(const Device& device, const SddmmProblem& p) {
  SddmmClusterChoice best;
  for (int place = 0; place < kTiles; ++place) {
    if (!fits(p, kSddmmClusterTiles[place])) continue;
    const double time = time_of(device, p, place);
    if (best.place < 0 || time < best.microseconds) best = {place, time};
  }
  return best;
}

}  // namespace spk::cuda
