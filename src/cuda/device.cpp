// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/device.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/error.hpp"
#include "cuda/kernels/sm90.hpp"

namespace spk::cuda {
namespace {

int attribute(cudaDeviceAttr name, int ordinal) {
  int value = 0;
  SPK_CUDA_CHECK(cudaDeviceGetAttribute(&value, name, ordinal));
  return value;
}

// Kernels are chosen by the code that runs, which may be for less than the device.
void read_code(Device& device, int driver) {
  const DeviceGuard guard(device.ordinal);
  CodeAtHand code{};
  try {
    code = code_at_hand();
  } catch (const Error& error) {
    throw Error(SPK_STATUS_BACKEND_UNAVAILABLE, "no code here runs on SM %d.%d: %s", device.sm / 10, device.sm % 10,
                error.what());
  }
  device.runs_sm90a = device.sm == 90 && code.is_sm90a;
  device.overlaps_launches = code.sm >= 90 && driver >= 12030;
  if (code.sm > 0) device.sm = std::min(device.sm, code.sm);
}

}  // namespace

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report this one again
  const spk_status_t status = error == cudaErrorMemoryAllocation ? SPK_STATUS_ALLOC_FAILED
                              : error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction
                                  ? SPK_STATUS_ARCH_MISMATCH
                                  : SPK_STATUS_EXECUTION_FAILED;
  throw Error(status, "%s: %s (%s)", cudaGetErrorName(error), cudaGetErrorString(error), call);
}

Device open_device(int ordinal) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    cudaGetLastError();
    throw Error(SPK_STATUS_BACKEND_UNAVAILABLE, "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
  }
  if (ordinal < 0 || ordinal >= count)
    throw Error(SPK_STATUS_BACKEND_UNAVAILABLE, "there is no device %d, only %d", ordinal, count);
  cudaDeviceProp properties{};
  SPK_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
  if (properties.major < 7)
    throw Error(SPK_STATUS_BACKEND_UNAVAILABLE, "%s has SM %d.%d but 7.0 or newer is needed", properties.name,
                properties.major, properties.minor);
  int driver = 0;
  SPK_CUDA_CHECK(cudaDriverGetVersion(&driver));
  Device device;
  device.ordinal = ordinal;
  device.sm = 10 * properties.major + properties.minor;
  device.sm_count = properties.multiProcessorCount;
  device.shared_per_block = properties.sharedMemPerBlockOptin;
  device.shared_per_sm = properties.sharedMemPerMultiprocessor;
  device.l2_bytes = properties.l2CacheSize;
  read_code(device, driver);
  device.reads_pageable_memory = attribute(cudaDevAttrPageableMemoryAccess, ordinal) != 0;
  device.detail = std::string(properties.name) + ", SM " + std::to_string(properties.major) + "." +
                  std::to_string(properties.minor) + ", driver " + std::to_string(driver / 1000) + "." +
                  std::to_string(driver % 1000 / 10);
  return device;
}

void allow_shared_memory(const void* kernel, const Device& device, std::size_t bytes) {
  constexpr std::size_t kAlwaysAllowed = 16 << 10;  // 48 KB, of which a kernel's own arrays may take 32
  if (bytes <= kAlwaysAllowed) return;
  static std::mutex mutex;
  static auto& allowed = *new std::map<std::pair<const void*, int>, std::size_t>;  // outlives every handle
  const std::lock_guard lock(mutex);
  std::size_t& most = allowed[{kernel, device.ordinal}];
  if (bytes <= most) return;
  SPK_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  most = bytes;
}

bool is_captured(cudaStream_t stream) noexcept {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &capture) == cudaSuccess) return capture != cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return true;
}

void refuse_capture(cudaStream_t stream, const char* why) {
  if (is_captured(stream)) throw Error(SPK_STATUS_NOT_SUPPORTED, "the stream is being captured: %s", why);
}

DeviceGuard::DeviceGuard(int ordinal) {
  int current = 0;
  SPK_CUDA_CHECK(cudaGetDevice(&current));
  if (current == ordinal) return;
  SPK_CUDA_CHECK(cudaSetDevice(ordinal));
  previous_ = current;
}

DeviceGuard::~DeviceGuard() {
  if (previous_ >= 0) cudaSetDevice(previous_);
}

}  // namespace spk::cuda
