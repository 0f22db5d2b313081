// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <string>

#include "io/csr.hpp"

namespace spk::io {

// A CSR matrix of the caller. Pointers are not null where there are elements; `values` null: a pattern.
struct CsrView {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t nnz;
  const void* row_offsets;
  const void* col_indices;
  const void* values;
  ArrayTypes types;

  std::int64_t offset(std::int64_t row) const { return index(row_offsets, row); }
  std::int64_t col(std::int64_t k) const { return index(col_indices, k); }

 private:
  // From 0, whatever the base.
  std::int64_t index(const void* array, std::int64_t i) const {
    return (types.index == SPK_INDEX_32I ? std::int64_t{static_cast<const std::int32_t*>(array)[i]}
                                         : static_cast<const std::int64_t*>(array)[i]) -
           types.base;
  }
};

void write_csr(const std::string& path, const CsrView& csr);

}  // namespace spk::io
