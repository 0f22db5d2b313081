// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/entries.hpp"

#include <algorithm>

namespace spk::io {
namespace {

template <class T>
void shrink_array(RawArray<T>& array, std::int64_t size) {
  if (array == nullptr) return;
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

void IndexArray::shrink(std::int64_t size) {
  shrink_array(narrow_, size);
  shrink_array(wide_, size);
}

void Segment::shrink(std::int64_t capacity, std::int64_t values_per_entry) {
  if (count >= capacity - capacity / 8) return;
  rows.shrink(count);
  cols.shrink(count);
  shrink_array(reals, count * values_per_entry);
  shrink_array(integers, count);
}

void Segment::find_order() {
  if (rows.is_wide()) {
    scan_order(rows.data<std::int64_t>(), cols.data<std::int64_t>(), *this);
  } else {
    scan_order(rows.data<std::int32_t>(), cols.data<std::int32_t>(), *this);
  }
}

}  // namespace spk::io
