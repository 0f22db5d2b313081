// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstdint>

#include "capi/contract.hpp"

namespace {

std::int32_t i32[64];
std::int64_t i64[64];
double values[64];

// CSR of 4 x 5 with 6 entries unless changed.
struct Csr {
  std::int64_t rows = 4, cols = 5, nnz = 6;
  void *offsets = i32, *indices = i32, *data = values;
  std::int32_t offset_type = SPK_INDEX_32I, index_type = SPK_INDEX_32I, base = 0, type = SPK_R_64F;
  spk_status_t create() const {
    auto* out = reinterpret_cast<spk_spmat_t>(16);
    const spk_status_t status =
        spk_csr_create(&out, rows, cols, nnz, offsets, indices, data, offset_type, index_type, base, type);
    if (status != SPK_STATUS_SUCCESS)
      EXPECT_EQ(out, nullptr) << "a descriptor that was not created is NULL";
    else
      spk_spmat_destroy(out);
    return status;
  }
  template <class Change>
  static spk_status_t with(Change&& change) {
    Csr csr;
    change(csr);
    return csr.create();
  }
};

TEST(CsrCreate, NamesTheWrongArgument) {
  EXPECT_EQ(Csr{}.create(), SPK_STATUS_SUCCESS);
  EXPECT_REFUSED(spk_csr_create(nullptr, 1, 1, 0, i32, i32, values, 2, 2, 0, 1), SPK_STATUS_INVALID_VALUE, "out");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.rows = -1; }), SPK_STATUS_INVALID_VALUE, "rows = -1");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.cols = -3; }), SPK_STATUS_INVALID_VALUE, "cols = -3");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.nnz = -1; }), SPK_STATUS_INVALID_VALUE, "nnz = -1");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.nnz = 21; }), SPK_STATUS_INVALID_VALUE, "nnz = 21");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.base = 7; }), SPK_STATUS_INVALID_VALUE, "index_base = 7");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.type = 3; }), SPK_STATUS_INVALID_VALUE, "value_type = 3");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.offset_type = 0; }), SPK_STATUS_INVALID_VALUE, "offset_type = 0");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.index_type = 9; }), SPK_STATUS_INVALID_VALUE, "index_type = 9");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.index_type = SPK_INDEX_16U; }), SPK_STATUS_NOT_SUPPORTED, "index_type");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.offsets = reinterpret_cast<char*>(i32) + 1; }), SPK_STATUS_INVALID_VALUE,
                 "row_offsets");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.indices = reinterpret_cast<char*>(i32) + 2; }), SPK_STATUS_INVALID_VALUE,
                 "col_indices");
  EXPECT_REFUSED(Csr::with([](Csr& c) { c.data = reinterpret_cast<char*>(values) + 4; }), SPK_STATUS_INVALID_VALUE,
                 "values");
}

TEST(CsrCreate, RefusesWhatDoesNotFitItsIndexTypeAndReadsNothing) {
  auto* nowhere = reinterpret_cast<void*>(4096);
  constexpr std::int64_t k2p31 = std::int64_t{1} << 31;
  const auto refused = [&](std::int64_t rows, std::int64_t cols, std::int64_t nnz, std::int32_t offsets,
                           std::int32_t indices, std::int32_t base) {
    Csr csr;
    csr.rows = rows;
    csr.cols = cols;
    csr.nnz = nnz;
    csr.offsets = csr.indices = csr.data = nowhere;
    csr.offset_type = offsets;
    csr.index_type = indices;
    csr.base = base;
    return csr.create();
  };
  EXPECT_REFUSED(refused(1, k2p31, k2p31, SPK_INDEX_32I, SPK_INDEX_64I, 0), SPK_STATUS_INDEX_OVERFLOW, "nnz");
  EXPECT_REFUSED(refused(k2p31, 1, 0, SPK_INDEX_32I, SPK_INDEX_32I, 0), SPK_STATUS_INDEX_OVERFLOW, "rows");
  EXPECT_REFUSED(refused(1, k2p31 - 1, 0, SPK_INDEX_32I, SPK_INDEX_32I, 1), SPK_STATUS_INDEX_OVERFLOW, "cols");
  EXPECT_EQ(refused(1, k2p31 - 1, 0, SPK_INDEX_32I, SPK_INDEX_32I, 0), SPK_STATUS_SUCCESS);
  EXPECT_REFUSED(refused(INT64_MAX, 4, 0, SPK_INDEX_64I, SPK_INDEX_64I, 0), SPK_STATUS_INDEX_OVERFLOW, "row_offsets");
  EXPECT_REFUSED(refused(INT64_MAX / 4, INT64_MAX / 4, INT64_MAX / 2, SPK_INDEX_64I, SPK_INDEX_64I, 0),
                 SPK_STATUS_INDEX_OVERFLOW, "row_offsets");
}

TEST(CsrCreate, TakesNullArraysAndEmptySizes) {
  EXPECT_EQ(Csr::with([](Csr& c) { c.offsets = c.indices = c.data = nullptr; }), SPK_STATUS_SUCCESS);
  EXPECT_EQ(Csr::with([](Csr& c) { c.rows = c.nnz = 0; }), SPK_STATUS_SUCCESS);
  EXPECT_EQ(Csr::with([](Csr& c) { c.cols = c.nnz = 0; }), SPK_STATUS_SUCCESS);
  EXPECT_EQ(Csr::with([](Csr& c) { c.offset_type = SPK_INDEX_64I, c.offsets = i64; }), SPK_STATUS_SUCCESS);
}

TEST(OtherFormats, NameTheWrongArgument) {
  spk_spmat_t m = nullptr;
  EXPECT_REFUSED(spk_bsr_create(&m, 2, 2, 1, 2, 3, i32, i32, values, 2, 2, 0, 1, 2), SPK_STATUS_INVALID_VALUE,
                 "square");
  EXPECT_REFUSED(spk_bsr_create(&m, 2, 2, 1, 0, 0, i32, i32, values, 2, 2, 0, 1, 2), SPK_STATUS_INVALID_VALUE,
                 "row_block = 0");
  EXPECT_REFUSED(spk_bsr_create(&m, 2, 2, 5, 2, 2, i32, i32, values, 2, 2, 0, 1, 2), SPK_STATUS_INVALID_VALUE,
                 "nnzb = 5");
  EXPECT_REFUSED(spk_bsr_create(&m, 2, 2, 1, 2, 2, i32, i32, values, 2, 2, 0, 1, 0), SPK_STATUS_INVALID_VALUE,
                 "block_order = 0");
  EXPECT_REFUSED(spk_bsr_create(&m, INT64_MAX / 2, 2, 1, 4, 4, i64, i64, values, 3, 3, 0, 1, 1),
                 SPK_STATUS_INDEX_OVERFLOW, "rows");
  EXPECT_REFUSED(spk_blocked_ell_create(&m, 5, 4, 2, 2, i32, values, 2, 0, 1), SPK_STATUS_INVALID_VALUE, "rows = 5");
  EXPECT_REFUSED(spk_blocked_ell_create(&m, 4, 4, 2, 3, i32, values, 2, 0, 1), SPK_STATUS_INVALID_VALUE,
                 "ell_cols = 3");
  EXPECT_REFUSED(spk_blocked_ell_create(&m, 4, 4, 2, 6, i32, values, 2, 0, 1), SPK_STATUS_INVALID_VALUE,
                 "ell_cols = 6");
  EXPECT_REFUSED(spk_blocked_ell_create(&m, 4, 4, 0, 4, i32, values, 2, 0, 1), SPK_STATUS_INVALID_VALUE,
                 "block_size = 0");
  EXPECT_REFUSED(spk_coo_create(&m, 2, 2, 5, i32, i32, values, 2, 0, 1), SPK_STATUS_INVALID_VALUE, "nnz = 5");
  EXPECT_REFUSED(spk_csc_create(&m, 2, 2, 1, reinterpret_cast<char*>(i32) + 1, i32, values, 2, 2, 0, 1),
                 SPK_STATUS_INVALID_VALUE, "col_offsets");
  EXPECT_EQ(m, nullptr);
}

TEST(SpMatInfo, TellsEverythingThatWasGiven) {
  spk_spmat_t m = nullptr;
  ASSERT_OK(
      spk_bsr_create(&m, 3, 4, 5, 2, 2, i64, i32, values, SPK_INDEX_64I, SPK_INDEX_32I, 1, SPK_C_32F, SPK_ORDER_COL));
  ASSERT_OK(spk_spmat_set_batch(m, 2, 0, 5, 20));
  spk_spmat_info_t info{};
  EXPECT_REFUSED(spk_spmat_get_info(m, &info), SPK_STATUS_INVALID_VALUE, "struct_size");
  info.struct_size = sizeof info;
  ASSERT_OK(spk_spmat_get_info(m, &info));
  EXPECT_EQ(info.format, SPK_FORMAT_BSR);
  EXPECT_EQ(info.rows, 6);
  EXPECT_EQ(info.cols, 8);
  EXPECT_EQ(info.nnz, 20);
  EXPECT_EQ(info.nnzb, 5);
  EXPECT_EQ(info.block_size, 2);
  EXPECT_EQ(info.block_order, SPK_ORDER_COL);
  EXPECT_EQ(info.offset_type, SPK_INDEX_64I);
  EXPECT_EQ(info.index_type, SPK_INDEX_32I);
  EXPECT_EQ(info.index_base, 1);
  EXPECT_EQ(info.value_type, SPK_C_32F);
  EXPECT_EQ(info.batch_count, 2);
  EXPECT_EQ(info.offsets_stride, 0);
  EXPECT_EQ(info.indices_stride, 5);
  EXPECT_EQ(info.values_stride, 20);
  EXPECT_EQ(info.offsets, i64);
  EXPECT_EQ(info.col_indices, i32);
  EXPECT_EQ(info.values, values);
  EXPECT_REFUSED(spk_spmat_set_batch(m, 0, 0, 0, 0), SPK_STATUS_INVALID_VALUE, "count = 0");
  EXPECT_REFUSED(spk_spmat_set_batch(m, 2, 3, 0, 0), SPK_STATUS_INVALID_VALUE, "offsets_stride = 3");
  EXPECT_REFUSED(spk_spmat_set_batch(m, 2, 0, 4, 0), SPK_STATUS_INVALID_VALUE, "indices_stride = 4");
  EXPECT_REFUSED(spk_spmat_set_batch(m, 2, 0, 0, -20), SPK_STATUS_INVALID_VALUE, "values_stride = -20");
  spk_spmat_destroy(m);
}

TEST(SpMatPointers, ReplaceAndRefuse) {
  spk_spmat_t m = nullptr;
  spk_const_spmat_t fixed = nullptr;
  ASSERT_OK(spk_coo_create(&m, 4, 4, 3, i32, i32, values, SPK_INDEX_32I, 0, SPK_R_64F));
  ASSERT_OK(spk_spmat_set_pointers(m, i32 + 1, i32 + 2, values + 3));
  spk_spmat_info_t info{};
  info.struct_size = sizeof info;
  ASSERT_OK(spk_spmat_get_info(m, &info));
  EXPECT_EQ(info.row_indices, i32 + 1);
  EXPECT_EQ(info.col_indices, i32 + 2);
  const void* got = nullptr;
  ASSERT_OK(spk_spmat_get_values(m, &got));
  EXPECT_EQ(got, values + 3);
  EXPECT_REFUSED(spk_spmat_set_values(m, reinterpret_cast<char*>(values) + 1), SPK_STATUS_INVALID_VALUE, "values");
  spk_spmat_destroy(m);

  ASSERT_OK(spk_csr_create_const(&fixed, 4, 4, 3, i32, i32, values, 2, 2, 0, SPK_R_64F));
  EXPECT_REFUSED(spk_spmat_set_values(const_cast<spk_spmat_t>(fixed), values), SPK_STATUS_INVALID_VALUE, "only read");
  spk_spmat_destroy(fixed);
  spk_spmat_destroy(nullptr);
}

TEST(DnMatCreate, NamesTheWrongArgument) {
  spk_dnmat_t m = nullptr;
  EXPECT_REFUSED(spk_dnmat_create(nullptr, 1, 1, 1, values, 1, 2), SPK_STATUS_INVALID_VALUE, "out");
  EXPECT_REFUSED(spk_dnmat_create(&m, 2, -3, 2, values, 1, 1), SPK_STATUS_INVALID_VALUE, "cols = -3");
  EXPECT_REFUSED(spk_dnmat_create(&m, -2, 3, 2, values, 1, 1), SPK_STATUS_INVALID_VALUE, "rows = -2");
  EXPECT_REFUSED(spk_dnmat_create(&m, 4, 3, 3, values, 1, SPK_ORDER_COL), SPK_STATUS_INVALID_VALUE, "ld = 3");
  EXPECT_REFUSED(spk_dnmat_create(&m, 4, 3, 2, values, 1, SPK_ORDER_ROW), SPK_STATUS_INVALID_VALUE, "ld = 2");
  EXPECT_REFUSED(spk_dnmat_create(&m, 0, 0, 0, values, 1, SPK_ORDER_ROW), SPK_STATUS_INVALID_VALUE, "ld = 0");
  EXPECT_REFUSED(spk_dnmat_create(&m, 4, 3, 4, values, 7, SPK_ORDER_COL), SPK_STATUS_INVALID_VALUE, "value_type = 7");
  EXPECT_REFUSED(spk_dnmat_create(&m, 4, 3, 4, values, 1, 0), SPK_STATUS_INVALID_VALUE, "order = 0");
  EXPECT_REFUSED(spk_dnmat_create(&m, 4, 3, 4, reinterpret_cast<char*>(values) + 2, 1, 1), SPK_STATUS_INVALID_VALUE,
                 "values");
  EXPECT_REFUSED(spk_dnmat_create(&m, INT64_MAX / 2, 1, INT64_MAX / 2, nullptr, 1, 1), SPK_STATUS_INDEX_OVERFLOW,
                 "the matrix");
  EXPECT_EQ(m, nullptr);
  // A complex element is aligned like its real part.
  ASSERT_OK(spk_dnmat_create(&m, 1, 1, 1, reinterpret_cast<char*>(values) + 4, SPK_C_32F, SPK_ORDER_ROW));
  spk_dnmat_destroy(m);
}

TEST(DnMat, KeepsBatchesAndValues) {
  spk_dnmat_t m = nullptr;
  ASSERT_OK(spk_dnmat_create(&m, 3, 2, 4, values, SPK_R_64F, SPK_ORDER_COL));
  EXPECT_REFUSED(spk_dnmat_set_batch(m, 0, 0), SPK_STATUS_INVALID_VALUE, "count = 0");
  EXPECT_REFUSED(spk_dnmat_set_batch(m, 2, 6), SPK_STATUS_INVALID_VALUE, "stride = 6");
  EXPECT_REFUSED(spk_dnmat_set_batch(m, 2, -1), SPK_STATUS_INVALID_VALUE, "stride = -1");
  EXPECT_REFUSED(spk_dnmat_set_batch(m, INT64_MAX / 4, 1000), SPK_STATUS_INDEX_OVERFLOW, "stride");
  ASSERT_OK(spk_dnmat_set_batch(m, 3, 7));
  std::int64_t count = 0, stride = 0, rows = 0, cols = 0, ld = 0;
  ASSERT_OK(spk_dnmat_get_batch(m, &count, &stride));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(stride, 7);
  const void* data = nullptr;
  std::int32_t type = -1, order = -1;
  ASSERT_OK(spk_dnmat_set_values(m, values + 1));
  ASSERT_OK(spk_dnmat_get(m, &rows, &cols, &ld, &data, &type, &order));
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(cols, 2);
  EXPECT_EQ(ld, 4);
  EXPECT_EQ(data, values + 1);
  EXPECT_EQ(type, SPK_R_64F);
  EXPECT_EQ(order, SPK_ORDER_COL);
  ASSERT_OK(spk_dnmat_get(m, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  spk_dnmat_destroy(m);
  spk_dnmat_destroy(nullptr);
}

TEST(DnVec, KeepsWhatIsGiven) {
  spk_dnvec_t v = nullptr;
  EXPECT_REFUSED(spk_dnvec_create(&v, -1, values, 1), SPK_STATUS_INVALID_VALUE, "size = -1");
  ASSERT_OK(spk_dnvec_create(&v, 0, nullptr, SPK_R_32F));
  spk_dnvec_destroy(v);
  ASSERT_OK(spk_dnvec_create(&v, 5, values, SPK_R_64F));
  std::int64_t size = 0;
  const void* data = nullptr;
  std::int32_t type = 0;
  ASSERT_OK(spk_dnvec_set_values(v, values + 2));
  ASSERT_OK(spk_dnvec_get(v, &size, &data, &type));
  EXPECT_EQ(size, 5);
  EXPECT_EQ(data, values + 2);
  EXPECT_EQ(type, SPK_R_64F);
  spk_dnvec_destroy(v);
  spk_dnvec_destroy(nullptr);
}

class SliceRows : public spk_test::SmallProblem {};

TEST_F(SliceRows, RefusesRowsOutsideAndOtherFormats) {
  spk_const_spmat_t slice = nullptr;
  EXPECT_REFUSED(spk_spmat_slice_rows(handle, A, 1, 2, &slice), SPK_STATUS_INVALID_VALUE, "row_count = 2");
  EXPECT_REFUSED(spk_spmat_slice_rows(handle, A, -1, 1, &slice), SPK_STATUS_INVALID_VALUE, "first_row = -1");
  EXPECT_REFUSED(spk_spmat_slice_rows(handle, A, 0, INT64_MAX, &slice), SPK_STATUS_INVALID_VALUE, "row_count");
  spk_spmat_t coo = nullptr;
  ASSERT_OK(spk_coo_create(&coo, 2, 2, 1, i32, i32, values, SPK_INDEX_32I, 0, SPK_R_64F));
  EXPECT_REFUSED(spk_spmat_slice_rows(handle, coo, 0, 1, &slice), SPK_STATUS_NOT_SUPPORTED, "coo");
  spk_spmat_destroy(coo);
  EXPECT_EQ(slice, nullptr);
  ASSERT_OK(spk_spmat_slice_rows(handle, A, 1, 1, &slice));
  spk_spmat_info_t info{};
  info.struct_size = sizeof info;
  ASSERT_OK(spk_spmat_get_info(slice, &info));
  EXPECT_EQ(info.rows, 1);
  EXPECT_EQ(info.nnz, 1);
  EXPECT_EQ(info.offsets, offsets + 1);
  spk_spmat_destroy(slice);
  offsets[1] = 9;
  EXPECT_REFUSED(spk_spmat_slice_rows(handle, A, 1, 1, &slice), SPK_STATUS_INVALID_STRUCTURE, "offsets");
}

}  // namespace
