// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <gtest/gtest.h>
#include <spk/spk.h>

#include <cstring>
#include <string>
#include <vector>

namespace spk_test {

inline std::string last_error(spk_handle_t handle = nullptr) {
  size_t needed = 0;
  EXPECT_EQ(spk_last_error(handle, nullptr, 0, &needed), SPK_STATUS_SUCCESS);
  std::string text(needed, '\0');
  EXPECT_EQ(spk_last_error(handle, text.data(), text.size(), nullptr), SPK_STATUS_SUCCESS);
  text.resize(std::strlen(text.c_str()));
  return text;
}

// A call failed with this status, and its message names what was wrong.
#define EXPECT_REFUSED(call, expected_status, words)                                                   \
  do {                                                                                                 \
    const spk_status_t status_ = (call);                                                               \
    EXPECT_EQ(status_, expected_status) << spk_status_name(status_) << ": " << spk_test::last_error(); \
    EXPECT_NE(spk_test::last_error().find(words), std::string::npos) << spk_test::last_error();        \
  } while (false)

#define ASSERT_OK(call)                                                                                   \
  do {                                                                                                    \
    const spk_status_t status_ = (call);                                                                  \
    ASSERT_EQ(status_, SPK_STATUS_SUCCESS) << spk_status_name(status_) << ": " << spk_test::last_error(); \
  } while (false)

// A = [1 0 2; 0 3 0], B = [1 2; 3 4; 5 6], C 2 x 2, on the CPU: the smallest problem with something in every argument.
class SmallProblem : public ::testing::Test {
 protected:
  void SetUp() override {
    spk_config_t config{};
    config.struct_size = sizeof config;
    config.backend = SPK_BACKEND_CPU;
    ASSERT_OK(spk_create(&handle, &config));
    ASSERT_OK(
        spk_csr_create(&A, 2, 3, 3, offsets, columns, a, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_32F));
    ASSERT_OK(spk_dnmat_create(&B, 3, 2, 2, b, SPK_R_32F, SPK_ORDER_ROW));
    ASSERT_OK(spk_dnmat_create(&C, 2, 2, 2, c, SPK_R_32F, SPK_ORDER_ROW));
  }
  void TearDown() override {
    spk_dnmat_destroy(C);
    spk_dnmat_destroy(B);
    spk_spmat_destroy(A);
    spk_destroy(handle);
  }
  spk_status_t spmm() {
    return spk_spmm(handle, SPK_OP_N, SPK_OP_N, &alpha, A, B, &beta, C, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, nullptr, 0);
  }
  void expect_untouched() const {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(c[i], -7.f) << "C[" << i << "] was written by a call that failed";
  }
  void expect_product() const {
    EXPECT_EQ(c[0], 11.f);
    EXPECT_EQ(c[1], 14.f);
    EXPECT_EQ(c[2], 9.f);
    EXPECT_EQ(c[3], 12.f);
  }

  std::int32_t offsets[3] = {0, 2, 3};
  std::int32_t columns[3] = {0, 2, 1};
  float a[3] = {1, 2, 3};
  float b[6] = {1, 2, 3, 4, 5, 6};
  float c[4] = {-7, -7, -7, -7};
  float alpha = 1, beta = 0;
  spk_handle_t handle = nullptr;
  spk_spmat_t A = nullptr;
  spk_dnmat_t B = nullptr, C = nullptr;
};

}  // namespace spk_test
