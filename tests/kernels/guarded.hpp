// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace spk::test {

// Memory that ends where a page begins that nobody may touch; reading one byte beyond the end is a fault.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : bytes_(bytes) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    length_ = (bytes + page - 1) / page * page + page;
    void* memory = mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
    start_ = static_cast<char*>(memory);
    if (mprotect(start_ + length_ - page, page, PROT_NONE) != 0) throw std::runtime_error("mprotect failed");
    // Every bit set is NaN in every type.
    std::memset(start_, 0xff, length_ - page);
    data_ = start_ + length_ - page - bytes;
  }
  Guarded(Guarded&& other) noexcept
      : start_(other.start_), data_(other.data_), length_(other.length_), bytes_(other.bytes_) {
    other.start_ = nullptr;
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() {
    if (start_ != nullptr) munmap(start_, length_);
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // Nothing was written before the first byte.
  bool front_is_intact() const {
    for (const char* p = start_; p < data_; ++p)
      if (*p != '\xff') return false;
    return true;
  }

 private:
  char* start_ = nullptr;
  char* data_ = nullptr;
  std::size_t length_ = 0, bytes_ = 0;
};

}  // namespace spk::test
