// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>

#include "matrix_file.hpp"

namespace spk::tool {

// A random matrix that looks like a pruned weight matrix.
struct PrunedShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  double sparsity = 0.9;  // exactly round((1 - sparsity) * rows * cols) entries
  double row_cov = 0.2;   // coefficient of variation aimed at for the row lengths
  std::uint64_t seed = 1;
};

// Row lengths are log-normal with the wanted CoV, cut to [0, cols] and scaled so that the count comes out exactly;
// columns are chosen uniformly without repetition (Knuth, TAOCP 2, section 3.4.2, algorithm S). Repeats for a seed.
CsrMatrix generate_pruned(const PrunedShape& shape, const ValueType& type);

}  // namespace spk::tool
