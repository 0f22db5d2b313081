// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/views.hpp"

// The one way in which the oracle reads a sparse structure. Whatever it follows it checks first, and throws
// INVALID_STRUCTURE with the bad place.
namespace spk::reference {

// Offsets ascend from first_entry to first_entry plus the stored entries (blocks).
void check_offsets(const SparseView& a);

// index[position] from 0, or an Error if it is not in [0, limit).
std::int64_t checked_index(const SparseView& a, const void* indices, const char* name, std::int64_t position,
                           std::int64_t limit);

// Block column of a slot, or -1 if the slot is not used.
std::int64_t checked_slot(const SparseView& a, std::int64_t position);

// Calls f(row, col, place) for every stored entry of one matrix in storage order; its value is values[place]. Of BSR
// and Blocked-ELL every element of a stored block is an entry; unused slots, of SELL too, have none.
template <class F>
void for_each_entry(const SparseView& a, F&& f) {
  const std::int64_t edge = a.block_size;
  if (a.format == Format::coo) {
    for (std::int64_t t = 0; t < a.nnz; ++t) {
      const std::int64_t row = checked_index(a, a.row_indices, "row_indices", t, a.rows);
      f(row, checked_index(a, a.col_indices, "col_indices", t, a.cols), t);
    }
    return;
  }
  if (a.format == Format::blocked_ell) {
    const std::int64_t slots = a.slots_per_row();
    for (std::int64_t s = 0; s < a.major() * slots; ++s) {
      const std::int64_t block_col = checked_slot(a, s);
      if (block_col < 0) continue;
      for (std::int64_t r = 0; r < edge; ++r)
        for (std::int64_t c = 0; c < edge; ++c) {
          const std::int64_t row = s / slots * edge + r;
          f(row, block_col * edge + c, row * a.ell_cols + s % slots * edge + c);
        }
    }
    return;
  }
  check_offsets(a);
  if (a.format == Format::sell) {
    for (std::int64_t slice = 0; slice < a.major() && a.nnz != 0; ++slice) {
      const std::int64_t begin = a.offset(slice), end = a.offset(slice + 1);
      for (std::int64_t t = begin; t < end; ++t) {
        const std::int64_t col = checked_slot(a, t), row = slice * a.slice_size + (t - begin) % a.slice_size;
        if (col >= 0 && row < a.rows) f(row, col, t);
      }
    }
    return;
  }
  if (a.nnzb == 0) return;  // then the other arrays, and the offsets too, may be NULL
  const bool by_columns = a.format == Format::csc;
  for (std::int64_t i = 0; i < a.major(); ++i) {
    const std::int64_t end = a.offset(i + 1);
    for (std::int64_t t = a.offset(i); t < end; ++t) {
      if (by_columns) {
        f(checked_index(a, a.row_indices, "row_indices", t, a.rows), i, t);
        continue;
      }
      const std::int64_t j = checked_index(a, a.col_indices, "col_indices", t, a.block_cols());
      for (std::int64_t e = 0; e < edge * edge; ++e) {
        const std::int64_t slow = e / edge, fast = e % edge;
        const bool columns_inside = a.block_order == Order::col;
        f(i * edge + (columns_inside ? fast : slow), j * edge + (columns_inside ? slow : fast), t * edge * edge + e);
      }
    }
  }
}

// Only the checks.
inline void check_entries(const SparseView& a) {
  for_each_entry(a, [](std::int64_t, std::int64_t, std::int64_t) {});
}

struct Entry {
  std::int64_t row, col, place;
};

// All entries in storage order.
std::vector<Entry> entries_of(const SparseView& a);

// The entries of op(a), row after row, those of a row in storage order.
class EntriesByRow {
 public:
  struct Term {
    std::int64_t col, place;
  };
  EntriesByRow(const SparseView& a, Op op);
  std::span<const Term> row(std::int64_t i) const noexcept {
    const auto begin = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(i) + 1]);
    return std::span(terms_).subspan(begin, end - begin);
  }

 private:
  std::vector<std::int64_t> offsets_;
  std::vector<Term> terms_;
};

}  // namespace spk::reference
