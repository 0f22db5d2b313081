// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <utility>
#include <vector>

#include "io/csr.hpp"
#include "io/entry_cursor.hpp"
#include "io/error.hpp"

namespace spk::io {
namespace {

// A value as wide as the sum of any number of values of a file needs. -0 is what leaves every addend as it is.
struct WideValue {
  double real = -0.0;
  double imag = -0.0;
  Int128 integer = 0;
};

template <class Value>
Value convert(spk_io_field_t field, const WideValue& wide) {
  if constexpr (kIsComplex<Value>) {
    using Real = decltype(Value::re);
    if (field == SPK_IO_COMPLEX) return {from_real<Real>(wide.real), from_real<Real>(wide.imag)};
    return {convert<Real>(field, wide), Real{0}};
  } else {
    return field == SPK_IO_REAL ? from_real<Value>(wide.real) : from_integer<Value>(wide.integer);
  }
}

template <class Value>
Value value_at(spk_io_field_t field, const EntryBatch& batch, std::size_t i) {
  switch (field) {
    case SPK_IO_REAL: return convert<Value>(field, {.real = batch.real[i]});
    case SPK_IO_COMPLEX: return convert<Value>(field, {.real = batch.real[i], .imag = batch.imag[i]});
    default: return convert<Value>(field, {.integer = batch.integer[i]});
  }
}

template <class Index>
struct CsrArrays {
  Index* row_offsets;
  Index* col_indices;
};

// Sets row_offsets[i] to the position of the first entry of row i, from 0.
template <class Index>
void find_row_begins(const spk_io_matrix& matrix, Index* row_offsets) {
  std::fill_n(row_offsets, matrix.rows + 1, Index{0});
  EntryBatch batch;
  for (EntryCursor cursor(matrix); cursor.next(batch);) {
    for (std::size_t i = 0; i < batch.count; ++i) ++row_offsets[batch.rows[i]];
  }
  Index sum = 0;
  for (std::int64_t row = 0; row <= matrix.rows; ++row) sum += std::exchange(row_offsets[row], sum);
}

// Puts every entry into its row, in file order inside the row; `put(position, batch, i)` stores it. Moves the begins
// on to the ends, then back.
template <class Index, class Put>
void scatter_rows(const spk_io_matrix& matrix, Index* row_offsets, const Put& put) {
  EntryBatch batch;
  for (EntryCursor cursor(matrix); cursor.next(batch);) {
    for (std::size_t i = 0; i < batch.count; ++i) put(row_offsets[batch.rows[i]]++, batch, i);
  }
  for (std::int64_t row = matrix.rows; row > 0; --row) row_offsets[row] = row_offsets[row - 1];
  row_offsets[0] = 0;
}

// Entries of one row, by column; equal columns stay in file order.
template <class Index>
void order_row(const Index* cols, std::int64_t begin, std::int64_t end,
               std::vector<std::pair<Index, std::int64_t>>& order) {
  order.clear();
  for (std::int64_t k = begin; k < end; ++k) order.emplace_back(cols[k], k);
  std::sort(order.begin(), order.end());
}

template <class Index, class Value>
void sort_rows(const spk_io_matrix& matrix, const CsrArrays<Index>& csr, Value* values) {
  std::vector<std::pair<Index, std::int64_t>> order;
  std::vector<Value> row_values;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t begin = csr.row_offsets[row];
    const std::int64_t end = csr.row_offsets[row + 1];
    if (std::is_sorted(csr.col_indices + begin, csr.col_indices + end)) continue;
    order_row(csr.col_indices, begin, end, order);
    for (std::int64_t k = begin; k < end; ++k) csr.col_indices[k] = order[static_cast<std::size_t>(k - begin)].first;
    if (values == nullptr) continue;
    row_values.assign(values + begin, values + end);
    for (std::int64_t k = begin; k < end; ++k) {
      values[k] = row_values[static_cast<std::size_t>(order[static_cast<std::size_t>(k - begin)].second - begin)];
    }
  }
}

// Without duplicates every entry goes straight to the caller's arrays.
template <class Index, class Value>
void fill_distinct(const spk_io_matrix& matrix, const CsrArrays<Index>& csr, Value* values) {
  find_row_begins(matrix, csr.row_offsets);
  scatter_rows(matrix, csr.row_offsets, [&](Index position, const EntryBatch& batch, std::size_t i) {
    csr.col_indices[position] = static_cast<Index>(batch.cols[i]);
    if (values != nullptr) values[position] = value_at<Value>(matrix.field, batch, i);
  });
  sort_rows(matrix, csr, values);
}

// With duplicates the entries are gathered aside, as wide as sums need, and added up in file order.
template <class Index, class Value>
void fill_summed(const spk_io_matrix& matrix, const CsrArrays<Index>& csr, Value* values) {
  const bool is_integer = matrix.field == SPK_IO_INTEGER || matrix.field == SPK_IO_PATTERN;
  const bool has_imag = matrix.field == SPK_IO_COMPLEX;
  const std::int64_t kept = values != nullptr ? matrix.nnz : 0;
  const RawArray<std::int64_t> begins = raw_array<std::int64_t>(matrix.rows + 1);
  const RawArray<Index> cols = raw_array<Index>(matrix.nnz);
  const RawArray<Int128> integers = raw_array<Int128>(is_integer ? kept : 0);
  const RawArray<double> reals = raw_array<double>(is_integer ? 0 : kept);
  const RawArray<double> imags = raw_array<double>(has_imag ? kept : 0);
  find_row_begins(matrix, begins.get());
  scatter_rows(matrix, begins.get(), [&](std::int64_t position, const EntryBatch& batch, std::size_t i) {
    const auto to = static_cast<std::size_t>(position);
    cols[to] = static_cast<Index>(batch.cols[i]);
    if (values == nullptr) return;
    if (is_integer) integers[to] = batch.integer[i];
    if (!is_integer) reals[to] = batch.real[i];
    if (has_imag) imags[to] = batch.imag[i];
  });
  std::vector<std::pair<Index, std::int64_t>> order;
  std::int64_t written = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    csr.row_offsets[row] = static_cast<Index>(written);
    order_row(cols.get(), begins[static_cast<std::size_t>(row)], begins[static_cast<std::size_t>(row) + 1], order);
    for (auto entry = order.begin(); entry != order.end();) {
      const Index col = entry->first;
      WideValue sum;
      for (; entry != order.end() && entry->first == col; ++entry) {
        if (values == nullptr) continue;
        const auto from = static_cast<std::size_t>(entry->second);
        if (is_integer) sum.integer += integers[from];
        if (!is_integer) sum.real += reals[from];
        if (has_imag) sum.imag += imags[from];
      }
      csr.col_indices[written] = col;
      if (values != nullptr) values[written] = convert<Value>(matrix.field, sum);
      ++written;
    }
  }
  csr.row_offsets[matrix.rows] = static_cast<Index>(written);
}

template <class Index, class Value>
void fill_csr_typed(const spk_io_matrix& matrix, std::int64_t base, void* row_offsets, void* col_indices,
                    void* values) {
  const CsrArrays<Index> csr{static_cast<Index*>(row_offsets), static_cast<Index*>(col_indices)};
  auto* const typed_values = static_cast<Value*>(values);
  const std::int64_t nnz = count_csr(matrix);
  if (nnz == matrix.nnz) {
    fill_distinct(matrix, csr, typed_values);
  } else {
    fill_summed(matrix, csr, typed_values);
  }
  if (base == 0) return;
  for (std::int64_t row = 0; row <= matrix.rows; ++row) csr.row_offsets[row] += static_cast<Index>(base);
  for (std::int64_t k = 0; k < nnz; ++k) csr.col_indices[k] += static_cast<Index>(base);
}

template <class Index, class Value>
void fill_coo_typed(const spk_io_matrix& matrix, std::int64_t base, void* row_indices, void* col_indices,
                    void* values) {
  auto* rows = static_cast<Index*>(row_indices);
  auto* cols = static_cast<Index*>(col_indices);
  auto* to = static_cast<Value*>(values);
  EntryBatch batch;
  for (EntryCursor cursor(matrix); cursor.next(batch);) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      *rows++ = static_cast<Index>(batch.rows[i] + base);
      *cols++ = static_cast<Index>(batch.cols[i] + base);
      if (to != nullptr) *to++ = value_at<Value>(matrix.field, batch, i);
    }
  }
}

// Calls `use` with an object of the C++ type that a value type stands for.
template <class Use>
void with_value_type(spk_value_type_t type, const Use& use) {
  switch (type) {
    case SPK_R_32F: return use(float{});
    case SPK_R_64F: return use(double{});
    case SPK_R_16F: return use(f16{});
    case SPK_R_16BF: return use(bf16{});
    case SPK_C_32F: return use(Complex<float>{});
    default: return use(Complex<double>{});
  }
}

}  // namespace

void check_types(const ArrayTypes& types) {
  const auto refuse = [](const char* name, std::int32_t value, const char* choices) {
    throw Error(SPK_STATUS_INVALID_VALUE, format("%s = %d but must be %s", name, value, choices));
  };
  if (types.index != SPK_INDEX_32I && types.index != SPK_INDEX_64I) {
    refuse("index_type", types.index, "SPK_INDEX_32I (2) or SPK_INDEX_64I (3)");
  }
  if (types.base != SPK_INDEX_BASE_ZERO && types.base != SPK_INDEX_BASE_ONE) {
    refuse("index_base", types.base, "SPK_INDEX_BASE_ZERO (0) or SPK_INDEX_BASE_ONE (1)");
  }
  switch (types.value) {
    case SPK_R_32F:
    case SPK_R_64F:
    case SPK_R_16F:
    case SPK_R_16BF:
    case SPK_C_32F:
    case SPK_C_64F: return;
    default: refuse("value_type", types.value, "a spk_value_type_t (0, 1, 2, 4, 5 or 14)");
  }
}

std::size_t index_bytes(spk_index_type_t type) {
  return type == SPK_INDEX_32I ? sizeof(std::int32_t) : sizeof(std::int64_t);
}

void fill_csr(const spk_io_matrix& matrix, const ArrayTypes& types, void* row_offsets, void* col_indices,
              void* values) {
  with_value_type(types.value, [&]<class Value>(Value) {
    if (types.index == SPK_INDEX_32I) {
      fill_csr_typed<std::int32_t, Value>(matrix, types.base, row_offsets, col_indices, values);
    } else {
      fill_csr_typed<std::int64_t, Value>(matrix, types.base, row_offsets, col_indices, values);
    }
  });
}

void fill_coo(const spk_io_matrix& matrix, const ArrayTypes& types, void* row_indices, void* col_indices,
              void* values) {
  with_value_type(types.value, [&]<class Value>(Value) {
    if (types.index == SPK_INDEX_32I) {
      fill_coo_typed<std::int32_t, Value>(matrix, types.base, row_indices, col_indices, values);
    } else {
      fill_coo_typed<std::int64_t, Value>(matrix, types.base, row_indices, col_indices, values);
    }
  });
}

}  // namespace spk::io
