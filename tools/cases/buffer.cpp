// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "cases/fields.hpp"

namespace spk::cases {
namespace {

constexpr std::byte kGuard{0xa5};
// 64 bytes past a 256-byte boundary: as aligned as a case asks for, and no more than that.
constexpr std::size_t kFrontBytes = 320;
constexpr std::size_t kBackBytes = 192;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::byte* map(std::size_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw SkipCase("cannot reserve " + std::to_string(bytes) + " bytes of address space");
  return static_cast<std::byte*>(memory);
}

}  // namespace

Buffer::Buffer(spk_backend_t backend, std::size_t element_bytes, std::int64_t count, Placement placement,
               std::int64_t element_offset)
    : element_bytes_(element_bytes), count_(count), placement_(placement) {
  const bool is_apart = has_own_memory(backend);
  if (is_apart && placement == Placement::reserved)
    throw SkipCase("arrays of more elements than memory holds exist in host memory only");
  const std::size_t most = std::numeric_limits<std::size_t>::max() / 4;
  const auto elements = static_cast<std::size_t>(count);
  const auto shift = static_cast<std::size_t>(element_offset) * element_bytes;
  if (elements > most / element_bytes || shift > most / 4)
    throw SkipCase("cannot reserve " + std::to_string(count) + " elements of address space");
  const std::size_t bytes = elements * element_bytes;
  if (placement == Placement::plain) {
    mapping_bytes_ = kFrontBytes + shift + bytes + kBackBytes;
    mapping_ = static_cast<std::byte*>(::operator new (mapping_bytes_, std::align_val_t{256}));
    guard_begin_ = mapping_;
    guard_end_ = mapping_ + mapping_bytes_;
    data_ = mapping_ + kFrontBytes + shift;
  } else {
    const std::size_t page = page_bytes();
    const std::size_t body = (shift + bytes + page - 1) / page * page;
    mapping_bytes_ = body + 2 * page;
    mapping_ = map(mapping_bytes_, PROT_NONE);
    if (body > 0 && mprotect(mapping_ + page, body, PROT_READ | PROT_WRITE) != 0) {
      munmap(mapping_, mapping_bytes_);
      throw SkipCase("cannot reserve " + std::to_string(body) + " bytes of address space");
    }
    guard_begin_ = mapping_ + page;
    guard_end_ = guard_begin_ + body;
    data_ = placement == Placement::page_end ? guard_end_ - bytes : guard_begin_ + shift;
  }
  if (placement != Placement::reserved) {
    std::memset(guard_begin_, std::to_integer<int>(kGuard), static_cast<std::size_t>(guard_end_ - guard_begin_));
    if (bytes > 0) std::memset(data_, 0, bytes);
  }
  if (is_apart) block_ = DeviceBlock(static_cast<std::size_t>(guard_end_ - guard_begin_));
}

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    release();
    element_bytes_ = other.element_bytes_;
    count_ = std::exchange(other.count_, 0);
    placement_ = other.placement_;
    data_ = std::exchange(other.data_, nullptr);
    mapping_ = std::exchange(other.mapping_, nullptr);
    mapping_bytes_ = std::exchange(other.mapping_bytes_, 0);
    guard_begin_ = std::exchange(other.guard_begin_, nullptr);
    guard_end_ = std::exchange(other.guard_end_, nullptr);
    remembered_ = std::move(other.remembered_);
    block_ = std::move(other.block_);
  }
  return *this;
}

Buffer::~Buffer() { release(); }

void Buffer::release() noexcept {
  if (mapping_ == nullptr) return;
  if (placement_ == Placement::plain)
    ::operator delete (mapping_, std::align_val_t{256});
  else
    munmap(mapping_, mapping_bytes_);
  mapping_ = nullptr;
}

void Buffer::remember() {
  if (is_reserved()) return;
  remembered_.assign(data_, data_ + static_cast<std::size_t>(count_) * element_bytes_);
  send();
}

void Buffer::restore() {
  if (!is_reserved()) {
    std::copy(remembered_.begin(), remembered_.end(), data_);
    send();
  } else if (guard_end_ > guard_begin_) {
    madvise(guard_begin_, static_cast<std::size_t>(guard_end_ - guard_begin_), MADV_DONTNEED);
  }
}

void Buffer::send() const {
  if (block_.data() != nullptr) block_.upload(guard_begin_);
}

void Buffer::fetch() {
  if (block_.data() != nullptr) block_.download(guard_begin_);
}

bool Buffer::is_as_remembered(std::int64_t index) const noexcept {
  if (is_reserved()) return true;
  const std::size_t first = static_cast<std::size_t>(index) * element_bytes_;
  return std::memcmp(data_ + first, remembered_.data() + first, element_bytes_) == 0;
}

std::int64_t Buffer::first_change() const noexcept {
  if (is_reserved() || remembered_.empty()) return -1;
  if (std::memcmp(data_, remembered_.data(), remembered_.size()) == 0) return -1;
  std::int64_t index = 0;
  while (is_as_remembered(index)) ++index;
  return index;
}

bool Buffer::guards_intact() const noexcept {
  if (mapping_ == nullptr || is_reserved()) return true;
  const auto clean = [](std::byte value) { return value == kGuard; };
  const std::byte* after = data_ + static_cast<std::size_t>(count_) * element_bytes_;
  return std::all_of(guard_begin_, data_, clean) &&
         std::all_of(after, static_cast<const std::byte*>(guard_end_), clean);
}

void* untouchable_address() {
  static std::byte* const address = map(page_bytes(), PROT_NONE);
  return address;
}

}  // namespace spk::cases
