// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>

#include "core/views.hpp"

// Rows of CSR and BSR matrices: shares of equal numbers of entries, and the check that plans make once.
namespace spk::cpu {

// The (block) row that holds entry e of the arrays: the last one that starts at or before e. 0 <= result < major().
std::int64_t row_of_entry(const SparseView& a, std::int64_t e) noexcept;

// First entry of share `part` of `parts` equal shares.
inline std::int64_t share_begin(std::int64_t entries, std::int64_t parts, std::int64_t part) noexcept {
  return entries / parts * part + entries % parts * part / parts;
}

// First row of share `part` when whole rows are shared out by their entries; major() for part == parts.
std::int64_t share_row(const SparseView& a, std::int64_t parts, std::int64_t part) noexcept;

// Throws INVALID_STRUCTURE where offsets or column indices of any matrix of the batch cannot be right.
void require_structure(const SparseView& a, const char* name);

}  // namespace spk::cpu
