// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Every option of the products is set to something that a wrong implementation shows.
#include <gtest/gtest.h>

#include "products.hpp"

namespace {

class CusparseProducts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (handle_.status() == CUSPARSE_STATUS_NOT_INITIALIZED) GTEST_SKIP() << "SKIPPED: no device";
    ASSERT_EQ(handle_.status(), kSuccess);
  }
  Handle handle_;
};

constexpr cusparseOperation_t kOps[] = {kN, kT, kC};
constexpr cusparseOrder_t kOrders[] = {kRow, kCol};

// Complex numbers, so that the conjugate differs from the transpose.
Case complex_case() {
  Case c;
  c.type = c.out_type = c.compute = CUDA_C_32F;
  c.alpha = Value(2, 1);
  c.beta = Value(1, -1);
  return c;
}

}  // namespace

TEST_F(CusparseProducts, SpmmOfEveryFormatAndTranspose) {
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_BSR,
                            CUSPARSE_FORMAT_BLOCKED_ELL, CUSPARSE_FORMAT_SLICED_ELLPACK})
    for (const auto op_a : kOps)
      for (const auto op_b : kOps)
        for (const auto base : {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE})
          for (const auto index_type : {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I}) {
            Case c = complex_case();
            c.op_a = op_a;
            c.op_b = op_b;
            c.sparse.format = format;
            c.sparse.base = base;
            c.sparse.index_type = index_type;
            run_spmm(handle_, c);
            c.m = c.n = c.k = 8;  // square, so that sizes alone do not tell a transpose
            run_spmm(handle_, c);
          }
}

TEST_F(CusparseProducts, SpmmInEveryPairOfOrders) {
  for (const auto first : kOrders)
    for (const auto second : kOrders)
      for (const auto op_b : {kN, kT})
        for (const int padding : {0, 3}) {
          Case c;
          c.op_b = op_b;
          c.first = {first, padding};
          c.second = {second, 2 * padding};
          run_spmm(handle_, c);
          c.m = c.n = c.k = 8;
          run_spmm(handle_, c);
        }
}

TEST_F(CusparseProducts, SpmmScalarsAndTypes) {
  struct Types {
    cudaDataType in, out, compute;
  };
  const Types types[] = {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},   {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
                         {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},   {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
                         {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},   {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
                         {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F}};
  for (const Types& t : types)
    for (const double alpha : {1.0, 0.0, -2.0})
      for (const double beta : {0.0, 1.0, 0.5})
        for (const bool on_device : {false, true}) {
          Case c;
          c.type = t.in;
          c.out_type = t.out;
          c.compute = t.compute;
          c.alpha = alpha;
          c.beta = beta;
          c.scalars_on_device = on_device;
          run_spmm(handle_, c);
        }
}

TEST_F(CusparseProducts, SpmmBatches) {
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_BSR})
    for (const auto sharing : {Sharing::none, Sharing::offsets, Sharing::all})
      for (const bool shares_first : {false, true}) {
        if (format == CUSPARSE_FORMAT_COO && sharing == Sharing::offsets) continue;  // one stride for all arrays
        Case c;
        c.batch = 3;
        c.sparse.format = format;
        c.sparse.sharing = sharing;
        c.shares_first = shares_first;
        run_spmm(handle_, c);
      }
}

TEST_F(CusparseProducts, SpmmBlocksInBothOrders) {
  for (const auto order : kOrders)
    for (const int block : {2, 4}) {
      Case c;
      c.m = 16;
      c.k = 12;
      c.sparse.format = CUSPARSE_FORMAT_BSR;
      c.sparse.block = block;
      c.sparse.block_order = order;
      run_spmm(handle_, c);
    }
}

TEST_F(CusparseProducts, SpmmPreparedTakesNewValues) {
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_BSR,
                            CUSPARSE_FORMAT_BLOCKED_ELL, CUSPARSE_FORMAT_SLICED_ELLPACK})
    for (const auto op_a : {kN, kT}) {
      Case c;
      c.op_a = op_a;
      c.prepares = true;
      c.sparse.format = format;
      run_spmm(handle_, c);
    }
}

TEST_F(CusparseProducts, SpmmOfNothing) {
  for (const int which : {0, 1, 2, 3}) {
    Case c;
    if (which == 0) c.m = 0;
    if (which == 1) c.n = 0;
    if (which == 2) c.k = 0;
    if (which == 3) c.m = 1, c.n = 1, c.k = 1;  // one row without entries
    run_spmm(handle_, c);
  }
}

TEST_F(CusparseProducts, SpmvOfEveryFormatAndTranspose) {
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_BSR,
                            CUSPARSE_FORMAT_BLOCKED_ELL, CUSPARSE_FORMAT_SLICED_ELLPACK})
    for (const auto op_a : kOps)
      for (const auto base : {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE})
        for (const auto index_type : {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I})
          for (const bool prepares : {false, true}) {
            Case c = complex_case();
            c.op_a = op_a;
            c.sparse.format = format;
            c.sparse.base = base;
            c.sparse.index_type = index_type;
            c.prepares = prepares;
            run_spmv(handle_, c);
            c.m = c.k = 8;
            c.beta = 0;
            run_spmv(handle_, c);
          }
}

TEST_F(CusparseProducts, SddmmInEveryTransposeAndOrder) {
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_BSR})
    for (const auto op_a : kOps)
      for (const auto op_b : kOps)
        for (const auto first : kOrders)
          for (const auto second : kOrders)
            for (const auto block_order : kOrders) {
              Case c = complex_case();
              c.op_a = op_a;
              c.op_b = op_b;
              c.first.order = first;
              c.second.order = second;
              c.sparse.format = format;
              c.sparse.block_order = block_order;
              c.sparse.base = first == kRow ? CUSPARSE_INDEX_BASE_ZERO : CUSPARSE_INDEX_BASE_ONE;
              c.sparse.index_type = second == kRow ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
              run_sddmm(handle_, c);
              c.m = c.n = c.k = 8;
              run_sddmm(handle_, c);
            }
}

TEST_F(CusparseProducts, SddmmScalarsTypesAndBatches) {
  for (const auto type : {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F})
    for (const double alpha : {1.0, 0.0, -2.0})
      for (const double beta : {0.0, 1.0, 0.5})
        for (const int batch : {1, 3})
          for (const bool on_device : {false, true}) {
            Case c;
            c.type = c.out_type = type;
            c.compute = type == CUDA_R_16F ? CUDA_R_32F : type;
            c.alpha = alpha;
            c.beta = beta;
            c.batch = batch;
            c.sparse.sharing = batch == 3 ? Sharing::offsets : Sharing::none;
            c.shares_first = on_device;
            c.scalars_on_device = on_device;
            c.prepares = beta == 1;
            run_sddmm(handle_, c);
          }
}

TEST_F(CusparseProducts, EveryNamedAlgorithmServesItsFormat) {
  struct Named {
    cusparseFormat_t format;
    std::vector<int> spmm, spmv;
  };
  const Named names[] = {
      {CUSPARSE_FORMAT_CSR,
       {CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3},
       {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}},
      {CUSPARSE_FORMAT_CSC, {CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2}, {CUSPARSE_SPMV_CSR_ALG1}},
      {CUSPARSE_FORMAT_COO,
       {CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMM_COO_ALG4},
       {CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2}},
      {CUSPARSE_FORMAT_BSR, {CUSPARSE_SPMM_BSR_ALG1}, {CUSPARSE_SPMV_BSR_ALG1}},
      {CUSPARSE_FORMAT_BLOCKED_ELL, {CUSPARSE_SPMM_BLOCKED_ELL_ALG1}, {}},
      {CUSPARSE_FORMAT_SLICED_ELLPACK, {}, {CUSPARSE_SPMV_SELL_ALG1}}};
  for (const Named& named : names) {
    Case c;
    c.sparse.format = named.format;
    for (const int alg : named.spmm) {
      c.alg = alg;
      run_spmm(handle_, c);
    }
    for (const int alg : named.spmv) {
      c.alg = alg;
      run_spmv(handle_, c);
    }
  }
}
