// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/softmax.hpp"
#include "cuda/value.cuh"

// Rows of a softmax or of its gradient. An operation `Op` (softmax_forward.cuh, softmax_backward.cuh) says what an
// entry is in registers (Cell), what a row or a part of one amounts to (State), and how an entry is written once its
// row's State is known. Here is who has which row.
namespace spk::cuda {

struct SoftmaxStructure {
  const void* offsets;  // from `base`; positions in the value arrays
  IndexType offset_type;
  int base;
  std::int64_t rows, nnz, first_entry, batches, offsets_stride;
};
inline SoftmaxStructure softmax_structure(const SparseView& a) noexcept {
  return {a.offsets, a.offset_type, a.base, a.rows, a.nnz, a.first_entry, a.batch_count, a.offsets_stride};
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

// All offsets of some rows; the type is asked for once, so that loads need not wait for one another.
__device__ inline void load_offsets(const SoftmaxStructure& a, std::int64_t batch, std::int64_t row, int count,
                                    std::int64_t* to) {
  const auto load = [&](const auto* offsets) {
    offsets += batch * a.offsets_stride + row;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
      to[i] = std::int64_t{offsets[i]} - a.base;
  };
  if (a.offset_type == IndexType::i32)
    load(static_cast<const std::int32_t*>(a.offsets));
  else
    load(static_cast<const std::int64_t*>(a.offsets));
}

constexpr int kSoftmaxThreads = 256;
constexpr int kSoftmaxMostRows = 1024;  // of a block
// Entries in shared memory at a time: 16 KiB of all arrays that are read, but not more than the registers of a block.
template <class Op>
constexpr int kSoftmaxStaged = std::min(4096, 16384 / (Op::kArrays * static_cast<int>(sizeof(typename Op::Stored))));

// Numbers that all lanes of a group, or all threads of a block, get in the same order of additions.
template <int kLanes>
struct GroupOf {
  static constexpr int kSize = kLanes;
  __device__ int index() const { return static_cast<int>(threadIdx.x) % kLanes; }
  template <class T, class F>
  __device__ T combine(T x, F f) const {
    // Lanes of a warp may be at rows of different lengths, but a group is together.
    const unsigned lanes =
        kLanes == 32 ? 0xffffffffu : ((1u << (kLanes % 32)) - 1) << (threadIdx.x % 32 / kLanes * kLanes);
#pragma unroll
    for (int mask = kLanes / 2; mask > 0; mask /= 2) x = f(x, __shfl_xor_sync(lanes, x, mask));
    return x;
  }
};
struct WholeBlock {
  static constexpr int kSize = kSoftmaxThreads;
  void* room;  // kSoftmaxThreads / 32 numbers of shared memory
  __device__ int index() const { return static_cast<int>(threadIdx.x); }
  template <class T, class F>
  __device__ T combine(T x, F f) const {
    constexpr int kWarps = kSoftmaxThreads / 32;
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
  __device__ void fetch(unsigned char* room, const Stored* first, int count) {
    const int lead = ahead_of(first);
    values = reinterpret_cast<Stored*>(room) + lead;
    const int whole = lead == 0 ? 0 : min(kPiece - lead, count), pieces = (count - whole) / kPiece;
    const int rest = whole + pieces * kPiece, thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < pieces; i += kSoftmaxThreads) {
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
  __device__ void give(Stored* first, int count) const {
    const int lead = ahead_of(first), thread = static_cast<int>(threadIdx.x);
    if (lead != ahead_of(values)) {
      for (int i = thread; i < count; i += kSoftmaxThreads) first[i] = values[i];
      return;
    }
    const int whole = lead == 0 ? 0 : min(kPiece - lead, count), pieces = (count - whole) / kPiece;
    const int rest = whole + pieces * kPiece;
    for (int i = thread; i < pieces; i += kSoftmaxThreads)
      *reinterpret_cast<uint4*>(first + whole + i * kPiece) =
          *reinterpret_cast<const uint4*>(values + whole + i * kPiece);
    if (thread < whole) first[thread] = values[thread];
    if (thread < count - rest) first[rest + thread] = values[rest + thread];
  }
};
template <int kLeft>
__device__ void wait_for_stages() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kLeft) : "memory");
#endif
}
__device__ inline void close_stage() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}

// A staged row that fits into the registers of its group, kEach entries for a lane. Results replace the first array's
// entries. The row begins at element `begin` of the stages, and at position `first` of the arrays.
template <int kEach, class Op, class Group>
__device__ void staged_row(const Op& op, const Group& group, const SoftmaxStage<typename Op::Stored>* stages, int begin,
                           std::int64_t first, int length) {
  typename Op::Cell cells[kEach];
  const int own = length - group.index();  // entries from the lane's first one on
  const int at = begin + group.index();
  first += group.index();
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    cells[i] = Op::nothing();
    if (i * Group::kSize < own) cells[i] = op.cell(stages, at + i * Group::kSize, first + i * Group::kSize);
  }
  const typename Op::State state = op.close(cells, group, length);
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    if (i * Group::kSize < own)
      stages[0].values[at + i * Group::kSize] = op.stored(op.result(cells[i], state), first + i * Group::kSize);
}

// What entries [begin, end) amount to, read once.
template <class Op>
__device__ typename Op::State state_of(const Op& op, const WholeBlock& block, SoftmaxRange part) {
  constexpr int kAhead = 8;
  typename Op::State state = Op::empty();
  std::int64_t at = part.begin + block.index();
  for (; at + (kAhead - 1) * WholeBlock::kSize < part.end; at += kAhead * WholeBlock::kSize) {
    typename Op::Cell cells[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) cells[i] = op.load(at + i * WholeBlock::kSize);
    op.take(state, cells);
  }
  for (; at < part.end; at += WholeBlock::kSize) {
    typename Op::Cell cells[1] = {op.load(at)};
    op.take(state, cells);
  }
  return op.join(state, block);
}

template <class Op>
__device__ void write_part(const Op& op, const WholeBlock& block, SoftmaxRange part, typename Op::State state) {
  constexpr int kAhead = 8;
  state = Op::inverted(state);
  std::int64_t at = part.begin + block.index();
  for (; at + (kAhead - 1) * WholeBlock::kSize < part.end; at += kAhead * WholeBlock::kSize) {
    typename Op::Cell cells[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) cells[i] = op.load(at + i * WholeBlock::kSize);
#pragma unroll
    for (int i = 0; i < kAhead; ++i) op.write(at + i * WholeBlock::kSize, op.late_result(cells[i], state));
  }
  for (; at < part.end; at += WholeBlock::kSize) op.write(at, op.late_result(op.load(at), state));
}

// A block has `rows_per_block` rows, whose entries lie side by side. As many rows as fit are brought to shared memory
// at a time, while those before are worked on, and their results are taken back from there, all in storage order,
// however short the rows are. Groups of lanes take the rows that fit into their registers, warps those of up to 1,024
// entries, and the whole block the rest. Rows that do not fit into shared memory are read twice by the whole block,
// unless they are longer than `longest`. Shared memory: two times 16 KiB of entries (and 16 bytes per array, as they
// keep their place in a piece), 8 bytes per row of offsets, 4 for the rows left over. The size of the groups follows
// the mean length of the rows at hand.
constexpr int kSoftmaxBuffer = 16384 + 2 * 16;
template <class Op>
__global__ void __launch_bounds__(kSoftmaxThreads, resident_blocks(sizeof(typename Op::S) == 4 ? 4 : 2))
    softmax_rows_kernel(const typename Op::Arguments arguments, const SoftmaxStructure a, int rows_per_block,
                        std::int64_t longest) {
  using Stage = SoftmaxStage<typename Op::Stored>;
  constexpr int kStaged = kSoftmaxStaged<Op>, kWarpRow = 1024;  // longer ones are for the block
  constexpr int kWarps = kSoftmaxThreads / 32;
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const offsets = reinterpret_cast<std::int64_t*>(shared + 2 * kSoftmaxBuffer);  // (rows_per_block + 1)
  int* const left = reinterpret_cast<int*>(offsets + rows_per_block + 1);  // (rows_per_block): for warps from the front
  __shared__ int for_warps, for_block;
  __shared__ double room[kSoftmaxThreads / 32];
  const std::int64_t runs = (a.rows + rows_per_block - 1) / rows_per_block;
  const std::int64_t batch = blockIdx.x / runs, row0 = blockIdx.x % runs * rows_per_block;
  const int count = static_cast<int>(a.rows - row0 < rows_per_block ? a.rows - row0 : rows_per_block);
  const int thread = static_cast<int>(threadIdx.x);
  const Op op(arguments, batch);
  const WholeBlock block{room};
  load_offsets(a, batch, row0, count + 1, offsets);
  if (thread == 0) for_warps = for_block = 0;
  __syncthreads();

  // The row behind those that fit together with `row`: `row` itself if it does not fit alone.
  const auto end_of = [&](int row) {
    int end = row, high = count;
    while (end < high) {
      const int middle = end + (high - end + 1) / 2;
      if (offsets[middle] - offsets[row] <= kStaged)
        end = middle;
      else
        high = middle - 1;
    }
    return end;
  };
  Stage stages[2][Op::kArrays];
  const auto fetch = [&](Stage(&to)[Op::kArrays], unsigned char* buffer, int row, int end) {
    if (row < end) {
#pragma unroll
      for (int i = 0; i < Op::kArrays; ++i)
        to[i].fetch(buffer + i * (16384 / Op::kArrays + 16), op.source(i) + offsets[row],
                    static_cast<int>(offsets[end] - offsets[row]));
    }
    close_stage();
  };
  const auto work = [&](const Stage(&here)[Op::kArrays], int row, int end) {
    const std::int64_t first = offsets[row];
    if (row == end) {
      const SoftmaxRange range{first, offsets[row + 1]};
      if (range.end - range.begin <= longest) write_part(op, block, range, state_of(op, block, range));
      return;
    }
    const auto in_groups = [&](auto group, auto each) {
      using Group = decltype(group);
      constexpr int kEach = decltype(each)::value;
      constexpr int kLongest = Group::kSize == 32 ? kWarpRow : Group::kSize * kEach;
      for (int i = row + thread / Group::kSize; i < end; i += kSoftmaxThreads / Group::kSize) {
        const int begin = static_cast<int>(offsets[i] - first);
        const int length = static_cast<int>(offsets[i + 1] - first) - begin;
        if (length <= Group::kSize * kEach) {
          if (length > 0) staged_row<kEach>(op, group, here, begin, offsets[i], length);
        } else if (length <= kLongest) {
          op.staged_row(group, here, begin, offsets[i], length);
        } else if (group.index() == 0) {
          if (length <= kWarpRow)
            left[atomicAdd(&for_warps, 1)] = i;
          else
            left[rows_per_block - 1 - atomicAdd(&for_block, 1)] = i;
        }
      }
    };
    const int mean = static_cast<int>(offsets[end] - first) / (end - row);
    if (mean <= 5)
      in_groups(GroupOf<2>{}, std::integral_constant<int, 4>{});
    else if (mean <= 20)
      in_groups(GroupOf<8>{}, std::integral_constant<int, 4>{});
    else
      in_groups(GroupOf<32>{}, std::integral_constant<int, 4>{});
    __syncthreads();
    if (for_warps + for_block != 0) {
      for (int i = thread / 32; i < for_warps; i += kWarps) {
        const std::int64_t begin = offsets[left[i]];
        op.staged_row(GroupOf<32>{}, here, static_cast<int>(begin - first), begin,
                      static_cast<int>(offsets[left[i] + 1] - begin));
      }
      for (int i = 0; i < for_block; ++i) {
        const int taken = left[rows_per_block - 1 - i];
        const std::int64_t begin = offsets[taken];
        op.staged_row(block, here, static_cast<int>(begin - first), begin,
                      static_cast<int>(offsets[taken + 1] - begin));
      }
      __syncthreads();
      if (thread == 0) for_warps = for_block = 0;
    }
    here[0].give(op.target() + first, static_cast<int>(offsets[end] - first));
  };

  int row = 0, end = end_of(0);
  fetch(stages[0], shared, row, end);
  for (bool odd = false; row < count; odd = !odd) {
    const int next = end == row ? row + 1 : end, next_end = next < count ? end_of(next) : next;
    if (odd)
      fetch(stages[0], shared, next, next_end);
    else
      fetch(stages[1], shared + kSoftmaxBuffer, next, next_end);
    wait_for_stages<1>();
    __syncthreads();
    if (odd)
      work(stages[1], row, end);
    else
      work(stages[0], row, end);
    __syncthreads();  // the buffer is free
    row = next;
    end = next_end;
  }
}

// The row that has an entry at position `place`: the first one that ends behind it.
__device__ inline std::int64_t softmax_row_of(const SoftmaxStructure& a, std::int64_t batch, std::int64_t place) {
  std::int64_t low = 0, high = a.rows - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (softmax_offset(a, batch, middle + 1) > place)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// A block has one part of a matrix' entries, and in it those of rows longer than two parts. Such a row holds the first
// or the last entry of every part it meets: the State of the former goes to slot 0 of the part, that of the latter to
// slot 1. kWrites: with all states there, the entries are written.
template <class Op, bool kWrites>
__global__ void __launch_bounds__(kSoftmaxThreads, 1)
    softmax_parts_kernel(const typename Op::Arguments arguments, const SoftmaxStructure a, SoftmaxParts parts,
                         typename Op::State* states) {
  __shared__ double room[kSoftmaxThreads / 32];
  __shared__ std::int64_t rows[2];
  const std::int64_t batch = blockIdx.x / parts.count, part = blockIdx.x % parts.count;
  const std::int64_t begin = a.first_entry + part * parts.length, last = a.first_entry + a.nnz;
  const std::int64_t end = begin + parts.length < last ? begin + parts.length : last;
  const Op op(arguments, batch);
  const WholeBlock block{room};
  states += batch * parts.count * 2;
  if (threadIdx.x < 64 && threadIdx.x % 32 == 0)
    rows[threadIdx.x / 32] = softmax_row_of(a, batch, threadIdx.x == 0 ? begin : end - 1);
  __syncthreads();
  for (int slot = 0; slot < (rows[0] == rows[1] ? 1 : 2); ++slot) {
    const SoftmaxRange row = softmax_row(a, batch, rows[slot]);
    if (row.end - row.begin <= 2 * parts.length) continue;
    const SoftmaxRange here{row.begin > begin ? row.begin : begin, row.end < end ? row.end : end};
    if constexpr (!kWrites) {
      const typename Op::State state = state_of(op, block, here);
      if (threadIdx.x == 0) states[part * 2 + slot] = state;
    } else {
      const std::int64_t first = (row.begin - a.first_entry) / parts.length;
      const std::int64_t final = (row.end - 1 - a.first_entry) / parts.length;
      const bool first_begins_before = row.begin > a.first_entry + first * parts.length;
      typename Op::State state = Op::empty();
      for (std::int64_t i = first + threadIdx.x; i <= final; i += kSoftmaxThreads)
        state = op.merge(state, states[i * 2 + (i == first && first_begins_before ? 1 : 0)]);
      write_part(op, block, here, op.join(state, block));
    }
  }
}

template <class Op>
void launch_softmax_rows(const typename Op::Arguments& arguments, const SoftmaxStructure& a, std::int64_t longest,
                         const Launch& launch) {
  const std::int64_t mean = std::max<std::int64_t>(1, (a.nnz + a.rows - 1) / a.rows);
  // Some times what shared memory takes, but fewer rows where there are few rows at all; and no more blocks than a grid
  // may have.
  constexpr std::int64_t kTimes = 6, kBlocksPerSm = 8;
  const std::int64_t fitting = std::max<std::int64_t>(1, (a.rows * a.batches) >> 30);
  const std::int64_t fair = a.rows * a.batches / (std::int64_t{launch.device.sm_count} * kBlocksPerSm);
  const std::int64_t wanted =
      std::min<std::int64_t>(kTimes * kSoftmaxStaged<Op> / mean, std::max<std::int64_t>(fair, kSoftmaxThreads / 32));
  const std::int64_t rows_per_block = std::clamp<std::int64_t>(wanted, fitting, kSoftmaxMostRows);
  const std::int64_t blocks = (a.rows + rows_per_block - 1) / rows_per_block * a.batches;
  const std::size_t shared = 2 * kSoftmaxBuffer + static_cast<std::size_t>(rows_per_block) * 12 + 8;
  const auto kernel = softmax_rows_kernel<Op>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, shared);
  kernel<<<static_cast<unsigned>(blocks), kSoftmaxThreads, shared, launch.stream>>>(
      arguments, a, static_cast<int>(rows_per_block), longest);
  SPK_CUDA_CHECK(cudaGetLastError());
}

template <class Op>
void launch_softmax_parts(const typename Op::Arguments& arguments, const SoftmaxStructure& a, const Launch& launch) {
  const SoftmaxParts parts = softmax_parts(launch.device, a.nnz);
  const auto blocks = static_cast<unsigned>(parts.count * a.batches);
  auto* const states = static_cast<typename Op::State*>(launch.workspace);
  softmax_parts_kernel<Op, false><<<blocks, kSoftmaxThreads, 0, launch.stream>>>(arguments, a, parts, states);
  SPK_CUDA_CHECK(cudaGetLastError());
  softmax_parts_kernel<Op, true><<<blocks, kSoftmaxThreads, 0, launch.stream>>>(arguments, a, parts, states);
  SPK_CUDA_CHECK(cudaGetLastError());
  launch_softmax_rows<Op>(arguments, a, 2 * parts.length, launch);
}

}  // namespace spk::cuda
