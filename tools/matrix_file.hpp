// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_io.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "buffer.hpp"
#include "library.hpp"
#include "value_types.hpp"

namespace spk::tool {

// A CSR matrix in host memory, base 0, columns ascending inside a row, offsets and indices of one type.
struct CsrMatrix {
  std::string name;  // path, or how it was generated
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  spk_index_type_t index_type = SPK_INDEX_32I;
  const ValueType* type = nullptr;
  Buffer row_offsets;
  Buffer col_indices;
  Buffer values;
  std::uint64_t seed = 0;  // of generated values, here and of the dense operands

  std::int64_t offset(std::int64_t row) const { return index(row_offsets, row); }
  std::int64_t column(std::int64_t entry) const { return index(col_indices, entry); }
  std::int64_t row_length(std::int64_t row) const { return offset(row + 1) - offset(row); }
  double sparsity() const;

  // A descriptor over copies of these arrays, or over the arrays themselves, with this matrix's sizes and types.
  Sparse describe(void* offsets, void* columns, void* entries) const;
  Sparse describe() const { return describe(row_offsets.data(), col_indices.data(), values.data()); }

 private:
  std::int64_t index(const Buffer& buffer, std::int64_t position) const {
    return index_type == SPK_INDEX_32I ? buffer.as<std::int32_t>()[position] : buffer.as<std::int64_t>()[position];
  }
};

// A file read through libspk_io.
class MatrixFile {
 public:
  // UsageError naming `argument` if there is no such file, Failure with the reader's message if it is malformed.
  MatrixFile(const std::string& path, std::string_view argument);

  const spk_io_info_t& info() const { return info_; }
  const std::string& path() const { return path_; }

  // Duplicates added up. A pattern file gets values by the recipe of its data set: uniform in [-1, 1), SplitMix64 with
  // the seed of value_seed(). `ones` keeps the reader's 1 for every entry instead.
  CsrMatrix csr(const ValueType& type, bool ones = false) const;

  spk_io_const_matrix_t get() const { return matrix_.get(); }

 private:
  struct Deleter {
    void operator()(spk_io_const_matrix_t matrix) const { spk_io_matrix_destroy(matrix); }
  };

  std::string path_;
  std::unique_ptr<std::remove_pointer_t<spk_io_matrix_t>, Deleter> matrix_;
  spk_io_info_t info_{};
};

// Failure with libspk_io's message unless status is SUCCESS.
void check_io(spk_status_t status);

// Seed of the generated values of a file: the first 8 bytes of sha256_text of the index.csv that lists it, if there is
// one in a folder above; otherwise FNV-1a over sizes and structure.
std::uint64_t value_seed(const CsrMatrix& matrix);

// The end of a path, no longer than `width` characters, without .smtx, .mtx and .gz.
std::string short_name(const std::string& path, std::size_t width);

}  // namespace spk::tool
