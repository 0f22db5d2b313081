// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace fake_device {

// Memory that plays a device's: a range of addresses that faults whenever the host touches it, except while an
// operation or a copy of the device holds it open.
class Arena {
 public:
  Arena();
  bool owns(const void* p) const noexcept;
  // Aligned to 256 bytes; NULL when there is none.
  void* allocate(std::size_t bytes) noexcept;
  void deallocate(void* pointer) noexcept;

  // Open until destroyed; any number at once.
  class Open {
   public:
    explicit Open(Arena& arena) : arena_(arena) { arena_.enter(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() { arena_.leave(); }

   private:
    Arena& arena_;
  };

 private:
  void enter();
  void leave();
  void protect(int protection) const;

  std::mutex mutex_;
  char* base_ = nullptr;
  std::size_t used_ = 0;  // bytes from base_ that were ever handed out
  int open_ = 0;
  std::map<std::size_t, std::size_t> blocks_, holes_;  // offset -> bytes: handed out, and free below used_
};

}  // namespace fake_device
