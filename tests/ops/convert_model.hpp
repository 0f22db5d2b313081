// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "ops/convert_matrices.hpp"

// What conversions must give, worked out on lists of entries, and random matrices to convert.
namespace spk_test {

struct Entry {
  Int row, col;
  Number value;
};

inline Int block_place(const Layout& l, Int i, Int j) {
  return l.order == SPK_ORDER_ROW ? i * l.block_size + j : j * l.block_size + i;
}

// The entries of a sparse matrix in storage order; of a block in row order.
inline std::vector<Entry> entries_of(const Matrix& m) {
  std::vector<Entry> list;
  const auto at = [](const std::vector<Int>& v, Int i) { return v[static_cast<std::size_t>(i)]; };
  const auto value = [&](Int i) { return m.values[static_cast<std::size_t>(i)]; };
  const Int b = m.layout.block_size;
  switch (m.layout.format) {
    case SPK_FORMAT_CSR:
      for (Int i = 0; i < m.rows; ++i)
        for (Int t = at(m.offsets, i); t < at(m.offsets, i + 1); ++t)
          list.push_back({i, at(m.col_indices, t), value(t)});
      break;
    case SPK_FORMAT_CSC:
      for (Int j = 0; j < m.cols; ++j)
        for (Int t = at(m.offsets, j); t < at(m.offsets, j + 1); ++t)
          list.push_back({at(m.row_indices, t), j, value(t)});
      break;
    case SPK_FORMAT_COO:
      for (Int t = 0; t < m.count(); ++t) list.push_back({at(m.row_indices, t), at(m.col_indices, t), value(t)});
      break;
    case SPK_FORMAT_BSR:
      for (Int r = 0; r < m.majors(); ++r)
        for (Int t = at(m.offsets, r); t < at(m.offsets, r + 1); ++t)
          for (Int i = 0; i < b; ++i)
            for (Int j = 0; j < b; ++j)
              list.push_back({r * b + i, at(m.col_indices, t) * b + j, value(t * b * b + block_place(m.layout, i, j))});
      break;
    default:
      for (Int r = 0; r < m.majors(); ++r)
        for (Int s = 0; s < m.ell_cols / b; ++s) {
          const Int c = at(m.col_indices, r * (m.ell_cols / b) + s);
          if (c == -1) continue;
          for (Int i = 0; i < b; ++i)
            for (Int j = 0; j < b; ++j)
              list.push_back({r * b + i, c * b + j, value((r * b + i) * m.ell_cols + s * b + j)});
        }
  }
  return list;
}

// The entries of a dense matrix that are not zero, by rows. whole: all of them.
inline std::vector<Entry> entries_of_dense(const Matrix& m, bool whole) {
  std::vector<Entry> list;
  for (Int i = 0; i < m.rows; ++i)
    for (Int j = 0; j < m.cols; ++j) {
      const Number x = m.values[static_cast<std::size_t>(i * m.cols + j)];
      if (whole || x.real() != 0 || x.imag() != 0) list.push_back({i, j, x});
    }
  return list;
}

// Sums by place: the first entry as it is, the others added in order.
inline std::map<std::pair<Int, Int>, Number> sums_of(const std::vector<Entry>& list) {
  std::map<std::pair<Int, Int>, Number> sums;
  for (const Entry& e : list) {
    const auto [place, is_new] = sums.insert({{e.row, e.col}, e.value});
    if (!is_new) place->second += e.value;
  }
  return sums;
}

// The matrix that a list of entries gives in a layout. block_places: what decides which blocks exist, if not the list.
inline Matrix assemble(const Layout& l, Int rows, Int cols, std::vector<Entry> list,
                       const std::vector<Entry>* block_places = nullptr) {
  Matrix m;
  m.layout = l;
  m.rows = rows;
  m.cols = cols;
  const Int b = l.block_size;
  if (l.is_dense()) {
    m.values.assign(static_cast<std::size_t>(rows * cols), 0);
    for (const auto& [place, sum] : sums_of(list))
      m.values[static_cast<std::size_t>(place.first * cols + place.second)] = sum;
    return m;
  }
  if (!l.has_blocks()) {
    const bool by_cols = l.format == SPK_FORMAT_CSC;
    std::stable_sort(list.begin(), list.end(), [&](const Entry& x, const Entry& y) {
      return by_cols ? std::pair{x.col, x.row} < std::pair{y.col, y.row}
                     : std::pair{x.row, x.col} < std::pair{y.row, y.col};
    });
    if (l.has_offsets()) m.offsets.assign(static_cast<std::size_t>(m.majors() + 1), 0);
    for (const Entry& e : list) {
      if (l.has_offsets()) ++m.offsets[static_cast<std::size_t>((by_cols ? e.col : e.row) + 1)];
      if (l.format != SPK_FORMAT_CSR) m.row_indices.push_back(e.row);
      if (l.format != SPK_FORMAT_CSC) m.col_indices.push_back(e.col);
      m.values.push_back(e.value);
    }
    for (std::size_t k = 1; k < m.offsets.size(); ++k) m.offsets[k] += m.offsets[k - 1];
    return m;
  }
  std::vector<std::set<Int>> block_cols(static_cast<std::size_t>(rows / b));
  for (const Entry& e : block_places != nullptr ? *block_places : list)
    block_cols[static_cast<std::size_t>(e.row / b)].insert(e.col / b);
  const auto sums = sums_of(list);
  const auto sum_at = [&](Int i, Int j) {
    const auto found = sums.find({i, j});
    return found == sums.end() ? Number(0) : found->second;
  };
  if (l.format == SPK_FORMAT_BSR) {
    m.offsets.push_back(0);
    for (Int r = 0; r < rows / b; ++r) {
      for (const Int c : block_cols[static_cast<std::size_t>(r)]) {
        m.col_indices.push_back(c);
        const std::size_t first = m.values.size();
        m.values.resize(first + static_cast<std::size_t>(b * b));
        for (Int i = 0; i < b; ++i)
          for (Int j = 0; j < b; ++j)
            m.values[first + static_cast<std::size_t>(block_place(l, i, j))] = sum_at(r * b + i, c * b + j);
      }
      m.offsets.push_back(m.count());
    }
    return m;
  }
  for (const auto& cols_of_row : block_cols)
    m.ell_cols = std::max(m.ell_cols, static_cast<Int>(cols_of_row.size()) * b);
  const Int slots = m.ell_cols / b;
  m.col_indices.assign(static_cast<std::size_t>(rows / b * slots), -1);
  m.values.assign(static_cast<std::size_t>(rows * m.ell_cols), 0);
  for (Int r = 0; r < rows / b; ++r) {
    Int s = 0;
    for (const Int c : block_cols[static_cast<std::size_t>(r)]) {
      m.col_indices[static_cast<std::size_t>(r * slots + s)] = c;
      for (Int i = 0; i < b; ++i)
        for (Int j = 0; j < b; ++j)
          m.values[static_cast<std::size_t>((r * b + i) * m.ell_cols + s * b + j)] = sum_at(r * b + i, c * b + j);
      ++s;
    }
  }
  return m;
}

inline std::string text_of(Number x) {
  char text[80];
  std::snprintf(text, sizeof text, "(%g, %g)", x.real(), x.imag());
  return text;
}

// Equal arrays; zeros of different sign differ, NaN equals NaN.
inline void expect_same(const Matrix& got, const Matrix& want) {
  EXPECT_EQ(got.offsets, want.offsets);
  EXPECT_EQ(got.row_indices, want.row_indices);
  EXPECT_EQ(got.col_indices, want.col_indices);
  EXPECT_EQ(got.ell_cols, want.ell_cols);
  ASSERT_EQ(got.values.size(), want.values.size());
  for (std::size_t i = 0; i < got.values.size(); ++i)
    ASSERT_EQ(text_of(got.values[i]), text_of(want.values[i])) << "value " << i;
}

// Random numbers of a printed seed.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  Int below(Int n) { return static_cast<Int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool chance(Int percent) { return below(100) < percent; }
  // Multiples of 1/2, whose sums are exact in every type; zeros of both signs among them.
  Number number(spk_value_type_t type) {
    const auto part = [&] { return chance(15) ? (chance(50) ? -0.0 : 0.0) : static_cast<double>(below(33) - 16) / 2; };
    const double re = part();
    return {re, is_complex(type) ? part() : 0};
  }

 private:
  std::mt19937_64 engine_;
};

// A random matrix of at most rows * cols entries: unsorted and with repeats unless `sorted`.
inline Matrix random_matrix(Random& random, const Layout& l, Int rows, Int cols, Int percent, bool sorted,
                            spk_value_type_t type) {
  Matrix m;
  m.layout = l;
  m.rows = rows;
  m.cols = cols;
  const Int b = l.block_size;
  if (l.is_dense()) {
    for (Int t = 0; t < rows * cols; ++t)
      m.values.push_back(random.chance(percent) ? random.number(type) : Number(random.chance(10) ? -0.0 : 0.0));
    return m;
  }
  const bool by_cols = l.format == SPK_FORMAT_CSC;
  const Int majors = m.majors(), minors = by_cols ? rows : cols / b;
  std::vector<std::pair<Int, Int>> places;
  std::vector<Int> ends;
  for (Int k = 0; k < majors; ++k) {
    std::vector<Int> list;
    for (Int j = 0; j < minors; ++j)
      if (random.chance(percent)) list.push_back(sorted ? j : random.below(minors));
    for (const Int j : list) places.push_back({k, j});
    ends.push_back(static_cast<Int>(places.size()));
  }
  if (l.format == SPK_FORMAT_BLOCKED_ELL) {
    const Int slots = minors == 0 ? 0 : (minors + 1) / 2;
    m.ell_cols = slots * b;
    for (Int t = 0; t < majors * slots; ++t)
      m.col_indices.push_back(random.chance(percent) ? random.below(minors) : Int{-1});
    for (Int t = 0; t < rows * m.ell_cols; ++t) m.values.push_back(random.number(type));
    return m;
  }
  if (l.format == SPK_FORMAT_COO && !sorted)
    for (std::size_t t = places.size(); t > 1; --t)
      std::swap(places[t - 1], places[static_cast<std::size_t>(random.below(static_cast<Int>(t)))]);
  if (l.has_offsets()) {
    m.offsets.push_back(0);
    m.offsets.insert(m.offsets.end(), ends.begin(), ends.end());
  }
  for (const auto& [major, minor] : places) {
    if (l.format == SPK_FORMAT_COO) m.row_indices.push_back(major);
    (by_cols ? m.row_indices : m.col_indices).push_back(minor);
    for (Int i = 0; i < b * b; ++i) m.values.push_back(random.number(type));
  }
  return m;
}

}  // namespace spk_test
