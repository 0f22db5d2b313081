// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cuda/convert.hpp"
#include "cuda/kernels/launch.cuh"
#include "cuda/value.cuh"

// What the kernels of the conversions share: index loads, searches, and pieces of the workspace.
namespace spk::cuda {

constexpr Int ceil_div(Int a, Int b) noexcept { return (a + b - 1) / b; }
constexpr Int round_up(Int a, Int b) noexcept { return ceil_div(a, b) * b; }

// Element i of an index array.
__device__ inline Int load_index(const void* array, IndexType type, Int i) {
  if (type == IndexType::i32) return static_cast<const std::int32_t*>(array)[i];
  if (type == IndexType::i64) return static_cast<const std::int64_t*>(array)[i];
  return static_cast<const std::uint16_t*>(array)[i];
}
__device__ inline void store_index(void* array, IndexType type, Int i, Int value) {
  if (type == IndexType::i32)
    static_cast<std::int32_t*>(array)[i] = static_cast<std::int32_t>(value);
  else if (type == IndexType::i64)
    static_cast<std::int64_t*>(array)[i] = value;
  else
    static_cast<std::uint16_t*>(array)[i] = static_cast<std::uint16_t>(value);
}

// Last i in [low, high) with offsets[i] <= target, given that it holds for low. Stays inside for any offsets.
__device__ inline Int last_at_most(const void* offsets, IndexType type, Int target, Int low, Int high) {
  while (high - low > 1) {
    const Int middle = low + (high - low) / 2;
    if (load_index(offsets, type, middle) <= target)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The same by a whole warp, 32 probes at a time.
__device__ inline Int last_at_most_by_warp(const void* offsets, IndexType type, Int target, Int low, Int high) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  while (high - low > 1) {
    const Int step = (high - low + 32) / 33;
    const Int probe = low + step * (lane + 1);
    const bool below = probe < high && load_index(offsets, type, probe) <= target;
    low += step * __popc(__ballot_sync(0xffffffffu, below));
    high = min(high, low + step);
  }
  return low;
}

// Moves one value of `size` bytes whose address is a multiple of `alignment`; its bits are not interpreted.
__device__ inline void move_value(void* to, Int to_place, const void* from, Int from_place, int size, int alignment) {
  if (size == 2) {
    static_cast<std::uint16_t*>(to)[to_place] = static_cast<const std::uint16_t*>(from)[from_place];
  } else if (size == 4) {
    static_cast<std::uint32_t*>(to)[to_place] = static_cast<const std::uint32_t*>(from)[from_place];
  } else if (alignment == 4) {
    const auto* const source = static_cast<const std::uint32_t*>(from) + 2 * from_place;
    auto* const target = static_cast<std::uint32_t*>(to) + 2 * to_place;
    target[0] = source[0];
    target[1] = source[1];
  } else if (size == 8) {
    static_cast<std::uint64_t*>(to)[to_place] = static_cast<const std::uint64_t*>(from)[from_place];
  } else {
    const auto* const source = static_cast<const std::uint64_t*>(from) + 2 * from_place;
    auto* const target = static_cast<std::uint64_t*>(to) + 2 * to_place;
    target[0] = source[0];
    target[1] = source[1];
  }
}

struct Entry {
  Int row, col, place;  // value is values[place]
  bool used;            // false: a slot of Blocked-ELL without a block
};

// Entry number t of a sound matrix. Blocks: its elements in storage order.
__device__ inline Entry read_entry(const SparseView& a, Int t) {
  if (a.format == Format::coo) {
    const Int place = a.first_entry + t;
    return {load_index(a.row_indices, a.index_type, place) - a.base,
            load_index(a.col_indices, a.index_type, place) - a.base, place, true};
  }
  const Int edge = a.block_size;
  if (a.format == Format::blocked_ell) {
    const Int row = t / a.ell_cols, inside = t % a.ell_cols;
    const Int slot = row / edge * (a.ell_cols / edge) + inside / edge;
    const Int stored = load_index(a.col_indices, a.index_type, slot);
    return {row, (stored - a.base) * edge + inside % edge, t, stored != -1};
  }
  const Int unit = edge * edge, block = a.first_entry + (unit == 1 ? t : t / unit);
  const bool is_csc = a.format == Format::csc;
  const Int majors = is_csc ? a.cols : a.rows / edge;
  const Int major = last_at_most(a.offsets, a.offset_type, block + a.base, 0, majors);
  const Int minor = load_index(is_csc ? a.row_indices : a.col_indices, a.index_type, block) - a.base;
  if (is_csc) return {minor, major, block, true};
  if (unit == 1) return {major, minor, block, true};
  const Int inside = t % unit, slow = inside / edge, fast = inside % edge;
  const bool by_cols = a.block_order == Order::col;
  return {major * edge + (by_cols ? fast : slow), minor * edge + (by_cols ? slow : fast), a.first_entry * unit + t,
          true};
}

__device__ inline Int first_item() { return static_cast<Int>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline Int item_stride() { return static_cast<Int>(gridDim.x) * blockDim.x; }

// *to grows by the numbers of all threads of the warp, with one atomic if there is anything to add.
__device__ inline void add_to(unsigned long long* to, unsigned long long number) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) number += __shfl_xor_sync(0xffffffffu, number, step);
  if (threadIdx.x % 32 == 0 && number != 0) atomicAdd(to, number);
}

__device__ inline bool is_outside(Int index, int base, Int limit) { return index < base || index - base >= limit; }

// Sum of two entries of one place, rounded to their type.
template <class T>
__device__ T add_values(T x, T y) {
  return FromSum<T>::of(add(to_sum(x), to_sum(y)));
}

// Blocks of `threads` for `count` items, as many as are worth having; kernels go on with a grid-wide stride.
inline unsigned grid_for(const Device& device, Int count, Int threads) noexcept {
  return static_cast<unsigned>(std::clamp<Int>(ceil_div(count, threads), 1, Int{32} * device.sm_count));
}

// Launches a kernel over `count` items; with none it does nothing.
template <class... Parameters, class... Arguments>
void for_items(void (*kernel)(Parameters...), const Device& device, Int count, const Exec& exec,
               Arguments&&... arguments) {
  if (count == 0) return;
  launch_kernel(kernel, {grid_for(device, count, 256), 256}, stream_of(exec), std::forward<Arguments>(arguments)...);
}

}  // namespace spk::cuda
