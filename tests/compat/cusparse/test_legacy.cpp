// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include "products.hpp"

namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<int> ints_in(const DeviceMemory& memory) {
  const std::vector<char> bytes = memory.bytes();
  std::vector<int> numbers(bytes.size() / sizeof(int));
  std::copy_n(reinterpret_cast<const int*>(bytes.data()), numbers.size(), numbers.begin());
  return numbers;
}
int* ints(const DeviceMemory& memory) { return static_cast<int*>(memory.data()); }

class CusparseLegacy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (handle_.status() == CUSPARSE_STATUS_NOT_INITIALIZED) GTEST_SKIP() << "SKIPPED: no device";
    ASSERT_EQ(handle_.status(), kSuccess);
    ASSERT_EQ(cusparseCreateIdentityPermutation(handle_, 5, ints(permutation_)), kSuccess);
  }
  Handle handle_;
  DeviceMemory permutation_ = upload(Numbers(5, -1), CUSPARSE_INDEX_32I);
};

TEST_F(CusparseLegacy, CooToCsrCountsRows) {
  for (const auto base : {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE}) {
    const DeviceMemory rows = upload(Numbers{0 + base, 0 + base, 2 + base, 2 + base, 2 + base}, CUSPARSE_INDEX_32I);
    const DeviceMemory offsets = upload(Numbers(5, -1), CUSPARSE_INDEX_32I);
    ASSERT_EQ(cusparseXcoo2csr(handle_, ints(rows), 5, 4, ints(offsets), base), kSuccess) << spk_cusparseLastError();
    EXPECT_EQ(ints_in(offsets), (std::vector<int>{base, 2 + base, 2 + base, 5 + base, 5 + base}));
  }
}

TEST_F(CusparseLegacy, CooToCsrOfOneLongRow) {
  const DeviceMemory rows = upload(Numbers(5, 0), CUSPARSE_INDEX_32I);
  const DeviceMemory offsets = upload(Numbers(2, -1), CUSPARSE_INDEX_32I);
  ASSERT_EQ(cusparseXcoo2csr(handle_, ints(rows), 5, 1, ints(offsets), CUSPARSE_INDEX_BASE_ZERO), kSuccess);
  EXPECT_EQ(ints_in(offsets), (std::vector<int>{0, 5}));
}

TEST_F(CusparseLegacy, CooSortsBothWays) {
  const Numbers rows = {2, 0, 2, 1, 0}, cols = {1, 3, 0, 1, 0};
  for (const bool by_row : {true, false}) {
    const DeviceMemory r = upload(rows, CUSPARSE_INDEX_32I), c = upload(cols, CUSPARSE_INDEX_32I);
    ASSERT_EQ(cusparseCreateIdentityPermutation(handle_, 5, ints(permutation_)), kSuccess);
    std::size_t bytes = ~std::size_t{0};
    ASSERT_EQ(cusparseXcoosort_bufferSizeExt(handle_, 3, 4, 5, ints(r), ints(c), &bytes), kSuccess);
    const DeviceMemory buffer = scratch(bytes);
    const auto sort = by_row ? cusparseXcoosortByRow : cusparseXcoosortByColumn;
    ASSERT_EQ(sort(handle_, 3, 4, 5, ints(r), ints(c), ints(permutation_), buffer.data()), kSuccess);
    EXPECT_EQ(ints_in(r), by_row ? (std::vector<int>{0, 0, 1, 2, 2}) : (std::vector<int>{0, 2, 1, 2, 0}));
    EXPECT_EQ(ints_in(c), by_row ? (std::vector<int>{0, 3, 1, 0, 1}) : (std::vector<int>{0, 0, 1, 1, 3}));
    EXPECT_EQ(ints_in(permutation_), by_row ? (std::vector<int>{4, 1, 3, 2, 0}) : (std::vector<int>{4, 2, 3, 0, 1}));
  }
}

TEST_F(CusparseLegacy, CompressedSortsInsideItsLines) {
  cusparseMatDescr_t descriptor = nullptr;
  ASSERT_EQ(cusparseCreateMatDescr(&descriptor), kSuccess);
  ASSERT_EQ(cusparseSetMatIndexBase(descriptor, CUSPARSE_INDEX_BASE_ONE), kSuccess);
  const DeviceMemory offsets = upload(Numbers{1, 4, 4, 6}, CUSPARSE_INDEX_32I);
  for (const bool is_csr : {true, false}) {
    const DeviceMemory indices = upload(Numbers{4, 1, 2, 3, 1}, CUSPARSE_INDEX_32I);
    ASSERT_EQ(cusparseCreateIdentityPermutation(handle_, 5, ints(permutation_)), kSuccess);
    const int m = is_csr ? 3 : 4, n = is_csr ? 4 : 3;
    std::size_t bytes = ~std::size_t{0};
    const auto ask = is_csr ? cusparseXcsrsort_bufferSizeExt : cusparseXcscsort_bufferSizeExt;
    ASSERT_EQ(ask(handle_, m, n, 5, ints(offsets), ints(indices), &bytes), kSuccess);
    const DeviceMemory buffer = scratch(bytes);
    const auto sort = is_csr ? cusparseXcsrsort : cusparseXcscsort;
    ASSERT_EQ(sort(handle_, m, n, 5, descriptor, ints(offsets), ints(indices), ints(permutation_), buffer.data()),
              kSuccess)
        << spk_cusparseLastError();
    EXPECT_EQ(ints_in(indices), (std::vector<int>{1, 2, 4, 1, 3}));
    EXPECT_EQ(ints_in(permutation_), (std::vector<int>{1, 2, 0, 4, 3}));
  }
  EXPECT_EQ(cusparseDestroyMatDescr(descriptor), kSuccess);
}

TEST(CusparseMatDescr, KeepsItsFields) {
  cusparseMatDescr_t d = nullptr;
  ASSERT_EQ(cusparseCreateMatDescr(&d), kSuccess);
  EXPECT_EQ(cusparseGetMatType(d), CUSPARSE_MATRIX_TYPE_GENERAL);
  EXPECT_EQ(cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_TRIANGULAR), kSuccess);
  EXPECT_EQ(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_UPPER), kSuccess);
  EXPECT_EQ(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_UNIT), kSuccess);
  EXPECT_EQ(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE), kSuccess);
  EXPECT_EQ(cusparseSetMatIndexBase(d, static_cast<cusparseIndexBase_t>(2)), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusparseGetMatType(d), CUSPARSE_MATRIX_TYPE_TRIANGULAR);
  EXPECT_EQ(cusparseGetMatFillMode(d), CUSPARSE_FILL_MODE_UPPER);
  EXPECT_EQ(cusparseGetMatDiagType(d), CUSPARSE_DIAG_TYPE_UNIT);
  EXPECT_EQ(cusparseGetMatIndexBase(d), CUSPARSE_INDEX_BASE_ONE);
  EXPECT_EQ(cusparseDestroyMatDescr(d), kSuccess);
  EXPECT_EQ(cusparseDestroyMatDescr(nullptr), kSuccess);
  EXPECT_EQ(cusparseSetMatType(nullptr, CUSPARSE_MATRIX_TYPE_GENERAL), CUSPARSE_STATUS_INVALID_VALUE);
}

}  // namespace
