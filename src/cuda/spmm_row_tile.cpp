// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_row_tile.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/spmm_dense_tile.hpp"

namespace spk::cuda {
namespace {

constexpr std::int64_t kStaticBytes = 64;      // of shared memory, besides
constexpr std::int64_t kReservedBytes = 1024;  // of a block, by the system

std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return a / b + (a % b != 0); }

const char* refuse(const SpmmProblem& p) {
  // A cluster may have eight blocks where one would do.
  if (p.m > INT32_MAX - 256 || ceil_div(p.m, 8 * kRowTileRows) > INT32_MAX / 8 / ceil_div(p.n, 8) / p.c.batch_count)
    return "more than 2^31 - 1 tiles";
  // Lanes look some hundred entries ahead.
  if (p.a.first_entry + p.a.nnz > INT32_MAX - 2048) return "more than 2^31 - 2048 entries";
  return p.b.ld < std::int64_t{1} << 29 ? nullptr : "lines of B of 2^29 elements";
}

// Microseconds, fitted on an H200 to 77 products of random matrices with n of 8 to 128 (10 %): as often as all multiprocessors
// have all blocks that there is room for; then by blocks of the busiest multiprocessor, per 1,000 entries, 10,000 bytes of B
// that no, one or seven other blocks copy with it, and of rows of A; parts of B after the first.
constexpr double kWave = 2.96, kEntries = 0.146, kCopied[3] = {0.117, 0.163, 0.045}, kRows = 0.056, kPart = 0.94,
                 kColumns = 0.13;          // 32 of them
constexpr double kThinLines = 0.4;         // the same where lines of 16 bytes are copied
constexpr double kBeyondCache = 4e6;       // bytes of entries per microsecond that come from memory
constexpr std::int64_t kMostShared = 112;  // blocks in clusters of eight

// Eight blocks copy B together where their clusters find room at once, else two; wide lines of B come as fast without.
int cluster_of(std::int64_t tiles_m, std::int64_t blocks, int columns, bool turned) noexcept {
  std::int64_t cluster = blocks <= kMostShared ? 8 : columns >= 64 && turned ? 1 : 2;
  while (cluster > tiles_m) cluster /= 2;
  return static_cast<int>(cluster);
}

struct Best {
  RowTileShape shape{};
  double us = 1e30;
};

Best best_shape(const Device& device, const SpmmProblem& p) noexcept {
  Best best;
  if (!device.runs_sm90a || p.m == 0) return best;
  const Operand b = operand(p.b, p.op_b);
  const bool turned = b.col_stride == 1;
  const std::int64_t most = static_cast<std::int64_t>(device.shared_per_block) - kStaticBytes;
  const std::int64_t steps = ceil_div(p.k, 32), tiles_m = ceil_div(p.m, kRowTileRows);
  const double entries = static_cast<double>(p.a.nnz) / static_cast<double>(tiles_m);
  for (const int columns : {8, 32, 64, 128}) {
    if (columns > 8 && columns >= 2 * p.n) break;
    const std::int64_t step = row_tile_step_bytes(columns);
    // What is left for B beside the rows of A; the sums take its place.
    const std::int64_t room = (most - row_tile_bytes(p.k, {columns, 1, 0}) + row_tile_sum_bytes(columns)) / step;
    if (room < 1 || room * step < row_tile_sum_bytes(columns)) continue;
    const std::int64_t parts = ceil_div(steps, room), tiles = tiles_m * ceil_div(p.n, columns) * p.c.batch_count;
    const int cluster = cluster_of(tiles_m, tiles, columns, turned);
    const RowTileShape shape{columns, cluster, static_cast<int>(ceil_div(steps, parts))};
    const bool two =
        2 * (row_tile_bytes(p.k, shape) + kReservedBytes) <= static_cast<std::int64_t>(device.shared_per_sm);
    const double blocks = static_cast<double>(ceil_div(tiles_m, cluster) * cluster) *
                          static_cast<double>(ceil_div(p.n, columns) * p.c.batch_count);
    const double own = std::max(1.0, blocks / device.sm_count);
    const double waves = std::ceil(blocks / (device.sm_count * (two ? 2 : 1)));
    const bool thin = columns == 8 && turned && (p.n != 8 || b.row_stride != 8);
    const double copied = kCopied[cluster == 1 ? 0 : cluster == 2 ? 1 : 2] + (thin ? kThinLines : 0);
    const double read = 6 * static_cast<double>(p.a.nnz) * static_cast<double>(p.c.batch_count);
    const double us =
        kWave * waves + kColumns * columns / 32 +
        own * (kEntries * entries / 1e3 + copied * static_cast<double>(steps * step) / 1e4 +
               kRows * static_cast<double>(kRowTileRows * p.k * 2) / 1e4 + kPart * static_cast<double>(parts - 1)) +
        std::max(0.0, read - static_cast<double>(device.l2_bytes) / 2) / kBeyondCache;
    if (us < best.us) best = {shape, us};
  }
  return best;
}

}  // namespace

RowTileShape row_tile_shape(const Device& device, const SpmmProblem& p) noexcept { return best_shape(device, p).shape; }

const char* refuse_row_tile_f16(const SpmmProblem& p) {
  const char* reason = refuse_tile_f16(p);
  return reason != nullptr ? reason : refuse(p);
}
const char* refuse_row_tile_bf16(const SpmmProblem& p) {
  const char* reason = refuse_tile_bf16(p);
  return reason != nullptr ? reason : refuse(p);
}

double cost_row_tile(const Device& device, const SpmmProblem& p) { return best_shape(device, p).us; }

}  // namespace spk::cuda
