// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/types.hpp"

// What descriptors describe, as plain structs that kernels can take. Views own nothing.
namespace spk {

inline const void* advance_bytes(const void* p, std::int64_t bytes) noexcept {
  return p == nullptr ? p : static_cast<const char*>(p) + bytes;
}
inline void* advance_bytes(void* p, std::int64_t bytes) noexcept {
  return p == nullptr ? p : static_cast<char*>(p) + bytes;
}

struct SparseView {
  Format format = Format::csr;
  ValueType value_type = ValueType::f32;
  IndexType offset_type = IndexType::none;  // none: COO, Blocked-ELL
  IndexType index_type = IndexType::i32;
  std::int32_t base = 0;
  Order block_order = Order::none;  // BSR; Blocked-ELL is a row-major rows x ell_cols array
  std::int64_t rows = 0, cols = 0;  // in elements, also for block formats
  std::int64_t nnz = 0;             // stored elements (Blocked-ELL: rows * ell_cols; SELL: slots of all slices)
  std::int64_t block_size = 1;      // edge of a block; 1 for CSR, CSC, COO, SELL
  std::int64_t nnzb = 0;            // stored blocks or slots; nnz for CSR, CSC, COO, SELL
  std::int64_t ell_cols = 0;
  std::int64_t slice_size = 0;    // SELL: rows of a slice
  std::int64_t unpadded_nnz = 0;  // SELL: entries, as the caller counts them
  // A row slice keeps the arrays of the whole matrix: its offsets start at first_entry + base, not at base.
  std::int64_t first_entry = 0;
  const void* offsets = nullptr;
  const void* row_indices = nullptr;  // CSC, COO
  const void* col_indices = nullptr;  // CSR, COO, BSR, Blocked-ELL, SELL
  void* values = nullptr;
  std::int64_t batch_count = 1, offsets_stride = 0, indices_stride = 0, values_stride = 0;

  // Rows (CSR, COO), columns (CSC), block rows (BSR, Blocked-ELL) or slices (SELL); offsets has one element more.
  std::int64_t major() const noexcept {
    if (format == Format::sell) return rows / slice_size + (rows % slice_size != 0 ? 1 : 0);
    if (block_size == 1) return format == Format::csc ? cols : rows;  // a division costs more than the rest of a check
    return rows / block_size;
  }
  // Block columns of the matrix; columns where there are no blocks.
  std::int64_t block_cols() const noexcept { return cols / block_size; }
  std::int64_t slots_per_row() const noexcept { return ell_cols / block_size; }
  // Position of the first entry of major index i, from 0, in the arrays (counts blocks for BSR).
  std::int64_t offset(std::int64_t i) const noexcept { return index_at(offsets, offset_type, i) - base; }
  // The index array that goes with the offsets: columns for CSR and BSR, rows for CSC.
  const void* minor_indices() const noexcept { return format == Format::csc ? row_indices : col_indices; }

  SparseView batch(std::int64_t b) const noexcept {
    SparseView v = *this;
    v.offsets = advance_bytes(offsets, b * offsets_stride * static_cast<std::int64_t>(size_of(offset_type)));
    v.row_indices = advance_bytes(row_indices, b * indices_stride * static_cast<std::int64_t>(size_of(index_type)));
    v.col_indices = advance_bytes(col_indices, b * indices_stride * static_cast<std::int64_t>(size_of(index_type)));
    v.values = advance_bytes(values, b * values_stride * static_cast<std::int64_t>(size_of(value_type)));
    v.batch_count = 1;
    return v;
  }
};

// Column indices of -1 mark slots without an entry or block.
inline bool has_unused_slots(const SparseView& a) noexcept {
  return a.format == Format::blocked_ell || a.format == Format::sell;
}

// Entry i is element index_at(indices, i) - base of a vector.
struct SparseVectorView {
  ValueType value_type = ValueType::f32;
  IndexType index_type = IndexType::i32;
  std::int32_t base = 0;
  std::int64_t size = 0, nnz = 0;
  const void* indices = nullptr;
  void* values = nullptr;
};

struct DenseView {
  ValueType type = ValueType::f32;
  Order order = Order::row;
  std::int64_t rows = 0, cols = 0, ld = 1;
  void* values = nullptr;
  std::int64_t batch_count = 1, batch_stride = 0;

  // Element (i, j) is values[i * row_stride() + j * col_stride()].
  std::int64_t row_stride() const noexcept { return order == Order::row ? ld : 1; }
  std::int64_t col_stride() const noexcept { return order == Order::row ? 1 : ld; }
  // Elements from the first to one past the last described one; 0 if there are none.
  std::int64_t extent() const noexcept {
    return rows == 0 || cols == 0 ? 0 : (rows - 1) * row_stride() + (cols - 1) * col_stride() + 1;
  }
  DenseView batch(std::int64_t b) const noexcept {
    DenseView v = *this;
    v.values = advance_bytes(values, b * batch_stride * static_cast<std::int64_t>(size_of(type)));
    v.batch_count = 1;
    return v;
  }
};

// op(X) of a dense matrix X: order and transposition folded into two strides.
struct Operand {
  const void* values = nullptr;
  ValueType type = ValueType::f32;
  std::int64_t rows = 0, cols = 0;              // of op(X)
  std::int64_t row_stride = 0, col_stride = 0;  // in elements; one of them is 1
  bool conjugate = false;
};

inline Operand operand(const DenseView& x, Op op) noexcept {
  if (op == Op::n) return {x.values, x.type, x.rows, x.cols, x.row_stride(), x.col_stride(), false};
  return {x.values, x.type, x.cols, x.rows, x.col_stride(), x.row_stride(), op == Op::c && is_complex(x.type)};
}

}  // namespace spk
