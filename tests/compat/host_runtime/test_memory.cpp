// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace {

TEST(Memory, NoBytesGiveSuccessAndNull) {
  int some = 0;
  for (auto allocate : {+[](void** p) { return cudaMalloc(p, 0); }, +[](void** p) { return cudaMallocHost(p, 0); },
                        +[](void** p) { return cudaMallocAsync(p, 0, nullptr); }}) {
    void* block = &some;
    EXPECT_EQ(allocate(&block), cudaSuccess);
    EXPECT_EQ(block, nullptr);
  }
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(nullptr), cudaSuccess);
}

TEST(Memory, FreshBlocksAreAlignedAndFilledWithNan) {
  for (auto [allocate, free] : {std::pair(
                                    +[](void** p) { return cudaMalloc(p, 1000); }, &cudaFree),
                                std::pair(
                                    +[](void** p) { return cudaMallocAsync(p, 1000, nullptr); }, &cudaFree),
                                std::pair(
                                    +[](void** p) { return cudaMallocManaged(p, 1000); }, &cudaFree),
                                std::pair(
                                    +[](void** p) { return cudaHostAlloc(p, 1000, 0); }, &cudaFreeHost)}) {
    void* block = nullptr;
    ASSERT_EQ(allocate(&block), cudaSuccess);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0u);
    const auto* bytes = static_cast<const unsigned char*>(block);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(bytes[i], 0xFF) << i;
    EXPECT_EQ(free(block), cudaSuccess);
  }
}

TEST(Memory, WhatTheMachineCannotHoldIsRefused) {
  int some = 0;
  void* block = &some;
  std::size_t pitch = 7;
  EXPECT_EQ(cudaMalloc(&block, std::numeric_limits<std::size_t>::max()), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&block, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&block, &pitch, std::size_t{1} << 40, std::size_t{1} << 40), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&block, &pitch, std::numeric_limits<std::size_t>::max(), 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(block, &some);
  EXPECT_EQ(pitch, 7u);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST(Memory, BadArgumentsAreRefused) {
  void* block = nullptr;
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocHost(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostAlloc(&block, 4, 0x100), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&block, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&block, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocPitch(&block, nullptr, 4, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemGetInfo(nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(block, nullptr);
  cudaGetLastError();
}

TEST(Memory, OnlyWholeBlocksOfTheRightKindAreFreed) {
  char own[8];
  char *device = nullptr, *pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 8), cudaSuccess);
  EXPECT_EQ(cudaFree(own), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Memory, PointersTellWhatTheyAre) {
  struct Case {
    const void* pointer;
    cudaMemoryType type;
    bool has_device, has_host;
  };
  char own[8], mine[8];
  char *device = nullptr, *pinned = nullptr, *managed = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 8), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 8), cudaSuccess);
  ASSERT_EQ(cudaHostRegister(mine, 8, 0), cudaSuccess);
  for (const Case& one :
       {Case{own, cudaMemoryTypeUnregistered, false, true}, Case{device + 7, cudaMemoryTypeDevice, true, false},
        Case{device + 8, cudaMemoryTypeUnregistered, false, true}, Case{pinned, cudaMemoryTypeHost, true, true},
        Case{managed, cudaMemoryTypeManaged, true, true}, Case{mine, cudaMemoryTypeHost, true, true}}) {
    cudaPointerAttributes got = {};
    ASSERT_EQ(cudaPointerGetAttributes(&got, one.pointer), cudaSuccess);
    EXPECT_EQ(got.type, one.type);
    EXPECT_EQ(got.device, one.type == cudaMemoryTypeUnregistered ? cudaInvalidDeviceId : 0);
    EXPECT_EQ(got.devicePointer, one.has_device ? one.pointer : nullptr);
    EXPECT_EQ(got.hostPointer, one.has_host ? one.pointer : nullptr);
  }
  EXPECT_EQ(cudaHostUnregister(mine), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST(Memory, RegisteredRangesDoNotOverlap) {
  char own[64];
  char* mapped = nullptr;
  ASSERT_EQ(cudaHostRegister(own + 16, 16, cudaHostRegisterMapped), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(own + 16, 16, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostRegister(own, 17, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostRegister(own + 31, 1, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostRegister(own, 16, 0), cudaSuccess);
  EXPECT_EQ(cudaHostGetDevicePointer(&mapped, own + 16, 0), cudaSuccess);
  EXPECT_EQ(mapped, own + 16);
  EXPECT_EQ(cudaHostGetDevicePointer(&mapped, own + 40, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(own), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(own), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostUnregister(own + 16), cudaSuccess);
  cudaGetLastError();
}

TEST(Memory, FreeMemoryShrinksByWhatIsTaken) {
  std::size_t before = 0, after = 0, total = 0;
  char* block = nullptr;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&block, 12345), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(before - after, 12345u);
  EXPECT_LE(before, total);
  EXPECT_EQ(cudaFree(block), cudaSuccess);
}

TEST(Memory, ResetFreesEverything) {
  char *device = nullptr, *pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 8), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Memory, ThreadsAllocateAndFreeAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        int *block = nullptr, back = -1;
        const int value = 1000 * t + i;
        ASSERT_EQ(cudaMalloc(&block, sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(block, &value, sizeof value, cudaMemcpyHostToDevice), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(&back, block, sizeof back, cudaMemcpyDeviceToHost), cudaSuccess);
        ASSERT_EQ(back, value);
        ASSERT_EQ(cudaFree(block), cudaSuccess);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
