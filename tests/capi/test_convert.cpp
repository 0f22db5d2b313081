// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstdint>
#include <limits>

#include "capi/contract.hpp"

namespace {

using Int = std::int64_t;

// A = [0 1 2; 3 0 0] as CSR, and destinations for each conversion.
class ConvertContract : public ::testing::Test {
 protected:
  void SetUp() override {
    spk_config_t config{};
    config.struct_size = sizeof config;
    config.backend = SPK_BACKEND_CPU;
    ASSERT_OK(spk_create(&handle, &config));
    ASSERT_OK(spk_csr_create(&A, 2, 3, 3, offsets, cols, values, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F));
    ASSERT_OK(spk_dnmat_create(&D, 2, 3, 3, dense, SPK_R_32F, SPK_ORDER_ROW));
    csc = compressed(&spk_csc_create, 2, 3, 3);
    transposed = compressed(&spk_csr_create, 3, 2, 3);
  }
  void TearDown() override {
    for (spk_spmat_t mat : made) spk_spmat_destroy(mat);
    spk_spmat_destroy(A);
    spk_dnmat_destroy(D);
    spk_destroy(handle);
  }

  // A destination over the output arrays.
  template <class Create>
  spk_spmat_t compressed(Create create, Int rows, Int columns, Int nnz, spk_value_type_t type = SPK_R_32F,
                         spk_index_type_t offset_type = SPK_INDEX_32I) {
    spk_spmat_t mat = nullptr;
    EXPECT_EQ(
        create(&mat, rows, columns, nnz, out_offsets, out_indices, out_values, offset_type, SPK_INDEX_32I, 0, type),
        SPK_STATUS_SUCCESS)
        << spk_test::last_error();
    made.push_back(mat);
    return mat;
  }
  void expect_untouched() const {
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(out_offsets[i], -7);
      EXPECT_EQ(out_indices[i], -7);
      EXPECT_EQ(out_values[i], -7.0);
      EXPECT_EQ(dense[i], -7.f);
    }
  }
  spk_status_t convert(spk_const_spmat_t from, spk_spmat_t to) {
    return spk_sparse_to_sparse_convert(handle, from, to, nullptr, 0);
  }

  std::int32_t offsets[3] = {0, 2, 3}, cols[3] = {1, 2, 0};
  float values[3] = {1, 2, 3};
  float dense[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
  alignas(16) std::int32_t out_offsets[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
  alignas(16) std::int32_t out_indices[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
  double out_values[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
  spk_handle_t handle = nullptr;
  spk_spmat_t A = nullptr, csc = nullptr, transposed = nullptr;
  spk_dnmat_t D = nullptr;
  std::vector<spk_spmat_t> made;
};

TEST_F(ConvertContract, RefusesNullAndForeignObjects) {
  auto* const foreign = reinterpret_cast<spk_spmat_t>(D);
  size_t bytes = 77;
  EXPECT_REFUSED(spk_sparse_to_sparse_convert(nullptr, A, csc, nullptr, 0), SPK_STATUS_INVALID_VALUE, "handle is NULL");
  EXPECT_REFUSED(convert(nullptr, csc), SPK_STATUS_INVALID_VALUE, "matA is NULL");
  EXPECT_REFUSED(convert(A, nullptr), SPK_STATUS_INVALID_VALUE, "matB is NULL");
  EXPECT_REFUSED(convert(foreign, csc), SPK_STATUS_INVALID_VALUE, "matA");
  EXPECT_REFUSED(spk_sparse_to_dense(handle, A, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE, "matB is NULL");
  EXPECT_REFUSED(spk_dense_to_sparse_convert(handle, nullptr, csc, nullptr, 0), SPK_STATUS_INVALID_VALUE,
                 "matA is NULL");
  EXPECT_REFUSED(spk_csr_transpose(handle, A, nullptr, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE, "matB is NULL");
  EXPECT_REFUSED(spk_spmat_sort(handle, nullptr, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE, "mat is NULL");
  EXPECT_REFUSED(spk_spmat_coalesce(handle, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE, "mat is NULL");
  EXPECT_REFUSED(spk_sparse_to_sparse_workspace(handle, A, csc, nullptr), SPK_STATUS_INVALID_VALUE,
                 "workspace_bytes is NULL");
  EXPECT_REFUSED(spk_sparse_to_sparse_workspace(handle, A, nullptr, &bytes), SPK_STATUS_INVALID_VALUE, "matB is NULL");
  EXPECT_EQ(bytes, 0u) << "a failed query answers 0";
  expect_untouched();
}

TEST_F(ConvertContract, RefusesSizesAndTypesThatDisagree) {
  EXPECT_REFUSED(convert(A, compressed(&spk_csc_create, 3, 3, 3)), SPK_STATUS_INVALID_VALUE,
                 "rows of matB = 3 but must equal rows of matA = 2");
  EXPECT_REFUSED(convert(A, compressed(&spk_csc_create, 2, 4, 3)), SPK_STATUS_INVALID_VALUE, "columns of matB = 4");
  EXPECT_REFUSED(convert(A, compressed(&spk_csc_create, 2, 3, 3, SPK_R_64F)), SPK_STATUS_INVALID_VALUE,
                 "matB holds f64 but must hold matA's f32");
  EXPECT_REFUSED(convert(A, compressed(&spk_csc_create, 2, 3, 2)), SPK_STATUS_INVALID_VALUE,
                 "nnz = 2 but the conversion gives 3");
  EXPECT_REFUSED(spk_csr_transpose(handle, A, compressed(&spk_csr_create, 2, 3, 3), nullptr, nullptr, 0),
                 SPK_STATUS_INVALID_VALUE, "rows of matB = 2 but must equal columns of matA = 3");
  EXPECT_REFUSED(spk_csr_transpose(handle, A, compressed(&spk_csr_create, 3, 2, 4), nullptr, nullptr, 0),
                 SPK_STATUS_INVALID_VALUE, "nnz of matB = 4");
  EXPECT_REFUSED(spk_csr_transpose(handle, A, csc, nullptr, nullptr, 0), SPK_STATUS_NOT_SUPPORTED, "matB is csc");
  expect_untouched();
}

TEST_F(ConvertContract, RefusesBatchesAndBlockFormatsInPlace) {
  spk_spmat_t batch = nullptr, blocks = nullptr;
  ASSERT_OK(spk_csr_create(&batch, 2, 3, 3, offsets, cols, values, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F));
  made.push_back(batch);
  ASSERT_OK(spk_spmat_set_batch(batch, 2, 0, 0, 0));
  ASSERT_OK(spk_bsr_create(&blocks, 1, 1, 0, 2, 2, out_offsets, out_indices, out_values, SPK_INDEX_32I, SPK_INDEX_32I,
                           0, SPK_R_32F, SPK_ORDER_ROW));
  made.push_back(blocks);
  EXPECT_REFUSED(convert(batch, csc), SPK_STATUS_NOT_SUPPORTED, "matA is a batch of 2");
  EXPECT_REFUSED(spk_spmat_sort(handle, batch, nullptr, nullptr, 0), SPK_STATUS_NOT_SUPPORTED, "mat is a batch of 2");
  EXPECT_REFUSED(spk_spmat_sort(handle, blocks, nullptr, nullptr, 0), SPK_STATUS_NOT_SUPPORTED, "mat is bsr");
  EXPECT_REFUSED(spk_spmat_coalesce(handle, blocks, nullptr, 0), SPK_STATUS_NOT_SUPPORTED, "mat is bsr");
  expect_untouched();
}

TEST_F(ConvertContract, RefusesConstDestinations) {
  spk_const_spmat_t fixed = nullptr;
  ASSERT_OK(spk_csr_create_const(&fixed, 2, 3, 3, out_offsets, out_indices, out_values, SPK_INDEX_32I, SPK_INDEX_32I, 0,
                                 SPK_R_32F));
  auto* const plain = const_cast<spk_spmat_t>(fixed);
  made.push_back(plain);
  EXPECT_REFUSED(convert(A, plain), SPK_STATUS_INVALID_VALUE, "matB is an output");
  EXPECT_REFUSED(spk_spmat_sort(handle, plain, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE, "mat is an output");
  EXPECT_REFUSED(spk_spmat_coalesce(handle, plain, nullptr, 0), SPK_STATUS_INVALID_VALUE, "mat is an output");
  expect_untouched();
}

TEST_F(ConvertContract, RefusesNullAndOverlappingArrays) {
  ASSERT_OK(spk_spmat_set_pointers(csc, out_offsets, nullptr, out_values));
  EXPECT_REFUSED(convert(A, csc), SPK_STATUS_INVALID_VALUE, "matB has NULL row indices");
  ASSERT_OK(spk_spmat_set_pointers(csc, nullptr, out_indices, out_values));
  EXPECT_REFUSED(convert(A, csc), SPK_STATUS_INVALID_VALUE, "matB has NULL offsets");
  EXPECT_REFUSED(spk_sparse_to_sparse_analyze(handle, A, csc, nullptr, 0), SPK_STATUS_INVALID_VALUE,
                 "matB has NULL offsets");
  ASSERT_OK(spk_spmat_set_pointers(csc, out_offsets, cols, out_values));
  EXPECT_REFUSED(convert(A, csc), SPK_STATUS_INVALID_VALUE, "matB's row indices overlap matA's column indices");
  ASSERT_OK(spk_spmat_set_pointers(csc, out_offsets, out_offsets + 3, out_values));
  EXPECT_REFUSED(convert(A, csc), SPK_STATUS_INVALID_VALUE, "matB's row indices overlap matB's offsets");
  ASSERT_OK(spk_spmat_set_values(A, dense + 2));
  EXPECT_REFUSED(spk_sparse_to_dense(handle, A, D, nullptr, 0), SPK_STATUS_INVALID_VALUE, "overlap matA's values");
  ASSERT_OK(spk_spmat_set_values(A, nullptr));
  EXPECT_REFUSED(spk_sparse_to_dense(handle, A, D, nullptr, 0), SPK_STATUS_INVALID_VALUE, "matA has NULL values");
  ASSERT_OK(spk_spmat_set_values(A, values));
  auto* const numbers = reinterpret_cast<std::int64_t*>(out_offsets);
  EXPECT_REFUSED(spk_csr_transpose(handle, A, transposed, numbers, nullptr, 0), SPK_STATUS_INVALID_VALUE,
                 "permutation's numbers overlap matB's offsets");
  auto* const crooked = reinterpret_cast<std::int64_t*>(reinterpret_cast<char*>(out_values) + 4);
  EXPECT_REFUSED(spk_csr_transpose(handle, A, transposed, crooked, nullptr, 0), SPK_STATUS_INVALID_VALUE,
                 "permutation");
  expect_untouched();
}

// What a broken array gives: the message, and nothing written by any conversion.
class BrokenSource : public ConvertContract {
 protected:
  void expect_refused(const char* words) {
    EXPECT_REFUSED(convert(A, csc), SPK_STATUS_INVALID_STRUCTURE, words);
    EXPECT_REFUSED(spk_sparse_to_sparse_analyze(handle, A, csc, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE, words);
    EXPECT_REFUSED(spk_sparse_to_dense(handle, A, D, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE, words);
    EXPECT_REFUSED(spk_csr_transpose(handle, A, transposed, nullptr, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE, words);
    EXPECT_REFUSED(spk_spmat_sort(handle, A, nullptr, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE, words);
    EXPECT_REFUSED(spk_spmat_coalesce(handle, A, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE, words);
    expect_untouched();
  }
};

TEST_F(BrokenSource, FirstOffset) {
  offsets[0] = 1;
  expect_refused("row_offsets[0] = 1");
}

TEST_F(BrokenSource, DecreasingOffset) {
  offsets[1] = 5;
  expect_refused("row_offsets[2] = 3 is below the one before it, 5");
}

TEST_F(BrokenSource, LastOffset) {
  offsets[2] = std::numeric_limits<std::int32_t>::max();
  expect_refused("row_offsets[2] = 2147483647 but must be 3");
}

TEST_F(BrokenSource, IndexAboveTheRange) {
  cols[2] = 3;
  expect_refused("col_indices[2] = 3 is outside [0, 3)");
}

TEST_F(BrokenSource, IndexBelowTheRange) {
  cols[0] = std::numeric_limits<std::int32_t>::min();
  expect_refused("col_indices[0] = -2147483648 is outside [0, 3)");
}

TEST_F(ConvertContract, RefusesBrokenCooAndBlockedEll) {
  std::int32_t rows[] = {0, 2}, slots[] = {0, -2};
  float two[] = {1, 2};
  spk_spmat_t coo = nullptr, ell = nullptr;
  ASSERT_OK(spk_coo_create(&coo, 2, 3, 2, rows, cols, two, SPK_INDEX_32I, 0, SPK_R_32F));
  made.push_back(coo);
  ASSERT_OK(spk_blocked_ell_create(&ell, 2, 3, 1, 1, slots, two, SPK_INDEX_32I, 0, SPK_R_32F));
  made.push_back(ell);
  spk_spmat_t result = compressed(&spk_csr_create, 2, 3, 2);
  EXPECT_REFUSED(convert(coo, result), SPK_STATUS_INVALID_STRUCTURE, "row_indices[1] = 2 is outside [0, 2)");
  EXPECT_REFUSED(convert(ell, result), SPK_STATUS_INVALID_STRUCTURE, "block_col_indices[1] = -2 is outside [0, 3)");
  expect_untouched();
}

TEST_F(ConvertContract, RefusesCountsThatDoNotFitTheDestinationsOffsets) {
  // One slot per block row, all used: 2^16 blocks of 2^8 x 2^8 elements are 2^32 entries. Only indices are read.
  constexpr Int kBlockRows = Int{1} << 16, kEdge = Int{1} << 8;
  const std::vector<std::int32_t> slots(kBlockRows, 0);
  const std::vector<std::int32_t> row_offsets;
  spk_const_spmat_t ell = nullptr;
  auto* const unread = reinterpret_cast<const float*>(4096);
  ASSERT_OK(spk_blocked_ell_create_const(&ell, kBlockRows * kEdge, kEdge, kEdge, kEdge, slots.data(), unread,
                                         SPK_INDEX_32I, 0, SPK_R_32F));
  made.push_back(const_cast<spk_spmat_t>(ell));
  spk_spmat_t result = compressed(&spk_csr_create, kBlockRows * kEdge, kEdge, 0);
  EXPECT_REFUSED(spk_sparse_to_sparse_analyze(handle, ell, result, nullptr, 0), SPK_STATUS_INDEX_OVERFLOW,
                 "4294967296 stored entries with base 0 do not fit offsets of type i32");
  expect_untouched();
}

TEST_F(ConvertContract, TakesOnlyEnoughAlignedWorkspace) {
  size_t bytes = 0;
  ASSERT_OK(spk_sparse_to_sparse_workspace(handle, A, csc, &bytes));
  ASSERT_GT(bytes, 16u);
  std::vector<std::max_align_t> memory(bytes / sizeof(std::max_align_t) + 2);
  auto* const workspace = reinterpret_cast<char*>(memory.data());
  EXPECT_REFUSED(spk_sparse_to_sparse_convert(handle, A, csc, workspace, bytes - 1), SPK_STATUS_WORKSPACE_TOO_SMALL,
                 "workspace_bytes");
  EXPECT_REFUSED(spk_sparse_to_sparse_convert(handle, A, csc, workspace + 8, bytes), SPK_STATUS_INVALID_VALUE,
                 "workspace");
  EXPECT_REFUSED(spk_sparse_to_sparse_convert(handle, A, csc, nullptr, 8), SPK_STATUS_INVALID_VALUE, "workspace");
  expect_untouched();
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, A, csc, workspace, bytes), SPK_STATUS_SUCCESS);
  EXPECT_EQ(out_indices[0], 1);
}

}  // namespace
