// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>

#include "capi/contract.hpp"

namespace {

using spk_test::SmallProblem;

class SpmmArguments : public SmallProblem {
 protected:
  // The call with everything right except what `change` makes wrong.
  struct Call {
    spk_handle_t handle;
    std::int32_t opA = SPK_OP_N, opB = SPK_OP_N;
    const void* alpha;
    spk_const_spmat_t A;
    spk_const_dnmat_t B;
    const void* beta;
    spk_dnmat_t C;
    std::int32_t compute = SPK_COMPUTE_32F, alg = SPK_ALG_DEFAULT;
  };
  template <class Change>
  void refused(Change&& change, spk_status_t status, const char* words) {
    Call k{handle, SPK_OP_N, SPK_OP_N, &alpha, A, B, &beta, C, SPK_COMPUTE_32F, SPK_ALG_DEFAULT};
    change(k);
    EXPECT_REFUSED(spk_spmm(k.handle, k.opA, k.opB, k.alpha, k.A, k.B, k.beta, k.C, k.compute, k.alg, nullptr, 0),
                   status, words);
    expect_untouched();
  }
};

TEST_F(SpmmArguments, TheProblemItselfIsRight) {
  ASSERT_OK(spmm());
  expect_product();
}

TEST_F(SpmmArguments, EachWrongArgumentIsNamed) {
  refused([](Call& k) { k.handle = nullptr; }, SPK_STATUS_INVALID_VALUE, "handle is NULL");
  refused([](Call& k) { k.alpha = nullptr; }, SPK_STATUS_INVALID_VALUE, "alpha is NULL");
  refused([](Call& k) { k.beta = nullptr; }, SPK_STATUS_INVALID_VALUE, "beta is NULL");
  refused([](Call& k) { k.A = nullptr; }, SPK_STATUS_INVALID_VALUE, "matA is NULL");
  refused([](Call& k) { k.B = nullptr; }, SPK_STATUS_INVALID_VALUE, "matB is NULL");
  refused([](Call& k) { k.C = nullptr; }, SPK_STATUS_INVALID_VALUE, "matC is NULL");
  refused([](Call& k) { k.opA = 3; }, SPK_STATUS_INVALID_VALUE, "opA = 3");
  refused([](Call& k) { k.opB = -1; }, SPK_STATUS_INVALID_VALUE, "opB = -1");
  refused([](Call& k) { k.compute = 77; }, SPK_STATUS_INVALID_VALUE, "compute_type = 77");
  refused([](Call& k) { k.compute = SPK_COMPUTE_64F; }, SPK_STATUS_NOT_SUPPORTED, "compute_type = 1");
  refused([](Call& k) { k.compute = SPK_R_16F; }, SPK_STATUS_NOT_SUPPORTED, "compute_type = 2");
  refused([](Call& k) { k.alg = 99; }, SPK_STATUS_INVALID_VALUE, "alg = 99");
  refused([](Call& k) { k.alg = SPK_SPMM_COO_ALG1; }, SPK_STATUS_NOT_SUPPORTED, "alg = 1");
  refused([](Call& k) { k.alg = 1 << 30; }, SPK_STATUS_NOT_SUPPORTED, "no kernel has the id 1073741824");
  refused([](Call& k) { k.opA = SPK_OP_T; }, SPK_STATUS_INVALID_VALUE, "op(matA)");
  refused([](Call& k) { k.opB = SPK_OP_T; }, SPK_STATUS_INVALID_VALUE, "op(matB)");
  refused([this](Call& k) { k.B = reinterpret_cast<spk_const_dnmat_t>(A); }, SPK_STATUS_INVALID_VALUE, "matB");
}

TEST_F(SpmmArguments, NamedAlgorithmsOfTheFormatGiveTheDefault) {
  for (const std::int32_t alg : {SPK_SPMM_CSR_ALG1, SPK_SPMM_CSR_ALG2, SPK_SPMM_CSR_ALG3}) {
    ASSERT_OK(spk_spmm(handle, 0, 0, &alpha, A, B, &beta, C, SPK_COMPUTE_32F, alg, nullptr, 0));
    expect_product();
  }
  ASSERT_OK(spk_spmm(handle, 0, 0, &alpha, A, B, &beta, C, SPK_COMPUTE_TF32, 0, nullptr, 0));
  expect_product();
}

TEST_F(SpmmArguments, MissingArraysAreNamedOnlyWhereTheyAreNeeded) {
  ASSERT_OK(spk_spmat_set_pointers(A, offsets, columns, nullptr));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matA has NULL values");
  ASSERT_OK(spk_spmat_set_pointers(A, offsets, nullptr, a));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matA has NULL column indices");
  ASSERT_OK(spk_spmat_set_pointers(A, nullptr, columns, a));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matA has NULL offsets");
  ASSERT_OK(spk_dnmat_set_values(B, nullptr));
  ASSERT_OK(spk_spmat_set_pointers(A, offsets, columns, a));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matB has NULL values");
  expect_untouched();
  // alpha = 0 looks at neither.
  ASSERT_OK(spk_spmat_set_pointers(A, nullptr, nullptr, nullptr));
  alpha = 0;
  beta = 2;
  ASSERT_OK(spmm());
  EXPECT_EQ(c[0], -14.f);
  ASSERT_OK(spk_dnmat_set_values(C, nullptr));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matC has NULL values");
}

TEST_F(SpmmArguments, OverlapIsRefusedAndInterleavedColumnsAreNot) {
  ASSERT_OK(spk_dnmat_set_values(C, b + 1));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matC overlaps matB");
  float roomy[8] = {1, 2, 3};
  ASSERT_OK(spk_spmat_set_values(A, roomy));
  ASSERT_OK(spk_dnmat_set_values(C, roomy + 2));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matC overlaps matA");
  // B and C as column blocks of one row-major array with ld 4.
  float both[12] = {1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0};
  spk_dnmat_t left = nullptr, right = nullptr;
  ASSERT_OK(spk_dnmat_create(&left, 3, 2, 4, both, SPK_R_32F, SPK_ORDER_ROW));
  ASSERT_OK(spk_dnmat_create(&right, 2, 2, 4, both + 2, SPK_R_32F, SPK_ORDER_ROW));
  ASSERT_OK(spk_spmm(handle, 0, 0, &alpha, A, left, &beta, right, SPK_COMPUTE_32F, 0, nullptr, 0));
  EXPECT_EQ(both[2], 11.f);
  EXPECT_EQ(both[7], 12.f);
  spk_dnmat_destroy(right);
  ASSERT_OK(spk_dnmat_create(&right, 2, 2, 4, both + 1, SPK_R_32F, SPK_ORDER_ROW));
  EXPECT_REFUSED(spk_spmm(handle, 0, 0, &alpha, A, left, &beta, right, SPK_COMPUTE_32F, 0, nullptr, 0),
                 SPK_STATUS_INVALID_VALUE, "overlaps");
  spk_dnmat_destroy(right);
  spk_dnmat_destroy(left);
}

TEST_F(SpmmArguments, BatchesMustAgree) {
  ASSERT_OK(spk_dnmat_set_batch(B, 3, 0));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matB has batch count 3");
  ASSERT_OK(spk_dnmat_set_batch(B, 1, 0));
  ASSERT_OK(spk_dnmat_set_batch(C, 2, 0));
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_VALUE, "matC has batch stride 0");
  expect_untouched();
}

TEST_F(SpmmArguments, TypesMustAgree) {
  double d[6] = {};
  spk_dnmat_t other = nullptr;
  ASSERT_OK(spk_dnmat_create(&other, 3, 2, 2, d, SPK_R_64F, SPK_ORDER_ROW));
  EXPECT_REFUSED(spk_spmm(handle, 0, 0, &alpha, A, other, &beta, C, SPK_COMPUTE_32F, 0, nullptr, 0),
                 SPK_STATUS_NOT_SUPPORTED, "f64");
  spk_dnmat_destroy(other);
  expect_untouched();
}

TEST_F(SpmmArguments, ConstDescriptorsAreNoOutputs) {
  spk_const_dnmat_t fixed = nullptr;
  ASSERT_OK(spk_dnmat_create_const(&fixed, 2, 2, 2, c, SPK_R_32F, SPK_ORDER_ROW));
  EXPECT_REFUSED(
      spk_spmm(handle, 0, 0, &alpha, A, B, &beta, const_cast<spk_dnmat_t>(fixed), SPK_COMPUTE_32F, 0, nullptr, 0),
      SPK_STATUS_INVALID_VALUE, "matC is an output");
  spk_dnmat_destroy(fixed);
  expect_untouched();
}

TEST_F(SpmmArguments, WorkspaceQueryAlwaysWritesItsAnswer) {
  size_t bytes = 99;
  EXPECT_EQ(spk_spmm_workspace(handle, 0, 0, A, B, nullptr, SPK_COMPUTE_32F, 0, &bytes), SPK_STATUS_INVALID_VALUE);
  EXPECT_EQ(bytes, 0u);
  EXPECT_REFUSED(spk_spmm_workspace(handle, 0, 0, A, B, C, SPK_COMPUTE_32F, 0, nullptr), SPK_STATUS_INVALID_VALUE,
                 "workspace_bytes is NULL");
  // Sizes and types only: arrays may still be missing.
  ASSERT_OK(spk_spmat_set_pointers(A, nullptr, nullptr, nullptr));
  ASSERT_OK(spk_dnmat_set_values(C, nullptr));
  ASSERT_OK(spk_spmm_workspace(handle, 0, 0, A, B, C, SPK_COMPUTE_32F, 0, &bytes));
}

TEST_F(SpmmArguments, EpilogueIsChecked) {
  spk_dnvec_t bias = nullptr;
  float two[2] = {10, 20};
  ASSERT_OK(spk_dnvec_create(&bias, 2, two, SPK_R_32F));
  const auto run = [&](const spk_epilogue_t& e) {
    return spk_spmm_epilogue(handle, 0, 0, &alpha, A, B, &beta, C, SPK_COMPUTE_32F, 0, &e, nullptr, 0);
  };
  spk_epilogue_t e{};
  EXPECT_REFUSED(run(e), SPK_STATUS_INVALID_VALUE, "struct_size");
  e.struct_size = sizeof e;
  e.activation = 9;
  EXPECT_REFUSED(run(e), SPK_STATUS_INVALID_VALUE, "activation = 9");
  e.activation = SPK_ACTIVATION_RELU;
  e.bias_kind = 5;
  EXPECT_REFUSED(run(e), SPK_STATUS_INVALID_VALUE, "bias_kind = 5");
  e.bias_kind = SPK_BIAS_PER_COL;
  EXPECT_REFUSED(run(e), SPK_STATUS_INVALID_VALUE, "epilogue->bias is NULL");
  e.bias_kind = SPK_BIAS_NONE;
  e.bias = bias;
  EXPECT_REFUSED(run(e), SPK_STATUS_INVALID_VALUE, "bias_kind is NONE");
  e.reserved = 1;
  EXPECT_REFUSED(run(e), SPK_STATUS_INVALID_VALUE, "reserved = 1");
  e.reserved = 0;
  e.bias_kind = SPK_BIAS_PER_COL;
  e.residual = B;
  EXPECT_REFUSED(run(e), SPK_STATUS_INVALID_VALUE, "epilogue->residual rows");
  expect_untouched();
  e.residual = nullptr;
  alpha = -1;
  ASSERT_OK(run(e));  // relu(-[11 14; 9 12] + [10 20])
  EXPECT_EQ(c[0], 0.f);
  EXPECT_EQ(c[1], 6.f);
  EXPECT_EQ(c[2], 1.f);
  EXPECT_EQ(c[3], 8.f);
  spk_dnvec_destroy(bias);
}

using Sddmm = SmallProblem;

TEST_F(Sddmm, NamesTheWrongArgumentAndLeavesValues) {
  float left[4] = {1, 2, 3, 4};
  float right[6] = {1, 2, 3, 4, 5, 6};
  spk_dnmat_t L = nullptr, R = nullptr;
  ASSERT_OK(spk_dnmat_create(&L, 2, 2, 2, left, SPK_R_32F, SPK_ORDER_ROW));
  ASSERT_OK(spk_dnmat_create(&R, 2, 3, 3, right, SPK_R_32F, SPK_ORDER_ROW));
  const auto run = [&](std::int32_t opA, std::int32_t opB, spk_const_dnmat_t x, spk_spmat_t y, std::int32_t alg) {
    return spk_sddmm(handle, opA, opB, &alpha, x, R, &beta, y, SPK_COMPUTE_32F, alg, nullptr, 0);
  };
  EXPECT_REFUSED(run(0, 0, nullptr, A, 0), SPK_STATUS_INVALID_VALUE, "matA is NULL");
  EXPECT_REFUSED(run(0, 0, L, nullptr, 0), SPK_STATUS_INVALID_VALUE, "matC is NULL");
  EXPECT_REFUSED(run(5, 0, L, A, 0), SPK_STATUS_INVALID_VALUE, "opA = 5");
  EXPECT_REFUSED(run(0, 1, L, A, 0), SPK_STATUS_INVALID_VALUE, "op(matB)");
  EXPECT_REFUSED(run(0, 0, L, A, 4), SPK_STATUS_INVALID_VALUE, "alg = 4");
  EXPECT_REFUSED(run(0, 0, B, A, 0), SPK_STATUS_INVALID_VALUE, "op(matA)");
  spk_spmat_t coo = nullptr;
  ASSERT_OK(spk_coo_create(&coo, 2, 3, 3, columns, columns, a, SPK_INDEX_32I, 0, SPK_R_32F));
  EXPECT_REFUSED(run(0, 0, L, coo, 0), SPK_STATUS_NOT_SUPPORTED, "coo");
  ASSERT_OK(spk_dnmat_set_values(L, a));
  EXPECT_REFUSED(run(0, 0, L, A, 0), SPK_STATUS_INVALID_VALUE, "overlap");
  EXPECT_EQ(a[0], 1.f);
  EXPECT_EQ(a[2], 3.f);
  ASSERT_OK(spk_dnmat_set_values(L, left));
  ASSERT_OK(run(0, 0, L, A, 0));
  EXPECT_EQ(a[0], 9.f);
  EXPECT_EQ(a[1], 15.f);
  EXPECT_EQ(a[2], 26.f);
  spk_spmat_destroy(coo);
  spk_dnmat_destroy(R);
  spk_dnmat_destroy(L);
}

using Softmax = SmallProblem;

TEST_F(Softmax, NamesTheWrongArgumentAndWorksInPlace) {
  EXPECT_REFUSED(spk_softmax(handle, 1, nullptr, nullptr, A, 0, nullptr, 0), SPK_STATUS_INVALID_VALUE, "matX is NULL");
  EXPECT_REFUSED(spk_softmax(handle, 1, A, nullptr, nullptr, 0, nullptr, 0), SPK_STATUS_INVALID_VALUE, "matY is NULL");
  spk_spmat_t other = nullptr;
  ASSERT_OK(spk_csr_create(&other, 2, 3, 2, offsets, columns, b, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F));
  EXPECT_REFUSED(spk_softmax(handle, 1, A, nullptr, other, 0, nullptr, 0), SPK_STATUS_INVALID_VALUE, "nnz");
  spk_spmat_destroy(other);
  ASSERT_OK(spk_csr_create(&other, 2, 3, 3, offsets, columns, a + 1, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F));
  EXPECT_REFUSED(spk_softmax(handle, 1, A, nullptr, other, 0, nullptr, 0), SPK_STATUS_INVALID_VALUE, "overlap");
  spk_spmat_destroy(other);
  EXPECT_EQ(a[1], 2.f);
  const std::uint8_t mask[3] = {1, 1, 0};
  ASSERT_OK(spk_softmax(handle, 0, A, mask, A, 0, nullptr, 0));
  EXPECT_EQ(a[0], 0.5f);
  EXPECT_EQ(a[1], 0.5f);
  EXPECT_EQ(a[2], 0.f);
}

using Support = SmallProblem;

TEST_F(Support, AnswersWithAKernelThatCanBeForced) {
  spk_support_query_t q{};
  q.struct_size = sizeof q;
  q.operation = SPK_OPERATION_SPMM;
  q.compute_type = SPK_COMPUTE_32F;
  q.sparse = A;
  q.dense_in = B;
  q.dense_out = C;
  spk_algorithm_t alg = 0;
  char text[200] = "";
  ASSERT_OK(spk_query_support(handle, &q, &alg, text, sizeof text, nullptr));
  EXPECT_GE(alg, 256);
  EXPECT_STRNE(text, "");
  ASSERT_OK(spk_spmm(handle, 0, 0, &alpha, A, B, &beta, C, SPK_COMPUTE_32F, alg, nullptr, 0));
  expect_product();
  q.alg = 1 << 29;
  size_t needed = 0;
  EXPECT_EQ(spk_query_support(handle, &q, &alg, text, sizeof text, &needed), SPK_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(alg, 0);
  EXPECT_GT(needed, 1u);
  q.alg = 0;
  q.dense_in = nullptr;
  EXPECT_EQ(spk_query_support(handle, &q, nullptr, text, sizeof text, nullptr), SPK_STATUS_INVALID_VALUE);
  EXPECT_NE(std::string(text).find("matB"), std::string::npos);
  q.operation = 17;
  EXPECT_REFUSED(spk_query_support(handle, &q, nullptr, nullptr, 0, nullptr), SPK_STATUS_INVALID_VALUE,
                 "operation = 17");
}

using Check = SmallProblem;

TEST_F(Check, ReportsTheVerdictOfTheOracle) {
  ASSERT_OK(spk_set_check(handle, 1));
  ASSERT_OK(spmm());
  spk_check_report_t report{};
  report.struct_size = sizeof report;
  ASSERT_OK(spk_get_check_report(handle, &report));
  EXPECT_EQ(report.operation, SPK_OPERATION_SPMM);
  EXPECT_EQ(report.entries, 4);
  EXPECT_LE(report.worst, 1);
}

TEST_F(Check, RefusesABrokenMatrixBeforeItRuns) {
  ASSERT_OK(spk_set_check(handle, 1));
  columns[1] = 3;
  EXPECT_REFUSED(spmm(), SPK_STATUS_INVALID_STRUCTURE, "column index");
  expect_untouched();
}

}  // namespace
