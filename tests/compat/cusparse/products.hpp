// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "operands.hpp"

// One product through the cuSPARSE names, compared with plain loops over small whole numbers, whose results are exact.

constexpr auto kN = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto kT = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto kC = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
constexpr auto kRow = CUSPARSE_ORDER_ROW;
constexpr auto kCol = CUSPARSE_ORDER_COL;
constexpr auto kSuccess = CUSPARSE_STATUS_SUCCESS;

class Handle {
 public:
  Handle() { status_ = cusparseCreate(&handle_); }
  ~Handle() { cusparseDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cusparseHandle_t() const noexcept { return handle_; }
  cusparseStatus_t status() const noexcept { return status_; }

 private:
  cusparseHandle_t handle_ = nullptr;
  cusparseStatus_t status_;
};

// One product. m, n and k are those of op(A) op(B).
struct Case {
  int m = 8, n = 6, k = 10;
  cusparseOperation_t op_a = kN, op_b = kN;
  Layout first{kRow, 1};
  Layout second{kCol, 2};
  SparseLayout sparse{};
  cudaDataType type = CUDA_R_32F;  // of the inputs
  cudaDataType out_type = CUDA_R_32F;
  cudaDataType compute = CUDA_R_32F;
  Value alpha = 2;
  Value beta = -3;
  int alg = 0;
  int batch = 1;
  bool shares_first = false;  // one dense input for the whole batch
  bool scalars_on_device = false;
  bool prepares = false;
};

// Draws operands, runs the product and expects its result, its operands and all padding.
void run_spmm(cusparseHandle_t handle, const Case& c);
void run_spmv(cusparseHandle_t handle, const Case& c);
void run_sddmm(cusparseHandle_t handle, const Case& c);
