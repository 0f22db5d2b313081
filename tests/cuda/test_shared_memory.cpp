// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/problem.hpp"
#include "support/require.hpp"

// Shared memory that a launch asks for adds up with the kernel's own arrays: sizes around the 48 KB that every kernel may have.
namespace spk::test {
namespace {

struct SharedMemory : ::testing::Test {
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }
};

// Row i of `rows` has i % longest + 1 entries, all equal.
void expect_softmax(spk_handle_t handle, std::int64_t rows, int longest) {
  std::vector<std::int32_t> offsets{0}, columns;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int e = 0; e <= i % longest; ++e) columns.push_back(e);
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
  const DeviceArray<float> values(handle, std::vector<float>(columns.size(), 1000));
  spk_spmat_t mat = nullptr;
  SPK_ASSERT_OK(spk_csr_create(&mat, rows, longest, static_cast<std::int64_t>(columns.size()), offsets_there.data(),
                               columns_there.data(), values.data(), SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                               SPK_R_32F));
  SPK_EXPECT_OK(spk_softmax(handle, 1, mat, nullptr, mat, SPK_ALG_DEFAULT, nullptr, 0));
  spk_spmat_destroy(mat);
  const std::vector<float> got = values.read();
  for (std::int64_t i = 0; i < rows; ++i)
    for (auto e = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)]);
         e < static_cast<std::size_t>(offsets[static_cast<std::size_t>(i + 1)]); ++e)
      ASSERT_NEAR(got[e], 1 / static_cast<float>(i % longest + 1), 1e-6f) << rows << " rows of up to " << longest;
}

TEST_F(SharedMemory, SoftmaxTakesRowsOfAnyLengthAndNumber) {
  const DeviceHandle handle;
  for (const std::int64_t rows : {1, 2, 3, 40, 3000})
    for (const int longest : {1, 2, 5, 17, 60, 100, 130, 700, 1000}) expect_softmax(handle, rows, longest);
}

// A has one row, with an entry in every column; op(A) has `size` rows of one entry each, or the other way about.
void expect_product(spk_handle_t handle, std::int64_t size, spk_operation_t op) {
  std::vector<std::int32_t> columns;
  for (std::int64_t j = 0; j < size; ++j) columns.push_back(static_cast<std::int32_t>(j));
  const std::int64_t m = op == SPK_OP_T ? size : 1, k = op == SPK_OP_T ? 1 : size, n = 2;
  const DeviceArray<std::int32_t> offsets_there(handle, {0, static_cast<std::int32_t>(size)});
  const DeviceArray<std::int32_t> columns_there(handle, columns);
  const DeviceArray<float> values(handle, std::vector<float>(columns.size(), 1));
  const DeviceArray<float> b(handle, std::vector<float>(static_cast<std::size_t>(k * n), 3));
  const DeviceArray<float> c(handle, std::vector<float>(static_cast<std::size_t>(m * n), -1));
  spk_spmat_t mat_a = nullptr;
  spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
  SPK_ASSERT_OK(spk_csr_create(&mat_a, 1, size, size, offsets_there.data(), columns_there.data(), values.data(),
                               SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F));
  SPK_EXPECT_OK(spk_dnmat_create(&mat_b, k, n, n, b.data(), SPK_R_32F, SPK_ORDER_ROW));
  SPK_EXPECT_OK(spk_dnmat_create(&mat_c, m, n, n, c.data(), SPK_R_32F, SPK_ORDER_ROW));
  const float alpha = 1, beta = 0;
  SPK_EXPECT_OK(
      spk_spmm(handle, op, SPK_OP_N, &alpha, mat_a, mat_b, &beta, mat_c, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, nullptr, 0));
  spk_spmat_destroy(mat_a);
  spk_dnmat_destroy(mat_b);
  spk_dnmat_destroy(mat_c);
  EXPECT_EQ(c.read(), std::vector<float>(static_cast<std::size_t>(m * n), static_cast<float>(3 * k))) << size;
}

TEST_F(SharedMemory, RowsOfAnyNumberAreMade) {
  const DeviceHandle handle;
  for (std::int64_t size = 1000; size < 2500; size += 13) expect_product(handle, size, SPK_OP_T);
}

TEST_F(SharedMemory, RowsOfAnyLengthAreMultiplied) {
  const DeviceHandle handle;
  for (std::int64_t size = 11500; size < 12400; size += 50) expect_product(handle, size, SPK_OP_N);
}

}  // namespace
}  // namespace spk::test
