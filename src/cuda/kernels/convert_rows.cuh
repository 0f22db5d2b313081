// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/convert_device.cuh"

// The three kernels of a pass of the counting sort in convert_rows.cu.
namespace spk::cuda {
namespace {

constexpr int kThreads = 512;  // of count_keys (and one warp more) and scatter_entries
constexpr int kWarps = kThreads / 32;
constexpr int kSteps = 8;                  // entries of a thread in one round
constexpr int kRound = kThreads * kSteps;  // entries of a block in one round; ranks inside fit 16 bits
constexpr int kTile = 2048;                // most keys of a block
constexpr int kKeysOfThread = kTile / kThreads;
constexpr int kSegment = 1024;  // offsets of a chunk kept in shared memory
constexpr Int kMostKeys = 16384;
constexpr int kDigitBits = 11;

enum class Walk { compressed, coo, ell, sell };

// Where entries come from and where they go. Out is the type of the result's numbers.
template <class Index, class Out>
struct Pass {
  Walk walk;
  bool key_is_major;  // Blocked-ELL by block rows, SELL by rows
  IndexType offset_type;
  int base, value_size, value_alignment;
  const Index* keys;   // of entry 0 on; Blocked-ELL: block columns; SELL: columns
  const void* others;  // compressed, SELL: offsets; COO: the other indices, of entry 0 on
  Int first;           // place of entry 0 in A's arrays
  Int count;           // entries, slots with Blocked-ELL and SELL
  Int majors, slots;
  Int slice_size, rows;  // SELL
  Int key_count;

  const Out* order;        // entries in the order of the passes before; NULL: as stored
  const Out* order_count;  // how many of them
  int shift;
  Int bins;  // keys, or values of this pass's digit
  Int chunk, chunks;
  int tile;              // keys of a block
  Out* counts;           // (chunks, bins): counts, then sums over the chunks before
  Out* totals;           // (bins)
  Out* chunk_rows;       // (chunks): major of the first entry, compressed only
  const int* is_sorted;  // NULL, or 1: entries stand in order as stored, and only the last pass has work
  int* descents;         // (chunks), COO in one pass: 1 where a key is below the one before it, or left out

  bool is_last;
  Out* bin_offsets;  // (bins + 1)
  Out* next_order;   // not the last pass
  Out* sorted_keys;  // NULL, or keys in the new order, last pass
  Out *indices, *positions;
  const void* source_values;
  void* values;

  __device__ Int entries() const { return order_count == nullptr ? count : static_cast<Int>(*order_count); }
  __device__ Int entry(Int t) const { return order == nullptr ? t : static_cast<Int>(order[t]); }
  // Key of an entry, or -1 if it is left out.
  __device__ Int key_of(Int entry) const {
    const Int raw = static_cast<Int>(keys[entry]);
    if ((walk == Walk::ell || walk == Walk::sell) && raw == -1) return -1;
    Int key = key_is_major ? entry / slots : raw - base;
    if (walk == Walk::sell) {
      const Int row = slot_row(entry);
      if (row >= rows) return -1;
      if (key_is_major) key = row;
    }
    return static_cast<std::uint64_t>(key) < static_cast<std::uint64_t>(key_count) ? key : -1;
  }
  __device__ int bin_of(Int key) const {
    return key < 0 ? -1
                   : static_cast<int>(order == nullptr && is_last ? key : (key >> shift) & ((1 << kDigitBits) - 1));
  }
  // Row of a slot of SELL; of the last slice also rows that the matrix does not have.
  __device__ Int slot_row(Int slot) const {
    const Int slice = last_at_most(others, offset_type, base + slot, 0, majors);
    return slice * slice_size + (base + slot - load_index(others, offset_type, slice)) % slice_size;
  }
  // The index that goes with the key. `low` and `high` bound the major of a compressed entry.
  __device__ Int other_of(Int entry, Int low, Int high) const {
    if (walk == Walk::coo) return static_cast<Int>(static_cast<const Index*>(others)[entry]) - base;
    if (walk == Walk::sell) return key_is_major ? static_cast<Int>(keys[entry]) - base : slot_row(entry);
    if (walk == Walk::ell) return key_is_major ? static_cast<Int>(keys[entry]) - base : entry / slots;
    return last_at_most(others, offset_type, first + base + entry, low, high);
  }
};

// Block (x, y) counts the keys of tile y in chunk x; a counter per key in shared memory. The warp after the others
// finds the major of the chunk's first entry.
template <class Index, class Out>
__global__ void __launch_bounds__(kThreads + 32) count_keys(const Pass<Index, Out> p) {
  __shared__ unsigned counters[kTile];
  wait_for_kernel_in_front();
  let_kernel_behind_start();
  if (p.is_sorted != nullptr && *p.is_sorted != 0) return;
  const Int tile = static_cast<Int>(blockIdx.y) * p.tile;
  const int width = static_cast<int>(min(Int{p.tile}, p.bins - tile));
  const Int begin = static_cast<Int>(blockIdx.x) * p.chunk;
  const Int end = min(begin + p.chunk, p.entries());
  const int thread = static_cast<int>(threadIdx.x);
  bool descends = false;
  for (int c = thread; c < width; c += kThreads + 32) counters[c] = 0;
  __syncthreads();
  if (thread >= kThreads) {
    if (p.walk == Walk::compressed && p.order == nullptr && tile == 0 && begin < end) {
      const Int major = last_at_most_by_warp(p.others, p.offset_type, p.first + p.base + begin, 0, p.majors);
      if (thread == kThreads) p.chunk_rows[blockIdx.x] = static_cast<Out>(major);
    }
  } else {
    for (Int base = begin; base < end; base += kThreads * 4) {
      int bins[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const Int t = base + thread + u * kThreads;
        const Int key = t < end ? p.key_of(p.entry(t)) : -1;
        bins[u] = p.bin_of(key);
        if (p.descents != nullptr && t < end) descends = descends || key < 0 || (t > 0 && key < p.key_of(t - 1));
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const Int c = bins[u] - tile;
        const bool counts = c >= 0 && c < width;
        // Entries that stand in order share a key, and would wait for each other.
        int all_alike;
        __match_all_sync(0xffffffffu, bins[u], &all_alike);
        if (counts && (all_alike == 0 || thread % 32 == 0)) atomicAdd(&counters[c], all_alike != 0 ? 32u : 1u);
      }
    }
  }
  if (p.descents != nullptr) {
    descends = __syncthreads_or(descends ? 1 : 0) != 0;
    if (tile == 0 && thread == 0) p.descents[blockIdx.x] = descends ? 1 : 0;
  }
  __syncthreads();
  Out* const counts = p.counts + static_cast<Int>(blockIdx.x) * p.bins + tile;
  for (int c = thread; c < width; c += kThreads + 32) counts[c] = static_cast<Out>(counters[c]);
}

// A block sums 32 keys over all chunks: lane = key, warp = group of consecutive chunks.
template <class Index, class Out>
__global__ void __launch_bounds__(1024) sum_counts(const Pass<Index, Out> p) {
  __shared__ Out sums[32][33];  // (group, key)
  wait_for_kernel_in_front();
  let_kernel_behind_start();
  if (p.is_sorted != nullptr && *p.is_sorted != 0) return;
  const int lane = static_cast<int>(threadIdx.x % 32), group = static_cast<int>(threadIdx.x / 32);
  const Int bin = static_cast<Int>(blockIdx.x) * 32 + lane;
  const Int share = (p.chunks + 31) / 32;
  const Int begin = group * share, end = min(p.chunks, begin + share);
  Out sum = 0;
  if (bin < p.bins)
    for (Int chunk = begin; chunk < end; ++chunk) sum += p.counts[chunk * p.bins + bin];
  sums[group][lane] = sum;
  __syncthreads();
  const Out own = sums[lane][group];
  Out running = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const Out left = __shfl_up_sync(0xffffffffu, running, step);
    if (lane >= step) running += left;
  }
  sums[lane][group] = running - own;
  if (const Int summed = static_cast<Int>(blockIdx.x) * 32 + group; lane == 31 && summed < p.bins)
    p.totals[summed] = running;
  __syncthreads();
  if (bin >= p.bins) return;
  Out before = sums[group][lane];
  for (Int chunk = begin; chunk < end; ++chunk) {
    Out& count = p.counts[chunk * p.bins + bin];
    const Out here = count;
    count = before;
    before += here;
  }
}

// Sum over the block before this thread's number, and the sum of all.
template <class Out>
__device__ Out sum_before(Out number, Out* shared, Out* all) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  Out running = number;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const Out left = __shfl_up_sync(0xffffffffu, running, step);
    if (lane >= step) running += left;
  }
  if (lane == 31) shared[warp] = running;
  __syncthreads();
  Out before = 0, total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) before += shared[w];
    total += shared[w];
  }
  __syncthreads();
  *all = total;
  return before + running - number;
}

template <class Index, class Out>
__device__ void emit(const Pass<Index, Out>& p, Int place, Int entry, Int key, Int other) {
  p.indices[place] = static_cast<Out>(other);
  if (p.positions != nullptr) p.positions[place] = static_cast<Out>(p.first + entry);
  if (p.sorted_keys != nullptr) p.sorted_keys[place] = static_cast<Out>(key);
  if (p.values != nullptr)
    move_value(p.values, place, p.source_values, p.first + entry, p.value_size, p.value_alignment);
}

// Block (x, y) places the entries of chunk x whose key is in tile y. A warp takes consecutive entries, 32 at a time,
// and ranks equal keys by their lanes; its counters are its own, so that ranks follow the order of storage.
// Shared memory: starts and per-warp counters of the tile's keys, the offsets of the chunk's majors.
template <class Index, class Out>
__global__ void __launch_bounds__(kThreads, 1) scatter_entries(const Pass<Index, Out> p) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Out warp_sums[kWarps];
  __shared__ Out segment[kSegment];
  wait_for_kernel_in_front();
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const Int begin = static_cast<Int>(blockIdx.x) * p.chunk;
  const Int end = min(begin + p.chunk, p.entries());
  if (p.is_sorted != nullptr && *p.is_sorted != 0) {
    if (!p.is_last || blockIdx.y != 0) return;
    for (Int t = begin + thread; t < min(begin + p.chunk, p.count); t += kThreads)
      emit(p, t, t, p.key_of(t), p.other_of(t, 0, p.majors));
    return;
  }
  const Int tile = static_cast<Int>(blockIdx.y) * p.tile;
  const int width = static_cast<int>(min(Int{p.tile}, p.bins - tile));
  const int stride = (width + 1) / 2 * 2;
  Out* const starts = reinterpret_cast<Out*>(shared);                        // (width)
  auto* const counters = reinterpret_cast<std::uint16_t*>(starts + stride);  // (kWarps, stride)
  std::uint16_t* const own = counters + warp * stride;

  // The majors of the chunk.
  const bool walks_majors = p.is_last && p.walk == Walk::compressed && p.order == nullptr && begin < end;
  Int low = 0, high = p.majors;
  int majors_kept = 0;
  if (walks_majors) {
    low = static_cast<Int>(p.chunk_rows[blockIdx.x]);
    if (end < p.count) high = static_cast<Int>(p.chunk_rows[blockIdx.x + 1]) + 1;
    if (high - low <= kSegment) {
      majors_kept = static_cast<int>(high - low) - 1;
      for (int i = thread; i < majors_kept; i += kThreads)
        segment[i] = static_cast<Out>(load_index(p.others, p.offset_type, low + 1 + i) - p.first - p.base);
    }
  }

  bool in_order = p.descents != nullptr;
  if (in_order) {
    bool descends = false;
    for (Int chunk = thread; chunk < p.chunks; chunk += kThreads) descends = descends || p.descents[chunk] != 0;
    in_order = __syncthreads_or(descends ? 1 : 0) == 0;
    if (in_order && blockIdx.y == 0)
      for (Int t = begin + thread; t < end; t += kThreads) emit(p, t, t, 0, p.other_of(t, 0, 0));
    if (in_order && blockIdx.x != 0) return;
  }

  // First place of every key of the tile for this chunk.
  Out tile_start = 0;
  if (tile > 0) {
    Out sum = 0;
    for (Int c = thread; c < tile; c += kThreads) sum += p.totals[c];
    sum_before(sum, warp_sums, &tile_start);
  }
  Out totals[kKeysOfThread], sum = 0;
#pragma unroll
  for (int u = 0; u < kKeysOfThread; ++u) {
    const int c = thread * kKeysOfThread + u;
    totals[u] = c < width ? p.totals[tile + c] : Out{0};
    sum += totals[u];
  }
  Out tile_total;
  Out start = tile_start + sum_before(sum, warp_sums, &tile_total);
  const Out* const before = p.counts + static_cast<Int>(blockIdx.x) * p.bins + tile;
#pragma unroll
  for (int u = 0; u < kKeysOfThread; ++u) {
    const int c = thread * kKeysOfThread + u;
    if (c < width) {
      starts[c] = start + before[c];
      if (blockIdx.x == 0) p.bin_offsets[tile + c] = start;
    }
    start += totals[u];
  }
  if (blockIdx.x == 0 && thread == 0 && tile + width == p.bins) p.bin_offsets[p.bins] = tile_start + tile_total;

  if (in_order) return;
  for (Int round = begin; round < end; round += kRound) {
    const int entries = static_cast<int>(min(Int{kRound}, end - round));
    const int steps = (entries + kThreads - 1) / kThreads;
    const int first = warp * steps * 32 + lane;
    int bins[kSteps], ranks[kSteps];
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const int t = first + s * 32;
      bins[s] = -1;
      if (s < steps && t < entries) {
        const Int c = p.bin_of(p.key_of(p.entry(round + t))) - tile;
        if (c >= 0 && c < width) bins[s] = static_cast<int>(c);
      }
    }
    for (int i = thread; i < kWarps * stride / 2; i += kThreads) reinterpret_cast<std::uint32_t*>(counters)[i] = 0;
    __syncthreads();
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      if (s >= steps) break;
      const unsigned same = __match_any_sync(0xffffffffu, bins[s]);
      const int rank = __popc(same & ((1u << lane) - 1));
      const int before_step = bins[s] >= 0 ? own[bins[s]] : 0;
      ranks[s] = before_step + rank;
      __syncwarp();
      if (bins[s] >= 0 && rank == 0) own[bins[s]] = static_cast<std::uint16_t>(before_step + __popc(same));
      __syncwarp();
    }
    __syncthreads();
    // Counters become sums over the warps before.
    unsigned found[kKeysOfThread];
#pragma unroll
    for (int u = 0; u < kKeysOfThread; ++u) {
      const int c = thread + u * kThreads;
      found[u] = 0;
      if (c >= width) continue;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        const unsigned here = counters[w * stride + c];
        counters[w * stride + c] = static_cast<std::uint16_t>(found[u]);
        found[u] += here;
      }
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      if (s >= steps || bins[s] < 0) continue;
      const Int t = round + first + s * 32;
      const Int place = static_cast<Int>(starts[bins[s]]) + own[bins[s]] + ranks[s];
      const Int entry = p.entry(t);
      if (!p.is_last) {
        p.next_order[place] = static_cast<Out>(entry);
        continue;
      }
      Int other;
      if (majors_kept > 0 || (walks_majors && high - low == 1)) {
        int below = 0;  // offsets of the segment at or before t
        for (int above = majors_kept; below < above;) {
          const int middle = (below + above) / 2;
          if (static_cast<Int>(segment[middle]) <= t)
            below = middle + 1;
          else
            above = middle;
        }
        other = low + below;
      } else {
        other = p.other_of(entry, low, high);
      }
      emit(p, place, entry, p.sorted_keys != nullptr ? p.key_of(entry) : 0, other);
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kKeysOfThread; ++u)
      if (const int c = thread + u * kThreads; c < width) starts[c] += static_cast<Out>(found[u]);
    __syncthreads();
  }
}

}  // namespace
}  // namespace spk::cuda
