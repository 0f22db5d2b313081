// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

namespace spk::preload {
namespace {

constexpr const char* kMeasuredModel = "NVIDIA H200";
constexpr int kMostDevices = 64;
enum Known : char { kUnknown, kMeasured, kOther };
std::atomic<char> known_devices[kMostDevices];

// The driver stays loaded: cuSPARSE itself needs it.
void* driver_function(const char* name) {
  static std::atomic<void*> driver{nullptr};
  void* library = driver.load(std::memory_order_acquire);
  if (library == nullptr) {
    library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    driver.store(library, std::memory_order_release);
  }
  return dlsym(library, name);
}

}  // namespace

int current_device() {
  static std::atomic<void*> function{nullptr};
  void* get = function.load(std::memory_order_acquire);
  if (get == nullptr) {
    get = driver_function("cuCtxGetDevice");
    if (get == nullptr) return 0;
    function.store(get, std::memory_order_release);
  }
  int device = -1;
  return reinterpret_cast<int (*)(int*)>(get)(&device) == 0 ? device : -1;
}

bool is_measured(int device) {
  if (device < 0 || device >= kMostDevices) return false;
  char known = known_devices[device].load(std::memory_order_relaxed);
  if (known == kUnknown) {
    auto* get_name = reinterpret_cast<int (*)(char*, int, int)>(driver_function("cuDeviceGetName"));
    char name[256] = "";
    if (get_name == nullptr || get_name(name, sizeof name, device) != 0) return false;
    known = std::strcmp(name, kMeasuredModel) == 0 ? kMeasured : kOther;
    known_devices[device].store(known, std::memory_order_relaxed);
  }
  return known == kMeasured;
}

bool is_capturing(void* stream) {
  static std::atomic<void*> function{nullptr};
  void* ask = function.load(std::memory_order_acquire);
  if (ask == nullptr) {
    ask = driver_function("cuStreamIsCapturing");
    if (ask == nullptr) return false;
    function.store(ask, std::memory_order_release);
  }
  int status = 0;  // CU_STREAM_CAPTURE_STATUS_NONE
  // The legacy stream refuses the question while another stream is being captured: then nothing of ours may run either.
  return reinterpret_cast<int (*)(void*, int*)>(ask)(stream, &status) != 0 || status != 0;
}

}  // namespace spk::preload
