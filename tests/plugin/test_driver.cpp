// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <dlfcn.h>

#include <cstdlib>

#include "capi/contract.hpp"
#include "plugin/fake_driver.hpp"

// Host backends beside a CUDA driver: memory that only a device reads is refused, array by array.
namespace {

class Driver : public spk_test::SmallProblem {
 protected:
  // The driver is there before the first handle is, as in a program that hands device memory over.
  static void SetUpTestSuite() {
    const char* file = std::getenv("FAKE_DRIVER_FILE");
    ASSERT_NE(file, nullptr);
    void* library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_NE(library, nullptr) << dlerror();
    mark = reinterpret_cast<decltype(&fake_driver_mark)>(dlsym(library, "fake_driver_mark"));
    ASSERT_NE(mark, nullptr);
    mark(device, sizeof device, 2, false);
    mark(managed, sizeof managed, 2, true);
    mark(registered, sizeof registered, 1, false);
  }

  void expect_refused(spk_status_t status, const char* words) const {
    EXPECT_EQ(status, SPK_STATUS_INVALID_VALUE);
    const std::string text = spk_test::last_error();
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_NE(text.find("is memory of a CUDA device, which the CPU cannot read"), std::string::npos) << text;
    expect_untouched();
  }

  static decltype(&fake_driver_mark) mark;
  alignas(256) static inline float device[64], managed[64], registered[64];
};
decltype(&fake_driver_mark) Driver::mark = nullptr;

TEST_F(Driver, HostMemoryServes) {
  ASSERT_OK(spmm());
  expect_product();
}

TEST_F(Driver, ManagedAndRegisteredMemoryServes) {
  for (float* place : {managed, registered}) {
    std::memcpy(place, b, sizeof b);
    ASSERT_OK(spk_dnmat_set_values(B, place));
    ASSERT_OK(spmm());
    expect_product();
  }
}

TEST_F(Driver, DeviceMemoryIsRefusedArrayByArray) {
  ASSERT_OK(spk_dnmat_set_values(B, device));
  expect_refused(spmm(), "spk_spmm: matB's values = 0x");
  ASSERT_OK(spk_dnmat_set_values(B, b));
  ASSERT_OK(spk_dnmat_set_values(C, device + 1));
  expect_refused(spmm(), "spk_spmm: matC's values = 0x");
  ASSERT_OK(spk_dnmat_set_values(C, c));
  ASSERT_OK(spk_spmat_set_pointers(A, device, columns, a));
  expect_refused(spmm(), "spk_spmm: matA's offsets = 0x");
  expect_refused(spk_spmat_validate(handle, A, nullptr), "spk_spmat_validate: mat's offsets = 0x");
  spk_const_spmat_t slice = nullptr;
  expect_refused(spk_spmat_slice_rows(handle, A, 0, 1, &slice), "spk_spmat_slice_rows: mat's offsets = 0x");
  spk_plan_t plan = nullptr;
  expect_refused(spk_spmm_plan_create(&plan, handle, 0, 0, A, B, C, SPK_COMPUTE_32F, 0, nullptr),
                 "spk_spmm_plan_create: the sparse matrix's offsets = 0x");
  EXPECT_EQ(plan, nullptr);
  ASSERT_OK(spk_spmat_set_pointers(A, offsets, device, a));
  expect_refused(spmm(), "spk_spmm: matA's column indices = 0x");
  ASSERT_OK(spk_spmat_set_pointers(A, offsets, columns, device));
  expect_refused(spmm(), "spk_spmm: matA's values = 0x");
}

TEST_F(Driver, ScalarsInDeviceMemoryAreRefused) {
  expect_refused(spk_spmm(handle, 0, 0, device, A, B, &beta, C, SPK_COMPUTE_32F, 0, nullptr, 0), "alpha = 0x");
  expect_refused(spk_spmm(handle, 0, 0, &alpha, A, B, device, C, SPK_COMPUTE_32F, 0, nullptr, 0), "beta = 0x");
}

TEST_F(Driver, ArraysThatAreNotLookedAtMayBeAnything) {
  alpha = 0;
  ASSERT_OK(spk_dnmat_set_values(B, device));
  ASSERT_OK(spmm());
  for (const float x : c) EXPECT_EQ(x, 0.f);
}

TEST_F(Driver, ConversionsAndSoftmaxRefuseToo) {
  ASSERT_OK(spk_dnmat_set_values(B, device));
  spk_spmat_t result = nullptr;
  ASSERT_OK(spk_csr_create(&result, 3, 2, 0, offsets, nullptr, nullptr, SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F));
  expect_refused(spk_dense_to_sparse_analyze(handle, B, result, nullptr, 0), "matA's values = 0x");
  spk_spmat_destroy(result);
  expect_refused(spk_softmax(handle, 1, A, reinterpret_cast<std::uint8_t*>(device), A, 0, nullptr, 0), "mask = 0x");
  expect_refused(spk_spmat_sort(handle, A, reinterpret_cast<std::int64_t*>(device), nullptr, 0), "permutation = 0x");
}

TEST_F(Driver, MemoryCallsRefuseToo) {
  expect_refused(spk_memory_upload(handle, device, c, sizeof c), "spk_memory_upload: device = 0x");
  expect_refused(spk_memory_download(handle, device, c, sizeof c), "spk_memory_download: host = 0x");
  expect_refused(spk_memory_free(handle, device, 16), "spk_memory_free: pointer = 0x");
}

}  // namespace
