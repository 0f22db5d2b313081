// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <gtest/gtest.h>
#include <spk/spk_io.h>
#include <unistd.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

// Reading from C++ tests. Values come as complex doubles, which hold every value but large integers.
namespace io_test {

using Entry = std::tuple<std::int64_t, std::int64_t, std::complex<double>>;

struct Destroy {
  void operator()(spk_io_matrix_t matrix) const { spk_io_matrix_destroy(matrix); }
};
using Matrix = std::unique_ptr<spk_io_matrix, Destroy>;

struct Result {
  spk_status_t status = SPK_STATUS_SUCCESS;
  std::string message;
  Matrix matrix;
};

inline spk_io_options_t options_with(int threads = 0, spk_index_type_t index_type = 0) {
  spk_io_options_t options{};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.index_type = index_type;
  return options;
}

inline Result finish(spk_status_t status, spk_io_matrix_t matrix) {
  Result result;
  result.status = status;
  result.matrix.reset(matrix);
  if (status != SPK_STATUS_SUCCESS) result.message = spk_io_last_error();
  EXPECT_EQ(status == SPK_STATUS_SUCCESS, matrix != nullptr);
  return result;
}

inline Result read_text(const std::string& name, const std::string& text,
                        const spk_io_options_t& options = options_with()) {
  spk_io_matrix_t matrix = nullptr;
  const spk_status_t status = spk_io_read_memory(&matrix, name.c_str(), text.data(), text.size(), &options);
  return finish(status, matrix);
}

inline Result read_file(const std::string& path, const spk_io_options_t& options = options_with()) {
  spk_io_matrix_t matrix = nullptr;
  const spk_status_t status = spk_io_read(&matrix, path.c_str(), &options);
  return finish(status, matrix);
}

inline spk_io_info_t info_of(const Matrix& matrix) {
  spk_io_info_t info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(spk_io_get_info(matrix.get(), &info), SPK_STATUS_SUCCESS);
  return info;
}

inline std::vector<Entry> coo_of(const Matrix& matrix) {
  const auto nnz = static_cast<std::size_t>(info_of(matrix).nnz);
  std::vector<std::int64_t> rows(nnz);
  std::vector<std::int64_t> cols(nnz);
  std::vector<std::complex<double>> values(nnz);
  EXPECT_EQ(spk_io_get_coo(matrix.get(), SPK_INDEX_64I, SPK_INDEX_BASE_ZERO, SPK_C_64F, rows.data(), cols.data(),
                           values.data()),
            SPK_STATUS_SUCCESS)
      << spk_io_last_error();
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < nnz; ++i) entries.emplace_back(rows[i], cols[i], values[i]);
  return entries;
}

template <class Index, class Value>
struct Csr {
  std::vector<Index> row_offsets;
  std::vector<Index> col_indices;
  std::vector<Value> values;
};

template <class Index, class Value>
Csr<Index, Value> csr_of(const Matrix& matrix, spk_value_type_t type, spk_index_base_t base = SPK_INDEX_BASE_ZERO) {
  constexpr spk_index_type_t kIndexType = sizeof(Index) == 4 ? SPK_INDEX_32I : SPK_INDEX_64I;
  Csr<Index, Value> csr;
  std::int64_t nnz = -1;
  EXPECT_EQ(spk_io_get_csr(matrix.get(), kIndexType, base, type, &nnz, nullptr, nullptr, nullptr), SPK_STATUS_SUCCESS)
      << spk_io_last_error();
  csr.row_offsets.resize(static_cast<std::size_t>(info_of(matrix).rows) + 1);
  csr.col_indices.resize(static_cast<std::size_t>(nnz));
  csr.values.resize(static_cast<std::size_t>(nnz));
  std::int64_t filled = -1;
  EXPECT_EQ(spk_io_get_csr(matrix.get(), kIndexType, base, type, &filled, csr.row_offsets.data(),
                           csr.col_indices.data(), csr.values.data()),
            SPK_STATUS_SUCCESS)
      << spk_io_last_error();
  EXPECT_EQ(filled, nnz);
  return csr;
}

// A fresh folder, removed with what is in it.
class Folder {
 public:
  Folder() {
    std::string pattern = ::testing::TempDir() + "spk_io_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    const int status = std::system(("rm -rf '" + path_ + "'").c_str());
    EXPECT_EQ(status, 0);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  std::string path_;
};

inline std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void expect_rejected(const Result& result, spk_status_t status, const std::string& what) {
  EXPECT_EQ(result.status, status) << result.message;
  EXPECT_NE(result.message.find(what), std::string::npos) << "message: " << result.message << "\nwanted: " << what;
}

}  // namespace io_test
