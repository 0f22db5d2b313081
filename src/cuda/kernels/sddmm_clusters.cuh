// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sddmm_strips.cuh"

// The entries of whole rows, whose sums lie in shared memory: which a warp takes, and where their sums are.
namespace spk::cuda {

// A warp's entries: places [begin, end) of those of the block's rows.
struct ClusterEntries {
  std::int64_t first;  // position of place 0
  unsigned begin, end;
};

// Loads the offsets of `rows` rows from row0 on to `offsets`, from 0, and takes the warp's share of their entries. What was
// written is there for the warp after the next barrier.
template <int kRows>
__device__ ClusterEntries entries_of_warp(const StripMatrix& c, unsigned* offsets, int row0, int rows,
                                          std::int64_t batch, unsigned worker, unsigned workers) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int kEach = kRows / 32 + 1;
  // Only the first is wanted in full; the lower words of the others tell how far they are from it.
  const int words = c.offset_type == IndexType::i32 ? 1 : 2;
  const auto* const from =
      reinterpret_cast<const std::uint32_t*>(c.offsets) + (batch * c.offsets_stride + min(row0, c.m)) * words;
  const int last = min(row0 + rows, c.m) - min(row0, c.m);
  std::uint32_t raw[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) raw[i] = from[min(lane + i * 32, last) * words];
  std::int64_t first = static_cast<std::int32_t>(from[0]);
  if (words == 2) first = *reinterpret_cast<const std::int64_t*>(from);
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    if (lane + i * 32 <= kRows) offsets[lane + i * 32] = raw[i] - static_cast<std::uint32_t>(first);
  const unsigned total = __shfl_sync(0xffffffffu, raw[kEach - 1], 31) - static_cast<std::uint32_t>(first);
  const unsigned share = (total + workers * 32 - 1) / (workers * 32) * 32, begin = min(worker * share, total);
  return {first - c.base, begin, min(begin + share, total)};
}

// The last row whose offset is no more than the place: `step` is half of a power of two that is no less than the rows.
__device__ inline unsigned row_of_place(const unsigned* offsets, unsigned rows, unsigned step, unsigned place) {
  unsigned row = 0;
#pragma unroll 1
  for (; step > 0; step /= 2)
    if (row + step < rows && offsets[row + step] <= place) row += step;
  return row;
}

// Some entries of each lane: their columns, and then which of the block's sums are theirs. What is not there counts as
// the first column.
constexpr unsigned kClusterEach = 8;
struct ClusterIndices {
  const std::uint32_t* words;
  unsigned pitch, base;  // 32 or 64 bits each
};
template <class Config>
struct ClusterPass {
  std::uint32_t at[kClusterEach];
  __device__ void load(const ClusterIndices& indices, unsigned begin, unsigned end) {
#pragma unroll
    for (unsigned u = 0; u < kClusterEach; ++u) {
      const unsigned place = begin + u * 32 + threadIdx.x % 32;
      at[u] = indices.base;
      if (place < end) at[u] = indices.words[std::size_t{place} * indices.pitch];
    }
  }
  __device__ void find(const unsigned* offsets, unsigned rows, unsigned step, unsigned begin, unsigned base) {
    unsigned row[kClusterEach];
#pragma unroll
    for (unsigned u = 0; u < kClusterEach; ++u) row[u] = 0;
#pragma unroll 1
    for (; step > 0; step /= 2)
#pragma unroll
      for (unsigned u = 0; u < kClusterEach; ++u)
        if (row[u] + step < rows && offsets[row[u] + step] <= begin + u * 32 + threadIdx.x % 32) row[u] += step;
#pragma unroll
    for (unsigned u = 0; u < kClusterEach; ++u) {
      // Sums of a row lie in parts, as they come from blocks.
      const unsigned column = at[u] - base;
      at[u] = (column / Config::kCols * rows + row[u]) * Config::kStride + column % Config::kCols;
    }
  }
};

// One dot product of a row of op(A) and a column of op(B), by a warp; all lanes get it.
template <class Value, class Out>
__device__ float dot_by_warp(const SddmmArgs<Value, Out>& args, std::int64_t batch, std::int64_t row,
                             std::int64_t col) {
  const Value* const a = args.a.values + batch * args.a.batch_stride + row * args.a.stride;
  const Value* const b = args.b.values + batch * args.b.batch_stride + col * args.b.stride;
  float sum = 0;
  for (std::int64_t l = threadIdx.x % 32; l < args.k; l += 32)
    sum = fmaf(to_sum(a[l * args.a.k_stride]), to_sum(b[l * args.b.k_stride]), sum);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  return sum;
}

// The sum of each lane that `wants` it, of the entry at `place`, from the operands themselves.
template <class Value, class Out>
__device__ __noinline__ float sum_again(const SddmmArgs<Value, Out>& args, ClusterIndices indices,
                                        const unsigned* offsets, unsigned rows, unsigned step, std::int64_t row0,
                                        std::int64_t batch, unsigned place, bool wants, float sum) {
  const unsigned row = row_of_place(offsets, rows, step, place);
  unsigned column = 0;
  if (wants) column = indices.words[std::size_t{place} * indices.pitch] - indices.base;
#pragma unroll 1
  for (unsigned lanes = __ballot_sync(0xffffffffu, wants); lanes != 0; lanes &= lanes - 1) {
    const int source = __ffs(static_cast<int>(lanes)) - 1;
    const float made = dot_by_warp(args, batch, row0 + __shfl_sync(0xffffffffu, row, source),
                                   std::int64_t{__shfl_sync(0xffffffffu, column, source)});
    if (static_cast<int>(threadIdx.x) % 32 == source) sum = made;
  }
  return sum;
}

}  // namespace spk::cuda
