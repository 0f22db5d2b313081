// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <vector>

#include "matrix_file.hpp"

namespace spk::tool {

// Lengths of the rows of a matrix, in stored entries.
struct RowStatistics {
  double mean = 0;
  double deviation = 0;  // of the population
  double cov = 0;        // deviation / mean; 0 without entries
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  std::int64_t empty_rows = 0;
  std::int64_t empty_cols = 0;
};
RowStatistics row_statistics(const CsrMatrix& matrix);

// Equal intervals of row length, from the shortest to the longest row.
struct Histogram {
  struct Bin {
    std::int64_t first, last;  // lengths, both included
    std::int64_t rows;
  };
  std::vector<Bin> bins;
  std::int64_t fullest = 0;  // rows of the highest bin
};
Histogram row_histogram(const CsrMatrix& matrix, std::int64_t max_bins);

}  // namespace spk::tool
