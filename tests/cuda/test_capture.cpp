// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstring>

#include "cases/cuda_driver.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// Operations on streams of the caller: captured into graphs, and in the order of the stream.
namespace spk::test {
namespace {

using cases::CudaDriver;

class Capture : public ::testing::Test {
 protected:
  void SetUp() override {
    SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
    handle_ = std::make_unique<DeviceHandle>();
    SPK_ASSERT_OK(handle_->status());
    driver_ = CudaDriver::find();
    if (driver_ == nullptr) GTEST_SKIP() << "the device has no CUDA driver";
    stream_ = driver_->create_stream();
    SPK_ASSERT_OK(spk_set_stream(*handle_, stream_));
  }
  void TearDown() override {
    if (stream_ != nullptr) driver_->destroy_stream(stream_);
  }

  // A graph of one call gives what the call gives, also after its inputs have changed.
  void expect_replays(DeviceProblem& problem, const DeviceProblem::Call& call) {
    SCOPED_TRACE(call.name);
    const std::vector<float> start = call.result->written();
    std::size_t bytes = 0;
    SPK_ASSERT_OK(call.query(*handle_, &bytes));
    const DeviceArray<std::uint8_t> workspace(*handle_, std::vector<std::uint8_t>(bytes));
    void* const space = bytes == 0 ? nullptr : workspace.data();

    driver_->begin_capture(stream_);
    const spk_status_t captured = call.run(*handle_, space, bytes);
    void* const graph = driver_->end_capture(stream_);
    ASSERT_EQ(captured, SPK_STATUS_SUCCESS) << message();
    EXPECT_EQ(call.result->read(), start) << "a capture computed";

    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      problem.change(seed);
      call.result->write(start);
      driver_->launch(graph, stream_);
      const std::vector<float> replayed = call.result->read();
      call.result->write(start);
      SPK_ASSERT_OK(call.run(*handle_, space, bytes));
      EXPECT_EQ(replayed, call.result->read()) << "seed " << seed;
      EXPECT_NE(replayed, start) << "nothing was computed";
    }
    call.result->write(start);
    driver_->destroy_graph(graph);
  }

  std::unique_ptr<DeviceHandle> handle_;
  const CudaDriver* driver_ = nullptr;
  void* stream_ = nullptr;
};

TEST_F(Capture, EveryOperationReplaysWithChangedValues) {
  DeviceProblem problem(*handle_);
  for (const DeviceProblem::Call& call : problem.calls()) expect_replays(problem, call);
}

// One row holds more than other blocks could wait for.
TEST_F(Capture, RowsOverManyBlocksReplay) {
  DeviceProblem problem(*handle_, 64, 33, 20000);
  for (const DeviceProblem::Call& call : problem.calls()) expect_replays(problem, call);
}

TEST_F(Capture, EveryPlanReplaysWithChangedValues) {
  DeviceProblem problem(*handle_);
  for (const DeviceProblem::Call& call : problem.planned_calls(*handle_)) expect_replays(problem, call);
}

TEST_F(Capture, AWorkspaceOfTheHandleIsRefused) {
  DeviceProblem problem(*handle_);
  int refused = 0;
  for (const DeviceProblem::Call& call : problem.calls()) {
    SCOPED_TRACE(call.name);
    std::size_t bytes = 0;
    SPK_ASSERT_OK(call.query(*handle_, &bytes));
    const std::vector<float> start = call.result->read();
    driver_->begin_capture(stream_);
    const spk_status_t status = call.run(*handle_, nullptr, 0);
    const std::string text = status == SPK_STATUS_SUCCESS ? "" : message();
    driver_->destroy_graph(driver_->end_capture(stream_));  // the capture itself is not spoilt
    if (bytes == 0) {
      EXPECT_EQ(status, SPK_STATUS_SUCCESS) << text;
    } else {
      ++refused;
      EXPECT_EQ(status, SPK_STATUS_ALLOC_FAILED);
      EXPECT_NE(text.find("under stream capture the caller must bring it"), std::string::npos) << text;
    }
    EXPECT_EQ(call.result->read(), start);
  }
  EXPECT_GT(refused, 0) << "no call of the list needs workspace: it wants one that does";
}

TEST_F(Capture, ADotProductIntoHostMemoryIsRefused) {
  DeviceProblem problem(*handle_);
  std::size_t bytes = 0;
  SPK_ASSERT_OK(spk_spvv_workspace(*handle_, SPK_OP_N, problem.sparse, problem.bias_vec, SPK_COMPUTE_32F, &bytes));
  const DeviceArray<std::uint8_t> workspace(*handle_, std::vector<std::uint8_t>(bytes));
  float result = -7;
  const auto run = [&] {
    return spk_spvv(*handle_, SPK_OP_N, problem.sparse, problem.bias_vec, &result, SPK_COMPUTE_32F, workspace.data(),
                    bytes);
  };
  driver_->begin_capture(stream_);
  const spk_status_t status = run();
  const std::string text = message();
  driver_->destroy_graph(driver_->end_capture(stream_));  // the capture itself is not spoilt
  EXPECT_EQ(status, SPK_STATUS_NOT_SUPPORTED);
  EXPECT_NE(text.find("result is in host memory"), std::string::npos) << text;
  EXPECT_EQ(result, -7);
  SPK_ASSERT_OK(run());
  EXPECT_NE(result, -7);
}

// Calls that wait for the stream refuse, and neither end the capture nor leave anything in it.
TEST_F(Capture, WhatWaitsIsRefusedAndTheCaptureGoesOn) {
  DeviceProblem problem(*handle_);
  const DeviceProblem::Call spmm = problem.calls().front();
  run_alone(*handle_, spmm);
  const std::vector<float> want = problem.c->read(), start(want.size(), -7);
  problem.c->write(start);
  std::size_t bytes = 0;
  SPK_ASSERT_OK(spk_spmat_sort_workspace(*handle_, problem.coo, &bytes));
  const DeviceArray<std::uint8_t> workspace(*handle_, std::vector<std::uint8_t>(bytes + 1));
  spk_plan_t plan = nullptr;
  float number = 0;
  const std::pair<const char*, std::function<spk_status_t()>> waiting[] = {
      {"plan of a transposed matrix",
       [&] {
         return spk_spmm_plan_create(&plan, *handle_, SPK_OP_T, SPK_OP_N, problem.S, problem.L, problem.tallC,
                                     SPK_COMPUTE_32F, SPK_ALG_DEFAULT, nullptr);
       }},
      {"conversion",
       [&] { return spk_spmat_sort(*handle_, problem.coo, nullptr, workspace.data(), workspace.bytes()); }},
      {"validation", [&] { return spk_spmat_validate(*handle_, problem.S, nullptr); }},
      {"synchronize", [&] { return spk_synchronize(*handle_); }},
      {"upload", [&] { return spk_memory_upload(*handle_, problem.c->data(), &number, sizeof number); }},
      {"download", [&] { return spk_memory_download(*handle_, &number, problem.c->data(), sizeof number); }},
  };
  driver_->begin_capture(stream_);
  for (const auto& [name, call] : waiting) {
    EXPECT_EQ(call(), SPK_STATUS_NOT_SUPPORTED) << name << ": " << message();
    EXPECT_NE(message().find("the stream is being captured"), std::string::npos) << name << ": " << message();
  }
  EXPECT_EQ(plan, nullptr);
  const spk_status_t captured = spmm.run(*handle_, nullptr, 0);
  void* const graph = driver_->end_capture(stream_);
  ASSERT_EQ(captured, SPK_STATUS_SUCCESS) << message();
  EXPECT_EQ(problem.c->read(), start);
  driver_->launch(graph, stream_);
  EXPECT_EQ(problem.c->read(), want);
  driver_->destroy_graph(graph);
  for (const auto& [name, call] : waiting) EXPECT_EQ(call(), SPK_STATUS_SUCCESS) << name << ": " << message();
  spk_plan_destroy(plan);
}

TEST_F(Capture, WorkIsOrderedOnTheHandlesStream) {
  DeviceProblem problem(*handle_);
  const std::size_t b_bytes = problem.right->bytes(), c_bytes = problem.c->bytes();
  const std::vector<float> old_b = problem.right->written();
  const std::vector<float> new_b = draw_floats(99, problem.k * problem.n);
  const DeviceProblem::Call spmm = problem.calls().front();
  problem.right->write(new_b);
  run_alone(*handle_, spmm);
  const std::vector<float> want = problem.c->read();
  void* const sent = driver_->allocate_host(b_bytes);
  void* const got = driver_->allocate_host(c_bytes);
  std::memcpy(sent, new_b.data(), b_bytes);
  for (int turn = 0; turn < 20; ++turn) {
    problem.right->write(old_b);
    problem.c->write(std::vector<float>(want.size(), -7));
    // Queued while the stream is held up: B changes, the product, C goes home.
    driver_->pause(stream_, std::chrono::milliseconds(5));
    driver_->copy(problem.right->data(), sent, b_bytes, stream_);
    SPK_EXPECT_OK(spmm.run(*handle_, nullptr, 0));
    driver_->copy(got, problem.c->data(), c_bytes, stream_);
    driver_->wait(stream_);
    EXPECT_EQ(std::memcmp(got, want.data(), c_bytes), 0) << "turn " << turn;
  }
  driver_->free_host(sent);
  driver_->free_host(got);
}

TEST_F(Capture, AStreamMayGoRightAfterACall) {
  DeviceProblem problem(*handle_);
  const DeviceProblem::Call spmm = problem.calls().front();
  run_alone(*handle_, spmm);
  const std::vector<float> want = problem.c->read();
  for (int turn = 0; turn < 20; ++turn) {
    void* const stream = driver_->create_stream();
    problem.c->write(std::vector<float>(want.size(), -7));
    SPK_ASSERT_OK(spk_set_stream(*handle_, stream));
    SPK_ASSERT_OK(spmm.run(*handle_, nullptr, 0));
    driver_->wait(stream);
    SPK_ASSERT_OK(spk_set_stream(*handle_, stream_));
    driver_->destroy_stream(stream);
    EXPECT_EQ(problem.c->read(), want);
  }
}

}  // namespace
}  // namespace spk::test
