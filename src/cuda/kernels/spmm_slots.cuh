// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

// A row of A in shared memory, a slot for every column, that takes entries in any order and tells when a column repeats.
namespace spk::cuda {

// An empty slot has all bits set: a NaN that as_stored() never gives.
__device__ inline bool take_slot(float* slot, float value) {
  auto* bits = reinterpret_cast<unsigned*>(slot);
  return atomicCAS(bits, 0xffffffffu, __float_as_uint(value)) == 0xffffffffu;
}
__device__ inline bool take_slot(std::uint16_t* slot, std::uint16_t value) {
  auto* bits = reinterpret_cast<unsigned short*>(slot);
  return atomicCAS(bits, static_cast<unsigned short>(0xffff), static_cast<unsigned short>(value)) == 0xffff;
}

// Zeros become -0, NaNs one that is not the empty slot.
__device__ inline float as_stored(float x) { return x == 0 ? -0.0f : isnan(x) ? __uint_as_float(0x7fffffffu) : x; }
__device__ inline std::uint16_t as_stored(std::uint16_t x) {
  return (x & 0x7fff) == 0 ? 0x8000 : x == 0xffff ? 0x7fff : x;
}

// Empty slots become 0.
template <class Value>
__device__ inline uint4 without_empty(uint4 pack) {
  constexpr int kBits = 8 * sizeof(Value);
  std::uint32_t words[4] = {pack.x, pack.y, pack.z, pack.w};
#pragma unroll
  for (std::uint32_t& word : words)
#pragma unroll
    for (int at = 0; at < 32; at += kBits) {
      const std::uint32_t mask = ~0u >> (32 - kBits) << at;
      if ((word & mask) == mask) word &= ~mask;
    }
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace spk::cuda
