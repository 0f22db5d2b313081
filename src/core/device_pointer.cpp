// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/device_pointer.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

namespace spk {
namespace {

// The parts of the driver's interface that are used; its numbers never change.
using PointerGetAttribute = int (*)(void* data, int attribute, std::uintptr_t pointer);
constexpr int kAttributeMemoryType = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int kAttributeIsManaged = 8;   // CU_POINTER_ATTRIBUTE_IS_MANAGED
constexpr unsigned kTypeHost = 1;        // CU_MEMORYTYPE_HOST

std::atomic<PointerGetAttribute> driver{nullptr};

}  // namespace

bool find_device_driver() noexcept {
  if (driver.load(std::memory_order_relaxed) != nullptr) return true;
  // The reference is kept, so the function stays where it is.
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  auto* function = reinterpret_cast<PointerGetAttribute>(dlsym(library, "cuPointerGetAttribute"));
  driver.store(function, std::memory_order_relaxed);
  return function != nullptr;
}

PointerKind kind_of_pointer(const void* p) noexcept {
  const PointerGetAttribute ask = driver.load(std::memory_order_relaxed);
  if (ask == nullptr) return PointerKind::host;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  unsigned type = 0;
  // An error means that the driver does not know the address: ordinary memory of the host.
  if (ask(&type, kAttributeMemoryType, address) != 0 || type == 0) return PointerKind::host;
  unsigned is_managed = 0;  // the driver writes an int or a bool, whose first byte counts
  if (ask(&is_managed, kAttributeIsManaged, address) == 0 && is_managed != 0) return PointerKind::managed;
  return type == kTypeHost ? PointerKind::registered : PointerKind::device;
}

const char* refuse_device_pointer(const void* p) noexcept {
  return kind_of_pointer(p) == PointerKind::device ? "is memory of a CUDA device, which the CPU cannot read" : nullptr;
}

}  // namespace spk
