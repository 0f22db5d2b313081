// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

TEST(Streams, KeepFlagsAndPriority) {
  int least = 1, greatest = 1, priority = 1;
  unsigned int flags = 7;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_LE(greatest, least);
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 100), cudaSuccess);
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(Streams, FixedNamesAlwaysWork) {
  for (cudaStream_t stream : {static_cast<cudaStream_t>(nullptr), cudaStreamLegacy, cudaStreamPerThread}) {
    unsigned int flags = 7;
    int priority = 7;
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
    EXPECT_EQ(priority, 0);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  }
  cudaGetLastError();
}

TEST(Streams, AreRefusedOnceTheyAreDestroyed) {
  cudaStream_t stream = nullptr;
  char *block = nullptr, own[4] = "spk";
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&block, 4, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemcpyAsync(block, own, 4, cudaMemcpyHostToDevice, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemsetAsync(block, 0, 4, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFreeAsync(block, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFree(block), cudaSuccess);
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Streams, HostFunctionsAreCalled) {
  int calls = 0;
  const auto count = [](void* user) { ++*static_cast<int*>(user); };
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, count, &calls), cudaSuccess);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, nullptr, &calls), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Events, MeasureTheTimeBetween) {
  cudaEvent_t start = nullptr, stop = nullptr;
  float forth = 0, back = 0;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(start), cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  ASSERT_EQ(cudaEventRecord(stop, cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(stop), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, stop), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&forth, start, stop), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&back, stop, start), cudaSuccess);
  EXPECT_GE(forth, 3.0f);
  EXPECT_EQ(back, -forth);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
}

TEST(Events, WithoutATimeHaveNoneToGive) {
  cudaEvent_t fresh = nullptr, untimed = nullptr, timed = nullptr;
  float ms = 7;
  ASSERT_EQ(cudaEventCreate(&fresh), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&timed), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&untimed, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(timed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(untimed), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, fresh, timed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&ms, timed, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(nullptr, timed, timed), cudaErrorInvalidValue);
  EXPECT_EQ(ms, 7);
  for (cudaEvent_t event : {fresh, timed, untimed}) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(timed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(timed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventCreate(&fresh, 0x80), cudaErrorInvalidValue);
  cudaGetLastError();
}

}  // namespace
