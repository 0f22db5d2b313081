// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <limits>

#include "ops/convert_fixture.hpp"

// Conversions worked by hand.
namespace {

using namespace spk_test;

class ConvertCase : public OnBackend {
 protected:
  template <class T, std::size_t kSize>
  static std::vector<T> list(const T (&array)[kSize]) {
    return {array, array + kSize};
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, ConvertCase, kBackends, backend_text);

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

TEST_P(ConvertCase, CooWithFewerEntriesThanRowsToCsr) {
  std::int32_t rows[] = {1, 3}, cols[] = {0, 2}, offsets[6], cols_out[2];
  float values[] = {8, 9}, values_out[2];
  spk_spmat_t a = nullptr, b = nullptr;
  ASSERT_EQ(spk_coo_create(&a, 5, 4, 2, rows, cols, values, SPK_INDEX_32I, 0, SPK_R_32F), SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_csr_create(&b, 5, 4, 2, offsets, cols_out, values_out, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(offsets), (Ints{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(list(cols_out), (Ints{0, 2}));
  EXPECT_EQ(list(values_out), (Floats{8, 9}));
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
}

TEST_P(ConvertCase, EmptyMatrixFromOneHasTheBaseAsItsOnlyOffset) {
  std::int32_t offsets[] = {1}, offsets_out[] = {0};
  spk_spmat_t a = nullptr, b = nullptr;
  ASSERT_EQ(spk_csr_create(&a, 0, 0, 0, offsets, nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 1, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_csc_create(&b, 0, 0, 0, offsets_out, nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 1, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_analyze(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(offsets_out[0], 1);
  offsets_out[0] = 0;
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(offsets_out[0], 1);
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
}

TEST_P(ConvertCase, RepeatsAndStoredZerosOfCooToDenseByColumns) {
  std::int32_t rows[] = {0, 0, 1, 1}, cols[] = {1, 1, 0, 1};
  float values[] = {2, 3, 0, 4}, dense[] = {-9, -9, -9, -9, -9, -9};
  spk_spmat_t a = nullptr;
  spk_dnmat_t b = nullptr;
  ASSERT_EQ(spk_coo_create(&a, 2, 2, 4, rows, cols, values, SPK_INDEX_32I, 0, SPK_R_32F), SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_dnmat_create(&b, 2, 2, 3, dense, SPK_R_32F, SPK_ORDER_COL), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_dense(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(dense), (Floats{0, 0, -9, 5, 4, -9}));
  spk_spmat_destroy(a);
  spk_dnmat_destroy(b);
}

TEST_P(ConvertCase, DenseToCsrInTwoPhasesKeepsNanAndDropsNegativeZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  float dense[] = {0, nan, 5, 0, -0.0f, 2};
  std::int32_t offsets[3];
  spk_dnmat_t a = nullptr;
  spk_spmat_t b = nullptr;
  ASSERT_EQ(spk_dnmat_create(&a, 2, 3, 2, dense, SPK_R_32F, SPK_ORDER_COL), SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_csr_create(&b, 2, 3, 0, offsets, nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_dense_to_sparse_analyze(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(offsets), (Ints{0, 1, 3}));
  spk_spmat_info_t info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(spk_spmat_get_info(b, &info), SPK_STATUS_SUCCESS);
  ASSERT_EQ(info.nnz, 3);
  std::int32_t cols[3];
  float values[3];
  ASSERT_EQ(spk_spmat_set_pointers(b, offsets, cols, values), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(cols), (Ints{1, 0, 2}));
  EXPECT_EQ(values[0], 5.f);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 2.f);
  spk_dnmat_destroy(a);
  spk_spmat_destroy(b);
}

// [1 . | 2 .]
// [. 3 | . .]   blocks of 2, values inside a block by columns
// [----+----]
// [. . | . .]
// [. . | 4 5]
TEST_P(ConvertCase, CsrToBsrToBlockedEll) {
  std::int32_t offsets[] = {0, 2, 3, 3, 5}, cols[] = {2, 0, 1, 2, 3}, block_offsets[3], block_cols[3], slots[4];
  float values[] = {2, 1, 3, 4, 5}, blocks[12], ell[16];
  spk_spmat_t a = nullptr, b = nullptr, c = nullptr;
  ASSERT_EQ(spk_csr_create(&a, 4, 4, 5, offsets, cols, values, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_bsr_create(&b, 2, 2, 3, 2, 2, block_offsets, block_cols, blocks, SPK_INDEX_32I, SPK_INDEX_32I, 1,
                           SPK_R_32F, SPK_ORDER_COL),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(block_offsets), (Ints{1, 3, 4}));
  EXPECT_EQ(list(block_cols), (Ints{1, 2, 2}));
  EXPECT_EQ(list(blocks), (Floats{1, 0, 0, 3, 2, 0, 0, 0, 0, 4, 0, 5}));
  ASSERT_EQ(spk_blocked_ell_create(&c, 4, 4, 2, 4, slots, ell, SPK_INDEX_32I, 0, SPK_R_32F), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, b, c, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(slots), (Ints{0, 1, 1, -1}));
  EXPECT_EQ(list(ell), (Floats{1, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4, 5, 0, 0}));
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
  spk_spmat_destroy(c);
}

TEST_P(ConvertCase, BlockedEllKeepsTheBlockColumnsItBrings) {
  float dense[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  std::int32_t slots[] = {2, -1, 1, 2};  // from 1
  float ell[16];
  spk_dnmat_t a = nullptr;
  spk_spmat_t b = nullptr;
  ASSERT_EQ(spk_dnmat_create(&a, 4, 4, 4, dense, SPK_R_32F, SPK_ORDER_ROW), SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_blocked_ell_create(&b, 4, 4, 2, 4, slots, ell, SPK_INDEX_32I, 1, SPK_R_32F), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(slots), (Ints{2, -1, 1, 2}));
  EXPECT_EQ(list(ell), (Floats{3, 4, 0, 0, 7, 8, 0, 0, 9, 10, 11, 12, 13, 14, 15, 16}));
  slots[3] = 1;
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_NE(last_message(handle).find("col_indices[3]"), std::string::npos) << last_message(handle);
  slots[3] = 3;
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_NE(last_message(handle).find("col_indices[3] = 3"), std::string::npos) << last_message(handle);
  spk_dnmat_destroy(a);
  spk_spmat_destroy(b);
}

// Each sum in a dense matrix is rounded to binary16, where 2048 + 1 is 2048; a lone -0.0 and a signalling NaN stay.
TEST_P(ConvertCase, FirstEntryOfAPlaceIsCopiedAndOthersAreAddedInTheValueType) {
  std::int32_t rows[] = {0, 0, 0, 0, 0}, cols[] = {0, 0, 1, 0, 2};
  std::uint16_t values[] = {half_bits(2048), half_bits(1), 0x8000, half_bits(1), 0x7d55}, dense[5] = {};
  spk_spmat_t a = nullptr;
  spk_dnmat_t b = nullptr;
  ASSERT_EQ(spk_coo_create(&a, 1, 5, 5, rows, cols, values, SPK_INDEX_32I, 0, SPK_R_16F), SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_dnmat_create(&b, 1, 5, 5, dense, SPK_R_16F, SPK_ORDER_ROW), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_dense(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(list(dense), (std::vector<std::uint16_t>{half_bits(2048), 0x8000, 0x7d55, 0, 0}));
  spk_spmat_destroy(a);
  spk_dnmat_destroy(b);
}

}  // namespace
