// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "capi/objects.hpp"

// Descriptions of sparse matrices out of C arguments, checked as spk_sparse.h says.
namespace spk::capi {

SparseView make_compressed(Format format, std::int64_t rows, std::int64_t cols, std::int64_t nnz, const void* offsets,
                           const void* indices, const void* values, std::int32_t offset_type, std::int32_t index_type,
                           std::int32_t index_base, std::int32_t value_type);

SparseView make_coo(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const void* row_indices,
                    const void* col_indices, const void* values, std::int32_t index_type, std::int32_t index_base,
                    std::int32_t value_type);

SparseView make_bsr(std::int64_t block_rows, std::int64_t block_cols, std::int64_t nnzb, std::int64_t row_block,
                    std::int64_t col_block, const void* offsets, const void* indices, const void* values,
                    std::int32_t offset_type, std::int32_t index_type, std::int32_t index_base, std::int32_t value_type,
                    std::int32_t block_order);

SparseView make_sell(std::int64_t rows, std::int64_t cols, std::int64_t nnz, std::int64_t values_size,
                     std::int64_t slice_size, const void* offsets, const void* indices, const void* values,
                     std::int32_t offset_type, std::int32_t index_type, std::int32_t index_base,
                     std::int32_t value_type);

SparseView make_blocked_ell(std::int64_t rows, std::int64_t cols, std::int64_t block_size, std::int64_t ell_cols,
                            const void* indices, const void* values, std::int32_t index_type, std::int32_t index_base,
                            std::int32_t value_type);

SparseView slice_rows(const Backend& backend, void* stream, const SparseView& whole, std::int64_t first_row,
                      std::int64_t row_count);

// Throws INVALID_STRUCTURE with a sentence about the first bad place, if the report has one.
void throw_if_broken(const spk_validation_report_t& report, const SparseView& view, const char* name);

}  // namespace spk::capi
