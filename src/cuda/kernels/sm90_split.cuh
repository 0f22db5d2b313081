// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sm90_products.cuh"
#include "cuda/kernels/spmm_dense_tile.cuh"

namespace spk::cuda {

// A warpgroup's product of 64 columns of f32 B by kRows rows of A in tf32, on SM 9.0a: B goes from shared memory through
// registers, where it is rounded or split in hi + lo; A lies in shared memory as hi and, kSplit, lo. Both have 32 steps of k
// in a chunk, lines of 128 bytes with the 128-byte swizzle: of A a line per row, of B a line per column or, kTurned, a line
// per k in panels of 32 columns. Split products: `sums` holds hi hi, `rest` the two small ones, which would be cut off at the
// size of the sum (Ootomo and Yokota, arXiv 2203.03341).
template <int kRows, bool kSplitT, bool kTurned>
struct Tf32Product {
  static constexpr bool kSplit = kSplitT;
  static constexpr int kSums = kRows / 2;
  float sums[kSums], rest[kSplit ? kSums : 1];
  std::uint32_t smallest[2];
  std::uint32_t bits[4][4];

  // Column of the 64 that is row lane / 4 + 8 half of this warp's part of the product.
  static __device__ int column(int half) {
    const int warp = static_cast<int>(threadIdx.x) / 32 % 4, g = static_cast<int>(threadIdx.x) % 32 / 4;
    // This order of columns keeps the 32 lanes of a load on 32 banks.
    if constexpr (kTurned) return 32 * (warp / 2) + g % 4 + 4 * (2 * (warp % 2) + half) + 16 * (g / 4);
    return 16 * warp + g + 8 * half;
  }
  __device__ void start() {
#pragma unroll
    for (int i = 0; i < kSums; ++i) sums[i] = 0;
    if constexpr (kSplit)
#pragma unroll
      for (int i = 0; i < kSums; ++i) rest[i] = 0;
    smallest[0] = smallest[1] = ~0u;
  }
  // What this thread multiplies of a chunk of B. All of them are shared addresses.
  __device__ void load(std::uint32_t b) {
    const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int c = column(i % 2), k = 8 * step + t + 4 * (i / 2);
        const int at = kTurned ? c / 32 * 4096 + k * 128 + ((c / 4 % 8) ^ (k % 8)) * 16 + c % 4 * 4
                               : c * 128 + ((k / 4) ^ (c % 8)) * 16 + t * 4;
        bits[step][i] = load_shared(b + static_cast<std::uint32_t>(at));
      }
  }
  // Puts its products on their way. accumulate = 0: nothing was added yet.
  __device__ void multiply(std::uint32_t hi_a, std::uint32_t lo_a, int accumulate) {
    using Product = sm90::ProductTf32<kRows>;
    const std::uint64_t k_hi = sm90::descriptor(hi_a), k_lo = sm90::descriptor(lo_a);
    std::uint32_t hi[4][4], lo[4][4];
    // Two steps are split while the two before are multiplied.
#pragma unroll
    for (int pair = 0; pair < 4; pair += 2) {
#pragma unroll
      for (int step = pair; step < pair + 2; ++step)
#pragma unroll
        for (int i = 0; i < 4; ++i) split_b<Tf32Product>(bits[step][i], hi[step][i], lo[step][i], smallest[i % 2]);
      sm90::product_fence();
#pragma unroll
      for (int step = pair; step < pair + 2; ++step) {
        const int along = step * (32 >> 4);
        Product::add(sums, hi[step], k_hi + along, accumulate + step);
        if constexpr (kSplit) {
          Product::add(rest, lo[step], k_hi + along, accumulate + step);
          Product::add(rest, hi[step], k_lo + along, 1);
        }
      }
      sm90::product_commit();
    }
  }
  // All in `sums`. A column with operands too small to be split has NaNs.
  __device__ void finish() {
    sm90::keep(sums);
    if constexpr (kSplit) {
      sm90::keep(rest);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        // Four lanes share a column.
        smallest[half] = min(smallest[half], __shfl_xor_sync(0xffffffffu, smallest[half], 1));
        smallest[half] = min(smallest[half], __shfl_xor_sync(0xffffffffu, smallest[half], 2));
      }
#pragma unroll
      for (int i = 0; i < kSums; ++i)
        sums[i] = smallest[i / 2 % 2] < kSmallness ? __uint_as_float(0x7fffffffu) : sums[i] + rest[i];
    }
  }
};

}  // namespace spk::cuda
