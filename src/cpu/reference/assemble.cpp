// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/reference/assemble.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "core/error.hpp"

namespace spk::reference {
namespace {

f16 sum(f16 a, f16 b) noexcept { return to_f16(to_float(a) + to_float(b)); }
bf16 sum(bf16 a, bf16 b) noexcept { return to_bf16(to_float(a) + to_float(b)); }
template <class T>
T sum(T a, T b) noexcept {
  return a + b;
}

void assemble_entries(const Source& source, const SparseView& destination, Assembled& out) {
  const bool by_columns = destination.format == Format::csc;
  const auto element = static_cast<std::int64_t>(size_of(source.type));
  out.count = static_cast<std::int64_t>(source.entries.size());
  if (source.values != nullptr) out.values.resize(source.entries.size() * size_of(source.type));
  if (destination.format != Format::coo) out.offsets.assign(static_cast<std::size_t>(destination.major()) + 1, 0);
  for (const Entry& entry : source.entries) {
    const auto position = static_cast<std::int64_t>(out.row_indices.size());
    out.row_indices.push_back(entry.row);
    out.col_indices.push_back(entry.col);
    if (!out.offsets.empty()) ++out.offsets[static_cast<std::size_t>(by_columns ? entry.col : entry.row) + 1];
    if (source.values != nullptr)
      std::memcpy(out.values.data() + position * element,
                  static_cast<const std::byte*>(source.values) + entry.place * element, size_of(source.type));
  }
  for (std::size_t i = 1; i < out.offsets.size(); ++i) out.offsets[i] += out.offsets[i - 1];
}

void assemble_blocks(const Source& source, const SparseView& destination, Assembled& out) {
  const std::int64_t edge = destination.block_size;
  const bool is_ell = destination.format == Format::blocked_ell;
  // Which blocks there are: block columns, block row after block row.
  out.offsets.assign(static_cast<std::size_t>(destination.major()) + 1, 0);
  std::vector<std::int64_t> block_cols;
  std::int64_t before_row = -1, before_col = -1;
  for (const Entry& entry : source.entries) {
    const std::int64_t row = entry.row / edge, col = entry.col / edge;
    if (row != before_row || col != before_col) {
      block_cols.push_back(col);
      ++out.offsets[static_cast<std::size_t>(row) + 1];
    }
    before_row = row;
    before_col = col;
  }
  std::int64_t longest = 0;
  for (const std::int64_t length : out.offsets) longest = std::max(longest, length);
  for (std::size_t i = 1; i < out.offsets.size(); ++i) out.offsets[i] += out.offsets[i - 1];

  std::int64_t elements = static_cast<std::int64_t>(block_cols.size()) * edge * edge;
  out.count = static_cast<std::int64_t>(block_cols.size());
  out.col_indices = block_cols;
  if (is_ell) {
    out.count = longest * edge;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(destination.rows, out.count, &elements) ||
        __builtin_mul_overflow(elements, static_cast<std::int64_t>(size_of(source.type)), &bytes))
      throw Error(SPK_STATUS_INDEX_OVERFLOW, "matB: %" PRId64 " rows of %" PRId64 " ell_cols do not fit in 63 bits",
                  destination.rows, out.count);
    out.col_indices.assign(static_cast<std::size_t>(destination.major() * longest), -1);
    for (std::size_t i = 0; i + 1 < out.offsets.size(); ++i)
      std::copy(block_cols.begin() + out.offsets[i], block_cols.begin() + out.offsets[i + 1],
                out.col_indices.begin() + static_cast<std::int64_t>(i) * longest);
  }
  if (source.values == nullptr) return;

  out.values.resize(static_cast<std::size_t>(elements) * size_of(source.type));
  std::vector<bool> filled(static_cast<std::size_t>(elements));
  std::int64_t block = -1;
  before_row = before_col = -1;
  for (const Entry& entry : source.entries) {
    const std::int64_t row = entry.row / edge, col = entry.col / edge, r = entry.row % edge, c = entry.col % edge;
    if (row != before_row || col != before_col) ++block;
    before_row = row;
    before_col = col;
    const std::int64_t slot = block - out.offsets[static_cast<std::size_t>(row)];
    std::int64_t place = block * edge * edge + (destination.block_order == Order::col ? c * edge + r : r * edge + c);
    if (is_ell) place = entry.row * out.count + slot * edge + c;
    const auto put = filled[static_cast<std::size_t>(place)] ? add_value : copy_value;
    put(source.type, out.values.data(), place, source.values, entry.place);
    filled[static_cast<std::size_t>(place)] = true;
  }
}

void write_indices(void* array, const SparseView& destination, const std::vector<std::int64_t>& indices) {
  for (std::size_t t = 0; t < indices.size(); ++t)
    set_index(array, destination.index_type, static_cast<std::int64_t>(t),
              indices[t] < 0 ? -1 : indices[t] + destination.base);
}

}  // namespace

void copy_value(ValueType t, void* to, std::int64_t to_place, const void* from, std::int64_t from_place) {
  const auto size = static_cast<std::int64_t>(size_of(t));
  std::memcpy(static_cast<std::byte*>(to) + to_place * size, static_cast<const std::byte*>(from) + from_place * size,
              size_of(t));
}

void add_value(ValueType t, void* to, std::int64_t to_place, const void* from, std::int64_t from_place) {
  visit(t, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T& element = static_cast<T*>(to)[to_place];
    element = sum(element, static_cast<const T*>(from)[from_place]);
  });
}

void sort_entries(std::vector<Entry>& entries, Format format) {
  const bool by_columns = format == Format::csc;
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    const auto [a_slow, a_fast] = by_columns ? std::pair(a.col, a.row) : std::pair(a.row, a.col);
    const auto [b_slow, b_fast] = by_columns ? std::pair(b.col, b.row) : std::pair(b.row, b.col);
    return a_slow != b_slow ? a_slow < b_slow : a_fast < b_fast;
  });
}

Assembled assemble(Source source, const SparseView& destination) {
  Assembled out;
  if (destination.format == Format::bsr || destination.format == Format::blocked_ell) {
    const std::int64_t edge = destination.block_size;
    std::stable_sort(source.entries.begin(), source.entries.end(), [&](const Entry& a, const Entry& b) {
      return a.row / edge != b.row / edge ? a.row / edge < b.row / edge : a.col / edge < b.col / edge;
    });
    assemble_blocks(source, destination, out);
  } else {
    sort_entries(source.entries, destination.format);
    assemble_entries(source, destination, out);
  }
  return out;
}

void check_fits(const Assembled& a, const SparseView& destination) {
  if (destination.offset_type != IndexType::none && a.count > max_of(destination.offset_type) - destination.base)
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "matB: %" PRId64 " entries (blocks) do not fit offsets of type %s", a.count,
                name_of(destination.offset_type));
  for (const auto* indices : {&a.row_indices, &a.col_indices})
    for (const std::int64_t index : *indices)
      if (index > max_of(destination.index_type) - destination.base)
        throw Error(SPK_STATUS_INDEX_OVERFLOW, "matB: index %" PRId64 " does not fit type %s", index,
                    name_of(destination.index_type));
}

void check_count(const Assembled& a, const SparseView& destination) {
  const bool is_ell = destination.format == Format::blocked_ell;
  const std::int64_t count = is_ell ? destination.ell_cols : destination.nnzb;
  if (count != a.count)
    throw Error(SPK_STATUS_INVALID_VALUE, "matB: %s = %" PRId64 " but the source gives %" PRId64,
                is_ell                              ? "ell_cols"
                : destination.format == Format::bsr ? "nnzb"
                                                    : "nnz",
                count, a.count);
}

void write_offsets(const Assembled& a, const SparseView& destination) {
  if (destination.offset_type == IndexType::none) return;
  // Descriptors hold every array but the values as constant; a destination's are writable.
  auto* const offsets = const_cast<void*>(destination.offsets);
  for (std::size_t i = 0; i < a.offsets.size(); ++i)
    set_index(offsets, destination.offset_type, static_cast<std::int64_t>(i), a.offsets[i] + destination.base);
}

void write_all(const Assembled& a, const SparseView& destination) {
  write_offsets(a, destination);
  if (destination.format == Format::csc || destination.format == Format::coo)
    write_indices(const_cast<void*>(destination.row_indices), destination, a.row_indices);
  if (destination.format != Format::csc)
    write_indices(const_cast<void*>(destination.col_indices), destination, a.col_indices);
  if (!a.values.empty() && destination.values != nullptr)
    std::memcpy(destination.values, a.values.data(), a.values.size());
}

}  // namespace spk::reference
