// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_rows.cuh"

// SpMM of many short CSR rows of op(A), for rows of op(B) that are contiguous in memory.
namespace spk::cuda {

constexpr int kShortRowsThreads = 256;
constexpr int kShortRowsAlone = 64;  // most entries of a row that one group adds up

// How one launch is cut; the same for every matrix of a batch.
struct ShortRowsGrid {
  int cut_row;    // entries beyond which a row is left over
  bool beside;    // to a launch in front, which has waited for what is in front of that
  bool packed_c;  // columns of C may be written kVec at a time
  IndexType offset_type;
};

// Mapping: a group of kLanes lanes has a row and kLanes * kVec * kPacks neighbouring columns of C, each lane kPacks packs of
// kVec of them; kWhole: n is a multiple of kVec. The entries of a row are added up in their order, but rows of more than
// kShortRowsAlone entries wait until the warp's other rows are done, and have all its groups one after another, which meet
// through shuffles. No shared memory, no barriers. Rows longer than grid.cut_row are left to a launch in front
// (spmm_nnz_split.cuh). blockIdx.x runs over rows, y over tiles of columns, z over the batch.
template <class Value, class Out, class Index, int kLanes, int kVec, int kPacks, bool kWhole>
__global__ void __launch_bounds__(kShortRowsThreads,
                                  resident_blocks(sizeof(Value) <= 4 && kPacks == 1 && kWhole ? 4 : 2))
    spmm_short_rows(const __grid_constant__ SpmmArgs<Value, Out> args, const ShortRowsGrid grid) {
  using S = Sum<Value>;
  constexpr int kTogether = kVec * kPacks, kTile = kLanes * kTogether, kGroups = 32 / kLanes;
  const int thread = static_cast<int>(threadIdx.x), group = thread % 32 / kLanes;
  // The warp's first row; some of its groups may have none.
  const std::int64_t first_row = std::int64_t{blockIdx.x} * (kShortRowsThreads / kLanes) + thread / 32 * kGroups;
  if (first_row >= args.m) return;  // not the first thread
  const bool has_row = first_row + group < args.m;
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  for (std::int64_t batch = blockIdx.z; batch < args.batches; batch += gridDim.z) {
    const auto* indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* values = args.values + batch * args.values_stride;
    RowRange range{0, 0};
    if (has_row && !skip)
      range = row_range(args.offsets, grid.offset_type, args.base, batch * args.offsets_stride + first_row + group);
    const bool left_over = range.count > grid.cut_row;
    const bool waits = kGroups > 1 && !left_over && range.count > kShortRowsAlone;
    if (!grid.beside) wait_for_kernel_in_front();
    const unsigned waiting = kGroups > 1 ? __ballot_sync(0xffffffffu, waits && thread % kLanes == 0) : 0;
    for (std::int64_t tile = blockIdx.y; tile * kTile < args.n; tile += gridDim.y) {
      const std::int64_t j = tile * kTile + thread % kLanes * kVec;
      const int count =
          static_cast<int>(min(static_cast<std::int64_t>(kTile), args.n - j));  // from the lane's first on
      const int row_bytes = static_cast<int>(args.b.row_stride * sizeof(Value));
      const Value* b = args.b.values + batch * args.b.batch_stride + j;
      const RowFetch<Value, Index, kLanes, kVec, kPacks, kWhole> fetch{
          reinterpret_cast<const char*>(b) - static_cast<std::int64_t>(args.base) * row_bytes, row_bytes, count,
          args.conjugate_b};
      // First the groups' own rows, then those that wait.
      unsigned left = waiting;
      int owner = -1;
#pragma unroll 1
      while (true) {
        RowRange part = range;
        if (kGroups > 1 && owner >= 0) {
          part.begin = __shfl_sync(0xffffffffu, range.begin, owner * kLanes);
          part.count = __shfl_sync(0xffffffffu, range.count, owner * kLanes);
        }
        const bool own = owner < 0;
        const bool takes_part = count > 0 && (!own || (has_row && !left_over && !waits));
        S acc[kTogether] = {};
        if (takes_part && part.count > 0)
          add_entries<kTogether, (kVec > 1)>(values, indices, part, args.entries, own ? 0 : group, own ? 1 : kGroups,
                                             args.conjugate_a, fetch, acc);
        if (kGroups > 1 && !own)
#pragma unroll
          for (int mask = kLanes; mask < 32; mask *= 2)
#pragma unroll
            for (int c = 0; c < kTogether; ++c) acc[c] = add(acc[c], shuffle_xor(acc[c], mask));
        if (takes_part && (own || owner == group)) {
          const std::int64_t row = first_row + group;
#pragma unroll
          for (int q = 0; q < kPacks; ++q) {
            const int before = q * kLanes * kVec;
            S sums[kVec];
#pragma unroll
            for (int c = 0; c < kVec; ++c) sums[c] = acc[q * kVec + c];
            store_columns<kVec>(args, scaling, place_in_c(args, batch, row, j + before), batch, row, j + before,
                                min(kVec, count - before), grid.packed_c, sums);
          }
        }
        if (kGroups == 1 || left == 0) break;
        owner = (__ffs(static_cast<int>(left)) - 1) / kLanes;
        left &= left - 1;
      }
    }
  }
  end_beside_long_rows(grid.beside);
}

template <class Value, class Out, class Index, int kLanes, int kVec, int kPacks = 1, bool kWhole = true>
void launch_spmm_short_rows(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  constexpr int kTile = kLanes * kVec * kPacks, kRows = kShortRowsThreads / kLanes;
  const std::int64_t cut = cut_of_short_rows(p);
  ShortRowsGrid grid{};
  grid.cut_row = cut > 0 ? static_cast<int>(cut) : INT32_MAX;
  grid.packed_c = packs_columns<Out>(p.c, kVec);
  grid.offset_type = call.rows.offset_type;
  grid.beside = cut > 0;
  if (cut > 0) launch_long_rows(call, launch, spmm_nnz_rows(p.a.value_type), cut);
  const dim3 blocks(static_cast<unsigned>((p.m + kRows - 1) / kRows),
                    static_cast<unsigned>(std::min<std::int64_t>((p.n + kTile - 1) / kTile, 65535)),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  launch_kernel(&spmm_short_rows<Value, Out, Index, kLanes, kVec, kPacks, kWhole>,
                {blocks, kShortRowsThreads, 0, launch.device.overlaps_launches && (cut > 0 || call.behind_b)},
                launch.stream, spmm_args<Value, Out>(call), grid);
}

// Takes the widest vectors that n, the pointers and the leading dimension allow, and the narrowest group that has all
// columns; single columns where they allow none.
template <class Value, class Out, class Index>
void spmm_short_rows_by_width(const SpmmCall& call, const Launch& launch) {
  constexpr int kFull = 16 / sizeof(Value);
  const SpmmProblem& p = call.p;
  if constexpr (kFull > 1) {
    const Operand b = operand(p.b, p.op_b);
    if (is_aligned(b.values, 16) && b.row_stride % kFull == 0 && p.b.batch_stride % kFull == 0 &&
        reads_runs(call.rows)) {
      if (p.n % kFull != 0)
        return p.n <= 2 * kFull ? launch_spmm_short_rows<Value, Out, Index, 2, kFull, 1, false>(call, launch)
                                : launch_spmm_short_rows<Value, Out, Index, 8, kFull, 1, false>(call, launch);
      if constexpr (sizeof(Value) == 2)
        if (p.n <= kFull) return launch_spmm_short_rows<Value, Out, Index, 1, kFull>(call, launch);
      if (p.n <= 2 * kFull) return launch_spmm_short_rows<Value, Out, Index, 2, kFull>(call, launch);
      if (p.n <= 4 * kFull) return launch_spmm_short_rows<Value, Out, Index, 4, kFull>(call, launch);
      if (p.n <= 8 * kFull) return launch_spmm_short_rows<Value, Out, Index, 8, kFull>(call, launch);
      return launch_spmm_short_rows<Value, Out, Index, 16, kFull>(call, launch);
    }
  }
  if (p.n <= 8) return launch_spmm_short_rows<Value, Out, Index, 8, 1>(call, launch);
  launch_spmm_short_rows<Value, Out, Index, 32, 1>(call, launch);
}

template <class Value, class Out = Value>
void spmm_short_rows_by_index(const SpmmCall& call, const Launch& launch) {
  if (call.rows.index_type == IndexType::i64) return spmm_short_rows_by_width<Value, Out, std::int64_t>(call, launch);
  spmm_short_rows_by_width<Value, Out, std::int32_t>(call, launch);
}

}  // namespace spk::cuda
