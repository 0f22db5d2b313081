// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/pointers.hpp"
#include "capi/sparse.hpp"
#include "core/checked.hpp"

namespace spk::capi {
namespace {

using Long = long long;

// What all formats share. rows, cols and nnz count elements, or blocks where block_size > 1.
SparseView make_common(Format format, std::int64_t rows, std::int64_t cols, std::int64_t stored, const void* values,
                       std::int32_t index_type, std::int32_t index_base, std::int32_t value_type) {
  SparseView view;
  view.format = format;
  view.index_type = index_type_of(index_type, "index_type");
  view.base = index_base_of(index_base, "index_base");
  view.value_type = value_type_of(value_type, "value_type");
  view.rows = rows;
  view.cols = cols;
  view.nnz = stored;
  view.nnzb = stored;
  view.values = const_cast<void*>(values);
  check_alignment(values, align_of(view.value_type), "values");
  return view;
}

void check_count(std::int64_t count, std::int64_t rows, std::int64_t cols, const char* count_name,
                 const char* rows_name, const char* cols_name) {
  check_size(rows, rows_name);
  check_size(cols, cols_name);
  check_size(count, count_name);
  if (count > saturating_product(rows, cols))
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %lld but %s * %s = %lld * %lld places exist", count_name,
                static_cast<Long>(count), rows_name, cols_name, static_cast<Long>(rows), static_cast<Long>(cols));
}

void check_fits(std::int64_t value, std::int32_t base, IndexType type, const char* name, const char* type_name) {
  if (value > max_of(type) - base)
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "%s = %lld with base %d does not fit %s = %s", name,
                static_cast<Long>(value), base, type_name, name_of(type));
}

void set_offsets(SparseView& view, const void* offsets, std::int32_t offset_type, const char* name,
                 const char* stored_name) {
  view.offset_type = index_type_of(offset_type, "offset_type");
  view.offsets = offsets;
  check_fits(view.nnzb, view.base, view.offset_type, stored_name, "offset_type");
  check_bytes(view.major() + (view.major() < INT64_MAX ? 1 : 0), 1, size_of(view.offset_type), name);
  check_alignment(offsets, size_of(view.offset_type), name);
}

void check_indices(const SparseView& view, const void* indices, const char* name) {
  check_bytes(view.nnzb, 1, size_of(view.index_type), name);
  check_alignment(indices, size_of(view.index_type), name);
  check_bytes(view.nnz, 1, size_of(view.value_type), "values");
}

}  // namespace

SparseView make_compressed(Format format, std::int64_t rows, std::int64_t cols, std::int64_t nnz, const void* offsets,
                           const void* indices, const void* values, std::int32_t offset_type, std::int32_t index_type,
                           std::int32_t index_base, std::int32_t value_type) {
  check_count(nnz, rows, cols, "nnz", "rows", "cols");
  SparseView view = make_common(format, rows, cols, nnz, values, index_type, index_base, value_type);
  const bool is_csr = format == Format::csr;
  check_fits(rows, view.base, view.index_type, "rows", "index_type");
  check_fits(cols, view.base, view.index_type, "cols", "index_type");
  set_offsets(view, offsets, offset_type, is_csr ? "row_offsets" : "col_offsets", "nnz");
  check_indices(view, indices, is_csr ? "col_indices" : "row_indices");
  (is_csr ? view.col_indices : view.row_indices) = indices;
  return view;
}

SparseView make_coo(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const void* row_indices,
                    const void* col_indices, const void* values, std::int32_t index_type, std::int32_t index_base,
                    std::int32_t value_type) {
  check_count(nnz, rows, cols, "nnz", "rows", "cols");
  SparseView view = make_common(Format::coo, rows, cols, nnz, values, index_type, index_base, value_type);
  check_fits(rows, view.base, view.index_type, "rows", "index_type");
  check_fits(cols, view.base, view.index_type, "cols", "index_type");
  check_indices(view, row_indices, "row_indices");
  check_indices(view, col_indices, "col_indices");
  view.row_indices = row_indices;
  view.col_indices = col_indices;
  return view;
}

SparseView make_bsr(std::int64_t block_rows, std::int64_t block_cols, std::int64_t nnzb, std::int64_t row_block,
                    std::int64_t col_block, const void* offsets, const void* indices, const void* values,
                    std::int32_t offset_type, std::int32_t index_type, std::int32_t index_base, std::int32_t value_type,
                    std::int32_t block_order) {
  check_count(nnzb, block_rows, block_cols, "nnzb", "block_rows", "block_cols");
  if (row_block < 1)
    throw Error(SPK_STATUS_INVALID_VALUE, "row_block = %lld but must be at least 1", static_cast<Long>(row_block));
  if (row_block != col_block)
    throw Error(SPK_STATUS_INVALID_VALUE, "row_block = %lld and col_block = %lld but blocks must be square",
                static_cast<Long>(row_block), static_cast<Long>(col_block));
  check_bytes(block_rows, row_block, 1, "rows");
  check_bytes(block_cols, col_block, 1, "cols");
  check_bytes(nnzb, saturating_product(row_block, row_block), 16, "values");
  SparseView view = make_common(Format::bsr, block_rows * row_block, block_cols * col_block, nnzb, values, index_type,
                                index_base, value_type);
  view.block_order = order_of(block_order, "block_order");
  view.block_size = row_block;
  view.nnz = nnzb * row_block * row_block;
  check_fits(block_rows, view.base, view.index_type, "block_rows", "index_type");
  check_fits(block_cols, view.base, view.index_type, "block_cols", "index_type");
  set_offsets(view, offsets, offset_type, "block_row_offsets", "nnzb");
  check_indices(view, indices, "block_col_indices");
  view.col_indices = indices;
  return view;
}

SparseView make_blocked_ell(std::int64_t rows, std::int64_t cols, std::int64_t block_size, std::int64_t ell_cols,
                            const void* indices, const void* values, std::int32_t index_type, std::int32_t index_base,
                            std::int32_t value_type) {
  check_size(rows, "rows");
  check_size(cols, "cols");
  check_size(ell_cols, "ell_cols");
  if (block_size < 1)
    throw Error(SPK_STATUS_INVALID_VALUE, "block_size = %lld but must be at least 1", static_cast<Long>(block_size));
  const auto check_multiple = [&](std::int64_t size, const char* name) {
    if (size % block_size != 0)
      throw Error(SPK_STATUS_INVALID_VALUE, "%s = %lld but must be a multiple of block_size = %lld", name,
                  static_cast<Long>(size), static_cast<Long>(block_size));
  };
  check_multiple(rows, "rows");
  check_multiple(cols, "cols");
  check_multiple(ell_cols, "ell_cols");
  if (ell_cols > cols)
    throw Error(SPK_STATUS_INVALID_VALUE, "ell_cols = %lld but must be at most cols = %lld",
                static_cast<Long>(ell_cols), static_cast<Long>(cols));
  check_bytes(rows, ell_cols, 16, "values");
  SparseView view =
      make_common(Format::blocked_ell, rows, cols, rows * ell_cols, values, index_type, index_base, value_type);
  view.block_order = Order::row;
  view.block_size = block_size;
  view.ell_cols = ell_cols;
  view.nnzb = rows / block_size * (ell_cols / block_size);
  check_fits(cols / block_size, view.base, view.index_type, "cols / block_size", "index_type");
  check_indices(view, indices, "block_col_indices");
  view.col_indices = indices;
  return view;
}

SparseView make_sell(std::int64_t rows, std::int64_t cols, std::int64_t nnz, std::int64_t values_size,
                     std::int64_t slice_size, const void* offsets, const void* indices, const void* values,
                     std::int32_t offset_type, std::int32_t index_type, std::int32_t index_base,
                     std::int32_t value_type) {
  check_count(nnz, rows, cols, "nnz", "rows", "cols");
  if (slice_size < 1)
    throw Error(SPK_STATUS_INVALID_VALUE, "slice_size = %lld but must be at least 1", static_cast<Long>(slice_size));
  if (values_size < nnz)
    throw Error(SPK_STATUS_INVALID_VALUE, "values_size = %lld but must be at least nnz = %lld",
                static_cast<Long>(values_size), static_cast<Long>(nnz));
  SparseView view = make_common(Format::sell, rows, cols, values_size, values, index_type, index_base, value_type);
  view.slice_size = slice_size;
  view.unpadded_nnz = nnz;
  check_fits(rows, view.base, view.index_type, "rows", "index_type");
  check_fits(cols, view.base, view.index_type, "cols", "index_type");
  set_offsets(view, offsets, offset_type, "slice_offsets", "values_size");
  check_indices(view, indices, "col_indices");
  view.col_indices = indices;
  return view;
}

SparseView slice_rows(const Backend& backend, void* stream, const SparseView& whole, std::int64_t first_row,
                      std::int64_t row_count) {
  if (whole.format != Format::csr && whole.format != Format::bsr)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "mat is %s but only csr and bsr matrices have row slices",
                name_of(whole.format));
  if (whole.batch_count != 1) throw Error(SPK_STATUS_INVALID_VALUE, "mat is a batch, which has no row slices");
  if (first_row < 0 || row_count < 0 || first_row > whole.rows || row_count > whole.rows - first_row)
    throw Error(SPK_STATUS_INVALID_VALUE, "first_row = %lld and row_count = %lld but mat has %lld rows",
                static_cast<Long>(first_row), static_cast<Long>(row_count), static_cast<Long>(whole.rows));
  if (first_row % whole.block_size != 0 || row_count % whole.block_size != 0)
    throw Error(SPK_STATUS_INVALID_VALUE,
                "first_row = %lld and row_count = %lld but must be multiples of the block size %lld",
                static_cast<Long>(first_row), static_cast<Long>(row_count), static_cast<Long>(whole.block_size));
  if (whole.offsets == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "mat has NULL offsets");
  check_pointer(backend, whole.offsets, "mat's offsets");
  const auto width = static_cast<std::int64_t>(size_of(whole.offset_type));
  const auto offset_at = [&](std::int64_t i) {
    std::int64_t copy = 0;
    backend.copy_to_host(&copy, advance_bytes(whole.offsets, i * width), static_cast<std::size_t>(width), stream);
    return index_at(&copy, whole.offset_type, 0) - whole.base;
  };
  const std::int64_t first = first_row / whole.block_size;
  const std::int64_t begin = offset_at(first);
  const std::int64_t end = offset_at(first + row_count / whole.block_size);
  if (begin < whole.first_entry || end < begin || end > whole.first_entry + whole.nnzb)
    throw Error(SPK_STATUS_INVALID_STRUCTURE,
                "mat's offsets of the slice are %lld and %lld but %lld entries are stored", static_cast<Long>(begin),
                static_cast<Long>(end), static_cast<Long>(whole.nnzb));
  SparseView slice = whole;
  slice.rows = row_count;
  slice.first_entry = begin;
  slice.nnzb = end - begin;
  slice.nnz = slice.nnzb * whole.block_size * whole.block_size;
  slice.offsets = advance_bytes(whole.offsets, first * width);
  return slice;
}

void throw_if_broken(const spk_validation_report_t& report, const SparseView& view, const char* name) {
  const char* what = nullptr;
  switch (report.fault) {
    case SPK_FAULT_NONE: return;
    case SPK_FAULT_NULL_ARRAY: what = "an array with elements is NULL"; break;
    case SPK_FAULT_FIRST_OFFSET: what = "the first offset is not the index base"; break;
    case SPK_FAULT_OFFSET_DECREASES: what = "an offset is below the one before it"; break;
    case SPK_FAULT_LAST_OFFSET: what = "an offset disagrees with the number of stored entries"; break;
    case SPK_FAULT_ROW_INDEX: what = "a row index is outside the matrix"; break;
    case SPK_FAULT_COL_INDEX: what = "a column index is outside the matrix"; break;
    case SPK_FAULT_SLICE_OFFSET: what = "a slice ends in the middle of a column of slots"; break;
    default: what = "the structure is broken";
  }
  throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s (%s, %lld x %lld, %lld stored): %s: element %lld of batch %lld is %lld",
              name, name_of(view.format), static_cast<Long>(view.rows), static_cast<Long>(view.cols),
              static_cast<Long>(view.nnzb), what, static_cast<Long>(report.position), static_cast<Long>(report.batch),
              static_cast<Long>(report.value));
}

}  // namespace spk::capi
