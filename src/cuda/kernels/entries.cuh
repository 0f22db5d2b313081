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
// last run only what belongs to the row is used. acc += value * element for every entry, in order: fetch(column, pack)
// loads kCount elements of the entry's row of B or answers false for an entry that is not wanted. Only stored entries
// meet B. kAligned: values and indices start at 16 bytes, so that a run is one load each. `total` is where the arrays
// end: a run that would cross it is read entry by entry.
template <int kCount, bool kAligned, class Value, class Index, class Fetch>
__device__ __forceinline__ void add_entries(const Value* __restrict__ values, const Index* __restrict__ columns,
                                            const RowRange& row, std::int64_t total, int group, int step,
                                            bool conjugate, const Fetch& fetch, Sum<Value> (&acc)[kCount]) {
  struct Run {
    Pack<Index, kRun> column;
    Pack<Value, kRun> value;
  };
  const int before = static_cast<int>(row.begin) & (kRun - 1);  // entries of the first run that are not the row's
  columns += row.begin - before;
  values += row.begin - before;
  const int end = row.count + before;
  const int last_whole = static_cast<int>(min(total - row.begin + before, static_cast<std::int64_t>(INT32_MAX))) - kRun;
  const auto mine = [&](int at) { return static_cast<unsigned>(at - before) < static_cast<unsigned>(row.count); };

  const auto load = [&](int at) {
    Run r;
    if (kAligned && at <= last_whole) {
      r.column = *reinterpret_cast<const Pack<Index, kRun>*>(columns + at);
      r.value = *reinterpret_cast<const Pack<Value, kRun>*>(values + at);
    } else {
#pragma unroll
      for (int q = 0; q < kRun; ++q)
        if (mine(at + q)) {
          r.column.at[q] = columns[at + q];
          r.value.at[q] = values[at + q];
        }
    }
    return r;
  };
  const auto use = [&](const Run& run, int at) {
    Pack<Value, kCount> b[kRun];
    bool wanted[kRun];
#pragma unroll
    for (int q = 0; q < kRun; ++q) {
      wanted[q] = mine(at + q) && fetch.wants(run.column.at[q]);
      if (wanted[q]) b[q] = fetch(run.column.at[q]);
    }
#pragma unroll
    for (int q = 0; q < kRun; ++q)
      if (wanted[q]) {
        const Sum<Value> a = conjugate_if(conjugate, to_sum(run.value.at[q]));
#pragma unroll
        for (int c = 0; c < kCount; ++c) acc[c] = multiply_add(a, fetch.element(b[q].at[c]), acc[c]);
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

// Of kernels launched straight behind one another (launch_behind() in spmm_nnz_split.cuh): all blocks of the one in front
// are under way, so that the one behind may take what room is left; what the one in front wrote is there.
__device__ inline void let_kernel_behind_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ inline void wait_for_kernel_in_front() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// 16 bytes of shared memory at a 32-bit address.
template <class T, int kCount>
__device__ inline Pack<T, kCount> load_shared(std::uint32_t address) {
  static_assert(sizeof(Pack<T, kCount>) == 16);
  uint4 x;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(address));
  Pack<T, kCount> pack;
  memcpy(&pack, &x, 16);
  return pack;
}

}  // namespace spk::cuda
