// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "host_runtime/status.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace spk::host_runtime {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct Text {
  cudaError_t error;
  const char* name;
  const char* string;
};

#define SPK_ERROR(error, string) \
  Text { error, #error, string }

constexpr Text kTexts[] = {
    SPK_ERROR(cudaSuccess, "no error"),
    SPK_ERROR(cudaErrorInvalidValue, "invalid argument"),
    SPK_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    SPK_ERROR(cudaErrorInitializationError, "initialization error"),
    SPK_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    SPK_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    SPK_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    SPK_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    SPK_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    SPK_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    SPK_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    SPK_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    SPK_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    SPK_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    SPK_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    SPK_ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    SPK_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    SPK_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    SPK_ERROR(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    SPK_ERROR(cudaErrorFileNotFound, "file not found"),
    SPK_ERROR(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    SPK_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    SPK_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    SPK_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    SPK_ERROR(cudaErrorNotReady, "device not ready"),
    SPK_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    SPK_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    SPK_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    SPK_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    SPK_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    SPK_ERROR(cudaErrorAssert, "device-side assert triggered"),
    SPK_ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    SPK_ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    SPK_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    SPK_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    SPK_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    SPK_ERROR(cudaErrorNotSupported, "operation not supported"),
    SPK_ERROR(cudaErrorSystemNotReady, "system not yet initialized"),
    SPK_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    SPK_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    SPK_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef SPK_ERROR

const Text* find(cudaError_t error) noexcept {
  for (const Text& text : kTexts) {
    if (text.error == error) return &text;
  }
  return nullptr;
}

void print(const char* pattern, std::va_list arguments) noexcept {
  char line[512];
  std::vsnprintf(line, sizeof line, pattern, arguments);
  std::fprintf(stderr, "spk host runtime: %s\n", line);
}

Options read_options() noexcept {
  Options read;
  const char* text = secure_getenv("SPK_HOST_RUNTIME");
  if (text == nullptr) return read;
  std::string_view rest(text);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    read.debug |= word == "debug";
    read.leaks |= word == "leaks";
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return read;
}

}  // namespace

const Options& options() noexcept {
  static const Options read = read_options();
  return read;
}

void say(const char* pattern, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, pattern);
  print(pattern, arguments);
  va_end(arguments);
}

cudaError_t refuse(cudaError_t error, const char* pattern, ...) noexcept {
  if (!options().debug) return error;
  std::va_list arguments;
  va_start(arguments, pattern);
  print(pattern, arguments);
  va_end(arguments);
  return error;
}

cudaError_t keep(cudaError_t error) noexcept {
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace spk::host_runtime

using spk::host_runtime::find;
using spk::host_runtime::last_error;

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  const auto* text = find(error);
  return text != nullptr ? text->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const auto* text = find(error);
  return text != nullptr ? text->string : "unrecognized error code";
}
