// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/contract.hpp"

namespace {

spk_status_t create(spk_handle_t* out, spk_backend_t backend, std::int32_t device = 0) {
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = backend;
  config.device = device;
  return spk_create(out, &config);
}

std::string detail() {
  spk_backend_info_t info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(spk_backend_info(SPK_BACKEND_CUDA, &info), SPK_STATUS_SUCCESS);
  return info.available != 0 ? std::string("available: ") + info.detail : info.detail;
}

// Without a usable plug-in: CUDA is refused with the reason, AUTO is the CPU.
void expect_cpu_serves(const std::string& reason) {
  spk_handle_t handle = nullptr;
  EXPECT_REFUSED(create(&handle, SPK_BACKEND_CUDA), SPK_STATUS_BACKEND_UNAVAILABLE, reason);
  EXPECT_EQ(handle, nullptr);
  EXPECT_NE(detail().find(reason), std::string::npos) << detail();
  ASSERT_OK(create(&handle, SPK_BACKEND_AUTO));
  spk_backend_t kind = 0;
  ASSERT_OK(spk_get_backend(handle, &kind));
  EXPECT_EQ(kind, SPK_BACKEND_CPU);
  spk_destroy(handle);
}

class Works : public spk_test::SmallProblem {
 protected:
  void SetUp() override {
    SmallProblem::SetUp();
    spk_destroy(handle);
    handle = nullptr;
    ASSERT_OK(create(&handle, SPK_BACKEND_AUTO));
  }
};

TEST_F(Works, AutoTakesTheDevice) {
  spk_backend_t kind = 0;
  ASSERT_OK(spk_get_backend(handle, &kind));
  EXPECT_EQ(kind, SPK_BACKEND_CUDA);
  EXPECT_EQ(detail(), "available: fake device");
}

TEST_F(Works, OperationsReachThePlugIn) {
  ASSERT_OK(spmm());
  for (const float x : c) EXPECT_EQ(x, 42.f);
}

TEST_F(Works, DevicePointerModeHandsPointersOver) {
  ASSERT_OK(spk_set_pointer_mode(handle, SPK_POINTER_MODE_DEVICE));
  alpha = 5;
  ASSERT_OK(spmm());
  for (const float x : c) EXPECT_EQ(x, 5.f);
}

TEST_F(Works, WhatThePlugInThrowsBecomesAStatus) {
  float left[4] = {};
  spk_dnmat_t L = nullptr, R = nullptr;
  ASSERT_OK(spk_dnmat_create(&L, 2, 2, 2, left, SPK_R_32F, SPK_ORDER_ROW));
  ASSERT_OK(spk_dnmat_create(&R, 2, 3, 3, b, SPK_R_32F, SPK_ORDER_ROW));
  EXPECT_REFUSED(spk_sddmm(handle, 0, 0, &alpha, L, R, &beta, A, SPK_COMPUTE_32F, 0, nullptr, 0),
                 SPK_STATUS_EXECUTION_FAILED, "thrown inside the plug-in");
  spk_dnmat_destroy(R);
  spk_dnmat_destroy(L);
}

TEST_F(Works, ADeviceThatIsNotThereIsRefusedWithItsReason) {
  spk_handle_t other = nullptr;
  EXPECT_REFUSED(create(&other, SPK_BACKEND_CUDA, 3), SPK_STATUS_BACKEND_UNAVAILABLE, "there is no device 3");
}

TEST_F(Works, PlansStayOnTheirBackend) {
  spk_plan_t plan = nullptr;
  ASSERT_OK(spk_spmm_plan_create(&plan, handle, 0, 0, A, B, C, SPK_COMPUTE_32F, 0, nullptr));
  spk_handle_t cpu = nullptr;
  ASSERT_OK(create(&cpu, SPK_BACKEND_CPU));
  EXPECT_REFUSED(spk_spmm_execute(cpu, plan, &alpha, A, B, &beta, C, nullptr, nullptr, 0), SPK_STATUS_INVALID_VALUE,
                 "backend cuda");
  spk_destroy(cpu);
  spk_plan_destroy(plan);
}

TEST(NoDevice, ReasonOfTheDriverIsKept) { expect_cpu_serves("driver too old for device 0"); }
TEST(OtherVersion, IsRefused) { expect_cpu_serves("another version"); }
TEST(OtherAbi, IsRefused) { expect_cpu_serves("another version"); }
TEST(NoEntry, IsRefused) { expect_cpu_serves("is no spk plug-in"); }
TEST(Missing, PathsThatWereSearchedAreNamed) { expect_cpu_serves("nowhere/libspk_cuda.so"); }

}  // namespace
