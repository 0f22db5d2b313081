// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/reference/entries.hpp"

#include <cinttypes>

#include "core/error.hpp"

namespace spk::reference {

void check_offsets(const SparseView& a) {
  const std::int64_t stored = a.nnzb;
  if (a.offsets == nullptr && stored == 0) return;
  std::int64_t before = a.first_entry + a.base;
  const std::int64_t last = before + stored;
  for (std::int64_t i = 0; i <= a.major(); ++i) {
    // Compared as it stands there: taking the base off a broken number could overflow.
    const std::int64_t here = index_at(a.offsets, a.offset_type, i);
    const bool is_end = i == a.major();
    if (here < before || here > last || (i == 0 && here != before) || (is_end && here != last))
      throw Error(SPK_STATUS_INVALID_STRUCTURE,
                  "offsets[%" PRId64 "] = %" PRId64 " but must be %s %" PRId64 " and at most %" PRId64, i, here,
                  i == 0 ? "equal to" : "at least", i != 0 && is_end ? last : before, last);
    if (a.format == Format::sell && (here - before) % a.slice_size != 0)
      throw Error(SPK_STATUS_INVALID_STRUCTURE,
                  "offsets[%" PRId64 "] = %" PRId64 " but must be %" PRId64 " and a multiple of slice_size = %" PRId64,
                  i, here, before, a.slice_size);
    before = here;
  }
}

std::int64_t checked_index(const SparseView& a, const void* indices, const char* name, std::int64_t position,
                           std::int64_t limit) {
  const std::int64_t index = index_at(indices, a.index_type, position);
  if (index < a.base || index - a.base >= limit)
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s[%" PRId64 "] = %" PRId64 " but must be in [%d, %" PRId64 ")", name,
                position, index, static_cast<int>(a.base), limit + a.base);
  return index - a.base;
}

std::int64_t checked_slot(const SparseView& a, std::int64_t position) {
  if (index_at(a.col_indices, a.index_type, position) == -1) return -1;
  return checked_index(a, a.col_indices, "col_indices", position, a.block_cols());
}

std::vector<Entry> entries_of(const SparseView& a) {
  std::vector<Entry> entries;
  for_each_entry(a, [&](std::int64_t row, std::int64_t col, std::int64_t place) {
    entries.push_back({row, col, place});
  });
  return entries;
}

EntriesByRow::EntriesByRow(const SparseView& a, Op op) {
  const bool transposed = op != Op::n;
  const auto rows = static_cast<std::size_t>(transposed ? a.cols : a.rows);
  offsets_.assign(rows + 1, 0);
  for_each_entry(a, [&](std::int64_t row, std::int64_t col, std::int64_t) {
    ++offsets_[static_cast<std::size_t>(transposed ? col : row) + 1];
  });
  for (std::size_t i = 0; i < rows; ++i) offsets_[i + 1] += offsets_[i];
  terms_.resize(static_cast<std::size_t>(offsets_[rows]));
  std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
  for_each_entry(a, [&](std::int64_t row, std::int64_t col, std::int64_t place) {
    auto& position = next[static_cast<std::size_t>(transposed ? col : row)];
    terms_[static_cast<std::size_t>(position++)] = {transposed ? row : col, place};
  });
}

}  // namespace spk::reference
