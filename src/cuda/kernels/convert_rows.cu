// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/convert_device.cuh"
#include "cuda/operations.hpp"

// Entries of op(A) brought into rows: a stable counting sort by the row in op(A), here called the key.
//
// One pass sorts by up to kMostKeys keys; more keys are sorted digit by digit, the lowest first. A pass is three
// kernels over chunks of consecutive entries: count_keys counts the keys of every chunk, sum_counts turns the counts
// of every key into sums over the chunks before, and scatter_entries puts every entry where it belongs. Integer counts
// only, and ranks follow the order of storage, so the result is the same in every run. Keys out of range are left out.
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

enum class Walk { compressed, coo, ell };

// Where entries come from and where they go. Out is the type of the result's numbers.
template <class Index, class Out>
struct Pass {
  Walk walk;
  bool key_is_major;  // Blocked-ELL by block rows
  IndexType offset_type;
  int base, value_size, value_alignment;
  const Index* keys;   // of entry 0 on; Blocked-ELL: block columns
  const void* others;  // compressed: offsets; COO: the other indices, of entry 0 on
  Int first;           // place of entry 0 in A's arrays
  Int count;           // entries, slots with Blocked-ELL
  Int majors, slots;
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
    if (walk == Walk::ell && raw == -1) return -1;
    const Int key = key_is_major ? entry / slots : raw - base;
    return static_cast<std::uint64_t>(key) < static_cast<std::uint64_t>(key_count) ? key : -1;
  }
  __device__ int bin_of(Int key) const {
    return key < 0 ? -1
                   : static_cast<int>(order == nullptr && is_last ? key : (key >> shift) & ((1 << kDigitBits) - 1));
  }
  // The index that goes with the key. `low` and `high` bound the major of a compressed entry.
  __device__ Int other_of(Int entry, Int low, Int high) const {
    if (walk == Walk::coo) return static_cast<Int>(static_cast<const Index*>(others)[entry]) - base;
    if (walk == Walk::ell) return key_is_major ? static_cast<Int>(keys[entry]) - base : entry / slots;
    return last_at_most(others, offset_type, first + base + entry, low, high);
  }
};

// Block (x, y) counts the keys of tile y in chunk x; a counter per key in shared memory. The warp after the others
// finds the major of the chunk's first entry.
template <class Index, class Out>
__global__ void __launch_bounds__(kThreads + 32) count_keys(const Pass<Index, Out> p) {
  __shared__ unsigned counters[kTile];
  wait_for_kernel_before();
  let_kernel_after_start();
  if (p.is_sorted != nullptr && *p.is_sorted != 0) return;
  const Int tile = static_cast<Int>(blockIdx.y) * p.tile;
  const int width = static_cast<int>(min(Int{p.tile}, p.bins - tile));
  const Int begin = static_cast<Int>(blockIdx.x) * p.chunk;
  const Int end = min(begin + p.chunk, p.entries());
  const int thread = static_cast<int>(threadIdx.x);
  for (int c = thread; c < width; c += kThreads + 32) counters[c] = 0;
  __syncthreads();
  if (thread >= kThreads) {
    if (p.walk == Walk::compressed && p.order == nullptr && tile == 0 && begin < end) {
      const Int major = last_at_most_by_warp(p.others, p.offset_type, p.first + p.base + begin, 0, p.majors);
      if (thread == kThreads) p.chunk_rows[blockIdx.x] = static_cast<Out>(major);
    }
  } else {
    for (Int t = begin + thread; t < end; t += kThreads * 4) {
      int bins[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) bins[u] = t + u * kThreads < end ? p.bin_of(p.key_of(p.entry(t + u * kThreads))) : -1;
#pragma unroll
      for (int u = 0; u < 4; ++u)
        if (const Int c = bins[u] - tile; c >= 0 && c < width) atomicAdd(&counters[c], 1u);
    }
  }
  __syncthreads();
  Out* const counts = p.counts + static_cast<Int>(blockIdx.x) * p.bins + tile;
  for (int c = thread; c < width; c += kThreads + 32) counts[c] = static_cast<Out>(counters[c]);
}

// A block sums 32 keys over all chunks: lane = key, warp = group of consecutive chunks.
template <class Index, class Out>
__global__ void __launch_bounds__(1024) sum_counts(const Pass<Index, Out> p) {
  __shared__ Out sums[32][33];  // (group, key)
  wait_for_kernel_before();
  let_kernel_after_start();
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
  wait_for_kernel_before();
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

// Clears the flag if keys of neighbours descend or an entry is left out.
template <class Index, class Out>
__global__ void find_descents(const Pass<Index, Out> p, int* is_sorted) {
  const Int stride = static_cast<Int>(gridDim.x) * blockDim.x;
  for (Int t = static_cast<Int>(blockIdx.x) * blockDim.x + threadIdx.x; t < p.count; t += stride) {
    const Int key = p.key_of(t);
    if (key < 0 || (t > 0 && key < p.key_of(t - 1))) *is_sorted = 0;
  }
}

// Offsets from keys in ascending order; a thread searches one row.
template <class Out>
__global__ void search_offsets(const Out* sorted_keys, const Out* sorted_count, const int* is_sorted, Int stored_count,
                               Out* offsets, Int rows) {
  const Int count = *is_sorted != 0 ? stored_count : static_cast<Int>(*sorted_count);
  const Int stride = static_cast<Int>(gridDim.x) * blockDim.x;
  for (Int row = static_cast<Int>(blockIdx.x) * blockDim.x + threadIdx.x; row <= rows; row += stride) {
    Int low = 0;
    for (Int high = count; low < high;) {
      const Int middle = low + (high - low) / 2;
      if (static_cast<Int>(sorted_keys[middle]) < row)
        low = middle + 1;
      else
        high = middle;
    }
    offsets[row] = static_cast<Out>(low);
  }
}

// A's storage is by rows of op(A) already.
template <class Out>
__global__ void copy_rows(const SparseView a, const RowArrays rows, int value_size, int value_alignment) {
  const Int stride = static_cast<Int>(gridDim.x) * blockDim.x, start = static_cast<Int>(blockIdx.x) * blockDim.x;
  const Int majors = a.format == Format::csc ? a.cols : a.rows / a.block_size;
  const void* const indices = a.format == Format::csc ? a.row_indices : a.col_indices;
  for (Int i = start + threadIdx.x; i <= majors; i += stride)
    static_cast<Out*>(rows.offsets)[i] =
        static_cast<Out>(load_index(a.offsets, a.offset_type, i) - a.base - a.first_entry);
  for (Int t = start + threadIdx.x; t < a.nnzb; t += stride) {
    const Int place = a.first_entry + t;
    static_cast<Out*>(rows.indices)[t] = static_cast<Out>(load_index(indices, a.index_type, place) - a.base);
    if (rows.positions != nullptr) static_cast<Out*>(rows.positions)[t] = static_cast<Out>(place);
    if (rows.values != nullptr) move_value(rows.values, t, a.values, place, value_size, value_alignment);
  }
}

bool is_stored_in_rows(const SparseView& a, Op op) noexcept {
  if (a.format == Format::csr || a.format == Format::bsr) return op == Op::n;
  return a.format == Format::csc && op != Op::n;
}

// Rows of op(A): of blocks for formats with blocks.
Int rows_of(const SparseView& a, Op op) noexcept { return (op == Op::n ? a.rows : a.cols) / a.block_size; }

// How many passes and chunks, and what they need.
template <class Out>
struct Layout {
  Layout(const Device& device, const SparseView& a, Int keys, Pieces& pieces) {
    const int bits = keys > 1 ? 64 - __builtin_clzll(static_cast<unsigned long long>(keys - 1)) : 1;
    passes = keys <= kMostKeys ? 1 : static_cast<int>(ceil_div(bits, kDigitBits));
    most_bins = passes == 1 ? std::max<Int>(keys, 1) : Int{1} << kDigitBits;
    // A round for every multiprocessor, but not many more counters than entries.
    const Int share = ceil_div(a.nnzb, device.sm_count);
    chunk = std::clamp<Int>(share, kThreads, kRound);
    chunk = round_up(std::max({chunk, most_bins / 4, std::min(most_bins, share / 2)}), kThreads);
    // Turing has 64 KiB of shared memory for a block.
    tile = device.shared_per_block > 96 * 1024 - 1 ? kTile : kTile / 2;
    chunks = std::max<Int>(1, ceil_div(a.nnzb, chunk));
    counts = pieces.take<Out>(chunks * most_bins);
    totals = pieces.take<Out>(most_bins);
    chunk_rows = pieces.take<Out>(chunks);
    if (passes == 1) return;
    for (int i = 0; i < 2; ++i) {
      bin_offsets[i] = pieces.take<Out>(most_bins + 1);
      orders[i] = pieces.take<Out>(a.nnzb);
    }
    sorted_keys = pieces.take<Out>(a.nnzb);
    is_sorted = pieces.take<int>(1);
  }
  int passes;
  Int most_bins, chunk, chunks;
  int tile;
  Out *counts, *totals, *chunk_rows;
  Out *bin_offsets[2] = {}, *orders[2] = {}, *sorted_keys = nullptr;
  int* is_sorted = nullptr;
};

template <class Index, class Out>
void run_pass(const Launch& launch, const Pass<Index, Out>& p, bool overlaps) {
  const auto chunks = static_cast<unsigned>(p.chunks), tiles = static_cast<unsigned>(ceil_div(p.bins, p.tile));
  const auto stride = static_cast<std::size_t>(round_up(std::min<Int>(p.bins, p.tile), 2));
  const std::size_t shared = stride * (sizeof(Out) + kWarps * sizeof(std::uint16_t));
  SPK_CUDA_CHECK(cudaFuncSetAttribute(scatter_entries<Index, Out>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(shared)));
  launch_kernel(count_keys<Index, Out>, dim3(chunks, tiles), kThreads + 32, 0, launch.stream, overlaps && p.order, p);
  launch_kernel(sum_counts<Index, Out>, dim3(static_cast<unsigned>(ceil_div(p.bins, 32))), 1024, 0, launch.stream,
                overlaps, p);
  launch_kernel(scatter_entries<Index, Out>, dim3(chunks, tiles), kThreads, shared, launch.stream, overlaps, p);
}

template <class Index, class Out>
void sort_entries(const Launch& launch, const SparseView& a, Op op, const RowArrays& rows, void* scratch) {
  const Int keys = rows_of(a, op);
  Pieces pieces(scratch);
  const Layout<Out> layout(launch.device, a, keys, pieces);
  Pass<Index, Out> p{};
  const bool by_rows = op == Op::n;
  const Index* indices = static_cast<const Index*>(a.minor_indices());
  if (a.format == Format::coo) {
    p.walk = Walk::coo;
    indices = static_cast<const Index*>(by_rows ? a.row_indices : a.col_indices);
    const void* const others = by_rows ? a.col_indices : a.row_indices;
    p.others = advance_bytes(others, a.first_entry * static_cast<Int>(sizeof(Index)));
  } else if (a.format == Format::blocked_ell) {
    p.walk = Walk::ell;
    p.key_is_major = by_rows;
    p.slots = std::max<Int>(a.slots_per_row(), 1);
  } else {
    p.walk = Walk::compressed;
    p.others = a.offsets;
  }
  p.offset_type = a.offset_type;
  p.base = a.base;
  p.value_size = static_cast<int>(size_of(a.value_type));
  p.value_alignment = static_cast<int>(align_of(a.value_type));
  p.first = a.first_entry;
  p.keys = indices == nullptr ? nullptr : indices + a.first_entry;
  p.count = a.nnzb;
  p.majors = a.major();
  p.key_count = keys;
  p.chunk = layout.chunk;
  p.chunks = layout.chunks;
  p.tile = layout.tile;
  p.counts = layout.counts;
  p.totals = layout.totals;
  p.chunk_rows = layout.chunk_rows;
  p.indices = static_cast<Out*>(rows.indices);
  p.positions = static_cast<Out*>(rows.positions);
  p.source_values = a.values;
  p.values = rows.values;
  const bool overlaps = overlaps_launches(launch.device);
  if (layout.passes == 1) {
    p.bins = layout.most_bins;
    p.is_last = true;
    p.bin_offsets = static_cast<Out*>(rows.offsets);
    if (keys == 0) return SPK_CUDA_CHECK(cudaMemsetAsync(rows.offsets, 0, sizeof(Out), launch.stream));
    return run_pass(launch, p, overlaps);
  }
  SPK_CUDA_CHECK(cudaMemsetAsync(layout.is_sorted, p.walk == Walk::coo ? 0xff : 0, sizeof(int), launch.stream));
  const unsigned grid = grid_for(launch.device, a.nnzb, 256);
  if (p.walk == Walk::coo)
    launch_kernel(find_descents<Index, Out>, dim3(grid), 256, 0, launch.stream, false, p, layout.is_sorted);
  p.is_sorted = layout.is_sorted;
  for (int pass = 0; pass < layout.passes; ++pass) {
    p.shift = pass * kDigitBits;
    p.is_last = pass + 1 == layout.passes;
    p.bins = p.is_last ? ((keys - 1) >> p.shift) + 1 : layout.most_bins;
    p.bin_offsets = layout.bin_offsets[pass % 2];
    p.next_order = layout.orders[pass % 2];
    if (p.is_last) p.sorted_keys = layout.sorted_keys;
    if (pass > 0) {
      p.order = layout.orders[(pass + 1) % 2];
      p.order_count = layout.bin_offsets[(pass + 1) % 2] + layout.most_bins;
    }
    run_pass(launch, p, overlaps);
  }
  launch_kernel(search_offsets<Out>, dim3(grid_for(launch.device, keys + 1, 256)), 256, 0, launch.stream, false,
                layout.sorted_keys, p.bin_offsets + p.bins, layout.is_sorted, a.nnzb, static_cast<Out*>(rows.offsets),
                keys);
}

}  // namespace

IndexType row_index_type(const SparseView& a) noexcept {
  const Int largest = std::max({a.rows, a.cols, a.first_entry + a.nnzb});
  return largest < INT32_MAX ? IndexType::i32 : IndexType::i64;
}

std::size_t sort_into_rows_scratch(const Device& device, const SparseView& a, Op op) {
  if (is_stored_in_rows(a, op)) return 0;
  Pieces pieces;
  Layout<std::int64_t>(device, a, rows_of(a, op), pieces);
  return pieces.bytes();
}

void sort_into_rows(const Launch& launch, const SparseView& a, Op op, const RowArrays& rows, void* scratch) {
  visit(rows.index_type == IndexType::i64 ? IndexType::i64 : IndexType::i32, [&](auto out) {
    using Out = typename decltype(out)::type;
    if constexpr (sizeof(Out) >= 4) {
      if (is_stored_in_rows(a, op))
        return launch_kernel(copy_rows<Out>, dim3(grid_for(launch.device, std::max(a.nnzb, a.major() + 1), 256)), 256,
                             0, launch.stream, false, a, rows, static_cast<int>(size_of(a.value_type)),
                             static_cast<int>(align_of(a.value_type)));
      visit(a.index_type,
            [&](auto index) { sort_entries<typename decltype(index)::type, Out>(launch, a, op, rows, scratch); });
    }
  });
}

}  // namespace spk::cuda
