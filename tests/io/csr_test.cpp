// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

Matrix matrix_of(const std::string& kind, const std::string& size_and_entries) {
  Result result = read_text("m.mtx", "%%MatrixMarket matrix coordinate " + kind + "\n" + size_and_entries);
  EXPECT_EQ(result.status, SPK_STATUS_SUCCESS) << result.message;
  return std::move(result.matrix);
}

// One row, one entry for each value.
Matrix row_of(const std::string& kind, const std::vector<std::string>& values) {
  const std::string count = std::to_string(values.size());
  std::string text = "1 " + count + " " + count + "\n";
  for (std::size_t i = 0; i < values.size(); ++i) text += "1 " + std::to_string(i + 1) + " " + values[i] + "\n";
  return matrix_of(kind + " general", text);
}

}  // namespace

TEST(IoCsr, SortsAndAddsUpDuplicates) {
  const Matrix matrix =
      matrix_of("real general", "4 5 8\n4 5 1\n1 3 0.5\n1 1 2\n4 1 7\n1 3 0.25\n2 2 0\n1 3 100\n1 1 -2\n");
  const auto csr = csr_of<std::int32_t, double>(matrix, SPK_R_64F);
  EXPECT_EQ(csr.row_offsets, (std::vector<std::int32_t>{0, 2, 3, 3, 5}));
  EXPECT_EQ(csr.col_indices, (std::vector<std::int32_t>{0, 2, 1, 0, 4}));
  EXPECT_EQ(csr.values, (std::vector<double>{0, 100.75, 0, 7, 1}));
  const auto one_based = csr_of<std::int64_t, float>(matrix, SPK_R_32F, SPK_INDEX_BASE_ONE);
  EXPECT_EQ(one_based.row_offsets, (std::vector<std::int64_t>{1, 3, 4, 4, 6}));
  EXPECT_EQ(one_based.col_indices, (std::vector<std::int64_t>{1, 3, 2, 1, 5}));
  EXPECT_EQ(one_based.values, (std::vector<float>{0, 100.75f, 0, 7, 1}));
}

TEST(IoCsr, AddsUpDuplicatesOfEveryField) {
  const auto complex = csr_of<std::int32_t, std::complex<float>>(
      matrix_of("complex general", "1 3 3\n1 2 1 2\n1 1 5 6\n1 2 3 -4\n"), SPK_C_32F);
  EXPECT_EQ(complex.values, (std::vector<std::complex<float>>{{5, 6}, {4, -2}}));
  const auto pattern = csr_of<std::int32_t, float>(matrix_of("pattern general", "1 3 3\n1 2\n1 1\n1 2\n"), SPK_R_32F);
  EXPECT_EQ(pattern.values, (std::vector<float>{1, 2}));
  // a 64-bit sum would wrap
  const auto integer = csr_of<std::int32_t, double>(
      matrix_of("integer general", "1 3 3\n1 2 9223372036854775807\n1 1 5\n1 2 9223372036854775807\n"), SPK_R_64F);
  EXPECT_EQ(integer.values, (std::vector<double>{5, 0x1p64}));
  const auto skew = csr_of<std::int32_t, double>(
      matrix_of("integer skew-symmetric", "2 2 2\n2 1 -9223372036854775808\n2 1 3\n"), SPK_R_64F);
  EXPECT_EQ(skew.values, (std::vector<double>{0x1p63, -0x1p63}));
}

TEST(IoCsr, KeepsANegativeZero) {
  for (const char* entries : {"1 2 2\n1 2 -0\n1 1 -0\n", "1 2 2\n1 1 -0\n1 2 -0\n", "2 2 3\n1 1 1\n2 1 -0\n1 1 1\n"}) {
    const auto csr = csr_of<std::int32_t, double>(matrix_of("real general", entries), SPK_R_64F);
    EXPECT_TRUE(std::signbit(csr.values.back())) << entries;
  }
}

TEST(IoCsr, MatchesASortedMapForRandomEntries) {
  std::mt19937_64 random(7);
  for (const bool symmetric : {false, true}) {
    for (const std::int64_t n : {1, 7, 100}) {
      std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
      std::string entries;
      const std::int64_t count = std::min<std::int64_t>(n * n, 3000);
      for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t row = static_cast<std::int64_t>(random() % static_cast<unsigned long>(n));
        std::int64_t col = static_cast<std::int64_t>(random() % static_cast<unsigned long>(n));
        if (symmetric && row < col) std::swap(row, col);
        const auto value = static_cast<std::int64_t>(random() % 8);
        entries += std::to_string(row + 1) + " " + std::to_string(col + 1) + " " + std::to_string(value) + "\n";
        sums[{row, col}] += static_cast<double>(value);
        if (symmetric && row != col) sums[{col, row}] += static_cast<double>(value);
      }
      const std::string sizes = std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(count) + "\n";
      const auto csr = csr_of<std::int32_t, float>(
          matrix_of(symmetric ? "real symmetric" : "real general", sizes + entries), SPK_R_32F);
      ASSERT_EQ(csr.values.size(), sums.size());
      std::size_t k = 0;
      for (const auto& [place, value] : sums) {
        EXPECT_GE(static_cast<std::int64_t>(k), csr.row_offsets[static_cast<std::size_t>(place.first)]);
        EXPECT_LT(static_cast<std::int64_t>(k), csr.row_offsets[static_cast<std::size_t>(place.first) + 1]);
        EXPECT_EQ(csr.col_indices[k], place.second);
        EXPECT_EQ(csr.values[k], static_cast<float>(value));
        ++k;
      }
    }
  }
}

TEST(IoCsr, CountsWithoutMemoryForEveryRow) {
  // Out of order, so that duplicates have to be looked for; 2^40 offsets would be 8 TiB.
  const Matrix matrix = matrix_of("real general",
                                  "1099511627776 1099511627776 5\n1099511627776 3 1\n5 1099511627776 1\n"
                                  "1099511627776 3 1\n1 3 1\n1099511627775 3 1\n");
  std::int64_t nnz = 0;
  ASSERT_EQ(
      spk_io_get_csr(matrix.get(), SPK_INDEX_64I, SPK_INDEX_BASE_ZERO, SPK_R_32F, &nnz, nullptr, nullptr, nullptr),
      SPK_STATUS_SUCCESS);
  EXPECT_EQ(nnz, 4);
}

TEST(IoCsr, RoundsEachValueOnce) {
  // Just above the middle between two 16-bit numbers, by less than a float can see: going by way of a float would
  // fall on the middle and then to even.
  const Matrix matrix = row_of(
      "real", {"1.00048828125", "1.00048828126", "1.00146484375", "1.00146484374", "1.00390625", "1.00390626",
               "1.0039062500000001", "1.00048828125000001", "65519.999", "65520", "-1e10", "5.9604644775390625e-08",
               "2.98023223876953125e-08", "2.9802322387695320e-08", "1e-45", "nan", "-inf", "-0", "0.1"});
  const auto f64 = csr_of<std::int32_t, double>(matrix, SPK_R_64F).values;
  const auto f32 = csr_of<std::int32_t, float>(matrix, SPK_R_32F).values;
  const auto f16 = csr_of<std::int32_t, std::uint16_t>(matrix, SPK_R_16F).values;
  const auto bf16 = csr_of<std::int32_t, std::uint16_t>(matrix, SPK_R_16BF).values;
  const std::vector<std::uint16_t> f16_expected = {0x3c00, 0x3c01, 0x3c02, 0x3c01, 0x3c04, 0x3c04, 0x3c04,
                                                   0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x0001, 0x0000, 0x0001,
                                                   0x0000, 0x7e00, 0xfc00, 0x8000, 0x2e66};
  EXPECT_EQ(f16, f16_expected);
  const std::vector<std::uint16_t> bf16_expected = {0x3f80, 0x3f80, 0x3f80, 0x3f80, 0x3f80, 0x3f81, 0x3f80,
                                                    0x3f80, 0x4780, 0x4780, 0xd015, 0x3380, 0x3300, 0x3300,
                                                    0x0000, 0x7fc0, 0xff80, 0x8000, 0x3dcd};
  EXPECT_EQ(bf16, bf16_expected);
  for (std::size_t i = 0; i < f64.size(); ++i) {
    EXPECT_TRUE(std::isnan(f64[i]) || f32[i] == static_cast<float>(f64[i]));
  }
}

TEST(IoCsr, RoundsLargeIntegersOnce) {
  // 2^60 + 2^36 is the middle of two floats; one more must go up, though a double cannot see the difference.
  // 2^62 + 2^54 is that for bf16.
  const Matrix matrix = row_of("integer", {"1152921573326323712", "1152921573326323713", "-1152921573326323713",
                                           "4629700416936869888", "4629700416936869889", "65519", "65520"});
  const auto f32 = csr_of<std::int32_t, float>(matrix, SPK_R_32F).values;
  const auto bf16 = csr_of<std::int32_t, std::uint16_t>(matrix, SPK_R_16BF).values;
  const auto f16 = csr_of<std::int32_t, std::uint16_t>(matrix, SPK_R_16F).values;
  EXPECT_EQ(f32, (std::vector<float>{0x1p60f, 0x1.000002p60f, -0x1.000002p60f, 0x1.01p62f, 0x1.01p62f, 65519, 65520}));
  EXPECT_EQ(bf16, (std::vector<std::uint16_t>{0x5d80, 0x5d80, 0xdd80, 0x5e80, 0x5e81, 0x4780, 0x4780}));
  EXPECT_EQ(f16, (std::vector<std::uint16_t>{0x7c00, 0x7c00, 0xfc00, 0x7c00, 0x7c00, 0x7bff, 0x7c00}));
}

TEST(IoCsr, GivesRealMatricesToComplexTypes) {
  const std::pair<const char*, std::pair<const char*, double>> cases[] = {
      {"real", {"1.5", 1.5}}, {"integer", {"-3", -3.0}}, {"pattern", {"", 1.0}}};
  for (const auto& [kind, value] : cases) {
    const auto csr = csr_of<std::int32_t, std::complex<double>>(row_of(kind, {value.first}), SPK_C_64F);
    EXPECT_EQ(csr.values, std::vector<std::complex<double>>{value.second});
  }
}

TEST(IoCsr, RefusesToDropTheImaginaryPart) {
  const Matrix matrix = row_of("complex", {"1 0"});
  std::int64_t nnz = -7;
  for (const spk_value_type_t type : {SPK_R_32F, SPK_R_64F, SPK_R_16F, SPK_R_16BF}) {
    EXPECT_EQ(spk_io_get_csr(matrix.get(), SPK_INDEX_32I, 0, type, &nnz, nullptr, nullptr, nullptr),
              SPK_STATUS_INVALID_VALUE);
    EXPECT_STREQ(
        spk_io_last_error(),
        ("spk_io_get_csr: value_type = " + std::to_string(type) + " is real but the matrix is complex").c_str());
  }
  EXPECT_EQ(nnz, -7);
}

TEST(IoCsr, CopiesTheStructureAlone) {
  for (const char* entries : {"2 2 3\n2 2 1\n2 1 2\n1 1 3\n", "2 2 4\n2 2 1\n2 1 2\n1 1 3\n2 2 7\n"}) {
    const Matrix matrix = matrix_of("real general", entries);
    std::int32_t offsets[3] = {};
    std::int32_t cols[3] = {};
    ASSERT_EQ(spk_io_get_csr(matrix.get(), SPK_INDEX_32I, 0, SPK_R_32F, nullptr, offsets, cols, nullptr),
              SPK_STATUS_SUCCESS);
    EXPECT_EQ(std::vector(offsets, offsets + 3), (std::vector<std::int32_t>{0, 1, 3}));
    EXPECT_EQ(std::vector(cols, cols + 3), (std::vector<std::int32_t>{0, 0, 1}));
  }
}

TEST(IoCsr, FillsOffsetsOfMatricesWithoutEntries) {
  const Matrix matrix = matrix_of("real general", "3 4 0\n");
  std::int64_t offsets[] = {9, 9, 9, 9};
  ASSERT_EQ(spk_io_get_csr(matrix.get(), SPK_INDEX_64I, 1, SPK_R_32F, nullptr, offsets, nullptr, nullptr),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(std::vector(offsets, offsets + 4), (std::vector<std::int64_t>{1, 1, 1, 1}));
}
