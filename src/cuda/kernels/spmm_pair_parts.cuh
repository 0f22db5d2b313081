// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/spmm_pair_panel.hpp"

// What the kernels of spmm_pair_panel.cuh share.
namespace spk::cuda {

// What every block reads, side by side: a line of the arguments that is read for the first time costs as much as a read of
// memory, and there are six lines of the others.
template <class Out>
struct PairHot {
  const void* offsets;
  const int* indices;
  const float* values;
  const float* b;
  Out* c;
  std::int64_t b_row_stride, c_row_stride, n;
  ScalarArgument<float> alpha, beta;
  int m, k, batches, base;
  int row_blocks;    // blocks that share a panel's columns
  int chunks;        // of k
  int chunk_rows;    // rows of op(B) in a chunk
  int offset_bytes;  // from offset to offset
  bool packed_b;     // rows of op(B) may be read 16 bytes at a time
  bool packed_c;     // columns of C may be written four at a time
  bool is_plain;     // no epilogue
  bool skips_product;
};

// The offsets around a row, as they are loaded: to work on them would be to wait for them. They fit in 32 bits, with the
// lower half of a longer one in front.
struct PairOffsets {
  int first, last;
  __device__ int begin(int base) const { return first - base; }
  __device__ int count() const { return last - first; }
};
__device__ inline PairOffsets pair_offsets(const void* offsets, int offset_bytes, int row) {
  const char* at = static_cast<const char*>(offsets) + std::int64_t{row} * offset_bytes;
  return {*reinterpret_cast<const int*>(at), *reinterpret_cast<const int*>(at + offset_bytes)};
}

// Copies 16 bytes to shared memory; they are there after wait_for_copies() and a barrier.
__device__ inline void copy_pack(char* to, const float* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
#else
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
#endif
}
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// 16 bytes of shared memory where `wanted`, else zeros. Not an if: the compiler would make blocks of these, and wait for
// each by itself.
__device__ inline float4 load_wanted(std::uint32_t address, bool wanted) {
  float4 x{};
  asm("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n@p ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];\n}"
      : "+f"(x.x), "+f"(x.y), "+f"(x.z), "+f"(x.w)
      : "r"(address), "r"(static_cast<std::uint32_t>(wanted)));
  return x;
}

// What the kernels below share. kLanes lanes have a row of C, four columns each; a warp has 32 / kLanes rows, a set.
template <int kLanes>
struct PairPanel {
  static constexpr int kColumns = kLanes * 4, kPitch = kColumns * 4;
  static constexpr int kRows = 32 / kLanes, kEach = kPairEntries / kLanes;

  // Fills a panel from `rows` rows of op(B), contiguous in memory; columns from `count` on are zeros.
  static __device__ void fill(char* panel, const float* b, std::int64_t row_stride, int rows, int count, bool packed) {
    const int pack = static_cast<int>(threadIdx.x) % kLanes, first = static_cast<int>(threadIdx.x) / kLanes;
    const int left = count - pack * 4;
    if (packed && left >= 4) {
#pragma unroll 8
      for (int r = first; r < rows; r += kPairThreads / kLanes)
        copy_pack(panel + r * kPitch + pack * 16, b + r * row_stride + pack * 4);
      return;
    }
#pragma unroll 2
    for (int r = first; r < rows; r += kPairThreads / kLanes) {
      float x[4] = {};
#pragma unroll
      for (int c = 0; c < 4; ++c)
        if (c < left) x[c] = b[r * row_stride + pack * 4 + c];
      *reinterpret_cast<float4*>(panel + r * kPitch + pack * 16) = float4{x[0], x[1], x[2], x[3]};
    }
  }

  // The next kPairEntries entries of a row, of which a lane has every kLanes-th.
  struct Part {
    int column[kEach];
    float value[kEach];
    // Of `count` entries (negative: none), those from the lane's first on lie at `columns` and `values`.
    __device__ void fetch(const int* columns, const float* values, int count, int lane) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        column[j] = -1;
        value[j] = 0;
        if (lane + j * kLanes < count) {
          column[j] = columns[j * kLanes];
          value[j] = values[j * kLanes];
        }
      }
    }
    // How many come before the first whose column is not among `rows` from `first` on.
    __device__ int leading(int first, int rows, int group) const {
      constexpr unsigned kAll = (1u << kLanes) - 1;
      int found = 0;
      bool open = true;
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const bool inside = static_cast<unsigned>(column[j] - first) < static_cast<unsigned>(rows);
        const unsigned others = ~(__ballot_sync(0xffffffffu, inside) >> (group * kLanes)) & kAll;
        if (open) found += others == 0 ? kLanes : __ffs(static_cast<int>(others)) - 1;
        open = open && others == 0;
      }
      return found;
    }
    // The first `count` as pairs of (byte in the panel, value); those behind have the value 0.
    __device__ void write(char* stage, int first, int count, int lane) const {
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const int i = lane + j * kLanes;
        *reinterpret_cast<int2*>(stage + i * 8) =
            int2{(column[j] - first) * kPitch, i < count ? __float_as_int(value[j]) : 0};
      }
    }
  };

  // acc += value * row of the panel for `count` pairs, in order; `panel` is the lane's place in row 0. Eight at a time:
  // a long row is one chain of such steps, and the other rows wait for it.
  static __device__ void add(const char* stage, int count, std::uint32_t panel, float (&acc)[4]) {
    int i = 0;
#pragma unroll 1
    for (; i + kRun < count; i += 2 * kRun) add_some<2 * kRun>(stage + i * 8, count - i, panel, acc);
    if (i < count) add_some<kRun>(stage + i * 8, count - i, panel, acc);
  }
  template <int kSome>
  static __device__ __forceinline__ void add_some(const char* stage, int count, std::uint32_t panel, float (&acc)[4]) {
    int place[kSome], a[kSome];
#pragma unroll
    for (int e = 0; e < kSome; e += 2) {
      const int4 two = *reinterpret_cast<const int4*>(stage + e * 8);
      place[e] = two.x, a[e] = two.y, place[e + 1] = two.z, a[e + 1] = two.w;
    }
    float4 x[kSome];
#pragma unroll
    for (int e = 0; e < kSome; ++e) x[e] = load_wanted(panel + place[e], e < count);
#pragma unroll
    for (int e = 0; e < kSome; ++e) {
      acc[0] = fmaf(__int_as_float(a[e]), x[e].x, acc[0]);
      acc[1] = fmaf(__int_as_float(a[e]), x[e].y, acc[1]);
      acc[2] = fmaf(__int_as_float(a[e]), x[e].z, acc[2]);
      acc[3] = fmaf(__int_as_float(a[e]), x[e].w, acc[3]);
    }
  }
};

// Columns j ... of row i, of which there are `count`; none if that is negative.
template <class Out>
__device__ __forceinline__ void store_pair_sums(const PairHot<Out>& hot, const SpmmArgs<float, Out>& args,
                                                const Scaling<float>& scaling, std::int64_t batch, int i,
                                                std::int64_t j, int count, const float (&sums)[4]) {
  const bool plain = hot.is_plain && scaling.beta_is_zero && !scaling.alpha_is_zero && !hot.skips_product;
  if (plain && hot.packed_c && count >= 4 && batch == 0) {
    Pack<Out, 4> out;
#pragma unroll
    for (int c = 0; c < 4; ++c) out.at[c] = FromSum<Out>::of(scaling.alpha * sums[c]);
    *reinterpret_cast<Pack<Out, 4>*>(hot.c + i * hot.c_row_stride + j) = out;
    return;
  }
  store_columns<4>(args, scaling, place_in_c(args, batch, i, j), batch, i, j, min(4, count), hot.packed_c, sums);
}

// What every thread knows of its block, and its place in it.
template <class Out, int kLanes>
struct PairBlock {
  using Panel = PairPanel<kLanes>;
  static constexpr int kRows = Panel::kRows;
  Scaling<float> scaling;
  bool skip;
  int warp, group, lane;  // a group of kLanes lanes has a row of a set
  int row_block, count;   // columns of C from j0 on
  std::int64_t j0;
  std::uint32_t lane_panel;  // the lane's place in row 0 of the panel
  char* behind;              // the panel
  char* stage;               // the group's

  __device__ PairBlock(const PairHot<Out>& hot, char* panel)
      : scaling{hot.alpha.get(), hot.beta.get(), false, false},
        warp(static_cast<int>(threadIdx.x) / 32),
        group(static_cast<int>(threadIdx.x) % 32 / kLanes),
        lane(static_cast<int>(threadIdx.x) % kLanes),
        row_block(static_cast<int>(blockIdx.x) % hot.row_blocks),
        j0(std::int64_t{static_cast<int>(blockIdx.x) / hot.row_blocks} * Panel::kColumns),
        lane_panel(static_cast<std::uint32_t>(__cvta_generic_to_shared(panel)) + lane * 16),
        behind(panel + hot.chunk_rows * Panel::kPitch),
        stage(behind + (warp * kRows + group) * kPairStage) {
    scaling.alpha_is_zero = scaling.alpha == 0, scaling.beta_is_zero = scaling.beta == 0;
    skip = hot.skips_product || scaling.alpha_is_zero;
    count = static_cast<int>(min(static_cast<std::int64_t>(Panel::kColumns), hot.n - j0));
  }
};

// The operands of a matrix of the batch; b from the block's first column on.
template <class Out>
struct PairMatrix {
  const char* offsets;
  const int* indices;
  const float *values, *b;

  __device__ PairMatrix(const PairHot<Out>& hot, const SpmmArgs<float, Out>& args, std::int64_t batch, std::int64_t j0)
      : offsets(static_cast<const char*>(hot.offsets)), indices(hot.indices), values(hot.values), b(hot.b + j0) {
    // Not "if (batch == 0) return": nvcc 13.0 then leaves the offsets of matrix 0 in spmm_pair_panel.
    if (batch > 0) {
      indices += batch * args.indices_stride;
      values += batch * args.values_stride;
      b += batch * args.b.batch_stride;
      offsets += batch * args.offsets_stride * hot.offset_bytes;
    }
  }
  __device__ PairOffsets offsets_of(const PairHot<Out>& hot, int row, bool skip) const {
    return row < hot.m && !skip ? pair_offsets(offsets, hot.offset_bytes, row) : PairOffsets{hot.base, hot.base};
  }
};

}  // namespace spk::cuda
