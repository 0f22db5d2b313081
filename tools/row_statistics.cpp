// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "row_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace spk::tool {

RowStatistics row_statistics(const CsrMatrix& matrix) {
  RowStatistics result;
  std::vector<bool> seen(static_cast<std::size_t>(matrix.cols), false);
  result.empty_cols = matrix.cols;
  for (std::int64_t t = 0; t < matrix.nnz; ++t) {
    const auto column = static_cast<std::size_t>(matrix.column(t));
    if (!seen[column]) --result.empty_cols;
    seen[column] = true;
  }
  if (matrix.rows == 0) return result;

  result.mean = static_cast<double>(matrix.nnz) / static_cast<double>(matrix.rows);
  result.shortest = matrix.row_length(0);
  double squares = 0;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const std::int64_t length = matrix.row_length(i);
    result.shortest = std::min(result.shortest, length);
    result.longest = std::max(result.longest, length);
    result.empty_rows += length == 0;
    const double distance = static_cast<double>(length) - result.mean;
    squares += distance * distance;
  }
  result.deviation = std::sqrt(squares / static_cast<double>(matrix.rows));
  result.cov = result.mean > 0 ? result.deviation / result.mean : 0;
  return result;
}

Histogram row_histogram(const CsrMatrix& matrix, std::int64_t max_bins) {
  Histogram result;
  if (matrix.rows == 0) return result;
  const RowStatistics rows = row_statistics(matrix);
  const std::int64_t range = rows.longest - rows.shortest + 1;
  const std::int64_t width = (range + max_bins - 1) / max_bins;
  for (std::int64_t first = rows.shortest; first <= rows.longest; first += width) {
    result.bins.push_back({first, std::min(first + width - 1, rows.longest), 0});
  }
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    auto& bin = result.bins[static_cast<std::size_t>((matrix.row_length(i) - rows.shortest) / width)];
    result.fullest = std::max(result.fullest, ++bin.rows);
  }
  return result;
}

}  // namespace spk::tool
