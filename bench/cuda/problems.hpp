// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <cstdint>
#include <string>
#include <vector>

#include "matrix_file.hpp"
#include "workload.hpp"

namespace spk::bench {

// What is computed with every matrix. SpMM: order_b of B, order_c of C. SDDMM: order_b of both dense matrices.
struct Setting {
  tool::Operation operation = tool::Operation::kSpmm;
  std::string type_name;  // f32, f16, bf16, f64 or tf32
  const tool::ValueType* type = nullptr;
  spk_compute_type_t compute = SPK_COMPUTE_32F;
  spk_order_t order_b = SPK_ORDER_ROW;
  spk_order_t order_c = SPK_ORDER_ROW;
  spk_operation_t opA = SPK_OP_N;
  spk_operation_t opB = SPK_OP_N;

  bool tf32() const { return compute == SPK_COMPUTE_TF32; }
  // C m x n with inner size k, for a stored matrix of rows x cols and a width.
  struct Sizes {
    std::int64_t m, n, k;
  };
  Sizes sizes(const tool::CsrMatrix& matrix, std::int64_t width) const;
  // "row" or "row/col" where B and C differ, "-" where there is no matrix to order.
  std::string order_text() const;
  std::string title() const;
};

// UsageError naming the option for a word that is none of its values. `order` is row, col, row/col or col/row.
Setting make_setting(tool::Operation operation, const std::string& type, const std::string& order,
                     const std::string& op_a, const std::string& op_b);

// A matrix to read or to generate, and the widths that its data set gives it.
struct Source {
  std::string name;
  std::string file;  // empty: generated
  std::int64_t rows = 0, cols = 0;
  double sparsity = 0;
  double exponent = 0;  // of the power law of row lengths; 0: uniform
  bool has_shuffled_rows = false;
  std::vector<std::int64_t> widths;
};

// Rows of the index whose set is in `set`, a folder's files, or one file.
std::vector<Source> sources_of(const std::string& path, const std::string& set, const std::string& option);
// ROWS,COLS,SPARSITY, or ROWS,COLS,SPARSITY,EXPONENT for a power law.
Source parse_generated(const std::string& text, bool power_law);

tool::CsrMatrix load(const Source& source, const tool::ValueType& type);

// opA of a matrix applied: its transpose, with the values, on the host.
tool::CsrMatrix transposed(const tool::CsrMatrix& matrix);

std::int64_t longest_row(const tool::CsrMatrix& matrix);

}  // namespace spk::bench
