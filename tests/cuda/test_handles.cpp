// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <thread>

#include "cases/cuda_driver.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// Handles on devices: several threads, several devices, repeated calls, pointers of the wrong kind. Most of it also
// runs on a stand-in device.
namespace spk::test {
namespace {

using cases::CudaDriver;

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }
};

std::vector<std::vector<float>> results_of(spk_handle_t handle, const std::vector<DeviceProblem::Call>& calls) {
  std::vector<std::vector<float>> results;
  for (const DeviceProblem::Call& call : calls) {
    call.result->write(std::vector<float>(call.result->written().size(), -7));
    run_alone(handle, call);
    results.push_back(call.result->read());
  }
  return results;
}

TEST_F(OnDevice, DefaultResultsRepeatBitForBit) {
  const DeviceHandle handle;
  DeviceProblem problem(handle, 700, 65, 500);
  for (const bool planned : {false, true}) {
    const auto calls = planned ? problem.planned_calls(handle) : problem.calls();
    const auto first = results_of(handle, calls);
    for (int turn = 0; turn < 20; ++turn) EXPECT_EQ(results_of(handle, calls), first) << "turn " << turn;
  }
}

TEST_F(OnDevice, FourThreadsOnFourStreamsGiveTheResultsOfOne) {
  const DeviceHandle alone;
  const CudaDriver* driver = CudaDriver::find();  // a stand-in has no streams: the threads are tested there
  DeviceProblem problem(alone);
  const auto want = results_of(alone, problem.calls());
  std::vector<std::string> failures(4);
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < failures.size(); ++t) {
    team.emplace_back([&, t] {
      const DeviceHandle handle;
      if (driver != nullptr) driver->make_current(0);
      void* const stream = driver == nullptr ? nullptr : driver->create_stream();
      spk_set_stream(handle, stream);
      {
        DeviceProblem own(handle);
        const auto calls = own.calls();
        for (int turn = 0; turn < 25 && failures[t].empty(); ++turn)
          if (results_of(handle, calls) != want) failures[t] = "other results in turn " + std::to_string(turn);
      }
      if (driver != nullptr) driver->destroy_stream(stream);
    });
  }
  for (std::thread& thread : team) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

TEST_F(OnDevice, HostPointersAreRefusedArrayByArray) {
  const DeviceHandle handle;
  if (const CudaDriver* driver = CudaDriver::find(); driver != nullptr && driver->reads_pageable_memory())
    GTEST_SKIP() << "this device follows every pointer of the host";
  DeviceProblem problem(handle);
  const auto calls = problem.calls();
  const DeviceProblem::Call& spmm = calls.front();
  run_alone(handle, spmm);
  const std::vector<float> before = problem.c->read();
  std::vector<float> host(static_cast<std::size_t>(problem.k * problem.n + problem.nnz), 3);
  std::vector<std::int32_t> host_indices(static_cast<std::size_t>(problem.nnz + problem.m + 1), 0);
  const auto expect_refused = [&](spk_status_t status, const char* words) {
    EXPECT_EQ(status, SPK_STATUS_INVALID_VALUE) << words;
    const std::string text = message(handle);
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_NE(text.find("is host memory, which the device cannot read"), std::string::npos) << text;
  };
  SPK_ASSERT_OK(spk_dnmat_set_values(problem.B, host.data()));
  expect_refused(spmm.run(handle, nullptr, 0), "spk_spmm_epilogue: matB's values = 0x");
  SPK_ASSERT_OK(spk_dnmat_set_values(problem.B, problem.right->data()));
  SPK_ASSERT_OK(spk_dnmat_set_values(problem.C, host.data()));
  expect_refused(spmm.run(handle, nullptr, 0), "matC's values = 0x");
  SPK_ASSERT_OK(spk_dnmat_set_values(problem.C, problem.c->data()));
  const auto point = [&](const void* offsets, const void* columns, const void* values) {
    SPK_EXPECT_OK(spk_spmat_set_pointers(problem.S, const_cast<void*>(offsets), const_cast<void*>(columns),
                                         const_cast<void*>(values)));
  };
  point(host_indices.data(), problem.columns->data(), problem.values->data());
  expect_refused(spmm.run(handle, nullptr, 0), "matA's offsets = 0x");
  expect_refused(spk_spmat_validate(handle, problem.S, nullptr), "mat's offsets = 0x");
  spk_plan_t plan = nullptr;
  expect_refused(spk_spmm_plan_create(&plan, handle, SPK_OP_N, SPK_OP_N, problem.S, problem.B, problem.C,
                                      SPK_COMPUTE_32F, SPK_ALG_DEFAULT, nullptr),
                 "the sparse matrix's offsets = 0x");
  point(problem.offsets->data(), host_indices.data(), problem.values->data());
  expect_refused(spmm.run(handle, nullptr, 0), "matA's column indices = 0x");
  point(problem.offsets->data(), problem.columns->data(), host.data());
  expect_refused(spmm.run(handle, nullptr, 0), "matA's values = 0x");
  point(problem.offsets->data(), problem.columns->data(), problem.values->data());
  SPK_ASSERT_OK(spk_set_pointer_mode(handle, SPK_POINTER_MODE_DEVICE));
  expect_refused(spmm.run(handle, nullptr, 0), "alpha = 0x");
  SPK_ASSERT_OK(spk_set_pointer_mode(handle, SPK_POINTER_MODE_HOST));
  expect_refused(spk_memory_upload(handle, host.data(), host.data(), 4), "device = 0x");
  // Nothing was written, and the handle goes on.
  EXPECT_EQ(problem.c->read(), before);
  run_alone(handle, spmm);
  EXPECT_EQ(problem.c->read(), before);
  EXPECT_EQ(host, std::vector<float>(host.size(), 3));
}

TEST_F(OnDevice, DeviceScalarsAreRefusedInHostPointerMode) {
  const DeviceHandle handle;
  if (CudaDriver::find() == nullptr) GTEST_SKIP() << "the device has no CUDA driver to ask about pointers";
  DeviceProblem problem(handle);
  const DeviceArray<float> scalar(handle, {2});
  EXPECT_EQ(spk_spmm(handle, SPK_OP_N, SPK_OP_N, scalar.data(), problem.S, problem.B, &problem.beta, problem.C,
                     SPK_COMPUTE_32F, SPK_ALG_DEFAULT, nullptr, 0),
            SPK_STATUS_INVALID_VALUE);
  EXPECT_NE(message(handle).find("alpha = 0x"), std::string::npos) << message(handle);
}

TEST_F(OnDevice, DeviceMemoryIsRefusedByTheCpu) {
  const DeviceHandle handle;
  if (CudaDriver::find() == nullptr) GTEST_SKIP() << "the device has no CUDA driver to ask about pointers";
  DeviceProblem problem(handle);
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = SPK_BACKEND_CPU;
  spk_handle_t cpu = nullptr;
  SPK_ASSERT_OK(spk_create(&cpu, &config));
  const DeviceProblem::Call spmm = problem.calls().front();
  EXPECT_EQ(spmm.run(cpu, nullptr, 0), SPK_STATUS_INVALID_VALUE);
  EXPECT_NE(message(cpu).find("is memory of a CUDA device, which the CPU cannot read"), std::string::npos)
      << message(cpu);
  spk_destroy(cpu);
}

TEST_F(OnDevice, EveryDeviceHasHandlesOfItsOwn) {
  std::vector<std::unique_ptr<DeviceHandle>> handles;
  for (int device = 0;; ++device) {
    auto handle = std::make_unique<DeviceHandle>(device);
    if (handle->status() != SPK_STATUS_SUCCESS) {
      EXPECT_EQ(handle->status(), SPK_STATUS_BACKEND_UNAVAILABLE) << message();
      EXPECT_NE(message().find("there is no device " + std::to_string(device)), std::string::npos) << message();
      break;
    }
    handles.push_back(std::move(handle));
  }
  ASSERT_FALSE(handles.empty());
  std::vector<std::unique_ptr<DeviceProblem>> problems;
  for (const auto& handle : handles) problems.push_back(std::make_unique<DeviceProblem>(*handle));
  const auto want = results_of(*handles.front(), problems.front()->calls());
  // In turn, so that the current device changes with every call.
  for (int turn = 0; turn < 3; ++turn)
    for (std::size_t device = 0; device < handles.size(); ++device)
      EXPECT_EQ(results_of(*handles[device], problems[device]->calls()), want) << "device " << device;
}

}  // namespace
}  // namespace spk::test
