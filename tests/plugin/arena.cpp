// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "plugin/arena.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace fake_device {
namespace {

constexpr std::size_t kCapacity = std::size_t{16} << 30;  // of addresses; memory is taken where it is touched
constexpr std::size_t kAlignment = 256;

}  // namespace

Arena::Arena() {
  void* memory = mmap(nullptr, kCapacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  base_ = static_cast<char*>(memory);
}

bool Arena::owns(const void* p) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(p), base = reinterpret_cast<std::uintptr_t>(base_);
  return address >= base && address - base < kCapacity;
}

void* Arena::allocate(std::size_t bytes) noexcept {
  if (bytes > kCapacity) return nullptr;
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::lock_guard lock(mutex_);
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    const auto [offset, free] = *hole;
    if (free < size) continue;
    holes_.erase(hole);
    if (free > size) holes_[offset + size] = free - size;
    blocks_[offset] = size;
    return base_ + offset;
  }
  if (size > kCapacity - used_) return nullptr;
  const std::size_t offset = used_;
  used_ += size;
  blocks_[offset] = size;
  if (open_ > 0) protect(PROT_READ | PROT_WRITE);
  return base_ + offset;
}

void Arena::deallocate(void* pointer) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(static_cast<std::size_t>(static_cast<char*>(pointer) - base_));
  if (block == blocks_.end()) std::abort();  // never handed out, or given back twice
  std::size_t offset = block->first, size = block->second;
  blocks_.erase(block);
  // Joined with the holes around it.
  if (const auto after = holes_.find(offset + size); after != holes_.end()) {
    size += after->second;
    holes_.erase(after);
  }
  if (auto before = holes_.lower_bound(offset); before != holes_.begin()) {
    --before;
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      holes_.erase(before);
    }
  }
  holes_[offset] = size;
}

void Arena::enter() {
  const std::lock_guard lock(mutex_);
  if (open_++ == 0) protect(PROT_READ | PROT_WRITE);
}

void Arena::leave() {
  const std::lock_guard lock(mutex_);
  if (--open_ == 0) protect(PROT_NONE);
}

void Arena::protect(int protection) const {
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = (used_ + kPage - 1) / kPage * kPage;
  if (bytes != 0 && mprotect(base_, bytes, protection) != 0) std::abort();
}

}  // namespace fake_device
