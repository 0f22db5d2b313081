// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <gtest/gtest.h>
#include <spk/spk.h>

#include <cstdlib>
#include <string>

#include "cases/operands.hpp"
#include "support/require.hpp"

namespace spk::test {

// Backends under test; each has tests of its own name.
struct Cpu {
  static constexpr spk_backend_t kBackend = SPK_BACKEND_CPU;
};
struct Reference {
  static constexpr spk_backend_t kBackend = SPK_BACKEND_REFERENCE;
};
struct Cuda {
  static constexpr spk_backend_t kBackend = SPK_BACKEND_CUDA;
};
using AllBackends = ::testing::Types<Cpu, Reference, Cuda>;

// "Cpu", ... as a part of the tests' names.
struct BackendNames {
  template <class Backend>
  static std::string GetName(int) {
    return Backend::kBackend == SPK_BACKEND_CPU ? "Cpu" : Backend::kBackend == SPK_BACKEND_CUDA ? "Cuda" : "Reference";
  }
};

inline std::string wanted_isa() {
  const char* isa = std::getenv("SPK_CPU_ISA");
  return isa == nullptr ? "" : isa;
}

// Empty, or why the instruction set named by SPK_CPU_ISA cannot be tested here.
inline std::string missing_isa() {
  const std::string wanted = wanted_isa();
  if (wanted.empty()) return {};
  spk_backend_info_t info{};
  info.struct_size = sizeof info;
  if (spk_backend_info(SPK_BACKEND_CPU, &info) != SPK_STATUS_SUCCESS) return "spk_backend_info fails";
  if (std::string(info.detail).find(wanted) != std::string::npos) return {};
  return std::string("the library runs ") + info.detail + " here, not " + wanted;
}

// A handle on a backend, with shadow checks if asked for.
inline void make_handle(cases::Handle& handle, spk_backend_t backend, std::int32_t threads = 0, bool checks = false) {
  const cases::Outcome outcome = cases::create_handle(handle, backend, threads);
  ASSERT_TRUE(outcome.ok()) << outcome.describe();
  if (checks) {
    ASSERT_EQ(spk_set_check(handle.get(), 1), SPK_STATUS_SUCCESS);
  }
}

}  // namespace spk::test
