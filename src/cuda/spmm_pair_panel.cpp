// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_pair_panel.hpp"

#include <algorithm>

#include "cuda/spmm_cost.hpp"

namespace spk::cuda {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

// Of sums, the next entry and how many are left.
constexpr std::int64_t bytes_of_waiting_row(std::int64_t lanes) noexcept { return lanes * 16 + 8; }

// Microseconds, fitted on an H200 (39 matrices of the DLMC, n = 32 to 2,048). An entry is one or two reads of 128 bytes of
// the panel, and a quarter of one for the pair.
struct Rates {
  double start, kilobyte;  // of the panel
  double entry, step;      // of a block; a warp's set of rows, once per chunk
  double long_entry;       // of the longest row, which the others of a block wait for
};
constexpr Rates kRates[2][2] = {
    {{1.65, 0.0030, 0.67e-3, 1.56, 0.0065}, {1.8, 0.0175, 1.50e-3, 0.47, 0.0023}},  // all of k; 8 and 16 lanes
    {{1.6, 0.0116, 1.06e-3, 0.92, 0.0010}, {0.5, 0.0165, 1.47e-3, 0.37, 0.0005}}};  // in chunks

// With lanes and row_blocks given: the rest; false where shared memory is too small.
bool cut(const Device& device, const SpmmProblem& p, bool chunked, PairPanelShape& s) noexcept {
  const std::int64_t pitch = s.lanes * 16, rows = 32 / s.lanes;  // bytes of a row of the panel, rows of a set
  const std::int64_t shared = static_cast<std::int64_t>(device.shared_per_block) - kPairWarps * rows * kPairStage;
  const std::int64_t own_sets = ceil_div(ceil_div(p.m, rows), s.row_blocks);
  std::int64_t waiting = 0;
  s.chunks = 1;
  if (chunked) {
    waiting = own_sets * rows * bytes_of_waiting_row(s.lanes);
    s.chunks = ceil_div(p.k, (shared - waiting) / pitch);
  } else if (p.k * pitch > shared) {
    return false;
  }
  s.chunk_rows = std::max<std::int64_t>(1, ceil_div(p.k, s.chunks));
  s.chunks = std::max<std::int64_t>(1, ceil_div(p.k, s.chunk_rows));
  s.bytes = static_cast<std::size_t>(s.chunk_rows * pitch + waiting + kPairWarps * rows * kPairStage);

  const Rates& rates = kRates[chunked ? 1 : 0][s.lanes == 16 ? 1 : 0];
  const auto waves = static_cast<double>(ceil_div(s.panels * s.row_blocks * p.c.batch_count, device.sm_count));
  const double entries = static_cast<double>(p.a.nnz) / static_cast<double>(s.row_blocks);
  const double steps = static_cast<double>(ceil_div(own_sets, kPairWarps) * s.chunks);
  const double filled = static_cast<double>(p.k * pitch) / 1e3;
  s.us = rates.start + rates.long_entry * longest_row(p) +
         waves * (rates.kilobyte * filled + rates.entry * entries + rates.step * steps);
  return true;
}

}  // namespace

PairPanelShape pair_panel_shape(const Device& device, const SpmmProblem& p) noexcept {
  PairPanelShape best{};
  const auto consider = [&](int lanes, bool chunked) {
    PairPanelShape s{};
    s.lanes = lanes;
    s.panels = std::max<std::int64_t>(1, ceil_div(p.n, lanes * 4));
    // Rows that wait take less than a third of the shared memory.
    const std::int64_t fit = device.shared_per_block / 4 / bytes_of_waiting_row(lanes);
    const std::int64_t least = chunked ? std::max<std::int64_t>(1, ceil_div(p.m, fit - 3)) : 1;
    const std::int64_t most = std::max<std::int64_t>(1, ceil_div(p.m, 32 / lanes * kPairWarps));
    // As many blocks as fill the device once, or more often where that wastes less of the last time.
    for (std::int64_t waves = 1; waves <= 4; ++waves) {
      const std::int64_t row_blocks = std::clamp<std::int64_t>(waves * device.sm_count / (s.panels * p.c.batch_count),
                                                               least, std::max(least, most));
      if (row_blocks == s.row_blocks) continue;
      s.row_blocks = row_blocks;
      if (cut(device, p, chunked, s) && (best.lanes == 0 || s.us < best.us)) best = s;
    }
  };
  consider(16, false);
  consider(8, false);
  if (best.lanes == 0) {
    consider(16, true);
    consider(8, true);
  }
  return best;
}

double cost_pair_panel(const Device& device, const SpmmProblem& p) {
  const double us = pair_panel_shape(device, p).us;
  if (p.c.col_stride() == 1) return us;
  // A row's columns of C that are not contiguous: a sector for every element, in part while entries are multiplied.
  const double elements = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.c.batch_count);
  return std::max(us + 1.7e-6 * elements, 1.5 + 9.3e-6 * elements);
}

}  // namespace spk::cuda
