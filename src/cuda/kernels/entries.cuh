// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>

#include "cuda/value.cuh"

// Vectors of elements, and the loop over the entries of one row that the CSR kernels share.
namespace spk::cuda {

template <class T, int kCount>
struct alignas(sizeof(T) * kCount <= 16 ? sizeof(T) * kCount : 16) Pack {
  T at[kCount];
};

// Element i of an index array whose type is known at run time.
__device__ inline std::int64_t read_index(const void* array, IndexType type, std::int64_t i) {
  if (type == IndexType::i32) return static_cast<const std::int32_t*>(array)[i];
  if (type == IndexType::i64) return static_cast<const std::int64_t*>(array)[i];
  return static_cast<const std::uint16_t*>(array)[i];
}

// Entries begin .. end - 1 of a row, shared by `step` groups of lanes of which this is number `group`: each takes every
// step-th run of four entries, runs starting at multiples of four. acc += value * fetch(column) for every entry, where
// fetch gives kCount elements of the entry's row of B. Only stored entries meet B. `aligned`: values and indices start
// at 16 bytes, so that a run is one load each.
template <int kCount, class Value, class Index, class Fetch>
__device__ void add_entries(const Value* __restrict__ values, const Index* __restrict__ indices, std::int64_t begin,
                            std::int64_t end, int group, int step, bool aligned, bool conjugate, Fetch fetch,
                            Sum<Value> (&acc)[kCount]) {
  using S = Sum<Value>;
  constexpr int kRun = 4;
  const auto add = [&](S value, const Pack<Value, kCount>& b) {
#pragma unroll
    for (int c = 0; c < kCount; ++c) acc[c] = multiply_add(value, fetch.element(b.at[c]), acc[c]);
  };
  for (std::int64_t at = (begin & ~std::int64_t{kRun - 1}) + kRun * group; at < end; at += kRun * step) {
    if (aligned && at >= begin && at + kRun <= end) {
      const Pack<Index, kRun> column = *reinterpret_cast<const Pack<Index, kRun>*>(indices + at);
      const Pack<Value, kRun> value = *reinterpret_cast<const Pack<Value, kRun>*>(values + at);
      Pack<Value, kCount> b[kRun];
#pragma unroll
      for (int q = 0; q < kRun; ++q) b[q] = fetch(column.at[q]);
#pragma unroll
      for (int q = 0; q < kRun; ++q) add(conjugate_if(conjugate, to_sum(value.at[q])), b[q]);
    } else {
#pragma unroll
      for (int q = 0; q < kRun; ++q)
        if (at + q >= begin && at + q < end)
          add(conjugate_if(conjugate, to_sum(values[at + q])), fetch(indices[at + q]));
    }
  }
}

inline bool is_aligned(const void* pointer, std::size_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

// Whether values and indices of every matrix of a batch may be read four entries at a time.
inline bool reads_runs(const SparseView& a) noexcept {
  return is_aligned(a.values, 16) && is_aligned(a.minor_indices(), 16) && a.values_stride % 8 == 0 &&
         a.indices_stride % 8 == 0;
}

}  // namespace spk::cuda
