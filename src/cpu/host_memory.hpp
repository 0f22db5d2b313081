// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdlib>
#include <cstring>

#include "core/backend.hpp"
#include "core/device_pointer.hpp"

namespace spk::cpu {

// The part of a backend that is the same for everything that computes in host memory.
class HostBackend : public Backend {
 public:
  void synchronize(void*) const override {}
  void* allocate(std::size_t bytes, void*) const noexcept override {
    constexpr std::size_t kAlignment = 256;
    if (bytes > SIZE_MAX - kAlignment) return nullptr;
    return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  }
  void deallocate(void* pointer, std::size_t, void*) const noexcept override { std::free(pointer); }
  bool computes_in_host_memory() const noexcept override { return true; }
  void copy_to_host(void* host, const void* device, std::size_t bytes, void*) const override {
    if (bytes != 0) std::memcpy(host, device, bytes);
  }
  void copy_from_host(void* device, const void* host, std::size_t bytes, void*) const override {
    if (bytes != 0) std::memcpy(device, host, bytes);
  }
  const char* refuse_pointer(const void* p) const noexcept override { return refuse_device_pointer(p); }
  void validate(const SparseView& a, spk_validation_report_t& report, const Exec& exec) const override;
};

}  // namespace spk::cpu
