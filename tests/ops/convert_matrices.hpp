// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <gtest/gtest.h>
#include <spk/spk.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cases/device_block.hpp"

// Matrices in plain numbers, and the same in typed arrays behind a descriptor. Independent of the library: what a
// conversion must give is worked out in convert_model.hpp.
namespace spk_test {

using Int = std::int64_t;
using Number = std::complex<double>;

inline bool is_complex(spk_value_type_t t) { return t == SPK_C_32F || t == SPK_C_64F; }
inline std::size_t part_size(spk_value_type_t t) {
  return t == SPK_R_16F || t == SPK_R_16BF ? 2 : t == SPK_R_32F || t == SPK_C_32F ? 4 : 8;
}
inline std::size_t value_size(spk_value_type_t t) { return part_size(t) * (is_complex(t) ? 2 : 1); }
inline std::size_t index_size(spk_index_type_t t) { return t == SPK_INDEX_32I ? 4 : 8; }

// binary16 of a number that it holds exactly as a normal number, zero, infinity or NaN.
inline std::uint16_t half_bits(double x) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
  if (x == 0) return sign;
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (std::isinf(x)) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // [0.5, 1)
  return static_cast<std::uint16_t>(sign | ((exponent + 14) << 10) | static_cast<int>(fraction * 2048 - 1024));
}
inline double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double magnitude = exponent == 0    ? (bits & 1023) * 0x1p-24
                           : exponent == 31 ? ((bits & 1023) == 0 ? INFINITY : NAN)
                                            : std::ldexp(1024 + (bits & 1023), exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

inline void put_part(spk_value_type_t t, unsigned char* at, double x) {
  const auto single = static_cast<float>(x);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, 4);
  const auto upper = static_cast<std::uint16_t>(bits >> 16);
  const std::uint16_t half = half_bits(x);
  if (part_size(t) == 8)
    std::memcpy(at, &x, 8);
  else if (part_size(t) == 4)
    std::memcpy(at, &single, 4);
  else
    std::memcpy(at, t == SPK_R_16F ? &half : &upper, 2);
}
inline double get_part(spk_value_type_t t, const unsigned char* at) {
  if (part_size(t) == 8) {
    double x = 0;
    std::memcpy(&x, at, 8);
    return x;
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, part_size(t));
  if (t == SPK_R_16F) return half_value(static_cast<std::uint16_t>(bits));
  if (t == SPK_R_16BF) bits <<= 16;
  float x = 0;
  std::memcpy(&x, &bits, 4);
  return static_cast<double>(x);
}

// Memory of exactly `bytes` bytes at an odd multiple of `alignment`, between bytes that must stay as they are. For a
// backend with memory of its own it is the image of a block there: send() after filling it, fetch() before reading.
class Guarded {
 public:
  Guarded() = default;
  Guarded(spk_backend_t backend, std::size_t bytes, std::size_t alignment) : bytes_(bytes), first_(kGuard + alignment) {
    memory_.assign(first_ + bytes + kGuard, kPattern);
    if (spk::cases::has_own_memory(backend)) block_ = spk::cases::DeviceBlock(memory_.size());
    send();
  }
  // Where the library finds it.
  void* address() { return block_.data() == nullptr ? data() : static_cast<unsigned char*>(block_.data()) + first_; }
  void send() const {
    if (block_.data() != nullptr) block_.upload(memory_.data());
  }
  void fetch() {
    if (block_.data() != nullptr) block_.download(memory_.data());
  }
  unsigned char* data() { return memory_.data() + first_; }
  const unsigned char* data() const { return memory_.data() + first_; }
  bool is_intact() const {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if ((i < first_ || i >= first_ + bytes_) && memory_[i] != kPattern) return false;
    return true;
  }
  bool is_untouched() const {
    for (const unsigned char byte : memory_)
      if (byte != kPattern) return false;
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 256;
  static constexpr unsigned char kPattern = 0xa5;
  std::size_t bytes_ = 0, first_ = 0;
  std::vector<unsigned char> memory_;
  spk::cases::DeviceBlock block_;
};

// A list of the test, and the same where a backend computes.
template <class T>
class Placed {
 public:
  Placed(spk_backend_t backend, std::vector<T> items) : items_(std::move(items)) {
    if (spk::cases::has_own_memory(backend)) block_ = spk::cases::DeviceBlock(items_.size() * sizeof(T));
    send();
  }
  T* address() { return block_.data() == nullptr ? items_.data() : static_cast<T*>(block_.data()); }
  void set(std::size_t at, T item) {
    items_[at] = item;
    send();
  }
  // The items as they are now.
  const std::vector<T>& get() {
    if (block_.data() != nullptr) block_.download(items_.data());
    return items_;
  }

 private:
  void send() const {
    if (block_.data() != nullptr) block_.upload(items_.data());
  }
  std::vector<T> items_;
  spk::cases::DeviceBlock block_;
};

// How a matrix is stored, apart from its contents. format 0 is dense.
struct Layout {
  spk_format_t format = SPK_FORMAT_CSR;
  spk_index_type_t offset_type = SPK_INDEX_32I, index_type = SPK_INDEX_32I;
  spk_index_base_t base = SPK_INDEX_BASE_ZERO;
  Int block_size = 1;  // BSR, Blocked-ELL
  spk_order_t order = SPK_ORDER_ROW;
  Int padding = 0;  // dense: ld beyond the least

  bool is_dense() const { return format == 0; }
  bool has_blocks() const { return format == SPK_FORMAT_BSR || format == SPK_FORMAT_BLOCKED_ELL; }
  bool has_offsets() const { return !is_dense() && format != SPK_FORMAT_COO && format != SPK_FORMAT_BLOCKED_ELL; }
  std::string text() const {
    return "format " + std::to_string(format) + " offsets " + std::to_string(offset_type) + " indices " +
           std::to_string(index_type) + " base " + std::to_string(base) + " block " + std::to_string(block_size) +
           " order " + std::to_string(order) + " padding " + std::to_string(padding);
  }
};

// A matrix in plain numbers; indices and offsets count from 0, an unused slot is -1.
struct Matrix {
  Layout layout;
  Int rows = 0, cols = 0, ell_cols = 0;
  std::vector<Int> offsets, row_indices, col_indices;
  std::vector<Number> values;  // dense: rows x cols by rows, without padding

  Int majors() const { return layout.format == SPK_FORMAT_CSC ? cols : rows / layout.block_size; }
  // Entries, blocks or, for Blocked-ELL, columns of the value array.
  Int count() const {
    if (layout.format == SPK_FORMAT_BLOCKED_ELL) return ell_cols;
    return static_cast<Int>(layout.format == SPK_FORMAT_CSC ? row_indices.size() : col_indices.size());
  }
};

// A Matrix in typed arrays between guards, with its descriptor.
class Stored {
 public:
  // Room for the sizes of m where `backend` computes; its contents too if `filled`.
  Stored(spk_backend_t backend, const Matrix& m, spk_value_type_t type, bool filled)
      : backend_(backend), m_(m), type_(type) {
    if (m.layout.is_dense())
      make_dense(filled);
    else
      make_sparse(filled);
  }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  ~Stored() {
    spk_spmat_destroy(sparse_);
    spk_dnmat_destroy(dense_);
  }

  spk_spmat_t sparse() const { return sparse_; }
  spk_dnmat_t dense() const { return dense_; }
  Int ld() const { return (m_.layout.order == SPK_ORDER_ROW ? m_.cols : m_.rows) + m_.layout.padding + 1; }
  bool is_intact() const {
    fetch();
    return offsets_.is_intact() && rows_.is_intact() && cols_.is_intact() && values_.is_intact();
  }
  bool is_untouched() const {
    fetch();
    return offsets_.is_untouched() && rows_.is_untouched() && cols_.is_untouched() && values_.is_untouched();
  }
  // All bytes that the descriptor describes.
  std::string bytes() const {
    fetch();
    std::string all;
    for (const auto& [array, size] : {std::pair{&offsets_, offset_bytes()}, std::pair{&rows_, index_bytes(true)},
                                      std::pair{&cols_, index_bytes(false)}, std::pair{&values_, value_bytes()}})
      all.append(reinterpret_cast<const char*>(array->data()), size);
    return all;
  }

  // The contents in plain numbers.
  Matrix read() const {
    fetch();
    Matrix m = m_;
    const Layout& l = m.layout;
    if (l.is_dense()) {
      for (Int i = 0; i < m.rows; ++i)
        for (Int j = 0; j < m.cols; ++j) m.values[static_cast<std::size_t>(i * m.cols + j)] = value(place(i, j));
      return m;
    }
    for (std::size_t i = 0; i < m.offsets.size(); ++i) m.offsets[i] = index(offsets_, l.offset_type, i) - l.base;
    const auto read_indices = [&](std::vector<Int>& numbers, const Guarded& array) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Int stored = index(array, l.index_type, i);
        numbers[i] = l.format == SPK_FORMAT_BLOCKED_ELL && stored == -1 ? -1 : stored - l.base;
      }
    };
    read_indices(m.row_indices, rows_);
    read_indices(m.col_indices, cols_);
    for (std::size_t i = 0; i < m.values.size(); ++i) m.values[i] = value(static_cast<Int>(i));
    return m;
  }

 private:
  static Int index(const Guarded& array, spk_index_type_t t, std::size_t i) {
    std::int32_t narrow = 0;
    Int wide = 0;
    if (t == SPK_INDEX_64I) {
      std::memcpy(&wide, array.data() + i * 8, 8);
      return wide;
    }
    std::memcpy(&narrow, array.data() + i * 4, 4);
    return narrow;
  }
  static void put_index(Guarded& array, spk_index_type_t t, std::size_t i, Int x) {
    const auto narrow = static_cast<std::int32_t>(x);
    if (t == SPK_INDEX_64I)
      std::memcpy(array.data() + i * 8, &x, 8);
    else
      std::memcpy(array.data() + i * 4, &narrow, 4);
  }
  Number value(Int i) const {
    const unsigned char* at = values_.data() + static_cast<std::size_t>(i) * value_size(type_);
    return {get_part(type_, at), is_complex(type_) ? get_part(type_, at + part_size(type_)) : 0};
  }
  void put_value(Int i, Number x) {
    unsigned char* at = values_.data() + static_cast<std::size_t>(i) * value_size(type_);
    put_part(type_, at, x.real());
    if (is_complex(type_)) put_part(type_, at + part_size(type_), x.imag());
  }
  Int place(Int i, Int j) const { return m_.layout.order == SPK_ORDER_ROW ? i * ld() + j : j * ld() + i; }

  std::size_t offset_bytes() const { return m_.offsets.size() * index_size(m_.layout.offset_type); }
  std::size_t index_bytes(bool of_rows) const {
    return (of_rows ? m_.row_indices : m_.col_indices).size() * index_size(m_.layout.index_type);
  }
  std::size_t value_bytes() const {
    if (!m_.layout.is_dense()) return m_.values.size() * value_size(type_);
    const Int lines = m_.layout.order == SPK_ORDER_ROW ? m_.rows : m_.cols;
    return m_.values.empty() ? 0 : static_cast<std::size_t>(lines * ld()) * value_size(type_);
  }

  void fetch() const {
    for (Guarded* array : {&offsets_, &rows_, &cols_, &values_}) array->fetch();
  }

  void make_dense(bool filled) {
    values_ = Guarded(backend_, value_bytes(), part_size(type_));
    if (filled)
      for (Int i = 0; i < m_.rows; ++i)
        for (Int j = 0; j < m_.cols; ++j) put_value(place(i, j), m_.values[static_cast<std::size_t>(i * m_.cols + j)]);
    if (filled) values_.send();
    EXPECT_EQ(spk_dnmat_create(&dense_, m_.rows, m_.cols, ld(), values_.address(), type_, m_.layout.order),
              SPK_STATUS_SUCCESS);
  }

  void make_sparse(bool filled) {
    const Layout& l = m_.layout;
    offsets_ = Guarded(backend_, offset_bytes(), index_size(l.offset_type));
    rows_ = Guarded(backend_, index_bytes(true), index_size(l.index_type));
    cols_ = Guarded(backend_, index_bytes(false), index_size(l.index_type));
    values_ = Guarded(backend_, value_bytes(), part_size(type_));
    if (filled) {
      for (std::size_t i = 0; i < m_.offsets.size(); ++i) put_index(offsets_, l.offset_type, i, m_.offsets[i] + l.base);
      for (std::size_t i = 0; i < m_.row_indices.size(); ++i)
        put_index(rows_, l.index_type, i, m_.row_indices[i] + l.base);
      for (std::size_t i = 0; i < m_.col_indices.size(); ++i)
        put_index(cols_, l.index_type, i, m_.col_indices[i] == -1 ? -1 : m_.col_indices[i] + l.base);
      for (std::size_t i = 0; i < m_.values.size(); ++i) put_value(static_cast<Int>(i), m_.values[i]);
      for (const Guarded* array : {&offsets_, &rows_, &cols_, &values_}) array->send();
    }
    spk_status_t status = SPK_STATUS_SUCCESS;
    switch (l.format) {
      case SPK_FORMAT_CSR:
        status = spk_csr_create(&sparse_, m_.rows, m_.cols, m_.count(), offsets_.address(), cols_.address(),
                                values_.address(), l.offset_type, l.index_type, l.base, type_);
        break;
      case SPK_FORMAT_CSC:
        status = spk_csc_create(&sparse_, m_.rows, m_.cols, m_.count(), offsets_.address(), rows_.address(),
                                values_.address(), l.offset_type, l.index_type, l.base, type_);
        break;
      case SPK_FORMAT_COO:
        status = spk_coo_create(&sparse_, m_.rows, m_.cols, m_.count(), rows_.address(), cols_.address(),
                                values_.address(), l.index_type, l.base, type_);
        break;
      case SPK_FORMAT_BSR:
        status = spk_bsr_create(&sparse_, m_.majors(), m_.cols / l.block_size, m_.count(), l.block_size, l.block_size,
                                offsets_.address(), cols_.address(), values_.address(), l.offset_type, l.index_type,
                                l.base, type_, l.order);
        break;
      default:
        status = spk_blocked_ell_create(&sparse_, m_.rows, m_.cols, l.block_size, m_.ell_cols, cols_.address(),
                                        values_.address(), l.index_type, l.base, type_);
    }
    EXPECT_EQ(status, SPK_STATUS_SUCCESS) << l.text();
  }

  spk_backend_t backend_;
  Matrix m_;
  spk_value_type_t type_;
  mutable Guarded offsets_, rows_, cols_, values_;  // reading brings them back from a device
  spk_spmat_t sparse_ = nullptr;
  spk_dnmat_t dense_ = nullptr;
};

}  // namespace spk_test
