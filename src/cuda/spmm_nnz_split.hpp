// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"
#include "cuda/device.hpp"

// How the kernels that split a matrix by its nonzeros cut it (kernels/spmm_nnz_split.cuh). Rows and entries together are
// the items of a matrix; a block has a part of equally many. Nothing of the matrix is read for that.
namespace spk::cuda {

struct NnzSplit {
  std::int64_t items = 1;   // of a part
  std::int64_t parts = 1;   // of one matrix
  std::int64_t across = 1;  // most blocks that share a part, each with some columns
  bool cuts = false;        // a row may have more entries than a part has items, and is then cut
};

// long_rows: for a launch that has only rows of more entries than that, and mostly finds nothing to do: fewer blocks, none
// with more than kNnzList such rows; 0: all rows.
NnzSplit nnz_split_of_rows(const Device& device, const SpmmProblem& p, std::int64_t long_rows) noexcept;
// For few columns.
NnzSplit nnz_split_of_dot(const Device& device, const SpmmProblem& p, std::int64_t long_rows) noexcept;
constexpr int kNnzList = 512;

// Columns that the kernel of few columns makes at once, and the bytes of shared memory for its products.
constexpr int nnz_split_columns(std::int64_t n) noexcept { return n == 1 ? 1 : 4; }
constexpr std::int64_t kNnzSplitStage = 16384;
// Most items of its part: entries of the part's own rows, fewer than twice as many, have room in the stage.
constexpr std::int64_t nnz_split_most_items(int together, std::size_t sum_bytes) noexcept {
  const std::int64_t fit = kNnzSplitStage / (2 * together * static_cast<std::int64_t>(sum_bytes));
  return fit < 2048 ? fit : 2048;
}

// A kernel that has rows one by one leaves those of more entries than this to a launch in front of it, beside which it
// runs, and which is split by nonzeros; 0: there can be none, and no launch is needed.
std::int64_t cut_of_rows(const SpmmProblem& p) noexcept;
std::int64_t cut_of_short_rows(const SpmmProblem& p) noexcept;
std::int64_t cut_of_dot(const Device& device, const SpmmProblem& p) noexcept;

// Whether a product is SpMV in its most frequent form: the kernels of few columns have a short way for that
// (kernels/spmm_dot_column.cuh), which shares rows longer than the others among more lanes.
bool is_one_column(const SpmmProblem& p) noexcept;

// Lanes that share a row in the kernel of few columns: 1 to 256.
constexpr int kDotMostLanesLog2 = 8;
int dot_lanes_log2(const Device& device, const SpmmProblem& p) noexcept;

// The workspace, where rows may be cut: the sums of the cut rows that a part meets (per matrix, part and slot n numbers),
// and flags (per matrix, part and block of the part, 64-bit), which say that the part of a row that goes on is there.
struct NnzSplitLayout {
  std::size_t flags = 0, total = 0;  // bytes
};
NnzSplitLayout nnz_split_layout(const SpmmProblem& p, const NnzSplit& split) noexcept;
// What flags are set to: a number that no other call has, and that memory is not likely to hold by chance.
std::uint64_t split_token() noexcept;

}  // namespace spk::cuda
