// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_dense_copy_bits.cuh"

#include <algorithm>
#include <climits>

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/spmm_slots.cuh"

namespace spk::cuda {
namespace {

constexpr int kCopyThreads = 128;

// kWarps warps make a row in shared memory, and write it in packs of 16 bytes. Columns that do not increase are found beside
// that; such a row is made again by slots, and only where a column repeats its C is left to what adds entry by entry.
template <class Kind, int kWarps>
__global__ void __launch_bounds__(kCopyThreads)
    spmm_make_dense_copy(const __grid_constant__ CopyArgs<typename Kind::Value> args) {
  extern __shared__ uint4 memory[];
  using Value = typename Kind::Value;
  constexpr int kThreads = 32 * kWarps, kRows = kCopyThreads / kThreads, kAhead = 2;
  constexpr unsigned kAll = 0xffffffffu;
  const int t = static_cast<int>(threadIdx.x) % kThreads, lane = t % 32;
  uint4* const line = memory + static_cast<int>(threadIdx.x) / kThreads * args.packs;
  auto* const places = reinterpret_cast<Value*>(line);
  const auto sync = [] {
    if constexpr (kWarps == 1)
      __syncwarp();
    else
      __syncthreads();
  };
  const auto any_of_row = [](bool x) {
    if constexpr (kWarps > 1) return __syncthreads_or(x) != 0;
    x = __any_sync(kAll, x);
    __syncwarp();
    return x;
  };
  for (int i = t; i < args.packs; i += kThreads) line[i] = {};
  wait_for_kernel_in_front();
  let_kernel_behind_start();
  for (std::int64_t row = std::int64_t{blockIdx.x} * kRows + static_cast<int>(threadIdx.x) / kThreads; row < args.rows;
       row += std::int64_t{gridDim.x} * kRows) {
    const std::int64_t matrix = row / args.m, i = row % args.m;
    const int begin = first_entry(args, matrix * args.offsets_stride + i);
    const int end = first_entry(args, matrix * args.offsets_stride + i + 1);
    const int* columns = args.columns + matrix * args.columns_stride;
    const Value* values = args.values + matrix * args.values_stride;
    bool unordered = false, small = false;
    const auto place = [&](int k, Value value) {
      small |= Kind::is_too_small(value);
      places[k] = value;
    };
    const auto put = [&](int column, Value value) {
      const unsigned k = static_cast<unsigned>(column) - static_cast<unsigned>(args.base);
      if (k < static_cast<unsigned>(args.k)) place(static_cast<int>(k), value);
    };
    // Aligned fours of entries, and one by one what lies before and behind them.
    const int fours = (begin + 3) & ~3, fours_end = end & ~3;
    const int single = t < 3 ? begin + t : max(fours, fours_end) + t - 3;
    const bool has_single = t < 6 && single < (t < 3 ? min(fours, end) : end);
    int column = 0, column_before = INT_MIN;
    Value value = 0;
    if (has_single) {
      column = columns[single];
      value = values[single];
      if (single > begin) column_before = columns[single - 1];
    }
    sync();
    for (int first = fours; first < fours_end; first += 4 * kThreads * kAhead) {
      int4 c[kAhead]{};
      typename Kind::Four v[kAhead]{};
      int before[kAhead];
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const int p = first + 4 * (i * kThreads + t);
        before[i] = INT_MIN;
        if (p >= fours_end) continue;
        c[i] = *reinterpret_cast<const int4*>(columns + p);
        v[i] = *reinterpret_cast<const typename Kind::Four*>(values + p);
        if (lane == 0 && p > begin) before[i] = columns[p - 1];
      }
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const int left = __shfl_up_sync(kAll, c[i].w, 1);
        if (lane > 0) before[i] = left;
        if (first + 4 * (i * kThreads + t) >= fours_end) continue;
        const bool ordered = before[i] < c[i].x && c[i].x < c[i].y && c[i].y < c[i].z && c[i].z < c[i].w;
        const unsigned least = static_cast<unsigned>(c[i].x) - static_cast<unsigned>(args.base);
        const unsigned most = static_cast<unsigned>(c[i].w) - static_cast<unsigned>(args.base);
        if (ordered && least < static_cast<unsigned>(args.k) && most < static_cast<unsigned>(args.k)) {
          place(c[i].x - args.base, v[i].x);
          place(c[i].y - args.base, v[i].y);
          place(c[i].z - args.base, v[i].z);
          place(c[i].w - args.base, v[i].w);
        } else {
          unordered |= !ordered;
          // Of neighbours at one place the first alone is written, so that lanes do not race.
          if (before[i] < c[i].x) put(c[i].x, v[i].x);
          if (c[i].x < c[i].y) put(c[i].y, v[i].y);
          if (c[i].y < c[i].z) put(c[i].z, v[i].z);
          if (c[i].z < c[i].w) put(c[i].w, v[i].w);
        }
      }
    }
    if (has_single) {
      unordered |= column_before >= column;
      if (column_before < column) put(column, value);
    }
    bool bad = any_of_row(unordered || small);
    const bool by_slots = bad && any_of_row(unordered);
    if (by_slots) {
      for (int j = t; j < args.packs; j += kThreads) line[j] = {~0u, ~0u, ~0u, ~0u};
      sync();
      bool repeats = false;
      for (int p = begin + t; p < end; p += kThreads) {
        const unsigned k = static_cast<unsigned>(columns[p]) - static_cast<unsigned>(args.base);
        small |= Kind::is_too_small(values[p]);
        if (k < static_cast<unsigned>(args.k)) repeats |= !take_slot(places + k, as_stored(values[p]));
      }
      bad = any_of_row(repeats || small);
    }
    if (bad && t == 0) places[0] = Kind::nan();  // read first by this thread
    uint4* const to = args.copy + row * args.packs + matrix * (Kind::kPlanes - 1) * args.plane;
    for (int j = t; j < args.packs; j += kThreads) {
      const uint4 pack = by_slots ? without_empty<Value>(line[j]) : line[j];
#pragma unroll
      for (int plane = 0; plane < Kind::kPlanes; ++plane) to[plane * args.plane + j] = Kind::of(pack, plane);
      line[j] = {};
    }
  }
}

template <class Kind>
void launch_dense_copy(const SpmmCall& call, const Launch& launch) {
  if constexpr (Kind::kPlanes == 1)
    if (call.by_columns) return copy_columns<Kind>(call, launch);
  const SpmmProblem& p = call.p;
  const auto args = copy_args<Kind>(call, launch);
  const bool by_warps = copy_by_warps(p);
  const auto kernel = by_warps ? spmm_make_dense_copy<Kind, 1> : spmm_make_dense_copy<Kind, kCopyThreads / 32>;
  const std::int64_t rows = by_warps ? kCopyThreads / 32 : 1;
  const auto bytes = static_cast<std::size_t>(rows * args.packs * 16);
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, bytes);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((args.rows + rows - 1) / rows, 1 << 20));
  launch_kernel(kernel, {blocks, kCopyThreads, bytes, launch.device.overlaps_launches}, launch.stream, args);
}

}  // namespace

void make_dense_copy(const SpmmCall& call, const Launch& launch, TileMath math) {
  switch (math) {
    case TileMath::sixteen_bit: return launch_dense_copy<HalfBits>(call, launch);
    case TileMath::tf32: return launch_dense_copy<Tf32Bits>(call, launch);
    case TileMath::split_tf32: return launch_dense_copy<SplitBits>(call, launch);
  }
}

}  // namespace spk::cuda
