// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <new>

#include "spk/compat/host_runtime/cuda_runtime_api.h"

namespace spk::host_runtime {

// What SPK_HOST_RUNTIME asks for; read once.
struct Options {
  bool debug = false;
  bool leaks = false;
};
const Options& options() noexcept;

// Writes a line to stderr.
void say(const char* pattern, ...) noexcept __attribute__((format(printf, 1, 2)));

// Refuses a call: in debug mode says why. Its value is `error`.
cudaError_t refuse(cudaError_t error, const char* pattern, ...) noexcept __attribute__((format(printf, 2, 3)));

// Keeps `error` as the thread's last one, unless it is success.
cudaError_t keep(cudaError_t error) noexcept;

// Runs the body of an entry point: what it answers becomes the last error, lack of memory a status.
template <class Body>
cudaError_t guarded(Body&& body) noexcept {
  try {
    return keep(body());
  } catch (const std::bad_alloc&) {
    return keep(cudaErrorMemoryAllocation);
  }
}

}  // namespace spk::host_runtime
