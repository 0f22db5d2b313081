// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace spk::cuda {

// What kernels and their choice need to know of a device; read once.
struct Device {
  int ordinal = 0;
  int sm = 0;                        // compute capability, 90 for 9.0; that of the code at hand, where this is for less
  int sm_count = 0;                  // multiprocessors
  std::size_t shared_per_block = 0;  // bytes a block may have after opting in
  std::size_t shared_per_sm = 0;     // bytes
  std::int64_t l2_bytes = 0;
  bool reads_pageable_memory = false;  // the device may follow any host pointer
  bool runs_sm90a = false;             // code for SM 9.0a is there, and runs
  bool overlaps_launches = false;      // kernels may start while the one in front still runs, captured ones too
  std::string detail;                  // "NVIDIA H200, SM 9.0, driver 13.0"
};

// Throws BACKEND_UNAVAILABLE with the reason.
Device open_device(int ordinal);

// Makes a device the current one of the thread, and undoes that.
class DeviceGuard {
 public:
  explicit DeviceGuard(int ordinal);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  int previous_ = -1;  // -1: nothing to undo
};

// Throws the status that belongs to a CUDA error, with the error's name and the call.
void check(cudaError_t error, const char* call);

#define SPK_CUDA_CHECK(call) ::spk::cuda::check((call), #call)

// Lets launches of a kernel ask for up to `bytes` of shared memory. The limit belongs to the kernel, not to a launch, so
// it is only ever raised: lowered by one thread, it would make another's launch fail.
void allow_shared_memory(const void* kernel, const Device& device, std::size_t bytes);

// Whether the stream is being captured, or another is in a way that this one may not be asked.
bool is_captured(cudaStream_t stream) noexcept;
// Throws NOT_SUPPORTED if the stream is being captured, where a call that waits would end the capture with an error. `why`
// says what the call waits for, or what would help.
void refuse_capture(cudaStream_t stream, const char* why);

// Where a kernel is launched.
struct Launch {
  const Device& device;
  cudaStream_t stream;
  void* workspace;  // what the operation's workspace() asked for, aligned to 256 bytes
};

}  // namespace spk::cuda
