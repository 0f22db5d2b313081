// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <limits>

#include "ops/convert_fixture.hpp"

// Conversions worked by hand.
namespace {

using namespace spk_test;

class ConvertCase : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(Backends, ConvertCase, kBackends, backend_text);

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

TEST_P(ConvertCase, CooWithFewerEntriesThanRowsToCsr) {
  auto rows = placed<std::int32_t>({1, 3});
  auto cols = placed<std::int32_t>({0, 2});
  auto offsets = placed(std::vector<std::int32_t>(6));
  auto cols_out = placed(std::vector<std::int32_t>(2));
  auto values = placed<float>({8, 9});
  auto values_out = placed(std::vector<float>(2));
  spk_spmat_t a = nullptr, b = nullptr;
  ASSERT_EQ(spk_coo_create(&a, 5, 4, 2, rows.address(), cols.address(), values.address(), SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_csr_create(&b, 5, 4, 2, offsets.address(), cols_out.address(), values_out.address(), SPK_INDEX_32I,
                           SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(offsets.get(), (Ints{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(cols_out.get(), (Ints{0, 2}));
  EXPECT_EQ(values_out.get(), (Floats{8, 9}));
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
}

TEST_P(ConvertCase, EmptyMatrixFromOneHasTheBaseAsItsOnlyOffset) {
  auto offsets = placed<std::int32_t>({1});
  auto offsets_out = placed<std::int32_t>({0});
  spk_spmat_t a = nullptr, b = nullptr;
  ASSERT_EQ(
      spk_csr_create(&a, 0, 0, 0, offsets.address(), nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 1, SPK_R_32F),
      SPK_STATUS_SUCCESS);
  ASSERT_EQ(
      spk_csc_create(&b, 0, 0, 0, offsets_out.address(), nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 1, SPK_R_32F),
      SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_analyze(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(offsets_out.get()[0], 1);
  offsets_out.set(0, 0);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(offsets_out.get()[0], 1);
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
}

TEST_P(ConvertCase, RepeatsAndStoredZerosOfCooToDenseByColumns) {
  auto rows = placed<std::int32_t>({0, 0, 1, 1});
  auto cols = placed<std::int32_t>({1, 1, 0, 1});
  auto values = placed<float>({2, 3, 0, 4});
  auto dense = placed<float>({-9, -9, -9, -9, -9, -9});
  spk_spmat_t a = nullptr;
  spk_dnmat_t b = nullptr;
  ASSERT_EQ(spk_coo_create(&a, 2, 2, 4, rows.address(), cols.address(), values.address(), SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_dnmat_create(&b, 2, 2, 3, dense.address(), SPK_R_32F, SPK_ORDER_COL), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_dense(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(dense.get(), (Floats{0, 0, -9, 5, 4, -9}));
  spk_spmat_destroy(a);
  spk_dnmat_destroy(b);
}

TEST_P(ConvertCase, DenseToCsrInTwoPhasesKeepsNanAndDropsNegativeZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto dense = placed<float>({0, nan, 5, 0, -0.0f, 2});
  auto offsets = placed(std::vector<std::int32_t>(3));
  spk_dnmat_t a = nullptr;
  spk_spmat_t b = nullptr;
  ASSERT_EQ(spk_dnmat_create(&a, 2, 3, 2, dense.address(), SPK_R_32F, SPK_ORDER_COL), SPK_STATUS_SUCCESS);
  ASSERT_EQ(
      spk_csr_create(&b, 2, 3, 0, offsets.address(), nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F),
      SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_dense_to_sparse_analyze(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(offsets.get(), (Ints{0, 1, 3}));
  spk_spmat_info_t info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(spk_spmat_get_info(b, &info), SPK_STATUS_SUCCESS);
  ASSERT_EQ(info.nnz, 3);
  auto cols = placed(std::vector<std::int32_t>(3));
  auto values = placed(std::vector<float>(3));
  ASSERT_EQ(spk_spmat_set_pointers(b, offsets.address(), cols.address(), values.address()), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(cols.get(), (Ints{1, 0, 2}));
  EXPECT_EQ(values.get()[0], 5.f);
  EXPECT_TRUE(std::isnan(values.get()[1]));
  EXPECT_EQ(values.get()[2], 2.f);
  spk_dnmat_destroy(a);
  spk_spmat_destroy(b);
}

// [1 . | 2 .]
// [. 3 | . .]   blocks of 2, values inside a block by columns
// [----+----]
// [. . | . .]
// [. . | 4 5]
TEST_P(ConvertCase, CsrToBsrToBlockedEll) {
  auto offsets = placed<std::int32_t>({0, 2, 3, 3, 5});
  auto cols = placed<std::int32_t>({2, 0, 1, 2, 3});
  auto block_offsets = placed(std::vector<std::int32_t>(3));
  auto block_cols = placed(std::vector<std::int32_t>(3));
  auto slots = placed(std::vector<std::int32_t>(4));
  auto values = placed<float>({2, 1, 3, 4, 5});
  auto blocks = placed(std::vector<float>(12));
  auto ell = placed(std::vector<float>(16));
  spk_spmat_t a = nullptr, b = nullptr, c = nullptr;
  ASSERT_EQ(spk_csr_create(&a, 4, 4, 5, offsets.address(), cols.address(), values.address(), SPK_INDEX_32I,
                           SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_bsr_create(&b, 2, 2, 3, 2, 2, block_offsets.address(), block_cols.address(), blocks.address(),
                           SPK_INDEX_32I, SPK_INDEX_32I, 1, SPK_R_32F, SPK_ORDER_COL),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(block_offsets.get(), (Ints{1, 3, 4}));
  EXPECT_EQ(block_cols.get(), (Ints{1, 2, 2}));
  EXPECT_EQ(blocks.get(), (Floats{1, 0, 0, 3, 2, 0, 0, 0, 0, 4, 0, 5}));
  ASSERT_EQ(spk_blocked_ell_create(&c, 4, 4, 2, 4, slots.address(), ell.address(), SPK_INDEX_32I, 0, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_sparse_convert(handle, b, c, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(slots.get(), (Ints{0, 1, 1, -1}));
  EXPECT_EQ(ell.get(), (Floats{1, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4, 5, 0, 0}));
  spk_spmat_destroy(a);
  spk_spmat_destroy(b);
  spk_spmat_destroy(c);
}

TEST_P(ConvertCase, BlockedEllKeepsTheBlockColumnsItBrings) {
  auto dense = placed<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  auto slots = placed<std::int32_t>({2, -1, 1, 2});  // from 1
  auto ell = placed(std::vector<float>(16));
  spk_dnmat_t a = nullptr;
  spk_spmat_t b = nullptr;
  ASSERT_EQ(spk_dnmat_create(&a, 4, 4, 4, dense.address(), SPK_R_32F, SPK_ORDER_ROW), SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_blocked_ell_create(&b, 4, 4, 2, 4, slots.address(), ell.address(), SPK_INDEX_32I, 1, SPK_R_32F),
            SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(slots.get(), (Ints{2, -1, 1, 2}));
  EXPECT_EQ(ell.get(), (Floats{3, 4, 0, 0, 7, 8, 0, 0, 9, 10, 11, 12, 13, 14, 15, 16}));
  slots.set(3, 1);
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_NE(last_message(handle).find("col_indices[3]"), std::string::npos) << last_message(handle);
  slots.set(3, 3);
  EXPECT_EQ(spk_dense_to_sparse_convert(handle, a, b, nullptr, 0), SPK_STATUS_INVALID_STRUCTURE);
  EXPECT_NE(last_message(handle).find("col_indices[3] = 3"), std::string::npos) << last_message(handle);
  spk_dnmat_destroy(a);
  spk_spmat_destroy(b);
}

// Each sum in a dense matrix is rounded to binary16, where 2048 + 1 is 2048; a lone -0.0 and a signalling NaN stay.
TEST_P(ConvertCase, FirstEntryOfAPlaceIsCopiedAndOthersAreAddedInTheValueType) {
  auto rows = placed<std::int32_t>({0, 0, 0, 0, 0});
  auto cols = placed<std::int32_t>({0, 0, 1, 0, 2});
  auto values = placed<std::uint16_t>({half_bits(2048), half_bits(1), 0x8000, half_bits(1), 0x7d55});
  auto dense = placed(std::vector<std::uint16_t>(5));
  spk_spmat_t a = nullptr;
  spk_dnmat_t b = nullptr;
  ASSERT_EQ(spk_coo_create(&a, 1, 5, 5, rows.address(), cols.address(), values.address(), SPK_INDEX_32I, 0, SPK_R_16F),
            SPK_STATUS_SUCCESS);
  ASSERT_EQ(spk_dnmat_create(&b, 1, 5, 5, dense.address(), SPK_R_16F, SPK_ORDER_ROW), SPK_STATUS_SUCCESS);
  EXPECT_EQ(spk_sparse_to_dense(handle, a, b, nullptr, 0), SPK_STATUS_SUCCESS) << last_message(handle);
  EXPECT_EQ(dense.get(), (std::vector<std::uint16_t>{half_bits(2048), 0x8000, 0x7d55, 0, 0}));
  spk_spmat_destroy(a);
  spk_dnmat_destroy(b);
}

}  // namespace
