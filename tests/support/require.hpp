// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <cstdlib>
#include <string>
#include <string_view>

// Tests of what a machine may lack are skipped with the library's words; SPK_TEST_REQUIRE names what must be there, and
// makes such a skip a failure: a comma list of cpu, cuda, data, avx2, avx512, amx, neon.
namespace spk::test {

inline bool is_required(std::string_view what) {
  const char* list = std::getenv("SPK_TEST_REQUIRE");
  for (std::string_view rest = list == nullptr ? "" : list; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == what) return true;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return false;
}

// Empty, or why a backend cannot run here.
inline std::string missing_backend(spk_backend_t backend) {
  spk_backend_info_t info{};
  info.struct_size = sizeof info;
  if (spk_backend_info(backend, &info) != SPK_STATUS_SUCCESS) return "spk_backend_info fails";
  return info.available != 0 ? std::string() : info.name + std::string(": ") + info.detail;
}

inline const char* name_of_backend(spk_backend_t backend) {
  return backend == SPK_BACKEND_CUDA ? "cuda" : backend == SPK_BACKEND_CPU ? "cpu" : "reference";
}

}  // namespace spk::test

// Ends a test for want of `what`. The message may be a chain of <<.
#define SPK_SKIP_WITHOUT(what, message)                                              \
  do {                                                                               \
    if (spk::test::is_required(what)) FAIL() << what << " is required: " << message; \
    GTEST_SKIP() << message;                                                         \
  } while (false)

#define SPK_SKIP_WITHOUT_BACKEND(backend)                                                                   \
  if (const std::string missing_ = spk::test::missing_backend(backend); !missing_.empty()) {                \
    if (spk::test::is_required(spk::test::name_of_backend(backend))) FAIL() << "is required: " << missing_; \
    GTEST_SKIP() << missing_;                                                                               \
  }                                                                                                         \
  static_assert(true)
