// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/device_pointer.hpp"

#include <dlfcn.h>

#include <atomic>

namespace spk {
namespace {

// The parts of the driver's interface that are used; its numbers never change. Of the two questions about pointers this
// is the one for which an address that the driver does not know is no error, also in the eyes of compute-sanitizer.
using PointerGetAttributes = int (*)(unsigned count, const int* attributes, void** answers, unsigned long long pointer);
constexpr int kAttributes[] = {2, 8};  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED
constexpr unsigned kTypeHost = 1;      // CU_MEMORYTYPE_HOST

std::atomic<PointerGetAttributes> driver{nullptr};

}  // namespace

bool has_device_driver() noexcept { return driver.load(std::memory_order_relaxed) != nullptr; }

bool find_device_driver() noexcept {
  if (has_device_driver()) return true;
  // The reference is kept, so the function stays where it is.
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  auto* function = reinterpret_cast<PointerGetAttributes>(dlsym(library, "cuPointerGetAttributes"));
  driver.store(function, std::memory_order_relaxed);
  return function != nullptr;
}

PointerKind kind_of_pointer(const void* p) noexcept {
  const PointerGetAttributes ask = driver.load(std::memory_order_relaxed);
  if (ask == nullptr) return PointerKind::unknown;
  unsigned type = 0;        // stays 0 for memory that the driver does not know
  unsigned is_managed = 0;  // the driver writes an int or a bool, whose first byte counts
  void* answers[] = {&type, &is_managed};
  if (ask(2, kAttributes, answers, reinterpret_cast<unsigned long long>(p)) != 0) return PointerKind::unknown;
  if (type == 0) return PointerKind::host;
  if (is_managed != 0) return PointerKind::managed;
  return type == kTypeHost ? PointerKind::registered : PointerKind::device;
}

const char* refuse_device_pointer(const void* p) noexcept {
  return kind_of_pointer(p) == PointerKind::device ? "is memory of a CUDA device, which the CPU cannot read" : nullptr;
}

}  // namespace spk
