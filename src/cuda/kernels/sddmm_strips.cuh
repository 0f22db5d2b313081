// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sddmm_args.cuh"

// How a block of C finds the entries of its rows and columns without reading whole rows, and finishes them. All of it runs
// once in a block that lives for some microseconds: what counts is the way from one load to the next, and the
// instructions, which are not in any cache yet.
//
// The bound of a column in a row is the place from where on columns are not smaller, found by steps that look at the same
// places of a row whatever the column is, and go to the first of these places whose column is not smaller than it. So the
// bounds of growing columns never shrink, in whatever order a row is: the strips of columns part its places, each of
// which belongs to one block. Nor do they where the first step shows a row that is not sorted, of which every strip gets its
// share. If the row is sorted, so are the columns of the strip's entries inside the strip; else some may lie outside, and are
// products of their own.
//
// Of short rows all entries are read, and those outside the strip left to others.
namespace spk::cuda {

constexpr unsigned kStripRows = 16;  // of a warp, whatever the strip

// What the kernel needs of C, close together: memory for arguments is read in lines.
struct StripMatrix {
  const unsigned char *offsets, *indices;
  void* values;
  std::int64_t offsets_stride, indices_stride, values_stride;
  IndexType offset_type, index_type;
  int m, n, base;
};

template <class Value, class Out>
StripMatrix strip_matrix(const SddmmArgs<Value, Out>& args) {
  return {static_cast<const unsigned char*>(args.offsets),
          static_cast<const unsigned char*>(args.indices),
          args.values,
          args.offsets_stride,
          args.indices_stride,
          args.values_stride,
          args.offset_type,
          args.index_type,
          static_cast<int>(args.m),
          static_cast<int>(args.n),
          args.base};
}

// Column indices from some position on. They fit 32 bits whatever their type.
struct StripIndices {
  const unsigned char* indices;
  IndexType type;
  __device__ StripIndices(const StripMatrix& c, std::int64_t position)
      : indices(c.indices + position * (c.index_type == IndexType::i32   ? 4
                                        : c.index_type == IndexType::i64 ? 8
                                                                         : 2)),
        type(c.index_type) {}
  template <class F>
  __device__ void visit(F&& f) const {
    if (type == IndexType::i32)
      f([this](unsigned at) { return reinterpret_cast<const std::uint32_t*>(indices)[at]; });
    else if (type == IndexType::i64)
      f([this](unsigned at) { return reinterpret_cast<const uint2*>(indices)[at].x; });
    else
      f([this](unsigned at) { return std::uint32_t{reinterpret_cast<const std::uint16_t*>(indices)[at]}; });
  }
};

// A step of a search for a column among `count` places from `low` on, which looks at kWays - 1 of them. Returns whether their
// columns do not fall.
template <unsigned kWays, class Load>
__device__ bool search_step(const Load& load, unsigned& low, unsigned& count, unsigned column) {
  const unsigned step = (count + kWays - 1) / kWays;
  unsigned there[kWays - 1];
#pragma unroll
  for (unsigned u = 0; u < kWays - 1; ++u) {
    there[u] = ~0u;
    if ((u + 1) * step <= count && step > 0) there[u] = load(low + (u + 1) * step - 1);
  }
  bool rising = true;
  unsigned skipped = kWays - 1;
#pragma unroll
  for (unsigned u = kWays - 1; u-- > 0;) {
    if (u > 0) rising &= there[u - 1] <= there[u];
    if (there[u] >= column) skipped = u;
  }
  low += skipped * step;
  count = min(skipped == kWays - 1 ? count : step - 1, count - skipped * step);
  return rising;
}

// The bound of a column among `count` places from `low` on, of a lane; `ordinal` of the `cols` columns come before it. A row
// that the first step shows not to be sorted is parted evenly among the columns: its bounds would leave most of it to few.
template <class Load>
__device__ unsigned column_bound(const Load& load, unsigned low, unsigned count, unsigned column, unsigned ordinal,
                                 unsigned cols) {
  const unsigned even = low + static_cast<unsigned>(std::uint64_t{count} * ordinal / cols);
  if (!search_step<8>(load, low, count, column)) low = even, count = 0;
#pragma unroll 1
  while (__any_sync(0xffffffffu, count > 0)) search_step<4>(load, low, count, column);
  return low;
}

// A warp's entries in its strip, or of whole rows.
struct StripEntries {
  unsigned begins[kStripRows], counts[kStripRows];  // of a row, from `first` on
};
struct StripRange {
  std::int64_t first;  // position
  unsigned longest;    // most entries of a row
  bool whole;
};

// A lane's row: two lanes have one, for either bound of the strip.
struct StripLane {
  std::int64_t begin, end;  // with the base
};
__device__ inline StripLane strip_lane(const StripMatrix& c, int row0, std::int64_t batch) {
  const int row = min(row0 + static_cast<int>(threadIdx.x) % 32 / 2, c.m), next = min(row + 1, c.m);
  const std::int64_t shift = batch * c.offsets_stride;
  if (c.offset_type == IndexType::i32) {
    const auto* offsets = reinterpret_cast<const std::int32_t*>(c.offsets) + shift;
    return {offsets[row], offsets[next]};
  }
  const auto* offsets = reinterpret_cast<const std::int64_t*>(c.offsets) + shift;
  return {offsets[row], offsets[next]};
}

// The most of all lanes.
__device__ inline unsigned most_of_warp(unsigned x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, x);
#else
  for (int mask = 16; mask > 0; mask /= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, mask));
  return x;
#endif
}

// Finds the entries of a warp's rows, from which `mine` is, in columns [col0, col0 + cols) of matrix `batch`. The next
// __syncwarp() makes them visible.
__device__ inline StripRange find_entries(const StripMatrix& c, StripEntries& entries, const StripLane& mine, int col0,
                                          int cols, std::int64_t batch) {
  const unsigned lane = threadIdx.x % 32;
  StripRange range;
  range.first = __shfl_sync(0xffffffffu, mine.begin, 0) - c.base;
  const unsigned low = static_cast<unsigned>(mine.begin - c.base - range.first);
  unsigned count = static_cast<unsigned>(mine.end - mine.begin), bound = lane % 2 == 0 ? low : low + count;
  range.longest = most_of_warp(count);
  range.whole = range.longest <= kSddmmStripShort;
  if (!range.whole) {
    const int column = col0 + static_cast<int>(lane % 2) * cols;
    const bool searches = column > 0 && column < c.n;
    StripIndices(c, batch * c.indices_stride + range.first).visit([&](const auto& load) {
      const unsigned found = column_bound(load, low, searches ? count : 0, static_cast<unsigned>(column + c.base),
                                          static_cast<unsigned>(column), static_cast<unsigned>(c.n));
      if (searches) bound = found;
    });
  }
  const unsigned end = __shfl_down_sync(0xffffffffu, bound, 1);
  count = lane % 2 == 0 ? end - bound : 0;
  if (lane % 2 == 0) {
    entries.begins[lane / 2] = bound;
    entries.counts[lane / 2] = count;
  }
  if (!range.whole) range.longest = most_of_warp(count);
  return range;
}

// A pass over a warp's rows: 16 lanes have a row, and take an entry each, for all rows at once. What is not there counts as
// the strip's first column.
constexpr unsigned kStripPairs = kStripRows / 2, kStripLanes = 16;
struct StripPass {
  unsigned columns[kStripPairs];
  __device__ void load(const StripIndices& indices, const StripEntries& entries, unsigned pass, unsigned origin) {
    const unsigned half = threadIdx.x % 32 / kStripLanes, place = pass * kStripLanes + threadIdx.x % kStripLanes;
    indices.visit([&](const auto& load_one) {
#pragma unroll
      for (unsigned u = 0; u < kStripPairs; ++u) {
        columns[u] = origin;
        if (place < entries.counts[2 * u + half]) columns[u] = load_one(entries.begins[2 * u + half] + place);
      }
    });
  }
};

// Where a warp's strip lies, and its scalars.
struct StripWork {
  std::int64_t batch;
  int row0, col0;
  float alpha, beta;
  bool skips;
};

// Entries of a pass that are products of their own: `slots` of them, and every slot's column. A slot is a lane of a pair of rows.
constexpr unsigned kStripSlots = kStripPairs * 32;
struct StripList {
  std::uint32_t columns[kStripSlots];
  std::uint8_t slots[kStripSlots];
};

// Forms the products of the first `count` entries of a list: four lanes have one, so that 32 are under way, and four more loads
// of each. Lines that are contiguous along k are aligned to 16 bytes. `finish` gets the slot and the sum, in one lane.
template <class Value, class Out, class Finish>
__device__ void form_listed(const SddmmArgs<Value, Out>& args, const StripWork& work, const StripList& list,
                            unsigned count, const Finish& finish) {
  constexpr unsigned kEach = 4, kLanes = 4;
  constexpr int kPiece = 16 / static_cast<int>(sizeof(Value));
  const unsigned lane = threadIdx.x % 32;
  const bool contiguous = args.a.k_stride == 1 && args.b.k_stride == 1;
#pragma unroll 1
  for (unsigned first = 0; first < count; first += 32) {
    const Value *a[kEach], *b[kEach];
    unsigned slots[kEach];
    float sums[kEach] = {};
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      slots[j] = list.slots[min(first + j * 8 + lane / kLanes, count - 1)];
      const std::int64_t row = work.row0 + static_cast<int>(slots[j] / 16);
      const std::int64_t col = work.col0 + static_cast<int>(list.columns[slots[j]]);
      a[j] = args.a.values + work.batch * args.a.batch_stride + row * args.a.stride;
      b[j] = args.b.values + work.batch * args.b.batch_stride + col * args.b.stride;
    }
    std::int64_t l = lane % kLanes * kPiece;
    if (contiguous) {
#pragma unroll 2
      for (; l + kPiece <= args.k; l += kLanes * kPiece) {
        alignas(16) Value x[kEach][kPiece], y[kEach][kPiece];
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) {
          *reinterpret_cast<uint4*>(x[j]) = *reinterpret_cast<const uint4*>(a[j] + l);
          *reinterpret_cast<uint4*>(y[j]) = *reinterpret_cast<const uint4*>(b[j] + l);
        }
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j)
#pragma unroll
          for (int i = 0; i < kPiece; ++i) sums[j] = fmaf(to_sum(x[j][i]), to_sum(y[j][i]), sums[j]);
      }
    }
    for (; l < args.k; l += kLanes * kPiece)
#pragma unroll 1
      for (std::int64_t i = l; i < min(l + kPiece, args.k); ++i)
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j)
          sums[j] = fmaf(to_sum(a[j][i * args.a.k_stride]), to_sum(b[j][i * args.b.k_stride]), sums[j]);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      sums[j] += __shfl_xor_sync(0xffffffffu, sums[j], 1);
      sums[j] += __shfl_xor_sync(0xffffffffu, sums[j], 2);
      if (lane % kLanes == j && first + j * 8 + lane / kLanes < count) finish(slots[j], sums[j]);
    }
  }
}

// A pass with everything: entries outside the strip (unless rows are whole), sums that are not finite or, if `again`, all
// are formed once more from the operands themselves (f32 operands were split); beta.
template <class Value, class Out, int kCols, int kStride>
__device__ __noinline__ void finish_singly(const SddmmArgs<Value, Out>& args, StripWork work,
                                           const StripEntries& entries, StripRange range, StripPass pass_columns,
                                           unsigned pass, const float* tile, StripList& list, bool again) {
  constexpr bool kSplit = std::is_same_v<Value, float>;
  const unsigned lane = threadIdx.x % 32, half = lane / kStripLanes, place = pass * kStripLanes + lane % kStripLanes;
  Out* const values = args.values + work.batch * args.values_stride + range.first;
  const auto finish = [&](Out* to, float sum) {
    float x = work.skips ? 0.0f : work.alpha * sum;
    if (work.beta != 0) x = fmaf(work.beta, to_sum(*to), x);
    *to = FromSum<Out>::of(x);
  };
  unsigned listed = 0;
#pragma unroll 1
  for (unsigned u = 0; u < kStripPairs; ++u) {
    const unsigned column = pass_columns.columns[0];  // a loop, for which they move on
#pragma unroll
    for (unsigned i = 0; i + 1 < kStripPairs; ++i) pass_columns.columns[i] = pass_columns.columns[i + 1];
    const unsigned row = 2 * u + half;
    const bool inside = column < kCols, there = place < entries.counts[row] && (inside || !range.whole);
    const float sum = inside && there ? tile[row * kStride + column] : 0.0f;
    const bool dot = there && !work.skips && (!inside || (kSplit && (again || !isfinite(sum))));
    const unsigned dots = __ballot_sync(0xffffffffu, dot);
    if (dot) {
      list.columns[u * 32 + lane] = column;
      list.slots[listed + __popc(dots & ((1u << lane) - 1))] = static_cast<std::uint8_t>(u * 32 + lane);
    }
    listed += __popc(dots);
    if (there && !dot) finish(values + (entries.begins[row] + place), sum);
  }
  __syncwarp();
  form_listed(args, work, list, listed, [&](unsigned slot, float sum) {
    finish(values + (entries.begins[slot / 16] + pass * kStripLanes + slot % 16), sum);
  });
  __syncwarp();
}

// Finishes a warp's entries from its sums `tile` (kStripRows x kCols, rows kStride apart) in shared memory; `ahead` has
// the first pass; `list` is room of the warp.
template <class Value, class Out, int kCols, int kStride>
__device__ void finish_entries(const SddmmArgs<Value, Out>& args, const StripMatrix& c, const StripWork& work,
                               const StripEntries& entries, const StripRange& range, StripPass& ahead,
                               const float* tile, StripList& list, bool again) {
  constexpr bool kSplit = std::is_same_v<Value, float>;
  const unsigned lane = threadIdx.x % 32, half = lane / kStripLanes;
  const unsigned origin = static_cast<unsigned>(work.col0 + c.base);
  const StripIndices indices(c, work.batch * c.indices_stride + range.first);
  Out* const values = static_cast<Out*>(c.values) + work.batch * c.values_stride + range.first;
  const bool singly = again || work.skips || work.beta != 0;
#pragma unroll 1
  for (unsigned pass = 0; pass * kStripLanes < range.longest; ++pass) {
    StripPass now;  // columns of the tile
#pragma unroll
    for (unsigned u = 0; u < kStripPairs; ++u) now.columns[u] = ahead.columns[u] - origin;
    if ((pass + 1) * kStripLanes < range.longest) ahead.load(indices, entries, pass + 1, origin);
    unsigned farthest = 0;
#pragma unroll
    for (unsigned u = 0; u < kStripPairs; ++u) farthest = max(farthest, now.columns[u]);
    float sums[kStripPairs], odd = 0;
#pragma unroll
    for (unsigned u = 0; u < kStripPairs; ++u) {
      const unsigned column = now.columns[u] < kCols ? now.columns[u] : 0;
      sums[u] = tile[(2 * u + half) * kStride + column];
      if (kSplit) odd = fmaf(sums[u], 0.0f, odd);
    }
    if (__any_sync(0xffffffffu, singly || (!range.whole && farthest >= kCols) || (kSplit && !(odd == 0)))) {
      finish_singly<Value, Out, kCols, kStride>(args, work, entries, range, now, pass, tile, list, again);
      continue;
    }
    const unsigned place = pass * kStripLanes + lane % kStripLanes;
#pragma unroll
    for (unsigned u = 0; u < kStripPairs; ++u)
      if (place < entries.counts[2 * u + half] && now.columns[u] < kCols)
        values[entries.begins[2 * u + half] + place] = FromSum<Out>::of(work.alpha * sums[u]);
  }
}

}  // namespace spk::cuda
