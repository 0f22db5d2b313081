// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "host_runtime/blocks.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace spk::host_runtime {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kFrontGuard = kAlignment;  // keeps the block itself aligned
constexpr std::size_t kBackGuard = 64;
constexpr int kFresh = 0xFF;
constexpr unsigned char kGuard = 0xA5;

struct Block {
  std::size_t bytes;
  Kind kind;
  const char* call;
  bool has_guards;
};

using Blocks = std::map<std::uintptr_t, Block>;

struct Registry {
  std::mutex mutex;
  Blocks blocks;
  std::size_t bytes = 0;
};

// Never destroyed: destructors of the program's own objects may still free memory.
Registry& registry() {
  static Registry* const only = new Registry;
  return *only;
}

std::uintptr_t address(const void* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

std::size_t count_changed(const char* begin, std::size_t bytes) noexcept {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < bytes; ++i) changed += static_cast<unsigned char>(begin[i]) != kGuard;
  return changed;
}

bool guards_are_whole(char* begin, const Block& block, const char* when) noexcept {
  if (!block.has_guards) return true;
  const std::size_t before = count_changed(begin - kFrontGuard, kFrontGuard);
  const std::size_t after = count_changed(begin + block.bytes, kBackGuard);
  if (before == 0 && after == 0) return true;
  say("%s: block %p of %zu bytes (%s) was overrun: %zu bytes before it and %zu after it are changed", when,
      static_cast<void*>(begin), block.bytes, block.call, before, after);
  return false;
}

void free_block(char* begin, const Block& block) noexcept {
  if (block.kind == Kind::registered) return;
  if (block.has_guards) std::memset(begin, kFresh, block.bytes);
  std::free(begin - (block.has_guards ? kFrontGuard : 0));
}

// The block that holds the address, or end(). The registry is locked.
Blocks::iterator holder(Blocks& blocks, std::uintptr_t at) {
  auto next = blocks.upper_bound(at);
  if (next == blocks.begin()) return blocks.end();
  --next;
  return at - next->first < next->second.bytes ? next : blocks.end();
}

void report(Registry& all, const char* when) noexcept {
  std::size_t count = 0, bytes = 0;
  for (const auto& [at, block] : all.blocks) {
    char* begin = reinterpret_cast<char*>(at);
    guards_are_whole(begin, block, when);
    if (block.kind == Kind::registered || !options().leaks) continue;
    say("%s: block %p of %zu bytes (%s) was not freed", when, static_cast<void*>(begin), block.bytes, block.call);
    ++count;
    bytes += block.bytes;
  }
  if (count != 0) say("%s: %zu blocks, %zu bytes not freed", when, count, bytes);
}

// After the destructors of the program and of whatever uses this library.
__attribute__((destructor)) void report_at_exit() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  report(all, "exit");
}

}  // namespace

std::size_t machine_bytes() noexcept {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::size_t allocated_bytes() noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.bytes;
}

cudaError_t allocate(const char* call, Kind kind, void** out, std::size_t bytes) {
  if (out == nullptr) return refuse(cudaErrorInvalidValue, "%s: the pointer to the result is NULL", call);
  if (bytes == 0) {
    *out = nullptr;
    return cudaSuccess;
  }
  // What can never fit is refused here: the system would promise it, and filling it would end the program.
  if (bytes > machine_bytes())
    return refuse(cudaErrorMemoryAllocation, "%s: %zu bytes, but the machine has %zu", call, bytes, machine_bytes());
  const bool has_guards = options().debug;
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes + (has_guards ? kFrontGuard + kBackGuard : 0)) != 0)
    return refuse(cudaErrorMemoryAllocation, "%s: no memory for %zu bytes", call, bytes);
  char* begin = static_cast<char*>(memory);
  if (has_guards) {
    std::memset(begin, kGuard, kFrontGuard);
    begin += kFrontGuard;
    std::memset(begin + bytes, kGuard, kBackGuard);
  }
  std::memset(begin, kFresh, bytes);
  const Block block{bytes, kind, call, has_guards};
  Registry& all = registry();
  try {
    const std::lock_guard lock(all.mutex);
    all.blocks.emplace(address(begin), block);
    all.bytes += bytes;
  } catch (...) {
    free_block(begin, block);
    throw;
  }
  *out = begin;
  return cudaSuccess;
}

cudaError_t release(const char* call, void* pointer, bool is_host_memory) {
  if (pointer == nullptr) return cudaSuccess;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.blocks.find(address(pointer));
  if (found == all.blocks.end()) {
    const bool is_inside = holder(all.blocks, address(pointer)) != all.blocks.end();
    return refuse(cudaErrorInvalidValue, "%s: %p is %s", call, pointer,
                  is_inside ? "not the begin of its block" : "no block, or was freed before");
  }
  const Block block = found->second;
  if (block.kind == Kind::registered || (block.kind == Kind::pinned) != is_host_memory)
    return refuse(cudaErrorInvalidValue, "%s: %p comes from %s", call, pointer, block.call);
  const bool is_whole = guards_are_whole(static_cast<char*>(pointer), block, call);
  all.bytes -= block.bytes;
  all.blocks.erase(found);
  free_block(static_cast<char*>(pointer), block);
  return is_whole ? cudaSuccess : cudaErrorIllegalAddress;
}

cudaError_t register_range(void* pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0)
    return refuse(cudaErrorInvalidValue, "cudaHostRegister: %zu bytes at %p", bytes, pointer);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto next = all.blocks.lower_bound(address(pointer));
  const bool overlaps_next = next != all.blocks.end() && next->first - address(pointer) < bytes;
  if (overlaps_next || holder(all.blocks, address(pointer)) != all.blocks.end())
    return refuse(cudaErrorHostMemoryAlreadyRegistered, "cudaHostRegister: %p overlaps another block", pointer);
  all.blocks.emplace(address(pointer), Block{bytes, Kind::registered, "cudaHostRegister", false});
  return cudaSuccess;
}

cudaError_t unregister_range(void* pointer) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.blocks.find(address(pointer));
  if (found == all.blocks.end() || found->second.kind != Kind::registered)
    return refuse(cudaErrorHostMemoryNotRegistered, "cudaHostUnregister: %p is not registered", pointer);
  all.blocks.erase(found);
  return cudaSuccess;
}

Place place_of(const void* pointer) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = holder(all.blocks, address(pointer));
  if (found == all.blocks.end()) return {};
  const auto& [begin, block] = *found;
  return {block.kind, reinterpret_cast<char*>(begin), block.bytes, block.bytes - (address(pointer) - begin)};
}

void reset_blocks() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  report(all, "cudaDeviceReset");
  for (const auto& [begin, block] : all.blocks) free_block(reinterpret_cast<char*>(begin), block);
  all.blocks.clear();
  all.bytes = 0;
}

}  // namespace spk::host_runtime
