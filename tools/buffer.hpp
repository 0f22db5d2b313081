// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace spk::tool {

// Zeroed bytes on a 256-byte boundary, the alignment that a workspace needs on every backend.
class Buffer {
 public:
  static constexpr std::size_t kAlignment = 256;

  Buffer() = default;

  explicit Buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    if (bytes > SIZE_MAX - kAlignment) throw std::bad_alloc();
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    memory_.reset(std::aligned_alloc(kAlignment, rounded));
    if (!memory_) throw std::bad_alloc();
    std::memset(memory_.get(), 0, rounded);
  }

  // count elements of element_bytes each; bad_alloc when the product leaves size_t.
  Buffer(std::int64_t count, std::size_t element_bytes) : Buffer(product(count, element_bytes)) {}

  // NULL for no bytes.
  void* data() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_.get());
  }

 private:
  struct Free {
    void operator()(void* pointer) const { std::free(pointer); }
  };

  static std::size_t product(std::int64_t count, std::size_t element_bytes) {
    std::size_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow(static_cast<std::size_t>(count), element_bytes, &bytes)) {
      throw std::bad_alloc();
    }
    return bytes;
  }

  std::unique_ptr<void, Free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace spk::tool
