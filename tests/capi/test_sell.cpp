// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <iterator>
#include <limits>

#include "capi/contract.hpp"

// Sliced ELLPACK: its descriptor, its faults, what is computed with it and what is refused.
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// 5 x 4 in slices of two rows, the last one half empty:
//   1 . 2 3 | . 4 . .     5 . . . | . 6 . 7     . . . 8 | -
std::int32_t slice_offsets[4] = {0, 6, 10, 12};
std::int32_t slots[12] = {0, 1, 2, -1, 3, -1, 0, 1, -1, 3, 3, 2};
float values[12] = {1, 4, 2, kNan, 3, kNan, 5, 6, kNan, 7, 8, kNan};

struct Create {
  std::int64_t rows = 5, cols = 4, nnz = 8, values_size = 12, slice_size = 2;
  void *offset_array = slice_offsets, *index_array = slots, *value_array = values;
  std::int32_t offset_type = SPK_INDEX_32I, index_type = SPK_INDEX_32I, base = 0, type = SPK_R_32F;
  spk_status_t create(spk_spmat_t* out) const {
    return spk_sell_create(out, rows, cols, nnz, values_size, slice_size, offset_array, index_array, value_array,
                           offset_type, index_type, base, type);
  }
  template <class Change>
  static spk_status_t with(Change&& change) {
    Create c;
    change(c);
    auto* out = reinterpret_cast<spk_spmat_t>(16);
    const spk_status_t status = c.create(&out);
    if (status != SPK_STATUS_SUCCESS)
      EXPECT_EQ(out, nullptr) << "a descriptor that was not created is NULL";
    else
      spk_spmat_destroy(out);
    return status;
  }
};

TEST(SellCreate, NamesTheWrongArgument) {
  constexpr spk_status_t kInvalid = SPK_STATUS_INVALID_VALUE;
  constexpr std::int64_t k2p31 = std::int64_t{1} << 31;
  EXPECT_EQ(Create::with([](Create&) {}), SPK_STATUS_SUCCESS);
  EXPECT_REFUSED(Create{}.create(nullptr), kInvalid, "out is NULL");
  EXPECT_REFUSED(Create::with([](Create& c) { c.rows = -1; }), kInvalid, "rows = -1");
  EXPECT_REFUSED(Create::with([](Create& c) { c.cols = -1; }), kInvalid, "cols = -1");
  EXPECT_REFUSED(Create::with([](Create& c) { c.nnz = -1; }), kInvalid, "nnz = -1");
  EXPECT_REFUSED(Create::with([](Create& c) { c.nnz = 21; }), kInvalid, "nnz = 21");
  EXPECT_REFUSED(Create::with([](Create& c) { c.slice_size = 0; }), kInvalid, "slice_size = 0");
  EXPECT_REFUSED(Create::with([](Create& c) { c.values_size = 7; }), kInvalid, "values_size = 7");
  EXPECT_REFUSED(Create::with([](Create& c) { c.base = 3; }), kInvalid, "index_base = 3");
  EXPECT_REFUSED(Create::with([](Create& c) { c.type = 3; }), kInvalid, "value_type = 3");
  EXPECT_REFUSED(Create::with([](Create& c) { c.offset_type = SPK_INDEX_16U; }), SPK_STATUS_NOT_SUPPORTED,
                 "offset_type");
  EXPECT_REFUSED(Create::with([](Create& c) { c.values_size = k2p31; }), SPK_STATUS_INDEX_OVERFLOW, "values_size");
  EXPECT_REFUSED(Create::with([](Create& c) { c.cols = k2p31; }), SPK_STATUS_INDEX_OVERFLOW, "cols");
  EXPECT_REFUSED(Create::with([](Create& c) { c.offset_array = reinterpret_cast<char*>(slice_offsets) + 2; }), kInvalid,
                 "slice_offsets");
  EXPECT_REFUSED(Create::with([](Create& c) { c.index_array = reinterpret_cast<char*>(slots) + 1; }), kInvalid,
                 "col_indices");
  EXPECT_REFUSED(Create::with([](Create& c) { c.value_array = reinterpret_cast<char*>(values) + 1; }), kInvalid,
                 "values");
  EXPECT_EQ(Create::with([](Create& c) { c.rows = c.nnz = c.values_size = 0; }), SPK_STATUS_SUCCESS);
  EXPECT_EQ(Create::with([](Create& c) { c.slice_size = INT64_MAX; }), SPK_STATUS_SUCCESS);
}

class Sell : public spk_test::SmallProblem {
 protected:
  void SetUp() override {
    SmallProblem::SetUp();
    ASSERT_OK(Create{}.create(&S));
    ASSERT_OK(spk_dnvec_create(&x, 4, x_values, SPK_R_32F));
    ASSERT_OK(spk_dnvec_create(&y, 5, y_values, SPK_R_32F));
  }
  void TearDown() override {
    spk_dnvec_destroy(y);
    spk_dnvec_destroy(x);
    spk_spmat_destroy(S);
    SmallProblem::TearDown();
  }
  spk_status_t spmv(std::int32_t alg) {
    return spk_spmv(handle, SPK_OP_N, &alpha, S, x, &beta, y, SPK_COMPUTE_32F, alg, nullptr, 0);
  }
  // Of a matrix over other arrays.
  spk_fault_t fault_of(std::int32_t* offset_array, std::int32_t* index_array) {
    spk_validation_report_t report{};
    report.struct_size = sizeof report;
    EXPECT_EQ(spk_spmat_set_pointers(S, offset_array, index_array, values), SPK_STATUS_SUCCESS);
    const spk_status_t status = spk_spmat_validate(handle, S, &report);
    EXPECT_EQ(status, report.fault == SPK_FAULT_NONE ? SPK_STATUS_SUCCESS : SPK_STATUS_INVALID_STRUCTURE);
    return report.fault;
  }

  float x_values[4] = {1, 10, 100, 1000};
  float y_values[5] = {-7, -7, -7, -7, -7};
  spk_spmat_t S = nullptr;
  spk_dnvec_t x = nullptr, y = nullptr;
};

TEST_F(Sell, InfoTellsWhatWasGiven) {
  spk_spmat_info_t info{};
  info.struct_size = sizeof info;
  ASSERT_OK(spk_spmat_get_info(S, &info));
  EXPECT_EQ(info.format, SPK_FORMAT_SELL);
  EXPECT_EQ(info.rows, 5);
  EXPECT_EQ(info.cols, 4);
  EXPECT_EQ(info.nnz, 8);
  EXPECT_EQ(info.nnzb, 12);
  EXPECT_EQ(info.block_size, 2);
  EXPECT_EQ(info.offsets, slice_offsets);
  EXPECT_EQ(info.col_indices, slots);
  EXPECT_EQ(info.row_indices, nullptr);
  EXPECT_EQ(info.values, values);
}

TEST_F(Sell, MultipliesAndNeverLetsPaddingMeetTheVector) {
  for (const std::int32_t alg : {SPK_ALG_DEFAULT, SPK_SPMV_SELL_ALG1}) {
    for (float& element : y_values) element = kNan;
    ASSERT_OK(spmv(alg));
    EXPECT_EQ(y_values[0], 3201.f);
    EXPECT_EQ(y_values[1], 40.f);
    EXPECT_EQ(y_values[2], 5.f);
    EXPECT_EQ(y_values[3], 7060.f);
    EXPECT_EQ(y_values[4], 8000.f);
  }
  EXPECT_REFUSED(spmv(SPK_SPMV_CSR_ALG1), SPK_STATUS_NOT_SUPPORTED, "matA is sell");
}

TEST_F(Sell, EveryFaultIsFound) {
  std::int32_t broken_offsets[4], broken_columns[12];
  const auto with_offset = [&](int at, std::int32_t offset) {
    std::copy(std::begin(slice_offsets), std::end(slice_offsets), broken_offsets);
    broken_offsets[at] = offset;
    return fault_of(broken_offsets, slots);
  };
  const auto with_column = [&](int at, std::int32_t column) {
    std::copy(std::begin(slots), std::end(slots), broken_columns);
    broken_columns[at] = column;
    return fault_of(slice_offsets, broken_columns);
  };
  EXPECT_EQ(fault_of(slice_offsets, slots), SPK_FAULT_NONE);
  EXPECT_EQ(fault_of(nullptr, slots), SPK_FAULT_NULL_ARRAY);
  EXPECT_EQ(with_offset(0, 1), SPK_FAULT_FIRST_OFFSET);
  EXPECT_EQ(with_offset(2, 4), SPK_FAULT_OFFSET_DECREASES);
  EXPECT_EQ(with_offset(3, 10), SPK_FAULT_LAST_OFFSET);
  EXPECT_EQ(with_offset(1, 5), SPK_FAULT_SLICE_OFFSET);
  EXPECT_EQ(with_column(2, 4), SPK_FAULT_COL_INDEX);
  EXPECT_EQ(with_column(2, -2), SPK_FAULT_COL_INDEX);
  EXPECT_EQ(with_column(2, -1), SPK_FAULT_NONE);
  spk_plan_t plan = nullptr;
  ASSERT_OK(spk_spmat_set_pointers(S, broken_offsets, slots, values));
  broken_offsets[1] = 5;
  broken_offsets[3] = 12;
  EXPECT_REFUSED(spk_spmv_plan_create(&plan, handle, 0, S, x, y, SPK_COMPUTE_32F, 0), SPK_STATUS_INVALID_STRUCTURE,
                 "offsets[1] = 5");
}

TEST_F(Sell, TheReportCounts) {
  spk_validation_report_t report{};
  report.struct_size = sizeof report;
  std::int32_t other[12] = {2, -1, 0, -1, 0, -1, 0, 1, -1, 3, -1, -1};
  ASSERT_OK(spk_spmat_set_pointers(S, slice_offsets, other, values));
  ASSERT_OK(spk_spmat_validate(handle, S, &report));
  EXPECT_EQ(report.unsorted_rows, 1);
  EXPECT_EQ(report.duplicates, 1);
  EXPECT_EQ(report.empty_rows, 2);
  EXPECT_EQ(report.nan_values, 0);  // NaN stands in unused slots only
}

TEST_F(Sell, WhatDoesNotTakeItSaysSo) {
  spk_spmat_t csr = nullptr;
  spk_dnmat_t dense = nullptr;
  spk_const_spmat_t slice = nullptr;
  std::int32_t row_offsets[6];
  float elements[20];
  std::size_t bytes = 0;
  ASSERT_OK(spk_csr_create(&csr, 5, 4, 0, row_offsets, nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F));
  ASSERT_OK(spk_dnmat_create(&dense, 5, 4, 4, elements, SPK_R_32F, SPK_ORDER_ROW));
  constexpr spk_status_t kNo = SPK_STATUS_NOT_SUPPORTED;
  EXPECT_REFUSED(spk_sparse_to_dense(handle, S, dense, nullptr, 0), kNo, "matA is sell");
  EXPECT_REFUSED(spk_dense_to_sparse_workspace(handle, dense, S, &bytes), kNo, "matB is sell");
  EXPECT_REFUSED(spk_sparse_to_sparse_analyze(handle, S, csr, nullptr, 0), kNo, "matA is sell");
  EXPECT_REFUSED(spk_sparse_to_sparse_convert(handle, csr, S, nullptr, 0), kNo, "matB is sell");
  EXPECT_REFUSED(spk_spmat_sort(handle, S, nullptr, nullptr, 0), kNo, "mat is sell");
  EXPECT_REFUSED(spk_spmat_slice_rows(handle, S, 0, 2, &slice), kNo, "mat is sell");
  EXPECT_REFUSED(spk_softmax(handle, 1, S, nullptr, S, 0, nullptr, 0), kNo, "matX is sell");
  EXPECT_REFUSED(spk_sddmm(handle, 0, SPK_OP_T, &alpha, dense, dense, &beta, S, SPK_COMPUTE_32F, 0, nullptr, 0), kNo,
                 "matC is sell");
  spk_dnmat_destroy(dense);
  spk_spmat_destroy(csr);
}

}  // namespace
