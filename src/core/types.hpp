// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_types.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/half.hpp"

// The public enumerations as types of their own, and the C++ type behind each.
namespace spk {

enum class ValueType : std::int32_t {
  f32 = SPK_R_32F,
  f64 = SPK_R_64F,
  f16 = SPK_R_16F,
  bf16 = SPK_R_16BF,
  c64 = SPK_C_32F,
  c128 = SPK_C_64F
};
enum class IndexType : std::int32_t { none = 0, u16 = SPK_INDEX_16U, i32 = SPK_INDEX_32I, i64 = SPK_INDEX_64I };
enum class Order : std::int32_t { none = 0, col = SPK_ORDER_COL, row = SPK_ORDER_ROW };
enum class Op : std::int32_t { n = SPK_OP_N, t = SPK_OP_T, c = SPK_OP_C };
enum class Format : std::int32_t {
  csr = SPK_FORMAT_CSR,
  csc = SPK_FORMAT_CSC,
  coo = SPK_FORMAT_COO,
  blocked_ell = SPK_FORMAT_BLOCKED_ELL,
  bsr = SPK_FORMAT_BSR,
  sell = SPK_FORMAT_SELL
};

using c64 = std::complex<float>;
using c128 = std::complex<double>;

constexpr bool is_complex(ValueType t) noexcept { return t == ValueType::c64 || t == ValueType::c128; }
constexpr bool is_16bit(ValueType t) noexcept { return t == ValueType::f16 || t == ValueType::bf16; }

// Bytes of one element.
constexpr std::size_t size_of(ValueType t) noexcept {
  switch (t) {
    case ValueType::f16:
    case ValueType::bf16: return 2;
    case ValueType::f32: return 4;
    case ValueType::f64:
    case ValueType::c64: return 8;
    case ValueType::c128: return 16;
  }
  return 0;
}
// Bytes that an element's address must be a multiple of: the size of its real part.
constexpr std::size_t align_of(ValueType t) noexcept { return is_complex(t) ? size_of(t) / 2 : size_of(t); }

constexpr std::size_t size_of(IndexType t) noexcept {
  return t == IndexType::u16 ? 2 : t == IndexType::i32 ? 4 : t == IndexType::i64 ? 8 : 0;
}

// Largest number an index type holds.
constexpr std::int64_t max_of(IndexType t) noexcept {
  return t == IndexType::u16 ? 65535 : t == IndexType::i32 ? INT32_MAX : INT64_MAX;
}

// Type in which products of this value type are summed.
constexpr ValueType sum_type(ValueType t) noexcept { return is_16bit(t) ? ValueType::f32 : t; }

const char* name_of(ValueType t) noexcept;  // "f32", "bf16", "c64" ...
const char* name_of(IndexType t) noexcept;  // "i32" ...
const char* name_of(Order t) noexcept;      // "row", "col"
const char* name_of(Op t) noexcept;         // "N", "T", "C"
const char* name_of(Format t) noexcept;     // "csr" ...

template <class T>
struct TypeTag {
  using type = T;
};

// Calls f(TypeTag<T>) for the C++ type T behind t.
template <class F>
decltype(auto) visit(ValueType t, F&& f) {
  switch (t) {
    case ValueType::f64: return f(TypeTag<double>{});
    case ValueType::f16: return f(TypeTag<f16>{});
    case ValueType::bf16: return f(TypeTag<bf16>{});
    case ValueType::c64: return f(TypeTag<c64>{});
    case ValueType::c128: return f(TypeTag<c128>{});
    case ValueType::f32: break;
  }
  return f(TypeTag<float>{});
}
template <class F>
decltype(auto) visit(IndexType t, F&& f) {
  switch (t) {
    case IndexType::u16: return f(TypeTag<std::uint16_t>{});
    case IndexType::i64: return f(TypeTag<std::int64_t>{});
    default: break;
  }
  return f(TypeTag<std::int32_t>{});
}

// Element i of an index array.
inline std::int64_t index_at(const void* array, IndexType t, std::int64_t i) noexcept {
  if (t == IndexType::i32) return static_cast<const std::int32_t*>(array)[i];
  if (t == IndexType::i64) return static_cast<const std::int64_t*>(array)[i];
  return static_cast<const std::uint16_t*>(array)[i];
}
inline void set_index(void* array, IndexType t, std::int64_t i, std::int64_t value) noexcept {
  if (t == IndexType::i32)
    static_cast<std::int32_t*>(array)[i] = static_cast<std::int32_t>(value);
  else if (t == IndexType::i64)
    static_cast<std::int64_t*>(array)[i] = value;
  else
    static_cast<std::uint16_t*>(array)[i] = static_cast<std::uint16_t>(value);
}

}  // namespace spk
