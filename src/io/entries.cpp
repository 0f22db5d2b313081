// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/entries.hpp"

#include <algorithm>

namespace spk::io {
namespace {

// Moves an array to one of exact size, if that saves much.
template <class T>
void shrink(RawArray<T>& array, std::int64_t size, std::int64_t capacity) {
  if (array == nullptr || size >= capacity - capacity / 8) return;
  RawArray<T> exact = raw_array<T>(size);
  std::copy_n(array.get(), size, exact.get());
  array = std::move(exact);
}

// Without branches, so that it runs at the speed of memory.
template <class Index>
void scan_order(const Index* rows, const Index* cols, Segment& segment) {
  std::int64_t diagonal = 0;
  for (std::int64_t t = 0; t < segment.count; ++t) diagonal += rows[t] == cols[t] ? 1 : 0;
  unsigned row_down = 0;
  unsigned not_strictly_by_row = 0;
  unsigned not_strictly_by_col = 0;
  for (std::int64_t t = 1; t < segment.count; ++t) {
    const unsigned row_up = rows[t - 1] < rows[t];
    const unsigned row_same = rows[t - 1] == rows[t];
    const unsigned col_up = cols[t - 1] < cols[t];
    const unsigned col_same = cols[t - 1] == cols[t];
    row_down |= 1U ^ (row_up | row_same);
    not_strictly_by_row |= 1U ^ (row_up | (row_same & col_up));
    not_strictly_by_col |= 1U ^ (col_up | (col_same & row_up));
  }
  segment.diagonal = diagonal;
  segment.order = {row_down == 0, not_strictly_by_row == 0, not_strictly_by_col == 0};
}

}  // namespace

template <class Index>
bool IndexArray::pack_from(RawArray<Index>& indices, std::int64_t size) {
  if (indices == nullptr || size == 0) return false;
  const auto [least, most] = std::minmax_element(indices.get(), indices.get() + size);
  const std::int64_t first = *least;
  if (*most - first > std::numeric_limits<std::uint16_t>::max()) return false;
  short_ = raw_array<std::uint16_t>(size);
  std::transform(indices.get(), indices.get() + size, short_.get(),
                 [first](Index index) { return static_cast<std::uint16_t>(index - first); });
  first_ = first;
  indices.reset();
  return true;
}

void IndexArray::pack(std::int64_t size, std::int64_t capacity) {
  if (pack_from(narrow_, size) || pack_from(wide_, size)) return;
  shrink(narrow_, size, capacity);
  shrink(wide_, size, capacity);
}

void IndexArray::copy(std::int64_t begin, std::size_t count, std::int64_t* to) const {
  if (short_) {
    std::transform(short_.get() + begin, short_.get() + begin + count, to,
                   [this](std::uint16_t distance) { return first_ + distance; });
  } else if (wide_) {
    std::copy_n(wide_.get() + begin, count, to);
  } else {
    std::copy_n(narrow_.get() + begin, count, to);
  }
}

void Segment::pack(std::int64_t capacity, std::int64_t values_per_entry) {
  rows.pack(count, capacity);
  cols.pack(count, capacity);
  shrink(reals, count * values_per_entry, capacity * values_per_entry);
  shrink(integers, count, capacity);
}

void Segment::find_order() {
  if (rows.is_wide()) {
    scan_order(rows.data<std::int64_t>(), cols.data<std::int64_t>(), *this);
  } else {
    scan_order(rows.data<std::int32_t>(), cols.data<std::int32_t>(), *this);
  }
}

}  // namespace spk::io
