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
// before, whose sums go to slot 0, and one that begins in it, to slot 1. The block that has the last entry of a cut row
// waits for the blocks of the parts before it, which the device starts earlier and which wait for nobody with that, and
// adds up the sums in the order of the parts. Source: merge-based SpMV (SC 2016), section 4, with whole rows wherever
// they are short enough.
namespace spk::cuda {

template <class S>
struct SplitParts {
  std::int64_t items, count;          // of a part; parts of a matrix
  std::int64_t first_entry, entries;  // of the arrays, where those of the matrix begin; entries of a matrix
  IndexType offset_type;
  bool cuts;
  std::int64_t cut;  // only rows of more entries are wanted, of a launch in front of another; 0: all rows
  // Only where rows are cut:
  S* sums = nullptr;  // (batches, count, 2, n)
  unsigned long long* flags =
      nullptr;  // (batches, count, blocks of a part): the token, once the sums of a part are there
  unsigned long long token = 0;

  __device__ bool wants(const RowRange& row) const { return cut == 0 || row.count > cut; }
  __device__ S* sums_of(std::int64_t batch, std::int64_t part, int slot, std::int64_t n) const {
    return sums + ((batch * count + part) * 2 + slot) * n;
  }
  // across, of: number and count of the blocks of a part.
  __device__ unsigned long long* flag_of(std::int64_t batch, std::int64_t part, unsigned across, unsigned of) const {
    return flags + (batch * count + part) * of + across;
  }
};

template <class S>
SplitParts<S> split_parts(const SpmmCall& call, const NnzSplit& split, void* workspace) {
  SplitParts<S> parts{split.items, split.parts, call.rows.first_entry, call.rows.nnz, call.rows.offset_type,
                      split.cuts,  call.cut};
  if (!split.cuts) return parts;
  parts.sums = static_cast<S*>(workspace);
  parts.flags =
      reinterpret_cast<unsigned long long*>(static_cast<char*>(workspace) + nnz_split_layout(call.p, split).flags);
  parts.token = split_token();
  return parts;
}

// Of a kernel that has all rows but the long ones: the one in front has those, and runs beside it. What comes behind waits
// for this one only, so one thread waits for the other.
__device__ inline void end_beside_long_rows(bool beside) {
  if (beside && threadIdx.x == 0 && blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1 &&
      blockIdx.z == gridDim.z - 1)
    wait_for_kernel_in_front();
}

// Of the kernel that has the long ones, and of all others that are split by nonzeros: the one behind may start, but not
// before what is in front of this one is done.
__device__ inline void begin_split() {
  wait_for_kernel_in_front();
  let_kernel_behind_start();
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
  const auto is_before = [&](std::int64_t row, int i) {
    return read_index(args.offsets, parts.offset_type, shift + row) - origin + row < bounds[i];
  };
  // The first rows whose items begin at a bound or behind it, in [low, low + left]: as many rows as threads are looked at
  // in every round. In the first one also those where the bound would be if all rows were equally long.
  std::int64_t low[2] = {0, 0}, left[2] = {args.m, args.m};
  {
    const std::int64_t step = (args.m + threads - 1) / threads, at = (thread + 1) * step - 1;
    const double rows_per_item = static_cast<double>(args.m) / static_cast<double>(args.m + parts.entries);
    bool before[2] = {}, near[2] = {};
    std::int64_t window[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const auto guess = static_cast<std::int64_t>(static_cast<double>(bounds[i]) * rows_per_item) - threads / 2;
      window[i] = max(min(guess, args.m - threads), std::int64_t{0});
      if (at < args.m) before[i] = is_before(at, i);
      if (window[i] + thread < args.m) near[i] = is_before(window[i] + thread, i);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::int64_t found = __syncthreads_count(near[i]), passed = __syncthreads_count(before[i]) * step;
      if ((found > 0 || window[i] == 0) && (found < threads || window[i] + threads >= args.m)) {
        low[i] = window[i] + found;
        left[i] = 0;
      } else {
        low[i] = passed;
        left[i] = max(min(step - 1, args.m - passed), std::int64_t{0});
      }
    }
  }
  while (left[0] > 0 || left[1] > 0) {
    bool before[2];
    std::int64_t step[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      step[i] = (left[i] + threads - 1) / threads;
      const std::int64_t at = (thread + 1) * step[i] - 1;
      before[i] = left[i] > 0 && at < left[i] && is_before(low[i] + at, i);
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

// Whether a block has anything to do, of a launch of long rows only with a row that is wanted. By all threads of a block.
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

// Lists the rows of a block with more entries than `above`, counted from its first; in any order, as no sum depends on it.
// By all threads of a block.
template <class Value, class Out, class S>
__device__ int list_long_rows(const SpmmArgs<Value, Out>& args, const SplitParts<S>& parts, const SplitShare& share,
                              std::int64_t batch, std::int64_t above, int (&list)[kNnzList], int& listed) {
  if (threadIdx.x == 0) listed = 0;
  __syncthreads();
  for (std::int64_t row = share.begin + threadIdx.x; row < share.end; row += blockDim.x)
    if (row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row).count > above)
      list[atomicAdd(&listed, 1)] = static_cast<int>(row - share.begin);
  __syncthreads();
  return listed;
}

// What other blocks of the launch wrote.
__device__ inline float load_fresh(const float* from) { return __ldcg(from); }
__device__ inline double load_fresh(const double* from) { return __ldcg(from); }
template <class Real>
__device__ Complex<Real> load_fresh(const Complex<Real>* from) {
  return {__ldcg(&from->re), __ldcg(&from->im)};
}

// Adds up the sums of columns [j0, end) of a row whose items begin in `part`, and stores them: up to 32 columns at a time.
// Threads have one column each and every (kThreads / columns)-th part, and meet through shared memory (`room`, kThreads
// sums) in fixed order. By all threads of a block.
template <int kThreads, class Value, class Out>
__device__ void join_row(const SpmmArgs<Value, Out>& args, const SplitParts<Sum<Value>>& parts, std::int64_t batch,
                         std::int64_t row, std::int64_t part, std::int64_t last, std::int64_t j0, std::int64_t end,
                         Sum<Value> (&room)[kThreads]) {
  using S = Sum<Value>;
  int columns_log2 = 0;
  while (columns_log2 < 5 && std::int64_t{1} << columns_log2 < end - j0) ++columns_log2;
  const int columns = 1 << columns_log2, strips = kThreads >> columns_log2;
  const int thread = static_cast<int>(threadIdx.x), strip = thread >> columns_log2;
  const Scaling<S> scaling = scaling_of(args);
  for (; j0 < end; j0 += columns) {
    const std::int64_t j = j0 + (thread & (columns - 1));
    S sum{};
    if (j < end)
#pragma unroll 4
      for (std::int64_t i = part + strip; i <= last; i += strips)
        sum = add(sum, load_fresh(parts.sums_of(batch, i, i == part ? 1 : 0, args.n) + j));
    __syncthreads();
    room[thread] = sum;
    for (int half = kThreads / 2; half >= columns; half /= 2) {
      __syncthreads();
      if (thread < half) room[thread] = add(room[thread], room[thread + half]);
    }
    if (thread < columns && j < end) store(args, scaling, batch, row, j, room[thread]);
  }
}

__device__ inline unsigned long long load_acquire(const unsigned long long* from) {
  unsigned long long x;
  asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(x) : "l"(from) : "memory");
  return x;
}
__device__ inline void store_release(unsigned long long* to, unsigned long long x) {
  asm volatile("st.release.gpu.u64 [%0], %1;" : : "l"(to), "l"(x) : "memory");
}

// Once the sums of cut rows of a part are written: says so to the block that has the row's last entry, or if this is that
// block, waits for the others, takes back what they said, as a graph of launches says it again, and joins the row: every
// tile of `tile` columns that the block, number `across` of the `of` that share a part, has. By all threads of a block.
template <int kThreads, class Value, class Out>
__device__ void join_cut_rows(const SpmmArgs<Value, Out>& args, const SplitParts<Sum<Value>>& parts,
                              const SplitShare& share, std::int64_t batch, std::int64_t tile, unsigned across,
                              unsigned of, Sum<Value> (&room)[kThreads]) {
  const std::int64_t own = blockIdx.x;
  if (!parts.cuts || share.cut[0].count + share.cut[1].count == 0) return;
  std::int64_t row = 0, part = 0;
  bool joins = false;
  if (share.cut[0].count > 0) {
    row = share.begin - 1;
    const RowRange range = row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row);
    const std::int64_t first_item = range.begin - parts.first_entry + row;
    part = first_item / parts.items;
    joins = (first_item + range.count - 1) / parts.items == own;
  }
  __syncthreads();
  // A row that goes on: it fills the part, or is the last one that begins in it.
  if (threadIdx.x == 0 && (!joins || share.cut[1].count > 0))
    store_release(parts.flag_of(batch, own, across, of), parts.token);
  if (!joins) return;
  for (std::int64_t i = part + threadIdx.x; i < own; i += kThreads) {
    unsigned long long* flag = parts.flag_of(batch, i, across, of);
    while (load_acquire(flag) != parts.token) {
    }
    *flag = 0;
  }
  __syncthreads();
  for (std::int64_t at = across; at * tile < args.n; at += of)
    join_row(args, parts, batch, row, part, own, at * tile, min((at + 1) * tile, args.n), room);
}

}  // namespace spk::cuda
