// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <sys/resource.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

const std::vector<std::int32_t> kOffsets = {0, 2, 2, 5};
const std::vector<std::int32_t> kCols = {1, 3, 2, 0, 1};

spk_status_t write_pattern(const std::string& path, const std::vector<std::int32_t>& offsets = kOffsets,
                           const std::vector<std::int32_t>& cols = kCols) {
  return spk_io_write_csr(path.c_str(), static_cast<std::int64_t>(offsets.size()) - 1, 4,
                          static_cast<std::int64_t>(cols.size()), offsets.data(), cols.data(), nullptr, SPK_INDEX_32I,
                          SPK_INDEX_BASE_ZERO, SPK_R_32F);
}

std::size_t files_in(const Folder& folder) {
  const std::filesystem::directory_iterator files(folder.file(""));
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

// Writes one row of values and reads it back.
template <class Value>
std::vector<Value> round_trip(const std::vector<Value>& values, spk_value_type_t type, const std::string& name) {
  const Folder folder;
  const std::string path = folder.file(name);
  const auto nnz = static_cast<std::int64_t>(values.size());
  const std::int64_t offsets[] = {1, nnz + 1};
  std::vector<std::int64_t> cols(values.size());
  for (std::size_t i = 0; i < cols.size(); ++i) cols[i] = static_cast<std::int64_t>(i) + 1;
  EXPECT_EQ(spk_io_write_csr(path.c_str(), 1, nnz, nnz, offsets, cols.data(), values.data(), SPK_INDEX_64I,
                             SPK_INDEX_BASE_ONE, type),
            SPK_STATUS_SUCCESS)
      << spk_io_last_error();
  const Result result = read_file(path);
  EXPECT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  return csr_of<std::int64_t, Value>(result.matrix, type).values;
}

template <class Value>
void expect_same_bits(const std::vector<Value>& got, const std::vector<Value>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(Value)), 0);
}

template <class Value, class Bits>
std::vector<Value> any_values(std::size_t count) {
  std::mt19937_64 random(99);
  std::vector<Value> values = {Value{0},
                               -Value{0},
                               Value{1},
                               static_cast<Value>(0.1),
                               std::numeric_limits<Value>::max(),
                               std::numeric_limits<Value>::min(),
                               std::numeric_limits<Value>::denorm_min(),
                               std::numeric_limits<Value>::infinity(),
                               -std::numeric_limits<Value>::infinity(),
                               std::numeric_limits<Value>::quiet_NaN()};
  while (values.size() < count) {
    const Value value = std::bit_cast<Value>(static_cast<Bits>(random()));
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

}  // namespace

TEST(Write, WritesBothFormats) {
  const Folder folder;
  ASSERT_EQ(write_pattern(folder.file("a.mtx")), SPK_STATUS_SUCCESS) << spk_io_last_error();
  EXPECT_EQ(slurp(folder.file("a.mtx")),
            "%%MatrixMarket matrix coordinate pattern general\n3 4 5\n1 2\n1 4\n3 3\n3 1\n3 2\n");
  ASSERT_EQ(write_pattern(folder.file("a.smtx")), SPK_STATUS_SUCCESS) << spk_io_last_error();
  EXPECT_EQ(slurp(folder.file("a.smtx")), "3, 4, 5\n0 2 2 5\n1 3 2 0 1\n");
  EXPECT_EQ(files_in(folder), 2U);
}

TEST(Write, WritesShortDecimals) {
  const Folder folder;
  const std::int32_t offsets[] = {0, 4};
  const std::int32_t cols[] = {0, 1, 2, 3};
  const float values[] = {0.1f, -2, 1e10f, 16777216};
  const std::string path = folder.file("a.mtx");
  ASSERT_EQ(spk_io_write_csr(path.c_str(), 1, 4, 4, offsets, cols, values, SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(slurp(path),
            "%%MatrixMarket matrix coordinate real general\n1 4 4\n1 1 0.1\n1 2 -2\n1 3 1e+10\n1 4 16777216\n");
}

TEST(Write, EveryValueComesBack) {
  const auto f32 = any_values<float, std::uint32_t>(20000);
  expect_same_bits(round_trip(f32, SPK_R_32F, "a.mtx"), f32);
  const auto f64 = any_values<double, std::uint64_t>(20000);
  expect_same_bits(round_trip(f64, SPK_R_64F, "a.mtx.gz"), f64);
  std::vector<std::uint16_t> f16;
  std::vector<std::uint16_t> bf16;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    // of the NaN only the one that reading gives
    if ((bits & 0x7fff) <= 0x7c00 || bits == 0x7e00) f16.push_back(static_cast<std::uint16_t>(bits));
    if ((bits & 0x7fff) <= 0x7f80 || bits == 0x7fc0) bf16.push_back(static_cast<std::uint16_t>(bits));
  }
  expect_same_bits(round_trip(f16, SPK_R_16F, "a.mtx"), f16);
  expect_same_bits(round_trip(bf16, SPK_R_16BF, "a.mtx"), bf16);
  using C32 = std::complex<float>;
  const std::vector<C32> c32 = {{1, 2}, {0.1f, -0.0f}, {-INFINITY, 1e-45f}};
  expect_same_bits(round_trip(c32, SPK_C_32F, "a.mtx"), c32);
  using C64 = std::complex<double>;
  const std::vector<C64> c64 = {{1, 2}, {0.1, -0.0}, {-INFINITY, 5e-324}};
  expect_same_bits(round_trip(c64, SPK_C_64F, "a.mtx"), c64);
}

TEST(Write, AFloatComesBackThoughADoubleRoundsItsShortestDecimalAway) {
  const float value = std::strtof("7.038531e-26", nullptr);
  ASSERT_NE(static_cast<float>(std::strtod("7.038531e-26", nullptr)), value);
  // many, so that the buffer of the writer fills up at one of them
  std::vector<float> values(20000, value);
  values[1] = -value;
  expect_same_bits(round_trip(values, SPK_R_32F, "a.mtx"), values);
}

TEST(Write, SmtxComesBackThroughGzip) {
  const Folder folder;
  ASSERT_EQ(write_pattern(folder.file("a.smtx.gz")), SPK_STATUS_SUCCESS) << spk_io_last_error();
  EXPECT_EQ(slurp(folder.file("a.smtx.gz")).substr(0, 2), "\x1f\x8b");
  const Result result = read_file(folder.file("a.smtx.gz"));
  ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  const std::vector<Entry> expected = {{0, 1, 1.0}, {0, 3, 1.0}, {2, 2, 1.0}, {2, 0, 1.0}, {2, 1, 1.0}};
  EXPECT_EQ(coo_of(result.matrix), expected);
}

TEST(Write, EmptyMatricesComeBack) {
  const Folder folder;
  for (const char* name : {"a.mtx", "a.smtx", "a.mtx.gz"}) {
    ASSERT_EQ(write_pattern(folder.file(name), {0}, {}), SPK_STATUS_SUCCESS) << spk_io_last_error();
    const Result result = read_file(folder.file(name));
    ASSERT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
    EXPECT_EQ(info_of(result.matrix).rows, 0);
    EXPECT_EQ(info_of(result.matrix).cols, 4);
  }
}

TEST(Write, RefusesContradictions) {
  const Folder folder;
  const std::string mtx = folder.file("a.mtx");
  const auto expect_refused = [](spk_status_t status, const std::string& message) {
    EXPECT_EQ(status, SPK_STATUS_INVALID_STRUCTURE);
    EXPECT_EQ(spk_io_last_error(), "spk_io_write_csr: " + message);
  };
  expect_refused(write_pattern(mtx, {1, 2, 2, 5}), "row_offsets[0] = 1 but must be 0");
  expect_refused(write_pattern(mtx, {0, 2, 1, 5}), "row_offsets[2] = 1 but must be in 2..5");
  expect_refused(write_pattern(mtx, {0, 6, 6, 6}), "row_offsets[1] = 6 but must be in 0..5");
  expect_refused(write_pattern(mtx, {0, 2, 2, 4}), "row_offsets[3] = 4 but must be 5 (nnz and the base)");
  expect_refused(write_pattern(mtx, kOffsets, {1, 3, 4, 0, 1}), "col_indices[2] = 4 but must be in 0..3");
  expect_refused(write_pattern(mtx, kOffsets, {1, 3, -1, 0, 1}), "col_indices[2] = -1 but must be in 0..3");
  expect_refused(write_pattern(mtx, {0, 5}, {0, 1, 2, 3, 0}), "nnz = 5 but 1 x 4 has fewer places");
  expect_refused(write_pattern(folder.file("a.smtx"), kOffsets, {1, 3, 2, 0, 2}),
                 "row 2 has column 2 twice (counted from 0), which .smtx does not allow");
  EXPECT_EQ(files_in(folder), 0U);
  EXPECT_EQ(write_pattern(mtx, kOffsets, {1, 3, 2, 0, 2}), SPK_STATUS_SUCCESS);
}

TEST(Write, RefusesNamesAndValuesWithoutAFormat) {
  const Folder folder;
  EXPECT_EQ(write_pattern(folder.file("a.txt")), SPK_STATUS_INVALID_VALUE);
  EXPECT_NE(std::string(spk_io_last_error()).find("must end in .mtx or .smtx"), std::string::npos);
  const float values[5] = {};
  EXPECT_EQ(spk_io_write_csr(folder.file("a.smtx").c_str(), 3, 4, 5, kOffsets.data(), kCols.data(), values,
                             SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_INVALID_VALUE);
  EXPECT_STREQ(spk_io_last_error(), "spk_io_write_csr: values must be NULL for .smtx, which holds none");
  EXPECT_EQ(files_in(folder), 0U);
}

TEST(Write, LeavesTheOldFileWhenItFails) {
  const Folder folder;
  EXPECT_EQ(write_pattern(folder.file("none/a.mtx")), SPK_STATUS_IO_ERROR);
  const std::string old = folder.put("a.mtx", "old");
  EXPECT_EQ(write_pattern(old, {1, 2, 2, 5}), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_EQ(slurp(old), "old");
  ASSERT_EQ(mkdir(folder.file("folder.mtx").c_str(), 0700), 0);
  EXPECT_EQ(write_pattern(folder.file("folder.mtx")), SPK_STATUS_IO_ERROR);
  ASSERT_EQ(mkfifo(folder.file("pipe.mtx").c_str(), 0600), 0);
  EXPECT_EQ(write_pattern(folder.file("pipe.mtx")), SPK_STATUS_IO_ERROR);
  EXPECT_EQ(files_in(folder), 3U);
}

TEST(Write, TakesTheLongestNames) {
  const Folder folder;
  const std::string name = std::string(251, 'n') + ".mtx";
  EXPECT_EQ(write_pattern(folder.file(name)), SPK_STATUS_SUCCESS) << spk_io_last_error();
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(Write, FollowsALinkToItsFile) {
  const Folder folder;
  const std::string target = folder.put("target.mtx", "old");
  const std::string link = folder.file("link.mtx");
  ASSERT_EQ(symlink("target.mtx", link.c_str()), 0);
  ASSERT_EQ(write_pattern(link), SPK_STATUS_SUCCESS) << spk_io_last_error();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(slurp(target).substr(0, 14), "%%MatrixMarket");
}

TEST(Write, NeverReplacesADevice) {
  const Folder folder;
  ASSERT_EQ(symlink("/dev/null", folder.file("device.mtx").c_str()), 0);
  EXPECT_EQ(write_pattern(folder.file("device.mtx")), SPK_STATUS_IO_ERROR);
  EXPECT_NE(std::string(spk_io_last_error()).find("is not a regular file"), std::string::npos);
}

TEST(Write, ReportsAFullDisk) {
  // A limit on the size of files stands in for the disk; the signal that comes with it is ignored.
  const Folder folder;
  const std::vector<std::int32_t> offsets = {0, 60000};
  std::vector<std::int32_t> cols(60000);
  for (std::size_t i = 0; i < cols.size(); ++i) cols[i] = static_cast<std::int32_t>(i);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  rlimit limit = old_limit;
  limit.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const spk_status_t status = spk_io_write_csr(folder.file("a.mtx").c_str(), 1, 60000, 60000, offsets.data(),
                                               cols.data(), nullptr, SPK_INDEX_32I, 0, SPK_R_32F);
  const std::string message = spk_io_last_error();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(status, SPK_STATUS_IO_ERROR);
  EXPECT_NE(message.find("a.mtx: cannot write: "), std::string::npos) << message;
  EXPECT_EQ(files_in(folder), 0U);
}
