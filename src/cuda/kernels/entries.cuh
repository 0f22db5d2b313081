// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>

#include "cuda/value.cuh"

// Vectors of elements, and the loop over the entries of one row that the CSR kernels share.
namespace spk::cuda {

// Elements that move together. One element has its own alignment, which for complex numbers is that of their parts.
template <class T, int kCount>
struct alignas(kCount == 1                ? alignof(T)
               : sizeof(T) * kCount <= 16 ? sizeof(T) * kCount
                                          : 16) Pack {
  T at[kCount];
};

// The same in registers. Pairs of 16-bit elements stay together until they are used: taken apart where it is loaded, a pack
// would be waited for there.
template <class T, int kCount, bool kPairs = sizeof(T) == 2 && kCount % 2 == 0>
struct Held {
  Pack<T, kCount> pack;
  template <int kPart>
  __device__ void load(int first, const T* from) {
    const auto part = *reinterpret_cast<const Pack<T, kPart>*>(from);
#pragma unroll
    for (int i = 0; i < kPart; ++i) pack.at[first + i] = part.at[i];
  }
  __device__ void take(int first, uint4 words) {
    Pack<T, 16 / sizeof(T)> part;
    memcpy(&part, &words, 16);
#pragma unroll
    for (int i = 0; i < static_cast<int>(16 / sizeof(T)); ++i) pack.at[first + i] = part.at[i];
  }
  __device__ void put(int i, T x) { pack.at[i] = x; }
  __device__ T get(int i) const { return pack.at[i]; }
};
template <class T, int kCount>
struct Held<T, kCount, true> {
  std::uint32_t pair[kCount / 2];
  template <int kPart>
  __device__ void load(int first, const T* from) {
    const auto part = *reinterpret_cast<const Pack<std::uint32_t, kPart / 2>*>(from);
#pragma unroll
    for (int i = 0; i < kPart / 2; ++i) pair[first / 2 + i] = part.at[i];
  }
  __device__ void take(int first, uint4 words) {
    pair[first / 2] = words.x;
    pair[first / 2 + 1] = words.y;
    pair[first / 2 + 2] = words.z;
    pair[first / 2 + 3] = words.w;
  }
  // Of a place that was 0.
  __device__ void put(int i, T x) {
    std::uint16_t bits;
    memcpy(&bits, &x, 2);
    pair[i / 2] |= static_cast<std::uint32_t>(bits) << i % 2 * 16;
  }
  __device__ T get(int i) const {
    const auto bits = static_cast<std::uint16_t>(pair[i / 2] >> i % 2 * 16);
    T x;
    memcpy(&x, &bits, 2);
    return x;
  }
};

inline bool is_aligned(const void* pointer, std::size_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

// Whether values and indices of every matrix of a batch may be read four entries at a time.
inline bool reads_runs(const SparseView& a) noexcept {
  return is_aligned(a.values, 16) && is_aligned(a.minor_indices(), 16) && a.values_stride % 8 == 0 &&
         a.indices_stride % 8 == 0;
}

// Element i of an index array whose type is known at run time.
__device__ inline std::int64_t read_index(const void* array, IndexType type, std::int64_t i) {
  if (type == IndexType::i32) return static_cast<const std::int32_t*>(array)[i];
  if (type == IndexType::i64) return static_cast<const std::int64_t*>(array)[i];
  return static_cast<const std::uint16_t*>(array)[i];
}

__device__ inline const void* advance_index(const void* array, IndexType type, std::int64_t by) {
  return static_cast<const char*>(array) + by * (type == IndexType::i32 ? 4 : type == IndexType::i64 ? 8 : 2);
}

// Byte `index * size` of device memory from `start` on, in one instruction: left alone, the compiler takes such sums of
// products apart and multiplies in 64 bits. index * size may take 63 bits.
template <class T>
__device__ __forceinline__ const T* place_of(const void* start, int index, int size) {
  std::size_t at;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(at) : "r"(index), "r"(size), "l"(__cvta_generic_to_global(start)));
  return static_cast<const T*>(__cvta_global_to_generic(at));
}

constexpr int kRun = 4;  // entries that are read at once

// A row's place in the arrays of values and columns.
struct RowRange {
  std::int64_t begin;
  int count;
};
__device__ inline RowRange row_range(const void* offsets, IndexType type, int base, std::int64_t row) {
  if (type == IndexType::i32) {
    const auto* at = static_cast<const std::int32_t*>(offsets) + row;
    return {at[0] - base, at[1] - at[0]};
  }
  const std::int64_t begin = read_index(offsets, type, row), end = read_index(offsets, type, row + 1);
  return {begin - base, static_cast<int>(end - begin)};
}

// Adds the entries of a row (fewer than 2^31), shared by `step` groups of lanes of which this is number `group`. Runs of
// four neighbouring entries, starting at multiples of four in the arrays, go to the groups in turn; of the first and the
// last run only what belongs to the row is used. acc += value * element for every entry, in order: fetch(column) loads
// kCount elements of the entry's row of B, and fetch.wants(column) says whether the entry is wanted. Only stored entries
// meet B: the others of a run meet zeros, or where Fetch::kSkips nothing, which pays where many are not wanted. kAligned:
// values and indices start at 16 bytes, so that a run is one load each. `total` is where the arrays end: a run that would
// cross it is read entry by entry.
template <int kCount, bool kAligned, class Value, class Index, class Fetch>
__device__ __forceinline__ void add_entries(const Value* __restrict__ values, const Index* __restrict__ columns,
                                            const RowRange& row, std::int64_t total, int group, int step,
                                            bool conjugate, const Fetch& fetch, Sum<Value> (&acc)[kCount]) {
  struct Run {
    Pack<Index, kRun> column;
    Held<Value, kRun> value;
  };
  const int before = static_cast<int>(row.begin) & (kRun - 1);  // entries of the first run that are not the row's
  columns += row.begin - before;
  values += row.begin - before;
  const int end = row.count + before;
  const int last_whole = static_cast<int>(min(total - row.begin + before, static_cast<std::int64_t>(INT32_MAX))) - kRun;
  const auto mine = [&](int at) { return static_cast<unsigned>(at - before) < static_cast<unsigned>(row.count); };

  const auto load = [&](int at) {
    Run r{};
    if (kAligned && at <= last_whole) {
      r.column = *place_of<Pack<Index, kRun>>(columns, at, sizeof(Index));
      r.value.template load<kRun>(0, place_of<Value>(values, at, sizeof(Value)));
    } else {
#pragma unroll
      for (int q = 0; q < kRun; ++q)
        if (mine(at + q)) {
          r.column.at[q] = columns[at + q];
          r.value.put(q, values[at + q]);
        }
    }
    return r;
  };
  const auto use = [&](const Run& run, int at) {
    Held<Value, kCount> b[kRun] = {};
    bool wanted[kRun];
#pragma unroll
    for (int q = 0; q < kRun; ++q) {
      wanted[q] = mine(at + q) && fetch.wants(run.column.at[q]);
      if (wanted[q]) b[q] = fetch(run.column.at[q]);
    }
#pragma unroll
    for (int q = 0; q < kRun; ++q)
      if (!Fetch::kSkips || wanted[q]) {
        const Sum<Value> value = conjugate_if(conjugate, to_sum(run.value.get(q)));
        const Sum<Value> a = wanted[q] ? value : Sum<Value>{};
#pragma unroll
        for (int c = 0; c < kCount; ++c) acc[c] = multiply_add(a, fetch.element(b[q].get(c)), acc[c]);
      }
  };

  int at = group * kRun;
  if (at >= end) return;
  const int stride = step * kRun;
  Run run = load(at);
#pragma unroll 2
  for (; at + stride < end; at += stride) {
    const Run next = load(at + stride);
    use(run, at);
    run = next;
  }
  use(run, at);
}

// 16 bytes of shared memory at a 32-bit address.
__device__ inline uint4 load_shared_pack(std::uint32_t address) {
  uint4 x;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(address));
  return x;
}

}  // namespace spk::cuda
