// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace spk::cases {

// Whether the host cannot touch the memory that a backend (not AUTO) computes in.
inline bool has_own_memory(spk_backend_t backend) noexcept { return backend == SPK_BACKEND_CUDA; }

// A block of the first CUDA device's memory. It is moved with a handle of its own, kept for the life of the process, so
// that blocks may outlive the handles that compute on them. Who computes waits (spk_synchronize) before download().
class DeviceBlock {
 public:
  DeviceBlock() = default;
  explicit DeviceBlock(std::size_t bytes) : bytes_(bytes) {
    const std::lock_guard lock(mover().mutex);
    const spk_status_t status = spk_memory_alloc(mover().handle, bytes, &data_);
    if (status == SPK_STATUS_ALLOC_FAILED) throw std::bad_alloc();
    check(status);
    // Other streams than the mover's may use it from here on.
    check(spk_synchronize(mover().handle));
  }
  DeviceBlock(DeviceBlock&& other) noexcept { swap(other); }
  DeviceBlock& operator=(DeviceBlock&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBlock() {
    if (data_ == nullptr) return;
    const std::lock_guard lock(mover().mutex);
    spk_memory_free(mover().handle, data_, bytes_);
  }

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  // The whole block from and to the host.
  void upload(const void* host) const {
    const std::lock_guard lock(mover().mutex);
    check(spk_memory_upload(mover().handle, data_, host, bytes_));
  }
  void download(void* host) const {
    const std::lock_guard lock(mover().mutex);
    check(spk_memory_download(mover().handle, host, data_, bytes_));
  }

 private:
  struct Mover {
    std::mutex mutex;
    spk_handle_t handle = nullptr;
    Mover() {
      spk_config_t config{};
      config.struct_size = sizeof config;
      config.backend = SPK_BACKEND_CUDA;
      check(spk_create(&handle, &config));
    }
  };
  // Never destroyed: blocks in static objects may go after it would.
  static Mover& mover() {
    static Mover& only = *new Mover;
    return only;
  }
  static void check(spk_status_t status) {
    if (status == SPK_STATUS_SUCCESS) return;
    char text[1200] = "";
    spk_last_error(nullptr, text, sizeof text, nullptr);
    throw std::runtime_error(std::string("device memory: ") + text);
  }
  void swap(DeviceBlock& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace spk::cases
