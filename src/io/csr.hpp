// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>

#include "io/matrix.hpp"

namespace spk::io {

// Types of the arrays of a caller, checked.
struct ArrayTypes {
  spk_index_type_t index;
  spk_index_base_t base;
  spk_value_type_t value;
};

// Throws Error(INVALID_VALUE) for a number that is no such type.
void check_types(const ArrayTypes& types);
std::size_t index_bytes(spk_index_type_t type);

// Entries of the matrix once duplicates are added up. Counted at the first call, then remembered.
std::int64_t count_csr(const spk_io_matrix& matrix);

// Fill the caller's arrays; `values` may be null.
void fill_csr(const spk_io_matrix& matrix, const ArrayTypes& types, void* row_offsets, void* col_indices, void* values);
void fill_coo(const spk_io_matrix& matrix, const ArrayTypes& types, void* row_indices, void* col_indices, void* values);

}  // namespace spk::io
