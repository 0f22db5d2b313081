// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/contract.hpp"

namespace {

class PlanTest : public spk_test::SmallProblem {
 protected:
  spk_plan_t make(std::int32_t opA = SPK_OP_N) {
    spk_plan_t plan = nullptr;
    EXPECT_EQ(spk_spmm_plan_create(&plan, handle, opA, SPK_OP_N, A, B, C, SPK_COMPUTE_32F, 0, nullptr),
              SPK_STATUS_SUCCESS)
        << spk_test::last_error();
    return plan;
  }
  spk_status_t execute(spk_const_plan_t plan) {
    return spk_spmm_execute(handle, plan, &alpha, A, B, &beta, C, nullptr, nullptr, 0);
  }
};

TEST_F(PlanTest, ExecutesWithFreshValuesAndFreshArrays) {
  spk_plan_t plan = make();
  ASSERT_OK(execute(plan));
  expect_product();
  for (float& x : a) x *= 10;
  ASSERT_OK(execute(plan));
  EXPECT_EQ(c[0], 110.f);
  EXPECT_EQ(c[3], 120.f);
  // The plan follows no pointer of its creation: new copies, old arrays overwritten.
  std::int32_t new_offsets[3] = {0, 2, 3}, new_columns[3] = {0, 2, 1};
  float new_values[3] = {1, 2, 3};
  ASSERT_OK(spk_spmat_set_pointers(A, new_offsets, new_columns, new_values));
  std::memset(columns, 0x7f, sizeof columns);
  std::memset(offsets, 0x7f, sizeof offsets);
  ASSERT_OK(execute(plan));
  expect_product();
  char text[300] = "";
  ASSERT_OK(spk_plan_describe(plan, text, sizeof text, nullptr));
  EXPECT_STRNE(text, "");
  spk_plan_destroy(plan);
  spk_plan_destroy(nullptr);
}

TEST_F(PlanTest, UpdateShowsANewStructure) {
  spk_plan_t plan = make();
  columns[0] = 1;  // A = [0 1 2; 0 3 0]
  ASSERT_OK(spk_plan_update(handle, plan, A));
  ASSERT_OK(execute(plan));
  EXPECT_EQ(c[0], 13.f);
  EXPECT_EQ(c[1], 16.f);
  columns[0] = 8;
  EXPECT_REFUSED(spk_plan_update(handle, plan, A), SPK_STATUS_INVALID_STRUCTURE, "");
  columns[0] = 1;
  ASSERT_OK(execute(plan));  // a failed update leaves the plan as it was
  EXPECT_EQ(c[0], 13.f);
  spk_plan_destroy(plan);
}

TEST_F(PlanTest, RefusesWhatItWasNotMadeFor) {
  spk_plan_t plan = make();
  spk_dnmat_t other = nullptr;
  float wide[12] = {};
  ASSERT_OK(spk_dnmat_create(&other, 3, 2, 4, wide, SPK_R_32F, SPK_ORDER_ROW));
  EXPECT_REFUSED(spk_spmm_execute(handle, plan, &alpha, A, other, &beta, C, nullptr, nullptr, 0),
                 SPK_STATUS_INVALID_VALUE, "matB differs");
  EXPECT_REFUSED(spk_sddmm_execute(handle, plan, &alpha, other, B, &beta, A, nullptr, 0), SPK_STATUS_INVALID_VALUE,
                 "another operation");
  EXPECT_REFUSED(execute(nullptr), SPK_STATUS_INVALID_VALUE, "plan is NULL");
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = SPK_BACKEND_REFERENCE;
  spk_handle_t oracle = nullptr;
  ASSERT_OK(spk_create(&oracle, &config));
  EXPECT_REFUSED(spk_spmm_execute(oracle, plan, &alpha, A, B, &beta, C, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE,
                 "backend");
  expect_untouched();
  spk_destroy(oracle);
  spk_dnmat_destroy(other);
  spk_plan_destroy(plan);
}

TEST_F(PlanTest, MayKeepValuesUntilItIsShownOthers) {
  spk_plan_t plan = make();
  ASSERT_OK(spk_plan_keep_values(handle, plan, A));
  ASSERT_OK(execute(plan));
  expect_product();
  for (float& x : a) x *= 10;
  ASSERT_OK(spk_plan_keep_values(handle, plan, A));
  ASSERT_OK(execute(plan));
  EXPECT_EQ(c[0], 110.f);
  ASSERT_OK(spk_plan_update(handle, plan, A));  // values may change again
  for (float& x : a) x /= 10;
  ASSERT_OK(execute(plan));
  expect_product();
  spk_plan_destroy(plan);
}

TEST_F(PlanTest, KeptValuesOfATransposeAreReplacedAndDropped) {
  float in[4] = {1, 2, 3, 4}, out[6] = {};
  spk_dnmat_t given = nullptr, result = nullptr;
  ASSERT_OK(spk_dnmat_create(&given, 2, 2, 2, in, SPK_R_32F, SPK_ORDER_ROW));
  ASSERT_OK(spk_dnmat_create(&result, 3, 2, 2, out, SPK_R_32F, SPK_ORDER_ROW));
  spk_plan_t plan = nullptr;
  ASSERT_OK(spk_spmm_plan_create(&plan, handle, SPK_OP_T, SPK_OP_N, A, given, result, SPK_COMPUTE_32F, 0, nullptr));
  const auto expect_times = [&](float factor) {
    ASSERT_OK(spk_spmm_execute(handle, plan, &alpha, A, given, &beta, result, nullptr, nullptr, 0));
    const float want[6] = {1, 2, 9, 12, 2, 4};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(out[i], factor * want[i]) << i;
  };
  expect_times(1);
  ASSERT_OK(spk_plan_keep_values(handle, plan, A));
  char text[300] = "";
  ASSERT_OK(spk_plan_describe(plan, text, sizeof text, nullptr));
  EXPECT_NE(std::string(text).find("with their values"), std::string::npos) << text;
  expect_times(1);
  for (float& x : a) x *= 10;
  expect_times(1);  // they are kept
  ASSERT_OK(spk_plan_keep_values(handle, plan, A));
  expect_times(10);
  columns[0] = 8;
  EXPECT_REFUSED(spk_plan_keep_values(handle, plan, A), SPK_STATUS_INVALID_STRUCTURE, "");
  columns[0] = 0;
  expect_times(10);  // as before
  ASSERT_OK(spk_plan_update(handle, plan, A));
  for (float& x : a) x /= 10;
  expect_times(1);  // read afresh again
  spk_dnmat_destroy(given);
  spk_dnmat_destroy(result);
  spk_plan_destroy(plan);
}

TEST_F(PlanTest, RefusesToKeepWhatItCannot) {
  spk_plan_t plan = make();
  EXPECT_REFUSED(spk_plan_keep_values(handle, plan, nullptr), SPK_STATUS_INVALID_VALUE, "mat is NULL");
  EXPECT_REFUSED(spk_plan_keep_values(handle, nullptr, A), SPK_STATUS_INVALID_VALUE, "plan is NULL");
  EXPECT_REFUSED(spk_plan_keep_values(nullptr, plan, A), SPK_STATUS_INVALID_VALUE, "handle is NULL");
  spk_spmat_t without = nullptr, larger = nullptr;
  ASSERT_OK(spk_csr_create(&larger, 2, 4, 3, offsets, columns, a, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                           SPK_R_32F));
  EXPECT_REFUSED(spk_plan_keep_values(handle, plan, larger), SPK_STATUS_INVALID_VALUE, "size");
  ASSERT_OK(spk_csr_create(&without, 2, 3, 3, offsets, columns, nullptr, SPK_INDEX_32I, SPK_INDEX_32I,
                           SPK_INDEX_BASE_ZERO, SPK_R_32F));
  ASSERT_OK(spk_plan_update(handle, plan, without));
  EXPECT_REFUSED(spk_plan_keep_values(handle, plan, without), SPK_STATUS_INVALID_VALUE, "values");
  ASSERT_OK(execute(plan));  // as before
  expect_product();
  spk_plan_t sampled = nullptr;
  float wide[6] = {};
  spk_dnmat_t left = nullptr;
  ASSERT_OK(spk_dnmat_create(&left, 2, 2, 2, wide, SPK_R_32F, SPK_ORDER_ROW));
  ASSERT_OK(spk_sddmm_plan_create(&sampled, handle, SPK_OP_N, SPK_OP_T, left, B, A, SPK_COMPUTE_32F, 0));
  EXPECT_REFUSED(spk_plan_keep_values(handle, sampled, A), SPK_STATUS_INVALID_VALUE, "not of SpMM or SpMV");
  spk_dnmat_destroy(left);
  spk_spmat_destroy(larger);
  spk_spmat_destroy(without);
  spk_plan_destroy(sampled);
  spk_plan_destroy(plan);
}

TEST_F(PlanTest, CreationChecksLikeTheOneShotCall) {
  auto* plan = reinterpret_cast<spk_plan_t>(16);
  EXPECT_REFUSED(spk_spmm_plan_create(&plan, handle, 4, 0, A, B, C, SPK_COMPUTE_32F, 0, nullptr),
                 SPK_STATUS_INVALID_VALUE, "opA = 4");
  EXPECT_EQ(plan, nullptr);
  columns[2] = -1;
  EXPECT_REFUSED(spk_spmm_plan_create(&plan, handle, 0, 0, A, B, C, SPK_COMPUTE_32F, 0, nullptr),
                 SPK_STATUS_INVALID_STRUCTURE, "");
  EXPECT_EQ(plan, nullptr);
}

}  // namespace
