// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace spk::io {

// A stream of bytes: a file, memory, or either of them unpacked.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  // Reads up to `size` bytes (> 0); 0 means the end. Throws Error(IO_ERROR).
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

inline constexpr std::uint64_t kUnknownSize = std::numeric_limits<std::uint64_t>::max();

// The text of a file, unpacked if it was compressed.
struct Input {
  std::unique_ptr<ByteSource> text;
  std::uint64_t most_bytes = kUnknownSize;  // no longer text can come; bounds what counts in a header may claim
  std::uint64_t likely_bytes = 0;           // for the choice of a thread count; 0 = unknown
};

// `name` ending in .gz demands a gzip stream; otherwise the first two bytes decide.
Input open_file(const std::string& name);
Input open_memory(const std::string& name, const void* data, std::size_t size);

}  // namespace spk::io
