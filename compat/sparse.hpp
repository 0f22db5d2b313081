// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "compat/objects.hpp"

// Making sparse descriptors; shared by the create functions and by conversions that have arrays only.
namespace spk::compat {

// The arrays and types of a sparse matrix as a create function gets them.
struct Arrays {
  const void* offsets;  // COO: row indices; Blocked-ELL: NULL
  const void* indices;
  const void* values;
  cusparseIndexType_t offset_type;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType value_type;
};

std::unique_ptr<cusparseSpMatDescr> make_compressed(cusparseFormat_t format, std::int64_t rows, std::int64_t cols,
                                                    std::int64_t nnz, const Arrays& arrays);
std::unique_ptr<cusparseSpMatDescr> make_coo(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                             const Arrays& arrays);
std::unique_ptr<cusparseSpMatDescr> make_bsr(std::int64_t block_rows, std::int64_t block_cols, std::int64_t nnzb,
                                             std::int64_t row_block, std::int64_t col_block, const Arrays& arrays,
                                             cusparseOrder_t order);
std::unique_ptr<cusparseSpMatDescr> make_blocked_ell(std::int64_t rows, std::int64_t cols, std::int64_t block_size,
                                                     std::int64_t ell_cols, const Arrays& arrays);

std::unique_ptr<cusparseSpMatDescr> make_sliced_ell(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                                    std::int64_t values_size, std::int64_t slice_size,
                                                    const Arrays& arrays);

// An array for the arguments of libspk that are not const: it never writes where only reading was agreed.
inline void* writable(const void* array) { return const_cast<void*>(array); }

}  // namespace spk::compat
