// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_io.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// What must hold for any bytes that claim to be a matrix file. A broken promise aborts, which the fuzzer reports.
namespace fuzz {

inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s (last error: %s)\n", what, spk_io_last_error());
  std::abort();
}

struct Copy {
  spk_status_t status = SPK_STATUS_SUCCESS;
  std::string message;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> cols;
  std::vector<std::uint64_t> values;  // bits of complex doubles
  bool operator==(const Copy&) const = default;
};

inline void check_csr(spk_io_const_matrix_t matrix, const spk_io_info_t& info) {
  constexpr std::int64_t kMostRows = 1 << 16;  // of which row offsets are worth the memory
  std::int64_t nnz = -1;
  demand(spk_io_get_csr(matrix, SPK_INDEX_64I, SPK_INDEX_BASE_ONE, SPK_C_32F, &nnz, nullptr, nullptr, nullptr) ==
             SPK_STATUS_SUCCESS,
         "the entries of a matrix can be counted");
  demand(nnz >= 0 && nnz <= info.nnz, "adding duplicates makes entries fewer");
  if (info.rows > kMostRows) return;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(info.rows) + 1, -1);
  std::vector<std::int64_t> cols(static_cast<std::size_t>(nnz), -1);
  std::vector<float> values(2 * static_cast<std::size_t>(nnz));
  demand(spk_io_get_csr(matrix, SPK_INDEX_64I, SPK_INDEX_BASE_ONE, SPK_C_32F, nullptr, offsets.data(), cols.data(),
                        values.data()) == SPK_STATUS_SUCCESS,
         "a counted matrix can be copied");
  demand(offsets.front() == 1 && offsets.back() == nnz + 1, "offsets run from the base to nnz");
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    demand(offsets[row] <= offsets[row + 1], "offsets rise");
    for (auto k = static_cast<std::size_t>(offsets[row] - 1); k < static_cast<std::size_t>(offsets[row + 1] - 1); ++k) {
      demand(cols[k] >= 1 && cols[k] <= info.cols, "columns are inside the shape");
      demand(k == static_cast<std::size_t>(offsets[row] - 1) || cols[k - 1] < cols[k], "columns rise inside a row");
    }
  }
}

inline Copy read_and_copy(const char* name, const std::uint8_t* data, std::size_t size, int threads) {
  spk_io_options_t options{};
  options.struct_size = sizeof options;
  options.threads = threads;
  spk_io_matrix_t matrix = nullptr;
  Copy copy;
  copy.status = spk_io_read_memory(&matrix, name, data, size, &options);
  if (copy.status != SPK_STATUS_SUCCESS) {
    copy.message = spk_io_last_error();
    demand(matrix == nullptr, "a failed read gives no matrix");
    demand(copy.status == SPK_STATUS_PARSE_ERROR || copy.status == SPK_STATUS_IO_ERROR, "bad bytes are a parse error");
    const bool has_line = copy.message.find(": line ") != std::string::npos;
    demand(has_line || copy.status == SPK_STATUS_IO_ERROR, "a parse error has a line number");
    return copy;
  }
  spk_io_info_t info{};
  info.struct_size = sizeof info;
  demand(spk_io_get_info(matrix, &info) == SPK_STATUS_SUCCESS, "a matrix has facts");
  demand(info.stored >= 0 && info.nnz >= info.stored, "mirroring makes entries more");
  const auto nnz = static_cast<std::size_t>(info.nnz);
  copy.rows.resize(nnz);
  copy.cols.resize(nnz);
  copy.values.resize(2 * nnz);
  demand(spk_io_get_coo(matrix, SPK_INDEX_64I, SPK_INDEX_BASE_ZERO, SPK_C_64F, copy.rows.data(), copy.cols.data(),
                        copy.values.data()) == SPK_STATUS_SUCCESS,
         "a matrix can be copied");
  for (std::size_t k = 0; k < nnz; ++k) {
    demand(copy.rows[k] >= 0 && copy.rows[k] < info.rows, "rows are inside the shape");
    demand(copy.cols[k] >= 0 && copy.cols[k] < info.cols, "columns are inside the shape");
    demand(info.is_row_ordered == 0 || k == 0 || copy.rows[k - 1] <= copy.rows[k], "row order is as told");
  }
  check_csr(matrix, info);
  spk_io_matrix_destroy(matrix);
  return copy;
}

}  // namespace fuzz
