// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/env.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace spk::env {
namespace {

constexpr const char* kNames[] = {
#define SPK_ENV(name, values, meaning) #name,
#include "core/env.inc"
#undef SPK_ENV
};

}  // namespace

const char* text(Variable variable) noexcept {
  static const auto values = [] {
    std::array<const char*, std::size(kNames)> found{};
    for (std::size_t i = 0; i < found.size(); ++i) {
      // Copied, because a later setenv of the application may free the original; kept for the life of the process.
      const char* original = secure_getenv(kNames[i]);
      found[i] = original == nullptr ? nullptr : strdup(original);
    }
    return found;
  }();
  return values[variable];
}

int num_threads() noexcept {
  const char* value = text(SPK_NUM_THREADS);
  if (value == nullptr) return 0;
  int number = 0;
  const char* end = value + std::strlen(value);
  const auto [stop, error] = std::from_chars(value, end, number);
  return error == std::errc{} && stop == end && number >= 1 && number <= 4096 ? number : 0;
}

bool check() noexcept {
  const char* value = text(SPK_CHECK);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

}  // namespace spk::env
