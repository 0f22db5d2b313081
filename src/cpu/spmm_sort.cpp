// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cstring>

#include "cpu/spmm.hpp"

// Counting sorts that bring A's entries or blocks into rows of op(A).
namespace spk::cpu {
namespace {

struct Bytes16 {
  std::uint64_t half[2];
};

// Calls f(TypeTag<T>) for a plain type of the size of one value.
template <class F>
void visit_size(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 2: return f(TypeTag<std::uint16_t>{});
    case 4: return f(TypeTag<std::uint32_t>{});
    case 8: return f(TypeTag<std::uint64_t>{});
    default: return f(TypeTag<Bytes16>{});
  }
}

// offsets[0 .. rows] from counts in offsets[2 .. rows + 1]; leaves the start of row i in offsets[i + 1], from where
// filling advances it to the start of row i + 1.
void counts_to_cursors(std::int64_t* offsets, std::int64_t rows) noexcept {
  offsets[0] = 0;
  offsets[1] = 0;
  for (std::int64_t i = 2; i <= rows; ++i) offsets[i] += offsets[i - 1];
}

// for_each(f) calls f(row, column, position) for every entry, twice in the same order.
template <class Index, class ForEach>
void fill_rows(std::int64_t row_count, const ForEach& for_each, const SparseView& a, RowArrays& rows) noexcept {
  std::int64_t* offsets = rows.offsets;
  std::fill(offsets, offsets + row_count + 2, 0);
  for_each([&](std::int64_t row, std::int64_t, std::int64_t) { ++offsets[row + 2]; });
  counts_to_cursors(offsets, row_count);
  Index* indices = static_cast<Index*>(rows.indices);
  if (rows.positions != nullptr) {
    for_each([&](std::int64_t row, std::int64_t column, std::int64_t position) {
      const std::int64_t to = offsets[row + 1]++;
      indices[to] = static_cast<Index>(column);
      rows.positions[to] = position;
    });
    return;
  }
  visit_size(size_of(a.value_type), [&](auto tag) {
    using Value = typename decltype(tag)::type;
    const Value* from = static_cast<const Value*>(a.values);
    Value* values = static_cast<Value*>(rows.values);
    for_each([&](std::int64_t row, std::int64_t column, std::int64_t position) {
      const std::int64_t to = offsets[row + 1]++;
      indices[to] = static_cast<Index>(column);
      std::memcpy(values + to, from + position, sizeof(Value));
    });
  });
}

template <class ForEach>
void fill_by_type(std::int64_t row_count, const ForEach& for_each, const SparseView& a, RowArrays& rows) noexcept {
  if (rows.index_type == IndexType::i64)
    fill_rows<std::int64_t>(row_count, for_each, a, rows);
  else
    fill_rows<std::int32_t>(row_count, for_each, a, rows);
}

template <class Index>
void sort_coo(const SparseView& a, Op op, RowArrays& rows) noexcept {
  const bool normal = op == Op::n;
  const Index* major = static_cast<const Index*>(normal ? a.row_indices : a.col_indices);
  const Index* minor = static_cast<const Index*>(normal ? a.col_indices : a.row_indices);
  const std::int64_t row_count = normal ? a.rows : a.cols;
  if (std::is_sorted(major, major + a.nnz)) {
    rows.in_place = true;
    std::int64_t row = 0;
    for (std::int64_t e = 0; e < a.nnz; ++e)
      for (; row <= major[e] - a.base; ++row) rows.offsets[row] = e;
    for (; row <= row_count; ++row) rows.offsets[row] = a.nnz;
    return;
  }
  const auto for_each = [&](auto&& f) {
    for (std::int64_t e = 0; e < a.nnz; ++e) f(major[e] - a.base, minor[e] - a.base, e);
  };
  fill_by_type(row_count, for_each, a, rows);
}

// CSR or CSC seen across: the minor indices become the rows.
template <class Index>
void sort_compressed(const SparseView& a, RowArrays& rows) noexcept {
  const Index* minor = static_cast<const Index*>(a.minor_indices());
  const auto for_each = [&](auto&& f) {
    std::int64_t e = a.offset(0);
    for (std::int64_t i = 0; i < a.major(); ++i)
      for (const std::int64_t end = a.offset(i + 1); e < end; ++e) f(minor[e] - a.base, i, e);
  };
  fill_by_type(a.format == Format::csc ? a.rows : a.cols, for_each, a, rows);
}

template <class Index>
void turn_blocks(const SparseView& a, RowArrays& rows) noexcept {
  const Index* columns = static_cast<const Index*>(a.col_indices);
  const auto for_each = [&](auto&& f) {
    for (std::int64_t i = 0; i < a.major(); ++i) {
      const bool ell = a.format == Format::blocked_ell;
      const std::int64_t begin = ell ? i * a.slots_per_row() : a.offset(i);
      const std::int64_t end = ell ? begin + a.slots_per_row() : a.offset(i + 1);
      for (std::int64_t e = begin; e < end; ++e)
        if (columns[e] >= 0) f(columns[e] - a.base, i, e);
    }
  };
  fill_by_type(a.block_cols(), for_each, a, rows);
}

template <class Index>
void sort_slices(const SparseView& a, Op op, RowArrays& rows) noexcept {
  const Index* columns = static_cast<const Index*>(a.col_indices);
  const bool normal = op == Op::n;
  const auto for_each = [&](auto&& f) {
    for (std::int64_t slice = 0; slice < a.major(); ++slice) {
      const std::int64_t first = slice * a.slice_size, end = a.offset(slice + 1);
      const std::int64_t height = std::min(a.slice_size, a.rows - first);
      for (std::int64_t begin = a.offset(slice); begin < end; begin += a.slice_size)
        for (std::int64_t r = 0; r < height; ++r) {
          if (columns[begin + r] == -1) continue;
          const std::int64_t column = columns[begin + r] - a.base;
          f(normal ? first + r : column, normal ? column : first + r, begin + r);
        }
    }
  };
  fill_by_type(normal ? a.rows : a.cols, for_each, a, rows);
}

}  // namespace

IndexType sorted_index_type(const SparseView& a) noexcept {
  return std::max(a.rows, a.cols) <= INT32_MAX ? IndexType::i32 : IndexType::i64;
}

void sort_into_rows(const SparseView& a, Op op, RowArrays& rows) noexcept {
  visit(a.index_type, [&](auto tag) {
    using Index = typename decltype(tag)::type;
    if (a.format == Format::coo)
      sort_coo<Index>(a, op, rows);
    else if (a.format == Format::sell)
      sort_slices<Index>(a, op, rows);
    else if (a.block_size > 1 || a.format == Format::bsr || a.format == Format::blocked_ell)
      turn_blocks<Index>(a, rows);
    else
      sort_compressed<Index>(a, rows);
  });
}

}  // namespace spk::cpu
