// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <array>
#include <cstring>

#include "capi/contract.hpp"
#include "support/require.hpp"

// AddressSanitizer ends the process at a size that cannot be had; here it must answer as any allocator does.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

// The memory calls on every backend that is here.
namespace {

class Memory : public ::testing::TestWithParam<spk_backend_t> {
 protected:
  void SetUp() override {
    SPK_SKIP_WITHOUT_BACKEND(GetParam());
    spk_config_t config{};
    config.struct_size = sizeof config;
    config.backend = GetParam();
    ASSERT_OK(spk_create(&handle, &config));
  }
  void TearDown() override { spk_destroy(handle); }

  spk_handle_t handle = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Backends, Memory, ::testing::Values(SPK_BACKEND_CPU, SPK_BACKEND_CUDA, SPK_BACKEND_REFERENCE),
                         [](const auto& parameter) {
                           return parameter.param == SPK_BACKEND_CPU    ? "Cpu"
                                  : parameter.param == SPK_BACKEND_CUDA ? "Cuda"
                                                                        : "Reference";
                         });

TEST_P(Memory, IsAlignedAndCarriesWhatIsCopied) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{100001}}) {
    void* device = nullptr;
    ASSERT_OK(spk_memory_alloc(handle, bytes, &device));
    ASSERT_NE(device, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device) % 256, 0u);
    std::string sent(bytes, '\0'), got(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<char>(i * 7 + bytes);
    ASSERT_OK(spk_memory_upload(handle, device, sent.data(), bytes));
    ASSERT_OK(spk_memory_download(handle, got.data(), device, bytes));
    EXPECT_EQ(got, sent);
    // A part of it, at addresses that no element is aligned to.
    if (bytes > 10) {
      ASSERT_OK(spk_memory_upload(handle, static_cast<char*>(device) + 3, "spk", 3));
      ASSERT_OK(spk_memory_download(handle, got.data(), static_cast<char*>(device) + 1, 7));
      EXPECT_EQ(got.substr(0, 7), sent.substr(1, 2) + "spk" + sent.substr(6, 2));
    }
    ASSERT_OK(spk_memory_free(handle, device, bytes));
  }
}

TEST_P(Memory, NoBytesAreNull) {
  auto* device = reinterpret_cast<void*>(16);
  ASSERT_OK(spk_memory_alloc(handle, 0, &device));
  EXPECT_EQ(device, nullptr);
  ASSERT_OK(spk_memory_upload(handle, nullptr, nullptr, 0));
  ASSERT_OK(spk_memory_download(handle, nullptr, nullptr, 0));
  ASSERT_OK(spk_memory_free(handle, nullptr, 0));
}

TEST_P(Memory, TooMuchIsAllocFailed) {
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 4096}) {
    auto* device = reinterpret_cast<void*>(16);
    EXPECT_REFUSED(spk_memory_alloc(handle, bytes, &device), SPK_STATUS_ALLOC_FAILED,
                   "no memory for bytes = " + std::to_string(bytes));
    EXPECT_EQ(device, nullptr);
  }
  void* device = nullptr;  // a failure leaves nothing behind
  ASSERT_OK(spk_memory_alloc(handle, 64, &device));
  ASSERT_OK(spk_memory_free(handle, device, 64));
}

TEST_P(Memory, RefusesBadArguments) {
  void* device = nullptr;
  char host[8] = "1234567";
  ASSERT_OK(spk_memory_alloc(handle, 8, &device));
  ASSERT_OK(spk_memory_upload(handle, device, host, 8));
  void* none = reinterpret_cast<void*>(16);
  EXPECT_REFUSED(spk_memory_alloc(nullptr, 8, &none), SPK_STATUS_INVALID_VALUE, "handle is NULL");
  EXPECT_EQ(none, nullptr);
  EXPECT_REFUSED(spk_memory_alloc(handle, 8, nullptr), SPK_STATUS_INVALID_VALUE, "pointer is NULL");
  EXPECT_REFUSED(spk_memory_free(nullptr, device, 8), SPK_STATUS_INVALID_VALUE, "handle is NULL");
  EXPECT_REFUSED(spk_memory_free(handle, nullptr, 8), SPK_STATUS_INVALID_VALUE, "pointer is NULL but bytes = 8");
  EXPECT_REFUSED(spk_memory_free(handle, device, 0), SPK_STATUS_INVALID_VALUE, "bytes = 0 but pointer = ");
  EXPECT_REFUSED(spk_memory_upload(nullptr, device, host, 8), SPK_STATUS_INVALID_VALUE, "handle is NULL");
  EXPECT_REFUSED(spk_memory_upload(handle, nullptr, host, 8), SPK_STATUS_INVALID_VALUE, "device is NULL but bytes = 8");
  EXPECT_REFUSED(spk_memory_upload(handle, device, nullptr, 8), SPK_STATUS_INVALID_VALUE, "host is NULL but bytes = 8");
  EXPECT_REFUSED(spk_memory_download(nullptr, host, device, 8), SPK_STATUS_INVALID_VALUE, "handle is NULL");
  EXPECT_REFUSED(spk_memory_download(handle, nullptr, device, 8), SPK_STATUS_INVALID_VALUE, "host is NULL");
  EXPECT_REFUSED(spk_memory_download(handle, host, nullptr, 8), SPK_STATUS_INVALID_VALUE, "device is NULL");
  EXPECT_STREQ(host, "1234567");
  char back[8] = "";
  ASSERT_OK(spk_memory_download(handle, back, device, 8));
  EXPECT_STREQ(back, "1234567") << "written by a call that was refused";
  ASSERT_OK(spk_memory_free(handle, device, 8));
}

// A product whose arrays all come from the memory calls: the same lines for every backend.
TEST_P(Memory, ServesOperations) {
  const std::array<std::int32_t, 3> offsets{0, 2, 3};
  const std::array<std::int32_t, 3> columns{0, 2, 1};
  const std::array<float, 3> a{1, 2, 3};
  const std::array<float, 6> b{1, 2, 3, 4, 5, 6};
  std::array<float, 4> c{-7, -7, -7, -7};
  std::vector<std::pair<void*, std::size_t>> blocks;
  const auto place = [&](const auto& array) {
    void* device = nullptr;
    EXPECT_EQ(spk_memory_alloc(handle, sizeof array, &device), SPK_STATUS_SUCCESS);
    EXPECT_EQ(spk_memory_upload(handle, device, array.data(), sizeof array), SPK_STATUS_SUCCESS);
    blocks.emplace_back(device, sizeof array);
    return device;
  };
  spk_spmat_t A = nullptr;
  spk_dnmat_t B = nullptr, C = nullptr;
  ASSERT_OK(spk_csr_create(&A, 2, 3, 3, place(offsets), place(columns), place(a), SPK_INDEX_32I, SPK_INDEX_32I,
                           SPK_INDEX_BASE_ZERO, SPK_R_32F));
  ASSERT_OK(spk_dnmat_create(&B, 3, 2, 2, place(b), SPK_R_32F, SPK_ORDER_ROW));
  void* result = place(c);
  ASSERT_OK(spk_dnmat_create(&C, 2, 2, 2, result, SPK_R_32F, SPK_ORDER_ROW));
  const float alpha = 1, beta = 0;
  ASSERT_OK(spk_spmm(handle, SPK_OP_N, SPK_OP_N, &alpha, A, B, &beta, C, SPK_COMPUTE_32F, SPK_ALG_DEFAULT, nullptr, 0));
  ASSERT_OK(spk_memory_download(handle, c.data(), result, sizeof c));
  EXPECT_EQ(c, (std::array<float, 4>{11, 14, 9, 12}));
  spk_dnmat_destroy(C);
  spk_dnmat_destroy(B);
  spk_spmat_destroy(A);
  for (const auto& [pointer, bytes] : blocks) EXPECT_EQ(spk_memory_free(handle, pointer, bytes), SPK_STATUS_SUCCESS);
}

}  // namespace
