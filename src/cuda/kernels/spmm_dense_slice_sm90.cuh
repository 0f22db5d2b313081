// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sm90_split.cuh"
#include "cuda/kernels/spmm_dense_slice_expand.cuh"

// C^T = B^T A^T on SM 9.0a, in 16-bit types or in f32 as split products, with few round trips to memory, for products
// that take a few microseconds.
//
// A cluster makes kRows x kCols of C; each of its blocks takes one slice of k. A block asks for its whole part of B by
// tensor copies (chunks of kLine rows, as many as there are stages), and meanwhile all its warps expand the slice of A
// into shared memory, kRowsPerWarp rows each: lines of 128 bytes per row and chunk. If the slice is too long for shared
// memory it goes in steps. Then warpgroups multiply, each 64 columns of B by kProduct rows of A. At the end every block
// sums kRows / slices rows, which the other blocks have copied to it, in the order of slices.
//
// Where a slice begins in a row is found by 32 probes of the row, evenly spaced: a block reads from the last probe
// before its slice to the first one behind it. So every entry and its follower are seen by some block, which finds rows
// whose columns do not increase strictly. A NaN in such a row of the expanded slice makes its sums NaN. Sums that are
// not finite are made again from the stored entries alone, which also keeps what was not stored from meeting B. With
// split products tiny operands lead to NaN on purpose, too, and short rows are always made again.
//
// Dense work on sparse storage: Flash-LLM (arXiv 2309.10285). Split products: Ootomo and Yokota (arXiv 2203.03341).
namespace spk::cuda {

constexpr int kMostStages = 16;

template <class Value, class Out>
struct SliceArgs {
  TileArgs<Value, Out> tile;
  int slices, chunks, chunks_per_step, stages;
};

template <class Config>
struct SliceShared {
  alignas(8) std::uint64_t full[kMostStages], empty[kMostStages], incoming;
  int begin[Config::kRows], end[Config::kRows];  // positions of entries
};

// What one block works on.
struct SlicePlace {
  std::int64_t batch, row, col;  // first row and column of the tile
  int rank, first_chunk, chunks;
  bool last;  // no block has chunks behind these
  std::uint32_t b, a;
};

template <class Config>
__device__ void copy_slice_of_b(const CUtensorMap* map, const SlicePlace& place, std::uint32_t full, int chunk,
                                int stage, int z) {
  sm90::barrier_arrive_expect(full + 8 * stage, Config::kChunkB);
#pragma unroll
  for (int j = 0; j < Config::kCols; j += Config::kLine)
    sm90::tensor_copy(place.b + stage * Config::kChunkB + j * 128, map, full + 8 * stage,
                      static_cast<int>(place.col) + j, (place.first_chunk + chunk) * Config::kLine, z);
}

// What a warpgroup multiplies: 64 columns of B, from row to row of a chunk, by kProduct lines of A.
template <class Config>
struct SliceProduct {
  using Value = typename Config::Value;
  float sums[Config::kProduct / 2];

  // Column of the 64 that is row lane / 4 + 8 half of this warp's part of the product.
  static __device__ int column(int half) {
    return static_cast<int>(threadIdx.x) / 32 % 4 * 16 + static_cast<int>(threadIdx.x) % 32 / 4 + 8 * half;
  }
  __device__ void start() {
#pragma unroll
    for (int i = 0; i < Config::kProduct / 2; ++i) sums[i] = 0;
  }
  // The chunk before is read to its end when this returns; this one may still be.
  __device__ void add(std::uint32_t b, std::uint32_t a, int chunk) {
    const std::uint64_t m = sm90::descriptor(b), k = sm90::descriptor(a);
    sm90::product_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sm90::Product<Value, Config::kProduct, true>::add(sums, m + i * (2048 >> 4), k + i * (32 >> 4), chunk + i);
    sm90::product_commit();
    sm90::product_wait<1>();
  }
  __device__ void finish() { sm90::keep(sums); }
};

template <class Config>
requires(Config::kSplit) struct SliceProduct<Config> : Tf32Product<Config::kProduct, true, true> {
  __device__ void add(std::uint32_t b, std::uint32_t a, int chunk) {
    Tf32Product<Config::kProduct, true, true>::add(b, a, a + Config::kLoBytes, chunk);
  }
};

// Rows [first, first + count) of the tile from staged sums to C. own: this block's sums, from row 0 of the tile on;
// others: those of the other slices, from row `first` on.
template <class Config>
__device__ void finish_slice(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                             const Scaling<float>& scaling, const SliceShared<Config>& shared, const SlicePlace& place,
                             int slices, const float* own, const float* others, bool active) {
  using Out = typename Config::Out;
  constexpr int kVector = 16 / sizeof(Out), kPerRow = Config::kCols / kVector, kRowsAtOnce = Config::kThreads / kPerRow;
  const auto& args = tile.spmm;
  const bool plain = scaling.beta_is_zero && args.is_plain;
  const int count = Config::kRows / slices, first = place.rank * count;
  const int minor = static_cast<int>(threadIdx.x) % kPerRow * kVector;
  const std::int64_t j = place.col + minor;
  const int left = static_cast<int>(min(args.n - j, static_cast<std::int64_t>(kVector)));
  if (left <= 0) return;
  const bool whole = tile.vector_c && left == kVector;
#pragma unroll 2
  for (int r = static_cast<int>(threadIdx.x) / kPerRow; r < count; r += kRowsAtOnce) {
    const std::int64_t i = place.row + first + r;
    if (i >= args.m) break;
    float x[kVector] = {};
    for (int s = 0; s < slices; ++s) {
      const float* from = s == place.rank ? own + (first + r) * Config::kPitch
                                          : others + ((s - (s > place.rank)) * count + r) * Config::kPitch;
#pragma unroll
      for (int e = 0; e < kVector; e += 4) {
        const float4 four = *reinterpret_cast<const float4*>(from + minor + e);
        x[e] += four.x, x[e + 1] += four.y, x[e + 2] += four.z, x[e + 3] += four.w;
      }
    }
    Out* to = args.c.values + place.batch * args.c.batch_stride + i * args.c.row_stride + j;
    float zero = 0;  // NaN where a sum is not finite
#pragma unroll
    for (int e = 0; e < kVector; ++e) zero = fmaf(x[e], 0.0f, zero);
    const int begin = shared.begin[first + r], end = shared.end[first + r];
    const bool is_short = Config::kSplit && end != begin && end - begin < kShortRow;
    if (active && (is_short || !(zero == 0))) {
#pragma unroll
      for (int e = 0; e < kVector; ++e)
        if (e < left && (is_short || !isfinite(x[e]))) x[e] = sum_exactly(tile, place.batch, begin, end, j + e);
    }
    alignas(16) Out out[kVector];
    if (plain) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) out[e] = FromSum<Out>::of(active ? scaling.alpha * x[e] : 0.0f);
    } else {
#pragma unroll
      for (int e = 0; e < kVector; ++e)
        if (e < left) out[e] = finish(args, scaling, place.batch, i, j + e, x[e], to + e);
    }
    if (whole) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(out);
    } else {
#pragma unroll
      for (int e = 0; e < kVector; ++e)
        if (e < left) to[e] = out[e];
    }
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    spmm_dense_slice(const __grid_constant__ CUtensorMap map,
                     const __grid_constant__ SliceArgs<typename Config::Value, typename Config::Out> slice) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using Value = typename Config::Value;
  extern __shared__ unsigned char dynamic[];
  __shared__ SliceShared<Config> shared;
  const auto& tile = slice.tile;
  const auto& args = tile.spmm;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // known to be uniform
  const std::uint32_t full = sm90::shared_address(shared.full), empty = sm90::shared_address(shared.empty);
  const std::uint32_t incoming = sm90::shared_address(&shared.incoming);
  const Scaling<float> scaling = scaling_of(args);
  const bool active = !args.skips_product && !scaling.alpha_is_zero;

  SlicePlace place;
  place.rank = slice.slices > 1 ? sm90::rank_in_cluster() : 0;
  std::int64_t at = blockIdx.x / slice.slices;
  place.col = at % tile.tiles_n * Config::kCols;
  at /= tile.tiles_n;
  place.row = at % tile.tiles_m * Config::kRows;
  place.batch = at / tile.tiles_m;
  const int all_chunks = active ? static_cast<int>((args.k + Config::kLine - 1) / Config::kLine) : 0;
  place.first_chunk = min(place.rank * slice.chunks, all_chunks);
  place.chunks = min(slice.chunks, all_chunks - place.first_chunk);
  place.last = place.first_chunk + place.chunks == all_chunks;
  const std::uint32_t begin = sm90::shared_address(dynamic);
  place.b = (begin + 1023) & ~1023u;
  place.a = place.b + slice.stages * Config::kChunkB;
  unsigned char* const staged = dynamic + (place.b - begin);
  const int z = tile.b_batch ? static_cast<int>(place.batch) : 0;
  // Bytes that come from the other blocks of the cluster, and where.
  const int own_bytes = Config::kRows / slice.slices * Config::kPitch * 4;
  const int work_bytes = slice.stages * Config::kChunkB + slice.chunks_per_step * Config::kChunkA;
  const int others_at = max(work_bytes, Config::kRows * Config::kPitch * 4);

  // First of all what the longest chain of loads begins with.
  SliceRows<Config> rows;
  rows.columns = static_cast<const int*>(args.indices) + place.batch * args.indices_stride;
  rows.values = args.values + place.batch * args.values_stride;
  rows.limit = static_cast<int>(args.entries);
  rows.bounds = 0;
  constexpr int kOwn = Config::kRowsPerWarp;
  if (active && lane <= kOwn) rows.bounds = row_start(tile, place.batch, min(place.row + warp * kOwn + lane, args.m));

  if (threadIdx.x == 0) {
    for (int s = 0; s < slice.stages; ++s) {
      sm90::barrier_init(full + 8 * s, 1);
      sm90::barrier_init(empty + 8 * s, Config::kWarps / 4);
    }
    sm90::barrier_init(incoming, 1);
    sm90::barrier_init_fence();
    if (slice.slices > 1) sm90::barrier_arrive_expect(incoming, own_bytes * (slice.slices - 1));
    for (int c = 0; c < min(place.chunks, slice.stages); ++c) copy_slice_of_b<Config>(&map, place, full, c, c, z);
  }
  if (slice.slices > 1) {
    __syncwarp();
    sm90::cluster_arrive();
  }

  const std::uint32_t lines = place.a + warp * kOwn * 128;
  clear_lines<Config>(lines, min(place.chunks, slice.chunks_per_step));
  if (lane < kOwn) shared.begin[warp * kOwn + lane] = rows.bounds;
  if (lane > 0 && lane <= kOwn) shared.end[warp * kOwn + lane - 1] = rows.bounds;
  const bool one_step = place.chunks <= slice.chunks_per_step;
  rows.bad = 0;
  if (!one_step || place.chunks < all_chunks) rows.probe_rows();

  const int group = warp / 4, col_group = group % Config::kColGroups;
  const int row_group = group / Config::kColGroups % Config::kRowGroups;
  // Spare warpgroups do what others do: wgmma in a branch that may diverge would be serialised.
  SliceProduct<Config> product;
  product.start();
  for (int step = 0; step < place.chunks; step += slice.chunks_per_step) {
    const int chunks = min(slice.chunks_per_step, place.chunks - step);
    if (step > 0) {
      __syncthreads();
      clear_lines<Config>(lines, chunks);
    }
    __syncwarp();
    rows.expand(lines, (place.first_chunk + step) * Config::kLine + args.base, chunks * Config::kLine,
                place.first_chunk + step == 0, place.last && step + chunks == place.chunks);
    sm90::proxy_fence();
    __syncthreads();
    for (int c = step; c < step + chunks; ++c) {
      const int stage = c % slice.stages;
      sm90::barrier_wait(full + 8 * stage, (c / slice.stages) & 1);
      product.add(place.b + stage * Config::kChunkB + col_group * 64 * 128,
                  place.a + (c - step) * Config::kChunkA + row_group * Config::kProduct * 128, c);
      // The chunk before is read to its end. Its stage may have to take another one.
      const int before = c - 1, next = before + slice.stages;
      if (before >= 0 && next < place.chunks) {
        const int old = before % slice.stages;
        if (threadIdx.x % 128 == 0) sm90::barrier_arrive(empty + 8 * old);
        if (threadIdx.x == 0) {
          sm90::barrier_wait(empty + 8 * old, (before / slice.stages) & 1);
          copy_slice_of_b<Config>(&map, place, full, next, old, z);
        }
        __syncwarp();
      }
    }
    sm90::product_wait<0>();
  }
  product.finish();

  __syncthreads();  // everybody has read its operands: sums take their place
  float* own = reinterpret_cast<float*>(staged);
  const float* others = reinterpret_cast<const float*>(staged + others_at);
  if (group < Config::kGroups) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float* to = own + (row_group * Config::kProduct + lane % 4 * 2) * Config::kPitch + col_group * 64 +
                  SliceProduct<Config>::column(half);
#pragma unroll
      for (int i = 0; i < Config::kProduct / 8; ++i) {
        to[8 * i * Config::kPitch] = product.sums[4 * i + 2 * half];
        to[(8 * i + 1) * Config::kPitch] = product.sums[4 * i + 2 * half + 1];
      }
    }
  }
  if (slice.slices > 1) sm90::proxy_fence();
  __syncthreads();
  if (slice.slices > 1) {
    sm90::cluster_wait();  // all have begun, and set up their barriers
    if (threadIdx.x > 0 && threadIdx.x < slice.slices) {
      const int r = (place.rank + static_cast<int>(threadIdx.x)) % slice.slices;
      const std::uint32_t to = place.b + others_at + (place.rank - (place.rank > r)) * own_bytes;
      sm90::copy_there(sm90::address_in(r, to), place.b + r * own_bytes, own_bytes, sm90::address_in(r, incoming));
    }
    __syncwarp();
    sm90::barrier_wait(incoming, 0);
    sm90::cluster_arrive();
  }
  finish_slice<Config>(tile, scaling, shared, place, slice.slices, own, others, active);
  if (slice.slices > 1) sm90::cluster_wait();  // all have got what they copied from here
#endif
}

}  // namespace spk::cuda
