// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/checked.hpp"

#include "core/error.hpp"

namespace spk {
namespace {

using Long = long long;

}  // namespace

std::int64_t saturating_product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

void check_bytes(std::int64_t lines, std::int64_t length, std::size_t element_size, const char* what) {
  const std::int64_t elements = saturating_product(lines, length);
  if (saturating_product(elements, static_cast<std::int64_t>(element_size)) == INT64_MAX)
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "%s has %lld x %lld elements of %zu bytes, more than 63 bits of bytes", what,
                static_cast<Long>(lines), static_cast<Long>(length), element_size);
}

void check_alignment(const void* pointer, std::size_t alignment, const char* name) {
  if (alignment > 1 && reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %p is not aligned to its elements of %zu bytes", name, pointer,
                alignment);
}

void check_stride(std::int64_t stride, std::int64_t length, std::int64_t count, std::size_t element_size,
                  const char* name) {
  if (stride < 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %lld but must not be negative", name, static_cast<Long>(stride));
  if (count > 1 && stride != 0 && stride < length)
    throw Error(SPK_STATUS_INVALID_VALUE,
                "%s = %lld but must be 0 (shared) or at least the %lld elements of one matrix", name,
                static_cast<Long>(stride), static_cast<Long>(length));
  check_bytes(count, stride, element_size, name);
}

}  // namespace spk
