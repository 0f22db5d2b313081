// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cmath>
#include <map>

#include "io_matrix.hpp"
#include "support/require.hpp"

using namespace io_test;

// Every file of the shared data sets, against their indices.
namespace {

const std::string kData = SPK_DATA_DIR;

using Row = std::map<std::string, std::string>;

// Comma-separated text with a header line; fields may be quoted.
std::vector<Row> read_csv(const std::string& path) {
  std::vector<std::vector<std::string>> lines(1);
  std::string field;
  bool is_quoted = false;
  for (const char c : slurp(path)) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (is_quoted || (c != ',' && c != '\n' && c != '\r')) {
      field += c;
    } else if (c != '\r') {
      lines.back().push_back(std::exchange(field, ""));
      if (c == '\n') lines.emplace_back();
    }
  }
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() < lines[0].size()) continue;
    Row row;
    for (std::size_t k = 0; k < lines[0].size(); ++k) row[lines[0][k]] = lines[i][k];
    rows.push_back(row);
  }
  return rows;
}

std::int64_t number(const Row& row, const std::string& column) { return std::stoll(row.at(column)); }

// Kahan-Babuska, in long double: 12 digits of the index are to be met.
struct Sum {
  long double value = 0;
  long double rest = 0;
  void add(long double x) {
    const long double next = value + x;
    rest += std::abs(value) >= std::abs(x) ? (value - next) + x : (x - next) + value;
    value = next;
  }
  long double total() const { return value + rest; }
};

void expect_sum(const Row& row, const std::string& column, const Sum& sum, long double scale) {
  const long double expected = std::stold(row.at(column));
  EXPECT_LE(std::abs(sum.total() - expected), 1e-11L * std::max(std::abs(expected), scale * 1e-4L)) << column;
}

class Data : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kData.empty()) SPK_SKIP_WITHOUT("data", "SPK_DATA_DIR is empty: the shared matrices are not here");
  }
};

}  // namespace

TEST_F(Data, EveryMalformedFileGetsItsVerdict) {
  const std::vector<Row> rows = read_csv(kData + "/malformed/expectations.csv");
  ASSERT_GE(rows.size(), 100U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("file") + ": " + row.at("why"));
    for (const int threads : {1, 3}) {
      const Result result = read_file(kData + "/malformed/" + row.at("file"), options_with(threads));
      ASSERT_EQ(result.status == SPK_STATUS_SUCCESS, row.at("expect") == "accept") << result.message;
      if (result.status != SPK_STATUS_SUCCESS) {
        EXPECT_TRUE(result.status == SPK_STATUS_PARSE_ERROR || result.status == SPK_STATUS_IO_ERROR) << result.status;
        EXPECT_EQ(result.status == SPK_STATUS_PARSE_ERROR, result.message.find(": line ") != std::string::npos);
        continue;
      }
      const spk_io_info_t info = info_of(result.matrix);
      EXPECT_EQ(info.rows, number(row, "nrows"));
      EXPECT_EQ(info.cols, number(row, "ncols"));
      EXPECT_EQ(info.stored, number(row, "stored"));
      EXPECT_EQ(info.nnz, number(row, "expanded"));
      EXPECT_EQ(coo_of(result.matrix).size(), static_cast<std::size_t>(info.nnz));
    }
  }
}

TEST_F(Data, EveryMatrixMarketFileMatchesItsIndex) {
  const std::vector<Row> rows = read_csv(kData + "/mtx/index.csv");
  ASSERT_GE(rows.size(), 30U);
  const std::vector<std::string> fields = {"real", "complex", "integer", "pattern"};
  const std::vector<std::string> symmetries = {"general", "symmetric", "skew-symmetric", "hermitian"};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("file"));
    const Result result = read_file(kData + "/mtx/" + row.at("file"));
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    const spk_io_info_t info = info_of(result.matrix);
    EXPECT_EQ(fields[static_cast<std::size_t>(info.field)], row.at("field"));
    EXPECT_EQ(symmetries[static_cast<std::size_t>(info.symmetry)], row.at("symmetry"));
    EXPECT_EQ(info.is_array != 0, row.at("format") == "array");
    EXPECT_EQ(info.rows, number(row, "nrows"));
    EXPECT_EQ(info.cols, number(row, "ncols"));
    EXPECT_EQ(info.stored, number(row, "stored"));
    EXPECT_EQ(info.nnz, number(row, "expanded"));

    Sum real;
    Sum imag;
    Sum absolute;
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(info.rows), 0);
    for (const auto& [i, j, value] : coo_of(result.matrix)) {
      ++lengths[static_cast<std::size_t>(i)];
      real.add(value.real());
      imag.add(value.imag());
      absolute.add(std::abs(value));
    }
    expect_sum(row, "sum_re", real, absolute.total());
    expect_sum(row, "sum_im", imag, absolute.total());
    expect_sum(row, "sum_abs", absolute, 0);
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), number(row, "row_max"));
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 0), number(row, "empty_rows"));

    const auto csr = csr_of<std::int32_t, std::complex<double>>(result.matrix, SPK_C_64F);
    EXPECT_EQ(static_cast<std::int64_t>(csr.values.size()), number(row, "expanded") - number(row, "duplicates"));
    for (std::size_t i = 0; i + 1 < csr.row_offsets.size(); ++i) {
      EXPECT_EQ(csr.row_offsets[i + 1] - csr.row_offsets[i], lengths[i]);
      EXPECT_TRUE(std::is_sorted(csr.col_indices.begin() + csr.row_offsets[i],
                                 csr.col_indices.begin() + csr.row_offsets[i + 1]));
    }
  }
}

TEST_F(Data, EveryDlmcFileMatchesItsIndex) {
  const std::vector<Row> rows = read_csv(kData + "/dlmc/index.csv");
  ASSERT_GE(rows.size(), 100U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("file"));
    const Result result = read_file(kData + "/dlmc/" + row.at("file"));
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    const spk_io_info_t info = info_of(result.matrix);
    EXPECT_EQ(info.rows, number(row, "nrows"));
    EXPECT_EQ(info.cols, number(row, "ncols"));
    EXPECT_EQ(info.nnz, number(row, "nnz"));
    const auto csr = csr_of<std::int32_t, float>(result.matrix, SPK_R_32F);
    std::int64_t longest = 0;
    std::int64_t shortest = info.cols;
    std::int64_t empty = 0;
    for (std::size_t i = 0; i + 1 < csr.row_offsets.size(); ++i) {
      const std::int64_t length = csr.row_offsets[i + 1] - csr.row_offsets[i];
      longest = std::max(longest, length);
      shortest = std::min(shortest, length);
      empty += length == 0 ? 1 : 0;
    }
    EXPECT_EQ(longest, number(row, "row_max"));
    EXPECT_EQ(shortest, number(row, "row_min"));
    EXPECT_EQ(empty, number(row, "empty_rows"));
    std::vector<bool> used(static_cast<std::size_t>(info.cols), false);
    for (const std::int32_t col : csr.col_indices) used[static_cast<std::size_t>(col)] = true;
    EXPECT_EQ(std::count(used.begin(), used.end(), false), number(row, "empty_cols"));
    EXPECT_EQ(std::count(csr.values.begin(), csr.values.end(), 1.0f), info.nnz);
  }
}
