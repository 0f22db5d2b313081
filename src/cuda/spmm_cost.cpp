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

constexpr double kRunEntries = 4;     // entries that are read at once
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

// How much longer the slowest group of a kernel runs when there is less work than the device can hold.
double latency(const SpmmProblem& p, double entries_per_step) noexcept {
  constexpr double kStep = 0.02;  // microseconds of one run of entries, dependent loads included
  return kStep * longest_row(p) / entries_per_step;
}

// Another launch for rows that are left over, although there may be none; more where it has something to do.
constexpr double kTail = 1.2, kFound = 3;
double tail(const SpmmProblem& p, std::int64_t cut) noexcept {
  return cut == 0 ? 0 : p.longest_row > cut ? kFound : kTail;
}

// SpMV in its most frequent form: entries, and elements of B that do not come from L1.
double column(const Device& device, const SpmmProblem& p) noexcept {
  const double far = std::max(0.0, 1 - 2e5 / (static_cast<double>(p.k) * value_bytes(p)));
  return 132 / static_cast<double>(device.sm_count) * (1.8e-6 + 6e-6 * far) * entries(p);
}

}  // namespace

double longest_row(const SpmmProblem& p) noexcept {
  if (p.longest_row >= 0) return static_cast<double>(p.longest_row);
  const double mean = static_cast<double>(p.a.nnz) / std::max(1.0, static_cast<double>(p.m));
  return std::min(4 * mean + 32, static_cast<double>(std::min(p.a.nnz, p.k)));
}

constexpr double kFarFromL1Bytes = 3e6;

// Fitted on an H200 (40 matrices of the DLMC and 6 of up to 20,000 rows, n = 8 to 2,048, f32 and f16; the error is 15 %,
// root of the mean square): warps in turn, what one of them does in turn, the longest row, and the reading of A by every
// tile of columns.
double cost_rows(const Device& device, const SpmmProblem& p) {
  const RowsShape shape = rows_shape(device, p, true);
  const double sms = static_cast<double>(device.sm_count), batches = static_cast<double>(p.c.batch_count);
  const double rows = static_cast<double>(p.m), tiles = static_cast<double>(shape.tiles);
  const double waves = rows * tiles * batches * static_cast<double>(1 << shape.warps_log2) / (16 * sms);
  const double at_once = 4 * static_cast<double>(shape.groups());
  const double steps = static_cast<double>(p.a.nnz) / std::max(1.0, rows) / at_once + 1;
  const double written_again = p.c.col_stride() == 1 ? 0.15 : 2.2;
  // Rows of B that do not come from L1, where it is far too small for the tile's columns of B.
  const double columns_of_b =
      static_cast<double>(p.k * std::min(p.n, shape.columns())) * value_bytes(p) / kFarFromL1Bytes;
  const double fetched =
      columns_of_b <= 1 ? 0 : (1 - 1 / columns_of_b) * entries(p) * static_cast<double>(p.n) * value_bytes(p);
  return 2.1 + 1.08 * waves + 0.28 * std::max(1.0, waves) * steps * shape.packs + 0.04 * longest_row(p) / at_once +
         entries(p) * tiles * (4 + value_bytes(p)) / (42e3 * sms) + written_again * written(p) / kWriteRate +
         fetched / (1.9e5 * sms) + tail(p, cut_of_rows(p));
}

// Fitted likewise (216 problems of the DLMC and of up to 200,000 rows with 2 to 32 entries each, with an error of 13 %): the
// longest row that is not left over, one run of entries after the other; turns of the device; A, for every tile of
// columns; rows of B that do not come from L1, or not from L2; C.
double cost_short_rows(const Device& device, const SpmmProblem& p) {
  const double devices = 132 / static_cast<double>(device.sm_count), size = value_bytes(p), vec = 16 / size;
  const double m = std::max(1.0, static_cast<double>(p.m)), n = static_cast<double>(p.n);
  const double runs = static_cast<double>(p.a.nnz) / m / kRunEntries;
  double lanes = size == 2 ? 1 : 2;
  while (lanes < 16 && lanes * vec < n) lanes *= 2;
  const double tiles = std::ceil(n / (lanes * vec));
  const double turns = m * static_cast<double>(p.c.batch_count) * tiles * lanes / (32 * 32 * 132) * devices;
  const double columns_of_b = static_cast<double>(p.k) * std::min(n, lanes * vec) * size;
  const double not_l1 = std::max(0.0, 1 - 2e5 / columns_of_b);
  const double not_l2 = std::max(0.0, 1 - static_cast<double>(device.l2_bytes) / 4 / columns_of_b);
  // A group has a row alone, or all groups of the warp share it.
  constexpr double kAlone = 64;
  const std::int64_t cut = cut_of_short_rows(p);
  const double longest = cut == 0 ? longest_row(p) : std::min(longest_row(p), static_cast<double>(cut));
  const double in_turn = longest <= kAlone ? longest : kAlone + longest * lanes / 32;
  return 2.16 + 0.186 / kRunEntries * in_turn + 0.141 * runs + 0.64 * std::max(0.0, turns - 1) * (runs + 1) +
         devices * (0.36e-6 * entries(p) * tiles * (4 + size) +
                    (0.0055e-6 * not_l1 + 0.0425e-6 * not_l2) * entries(p) * tiles * lanes * 16) +
         0.66e-6 * written(p) + tail(p, cut);
}

// Fitted likewise, with an error of 21 %: a group has its rows of C one after another, and waits for every run of entries.
double cost_panel(const Device& device, const SpmmProblem& p) {
  constexpr double kLanes = 8, kPitch = 16 * kLanes + 16;
  const double sms = static_cast<double>(device.sm_count), batches = static_cast<double>(p.c.batch_count);
  const double m = std::max(1.0, static_cast<double>(p.m)), n = std::max(1.0, static_cast<double>(p.n));
  const double k = static_cast<double>(p.k), shared = static_cast<double>(device.shared_per_block);
  const double chunks = std::max(1.0, std::ceil(k / std::floor(shared / kPitch)));
  const double pack = 16 / value_bytes(p);
  const bool wide = k * (2 * kPitch - 16) <= shared && std::floor(n / (2 * pack * kLanes)) * std::floor(m / 64) >= sms;
  const double columns = (wide ? 2 : 1) * pack * kLanes, panels = std::ceil(n / columns);
  const double groups = (m * panels < sms * 64 ? 32 : 64);
  double blocks = std::clamp(std::floor(sms / panels), 1.0, std::ceil(m / groups));
  if (chunks > 1) blocks = std::max(blocks, std::ceil(m / (4 * groups)));
  const double waves = std::max(1.0, panels * blocks * batches / sms);
  const double rows = chunks > 1 ? 4 * std::ceil(m / (4 * groups * blocks)) : std::ceil(m / (groups * blocks));
  const double mean = static_cast<double>(p.a.nnz) / m + 4, longest = static_cast<double>(p.longest_row);
  const double visits = chunks * std::max(longest, rows * mean * waves);
  const double staged = k * (wide ? 2 * kPitch - 16 : kPitch) / 45e3 * waves;  // 45 KB per microsecond, at best
  const bool turned = operand(p.b, p.op_b).col_stride != 1;
  return gather(device, p, panels * columns, 2.4, 2) + (turned ? 2.9 : 2.3) * staged +
         (value_bytes(p) == 2 ? 0.076 : 0.063) * visits + 0.5 * written(p) / kWriteRate;
}

double cost_dot(const Device& device, const SpmmProblem& p) {
  if (is_one_column(p)) {
    const std::int64_t cut = cut_of_dot(device, p);
    // Nobody knows whether rows are even.
    const double rest = cut > 0 && p.longest_row < 0 ? kFound : tail(p, cut);
    return 2 + column(device, p) + 3e-6 * static_cast<double>(p.m) + latency(p, 128) + rest;
  }
  // Rows one by one, 20,000 to 200,000 of 2 to 32 entries each.
  const double rows =
      static_cast<double>(p.m) * static_cast<double>(p.c.batch_count) * (0.02e-3 + 0.012e-3 * static_cast<double>(p.n));
  // Long rows have a block each, one after another.
  constexpr double kManyFound = 20;
  const std::int64_t cut = cut_of_dot(device, p);
  const double rest = cut > 0 && p.longest_row > cut ? kManyFound : tail(p, cut);
  // Every element of B is a transaction of its own, of a sector.
  return gather(device, p, static_cast<double>(p.n) * 32 / value_bytes(p), 2.4, 0.5) + latency(p, 128) +
         0.25 * static_cast<double>(p.n) + rows + rest;
}

double cost_nnz_rows(const Device& device, const SpmmProblem& p) {
  const double vector = 16 / value_bytes(p), n = static_cast<double>(p.n);
  // Rows one by one, 20,000 to 200,000 of 2 to 10 entries each.
  const double rows = 0.17e-3 * static_cast<double>(p.m) * static_cast<double>(p.c.batch_count);
  return gather(device, p, n <= 2 * vector ? 2 * vector : n, 11, 0.18) + rows + written(p) / kWriteRate;
}

double cost_nnz_dot(const Device& device, const SpmmProblem& p) {
  if (is_one_column(p)) return 3 + column(device, p) + 1.4e-6 * entries(p) + 9e-6 * static_cast<double>(p.m);
  return gather(device, p, static_cast<double>(p.n) * 32 / value_bytes(p), 9, 0.1) + 0.8 * static_cast<double>(p.n);
}

double cost_turned(const Device& device, const SpmmProblem& p) {
  const double moved = 2.0 * static_cast<double>(p.k) * static_cast<double>(p.n) * value_bytes(p);
  const double matrices = p.b.batch_stride == 0 ? 1 : static_cast<double>(p.b.batch_count);
  // The launches overlap.
  return std::min({cost_rows(device, p), cost_short_rows(device, p), cost_nnz_rows(device, p)}) + 0.7 +
         moved * matrices / 3e6;
}

double cost_sell(const Device& device, const SpmmProblem& p) {
  // All other kernels wait for rows to be made first.
  constexpr double kRowsMade = 10;
  return gather(device, p, static_cast<double>(p.n) * 32 / value_bytes(p), 2.4, 0.5) + latency(p, 128) - kRowsMade;
}

double cost_any(const Device& device, const SpmmProblem& p) {
  // Rows one by one: a million with n = 1, 512 with n = 2,048.
  const double rows =
      static_cast<double>(p.m) * static_cast<double>(p.c.batch_count) * (0.9e-3 + 5e-6 * static_cast<double>(p.n));
  return gather(device, p, static_cast<double>(p.n), 2.3, 0.02) + latency(p, 0.1) + rows + 2 * written(p) / kWriteRate;
}

}  // namespace spk::cuda
