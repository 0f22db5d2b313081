// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spk::cpu {

// Element p of vector v stands at values[v * vector_stride + p * step]; elements of `size` bytes (2, 4, 8 or 16).
struct Strided {
  const void* values = nullptr;
  std::size_t size = 4;
  std::int64_t vector_stride = 1, step = 1;
};

// to[v * ld + p] = element p of vector v, for v in [begin, end) and p in [0, length). vector_stride is 1.
void pack_vectors(const Strided& from, std::int64_t begin, std::int64_t end, std::int64_t length, void* to,
                  std::int64_t ld) noexcept;

// One vector to copy: its number, and where its elements go.
struct Gathered {
  std::int64_t vector;
  void* to;
};

// to[p] = element p, for every one of the vectors.
void gather_vectors(const Strided& from, std::span<const Gathered> vectors, std::int64_t length) noexcept;

}  // namespace spk::cpu
