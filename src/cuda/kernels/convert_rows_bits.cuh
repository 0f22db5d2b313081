// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/convert_rows.cuh"

// A counting sort for compressed entries (CSR by columns and its kin) of the sizes that layers of networks have. A
// chunk is up to 32 majors, and says with one bit for every key and major where entries are: the number of bits of a
// key is its count, the bits below an entry's own are its rank, and nothing has to be counted a second time. A chunk
// in which a major repeats a key falls back to counts and to one warp that places entries in storage order.
namespace spk::cuda {
namespace {

constexpr Int kMostMarkedKeys = 8192;
constexpr int kBatch = 8;  // entries of a thread that are loaded together

template <class Index>
struct MarkedPass {
  const Index* keys;  // of entry 0 on
  const void* offsets;
  IndexType offset_type;
  Int origin;  // raw offset of entry 0
  Int first;   // place of entry 0 in A's arrays
  int base, key_count, majors, chunk_majors, chunks;
  int stage;        // entries of a chunk that fit shared memory
  unsigned* marks;  // (chunks, keys): a bit for every major, or a count
  int* sums;        // (chunks, keys): entries in the chunks before
  int* totals;      // (keys)
  int* repeats;     // (chunks): 1 if marks holds counts
  int *row_offsets, *indices, *positions;
  const void* source;
  void* values;
  int value_size, value_alignment;

  __device__ Int offset(int major) const { return load_index(offsets, offset_type, major) - origin; }
  // Key of entry t, -1 if it is out of range.
  __device__ int key_at(Int t) const {
    const Int key = static_cast<Int>(keys[t]) - base;
    return static_cast<std::uint64_t>(key) < static_cast<std::uint64_t>(key_count) ? static_cast<int>(key) : -1;
  }
};

// The entries of a chunk as the warps of a block take them: majors in turn, or several warps to a major.
template <class Index>
struct ChunkWalk {
  const MarkedPass<Index>* p;
  int first_major, majors, at_once, part, major;  // major: inside the chunk
  Int t, end;                                     // this thread's next entry, and the end of the major

  __device__ explicit ChunkWalk(const MarkedPass<Index>& pass) : p(&pass) {
    const int warp = static_cast<int>(threadIdx.x / 32);
    first_major = static_cast<int>(blockIdx.x) * p->chunk_majors;
    majors = min(p->chunk_majors, p->majors - first_major);
    at_once = min(p->chunk_majors, kWarps);
    part = warp / at_once;
    major = warp % at_once;
    open();
  }
  __device__ void open() {
    if (major >= majors) return;
    t = p->offset(first_major + major) + part * 32 + static_cast<int>(threadIdx.x % 32);
    end = p->offset(first_major + major + 1);
  }
  __device__ bool done() const { return major >= majors; }
  __device__ int stride() const { return kWarps / at_once * 32; }
  // Steps over a batch. The same for all threads of a warp, whose lanes differ by less than a stride.
  __device__ void advance() {
    t += kBatch * stride();
    if (t - static_cast<int>(threadIdx.x % 32) < end) return;
    major += at_once;
    open();
  }
};

// A block marks the keys of a chunk. Shared memory: a word for every key.
template <class Index>
__global__ void __launch_bounds__(kThreads, 1) mark_keys(const MarkedPass<Index> p) {
  extern __shared__ unsigned marked[];
  let_kernel_behind_start();
  ChunkWalk<Index> walk(p);
  const auto visit_keys = [&](const auto& visit) {
    for (; !walk.done(); walk.advance()) {
      int keys[kBatch];
#pragma unroll
      for (int u = 0; u < kBatch; ++u) {
        const Int t = walk.t + u * walk.stride();
        keys[u] = t < walk.end ? p.key_at(t) : -1;
      }
#pragma unroll
      for (int u = 0; u < kBatch; ++u)
        if (keys[u] >= 0) visit(keys[u]);
    }
  };
  for (int c = static_cast<int>(threadIdx.x); c < p.key_count; c += kThreads) marked[c] = 0;
  __syncthreads();
  unsigned twice = 0;
  visit_keys([&](int key) {
    const unsigned bit = 1u << walk.major;
    twice |= atomicOr(&marked[key], bit) & bit;
  });
  const bool repeats = __syncthreads_or(twice != 0) != 0;
  if (repeats) {
    for (int c = static_cast<int>(threadIdx.x); c < p.key_count; c += kThreads) marked[c] = 0;
    __syncthreads();
    walk = ChunkWalk<Index>(p);
    visit_keys([&](int key) { atomicAdd(&marked[key], 1u); });
    __syncthreads();
  }
  unsigned* const marks = p.marks + static_cast<Int>(blockIdx.x) * p.key_count;
  for (int c = static_cast<int>(threadIdx.x); c < p.key_count; c += kThreads) marks[c] = marked[c];
  if (threadIdx.x == 0) p.repeats[blockIdx.x] = repeats ? 1 : 0;
}

// A block sums 32 keys over all chunks: lane = key, warp = group of consecutive chunks.
template <class Index>
__global__ void __launch_bounds__(1024) sum_marks(const MarkedPass<Index> p) {
  __shared__ int group_sums[32][33];  // (group, key)
  let_kernel_behind_start();
  wait_for_kernel_in_front();
  const int lane = static_cast<int>(threadIdx.x % 32), group = static_cast<int>(threadIdx.x / 32);
  const int key = static_cast<int>(blockIdx.x) * 32 + lane;
  const int share = (p.chunks + 31) / 32;
  const int begin = group * share, end = key < p.key_count ? min(p.chunks, begin + share) : begin;
  const unsigned* const marks = p.marks + key;
  const auto count = [&](int chunk) {
    const unsigned here = marks[static_cast<Int>(chunk) * p.key_count];
    return p.repeats[chunk] != 0 ? static_cast<int>(here) : __popc(here);
  };
  constexpr int kKept = 4;
  int kept[kKept], sum = 0;
#pragma unroll
  for (int u = 0; u < kKept; ++u) kept[u] = begin + u < end ? count(begin + u) : 0;
#pragma unroll
  for (int u = 0; u < kKept; ++u) sum += kept[u];
  for (int chunk = begin + kKept; chunk < end; ++chunk) sum += count(chunk);
  group_sums[group][lane] = sum;
  __syncthreads();
  const int own = group_sums[lane][group];
  int running = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, running, step);
    if (lane >= step) running += left;
  }
  group_sums[lane][group] = running - own;
  if (const int summed = static_cast<int>(blockIdx.x) * 32 + group; lane == 31 && summed < p.key_count)
    p.totals[summed] = running;
  __syncthreads();
  int before = group_sums[group][lane];
  int* const sums = p.sums + key;
#pragma unroll
  for (int u = 0; u < kKept; ++u) {
    if (begin + u < end) sums[static_cast<Int>(begin + u) * p.key_count] = before;
    before += kept[u];
  }
  for (int chunk = begin + kKept; chunk < end; ++chunk) {
    sums[static_cast<Int>(chunk) * p.key_count] = before;
    before += count(chunk);
  }
}

template <class Index>
__device__ void emit_marked(const MarkedPass<Index>& p, int place, int major, Int t) {
  p.indices[place] = major;
  if (p.positions != nullptr) p.positions[place] = static_cast<int>(p.first + t);
  if (p.values != nullptr) move_value(p.values, place, p.source, p.first + t, p.value_size, p.value_alignment);
}

// A block places the entries of a chunk. With several entries to a key they are put in order in shared memory first,
// so that neighbouring threads write neighbouring places. Shared memory: for every key its first place in the result,
// its marks and its first place in the stage; for every staged entry its place, its value (up to 4 bytes) or position,
// and its major.
template <class Index>
__global__ void __launch_bounds__(kThreads, 1) place_marked(const MarkedPass<Index> p) {
  extern __shared__ unsigned shared_words[];
  __shared__ unsigned long long warp_sums[kWarps];
  int* const starts = reinterpret_cast<int*>(shared_words);
  unsigned* const marks = shared_words + p.key_count;
  int* const stage_starts = reinterpret_cast<int*>(marks + p.key_count);
  int* const stage_places = stage_starts + p.key_count;
  auto* const stage_values = reinterpret_cast<unsigned*>(stage_places + p.stage);
  int* const stage_positions = reinterpret_cast<int*>(stage_values + p.stage);
  auto* const stage_majors = reinterpret_cast<std::uint8_t*>(stage_positions + (p.positions != nullptr ? p.stage : 0));
  const int thread = static_cast<int>(threadIdx.x);

  // Keys and small values of the first batch travel while the tables are made.
  const bool small_values = p.values != nullptr && p.value_size <= 4;
  ChunkWalk<Index> walk(p);
  int keys[kBatch];
  unsigned values[kBatch];
  const auto load = [&] {
#pragma unroll
    for (int u = 0; u < kBatch; ++u) {
      const Int t = walk.t + u * walk.stride();
      keys[u] = -1;
      values[u] = 0;
      if (walk.done() || t >= walk.end) continue;
      keys[u] = p.key_at(t);
      if (small_values)
        values[u] = p.value_size == 4 ? static_cast<const std::uint32_t*>(p.source)[p.first + t]
                                      : static_cast<const std::uint16_t*>(p.source)[p.first + t];
    }
  };
  load();
  wait_for_kernel_in_front();

  const Int row = static_cast<Int>(blockIdx.x) * p.key_count;
  const bool repeats = p.repeats[blockIdx.x] != 0;
  const int share = (p.key_count + kThreads - 1) / kThreads;
  const int begin = thread * share, end = min(p.key_count, begin + share);
  unsigned long long sum = 0;  // of totals above, of the chunk's own entries below
  for (int c = begin; c < end; ++c) {
    const int total = p.totals[c];
    const unsigned mark = p.marks[row + c];
    starts[c] = p.sums[row + c];
    stage_starts[c] = total;
    marks[c] = mark;
    sum += (static_cast<unsigned long long>(total) << 32) + static_cast<unsigned>(repeats ? 0 : __popc(mark));
  }
  unsigned long long all;
  sum = sum_before(sum, warp_sums, &all);
  for (int c = begin; c < end; ++c) {
    const int start = static_cast<int>(sum >> 32), total = stage_starts[c];
    starts[c] += start;
    stage_starts[c] = static_cast<int>(sum & 0xffffffffu);
    if (blockIdx.x == 0) p.row_offsets[c] = start;
    sum += (static_cast<unsigned long long>(total) << 32) + static_cast<unsigned>(__popc(marks[c]));
  }
  if (blockIdx.x == 0 && thread == 0) p.row_offsets[p.key_count] = static_cast<int>(all >> 32);
  __syncthreads();
  const int entries = static_cast<int>(all & 0xffffffffu);

  if (repeats) {
    if (thread >= 32) return;
    for (int major = 0; major < walk.majors; ++major) {
      const Int stop = p.offset(walk.first_major + major + 1);
      Int t = p.offset(walk.first_major + major);
      for (t += thread; t - thread < stop; t += 32) {
        const int bin = t < stop ? p.key_at(t) : -1;
        const unsigned same = __match_any_sync(0xffffffffu, bin);
        const int rank = __popc(same & ((1u << thread) - 1));
        const int place = bin >= 0 ? starts[bin] + rank : 0;
        __syncwarp();
        if (bin >= 0 && rank == 0) starts[bin] += __popc(same);
        __syncwarp();
        if (bin >= 0) emit_marked(p, place, walk.first_major + major, t);
      }
    }
    return;
  }

  const bool stages = entries <= p.stage;
  for (; !walk.done(); walk.advance(), load()) {
    const unsigned below = (1u << walk.major) - 1;
#pragma unroll
    for (int u = 0; u < kBatch; ++u) {
      if (keys[u] < 0) continue;
      const Int t = walk.t + u * walk.stride();
      const int rank = __popc(marks[keys[u]] & below);
      const int place = starts[keys[u]] + rank;
      if (stages) {
        const int at = stage_starts[keys[u]] + rank;
        stage_places[at] = place;
        stage_values[at] = values[u];
        if (p.positions != nullptr) stage_positions[at] = static_cast<int>(p.first + t);
        stage_majors[at] = static_cast<std::uint8_t>(walk.major);
      } else {
        p.indices[place] = walk.first_major + walk.major;
        if (p.positions != nullptr) p.positions[place] = static_cast<int>(p.first + t);
        if (small_values && p.value_size == 4) static_cast<std::uint32_t*>(p.values)[place] = values[u];
        if (small_values && p.value_size == 2)
          static_cast<std::uint16_t*>(p.values)[place] = static_cast<std::uint16_t>(values[u]);
      }
      if (p.values != nullptr && !small_values)
        move_value(p.values, place, p.source, p.first + t, p.value_size, p.value_alignment);
    }
  }
  if (!stages) return;
  __syncthreads();
  for (int at = thread; at < entries; at += kThreads) {
    const int place = stage_places[at];
    p.indices[place] = walk.first_major + stage_majors[at];
    if (p.positions != nullptr) p.positions[place] = stage_positions[at];
    if (small_values && p.value_size == 4) static_cast<std::uint32_t*>(p.values)[place] = stage_values[at];
    if (small_values && p.value_size == 2)
      static_cast<std::uint16_t*>(p.values)[place] = static_cast<std::uint16_t>(stage_values[at]);
  }
}

// Sizes of a marked sort; none where it does not suit.
struct MarkedLayout {
  MarkedLayout(const Device& device, const SparseView& a, Int keys) {
    const Int majors = a.major();
    most_shared = static_cast<int>(std::min<std::size_t>(device.shared_per_block, 160 * 1024)) - 4096;
    if (12 * keys > most_shared) return;
    if (a.offset_type == IndexType::none || a.format == Format::sell) return;
    if (keys == 0 || keys > kMostMarkedKeys || majors == 0 || a.nnzb == 0) return;
    if (std::max({majors, a.nnzb + a.first_entry, Int{1}}) >= INT32_MAX) return;
    Int chunk = 4;
    while (chunk < 32 && ceil_div(majors, chunk) > device.sm_count) chunk *= 2;
    const Int words = ceil_div(majors, chunk) * keys;
    if (words > std::max<Int>(16 * a.nnzb, 1 << 20)) return;  // more marks than entries are worth
    chunk_majors = static_cast<int>(chunk);
    chunks = static_cast<int>(ceil_div(majors, chunk));
    // A stage where keys have entries enough in a chunk for writes to meet.
    if (a.nnzb >= words) stage = static_cast<int>(std::clamp<Int>((most_shared - 12 * keys) / 13 / 32 * 32, 0, 8192));
  }
  bool suits() const noexcept { return chunks > 0; }
  int chunk_majors = 0, chunks = 0, stage = 0;
  int most_shared = 0;  // bytes that place_marked may ask for
};

}  // namespace
}  // namespace spk::cuda
