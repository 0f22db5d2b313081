// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/spmm_pair_panel.hpp"

// SpMM with the rows of a few columns of op(B) in shared memory, and beside them the entries that are next, as pairs.
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

// Mapping: a block of kPairThreads threads owns 4 * kLanes columns of C and every row_blocks-th set of 32 / kLanes rows; a
// warp takes a set, kLanes lanes a row of it and a lane four columns. The next 32 entries of a row are asked for while the
// ones before them are used; then they go to the row's place in shared memory as pairs, which its lanes read together.
// Columns of a row may be in any order, and repeat; only stored entries meet B.
// Shared memory: 16 * kLanes bytes per row of op(B), and kPairStage bytes for every row of a set. blockIdx.x runs over
// panels times row blocks, y over the batch.
// Bounds: reading the panel, 128 bytes per clock, and an eighth to a quarter more for the pairs.
// Source: the idea of staging dense operands and entries as in Sputnik (SC 2020, section 5), here for a panel as high as k.
template <class Out, int kLanes>
__global__ void __launch_bounds__(kPairThreads, 1)
    spmm_pair_panel(const __grid_constant__ PairHot<Out> hot, const __grid_constant__ SpmmArgs<float, Out> args) {
  using Panel = PairPanel<kLanes>;
  constexpr int kRows = Panel::kRows;
  extern __shared__ __align__(16) char panel[];
  Scaling<float> scaling{hot.alpha.get(), hot.beta.get(), false, false};
  scaling.alpha_is_zero = scaling.alpha == 0, scaling.beta_is_zero = scaling.beta == 0;
  const bool skip = hot.skips_product || scaling.alpha_is_zero;
  const int warp = static_cast<int>(threadIdx.x) / 32, group = static_cast<int>(threadIdx.x) % 32 / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int row_block = static_cast<int>(blockIdx.x) % hot.row_blocks;
  const std::int64_t j0 = std::int64_t{static_cast<int>(blockIdx.x) / hot.row_blocks} * Panel::kColumns;
  const int count = static_cast<int>(min(static_cast<std::int64_t>(Panel::kColumns), hot.n - j0));
  const int m = hot.m;
  char* const stage = panel + hot.chunk_rows * Panel::kPitch + (warp * kRows + group) * kPairStage;
  const auto lane_panel = static_cast<std::uint32_t>(__cvta_generic_to_shared(panel)) + lane * 16;
  const int step = hot.row_blocks * kPairWarps * kRows;

  for (std::int64_t batch = blockIdx.y; batch < hot.batches; batch += gridDim.y) {
    const int* indices = hot.indices + lane;
    const float *values = hot.values + lane, *b = hot.b + j0;
    const void* offsets = hot.offsets;
    if (batch > 0) {
      indices += batch * args.indices_stride;
      values += batch * args.values_stride;
      b += batch * args.b.batch_stride;
      offsets = static_cast<const char*>(offsets) + batch * args.offsets_stride * hot.offset_bytes;
    }
    const auto offsets_of = [&](int row) {
      return row < m && !skip ? pair_offsets(offsets, hot.offset_bytes, row) : PairOffsets{hot.base, hot.base};
    };
    __syncthreads();  // nobody uses the panel of the batch before
    if (!skip) Panel::fill(panel, b, hot.b_row_stride, hot.k, count, hot.packed_b);
    int row = (row_block + hot.row_blocks * warp) * kRows + group;
    const PairOffsets now = offsets_of(row);
    PairOffsets next = offsets_of(row + step);
    int begin = now.begin(hot.base), left = now.count();
    typename Panel::Part part;
    part.fetch(indices + begin, values + begin, left, lane);
    wait_for_copies();
    __syncthreads();

    float acc[4] = {};
    while (row - group < m) {
      const int pairs = min(kPairEntries, left);
      part.write(stage, hot.base, pairs, lane);
      __syncwarp();
      const bool goes_on = __any_sync(0xffffffffu, left > kPairEntries) != 0;
      PairOffsets then{};
      begin += kPairEntries, left -= kPairEntries;
      if (!goes_on) {
        begin = next.begin(hot.base), left = next.count();
        then = offsets_of(row + 2 * step);
      }
      part.fetch(indices + begin, values + begin, left, lane);
      Panel::add(stage, pairs, lane_panel, acc);
      __syncwarp();
      if (goes_on) continue;
      if (row < m) store_pair_sums(hot, args, scaling, batch, row, j0 + lane * 4, count - lane * 4, acc);
      acc[0] = acc[1] = acc[2] = acc[3] = 0;
      row += step, next = then;
    }
  }
}

// The same where all of k does not fit: it passes in chunks. Of a row those entries are taken that are next and lie in the
// chunk; its sums and its next entry wait in shared memory. That takes all entries of a row in order of its columns. Where
// columns are out of order, what is left meets B in its place. Sums are made in the order of the entries either way.
// Chunks as large as they can be: with half of that, but one under way while another is used, it takes longer.
// Shared memory: 16 * kLanes bytes per row of a chunk; kPairStage bytes for every row of a set; 8 and 16 * kLanes bytes
// for every row of the block.
template <class Out, int kLanes>
__global__ void __launch_bounds__(kPairThreads, 1)
    spmm_pair_chunks(const __grid_constant__ PairHot<Out> hot, const __grid_constant__ SpmmArgs<float, Out> args) {
  using Panel = PairPanel<kLanes>;
  constexpr int kRows = Panel::kRows;
  extern __shared__ __align__(16) char panel[];
  Scaling<float> scaling{hot.alpha.get(), hot.beta.get(), false, false};
  scaling.alpha_is_zero = scaling.alpha == 0, scaling.beta_is_zero = scaling.beta == 0;
  const bool skip = hot.skips_product || scaling.alpha_is_zero;
  const int warp = static_cast<int>(threadIdx.x) / 32, group = static_cast<int>(threadIdx.x) % 32 / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int row_block = static_cast<int>(blockIdx.x) % hot.row_blocks;
  const std::int64_t j0 = std::int64_t{static_cast<int>(blockIdx.x) / hot.row_blocks} * Panel::kColumns;
  const int count = static_cast<int>(min(static_cast<std::int64_t>(Panel::kColumns), hot.n - j0));
  const int m = hot.m;
  const int sets = (m + kRows - 1) / kRows, own_sets = (sets - row_block + hot.row_blocks - 1) / hot.row_blocks;
  const auto row_of = [&](int place) { return (row_block + hot.row_blocks * (place / kRows)) * kRows + place % kRows; };
  char* const behind = panel + hot.chunk_rows * Panel::kPitch;
  char* const stage = behind + (warp * kRows + group) * kPairStage;
  float4* const sums = reinterpret_cast<float4*>(behind + kPairWarps * kRows * kPairStage);  // (own rows, kLanes)
  int2* const left = reinterpret_cast<int2*>(sums + own_sets * kRows * kLanes);  // next entry and how many, (own rows)
  const auto lane_panel = static_cast<std::uint32_t>(__cvta_generic_to_shared(panel)) + lane * 16;

  for (std::int64_t batch = blockIdx.y; batch < hot.batches; batch += gridDim.y) {
    const int* indices = hot.indices;
    const float *values = hot.values, *b = hot.b + j0;
    const void* offsets = hot.offsets;
    if (batch > 0) {
      indices += batch * args.indices_stride;
      values += batch * args.values_stride;
      b += batch * args.b.batch_stride;
      offsets = static_cast<const char*>(offsets) + batch * args.offsets_stride * hot.offset_bytes;
    }
    const auto fill = [&](int chunk) {
      const int k0 = chunk * hot.chunk_rows, rows = skip ? 0 : min(hot.chunk_rows, hot.k - k0);
      Panel::fill(panel, b + k0 * hot.b_row_stride, hot.b_row_stride, rows, count, hot.packed_b);
    };
    __syncthreads();  // nobody uses what is there of the batch before
    fill(0);
    for (int i = static_cast<int>(threadIdx.x); i < own_sets * kRows; i += kPairThreads) {
      const int row = row_of(i);
      PairOffsets o{hot.base, hot.base};
      if (row < m && !skip) o = pair_offsets(offsets, hot.offset_bytes, row);
      left[i] = int2{o.begin(hot.base), o.count()};
    }
    __syncthreads();
    typename Panel::Part part;
    int2 next{0, 0};
    const auto fetch = [&](bool wanted) {
      part.fetch(indices + next.x + lane, values + next.x + lane, wanted ? next.y : 0, lane);
    };
    if (warp < own_sets) next = left[warp * kRows + group];
    fetch(true);

    for (int chunk = 0; chunk < hot.chunks; ++chunk) {
      const bool last = chunk + 1 == hot.chunks;
      const int k0 = chunk * hot.chunk_rows, rows = min(hot.chunk_rows, hot.k - k0);
      if (chunk > 0) {
        __syncthreads();  // nobody uses the chunk before
        fill(chunk);
      }
      wait_for_copies();
      __syncthreads();
      for (int set = warp; set < own_sets; set += kPairWarps) {
        const int place = set * kRows + group;
        float acc[4] = {};
        if (chunk > 0) {
          const float4 before = sums[place * kLanes + lane];
          acc[0] = before.x, acc[1] = before.y, acc[2] = before.z, acc[3] = before.w;
        }
        int2 rest;
        bool goes_on, open = true;
        do {
          const int pairs = part.leading(k0 + hot.base, rows, group);
          part.write(stage, k0 + hot.base, pairs, lane);
          next = {next.x + pairs, next.y - pairs};
          open = open && pairs == kPairEntries && next.y > 0;
          goes_on = __any_sync(0xffffffffu, open) != 0;
          rest = next;
          if (goes_on) {
            fetch(open);
          } else {
            if (lane == 0) left[place] = next;
            __syncwarp();
            next = left[(set + kPairWarps < own_sets ? set + kPairWarps : warp) * kRows + group];
            fetch(true);
          }
          __syncwarp();
          Panel::add(stage, pairs, lane_panel, acc);
          __syncwarp();
        } while (goes_on);
        if (!last) {
          sums[place * kLanes + lane] = float4{acc[0], acc[1], acc[2], acc[3]};
          continue;
        }
        const int row = row_of(place), columns = min(4, count - lane * 4);
#pragma unroll 1
        for (int e = 0; e < rest.y; ++e) {
          const float* from = b + (indices[rest.x + e] - hot.base) * hot.b_row_stride + lane * 4;
          const float a = values[rest.x + e];
#pragma unroll
          for (int c = 0; c < 4; ++c)
            if (c < columns) acc[c] = fmaf(a, from[c], acc[c]);
        }
        if (row < m) store_pair_sums(hot, args, scaling, batch, row, j0 + lane * 4, count - lane * 4, acc);
      }
    }
  }
}

template <class Out>
void launch_spmm_pair_panel(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  const PairPanelShape shape = pair_panel_shape(launch.device, p);
  const Operand b = operand(p.b, p.op_b);
  const SpmmArgs<float, Out> args = spmm_args<float, Out>(call);
  PairHot<Out> hot{};
  hot.offsets = args.offsets;
  hot.indices = static_cast<const int*>(args.indices);
  hot.values = args.values;
  hot.b = args.b.values;
  hot.c = args.c.values;
  hot.b_row_stride = args.b.row_stride;
  hot.c_row_stride = args.c.row_stride;
  hot.n = args.n;
  hot.alpha = args.alpha;
  hot.beta = args.beta;
  hot.m = static_cast<int>(args.m);
  hot.k = static_cast<int>(args.k);
  hot.batches = static_cast<int>(args.batches);
  hot.base = args.base;
  hot.row_blocks = static_cast<int>(shape.row_blocks);
  hot.chunks = static_cast<int>(shape.chunks);
  hot.chunk_rows = static_cast<int>(shape.chunk_rows);
  hot.offset_bytes = static_cast<int>(size_of(call.rows.offset_type));
  hot.packed_b = is_aligned(b.values, 16) && b.row_stride % 4 == 0 && p.b.batch_stride % 4 == 0;
  hot.packed_c = packs_columns<Out>(p.c, 4);
  hot.is_plain = args.is_plain;
  hot.skips_product = args.skips_product;
  auto* kernel = &spmm_pair_panel<Out, 8>;
  if (shape.chunks > 1)
    kernel = shape.lanes == 8 ? &spmm_pair_chunks<Out, 8> : &spmm_pair_chunks<Out, 16>;
  else if (shape.lanes == 16)
    kernel = &spmm_pair_panel<Out, 16>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, shape.bytes);
  const dim3 blocks(static_cast<unsigned>(shape.panels * shape.row_blocks),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  kernel<<<blocks, kPairThreads, shape.bytes, launch.stream>>>(hot, args);
  SPK_CUDA_CHECK(cudaGetLastError());
}

}  // namespace spk::cuda
