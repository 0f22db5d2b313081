// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_nnz_split.hpp"

#include <algorithm>

namespace spk::cuda {
namespace {

// Entries that a row may have. More than columns would take duplicates, which are no reason to hurry.
std::int64_t most_in_a_row(const SpmmProblem& p) noexcept {
  return p.longest_row >= 0 ? p.longest_row : std::min(p.a.nnz, p.k);
}

NnzSplit split_of(const Device& device, const SpmmProblem& p, std::int64_t least, std::int64_t most,
                  bool behind) noexcept {
  const std::int64_t all = p.m + p.a.nnz;
  const std::int64_t wanted = std::max<std::int64_t>(1, (behind ? 2 : 4) * device.sm_count / p.c.batch_count);
  NnzSplit split;
  split.behind = behind;
  split.items = std::max<std::int64_t>(1, std::min(std::max((all + wanted - 1) / wanted, least), most));
  split.parts = (all + split.items - 1) / split.items;
  split.cuts = !p.skips_product() && split.parts > 1 && most_in_a_row(p) > split.items;
  return split;
}

// Rows that can be longer than `reach` entries and than many times the mean.
SplitTail tail_of(const SpmmProblem& p, std::int64_t reach, std::int64_t above) noexcept {
  const std::int64_t longest = most_in_a_row(p), mean = p.m == 0 ? 0 : p.a.nnz / p.m;
  if (p.skips_product() || longest <= reach || longest <= 32 * mean) return {};
  SplitTail tail;
  tail.above = std::max(above, 4 * mean);
  tail.flags =
      (static_cast<std::size_t>(SplitTail::stride(p.m)) * static_cast<std::size_t>(p.c.batch_count) + 255) / 256 * 256;
  return tail;
}

}  // namespace

SplitTail split_tail_of_rows(const SpmmProblem& p) noexcept { return tail_of(p, 2304, 256); }
SplitTail split_tail_of_dot(const SpmmProblem& p) noexcept { return tail_of(p, p.n == 1 ? 4608 : 2304, 128); }

NnzSplit nnz_split_of_rows(const Device& device, const SpmmProblem& p, bool behind) noexcept {
  return split_of(device, p, 256, INT32_MAX / 2, behind);
}

NnzSplit nnz_split_of_dot(const Device& device, const SpmmProblem& p, bool behind) noexcept {
  const std::int64_t most = nnz_split_most_items(nnz_split_columns(p.n), size_of(sum_type(p.a.value_type)));
  return split_of(device, p, std::min<std::int64_t>(256, most), most, behind);
}

NnzSplitLayout nnz_split_layout(const SpmmProblem& p, const NnzSplit& split) noexcept {
  NnzSplitLayout layout;
  if (!split.cuts) return layout;
  constexpr std::size_t kAlignment = 256;
  const auto padded = [](std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  const std::size_t parts = static_cast<std::size_t>(split.parts) * static_cast<std::size_t>(p.c.batch_count);
  layout.sums = padded(parts * sizeof(std::int64_t));
  layout.tickets = layout.sums + padded(parts * 2 * static_cast<std::size_t>(p.n) * size_of(sum_type(p.a.value_type)));
  layout.total = layout.tickets + (split.behind ? padded(parts * sizeof(unsigned)) : 0);
  return layout;
}

SplitTickets split_tickets(const SpmmProblem& p, const NnzSplit& split, void* workspace) noexcept {
  if (!split.cuts || !split.behind) return {};
  return {reinterpret_cast<unsigned*>(static_cast<char*>(workspace) + nnz_split_layout(p, split).tickets),
          split.parts * p.c.batch_count};
}

}  // namespace spk::cuda
