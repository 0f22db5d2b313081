// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/types.hpp"

// Values as bits: what is only moved is never interpreted. Complex numbers are aligned like their real part.
namespace spk::cuda {

template <class Part>
struct BitPair {
  Part re, im;
};

// Calls f(TypeTag<Bits>) for the bits of a value type.
template <class F>
decltype(auto) visit_bits(ValueType t, F&& f) {
  switch (t) {
    case ValueType::f16:
    case ValueType::bf16: return f(TypeTag<std::uint16_t>{});
    case ValueType::f64: return f(TypeTag<std::uint64_t>{});
    case ValueType::c64: return f(TypeTag<BitPair<std::uint32_t>>{});
    case ValueType::c128: return f(TypeTag<BitPair<std::uint64_t>>{});
    case ValueType::f32: break;
  }
  return f(TypeTag<std::uint32_t>{});
}

// Both signs of zero are zero, NaN is not.
__device__ inline bool is_zero_bits(std::uint16_t bits) { return (bits & 0x7fffu) == 0; }
__device__ inline bool is_zero_bits(std::uint32_t bits) { return (bits & 0x7fffffffu) == 0; }
__device__ inline bool is_zero_bits(std::uint64_t bits) { return (bits & INT64_MAX) == 0; }
template <class Part>
__device__ bool is_zero_bits(const BitPair<Part>& bits) {
  return is_zero_bits(bits.re) && is_zero_bits(bits.im);
}

}  // namespace spk::cuda
