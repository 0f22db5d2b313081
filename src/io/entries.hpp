// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace spk::io {

// An array of fixed capacity that is not zeroed first.
template <class T>
using RawArray = std::unique_ptr<T[]>;

template <class T>
RawArray<T> raw_array(std::int64_t size) {
  return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size));
}

// Indices in as few bits as they need, so that a matrix in memory takes little more than its CSR arrays: written with
// 32 or 64 bits, then packed into 16 where they lie close together, which in a sorted file one of rows and columns does.
class IndexArray {
 public:
  IndexArray() = default;
  IndexArray(std::int64_t size, bool is_wide) {
    if (is_wide) {
      wide_ = raw_array<std::int64_t>(size);
    } else {
      narrow_ = raw_array<std::int32_t>(size);
    }
  }
  std::int64_t operator[](std::int64_t i) const {
    if (short_) return first_ + short_[at(i)];
    return wide_ ? wide_[at(i)] : narrow_[at(i)];
  }
  // Elements [begin, begin + count) to `to`.
  void copy(std::int64_t begin, std::size_t count, std::int64_t* to) const;

  // The rest is for arrays that are not packed.
  template <class Index>
  Index* data() {
    if constexpr (sizeof(Index) == sizeof(std::int64_t)) {
      return wide_.get();
    } else {
      return narrow_.get();
    }
  }
  void set(std::int64_t i, std::int64_t value) {
    if (wide_) {
      wide_[at(i)] = value;
    } else {
      narrow_[at(i)] = static_cast<std::int32_t>(value);
    }
  }
  bool is_wide() const { return wide_ != nullptr; }
  // Keeps the first `size` elements of `capacity`, packed if they can be.
  void pack(std::int64_t size, std::int64_t capacity);

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  template <class Index>
  bool pack_from(RawArray<Index>& indices, std::int64_t size);

  RawArray<std::int32_t> narrow_;
  RawArray<std::int64_t> wide_;
  RawArray<std::uint16_t> short_;  // distances from first_
  std::int64_t first_ = 0;
};

inline bool needs_wide(std::int64_t largest) { return largest > std::numeric_limits<std::int32_t>::max(); }

// In which order entries stand.
struct EntryOrder {
  bool by_row = true;           // rows never go down
  bool strictly_by_row = true;  // and columns go up inside a row: no place occurs twice
  bool strictly_by_col = true;  // the same with rows and columns exchanged
};

// The entries of one block of text, in file order. Which arrays exist follows from the kind of the file: coordinates
// have rows and columns, .smtx has columns, an array file has neither; a pattern has no values.
struct Segment {
  std::int64_t count = 0;
  IndexArray rows;
  IndexArray cols;
  RawArray<double> reals;  // two per entry of a complex matrix
  RawArray<std::int64_t> integers;
  std::int64_t diagonal = 0;  // entries with row = column, once find_order has run
  EntryOrder order;           // of coordinates, once find_order has run

  // Gives back what `count` entries do not need of arrays made for `capacity`. After find_order.
  void pack(std::int64_t capacity, std::int64_t values_per_entry);
  // For coordinates.
  void find_order();
};

}  // namespace spk::io
