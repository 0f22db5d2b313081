// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"
#include "cuda/device.hpp"

// The form in which the kernel for rows (kernels/spmm_rows.cuh) takes a problem: for its launch and its cost.
namespace spk::cuda {

struct RowsShape {
  int lanes;               // of a group, which has lanes * vec * packs neighbouring columns
  int vec, packs;          // columns that a lane reads at once, and how often
  bool whole;              // n is a multiple of vec
  int warps_log2 = 0;      // warps that share a row
  std::int64_t tiles = 1;  // of columns

  std::int64_t columns() const noexcept { return std::int64_t{lanes} * vec * packs; }
  // Groups that share a row.
  std::int64_t groups() const noexcept { return std::int64_t{32 / lanes} << warps_log2; }
};

constexpr int kRowsWarps = 8;  // warps of a block

// vectors: values of A and rows of B start at 16 bytes.
RowsShape rows_shape(const Device& device, const SpmmProblem& p, bool vectors) noexcept;

}  // namespace spk::cuda
