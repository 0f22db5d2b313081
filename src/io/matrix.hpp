// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_io.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "io/entries.hpp"

// What a file holds, as it holds it: segments in file order, a stored triangle not yet mirrored.
struct spk_io_matrix {
  spk_io_field_t field = SPK_IO_PATTERN;
  spk_io_symmetry_t symmetry = SPK_IO_GENERAL;
  spk_index_type_t index_type = SPK_INDEX_32I;
  bool is_array = false;
  bool is_row_ordered = false;
  bool is_mirrored = false;  // the other triangle is to be added
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stored = 0;
  std::int64_t nnz = 0;
  std::vector<spk::io::Segment> segments;
  spk::io::IndexArray row_offsets;  // .smtx only: rows + 1
  bool has_row_offsets = false;
  // Entries once duplicates are added up; -1 until somebody asks. Several threads may find out at once.
  mutable std::atomic<std::int64_t> csr_nnz{-1};
};

namespace spk::io {

// Sums up the segments of a Matrix Market file: nnz, is_row_ordered, and csr_nnz where the order rules out duplicates.
void finish_mtx(spk_io_matrix& matrix);

}  // namespace spk::io
