// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/kernels/spmm_nnz_split.cuh"
#include "cuda/spmm_rows_shape.hpp"

// Row-split SpMM for CSR rows of op(A) and rows of op(B) that are contiguous in memory.
namespace spk::cuda {

// A row of op(B), contiguous in memory, as a lane of kLanes sees it: kPacks packs of kVec of its columns. kWhole: there are
// columns for whole packs only.
template <class Value, class Index, int kLanes, int kVec, int kPacks, bool kWhole = false>
struct RowFetch {
  static constexpr int kTogether = kVec * kPacks;
  static constexpr bool kSkips = false;
  const char* b;  // the lane's columns of the row that column 0 of the index array means
  int row_bytes, count;
  bool conjugate;
  __device__ Sum<Value> element(Value x) const { return conjugate_if(conjugate, to_sum(x)); }
  __device__ bool wants(Index) const { return true; }
  __device__ Held<Value, kTogether> operator()(Index column) const {
    const auto* at = place_of<Value>(b, static_cast<int>(column), row_bytes);
    Held<Value, kTogether> together{};
#pragma unroll
    for (int q = 0; q < kPacks; ++q) {
      const int before = q * kLanes * kVec;
      if ((kWhole && q == 0) || before + kVec <= count) {  // nobody without columns gets here
        together.template load<kVec>(q * kVec, at + before);
      } else if constexpr (!kWhole) {
#pragma unroll
        for (int c = 0; c + 1 < kVec; ++c)
          if (before + c < count) together.put(q * kVec + c, at[before + c]);
      }
    }
    return together;
  }
};

// Adds kCount sums over the lanes that agree in lane % kLanes, and shares them out: a lane is left with the kLeft sums from
// the returned one on, in sums[0 ...]. Of lanes with the same, the first_lane() is the least.
template <int kCount, int kLanes, class S>
struct SharedSums {
  static constexpr int kGroups = 32 / kLanes;
  static constexpr int kLeft = kCount > kGroups ? kCount / kGroups : 1;
  static __device__ int reduce(S (&sums)[kCount], int lane) {
    int first = 0;
    reduce_by<kCount, 16>(sums, lane, first);
    return first;
  }
  // Whether lanes with lower numbers have the same.
  static __device__ bool repeats(int lane) {
    int same = 0;
    for (int mask = 16 / kCount; mask >= kLanes; mask /= 2) same |= mask;
    return (lane & same) != 0;
  }

 private:
  template <int kNow, int kMask>
  static __device__ void reduce_by(S (&sums)[kCount], int lane, int& first) {
    if constexpr (kMask >= kLanes) {
      if constexpr (kNow > 1) {
        constexpr int kHalf = kNow / 2;
        const bool upper = (lane & kMask) != 0;
#pragma unroll
        for (int c = 0; c < kHalf; ++c) {
          const S given = upper ? sums[c] : sums[c + kHalf], kept = upper ? sums[c + kHalf] : sums[c];
          sums[c] = add(kept, shuffle_xor(given, kMask));
        }
        first += upper ? kHalf : 0;
        reduce_by<kHalf, kMask / 2>(sums, lane, first);
      } else {
        sums[0] = add(sums[0], shuffle_xor(sums[0], kMask));
        reduce_by<1, kMask / 2>(sums, lane, first);
      }
    }
  }
};

// For the rows of more than `cut` entries, which the kernel behind leaves over.
inline void launch_long_rows(const SpmmCall& call, const Launch& launch, SpmmKernel* kernel, std::int64_t cut) {
  SpmmCall in_front = call;
  in_front.cut = cut;
  kernel(in_front, launch);
}

// How one launch is cut; the same for every matrix of a batch.
struct RowsGrid {
  int warps_log2;  // warps that share a row: 1, 2, 4 or 8
  int long_row;    // entries beyond which the whole block shares a row
  int cut_row;     // entries beyond which a row is left over
  bool beside;     // to a launch in front, which has waited for what is in front of that
  bool packed_c;   // columns of C may be written as many at a time as a lane has at the end
  IndexType offset_type;
};

// Mapping: a group of kLanes lanes covers kLanes * kVec * kPacks neighbouring columns of C, each lane kPacks packs of kVec
// of them; kWhole: n is a multiple of kVec. The other groups of the warp, and of the warps_per_row warps that share a row,
// take other entries of the same row; their sums meet through shuffles, which leave each lane with as many columns, and
// then, warp by warp in order, through shared memory (kRowsWarps * kLanes * kVec * kPacks sums). Rows longer than
// grid.cut_row are left to a launch in front (spmm_nnz_split.cuh). Long rows wait until the other rows of the block are
// done; then all its warps share each of them. blockIdx.x runs over rows, so that blocks of one time read the same
// columns of B; y over tiles of columns, z over the batch. Source: GPU row splitting as in GE-SpMM (SC 2020), section 4,
// with the row's entries split once more.
template <class Value, class Out, class Index, int kLanes, int kVec, int kPacks, bool kWhole>
__global__ void __launch_bounds__(kRowsWarps * 32, 2)
    spmm_rows(const __grid_constant__ SpmmArgs<Value, Out> args, const RowsGrid grid) {
  using S = Sum<Value>;
  constexpr int kGroups = 32 / kLanes, kTogether = kVec * kPacks, kTile = kLanes * kTogether;
  __shared__ S partial[kRowsWarps * kTile];
  __shared__ RowRange ranges[kRowsWarps];  // of the block's long rows, others are empty
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warps_per_row = 1 << grid.warps_log2;
  const int share = warp & (warps_per_row - 1);  // which part of the row this warp takes
  const int rows_per_block = kRowsWarps >> grid.warps_log2;
  const int first_column = lane % kLanes * kVec;
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;

  // Adds what `warps` warps have of a row, from warp `first` on, and stores it.
  const auto finish_row = [&](S(&acc)[kTogether], std::int64_t batch, std::int64_t row, std::int64_t j, int count,
                              int first, int warps) {
    using Shared = SharedSums<kTogether, kLanes, S>;
    constexpr int kLeft = Shared::kLeft, kStored = kLeft < kVec ? kLeft : kVec;
    const int from = Shared::reduce(acc, lane);
    const bool repeats = Shared::repeats(lane);
    if (warps > 1) {
      __syncthreads();
      if (!repeats)
#pragma unroll
        for (int c = 0; c < kLeft; ++c) partial[warp * kTile + (from + c) * kLanes + lane % kLanes] = acc[c];
      __syncthreads();
      if (warp == first && !repeats)
        for (int other = 1; other < warps; ++other)
#pragma unroll
          for (int c = 0; c < kLeft; ++c)
            acc[c] = add(acc[c], partial[(warp + other) * kTile + (from + c) * kLanes + lane % kLanes]);
    }
    if (row >= args.m || warp != first || repeats) return;
#pragma unroll
    for (int q = 0; q < kLeft / kStored; ++q) {
      const int at = from + q * kStored, before = at / kVec * kLanes * kVec + at % kVec;
      S sums[kStored];
#pragma unroll
      for (int c = 0; c < kStored; ++c) sums[c] = acc[q * kStored + c];
      store_columns<kStored>(args, scaling, place_in_c(args, batch, row, j + before), batch, row, j + before,
                             min(kStored, count - before), grid.packed_c, sums);
    }
  };

  for (std::int64_t batch = blockIdx.z; batch < args.batches; batch += gridDim.z) {
    const auto* indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* values = args.values + batch * args.values_stride;
    const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * rows_per_block;
    std::int64_t row = first_row + (warp >> grid.warps_log2);
    RowRange range{0, 0};
    if (row < args.m && !skip)
      range = row_range(args.offsets, grid.offset_type, args.base, batch * args.offsets_stride + row);
    if (range.count > grid.cut_row) {
      row = args.m;
      range.count = 0;
    }
    // A row that would keep its warps for long is left to the whole block.
    const bool is_long = range.count > grid.long_row;
    __syncthreads();
    if (share == 0 && lane == 0) ranges[warp >> grid.warps_log2] = is_long ? range : RowRange{0, 0};
    const bool any_long = __syncthreads_or(is_long) != 0;
    if (!grid.beside) wait_for_kernel_in_front();
    for (std::int64_t tile = blockIdx.y; tile * kTile < args.n; tile += gridDim.y) {
      const std::int64_t j = tile * kTile + first_column;
      const int count =
          static_cast<int>(min(static_cast<std::int64_t>(kTile), args.n - j));  // from the lane's first on
      const int row_bytes = static_cast<int>(args.b.row_stride * sizeof(Value));
      const Value* b = args.b.values + batch * args.b.batch_stride + j;
      const RowFetch<Value, Index, kLanes, kVec, kPacks, kWhole> fetch{
          reinterpret_cast<const char*>(b) - static_cast<std::int64_t>(args.base) * row_bytes, row_bytes, count,
          args.conjugate_b};
      // First the warps' own rows, then the long ones by all of them.
#pragma unroll 1
      for (int r = -1; r < (any_long ? rows_per_block : 0); ++r) {
        const bool own = r < 0;
        const RowRange part = own ? (is_long ? RowRange{0, 0} : range) : ranges[r];
        if (!own && part.count == 0) continue;
        const int warps = own ? warps_per_row : kRowsWarps, number = own ? share : warp;
        S acc[kTogether] = {};
        if (part.count > 0 && count > 0)
          add_entries<kTogether, (kVec > 1)>(values, indices, part, args.entries, number * kGroups + lane / kLanes,
                                             warps * kGroups, args.conjugate_a, fetch, acc);
        finish_row(acc, batch, !own ? first_row + r : is_long ? args.m : row, j, count, warp - number, warps);
      }
    }
  }
  end_beside_long_rows(grid.beside);
}

template <class Value, class Out, class Index, int kLanes, int kVec, int kPacks = 1, bool kWhole = true>
void launch_spmm_rows(const SpmmCall& call, const Launch& launch, const RowsShape& shape) {
  const SpmmProblem& p = call.p;
  RowsGrid grid{};
  grid.warps_log2 = shape.warps_log2;
  // Rows of more than 16 runs per group and four times the mean would keep their warps when the others are done.
  const std::int64_t long_row = std::max<std::int64_t>(16 * kRun * shape.groups(), 4 * (call.rows.nnz / p.m));
  grid.long_row =
      1 << grid.warps_log2 == kRowsWarps ? INT32_MAX : static_cast<int>(std::min<std::int64_t>(long_row, INT32_MAX));
  constexpr int kLeft = SharedSums<kVec * kPacks, kLanes, Sum<Value>>::kLeft;
  grid.packed_c = packs_columns<Out>(p.c, std::min(kLeft, kVec));
  grid.offset_type = call.rows.offset_type;
  const int rows_per_block = kRowsWarps >> grid.warps_log2;
  const dim3 blocks(static_cast<unsigned>((p.m + rows_per_block - 1) / rows_per_block),
                    static_cast<unsigned>(std::min<std::int64_t>(shape.tiles, 65535)),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  const std::int64_t cut = cut_of_rows(p);
  grid.cut_row = cut > 0 ? static_cast<int>(cut) : INT32_MAX;
  grid.beside = cut > 0;
  if (cut > 0) launch_long_rows(call, launch, spmm_nnz_rows(p.a.value_type), cut);
  const auto kernel = &spmm_rows<Value, Out, Index, kLanes, kVec, kPacks, kWhole>;
  launch_kernel(kernel, {blocks, kRowsWarps * 32, 0, launch.device.overlaps_launches && (cut > 0 || call.behind_b)},
                launch.stream, spmm_args<Value, Out>(call), grid);
}

// Takes the widest vectors that n, the pointers and the leading dimension allow; single columns where they allow none,
// with single entries.
template <class Value, class Out, class Index>
void spmm_rows_by_width(const SpmmCall& call, const Launch& launch) {
  constexpr int kFull = 16 / sizeof(Value);
  const SpmmProblem& p = call.p;
  const Operand b = operand(p.b, p.op_b);
  const bool vectors =
      is_aligned(b.values, 16) && b.row_stride % kFull == 0 && p.b.batch_stride % kFull == 0 && reads_runs(call.rows);
  const RowsShape shape = rows_shape(launch.device, p, vectors);
  if constexpr (kFull > 1) {
    if (!shape.whole)
      return shape.lanes == 2 ? launch_spmm_rows<Value, Out, Index, 2, kFull, 1, false>(call, launch, shape)
                              : launch_spmm_rows<Value, Out, Index, 8, kFull, 1, false>(call, launch, shape);
    if (shape.vec == kFull) {
      if constexpr (sizeof(Value) == 2)
        if (shape.lanes == 1) return launch_spmm_rows<Value, Out, Index, 1, kFull>(call, launch, shape);
      if constexpr (sizeof(Value) <= 4) {
        if (shape.lanes == 4 && shape.packs == 1)
          return launch_spmm_rows<Value, Out, Index, 4, kFull>(call, launch, shape);
        if (shape.lanes == 4) return launch_spmm_rows<Value, Out, Index, 4, kFull, 2>(call, launch, shape);
        if (shape.lanes == 16) return launch_spmm_rows<Value, Out, Index, 16, kFull, 2>(call, launch, shape);
      }
      if (shape.lanes == 2) return launch_spmm_rows<Value, Out, Index, 2, kFull>(call, launch, shape);
      if (shape.lanes == 32) return launch_spmm_rows<Value, Out, Index, 32, kFull, 2>(call, launch, shape);
      if (shape.packs == 2) return launch_spmm_rows<Value, Out, Index, 8, kFull, 2>(call, launch, shape);
      return launch_spmm_rows<Value, Out, Index, 8, kFull>(call, launch, shape);
    }
  }
  if (shape.lanes == 8) return launch_spmm_rows<Value, Out, Index, 8, 1>(call, launch, shape);
  launch_spmm_rows<Value, Out, Index, 32, 1>(call, launch, shape);
}

template <class Value, class Out = Value>
void spmm_rows_by_index(const SpmmCall& call, const Launch& launch) {
  if (call.rows.index_type == IndexType::i64) return spmm_rows_by_width<Value, Out, std::int64_t>(call, launch);
  spmm_rows_by_width<Value, Out, std::int32_t>(call, launch);
}

}  // namespace spk::cuda
