// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_cost.hpp"

#include <algorithm>

namespace spk::cuda {
namespace {

// The device's rates in units per microsecond, from its size and a clock all these chips come near.
constexpr double kMegahertz = 1700;
double l1_bytes(const Device& device) noexcept { return 128.0 * device.sm_count * kMegahertz; }

double entries(const SpmmProblem& p) noexcept {
  return static_cast<double>(p.a.nnz) * static_cast<double>(p.c.batch_count);
}
double value_bytes(const SpmmProblem& p) noexcept { return static_cast<double>(size_of(p.a.value_type)); }

// One kernel's expected time: start + bytes gathered from L1 and shared memory over the share of the peak it reaches.
double gather(const Device& device, const SpmmProblem& p, double columns, double start, double share) noexcept {
  return start + entries(p) * columns * value_bytes(p) / (share * l1_bytes(device));
}

}  // namespace

double cost_rows(const Device& device, const SpmmProblem& p) {
  const double columns = std::max(8.0, static_cast<double>(p.n));
  return gather(device, p, columns, 3.0, 0.3);
}

double cost_panel(const Device& device, const SpmmProblem& p) {
  const double columns = 128 / value_bytes(p);
  const double panels = std::max(1.0, static_cast<double>((p.n + 31) / 32));
  const double staged = static_cast<double>(p.k) * 128 / 40e3;  // 40 KB per microsecond and multiprocessor
  const double waves = std::max(1.0, panels / device.sm_count);
  return gather(device, p, panels * columns, 3.5, 0.6) + staged * waves;
}

double cost_dot(const Device& device, const SpmmProblem& p) {
  // Every element of B is a transaction of its own.
  return gather(device, p, static_cast<double>(p.n) * 8, 2.5, 0.5);
}

double cost_any(const Device& device, const SpmmProblem& p) {
  return gather(device, p, static_cast<double>(p.n), 4.0, 0.02) +
         static_cast<double>(p.a.nnz) / std::max(1.0, static_cast<double>(p.m)) * 0.5;
}

}  // namespace spk::cuda
