// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/entry_cursor.hpp"

#include <algorithm>

namespace spk::io {
namespace {

// First row that an array file lists in column `col`.
std::int64_t first_listed_row(const spk_io_matrix& matrix, std::int64_t col) {
  if (matrix.symmetry == SPK_IO_GENERAL) return 0;
  return matrix.symmetry == SPK_IO_SKEW_SYMMETRIC ? col + 1 : col;
}

}  // namespace

EntryCursor::EntryCursor(const spk_io_matrix& matrix) : matrix_(matrix) { row_ = first_listed_row(matrix, 0); }

bool EntryCursor::next(EntryBatch& batch) {
  while (segment_ < matrix_.segments.size() && next_ == matrix_.segments[segment_].count) {
    ++segment_;
    next_ = 0;
  }
  if (segment_ == matrix_.segments.size()) return false;
  const Segment& segment = matrix_.segments[segment_];
  const std::size_t room = matrix_.is_mirrored ? EntryBatch::kCapacity / 2 : EntryBatch::kCapacity;
  batch.count = std::min(room, static_cast<std::size_t>(segment.count - next_));
  take_places(batch, segment);
  take_values(batch, segment);
  next_ += static_cast<std::int64_t>(batch.count);
  if (matrix_.is_mirrored) add_mirrors(batch);
  return true;
}

void EntryCursor::take_places(EntryBatch& batch, const Segment& segment) {
  if (matrix_.is_array) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      batch.rows[i] = row_;
      batch.cols[i] = col_;
      if (++row_ == matrix_.rows) row_ = first_listed_row(matrix_, ++col_);
    }
    return;
  }
  segment.cols.copy(next_, batch.count, batch.cols);
  if (!matrix_.has_row_offsets) {
    segment.rows.copy(next_, batch.count, batch.rows);
    return;
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    while (matrix_.row_offsets[row_ + 1] == taken_) ++row_;
    ++taken_;
    batch.rows[i] = row_;
  }
}

void EntryCursor::take_values(EntryBatch& batch, const Segment& segment) const {
  const auto begin = static_cast<std::size_t>(next_);
  switch (matrix_.field) {
    case SPK_IO_REAL: std::copy_n(segment.reals.get() + begin, batch.count, batch.real); break;
    case SPK_IO_COMPLEX:
      for (std::size_t i = 0; i < batch.count; ++i) {
        batch.real[i] = segment.reals[2 * (begin + i)];
        batch.imag[i] = segment.reals[2 * (begin + i) + 1];
      }
      break;
    case SPK_IO_INTEGER: std::copy_n(segment.integers.get() + begin, batch.count, batch.integer); break;
    default: std::fill_n(batch.integer, batch.count, Int128{1}); break;
  }
}

// Spreads the entries out from the back, so that each lands before its mirror and none is overwritten unread.
void EntryCursor::add_mirrors(EntryBatch& batch) const {
  const bool is_skew = matrix_.symmetry == SPK_IO_SKEW_SYMMETRIC;
  const bool is_hermitian = matrix_.symmetry == SPK_IO_HERMITIAN;
  const bool is_integer = matrix_.field == SPK_IO_INTEGER || matrix_.field == SPK_IO_PATTERN;
  std::size_t to = batch.count;
  for (std::size_t i = 0; i < batch.count; ++i) to += batch.rows[i] != batch.cols[i] ? 1 : 0;
  const std::size_t total = to;
  const auto put = [&](std::size_t from, bool is_mirror) {
    const std::int64_t row = batch.rows[from];
    const std::int64_t col = batch.cols[from];
    batch.rows[to] = is_mirror ? col : row;
    batch.cols[to] = is_mirror ? row : col;
    if (is_integer) {
      const Int128 value = batch.integer[from];
      batch.integer[to] = is_mirror && is_skew ? -value : value;
      return;
    }
    const double real = batch.real[from];
    batch.real[to] = is_mirror && is_skew ? -real : real;
    if (matrix_.field != SPK_IO_COMPLEX) return;
    const double imag = batch.imag[from];
    batch.imag[to] = is_mirror && (is_skew || is_hermitian) ? -imag : imag;
  };
  for (std::size_t i = batch.count; i-- > 0;) {
    if (batch.rows[i] != batch.cols[i]) {
      --to;
      put(i, true);
    }
    --to;
    put(i, false);
  }
  batch.count = total;
}

}  // namespace spk::io
