// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

// GoogleTest's main. SPK_TEST_STACK = N runs all tests on a thread with N bytes of stack above the least that the
// system allows, as an application's threads may have: what needs more ends in a crash.
namespace {

void* run_all(void* result) {
  *static_cast<int*>(result) = RUN_ALL_TESTS();
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* bytes = std::getenv("SPK_TEST_STACK");
  if (bytes == nullptr) return RUN_ALL_TESTS();
  const std::size_t size = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN) + std::atol(bytes));
  int result = 1;
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, (size + 4095) / 4096 * 4096) != 0 ||
      pthread_create(&thread, &attributes, run_all, &result) != 0) {
    std::fprintf(stderr, "SPK_TEST_STACK = %s: no thread with such a stack\n", bytes);
    return 1;
  }
  pthread_join(thread, nullptr);
  return result;
}
