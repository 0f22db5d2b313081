// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/problems.hpp"
#include "cuda/device.hpp"

// How the SpMM with a panel of op(B) and pairs of entries in shared memory (kernels/spmm_pair_panel.cuh) is cut, for its
// launcher and its cost.
namespace spk::cuda {

constexpr int kPairThreads = 512;  // of a block
constexpr int kPairWarps = kPairThreads / 32;
constexpr int kPairEntries = 32;                    // of a row, that are pairs at a time
constexpr int kPairStage = (kPairEntries + 6) * 8;  // bytes of them: 48 modulo 128, so that rows begin in other banks

struct PairPanelShape {
  int lanes;                        // of a row of C, each with four columns; 8 or 16
  std::int64_t panels, row_blocks;  // row_blocks blocks have the same columns
  std::int64_t chunks, chunk_rows;  // of k
  std::size_t bytes;                // of shared memory
  double us;                        // expected time
};

// The cut with the least expected time.
PairPanelShape pair_panel_shape(const Device& device, const SpmmProblem& p) noexcept;

}  // namespace spk::cuda
