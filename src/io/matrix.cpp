// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/matrix.hpp"

namespace spk::io {
namespace {

// Order of all segments one after the other.
EntryOrder whole_order(const std::vector<Segment>& segments) {
  EntryOrder whole;
  const Segment* last = nullptr;
  for (const Segment& segment : segments) {
    EntryOrder here = segment.order;
    if (last != nullptr) {
      const std::int64_t row = last->rows[last->count - 1];
      const std::int64_t col = last->cols[last->count - 1];
      const std::int64_t next_row = segment.rows[0];
      const std::int64_t next_col = segment.cols[0];
      here.by_row = here.by_row && row <= next_row;
      here.strictly_by_row = here.strictly_by_row && (row < next_row || (row == next_row && col < next_col));
      here.strictly_by_col = here.strictly_by_col && (col < next_col || (col == next_col && row < next_row));
    }
    whole.by_row = whole.by_row && here.by_row;
    whole.strictly_by_row = whole.strictly_by_row && here.strictly_by_row;
    whole.strictly_by_col = whole.strictly_by_col && here.strictly_by_col;
    last = &segment;
  }
  return whole;
}

}  // namespace

void finish_mtx(spk_io_matrix& matrix) {
  std::int64_t diagonal = 0;
  if (matrix.is_array) {
    const bool lists_diagonal = matrix.symmetry == SPK_IO_SYMMETRIC || matrix.symmetry == SPK_IO_HERMITIAN;
    diagonal = lists_diagonal ? matrix.rows : 0;
  } else {
    for (const Segment& segment : matrix.segments) diagonal += segment.diagonal;
  }
  matrix.nnz = matrix.is_mirrored ? 2 * matrix.stored - diagonal : matrix.stored;
  const bool adds_mirrors = matrix.nnz != matrix.stored;
  if (matrix.is_array) {
    // column after column
    matrix.is_row_ordered = !adds_mirrors && (matrix.stored <= 1 || matrix.rows == 1 || matrix.cols == 1);
    matrix.csr_nnz = matrix.nnz;
    return;
  }
  const EntryOrder order = whole_order(matrix.segments);
  matrix.is_row_ordered = order.by_row && !adds_mirrors;
  // Mirrors land in the triangle that the file does not list, so they add no duplicates.
  if (order.strictly_by_row || order.strictly_by_col) matrix.csr_nnz = matrix.nnz;
}

}  // namespace spk::io
