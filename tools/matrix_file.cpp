// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "matrix_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "dataset.hpp"
#include "failure.hpp"

namespace spk::tool {
namespace {

namespace fs = std::filesystem;

std::uint64_t structure_hash(const CsrMatrix& matrix) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  const auto mix = [&hash](std::int64_t number) {
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((static_cast<std::uint64_t>(number) >> (8 * byte)) & 0xFF)) * 0x100000001B3u;
    }
  };
  mix(matrix.rows);
  mix(matrix.cols);
  for (std::int64_t i = 0; i <= matrix.rows; ++i) mix(matrix.offset(i));
  for (std::int64_t t = 0; t < matrix.nnz; ++t) mix(matrix.column(t));
  return hash;
}

}  // namespace

void check_io(spk_status_t status) {
  if (status == SPK_STATUS_SUCCESS) return;
  const char* message = spk_io_last_error();
  throw Failure(message[0] != '\0' ? message : fmt::format("status {} of the matrix reader", status));
}

double CsrMatrix::sparsity() const {
  if (rows == 0 || cols == 0) return 0;
  return 1.0 - static_cast<double>(nnz) / static_cast<double>(rows) / static_cast<double>(cols);
}

Sparse CsrMatrix::describe(void* offsets, void* columns, void* entries) const {
  spk_spmat_t mat = nullptr;
  check(spk_csr_create(&mat, rows, cols, nnz, offsets, columns, entries, index_type, index_type, SPK_INDEX_BASE_ZERO,
                       type->type));
  return Sparse(mat);
}

MatrixFile::MatrixFile(const std::string& path, std::string_view argument) : path_(path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw UsageError(fmt::format("{} = {} is a folder, not a matrix file", argument, path));
  }
  errno = 0;
  if (!std::ifstream(path)) {
    throw UsageError(fmt::format("{} = {} cannot be opened: {}", argument, path, std::strerror(errno)));
  }
  spk_io_matrix_t matrix = nullptr;
  check_io(spk_io_read(&matrix, path.c_str(), nullptr));
  matrix_.reset(matrix);
  info_.struct_size = sizeof info_;
  check_io(spk_io_get_info(matrix, &info_));
}

CsrMatrix MatrixFile::csr(const ValueType& type, bool ones) const {
  CsrMatrix result;
  result.name = path_;
  result.rows = info_.rows;
  result.cols = info_.cols;
  result.index_type = info_.index_type;
  result.type = &type;
  check_io(spk_io_get_csr(matrix_.get(), info_.index_type, SPK_INDEX_BASE_ZERO, type.type, &result.nnz, nullptr,
                          nullptr, nullptr));
  const std::size_t index_bytes = info_.index_type == SPK_INDEX_32I ? 4 : 8;
  result.row_offsets = Buffer(result.rows + 1, index_bytes);
  // One element at least, so that no array is NULL when there are no entries.
  result.col_indices = Buffer(std::max<std::int64_t>(result.nnz, 1), index_bytes);
  result.values = Buffer(std::max<std::int64_t>(result.nnz, 1), type.size);
  check_io(spk_io_get_csr(matrix_.get(), info_.index_type, SPK_INDEX_BASE_ZERO, type.type, &result.nnz,
                          result.row_offsets.data(), result.col_indices.data(), result.values.data()));
  result.seed = value_seed(result);
  if (info_.field == SPK_IO_PATTERN && !ones) result.values = random_values(result.nnz, type, result.seed);
  return result;
}

std::uint64_t value_seed(const CsrMatrix& matrix) {
  if (const auto entry = find_in_index(matrix.name)) {
    std::uint64_t seed = 0;
    const std::string& sha = entry->sha256_text;
    const char* end = sha.data() + std::min<std::size_t>(sha.size(), 16);
    if (sha.size() >= 16 && std::from_chars(sha.data(), end, seed, 16).ptr == end) return seed;
  }
  return structure_hash(matrix);
}

std::string short_name(const std::string& path, std::size_t width) {
  std::string name = path;
  for (const std::string_view ending : {".gz", ".smtx", ".mtx"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  if (name.size() <= width) return name;
  // Whole folders go first; a file name that is still too long loses its beginning.
  std::size_t cut = name.find('/', name.size() - width + 3);
  if (cut == std::string::npos) cut = name.size() - width + 3;
  return "..." + name.substr(cut);
}

}  // namespace spk::tool
