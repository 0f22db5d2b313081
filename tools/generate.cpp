// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace spk::tool {
namespace {

// Sum of twelve uniform numbers less 6: close to a normal one, and nothing but additions, so the same everywhere.
double nearly_normal(SplitMix64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.next_unit();
  return sum;
}

// Lengths proportional to `weights`, each at most cols, with the sum `nnz`.
std::vector<std::int64_t> share_entries(const std::vector<double>& weights, std::int64_t cols, std::int64_t nnz) {
  const auto total = [&](double scale) {
    double sum = 0;
    for (const double weight : weights) sum += std::floor(std::min(weight * scale, static_cast<double>(cols)));
    return sum;
  };
  // The largest scale whose lengths do not exceed nnz together; one entry more for some rows makes up the rest.
  double low = 0;
  double high = 1;
  while (total(high) < static_cast<double>(nnz) && high < 1e300) high *= 2;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    (total(middle) <= static_cast<double>(nnz) ? low : high) = middle;
  }
  std::vector<std::int64_t> lengths;
  for (const double weight : weights) {
    lengths.push_back(static_cast<std::int64_t>(std::floor(std::min(weight * low, static_cast<double>(cols)))));
  }
  std::int64_t missing = nnz - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (std::size_t row = 0; missing > 0; row = (row + 1) % lengths.size()) {
    if (lengths[row] == cols) continue;
    ++lengths[row];
    --missing;
  }
  return lengths;
}

template <class Index>
void fill_structure(CsrMatrix& matrix, const std::vector<std::int64_t>& lengths, SplitMix64& random) {
  Index* offsets = matrix.row_offsets.as<Index>();
  Index* columns = matrix.col_indices.as<Index>();
  std::int64_t entry = 0;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    std::int64_t need = lengths[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; need > 0; ++j) {
      const auto left = static_cast<double>(matrix.cols - j);
      if (random.next_unit() * left >= static_cast<double>(need)) continue;
      columns[entry++] = static_cast<Index>(j);
      --need;
    }
    offsets[i + 1] = static_cast<Index>(entry);
  }
}

}  // namespace

CsrMatrix generate_pruned(const PrunedShape& shape, const ValueType& type) {
  CsrMatrix matrix;
  matrix.name = fmt::format("pruned {}x{}", shape.rows, shape.cols);
  matrix.rows = shape.rows;
  matrix.cols = shape.cols;
  matrix.type = &type;
  matrix.seed = shape.seed;
  const double places = static_cast<double>(shape.rows) * static_cast<double>(shape.cols);
  matrix.nnz = std::llround((1 - shape.sparsity) * places);

  SplitMix64 random(shape.seed);
  const double sigma = std::sqrt(std::log1p(shape.row_cov * shape.row_cov));
  std::vector<double> weights;
  for (std::int64_t i = 0; i < shape.rows; ++i) weights.push_back(std::exp(sigma * nearly_normal(random)));
  const auto lengths = share_entries(weights, shape.cols, matrix.nnz);

  const bool wide = std::max({matrix.rows, matrix.cols, matrix.nnz}) > INT32_MAX - 1;
  matrix.index_type = wide ? SPK_INDEX_64I : SPK_INDEX_32I;
  const std::size_t index_bytes = wide ? 8 : 4;
  matrix.row_offsets = Buffer(matrix.rows + 1, index_bytes);
  matrix.col_indices = Buffer(std::max<std::int64_t>(matrix.nnz, 1), index_bytes);
  if (wide) {
    fill_structure<std::int64_t>(matrix, lengths, random);
  } else {
    fill_structure<std::int32_t>(matrix, lengths, random);
  }
  matrix.values = random_values(std::max<std::int64_t>(matrix.nnz, 1), type, shape.seed);
  return matrix;
}

}  // namespace spk::tool
