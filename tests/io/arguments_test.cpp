// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <thread>

#include "io_matrix.hpp"

using namespace io_test;

namespace {

const std::string kText = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n";

Matrix small() { return std::move(read_text("m.mtx", kText).matrix); }

#define EXPECT_INVALID(call, text)               \
  do {                                           \
    EXPECT_EQ((call), SPK_STATUS_INVALID_VALUE); \
    EXPECT_STREQ(spk_io_last_error(), (text));   \
  } while (false)

}  // namespace

TEST(Arguments, NullsAreNamed) {
  spk_io_matrix_t matrix = nullptr;
  std::int64_t nnz = 0;
  EXPECT_INVALID(spk_io_read(nullptr, "x", nullptr), "spk_io_read: out is NULL");
  EXPECT_INVALID(spk_io_read(&matrix, nullptr, nullptr), "spk_io_read: path is NULL");
  EXPECT_INVALID(spk_io_read_memory(nullptr, "x", "", 0, nullptr), "spk_io_read_memory: out is NULL");
  EXPECT_INVALID(spk_io_read_memory(&matrix, nullptr, "", 0, nullptr), "spk_io_read_memory: name is NULL");
  EXPECT_INVALID(spk_io_read_memory(&matrix, "x", nullptr, 1, nullptr), "spk_io_read_memory: data is NULL");
  EXPECT_EQ(spk_io_read_memory(&matrix, "x", nullptr, 0, nullptr), SPK_STATUS_PARSE_ERROR);
  const Matrix good = small();
  spk_io_info_t info{};
  info.struct_size = sizeof info;
  EXPECT_INVALID(spk_io_get_info(nullptr, &info), "spk_io_get_info: matrix is NULL");
  EXPECT_INVALID(spk_io_get_info(good.get(), nullptr), "spk_io_get_info: info is NULL");
  EXPECT_INVALID(spk_io_get_csr(nullptr, 2, 0, 0, &nnz, nullptr, nullptr, nullptr), "spk_io_get_csr: matrix is NULL");
  EXPECT_INVALID(spk_io_get_csr(good.get(), 2, 0, 0, nullptr, nullptr, nullptr, nullptr),
                 "spk_io_get_csr: nnz is NULL");
  std::int32_t array[3] = {7, 7, 7};
  EXPECT_INVALID(spk_io_get_csr(good.get(), 2, 0, 0, &nnz, array, nullptr, nullptr),
                 "spk_io_get_csr: col_indices is NULL but has 2 elements");
  EXPECT_INVALID(spk_io_get_csr(good.get(), 2, 0, 0, &nnz, nullptr, array, nullptr),
                 "spk_io_get_csr: row_offsets is NULL but has 3 elements");
  EXPECT_EQ(array[0], 7);
  EXPECT_INVALID(spk_io_get_coo(nullptr, 2, 0, 0, array, array, nullptr), "spk_io_get_coo: matrix is NULL");
  EXPECT_INVALID(spk_io_get_coo(good.get(), 2, 0, 0, nullptr, array, nullptr),
                 "spk_io_get_coo: row_indices is NULL but has 2 elements");
  EXPECT_INVALID(spk_io_write_csr(nullptr, 0, 0, 0, array, nullptr, nullptr, 2, 0, 0),
                 "spk_io_write_csr: path is NULL");
  EXPECT_INVALID(spk_io_write_csr("x.mtx", 0, 0, 0, nullptr, nullptr, nullptr, 2, 0, 0),
                 "spk_io_write_csr: row_offsets is NULL but has 1 elements");
  spk_io_matrix_destroy(nullptr);
}

TEST(Arguments, TypesAreChecked) {
  const Matrix good = small();
  std::int64_t nnz = -1;
  EXPECT_INVALID(spk_io_get_csr(good.get(), 1, 0, 0, &nnz, nullptr, nullptr, nullptr),
                 "spk_io_get_csr: index_type = 1 but must be SPK_INDEX_32I (2) or SPK_INDEX_64I (3)");
  EXPECT_INVALID(spk_io_get_csr(good.get(), 2, 2, 0, &nnz, nullptr, nullptr, nullptr),
                 "spk_io_get_csr: index_base = 2 but must be SPK_INDEX_BASE_ZERO (0) or SPK_INDEX_BASE_ONE (1)");
  EXPECT_INVALID(spk_io_get_coo(good.get(), 2, 0, 3, nullptr, nullptr, nullptr),
                 "spk_io_get_coo: value_type = 3 but must be a spk_value_type_t (0, 1, 2, 4, 5 or 14)");
  EXPECT_EQ(nnz, -1);
  std::int32_t offsets[] = {0};
  EXPECT_EQ(spk_io_write_csr("x.mtx", 0, 0, 0, offsets, nullptr, nullptr, 0, 0, 0), SPK_STATUS_INVALID_VALUE);
}

TEST(Arguments, MisalignedArraysAreRefused) {
  const Matrix good = small();
  alignas(8) char bytes[64] = {};
  EXPECT_EQ(spk_io_get_csr(good.get(), SPK_INDEX_32I, 0, SPK_R_32F, nullptr, bytes + 2, bytes, nullptr),
            SPK_STATUS_INVALID_VALUE);
  EXPECT_EQ(spk_io_get_csr(good.get(), SPK_INDEX_32I, 0, SPK_R_64F, nullptr, bytes, bytes + 16, bytes + 36),
            SPK_STATUS_INVALID_VALUE);
  EXPECT_NE(std::string(spk_io_last_error()).find("but must be a multiple of 8 bytes"), std::string::npos);
  EXPECT_EQ(spk_io_get_csr(good.get(), SPK_INDEX_32I, 0, SPK_C_32F, nullptr, bytes + 4, bytes + 20, bytes + 36),
            SPK_STATUS_SUCCESS);
}

TEST(Arguments, OptionsAreChecked) {
  spk_io_matrix_t matrix = nullptr;
  const auto read = [&](const spk_io_options_t& options) {
    return spk_io_read_memory(&matrix, "m.mtx", kText.data(), kText.size(), &options);
  };
  spk_io_options_t options{};
  EXPECT_INVALID(read(options), "spk_io_read_memory: options->struct_size = 0 but must be >= 16");
  options = options_with(-1);
  EXPECT_INVALID(read(options), "spk_io_read_memory: options->threads = -1 but must be in 0..4096");
  options = options_with(0, SPK_INDEX_16U);
  EXPECT_INVALID(read(options),
                 "spk_io_read_memory: options->index_type = 1 but must be 0, SPK_INDEX_32I (2) or "
                 "SPK_INDEX_64I (3)");
  struct Later {
    spk_io_options_t now;
    std::int64_t unknown;
  } later{};
  later.now = options_with();
  later.now.struct_size = sizeof later;
  EXPECT_EQ(read(later.now), SPK_STATUS_SUCCESS);
  spk_io_matrix_destroy(matrix);
  later.unknown = 1;
  EXPECT_EQ(read(later.now), SPK_STATUS_INVALID_VALUE);
  EXPECT_EQ(matrix, nullptr);
}

TEST(Arguments, InfoIsVersionedBySize) {
  const Matrix good = small();
  struct Later {
    spk_io_info_t now;
    std::int64_t unknown;
  } later{};
  later.now.struct_size = sizeof later;
  later.unknown = 42;
  EXPECT_EQ(spk_io_get_info(good.get(), &later.now), SPK_STATUS_SUCCESS);
  EXPECT_EQ(later.now.nnz, 2);
  EXPECT_EQ(later.now.struct_size, sizeof later);
  EXPECT_EQ(later.unknown, 42);
  later.now.struct_size = 8;
  later.now.nnz = -1;
  EXPECT_EQ(spk_io_get_info(good.get(), &later.now), SPK_STATUS_INVALID_VALUE);
  EXPECT_EQ(later.now.nnz, -1);
}

TEST(Arguments, TheLastErrorBelongsToItsThread) {
  EXPECT_EQ(spk_io_get_info(nullptr, nullptr), SPK_STATUS_INVALID_VALUE);
  std::string other = "unset";
  std::thread([&other] { other = spk_io_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(spk_io_last_error(), "spk_io_get_info: matrix is NULL");
}

TEST(Arguments, LongNamesLeaveRoomForTheFault) {
  const Result result =
      read_text(std::string(5000, 'n') + ".mtx", "%%MatrixMarket matrix array real general\n1 1\nx\n");
  EXPECT_EQ(result.status, SPK_STATUS_PARSE_ERROR);
  EXPECT_LT(result.message.size(), 1000U);
  EXPECT_TRUE(result.message.ends_with("nnn.mtx: line 3: the value is \"x\" but must be a decimal number"));
  spk_io_matrix_t matrix = nullptr;
  EXPECT_EQ(spk_io_read(&matrix, std::string(5000, 'n').c_str(), nullptr), SPK_STATUS_IO_ERROR);
  EXPECT_NE(std::string(spk_io_last_error()).find("cannot open"), std::string::npos);
}
