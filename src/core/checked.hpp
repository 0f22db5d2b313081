// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>

// Checks of sizes that come from outside; all throw spk::Error with the argument's name.
namespace spk {

// a * b, or INT64_MAX if that does not fit. Both at least 0.
std::int64_t saturating_product(std::int64_t a, std::int64_t b) noexcept;

// lines * length elements of element_size bytes must fit in 63 bits, else INDEX_OVERFLOW.
void check_bytes(std::int64_t lines, std::int64_t length, std::size_t element_size, const char* what);

// An address must be a multiple of `alignment` bytes, else INVALID_VALUE. NULL is aligned.
void check_alignment(const void* pointer, std::size_t alignment, const char* name);

// Stride of a batch of `count` arrays of `length` elements: not negative, and 0 or at least length when count > 1.
void check_stride(std::int64_t stride, std::int64_t length, std::int64_t count, std::size_t element_size,
                  const char* name);

}  // namespace spk
