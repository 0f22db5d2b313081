// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cases/device_block.hpp"

namespace spk::cases {

// Where an array lies. Around it there are always bytes that nobody may write; at a page's edge nobody may read them.
enum class Placement {
  plain,       // 64-byte aligned plus an offset in elements
  page_end,    // ends at an inaccessible page
  page_start,  // begins right after one
  reserved     // address space only, zero until touched
};

// Memory of one array, with a copy of what it held to begin with. Movable, not copyable.
//
// Where a backend computes in memory of its own, this is an image on the host of a block there, guards included:
// remember() and restore() carry it over, fetch() brings it back. The library gets address(), everybody else data().
class Buffer {
 public:
  Buffer() = default;
  // SkipCase if the memory cannot be had.
  Buffer(spk_backend_t backend, std::size_t element_bytes, std::int64_t count, Placement placement,
         std::int64_t element_offset = 0);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const noexcept { return data_; }
  void* address() const noexcept {
    return block_.data() == nullptr ? data_ : static_cast<std::byte*>(block_.data()) + (data_ - guard_begin_);
  }
  std::byte* at(std::int64_t index) const noexcept { return data_ + static_cast<std::size_t>(index) * element_bytes_; }
  std::int64_t count() const noexcept { return count_; }
  std::size_t element_bytes() const noexcept { return element_bytes_; }
  bool is_reserved() const noexcept { return placement_ == Placement::reserved; }

  // Remembers the present contents (nothing for a reserved buffer) and shows them to the backend.
  void remember();
  // Puts back what was remembered; a reserved buffer becomes zero again.
  void restore();
  // Brings back what the backend made of it; nothing to do in host memory.
  void fetch();
  // Whether element `index` still is what was remembered, bit for bit.
  bool is_as_remembered(std::int64_t index) const noexcept;
  // First element that changed, or -1.
  std::int64_t first_change() const noexcept;
  // Whether the bytes around the array are untouched.
  bool guards_intact() const noexcept;
  const std::vector<std::byte>& remembered() const noexcept { return remembered_; }

 private:
  void release() noexcept;
  void send() const;

  std::size_t element_bytes_ = 1;
  std::int64_t count_ = 0;
  Placement placement_ = Placement::plain;
  std::byte* data_ = nullptr;
  std::byte* mapping_ = nullptr;  // whole allocation
  std::size_t mapping_bytes_ = 0;
  std::byte* guard_begin_ = nullptr;  // accessible bytes before the array
  std::byte* guard_end_ = nullptr;    // end of the accessible bytes after it
  std::vector<std::byte> remembered_;
  DeviceBlock block_;
};

// An address that no access survives, aligned for any element: for arrays that must not be read.
void* untouchable_address();

}  // namespace spk::cases
