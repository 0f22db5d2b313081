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

NnzSplit split_of(const Device& device, const SpmmProblem& p, std::int64_t per_sm, std::int64_t least,
                  std::int64_t most) noexcept {
  const std::int64_t all = p.m + p.a.nnz;
  const std::int64_t wanted = std::max<std::int64_t>(1, per_sm * device.sm_count / p.c.batch_count);
  NnzSplit split;
  split.items = std::max<std::int64_t>(1, std::min(std::max((all + wanted - 1) / wanted, least), most));
  split.parts = (all + split.items - 1) / split.items;
  split.cuts = !p.skips_product() && split.parts > 1 && most_in_a_row(p) > split.items;
  return split;
}

// Most items of a part whose rows of more than `long_rows` entries have room in a list: a part has whole rows of fewer
// than twice as many entries.
std::int64_t most_for_list(std::int64_t long_rows) noexcept { return kNnzList / 2 * long_rows; }

// Where rows can be longer than `reach` entries and than `times` times the mean: what is cut, at least `above` entries.
std::int64_t cut_of(const SpmmProblem& p, std::int64_t reach, std::int64_t times, std::int64_t above) noexcept {
  const std::int64_t longest = most_in_a_row(p), mean = p.m == 0 ? 0 : p.a.nnz / p.m;
  if (p.skips_product() || longest <= reach || longest <= times * mean) return 0;
  return std::max(above, 4 * mean);
}

// Entries beyond which rows are cut: more where such a row may be there than where a plan has seen it.
int reach_of(const SpmmProblem& p) noexcept { return p.longest_row < 0 ? 2304 : 512; }

}  // namespace

bool is_one_column(const SpmmProblem& p) noexcept {
  return p.n == 1 && p.c.batch_count == 1 && p.epilogue.is_identity() && p.op_a != Op::c && p.op_b != Op::c &&
         p.a.index_type == IndexType::i32 && p.a.offset_type == IndexType::i32;
}

std::int64_t cut_of_rows(const SpmmProblem& p) noexcept { return cut_of(p, 2304, 32, 256); }
std::int64_t cut_of_short_rows(const SpmmProblem& p) noexcept { return cut_of(p, reach_of(p), 8, 256); }
std::int64_t cut_of_dot(const Device& device, const SpmmProblem& p) noexcept {
  const int lanes_log2 = dot_lanes_log2(device, p), reach = is_one_column(p) ? reach_of(p) : 256;
  return cut_of(p, std::max(reach, 64 << lanes_log2), 32, std::max(128, 32 << lanes_log2));
}

// About four entries per lane; more lanes while rows alone do not fill the device.
int dot_lanes_log2(const Device& device, const SpmmProblem& p) noexcept {
  const std::int64_t per_row = p.a.nnz / std::max<std::int64_t>(1, p.m);
  const bool one_column = is_one_column(p);
  int lanes_log2 = one_column ? 0 : 1;
  while (lanes_log2 < 5 && (one_column ? 6 : 4) << lanes_log2 < per_row) ++lanes_log2;
  // Lanes for rows much longer than the mean, while they cost nothing.
  while (lanes_log2 < kDotMostLanesLog2 && 4 << lanes_log2 < 4 * per_row + 32 &&
         p.m << lanes_log2 < std::int64_t{512} * device.sm_count)
    ++lanes_log2;
  return lanes_log2;
}

NnzSplit nnz_split_of_rows(const Device& device, const SpmmProblem& p, std::int64_t long_rows) noexcept {
  // Long rows: one block of a multiprocessor, so that the kernel behind finds room.
  NnzSplit split = long_rows > 0 ? split_of(device, p, 1, 256, most_for_list(long_rows))
                                 : split_of(device, p, 4, 256, INT32_MAX / 2);
  // Tiles of columns share what a block found out, while there are blocks enough.
  const std::int64_t enough = (long_rows > 0 ? 1 : 8) * std::int64_t{device.sm_count};
  const std::int64_t blocks = split.parts * p.c.batch_count;
  split.across = std::clamp<std::int64_t>((enough + blocks - 1) / blocks, 1, std::min<std::int64_t>(p.n, 65535));
  return split;
}

NnzSplit nnz_split_of_dot(const Device& device, const SpmmProblem& p, std::int64_t long_rows) noexcept {
  if (long_rows > 0) return split_of(device, p, is_one_column(p) ? 2 : 1, 256, most_for_list(long_rows));
  const std::int64_t most = nnz_split_most_items(nnz_split_columns(p.n), size_of(sum_type(p.a.value_type)));
  return split_of(device, p, 4, std::min<std::int64_t>(256, most), most);
}

NnzSplitLayout nnz_split_layout(const SpmmProblem& p, const NnzSplit& split) noexcept {
  constexpr std::size_t kAlignment = 256;
  const auto padded = [](std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  NnzSplitLayout layout;
  if (!split.cuts) return layout;
  const std::size_t parts = static_cast<std::size_t>(split.parts) * static_cast<std::size_t>(p.c.batch_count);
  layout.flags = padded(parts * 2 * static_cast<std::size_t>(p.n) * size_of(sum_type(p.a.value_type)));
  layout.total = layout.flags + padded(parts * static_cast<std::size_t>(split.across) * sizeof(std::uint64_t));
  return layout;
}

// The counter mixed as in SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): different numbers stay different.
std::uint64_t split_token() noexcept {
  static std::atomic<std::uint64_t> calls{1};
  std::uint64_t x = calls.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace spk::cuda
