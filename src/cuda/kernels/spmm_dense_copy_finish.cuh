// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sm90_products.cuh"
#include "cuda/kernels/spmm_dense_tile.cuh"

// From sums in the registers of a warp to C, for spmm_dense_copy_sm90.cuh. C is seen as lines, which are rows or columns,
// whatever is contiguous, and places in a line.
namespace spk::cuda {

constexpr int kWarpLines = 16;

// 16 lines by 32 places of a warp's sums: x[4 g + 2 h + e] is line lane / 4 + 8 h, place 8 g + 2 (lane % 4) + e.
constexpr int kQuadPlaces = 32, kQuadSums = 16;

struct QuadPlace {
  std::int64_t batch, line, place;  // of x[0]
};

template <class Config, class Tile>
__device__ auto* place_of_line(const Tile& tile, std::int64_t batch, std::int64_t line, std::int64_t place) {
  const auto& c = tile.spmm.c;
  return c.values + batch * c.batch_stride + line * (Config::kSwapped ? c.col_stride : c.row_stride) + place;
}
template <class Config, class Tile>
__device__ std::int64_t lines_of(const Tile& tile) {
  return Config::kSwapped ? tile.spmm.n : tile.spmm.m;
}
template <class Config, class Tile>
__device__ std::int64_t places_of(const Tile& tile) {
  return Config::kSwapped ? tile.spmm.m : tile.spmm.n;
}

struct QuadSums {
  float x[kQuadSums];
};

// The elements whose bits are set, from the stored entries alone.
template <class Config>
__device__ __noinline__ void make_again(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                                        Scaling<float> scaling, QuadPlace at, unsigned bits) {
  for (; bits != 0; bits &= bits - 1) {
    const int s = __ffs(static_cast<int>(bits)) - 1;
    const std::int64_t line = at.line + s / 2 % 2 * 8, place = at.place + s / 4 * 8 + s % 2;
    if (line >= lines_of<Config>(tile) || place >= places_of<Config>(tile)) continue;
    const std::int64_t i = Config::kSwapped ? place : line, j = Config::kSwapped ? line : place;
    const float sum = tile.copy.values != nullptr ? sum_by_columns(tile, at.batch, i, j)
                                                  : sum_exactly(tile, at.batch, row_start(tile, at.batch, i),
                                                                row_start(tile, at.batch, i + 1), j);
    auto* to = place_of_line<Config>(tile, at.batch, line, place);
    *to = finish(tile.spmm, scaling, at.batch, i, j, sum, to);
  }
}

// With beta or an epilogue: one by one.
template <class Config>
__device__ __noinline__ void finish_singly(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                                           Scaling<float> scaling, QuadPlace at, QuadSums sums, unsigned but) {
#pragma unroll 4
  for (int s = 0; s < kQuadSums; ++s) {
    const std::int64_t line = at.line + s / 2 % 2 * 8, place = at.place + s / 4 * 8 + s % 2;
    if ((but >> s & 1) != 0 || line >= lines_of<Config>(tile) || place >= places_of<Config>(tile)) continue;
    const std::int64_t i = Config::kSwapped ? place : line, j = Config::kSwapped ? line : place;
    auto* to = place_of_line<Config>(tile, at.batch, line, place);
    *to = finish(tile.spmm, scaling, at.batch, i, j, sums.x[s], to);
  }
}

template <class T>
__device__ std::uint32_t pack_two(float x, float y) {
  const T two[2] = {FromSum<T>::of(x), FromSum<T>::of(y)};
  std::uint32_t bits;
  memcpy(&bits, two, 4);
  return bits;
}

// Four lanes have four words each: lane t gets word t of all of them, in their order.
__device__ inline void turn_words(std::uint32_t (&w)[4]) {
  const bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const std::uint32_t got = __shfl_xor_sync(0xffffffffu, odd ? w[i] : w[i + 1], 1);
    (odd ? w[i] : w[i + 1]) = got;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t got = __shfl_xor_sync(0xffffffffu, high ? w[i] : w[i + 2], 2);
    (high ? w[i] : w[i + 2]) = got;
  }
}

// A whole warp: x as above, `at` is where this lane's x[0] goes.
template <class Config>
__device__ void finish_quad(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                            const Scaling<float>& scaling, const QuadPlace& at, const float (&x)[kQuadSums],
                            bool active) {
  using Out = typename Config::Out;
  const int t = static_cast<int>(threadIdx.x) % 4;
  const std::int64_t first = at.place - 2 * t;  // place of the quad
  float zero = 0;                               // NaN where a sum is not finite
#pragma unroll
  for (int s = 0; s < kQuadSums; ++s) zero = fmaf(x[s], 0.0f, zero);
  unsigned again = 0;
  if (!(zero == 0) && active) {
#pragma unroll
    for (int s = 0; s < kQuadSums; ++s) again |= isfinite(x[s]) ? 0u : 1u << s;
  }
  if (scaling.beta_is_zero && tile.spmm.is_plain) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::int64_t line = at.line + 8 * h;
      const bool inside = line < lines_of<Config>(tile);
      Out* const to = place_of_line<Config>(tile, at.batch, line, 0);
      const std::int64_t left = places_of<Config>(tile) - first;
      if constexpr (sizeof(Out) == 2) {
        std::uint32_t words[4];
#pragma unroll
        for (int g = 0; g < 4; ++g)
          words[g] = pack_two<Out>(scaling.alpha * x[4 * g + 2 * h], scaling.alpha * x[4 * g + 2 * h + 1]);
        turn_words(words);
        if (inside && tile.vector_c && left >= 8 * t + 8) {
          *reinterpret_cast<uint4*>(to + first + 8 * t) = {words[0], words[1], words[2], words[3]};
        } else if (inside) {
#pragma unroll
          for (int e = 0; e < 8; ++e)
            if (8 * t + e < left) {
              const auto half = static_cast<unsigned short>(words[e / 2] >> (e % 2 * 16));
              memcpy(to + first + 8 * t + e, &half, 2);
            }
        }
      } else if (inside) {
#pragma unroll
        for (int g = 0; g < 4; ++g) {
          const float two[2] = {scaling.alpha * x[4 * g + 2 * h], scaling.alpha * x[4 * g + 2 * h + 1]};
          const int place = 8 * g + 2 * t;
          if (tile.vector_c && place + 2 <= left) {
            *reinterpret_cast<float2*>(to + first + place) = {two[0], two[1]};
          } else {
            if (place < left) to[first + place] = two[0];
            if (place + 1 < left) to[first + place + 1] = two[1];
          }
        }
      }
    }
    __syncwarp();  // another lane may have written what is made again
  } else {
    QuadSums sums;  // only here in memory
#pragma unroll
    for (int s = 0; s < kQuadSums; ++s) sums.x[s] = x[s];
    finish_singly<Config>(tile, scaling, at, sums, again);
  }
  if (again != 0) make_again<Config>(tile, scaling, at, again);
}

// A whole warp: 8 lines by 8 kEights places of sums, x[2 g + e] is line lane / 4, place 8 g + 2 (lane % 4) + e; `at` is where
// this lane's x[0] goes.
template <class Config, int kEights>
__device__ void finish_lines(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                             const Scaling<float>& scaling, const QuadPlace& at, const float (&x)[2 * kEights],
                             bool active) {
  using Out = typename Config::Out;
  const int t = static_cast<int>(threadIdx.x) % 4;
  const std::int64_t first = at.place - 2 * t, places = places_of<Config>(tile);
  float zero = 0;  // NaN where a sum is not finite
#pragma unroll
  for (int s = 0; s < 2 * kEights; ++s) zero = fmaf(x[s], 0.0f, zero);
  if (scaling.beta_is_zero && tile.spmm.is_plain && tile.vector_c &&
      (first + 8 * kEights <= places || places % 8 == 0) && __all_sync(0xffffffffu, zero == 0)) {
    const int left =
        at.line < lines_of<Config>(tile) ? static_cast<int>(min(places - first, std::int64_t{8 * kEights})) : 0;
    Out* const to = place_of_line<Config>(tile, at.batch, at.line, first);
    if constexpr (sizeof(Out) == 2 && kEights % 4 == 0) {
#pragma unroll
      for (int q = 0; q < kEights / 4; ++q) {
        std::uint32_t words[4];
#pragma unroll
        for (int g = 0; g < 4; ++g)
          words[g] = pack_two<Out>(scaling.alpha * x[8 * q + 2 * g], scaling.alpha * x[8 * q + 2 * g + 1]);
        turn_words(words);
        const int place = q * 32 + 8 * t;
        if (place < left) *reinterpret_cast<uint4*>(to + place) = {words[0], words[1], words[2], words[3]};
      }
    } else {
#pragma unroll
      for (int g = 0; g < kEights; ++g) {
        const int place = 8 * g + 2 * t;
        const float two[2] = {scaling.alpha * x[2 * g], scaling.alpha * x[2 * g + 1]};
        if (place >= left) continue;
        if constexpr (sizeof(Out) == 2)
          *reinterpret_cast<std::uint32_t*>(to + place) = pack_two<Out>(two[0], two[1]);
        else
          *reinterpret_cast<float2*>(to + place) = {two[0], two[1]};
      }
    }
    return;
  }
  // By fours of places of 8, as the upper lines of quads.
#pragma unroll 1
  for (int q = 0; q < kEights; q += 4) {
    QuadSums sums{};
    unsigned skipped = 0, again = 0;
#pragma unroll
    for (int s = 0; s < kQuadSums; ++s) {
      const bool there = s / 2 % 2 == 0 && q + s / 4 < kEights;
#pragma unroll
      for (int g = 0; g < kEights; ++g)
        if (there && g == q + s / 4) sums.x[s] = x[2 * g + s % 2];
      if (!there)
        skipped |= 1u << s;
      else if (active && !isfinite(sums.x[s]))
        again |= 1u << s;
    }
    const QuadPlace at_quad{at.batch, at.line, at.place + 8 * q};
    finish_singly<Config>(tile, scaling, at_quad, sums, skipped | again);
    if (again != 0) make_again<Config>(tile, scaling, at_quad, again);
  }
}

// All sums of a warp in registers, finite ones without an epilogue: 16 bytes of C at a time, many of them under way. Lines
// and places of the tile that do not exist are left out; places_left is a multiple of 8, or more than there are.
template <class Config>
__device__ void store_registers(const TileArgs<typename Config::Value, typename Config::Out>& tile, float alpha,
                                const QuadPlace& at, int places_left, const float (&sums)[Config::kN / 2]) {
  using Out = typename Config::Out;
  const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const std::int64_t line = at.line + 8 * h;
    const int left = line < lines_of<Config>(tile) ? places_left : 0;
    Out* const to = place_of_line<Config>(tile, at.batch, line, at.place - 2 * t);
#pragma unroll
    for (int q = 0; q < Config::kN / kQuadPlaces; ++q) {
      const float* x = sums + q * kQuadSums + 2 * h;
      if constexpr (sizeof(Out) == 2) {
        std::uint32_t words[4];
#pragma unroll
        for (int g = 0; g < 4; ++g) words[g] = pack_two<Out>(alpha * x[4 * g], alpha * x[4 * g + 1]);
        turn_words(words);
        const int place = q * kQuadPlaces + 8 * t;
        if (place < left) *reinterpret_cast<uint4*>(to + place) = {words[0], words[1], words[2], words[3]};
      } else {
#pragma unroll
        for (int g = 0; g < 4; ++g) {
          const int place = q * kQuadPlaces + 8 * g + 2 * t;
          if (place < left) *reinterpret_cast<float2*>(to + place) = {alpha * x[4 * g], alpha * x[4 * g + 1]};
        }
      }
    }
  }
}

// The same by way of shared memory, for a C of 16 bits: panels of 64 places, in each of which the warp has 16 lines of 128
// bytes with the 128-byte swizzle, `staged` on.
template <class Config>
__device__ void store_staged(const TileArgs<typename Config::Value, typename Config::Out>& tile, const CUtensorMap* map,
                             float alpha, const QuadPlace& warp, std::uint32_t staged,
                             const float (&sums)[Config::kN / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = lane % 16, half = lane / 16;
#pragma unroll
  for (int i = 0; i < Config::kN / 16; ++i) {
    std::uint32_t pairs[4];
#pragma unroll
    for (int f = 0; f < 4; ++f)
      pairs[f] = pack_two<typename Config::Out>(alpha * sums[8 * i + 2 * f], alpha * sums[8 * i + 2 * f + 1]);
    sm90::store_matrices(staged + i / 4 * Config::kM * 128 + row * 128 + ((i % 4 * 2 + half) ^ row % 8) * 16, pairs);
  }
  sm90::proxy_fence();
  __syncwarp();
  if (lane == 0 && warp.line < lines_of<Config>(tile))
    for (int i = 0; i < Config::kN / 64 && warp.place + i * 64 < places_of<Config>(tile); ++i)
      sm90::tensor_store(map, staged + i * Config::kM * 128, static_cast<int>(warp.place) + i * 64,
                         static_cast<int>(warp.line), static_cast<int>(warp.batch));
  if (lane == 0) sm90::tensor_stores_wait();
}

// All sums of a warp in registers. map_c: NULL, or what stores C by way of shared memory, which this warp has at `staged`.
template <class Config>
__device__ void finish_registers(const TileArgs<typename Config::Value, typename Config::Out>& tile,
                                 const Scaling<float>& scaling, QuadPlace at, float (&sums)[Config::kN / 2],
                                 bool active, const CUtensorMap* map_c, std::uint32_t staged) {
  const std::int64_t left = places_of<Config>(tile) - (at.place - 2 * (static_cast<int>(threadIdx.x) % 4));
  float zero[4] = {};  // NaN where a sum is not finite
#pragma unroll
  for (int s = 0; s < Config::kN / 2; ++s) zero[s % 4] = fmaf(sums[s], 0.0f, zero[s % 4]);
  const bool finite = zero[0] + zero[1] + zero[2] + zero[3] == 0;
  const bool plain = scaling.beta_is_zero && tile.spmm.is_plain && tile.vector_c && __all_sync(0xffffffffu, finite);
  if constexpr (sizeof(typename Config::Out) == 2)
    if (plain && map_c != nullptr) {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      store_staged<Config>(tile, map_c, scaling.alpha, {at.batch, at.line - lane / 4, at.place - lane % 4 * 2}, staged,
                           sums);
      return;
    }
  if (plain && (left >= Config::kN || left % 8 == 0)) {
    store_registers<Config>(tile, scaling.alpha, at, static_cast<int>(min(left, std::int64_t{Config::kN})), sums);
    return;
  }
  // A loop, for which the sums move on: so the code is there once.
#pragma unroll 1
  for (int done = 0; done < Config::kN; done += kQuadPlaces) {
    float x[kQuadSums];
#pragma unroll
    for (int s = 0; s < kQuadSums; ++s) x[s] = sums[s];
    finish_quad<Config>(tile, scaling, at, x, active);
    at.place += kQuadPlaces;
#pragma unroll
    for (int s = 0; s < Config::kN / 2 - kQuadSums; ++s) sums[s] = sums[s + kQuadSums];
  }
}

}  // namespace spk::cuda
