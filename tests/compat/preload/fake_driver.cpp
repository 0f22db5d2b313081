// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Stands in for libcuda.so.1 where the interposer asks the driver.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

FAKE_EXPORT int cuCtxGetDevice(int* device);
FAKE_EXPORT int cuDeviceGetName(char* name, int length, int device);
FAKE_EXPORT int cuStreamIsCapturing(void* stream, int* status);

int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}

int cuDeviceGetName(char* name, int length, int) {
  const char* chosen = std::getenv("FAKE_DEVICE_NAME");
  std::snprintf(name, static_cast<std::size_t>(length), "%s", chosen != nullptr ? chosen : "NVIDIA H200");
  return 0;
}

// Streams with an odd number are being captured.
int cuStreamIsCapturing(void* stream, int* status) {
  *status = static_cast<int>(reinterpret_cast<std::uintptr_t>(stream) & 1);
  return 0;
}
