// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_rows_shape.hpp"

namespace spk::cuda {
namespace {

constexpr std::int64_t kFill = 12;  // warps of a multiprocessor beyond which more gain nothing

std::int64_t per_row(const SpmmProblem& p) noexcept { return p.m == 0 ? 0 : p.a.nnz / p.m; }

// The narrowest group that has all columns, for the most groups in a row; else the widest that leaves warps enough.
RowsShape columns_shape(const Device& device, const SpmmProblem& p, bool vectors) noexcept {
  const std::int64_t n = p.n, size = static_cast<std::int64_t>(size_of(p.a.value_type));
  const int vec = static_cast<int>(16 / size);
  if (!vectors || vec == 1 || n == 1) return {n <= 8 ? 8 : 32, 1, 1, true};
  if (n % vec != 0) return {n <= 2 * vec ? 2 : 8, vec, 1, false};
  const bool common = size <= 4;  // of other types there are fewer kernels
  const auto fills = [&](std::int64_t columns) {
    return p.m * ((n + columns - 1) / columns) * p.c.batch_count >= kFill * device.sm_count;
  };
  if (size == 2 && n <= vec) return {1, vec, 1, true};
  if (n <= 2 * vec) return {2, vec, 1, true};
  if (common && n <= 4 * vec) return {4, vec, 1, true};
  // Long rows: more loads under way instead of more groups.
  if (common && n <= 8 * vec && per_row(p) >= 1024) return {4, vec, 2, true};
  if (n > 48 * vec && fills(64 * vec)) return {32, vec, 2, true};
  if (common && n > 16 * vec && fills(32 * vec)) return {16, vec, 2, true};
  if (n > 8 * vec && fills(16 * vec)) return {8, vec, 2, true};
  return {8, vec, 1, true};
}

}  // namespace

RowsShape rows_shape(const Device& device, const SpmmProblem& p, bool vectors) noexcept {
  RowsShape shape = columns_shape(device, p, vectors);
  shape.tiles = (p.n + shape.columns() - 1) / shape.columns();
  // At least four runs of four entries per group, while there are not enough rows to fill the device; one run where a
  // multiprocessor would have fewer than four warps.
  const auto warps = [&] { return p.m * shape.tiles * p.c.batch_count << shape.warps_log2; };
  const auto entries_left = [&] {
    const std::int64_t few = warps() < std::int64_t{4} * device.sm_count ? 4 : 16;
    return few * shape.groups() < per_row(p);
  };
  while (1 << shape.warps_log2 < kRowsWarps && entries_left() && warps() < kFill * device.sm_count) ++shape.warps_log2;
  return shape;
}

}  // namespace spk::cuda
