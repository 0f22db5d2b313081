// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/views.hpp"

// Arrays behind views, filled element by element from plain numbers, and sparse matrices in any format built from a
// list of entries. Independent of the conversions under test.
namespace spk::test {

using Number = std::complex<double>;

inline constexpr ValueType kAllTypes[] = {ValueType::f16, ValueType::bf16, ValueType::f32,
                                          ValueType::f64, ValueType::c64,  ValueType::c128};
inline constexpr Format kAllFormats[] = {Format::csr, Format::csc, Format::coo, Format::bsr, Format::blocked_ell};

inline void put(ValueType t, void* array, std::int64_t i, Number x) {
  switch (t) {
    case ValueType::f16: static_cast<f16*>(array)[i] = to_f16(x.real()); break;
    case ValueType::bf16: static_cast<bf16*>(array)[i] = to_bf16(x.real()); break;
    case ValueType::f32: static_cast<float*>(array)[i] = static_cast<float>(x.real()); break;
    case ValueType::f64: static_cast<double*>(array)[i] = x.real(); break;
    case ValueType::c64:
      static_cast<c64*>(array)[i] = {static_cast<float>(x.real()), static_cast<float>(x.imag())};
      break;
    case ValueType::c128: static_cast<c128*>(array)[i] = x; break;
  }
}

inline Number get(ValueType t, const void* array, std::int64_t i) {
  switch (t) {
    case ValueType::f16: return static_cast<double>(to_float(static_cast<const f16*>(array)[i]));
    case ValueType::bf16: return static_cast<double>(to_float(static_cast<const bf16*>(array)[i]));
    case ValueType::f32: return static_cast<double>(static_cast<const float*>(array)[i]);
    case ValueType::f64: return static_cast<const double*>(array)[i];
    case ValueType::c64: return Number(static_cast<const c64*>(array)[i]);
    case ValueType::c128: break;
  }
  return static_cast<const c128*>(array)[i];
}

// Memory for elements of a type known at run time.
struct Buffer {
  std::vector<std::max_align_t> memory;
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : memory(bytes / sizeof(std::max_align_t) + 1) {}
  void* data() { return memory.data(); }
  const void* data() const { return memory.data(); }
};

inline Buffer indices(IndexType t, const std::vector<std::int64_t>& numbers) {
  Buffer buffer(numbers.size() * size_of(t));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    set_index(buffer.data(), t, static_cast<std::int64_t>(i), numbers[i]);
  return buffer;
}

inline Buffer values(ValueType t, const std::vector<Number>& numbers) {
  Buffer buffer(numbers.size() * size_of(t));
  for (std::size_t i = 0; i < numbers.size(); ++i) put(t, buffer.data(), static_cast<std::int64_t>(i), numbers[i]);
  return buffer;
}

inline std::vector<Number> numbers(ValueType t, const void* array, std::int64_t count) {
  std::vector<Number> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(get(t, array, i));
  return out;
}
inline std::vector<std::int64_t> integers(IndexType t, const void* array, std::int64_t count) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(index_at(array, t, i));
  return out;
}

struct Dense {
  DenseView view;
  Buffer memory;
  Number at(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    return get(view.type, view.values, batch * view.batch_stride + i * view.row_stride() + j * view.col_stride());
  }
  void set(std::int64_t batch, std::int64_t i, std::int64_t j, Number x) {
    put(view.type, view.values, batch * view.batch_stride + i * view.row_stride() + j * view.col_stride(), x);
  }
};

// rows x cols elements, ld longer than needed by `padding`, all (padding too) equal to `fill`.
inline Dense dense(ValueType t, Order order, std::int64_t rows, std::int64_t cols, std::int64_t padding = 0,
                   Number fill = 0, std::int64_t batches = 1, std::int64_t gap = 0) {
  Dense d;
  d.view.type = t;
  d.view.order = order;
  d.view.rows = rows;
  d.view.cols = cols;
  d.view.ld = std::max<std::int64_t>(1, order == Order::row ? cols : rows) + padding;
  d.view.batch_count = batches;
  const std::int64_t one = std::max<std::int64_t>(1, order == Order::row ? rows : cols) * d.view.ld;
  d.view.batch_stride = one + gap;
  const std::int64_t count = batches * d.view.batch_stride;
  d.memory = values(t, std::vector<Number>(static_cast<std::size_t>(count), fill));
  d.view.values = d.memory.data();
  return d;
}

struct Item {
  std::int64_t row, col;
  Number value;
};

struct Layout {
  Format format = Format::csr;
  ValueType type = ValueType::f32;
  IndexType offset_type = IndexType::i32, index_type = IndexType::i32;
  std::int32_t base = 0;
  std::int64_t block_size = 1;
  Order block_order = Order::row;
  std::string text() const {
    return std::string(name_of(format)) + " " + name_of(type) + " " + name_of(offset_type) + "/" + name_of(index_type) +
           " base " + std::to_string(base) + " block " + std::to_string(block_size) + " " + name_of(block_order);
  }
};

struct Sparse {
  SparseView view;
  Buffer offsets, row_indices, col_indices, values;
};

// A matrix in any format. CSR, CSC and COO keep the order and the repeats of `items`. Block formats put blocks in the
// order in which items first name them, sum repeats, and Blocked-ELL has one slot more than it needs, filled with NaN.
inline Sparse sparse(std::int64_t rows, std::int64_t cols, const std::vector<Item>& items, const Layout& layout) {
  Sparse s;
  SparseView& v = s.view;
  v.format = layout.format;
  v.value_type = layout.type;
  v.offset_type = layout.offset_type;
  v.index_type = layout.index_type;
  v.base = layout.base;
  v.rows = rows;
  v.cols = cols;
  std::vector<std::int64_t> offsets, row_indices, col_indices;
  std::vector<Number> stored;
  if (layout.format == Format::coo) {
    v.offset_type = IndexType::none;
    for (const Item& item : items) {
      row_indices.push_back(item.row + v.base);
      col_indices.push_back(item.col + v.base);
      stored.push_back(item.value);
    }
    v.nnz = v.nnzb = static_cast<std::int64_t>(items.size());
  } else if (layout.format == Format::csr || layout.format == Format::csc) {
    const bool by_rows = layout.format == Format::csr;
    for (std::int64_t i = 0; i < (by_rows ? rows : cols); ++i) {
      offsets.push_back(static_cast<std::int64_t>(stored.size()) + v.base);
      for (const Item& item : items)
        if ((by_rows ? item.row : item.col) == i) {
          (by_rows ? col_indices : row_indices).push_back((by_rows ? item.col : item.row) + v.base);
          stored.push_back(item.value);
        }
    }
    offsets.push_back(static_cast<std::int64_t>(stored.size()) + v.base);
    v.nnz = v.nnzb = static_cast<std::int64_t>(stored.size());
  } else {
    const std::int64_t edge = v.block_size = layout.block_size;
    std::vector<std::vector<std::int64_t>> blocks(static_cast<std::size_t>(rows / edge));
    std::map<std::pair<std::int64_t, std::int64_t>, Number> at;
    for (const Item& item : items) {
      auto& row = blocks[static_cast<std::size_t>(item.row / edge)];
      if (std::find(row.begin(), row.end(), item.col / edge) == row.end()) row.push_back(item.col / edge);
      at[{item.row, item.col}] += item.value;
    }
    if (layout.format == Format::bsr) {
      v.block_order = layout.block_order;
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        offsets.push_back(static_cast<std::int64_t>(col_indices.size()) + v.base);
        for (const std::int64_t j : blocks[i]) {
          col_indices.push_back(j + v.base);
          for (std::int64_t e = 0; e < edge * edge; ++e) {
            const std::int64_t r = layout.block_order == Order::row ? e / edge : e % edge;
            const std::int64_t c = layout.block_order == Order::row ? e % edge : e / edge;
            stored.push_back(at[{static_cast<std::int64_t>(i) * edge + r, j * edge + c}]);
          }
        }
      }
      offsets.push_back(static_cast<std::int64_t>(col_indices.size()) + v.base);
      v.nnzb = static_cast<std::int64_t>(col_indices.size());
      v.nnz = v.nnzb * edge * edge;
    } else {
      v.offset_type = IndexType::none;
      std::size_t slots = 1;
      for (const auto& row : blocks) slots = std::max(slots, row.size() + 1);
      v.ell_cols = static_cast<std::int64_t>(slots) * edge;
      v.nnz = rows * v.ell_cols;
      v.nnzb = rows / edge * static_cast<std::int64_t>(slots);
      stored.assign(static_cast<std::size_t>(v.nnz), NAN);
      for (std::size_t i = 0; i < blocks.size(); ++i)
        for (std::size_t slot = 0; slot < slots; ++slot) {
          // The unused slot comes first, so that nothing may stop at it.
          col_indices.push_back(slot == 0 || slot > blocks[i].size() ? -1 : blocks[i][slot - 1] + v.base);
          if (col_indices.back() < 0) continue;
          for (std::int64_t r = 0; r < edge; ++r)
            for (std::int64_t c = 0; c < edge; ++c) {
              const std::int64_t row = static_cast<std::int64_t>(i) * edge + r;
              const std::int64_t place = row * v.ell_cols + static_cast<std::int64_t>(slot) * edge + c;
              stored[static_cast<std::size_t>(place)] = at[{row, blocks[i][slot - 1] * edge + c}];
            }
        }
    }
  }
  s.offsets = indices(layout.offset_type, offsets);
  s.row_indices = indices(v.index_type, row_indices);
  s.col_indices = indices(v.index_type, col_indices);
  s.values = values(v.value_type, stored);
  if (v.offset_type != IndexType::none) v.offsets = s.offsets.data();
  if (v.format == Format::csc || v.format == Format::coo) v.row_indices = s.row_indices.data();
  if (v.format != Format::csc) v.col_indices = s.col_indices.data();
  v.values = s.values.data();
  return s;
}

// A matrix of the format and type with one layout of every other property chosen by `variant`.
inline Layout layout_of(Format format, ValueType type, unsigned variant) {
  Layout layout{format, type};
  layout.base = static_cast<std::int32_t>(variant & 1);
  layout.offset_type = (variant & 2) != 0 ? IndexType::i64 : IndexType::i32;
  layout.index_type = (variant & 4) != 0 ? IndexType::i64 : IndexType::i32;
  layout.block_order = (variant & 8) != 0 ? Order::col : Order::row;
  if (format == Format::bsr || format == Format::blocked_ell) layout.block_size = 2;
  return layout;
}

// Integers from -4 to 4, so that all sums of a test are exact in every type.
class SmallIntegers {
 public:
  explicit SmallIntegers(unsigned seed) : generator_(seed) {}
  Number operator()(bool with_imaginary) {
    const auto re = static_cast<double>(below(9)) - 4;
    return {re, with_imaginary ? static_cast<double>(below(9)) - 4 : 0.0};
  }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(limit));
  }

 private:
  std::mt19937_64 generator_;
};

inline std::vector<Item> random_items(SmallIntegers& random, std::int64_t rows, std::int64_t cols, std::int64_t count,
                                      bool with_imaginary) {
  std::vector<Item> items;
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int64_t row = random.below(rows), col = random.below(cols);
    items.push_back({row, col, random(with_imaginary)});
  }
  return items;
}

}  // namespace spk::test
