// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sddmm_slices.cuh"

// What the SDDMM kernels that form whole tiles on tensor cores share.
namespace spk::cuda {

constexpr int kSddmmDenseRows = 128;

__device__ inline void load_matrices(unsigned (&to)[4], unsigned address) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
#endif
}

// x = upper + lower, nearly: upper has 11 bits (Dekker), lower 12 of which the tensor core reads 11. In the multiply-
// add pipe, which is idle here; conversions run at an eighth of its rate.
__device__ inline void split_in_two(unsigned x, unsigned& upper, unsigned& lower) {
  const float value = __uint_as_float(x), scaled = __fmul_rn(value, 8193.0f);
  const float high = __fsub_rn(scaled, __fsub_rn(scaled, value));
  upper = __float_as_uint(high);
  lower = __float_as_uint(__fsub_rn(value, high));
}

// Whether the lower part of a number may be lost below the normal range: it is not 0, but below 2^-100. Collects the
// least |x| of many; 0 counts as the largest.
__device__ inline void note_size(unsigned x, unsigned& least) { least = min(least, (x << 1) - 1); }
__device__ inline bool too_small(unsigned least) { return least < (27u << 24) - 1; }

// Rows [valid, count) of all slices become 0, and stay so: no copy writes there.
__device__ inline void clear_rows(unsigned char* slices, int stage_bytes, int valid, int count) {
  for (int s = 0; s < kStages; ++s)
    for (int i = valid * 8 + static_cast<int>(threadIdx.x); i < count * 8; i += kSddmmTileThreads)
      *reinterpret_cast<uint4*>(slices + s * stage_bytes + i * 16) = uint4{};
}

// Stores those elements of a finished tile (kSddmmDenseRows x kCols, rows kStride floats apart) that C has, or leaves
// them to the kernel that adds the splits. a and b are the first row and column of the tile, k0 and k1 the part of the
// inner size; sums that are not finite, or all if `again`, are formed once more without splitting the operands.
template <class Value, class Out, int kCols, int kStride>
__device__ void sample_tile(const SddmmArgs<Value, Out>& args, const SddmmTileShape& shape,
                            const SddmmFinish<Value, Out>& finish, const float* tile, const unsigned* starts,
                            std::int64_t first, const Value* a, const Value* b, std::int64_t col0, std::int64_t batch,
                            int split, std::int64_t k0, std::int64_t k1, bool again) {
  constexpr int kRows = kSddmmDenseRows;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  // A warp has some neighbouring rows, whose entries lie side by side; it looks at some for each lane at a time, and
  // loads the indices of the next ones before. No branch parts what is done for several entries.
  constexpr int kEach = kCols == 64 ? 4 : 8, kWarpRows = kRows / (kSddmmTileThreads / 32);
  static_assert((kWarpRows & (kWarpRows - 1)) == 0, "the search for an entry's row halves");
  const unsigned* const own = starts + warp * kWarpRows;
  const unsigned end = own[kWarpRows];
  const std::int64_t shift = batch * args.indices_stride + first;
  const auto origin = static_cast<std::uint64_t>(col0 + args.base);
  std::uint64_t ahead[kEach];
  const auto load = [&](unsigned from) {
    load_indices(ahead, args.indices, args.index_type, shift, end,
                 [&](int u) { return from + static_cast<unsigned>(u * 32 + lane); });
  };
  load(own[0]);
  for (unsigned from = own[0]; from < end;) {
    unsigned cols[kEach], rows[kEach];
    float sums[kEach];
    bool odd = false;
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      const std::uint64_t col = ahead[u] - origin;
      cols[u] = ahead[u] != kNoIndex && col < kCols ? static_cast<unsigned>(col) : kCols;
    }
    const unsigned here = from;
    from = end - from < kEach * 32 ? end : from + kEach * 32;
    load(from);
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      const unsigned t = here + static_cast<unsigned>(u * 32 + lane);
      rows[u] = 0;
#pragma unroll
      for (int step = kWarpRows / 2; step > 0; step /= 2)
        if (own[rows[u] + step] <= t) rows[u] += step;
      rows[u] += static_cast<unsigned>(warp * kWarpRows);
    }
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      sums[u] = cols[u] < kCols && !finish.skips ? tile[rows[u] * kStride + cols[u]] : 0.0f;
      odd = odd || again || !isfinite(sums[u]);
    }
    if constexpr (std::is_same_v<Value, float>)
      if (odd && !finish.skips) {
#pragma unroll
        for (int u = 0; u < kEach; ++u)
          if (cols[u] < kCols && (again || !isfinite(sums[u]))) {
            sums[u] = 0;
            for (std::int64_t l = k0; l < k1; ++l)
              sums[u] = fmaf(a[rows[u] * args.a.stride + l * args.a.k_stride],
                             b[cols[u] * args.b.stride + l * args.b.k_stride], sums[u]);
          }
      }
    const std::int64_t place = first + here + static_cast<unsigned>(lane);
    if (shape.splits == 1) {
      Out* const out = args.values + batch * args.values_stride + place;
#pragma unroll
      for (int u = 0; u < kEach; ++u)
        if (cols[u] < kCols) finish.store(out + u * 32, sums[u]);
    } else {
      float* const out =
          static_cast<float*>(shape.partial) + (split * args.batches + batch) * args.nnz + (place - args.first_entry);
#pragma unroll
      for (int u = 0; u < kEach; ++u)
        if (cols[u] < kCols) out[u * 32] = sums[u];
    }
  }
}

}  // namespace spk::cuda
