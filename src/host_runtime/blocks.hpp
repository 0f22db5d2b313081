// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>

#include "host_runtime/status.hpp"

// Every block of memory that the runtime has handed out.
namespace spk::host_runtime {

enum class Kind {
  unknown,  // no block of the runtime: the program's own memory
  device,
  managed,
  pinned,
  registered,  // the program's own memory, made known by cudaHostRegister
};

// The block that an address lies in.
struct Place {
  Kind kind = Kind::unknown;
  char* begin = nullptr;
  std::size_t bytes = 0;
  std::size_t left = 0;  // bytes from the address to the end of the block
};

// Bytes of the machine's memory.
std::size_t machine_bytes() noexcept;

// Bytes of all blocks of the runtime's own.
std::size_t allocated_bytes() noexcept;

cudaError_t allocate(const char* call, Kind kind, void** out, std::size_t bytes);
// Frees a block of one of two kinds (device and managed, or pinned).
cudaError_t release(const char* call, void* pointer, bool is_host_memory);
cudaError_t register_range(void* pointer, std::size_t bytes);
cudaError_t unregister_range(void* pointer);
Place place_of(const void* pointer);
// Frees everything; first lists what is left, if leaks are asked for.
void reset_blocks();

}  // namespace spk::host_runtime
