// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace {

// A block of 16 bytes of every kind.
struct Copies : testing::Test {
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&device, 16), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&other, 16), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed, 16), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaFree(device), cudaSuccess);
    EXPECT_EQ(cudaFree(other), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
    EXPECT_EQ(cudaFree(managed), cudaSuccess);
    cudaGetLastError();
  }
  char *device = nullptr, *other = nullptr, *pinned = nullptr, *managed = nullptr;
  char own[16] = "spk host memory";
};

TEST_F(Copies, GoThereAndBack) {
  char back[16] = "";
  EXPECT_EQ(cudaMemcpy(device, own, 16, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(other, device, 16, cudaMemcpyDeviceToDevice, cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(managed, other, 16, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(pinned, managed, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back, pinned, 16, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_STREQ(back, own);
}

TEST_F(Copies, RefuseMemoryOfTheWrongKind) {
  EXPECT_EQ(cudaMemcpy(own, device, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, own, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, own, 16, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(own, device, 16, cudaMemcpyHostToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, other, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_STREQ(own, "spk host memory");
}

TEST_F(Copies, TakePinnedAndManagedMemoryOnEitherSide) {
  EXPECT_EQ(cudaMemcpy(pinned, own, 16, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(managed, pinned, 16, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(pinned, managed, 16, cudaMemcpyHostToHost), cudaSuccess);
}

TEST_F(Copies, RefuseToLeaveABlock) {
  std::vector<char> large(64);
  EXPECT_EQ(cudaMemcpy(device, large.data(), 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device + 8, large.data(), 9, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(large.data(), device + 1, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(large.data(), pinned, 17, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device + 8, large.data(), 8, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(device + 1, 0, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device, 0, std::numeric_limits<std::size_t>::max()), cudaErrorInvalidValue);
}

TEST_F(Copies, RefuseNullAndUnknownDirections) {
  EXPECT_EQ(cudaMemcpy(nullptr, own, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, nullptr, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  int number = 5;  // not a constant: no such enumerator exists
  cudaMemcpyKind kind;
  static_assert(sizeof kind == sizeof number);
  __builtin_memcpy(&kind, &number, sizeof kind);
  EXPECT_EQ(cudaMemcpy(device, own, 1, kind), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy2D(device, 1, own, 1, 1, 1, kind), cudaErrorInvalidMemcpyDirection);
}

TEST_F(Copies, FillDeviceMemoryOnly) {
  EXPECT_EQ(cudaMemset(device, 7, 16), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(device + 4, 9, 4, cudaStreamLegacy), cudaSuccess);
  EXPECT_EQ(device[3], 7);
  EXPECT_EQ(device[4], 9);
  EXPECT_EQ(device[7], 9);
  EXPECT_EQ(device[8], 7);
  EXPECT_EQ(cudaMemset(own, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaSuccess);
}

TEST_F(Copies, MoveRowsAndLeaveThePaddingAlone) {
  char* rows = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&rows, &pitch, 3, 4), cudaSuccess);
  EXPECT_GE(pitch, 3u);
  ASSERT_EQ(cudaMemset2D(rows, pitch, 1, pitch, 4), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(rows, pitch, own, 4, 3, 4, cudaMemcpyHostToDevice), cudaSuccess);
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rows[row * pitch + i], own[row * 4 + i]);
    for (std::size_t i = 3; i < pitch; ++i) EXPECT_EQ(rows[row * pitch + i], 1);
  }
  ASSERT_EQ(cudaMemset2DAsync(rows, pitch, 5, 2, 4), cudaSuccess);
  EXPECT_EQ(rows[3 * pitch + 1], 5);
  EXPECT_EQ(rows[3 * pitch + 2], own[14]);
  EXPECT_EQ(cudaFree(rows), cudaSuccess);
}

TEST_F(Copies, RefuseRowsThatDoNotFit) {
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(cudaMemcpy2D(device, 4, own, 4, 4, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(device, 4, own, 4, 5, 1, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, 5, own, 4, 4, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DAsync(device, 8, own, 4, 4, huge, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2D(nullptr, 4, nullptr, 4, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(device, 4, 0, 4, 5), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(device, 4, 0, 5, 2), cudaErrorInvalidPitchValue);
}

}  // namespace
