// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "capi/contract.hpp"

// Threads, fork and the end of a process.
namespace {

// A product large enough for several threads.
struct LargeProblem {
  static constexpr int kSize = 512;
  std::vector<std::int32_t> offsets, columns;
  std::vector<float> a, b, c;
  LargeProblem() : offsets(kSize + 1), a(kSize * 64), b(kSize * kSize), c(kSize * kSize) {
    for (int i = 0; i < kSize; ++i) {
      for (int t = 0; t < 64; ++t) columns.push_back((i * 7 + t * 8) % kSize);
      offsets[static_cast<size_t>(i) + 1] = static_cast<std::int32_t>(columns.size());
    }
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 5) - 2;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
  }
  // True if the call succeeds and gives the sums.
  bool run(spk_handle_t handle) {
    spk_spmat_t A = nullptr;
    spk_dnmat_t B = nullptr, C = nullptr;
    spk_csr_create(&A, kSize, kSize, static_cast<std::int64_t>(a.size()), offsets.data(), columns.data(), a.data(),
                   SPK_INDEX_32I, SPK_INDEX_32I, 0, SPK_R_32F);
    spk_dnmat_create(&B, kSize, kSize, kSize, b.data(), SPK_R_32F, SPK_ORDER_ROW);
    spk_dnmat_create(&C, kSize, kSize, kSize, c.data(), SPK_R_32F, SPK_ORDER_ROW);
    const float one = 1, zero = 0;
    const spk_status_t status = spk_spmm(handle, 0, 0, &one, A, B, &zero, C, SPK_COMPUTE_32F, 0, nullptr, 0);
    spk_dnmat_destroy(C);
    spk_dnmat_destroy(B);
    spk_spmat_destroy(A);
    if (status != SPK_STATUS_SUCCESS) return false;
    for (const size_t i : {size_t{0}, size_t{100}, size_t{511}})
      for (const size_t j : {size_t{0}, size_t{3}, size_t{510}}) {
        float sum = 0;
        for (size_t t = i * 64; t < i * 64 + 64; ++t) sum += a[t] * b[static_cast<size_t>(columns[t]) * kSize + j];
        if (c[i * kSize + j] != sum) return false;
      }
    return true;
  }
};

spk_handle_t make_handle(std::int32_t threads) {
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = SPK_BACKEND_CPU;
  config.num_threads = threads;
  spk_handle_t handle = nullptr;
  EXPECT_EQ(spk_create(&handle, &config), SPK_STATUS_SUCCESS);
  return handle;
}

TEST(Fork, ChildMultipliesAfterTheParentUsedThreads) {
  spk_handle_t handle = make_handle(2);
  LargeProblem problem;
  ASSERT_TRUE(problem.run(handle));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a child that hangs is ended, and the parent sees a signal
    spk_handle_t own = make_handle(2);
    const bool right = problem.run(handle) && problem.run(own);
    _exit(right ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state)) << "the child was ended by signal " << WTERMSIG(state);
  EXPECT_EQ(WEXITSTATUS(state), 0);
  EXPECT_TRUE(problem.run(handle)) << "the parent goes on with threads";
  spk_destroy(handle);
}

TEST(Threads, OneHandleEachAtTheSameTime) {
  bool right[4] = {};
  std::vector<std::thread> threads;
  for (bool& mine : right)
    threads.emplace_back([&mine] {
      spk_handle_t handle = make_handle(2);
      LargeProblem problem;
      mine = true;
      for (int i = 0; i < 5; ++i) mine = mine && problem.run(handle);
      spk_destroy(handle);
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool mine : right) EXPECT_TRUE(mine);
}

TEST(Threads, AskingForFarMoreThanThereAreGivesTheSameBits) {
  LargeProblem one, many;
  spk_handle_t serial = make_handle(1);
  spk_handle_t crowd = make_handle(64);
  ASSERT_TRUE(one.run(serial));
  ASSERT_TRUE(many.run(crowd));
  EXPECT_EQ(std::memcmp(one.c.data(), many.c.data(), one.c.size() * sizeof(float)), 0);
  spk_destroy(crowd);
  spk_destroy(serial);
}

}  // namespace
