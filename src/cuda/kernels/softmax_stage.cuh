// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/softmax.hpp"
#include "cuda/value.cuh"

// What kernels of softmax share: where rows are, groups of threads that have a row, and entries in shared memory.
namespace spk::cuda {

struct SoftmaxStructure {
  const void* offsets;  // from `base`; positions in the value arrays
  IndexType offset_type;
  int base;
  std::int64_t rows, nnz, first_entry, batches, offsets_stride;
  std::int64_t longest;  // entries that a row can have while none is repeated
};
inline SoftmaxStructure softmax_structure(const SparseView& a) noexcept {
  return {a.offsets,        a.offset_type,          a.base, a.rows, a.nnz, a.first_entry, a.batch_count,
          a.offsets_stride, std::min(a.nnz, a.cols)};
}

struct SoftmaxRange {
  std::int64_t begin, end;
};
__device__ inline std::int64_t softmax_offset(const SoftmaxStructure& a, std::int64_t batch, std::int64_t i) {
  const std::int64_t at = batch * a.offsets_stride + i;
  return (a.offset_type == IndexType::i32 ? static_cast<const std::int32_t*>(a.offsets)[at]
                                          : static_cast<const std::int64_t*>(a.offsets)[at]) -
         a.base;
}
__device__ inline SoftmaxRange softmax_row(const SoftmaxStructure& a, std::int64_t batch, std::int64_t i) {
  return {softmax_offset(a, batch, i), softmax_offset(a, batch, i + 1)};
}

constexpr int kSoftmaxThreads = 256;
constexpr unsigned kAllLanes = 0xffffffffu;

// Numbers that all lanes of a group, or all threads of a block, get in the same order of additions. All lanes of a warp
// come to combine() together, also those whose group has no row: were every group to name its own lanes, the groups of
// a warp would go through it one after the other.
template <int kLanes>
struct GroupOf {
  static constexpr int kSize = kLanes;
  __device__ int index() const { return static_cast<int>(threadIdx.x) % kLanes; }
  template <class T, class F>
  __device__ T combine(T x, F f) const {
#pragma unroll
    for (int mask = kLanes / 2; mask > 0; mask /= 2) x = f(x, __shfl_xor_sync(kAllLanes, x, mask));
    return x;
  }
};
template <int kThreads>
struct BlockOf {
  static constexpr int kSize = kThreads;
  void* room;  // kThreads / 32 numbers of shared memory
  __device__ int index() const { return static_cast<int>(threadIdx.x); }
  template <class T, class F>
  __device__ T combine(T x, F f) const {
    constexpr int kWarps = kThreads / 32;
    T* const all = static_cast<T*>(room);
    x = GroupOf<32>{}.combine(x, f);
    __syncthreads();  // the room may still be read
    if (threadIdx.x % 32 == 0) all[threadIdx.x / 32] = x;
    __syncthreads();
    x = all[0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) x = f(x, all[w]);
    return x;
  }
};

// Calls f(at, is_there) for a lane's entries, Group::kSize apart from `at` on, kBatch of them at a time: f can load
// all of them before it stores any, which loops over single entries would have to do in turn, for all that is known.
template <class Group, int kBatch, class F>
__device__ __forceinline__ void for_batches(int at, int length, const F& f) {
  for (; at + (kBatch - 1) * Group::kSize < length; at += kBatch * Group::kSize) f(at, [](int) { return true; });
  if (at < length) f(at, [&](int q) { return at + q * Group::kSize < length; });
}

// Entries [begin, end) of an array in shared memory. Element e is at values[e - begin]; values has the address of the
// array in a line of 16 bytes, so that whole pieces can be copied.
template <class Stored>
struct SoftmaxStage {
  Stored* values;
  static constexpr int kPiece = 16 / static_cast<int>(sizeof(Stored));
  // Elements up to the first whole piece.
  static __device__ int ahead_of(const void* first) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(Stored));
  }
  template <class Group>
  __device__ void fetch(const Group& group, unsigned char* room, const Stored* first, int count) {
    const int lead = ahead_of(first);
    values = reinterpret_cast<Stored*>(room) + lead;
    const int whole = lead == 0 ? 0 : min(kPiece - lead, count), pieces = (count - whole) / kPiece;
    const int rest = whole + pieces * kPiece, thread = group.index();
#pragma unroll 4
    for (int i = thread; i < pieces; i += Group::kSize) {
      const Stored* const from = first + whole + i * kPiece;
      Stored* const to = values + whole + i * kPiece;
#if __CUDA_ARCH__ >= 800
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
          "l"(from)
          : "memory");
#else
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
    }
    if (thread < whole) values[thread] = first[thread];
    if (thread < count - rest) values[rest + thread] = first[rest + thread];
  }
  template <class Group>
  __device__ void give(const Group& group, Stored* first, int count) const {
    const int lead = ahead_of(first), thread = group.index();
    if (lead != ahead_of(values)) {
      for (int i = thread; i < count; i += Group::kSize) first[i] = values[i];
      return;
    }
    const int whole = lead == 0 ? 0 : min(kPiece - lead, count), pieces = (count - whole) / kPiece;
    const int rest = whole + pieces * kPiece;
    constexpr int kAhead = 4;
    for (int at = thread; at < pieces; at += kAhead * Group::kSize) {
      uint4 some[kAhead];
#pragma unroll
      for (int i = 0; i < kAhead; ++i)
        if (at + i * Group::kSize < pieces)
          some[i] = *reinterpret_cast<const uint4*>(values + whole + (at + i * Group::kSize) * kPiece);
#pragma unroll
      for (int i = 0; i < kAhead; ++i)
        if (at + i * Group::kSize < pieces)
          *reinterpret_cast<uint4*>(first + whole + (at + i * Group::kSize) * kPiece) = some[i];
    }
    if (thread < whole) first[thread] = values[thread];
    if (thread < count - rest) first[rest + thread] = values[rest + thread];
  }
};
// What this thread fetched is there.
__device__ inline void wait_for_stages() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;\n" ::: "memory");
#endif
}

}  // namespace spk::cuda
