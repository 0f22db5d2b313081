// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_pair_parts.cuh"

// SpMM with the rows of a few columns of op(B) in shared memory, and beside them the entries that are next, as pairs.
namespace spk::cuda {

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
  const PairBlock<Out, kLanes> at(hot, panel);
  const int m = hot.m, group = at.group, lane = at.lane, count = at.count;
  const int step = hot.row_blocks * kPairWarps * kRows;

  for (std::int64_t batch = blockIdx.y; batch < hot.batches; batch += gridDim.y) {
    const PairMatrix<Out> matrix(hot, args, batch, at.j0);
    const int* const indices = matrix.indices + lane;
    const float* const values = matrix.values + lane;
    __syncthreads();  // nobody uses the panel of the batch before
    if (!at.skip) Panel::fill(panel, matrix.b, hot.b_row_stride, hot.k, count, hot.packed_b);
    int row = (at.row_block + hot.row_blocks * at.warp) * kRows + group;
    const PairOffsets now = matrix.offsets_of(hot, row, at.skip);
    PairOffsets next = matrix.offsets_of(hot, row + step, at.skip);
    int begin = now.begin(hot.base), left = now.count();
    typename Panel::Part part;
    part.fetch(indices + begin, values + begin, left, lane);
    wait_for_copies();
    __syncthreads();

    float acc[4] = {};
    while (row - group < m) {
      const int pairs = min(kPairEntries, left);
      part.write(at.stage, hot.base, pairs, lane);
      __syncwarp();
      const bool goes_on = __any_sync(0xffffffffu, left > kPairEntries) != 0;
      PairOffsets then{};
      begin += kPairEntries, left -= kPairEntries;
      if (!goes_on) {
        begin = next.begin(hot.base), left = next.count();
        then = matrix.offsets_of(hot, row + 2 * step, at.skip);
      }
      part.fetch(indices + begin, values + begin, left, lane);
      Panel::add(at.stage, pairs, at.lane_panel, acc);
      __syncwarp();
      if (goes_on) continue;
      if (row < m) store_pair_sums(hot, args, at.scaling, batch, row, at.j0 + lane * 4, count - lane * 4, acc);
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
  const PairBlock<Out, kLanes> at(hot, panel);
  const int m = hot.m, warp = at.warp, group = at.group, lane = at.lane, count = at.count;
  const int sets = (m + kRows - 1) / kRows, own_sets = (sets - at.row_block + hot.row_blocks - 1) / hot.row_blocks;
  const auto row_of = [&](int place) {
    return (at.row_block + hot.row_blocks * (place / kRows)) * kRows + place % kRows;
  };
  float4* const sums = reinterpret_cast<float4*>(at.behind + kPairWarps * kRows * kPairStage);  // (own rows, kLanes)
  int2* const left = reinterpret_cast<int2*>(sums + own_sets * kRows * kLanes);  // next entry and how many, (own rows)

  for (std::int64_t batch = blockIdx.y; batch < hot.batches; batch += gridDim.y) {
    const PairMatrix<Out> matrix(hot, args, batch, at.j0);
    const auto fill = [&](int chunk) {
      const int k0 = chunk * hot.chunk_rows, rows = at.skip ? 0 : min(hot.chunk_rows, hot.k - k0);
      Panel::fill(panel, matrix.b + k0 * hot.b_row_stride, hot.b_row_stride, rows, count, hot.packed_b);
    };
    __syncthreads();  // nobody uses what is there of the batch before
    fill(0);
    for (int i = static_cast<int>(threadIdx.x); i < own_sets * kRows; i += kPairThreads) {
      const PairOffsets o = matrix.offsets_of(hot, row_of(i), at.skip);
      left[i] = int2{o.begin(hot.base), o.count()};
    }
    __syncthreads();
    typename Panel::Part part;
    int2 next{0, 0};
    const auto fetch = [&](bool wanted) {
      part.fetch(matrix.indices + next.x + lane, matrix.values + next.x + lane, wanted ? next.y : 0, lane);
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
          part.write(at.stage, k0 + hot.base, pairs, lane);
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
          Panel::add(at.stage, pairs, at.lane_panel, acc);
          __syncwarp();
        } while (goes_on);
        if (!last) {
          sums[place * kLanes + lane] = float4{acc[0], acc[1], acc[2], acc[3]};
          continue;
        }
        const int row = row_of(place), columns = min(4, count - lane * 4);
#pragma unroll 1
        for (int e = 0; e < rest.y; ++e) {
          const float* from = matrix.b + (matrix.indices[rest.x + e] - hot.base) * hot.b_row_stride + lane * 4;
          const float a = matrix.values[rest.x + e];
#pragma unroll
          for (int c = 0; c < 4; ++c)
            if (c < columns) acc[c] = fmaf(a, from[c], acc[c]);
        }
        if (row < m) store_pair_sums(hot, args, at.scaling, batch, row, at.j0 + lane * 4, count - lane * 4, acc);
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
