// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// The cuSPARSE that the program uses. Types are those of its ABI: objects are pointers, enumerations are ints.
namespace spk::preload {

// Numbers of cusparseStatus_t, which are those of spk_status_t.
constexpr int kSuccess = 0;
constexpr int kNotInitialized = 1;
constexpr int kExecutionFailed = 6;
constexpr int kInternalError = 7;
constexpr int kNotSupported = 10;

enum class Name {
#define SPK_REAL(name) name,
#include "preload/real_names.inc"
#undef SPK_REAL
  count
};

// The function, or NULL while no cuSPARSE is loaded that has it.
void* real(Name name);

// Calls it, or answers NOT_INITIALIZED. The types are those of cuSPARSE's ABI, not of its header, which is all that the
// sanitizer left out here would find.
template <class... Arguments>
__attribute__((no_sanitize("undefined"))) int call_real(Name name, Arguments... arguments) {
  void* function = real(name);
  if (function == nullptr) return kNotInitialized;
  return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

}  // namespace spk::preload
