// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"
#include "cuda/device.hpp"

// How the kernels that split a matrix by its nonzeros cut it (kernels/spmm_nnz_split.cuh). Rows and entries together are
// the items of a matrix; a block has a part of equally many. Nothing of the matrix is read for that.
namespace spk::cuda {

struct NnzSplit {
  std::int64_t items = 1;  // of a part
  std::int64_t parts = 1;  // of one matrix
  bool cuts = false;       // a row may have more entries than a part has items, and is then cut
  bool behind = false;     // the last block that has a part of a cut row adds up its parts; else another launch does
};

// behind: for a launch behind another one, which mostly finds nothing to do: fewer blocks.
NnzSplit nnz_split_of_rows(const Device& device, const SpmmProblem& p, bool behind) noexcept;
// For few columns.
NnzSplit nnz_split_of_dot(const Device& device, const SpmmProblem& p, bool behind) noexcept;

// Columns that the kernel of few columns makes at once, and the bytes of shared memory for its products.
constexpr int nnz_split_columns(std::int64_t n) noexcept { return n == 1 ? 1 : 4; }
constexpr std::int64_t kNnzSplitStage = 16384;
// Most items of its part: entries of the part's own rows, fewer than twice as many, have room in the stage.
constexpr std::int64_t nnz_split_most_items(int together, std::size_t sum_bytes) noexcept {
  const std::int64_t fit = kNnzSplitStage / (2 * together * static_cast<std::int64_t>(sum_bytes));
  return fit < 1024 ? fit : 1024;
}

// A kernel that has rows one by one leaves those of more entries than this to a launch behind it that is split by
// nonzeros; 0: there can be none, and no launch is needed.
std::int64_t cut_of_rows(const SpmmProblem& p) noexcept;
std::int64_t cut_of_short_rows(const SpmmProblem& p) noexcept;
std::int64_t cut_of_dot(const Device& device, const SpmmProblem& p) noexcept;

// Lanes that share a row in the kernel of few columns: 2 to 256.
constexpr int kDotMostLanesLog2 = 8;
int dot_lanes_log2(const Device& device, const SpmmProblem& p) noexcept;

// What a kernel owes the launch behind it. If it leaves a row over, it writes `token`, which no other call has, to `told`:
// the launch behind ends at once where it finds anything else there, and has no worse than nothing to do where it finds
// the token although there is no such row.
struct SplitTail {
  std::uint64_t* told;  // NULL: there is no launch behind
  std::uint64_t token;
  unsigned* tickets;  // to be cleared; NULL: there are none
  std::int64_t ticket_count;
};
// The workspace: behind another launch, the word that the one in front writes. Where rows may be cut, also: the row that is
// cut and begins in a part (64-bit, per matrix and part), and the sums of the cut rows that a part meets (per matrix, part
// and slot n numbers); behind another launch, which sets them to 0, tickets (per matrix and part, 32-bit) of the row that is
// cut and begins in a part.
struct NnzSplitLayout {
  std::size_t rows = 0, sums = 0, tickets = 0, total = 0;  // bytes
};
NnzSplitLayout nnz_split_layout(const SpmmProblem& p, const NnzSplit& split) noexcept;
SplitTail split_tail(const SpmmProblem& p, const NnzSplit& split, void* workspace);

}  // namespace spk::cuda
