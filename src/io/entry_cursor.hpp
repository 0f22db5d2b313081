// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/matrix.hpp"
#include "io/value_types.hpp"

namespace spk::io {

// Some entries in file order, mirrors included, indices from 0. Of the values only those of the matrix's field count:
// `real` and `imag` (real: `real` alone), or `integer` (of a pattern: ones).
struct EntryBatch {
  static constexpr std::size_t kCapacity = 512;  // small enough for the first-level cache
  std::size_t count = 0;
  std::int64_t rows[kCapacity];
  std::int64_t cols[kCapacity];
  double real[kCapacity];
  double imag[kCapacity];
  Int128 integer[kCapacity];
};

// Goes through the entries of a matrix.
class EntryCursor {
 public:
  explicit EntryCursor(const spk_io_matrix& matrix);
  // The next entries, at least one; false at the end.
  bool next(EntryBatch& batch);

 private:
  void take_places(EntryBatch& batch, const Segment& segment);
  void take_values(EntryBatch& batch, const Segment& segment) const;
  void add_mirrors(EntryBatch& batch) const;

  const spk_io_matrix& matrix_;
  std::size_t segment_ = 0;
  std::int64_t next_ = 0;  // in the segment
  // .smtx: the row of the next entry and how many entries came before; array: the next place
  std::int64_t row_ = 0;
  std::int64_t col_ = 0;
  std::int64_t taken_ = 0;
};

}  // namespace spk::io
