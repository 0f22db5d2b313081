// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/spmm_nnz_split.hpp"

#include <algorithm>
#include <atomic>

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

// Where rows can be longer than `reach` entries and than `times` times the mean: what is cut, at least `above` entries.
std::int64_t cut_of(const SpmmProblem& p, std::int64_t reach, std::int64_t times, std::int64_t above) noexcept {
  const std::int64_t longest = most_in_a_row(p), mean = p.m == 0 ? 0 : p.a.nnz / p.m;
  if (p.skips_product() || longest <= reach || longest <= times * mean) return 0;
  return std::max(above, 4 * mean);
}

}  // namespace

std::int64_t cut_of_rows(const SpmmProblem& p) noexcept { return cut_of(p, 2304, 32, 256); }
std::int64_t cut_of_short_rows(const SpmmProblem& p) noexcept { return cut_of(p, 256, 8, 256); }
std::int64_t cut_of_dot(const Device& device, const SpmmProblem& p) noexcept {
  const int lanes_log2 = dot_lanes_log2(device, p);
  return cut_of(p, std::max(256, 64 << lanes_log2), 32, std::max(128, 32 << lanes_log2));
}

// About four entries per lane; more lanes while rows alone do not fill the device.
int dot_lanes_log2(const Device& device, const SpmmProblem& p) noexcept {
  const std::int64_t per_row = p.a.nnz / std::max<std::int64_t>(1, p.m);
  int lanes_log2 = 1;
  while (lanes_log2 < 5 && 4 << lanes_log2 < per_row) ++lanes_log2;
  // Lanes for rows much longer than the mean, while they cost nothing.
  while (lanes_log2 < kDotMostLanesLog2 && 4 << lanes_log2 < 4 * per_row + 32 &&
         p.m << lanes_log2 < std::int64_t{512} * device.sm_count)
    ++lanes_log2;
  return lanes_log2;
}

NnzSplit nnz_split_of_rows(const Device& device, const SpmmProblem& p, bool behind) noexcept {
  // A launch that mostly finds nothing to do cuts no row that one block has done in a few microseconds.
  const std::int64_t least = behind ? std::clamp<std::int64_t>(most_in_a_row(p), 256, 1024) : 256;
  return split_of(device, p, least, INT32_MAX / 2, behind);
}

NnzSplit nnz_split_of_dot(const Device& device, const SpmmProblem& p, bool behind) noexcept {
  const std::int64_t most = nnz_split_most_items(nnz_split_columns(p.n), size_of(sum_type(p.a.value_type)));
  return split_of(device, p, std::min<std::int64_t>(256, most), most, behind);
}

NnzSplitLayout nnz_split_layout(const SpmmProblem& p, const NnzSplit& split) noexcept {
  constexpr std::size_t kAlignment = 256;
  const auto padded = [](std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  NnzSplitLayout layout;
  layout.rows = split.behind ? kAlignment : 0;
  layout.total = layout.rows;
  if (!split.cuts) return layout;
  const std::size_t parts = static_cast<std::size_t>(split.parts) * static_cast<std::size_t>(p.c.batch_count);
  layout.sums = layout.rows + padded(parts * sizeof(std::int64_t));
  layout.tickets = layout.sums + padded(parts * 2 * static_cast<std::size_t>(p.n) * size_of(sum_type(p.a.value_type)));
  layout.total = layout.tickets + (split.behind ? padded(parts * sizeof(unsigned)) : 0);
  return layout;
}

SplitTail split_tail(const SpmmProblem& p, const NnzSplit& split, void* workspace) {
  static std::atomic<std::uint64_t> calls{0x5eed'0000'0000'0001};
  SplitTail tail{static_cast<std::uint64_t*>(workspace), calls.fetch_add(1, std::memory_order_relaxed), nullptr, 0};
  if (split.cuts) {
    tail.tickets = reinterpret_cast<unsigned*>(static_cast<char*>(workspace) + nnz_split_layout(p, split).tickets);
    tail.ticket_count = split.parts * p.c.batch_count;
  }
  return tail;
}

}  // namespace spk::cuda
