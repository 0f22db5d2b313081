// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/row_parts.hpp"

#include "core/error.hpp"

namespace spk::cpu {
namespace {

// The first row in [0, major()] that starts at or after entry e.
std::int64_t first_row_from(const SparseView& a, std::int64_t e) noexcept {
  std::int64_t low = 0, high = a.major();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (a.offset(middle) < e)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void check_matrix(const SparseView& a, std::int64_t batch, const char* name) {
  const auto as_number = [](std::int64_t i) { return static_cast<long long>(i); };
  std::int64_t before = a.first_entry;
  for (std::int64_t row = 0; row <= a.major(); ++row) {
    const std::int64_t offset = a.offset(row);
    const bool wrong = row == 0 ? offset != a.first_entry : offset < before || offset > a.first_entry + a.nnzb;
    if (wrong || (row == a.major() && offset != a.first_entry + a.nnzb))
      throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: offsets[%lld] = %lld does not fit %lld entries (batch %lld)", name,
                  as_number(row), as_number(offset + a.base), as_number(a.nnzb), as_number(batch));
    before = offset;
  }
  for (std::int64_t e = a.first_entry; e < a.first_entry + a.nnzb; ++e) {
    const std::int64_t col = index_at(a.col_indices, a.index_type, e) - a.base;
    if (col < 0 || col >= a.block_cols())
      throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: col_indices[%lld] = %lld is outside %lld columns (batch %lld)",
                  name, as_number(e), as_number(col + a.base), as_number(a.block_cols()), as_number(batch));
  }
}

}  // namespace

std::int64_t row_of_entry(const SparseView& a, std::int64_t e) noexcept {
  const std::int64_t row = first_row_from(a, e + 1);
  return row > 0 ? row - 1 : 0;
}

std::int64_t share_row(const SparseView& a, std::int64_t parts, std::int64_t part) noexcept {
  if (part == 0) return 0;
  if (part >= parts) return a.major();
  return first_row_from(a, a.first_entry + share_begin(a.nnzb, parts, part));
}

void require_structure(const SparseView& a, const char* name) {
  if (a.offsets == nullptr || (a.nnzb > 0 && a.col_indices == nullptr))
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: offsets or col_indices is NULL", name);
  const bool shared = a.offsets_stride == 0 && a.indices_stride == 0;
  for (std::int64_t b = 0; b < (shared ? 1 : a.batch_count); ++b) check_matrix(a.batch(b), b, name);
}

}  // namespace spk::cpu
