// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_nnz_split.cuh"
#include "cuda/kernels/spmm_rows.cuh"

// SpMM split by nonzeros, for rows of op(B) that are contiguous in memory: many short rows, and rows of any length among
// them.
namespace spk::cuda {

constexpr int kNnzThreads = 256;

struct NnzGrid {
  int long_row;   // entries beyond which the whole block shares a row
  bool packed_c;  // columns of C may be written kVec at a time
};

// Mapping: a block has a part of the matrix (spmm_nnz_split.cuh). A group of kLanes lanes covers kLanes * kVec * kPacks
// neighbouring columns of C, each lane kPacks packs of kVec of them, and takes every groups-th row of the block alone.
// Then all groups share each long row and what the part has of cut rows: their sums meet through shuffles and then, warp
// by warp in order, through shared memory (a tile of sums per warp; for the parts of a row a sum per thread). blockIdx.x
// runs over parts, y over tiles of columns, z over the batch.
template <class Value, class Out, class Index, int kLanes, int kVec, int kPacks>
__global__ void __launch_bounds__(kNnzThreads, resident_blocks(2))
    spmm_nnz_rows(const __grid_constant__ SpmmArgs<Value, Out> args, const NnzGrid grid,
                  const SplitParts<Sum<Value>> parts) {
  using S = Sum<Value>;
  begin_split();
  constexpr int kWarps = kNnzThreads / 32, kGroups = 32 / kLanes, kTogether = kVec * kPacks, kTile = kLanes * kTogether;
  __shared__ S partial[kWarps * kTile];
  __shared__ S room[kNnzThreads];
  __shared__ int list[kNnzList], listed;  // rows that all groups share
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32, group = lane / kLanes;
  const int first_column = lane % kLanes * kVec;
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  const auto store_row = [&](const S(&acc)[kTogether], std::int64_t batch, std::int64_t row, std::int64_t j,
                             int count) {
#pragma unroll
    for (int q = 0; q < kPacks; ++q) {
      const int before = q * kLanes * kVec;
      S sums[kVec];
#pragma unroll
      for (int c = 0; c < kVec; ++c) sums[c] = acc[q * kVec + c];
      store_columns<kVec>(args, scaling, place_in_c(args, batch, row, j + before), batch, row, j + before,
                          min(kVec, count - before), grid.packed_c, sums);
    }
  };

  for (std::int64_t batch = blockIdx.z; batch < args.batches; batch += gridDim.z) {
    const auto* indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* values = args.values + batch * args.values_stride;
    const SplitShare share = find_share(args, parts, batch, blockIdx.x, skip);
    if (!has_wanted_rows(args, parts, share, batch, skip)) continue;
    const auto range_of = [&](std::int64_t row) {
      if (row >= share.end || skip) return RowRange{0, 0};
      return row_range(args.offsets, parts.offset_type, args.base, batch * args.offsets_stride + row);
    };
    // Once for all tiles of columns. Where only long rows are wanted, no group has one alone.
    const int shared_rows = skip ? 0 : list_long_rows(args, parts, share, batch, grid.long_row, list, listed);

    for (std::int64_t tile = blockIdx.y; tile * kTile < args.n; tile += gridDim.y) {
      const std::int64_t j = tile * kTile + first_column;
      const int count =
          static_cast<int>(min(static_cast<std::int64_t>(kTile), args.n - j));  // from the lane's first on
      const int row_bytes = static_cast<int>(args.b.row_stride * sizeof(Value));
      const Value* b = args.b.values + batch * args.b.batch_stride + j;
      const RowFetch<Value, Index, kLanes, kVec, kPacks> fetch{
          reinterpret_cast<const char*>(b) - static_cast<std::int64_t>(args.base) * row_bytes, row_bytes, count,
          args.conjugate_b};
      // First the groups' own rows, then, turn by turn, the parts of cut rows and the list.
      std::int64_t first = parts.cut > 0 ? share.end : share.begin + warp * kGroups;
      RowRange next = range_of(first + group);
      int turn = 0;
#pragma unroll 1
      while (true) {
        const bool own = first < share.end;
        RowRange range{0, 0};
        std::int64_t row = first + group;
        if (own) {
          range = next;
          next = range_of(row + kWarps * kGroups);
          if (range.count > grid.long_row) {
            row = share.end;
            range.count = 0;
          }
          first += kWarps * kGroups;
        } else {
          if (turn >= 2 + shared_rows) break;
          if (turn < 2) {
            range = turn == 0 ? share.cut[0] : share.cut[1];
            row = share.end;
          } else {
            row = share.begin + list[turn - 2];
            range = range_of(row);
          }
          ++turn;
          if (range.count == 0) continue;
        }
        S acc[kTogether] = {};
        if (range.count > 0 && count > 0)
          add_entries<kTogether, (kVec > 1)>(values, indices, range, args.entries, own ? 0 : warp * kGroups + group,
                                             own ? 1 : kWarps * kGroups, args.conjugate_a, fetch, acc);
        if (own) {
          if (row < share.end) store_row(acc, batch, row, j, count);
          continue;
        }
#pragma unroll
        for (int mask = kLanes; mask < 32; mask *= 2)
#pragma unroll
          for (int c = 0; c < kTogether; ++c) acc[c] = add(acc[c], shuffle_xor(acc[c], mask));
        __syncthreads();
        if (lane < kLanes)
#pragma unroll
          for (int c = 0; c < kTogether; ++c) partial[warp * kTile + c * kLanes + lane] = acc[c];
        __syncthreads();
        if (warp == 0 && lane < kLanes) {
          for (int other = 1; other < kWarps; ++other)
#pragma unroll
            for (int c = 0; c < kTogether; ++c) acc[c] = add(acc[c], partial[other * kTile + c * kLanes + lane]);
          if (turn <= 2 && parts.cuts) {
            S* sums = parts.sums_of(batch, blockIdx.x, turn - 1, args.n) + j;
#pragma unroll
            for (int c = 0; c < kTogether; ++c) {
              const int at = c / kVec * kLanes * kVec + c % kVec;
              if (at < count) sums[at] = acc[c];
            }
          } else {
            store_row(acc, batch, row, j, count);
          }
        }
      }
    }
    join_cut_rows(args, parts, share, batch, kTile, blockIdx.y, gridDim.y, room);
    __syncthreads();  // the list is used again
  }
}

template <class Value, class Out, class Index, int kLanes, int kVec, int kPacks = 1>
void launch_spmm_nnz_rows(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  constexpr int kTile = kLanes * kVec * kPacks;
  const NnzSplit split = nnz_split_of_rows(launch.device, p, call.cut);
  const auto parts = split_parts<Sum<Value>>(call, split, launch.workspace);
  NnzGrid grid{};
  // No more such rows than the list has room for: whole rows of a block have up to twice its items.
  grid.long_row = static_cast<int>(std::clamp<std::int64_t>(
      split.items * 2 / kNnzList + 1, std::max<std::int64_t>(64, 4 * (p.a.nnz / p.m)), INT32_MAX));
  if (call.cut > 0) grid.long_row = static_cast<int>(call.cut);
  grid.packed_c = packs_columns<Out>(p.c, kVec);
  const std::int64_t tiles = (p.n + kTile - 1) / kTile;
  const dim3 blocks(static_cast<unsigned>(split.parts), static_cast<unsigned>(std::min(tiles, split.across)),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  const auto args = spmm_args<Value, Out>(call);
  const auto kernel = &spmm_nnz_rows<Value, Out, Index, kLanes, kVec, kPacks>;
  launch_kernel(kernel, {blocks, kNnzThreads, 0, launch.device.overlaps_launches && call.behind_b}, launch.stream, args,
                grid, parts);
}

// The widest vectors that n, the pointers and the leading dimension allow; single columns where they allow none.
template <class Value, class Out, class Index>
void spmm_nnz_rows_by_width(const SpmmCall& call, const Launch& launch) {
  constexpr int kFull = 16 / sizeof(Value);
  const SpmmProblem& p = call.p;
  const Operand b = operand(p.b, p.op_b);
  if constexpr (kFull > 1) {
    const bool vectors =
        is_aligned(b.values, 16) && b.row_stride % kFull == 0 && p.b.batch_stride % kFull == 0 && reads_runs(call.rows);
    if (vectors && p.n <= 2 * kFull) return launch_spmm_nnz_rows<Value, Out, Index, 2, kFull>(call, launch);
    if (vectors && p.n <= 8 * kFull) return launch_spmm_nnz_rows<Value, Out, Index, 8, kFull>(call, launch);
    if (vectors && p.n <= 32 * kFull) return launch_spmm_nnz_rows<Value, Out, Index, 8, kFull, 2>(call, launch);
    if (vectors) return launch_spmm_nnz_rows<Value, Out, Index, 32, kFull, 2>(call, launch);
  }
  if (p.n <= 8) return launch_spmm_nnz_rows<Value, Out, Index, 8, 1>(call, launch);
  launch_spmm_nnz_rows<Value, Out, Index, 32, 1>(call, launch);
}

template <class Value, class Out = Value>
void spmm_nnz_rows_by_index(const SpmmCall& call, const Launch& launch) {
  if (call.rows.index_type == IndexType::i64) return spmm_nnz_rows_by_width<Value, Out, std::int64_t>(call, launch);
  spmm_nnz_rows_by_width<Value, Out, std::int32_t>(call, launch);
}

}  // namespace spk::cuda
