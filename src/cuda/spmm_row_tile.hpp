// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>

#include "core/problems.hpp"
#include "cuda/device.hpp"

// The SpMM of few columns whose blocks make 16 rows of A dense in shared memory (kernels/spmm_row_tile_sm90.cuh): what it
// takes, which tile a problem gets, and what it will cost.
namespace spk::cuda {

constexpr int kRowTileRows = 16;
constexpr int kRowTileWarps = kRowTileRows;  // of a block

struct RowTileShape {
  int columns;     // of C, of a block: 8, 32, 64 or 128; 0: the device has too little shared memory
  int cluster;     // blocks that copy B to each other
  int part_steps;  // of 32 along k, of which B is in shared memory at a time
};

// Shared memory, in bytes: B, then sums, by steps of 32 along k; rows of A, of which no two of 8 have packs of 16 bytes on the
// same banks; and what aligns all that.
constexpr std::int64_t row_tile_step_bytes(int columns) noexcept { return columns * 64; }
constexpr std::int64_t row_tile_sum_bytes(int columns) noexcept {
  return std::int64_t{kRowTileWarps} * kRowTileRows * ((columns < 32 ? columns : 32) + 4) * 4;
}
constexpr std::int64_t row_tile_pitch(std::int64_t k) noexcept { return (k + 63) / 64 * 128 + 16; }
constexpr std::int64_t row_tile_b_bytes(const RowTileShape& shape) noexcept {
  const std::int64_t b = shape.part_steps * row_tile_step_bytes(shape.columns),
                     sums = row_tile_sum_bytes(shape.columns);
  return b > sums ? b : sums;
}
constexpr std::int64_t row_tile_bytes(std::int64_t k, const RowTileShape& shape) noexcept {
  return 1024 + row_tile_b_bytes(shape) + kRowTileRows * row_tile_pitch(k);
}

// The shape with the least expected time.
RowTileShape row_tile_shape(const Device& device, const SpmmProblem& p) noexcept;

const char* refuse_row_tile_f16(const SpmmProblem& p);
const char* refuse_row_tile_bf16(const SpmmProblem& p);
double cost_row_tile(const Device& device, const SpmmProblem& p);

}  // namespace spk::cuda
