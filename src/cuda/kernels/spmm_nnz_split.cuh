// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <type_traits>

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/spmm_nnz_split.hpp"

// What the kernels share that split a matrix by its nonzeros. Row i is item offset(i) + i, its entries are the items from
// there on, and the last of its items is its end; part q has the items [q * items, (q + 1) * items). A block finds the
// rows that begin in its part by a search in the offsets, and has them whole, except rows of more entries than a part has
// items: those are cut, and every part that meets one has what lies in it. A part meets at most two: one that began
// before, whose sums go to slot 0, and one that begins in it, to slot 1. A second launch adds up in the order of the
// parts, or where the first is itself behind another, which mostly leaves it nothing to do, the last block to finish
// does. Source: merge-based SpMV (SC 2016), section 4, with whole rows wherever they are short enough.
namespace spk::cuda {

template <class S>
struct SplitParts {
  std::int64_t items, count;  // of a part; parts of a matrix
  std::int64_t first_entry;
  IndexType offset_type;
  bool cuts;
  std::int64_t cut;  // only rows of more entries are wanted, of a launch behind another; 0: all rows
  SplitTail tail;    // what the launch in front tells
  // Only where rows are cut:
  std::int64_t* rows = nullptr;  // (batches, count): the cut row that begins in the part, or -1
  S* sums = nullptr;             // (batches, count, 2, n)
  unsigned* tickets = nullptr;   // (batches, count), or NULL: by row that begins in the part, blocks that are done

  __device__ bool wants(const RowRange& row) const { return cut == 0 || row.count > cut; }
  __device__ S* sums_of(std::int64_t batch, std::int64_t part, int slot, std::int64_t n) const {
    return sums + ((batch * count + part) * 2 + slot) * n;
  }
};

template <class S>
SplitParts<S> split_parts(const SpmmCall& call, const NnzSplit& split, void* workspace) {
  SplitParts<S> parts{split.items, split.parts, call.rows.first_entry, call.rows.offset_type, split.cuts,
                      call.cut,    call.tail};
  if (!split.cuts) return parts;
  const NnzSplitLayout layout = nnz_split_layout(call.p, split);
  parts.rows = reinterpret_cast<std::int64_t*>(static_cast<char*>(workspace) + layout.rows);
  parts.sums = reinterpret_cast<S*>(static_cast<char*>(workspace) + layout.sums);
  parts.tickets = call.tail.tickets;
  return parts;
}

// Of the launch in front, by all its threads.
__device__ inline void begin_tail(const SplitTail& tail) {
  if (tail.told == nullptr) return;
  let_kernel_behind_start();
  if (tail.tickets == nullptr) return;
  const std::int64_t block = blockIdx.x + (blockIdx.y + std::int64_t{blockIdx.z} * gridDim.y) * gridDim.x;
  const std::int64_t threads = std::int64_t{gridDim.x} * gridDim.y * gridDim.z * blockDim.x;
  for (std::int64_t i = block * blockDim.x + threadIdx.x; i < tail.ticket_count; i += threads) tail.tickets[i] = 0;
}

// Of the launch behind: whether there are rows left over.
template <class S>
__device__ bool is_told(const SplitParts<S>& parts) {
  wait_for_kernel_in_front();
  return parts.cut == 0 || __ldcg(reinterpret_cast<const unsigned long long*>(parts.tail.told)) == parts.tail.token;
}

// What a block has: whole rows [begin, end), and what its part has of two cut rows, by slot; no entries: nothing. Where
// rows are not cut, slot 1 may be the whole row `end`: repeated columns can make a row longer than was thought.
struct SplitShare {
  std::int64_t begin, end;
  RowRange cut[2];
};

// By all threads of a block, all of which get the answer.
template <class Value, class Out, class S>
__device__ SplitShare find_share(const SpmmArgs<Value, Out>& args, const SplitParts<S>& parts, std::int64_t batch,
                                 std::int64_t part, bool skip) {
  // Offsets may not be there.
  if (skip) return {args.m * part / parts.count, args.m * (part + 1) / parts.count, {}};
  const std::int64_t shift = batch * args.offsets_stride, threads = blockDim.x, thread = threadIdx.x;
  const std::int64_t origin = args.base + parts.first_entry;
  const std::int64_t bounds[2] = {part * parts.items, (part + 1) * parts.items};
  // The first rows whose items begin at a bound or behind it, in [low, low + left]: as many rows as threads are looked at
  // in every round.
  std::int64_t low[2] = {0, 0}, left[2] = {args.m, args.m};
  while (left[0] > 0 || left[1] > 0) {
    bool before[2];
    std::int64_t step[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      step[i] = (left[i] + threads - 1) / threads;
      const std::int64_t at = (thread + 1) * step[i] - 1, row = low[i] + at;
      before[i] = at < left[i] && read_index(args.offsets, parts.offset_type, shift + row) - origin + row < bounds[i];
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::int64_t passed = __syncthreads_count(before[i]) * step[i];
      low[i] += passed;
      left[i] = max(min(step[i] - 1, left[i] - passed), std::int64_t{0});
    }
  }
  SplitShare share{low[0], low[1], {}};
  const auto inside = [&](std::int64_t row, const RowRange& range) {
    const std::int64_t begin = max(range.begin, parts.first_entry + bounds[0] - row);
    const std::int64_t end = min(range.begin + range.count, parts.first_entry + bounds[1] - row);
    return RowRange{begin, static_cast<int>(max(end - begin, std::int64_t{0}))};
  };
  if (low[0] > 0 && parts.cuts) {
    const RowRange range = row_range(args.offsets, parts.offset_type, args.base, shift + low[0] - 1);
    if (range.count > parts.items && parts.wants(range)) share.cut[0] = inside(low[0] - 1, range);
  }
  if (low[1] > low[0]) {
    const RowRange range = row_range(args.offsets, parts.offset_type, args.base, shift + low[1] - 1);
    if (range.count > parts.items) {
      if (parts.wants(range)) share.cut[1] = parts.cuts ? inside(low[1] - 1, range) : range;
      --share.end;
    }
  }
  return share;
}

// Whether a block has anything to do, of a launch behind another only with a row that is wanted. By all threads of a block.
template <class Value, class Out, class S>
__device__ bool has_wanted_rows(const SpmmArgs<Value, Out>& args, const SplitParts<S>& parts, const SplitShare& share,
                                std::int64_t batch, bool skip) {
  if (parts.cut == 0) return true;
  if (skip) return false;
  bool any = share.cut[0].count > 0 || share.cut[1].count > 0;
#pragma unroll 4
  for (std::int64_t row = share.begin + threadIdx.x; row < share.end; row += blockDim.x)
    any |= parts.wants(row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row));
  return __syncthreads_or(any) != 0;
}

// Said once for every part, by any thread.
template <class S>
__device__ void tell_cut_row(const SplitParts<S>& parts, const SplitShare& share, std::int64_t batch,
                             std::int64_t part) {
  if (parts.cuts && parts.tickets == nullptr)
    parts.rows[batch * parts.count + part] = share.cut[1].count > 0 ? share.end : -1;
}

// What other blocks of the launch wrote.
__device__ inline float load_fresh(const float* from) { return __ldcg(from); }
__device__ inline double load_fresh(const double* from) { return __ldcg(from); }
template <class Real>
__device__ Complex<Real> load_fresh(const Complex<Real>* from) {
  return {__ldcg(&from->re), __ldcg(&from->im)};
}

// Adds up the sums of a row whose items begin in `part`, and stores it: every tile_step-th tile of up to 32 columns.
// Threads have one column each and every (kThreads / columns)-th part, and meet through shared memory (`room`, kThreads
// sums) in fixed order. By all threads of a block.
template <int kThreads, class Value, class Out>
__device__ void join_row(const SpmmArgs<Value, Out>& args, const SplitParts<Sum<Value>>& parts, std::int64_t batch,
                         std::int64_t row, std::int64_t part, std::int64_t last, std::int64_t first_tile,
                         std::int64_t tile_step, Sum<Value> (&room)[kThreads]) {
  using S = Sum<Value>;
  int columns_log2 = 0;
  while (columns_log2 < 5 && std::int64_t{1} << columns_log2 < args.n) ++columns_log2;
  const int columns = 1 << columns_log2, strips = kThreads >> columns_log2;
  const int thread = static_cast<int>(threadIdx.x), strip = thread >> columns_log2;
  const Scaling<S> scaling = scaling_of(args);
  for (std::int64_t j0 = first_tile << columns_log2; j0 < args.n; j0 += tile_step << columns_log2) {
    const std::int64_t j = j0 + (thread & (columns - 1));
    S sum{};
    if (j < args.n)
#pragma unroll 4
      for (std::int64_t i = part + strip; i <= last; i += strips)
        sum = add(sum, load_fresh(parts.sums_of(batch, i, i == part ? 1 : 0, args.n) + j));
    __syncthreads();
    room[thread] = sum;
    for (int half = kThreads / 2; half >= columns; half /= 2) {
      __syncthreads();
      if (thread < half) room[thread] = add(room[thread], room[thread + half]);
    }
    if (thread < columns && j < args.n) store(args, scaling, batch, row, j, room[thread]);
  }
}

// The last part that a row has entries in.
template <class S>
__device__ std::int64_t last_part(const SplitParts<S>& parts, std::int64_t row, const RowRange& range) {
  return (range.begin - parts.first_entry + row + range.count - 1) / parts.items;
}

// Takes a ticket for what a block had of cut rows; of the blocks_per_part blocks of every part of a row, the last one joins
// them. By all threads of a block.
template <int kThreads, class Value, class Out>
__device__ void join_if_last(const SpmmArgs<Value, Out>& args, const SplitParts<Sum<Value>>& parts,
                             const SplitShare& share, std::int64_t batch, unsigned blocks_per_part,
                             Sum<Value> (&room)[kThreads]) {
  __shared__ bool is_last;
  if (parts.tickets == nullptr) return;
#pragma unroll 1
  for (int slot = 0; slot < 2; ++slot) {
    if ((slot == 0 ? share.cut[0] : share.cut[1]).count == 0) continue;
    const std::int64_t row = slot == 0 ? share.begin - 1 : share.end;
    const RowRange range = row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row);
    const std::int64_t part = (range.begin - parts.first_entry + row) / parts.items;
    const std::int64_t last = last_part(parts, row, range);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      const auto wanted = static_cast<unsigned>(last - part + 1) * blocks_per_part;
      is_last = atomicAdd(parts.tickets + batch * parts.count + part, 1u) + 1 == wanted;
      __threadfence();
    }
    __syncthreads();
    if (is_last) join_row(args, parts, batch, row, part, last, 0, 1, room);
    __syncthreads();
  }
}

constexpr int kJoinThreads = 512;

// Mapping: blockIdx.x runs over parts, y over tiles of columns, z over the batch. A block whose part a cut row begins in
// adds up that row's sums (join_row, kJoinThreads sums of shared memory).
template <class Value, class Out>
__global__ void __launch_bounds__(kJoinThreads)
    spmm_join_parts(const __grid_constant__ SpmmArgs<Value, Out> args, const SplitParts<Sum<Value>> parts) {
  __shared__ Sum<Value> room[kJoinThreads];
  wait_for_kernel_in_front();
  for (std::int64_t batch = blockIdx.z; batch < args.batches; batch += gridDim.z) {
    const std::int64_t part = blockIdx.x, row = parts.rows[batch * parts.count + part];
    if (row < 0) continue;
    const RowRange range = row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row);
    join_row(args, parts, batch, row, part, last_part(parts, row, range), blockIdx.y, gridDim.y, room);
  }
}

// The second launch, straight behind the one whose blocks have the parts.
template <class Value, class Out>
void join_parts(const SpmmArgs<Value, Out>& args, const SplitParts<Sum<Value>>& parts, const Launch& launch) {
  if (!parts.cuts || parts.tickets != nullptr) return;
  const std::int64_t tiles = (args.n + 31) / 32;
  const dim3 blocks(static_cast<unsigned>(parts.count), static_cast<unsigned>(std::min<std::int64_t>(tiles, 4)),
                    static_cast<unsigned>(std::min<std::int64_t>(args.batches, 65535)));
  launch_kernel(&spmm_join_parts<Value, Out>, {blocks, kJoinThreads, 0, launch.device.overlaps_launches}, launch.stream,
                args, parts);
}

}  // namespace spk::cuda
