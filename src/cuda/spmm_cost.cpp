// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_cost.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/spmm_nnz_split.hpp"
#include "cuda/spmm_rows_shape.hpp"

namespace spk::cuda {
namespace {

// The device's rates in units per microsecond, from its size and a clock all these chips come near.
constexpr double kMegahertz = 1700;
double l1_bytes(const Device& device) noexcept { return 128.0 * device.sm_count * kMegahertz; }

double entries(const SpmmProblem& p) noexcept {
  return static_cast<double>(p.a.nnz) * static_cast<double>(p.c.batch_count);
}
double value_bytes(const SpmmProblem& p) noexcept { return static_cast<double>(size_of(p.a.value_type)); }

constexpr double kWriteRate = 3.5e6;  // bytes of C per microsecond
double written(const SpmmProblem& p) noexcept {
  const double elements = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.c.batch_count);
  // Columns of C that are not contiguous cost a sector per element.
  return elements * (p.c.col_stride() == 1 ? static_cast<double>(size_of(p.c.type)) : 16.0);
}

// One kernel's expected time: start + bytes gathered from L1 and shared memory over the share of the peak it reaches.
double gather(const Device& device, const SpmmProblem& p, double columns, double start, double share) noexcept {
  return start + entries(p) * columns * value_bytes(p) / (share * l1_bytes(device));
}

// The longest row; where nobody has counted, it is taken for four times the mean and 32 entries more, if there are so many.
double longest_row(const SpmmProblem& p) noexcept {
  if (p.longest_row >= 0) return static_cast<double>(p.longest_row);
  const double mean = static_cast<double>(p.a.nnz) / std::max(1.0, static_cast<double>(p.m));
  return std::min(4 * mean + 32, static_cast<double>(std::min(p.a.nnz, p.k)));
}

// How much longer the slowest group of a kernel runs when there is less work than the device can hold.
double latency(const SpmmProblem& p, double entries_per_step) noexcept {
  constexpr double kStep = 0.02;  // microseconds of one run of entries, dependent loads included
  return kStep * longest_row(p) / entries_per_step;
}

}  // namespace

// Another launch for rows that are left over, although there may be none.
constexpr double kTail = 3;

// Measured on an H200 (40 matrices of the DLMC and 6 of up to 20,000 rows, n = 8 to 2,048, f32 and f16; three in four of the
// times lie within 15 % of this): warps in turn, what one of them does in turn, the longest row, and the reading of A by
// every tile of columns.
double cost_rows(const Device& device, const SpmmProblem& p) {
  const RowsShape shape = rows_shape(device, p, true);
  const double sms = static_cast<double>(device.sm_count), batches = static_cast<double>(p.c.batch_count);
  const double rows = static_cast<double>(p.m), tiles = static_cast<double>(shape.tiles);
  const double waves = rows * tiles * batches * static_cast<double>(1 << shape.warps_log2) / (16 * sms);
  const double at_once = 4 * static_cast<double>(shape.groups());
  const double steps = static_cast<double>(p.a.nnz) / std::max(1.0, rows) / at_once + 1;
  const double written_again = p.c.col_stride() == 1 ? 0.15 : 1;
  return 2.1 + 1.08 * waves + 0.28 * std::max(1.0, waves) * steps * shape.packs + 0.04 * longest_row(p) / at_once +
         entries(p) * tiles * (4 + value_bytes(p)) / (42e3 * sms) + written_again * written(p) / kWriteRate +
         (split_tail_of_rows(p).above > 0 ? kTail : 0);
}

double cost_panel(const Device& device, const SpmmProblem& p) {
  const double row_packs = 8, pitch = 16 * row_packs + 16;
  const double per_panel = 16 * row_packs / value_bytes(p);
  const double panels = std::ceil(std::max(1.0, static_cast<double>(p.n)) / per_panel);
  const double k = static_cast<double>(p.k), rows = static_cast<double>(device.shared_per_block) / pitch;
  const double chunks = std::ceil(k / rows);
  const bool wide = 2 * k < rows && panels / 2 * static_cast<double>(p.m) / 64 >= device.sm_count;
  const double waves = std::max(1.0, panels * static_cast<double>(p.c.batch_count) / device.sm_count);
  const double staged = k * pitch / 45e3 * waves;  // 45 KB per microsecond and multiprocessor
  const double share = (wide ? 0.66 : 0.52) / (chunks == 1 ? 1 : 0.5 * chunks + 0.2);
  // All rows of a panel pass through few blocks when there are few panels.
  const double groups = std::min(64.0 * device.sm_count, panels * std::max(1.0, static_cast<double>(p.m)));
  const double rounds = std::ceil(panels * static_cast<double>(p.m) / groups);
  return gather(device, p, panels * per_panel, 3.2, share) + staged + rounds * chunks * latency(p, 4) +
         written(p) / kWriteRate;
}

double cost_dot(const Device& device, const SpmmProblem& p) {
  // Every element of B is a transaction of its own, of a sector.
  return gather(device, p, static_cast<double>(p.n) * 32 / value_bytes(p), 2.4, 0.5) + latency(p, 128) +
         0.25 * static_cast<double>(p.n) + (split_tail_of_dot(p).above > 0 ? kTail : 0);
}

double cost_nnz_rows(const Device& device, const SpmmProblem& p) {
  const double vector = 16 / value_bytes(p), n = static_cast<double>(p.n);
  return gather(device, p, n <= 2 * vector ? 2 * vector : n, 11, 0.18) + written(p) / kWriteRate;
}

double cost_nnz_dot(const Device& device, const SpmmProblem& p) {
  return gather(device, p, static_cast<double>(p.n) * 32 / value_bytes(p), 9, 0.1) + 0.8 * static_cast<double>(p.n);
}

double cost_turned(const Device& device, const SpmmProblem& p) {
  const double moved = 2.0 * static_cast<double>(p.k) * static_cast<double>(p.n) * value_bytes(p);
  const double matrices = p.b.batch_stride == 0 ? 1 : static_cast<double>(p.b.batch_count);
  return std::min(cost_rows(device, p), cost_nnz_rows(device, p)) + 1.5 + moved * matrices / 3e6;
}

double cost_sell(const Device& device, const SpmmProblem& p) {
  // All other kernels wait for rows to be made first.
  constexpr double kRowsMade = 10;
  return gather(device, p, static_cast<double>(p.n) * 32 / value_bytes(p), 2.4, 0.5) + latency(p, 128) - kRowsMade;
}

double cost_any(const Device& device, const SpmmProblem& p) {
  return gather(device, p, static_cast<double>(p.n), 4.0, 0.02) + latency(p, 0.06) + 2 * written(p) / kWriteRate;
}

}  // namespace spk::cuda
