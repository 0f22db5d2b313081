// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/reference/entries.hpp"

// A sparse matrix put together in memory from a list of entries, before anything of the destination is written.
namespace spk::reference {

// Entries whose values lie in one array; NULL where only the structure matters.
struct Source {
  ValueType type = ValueType::f32;
  const void* values = nullptr;
  std::vector<Entry> entries;
};

// The arrays of a matrix in the format of a destination, indices from 0, -1 for unused slots.
struct Assembled {
  std::int64_t count = 0;  // nnz; stored blocks for BSR, ell_cols for Blocked-ELL
  std::vector<std::int64_t> offsets, row_indices, col_indices;
  std::vector<std::byte> values;
};

// Copies and adds elements of a type by their bits, as spk_convert.h says.
void copy_value(ValueType t, void* to, std::int64_t to_place, const void* from, std::int64_t from_place);
void add_value(ValueType t, void* to, std::int64_t to_place, const void* from, std::int64_t from_place);

// By row, then column (CSC: by column, then row); equal places keep their order.
void sort_entries(std::vector<Entry>& entries, Format format);

Assembled assemble(Source source, const SparseView& destination);

// INDEX_OVERFLOW if a number of `a` does not fit the destination.
void check_fits(const Assembled& a, const SparseView& destination);
// INVALID_VALUE if the destination has another size.
void check_count(const Assembled& a, const SparseView& destination);

void write_offsets(const Assembled& a, const SparseView& destination);
// Everything; values only where the destination has some.
void write_all(const Assembled& a, const SparseView& destination);

}  // namespace spk::reference
