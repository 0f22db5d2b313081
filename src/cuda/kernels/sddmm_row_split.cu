// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sddmm_slices.cuh"

// SDDMM of CSR with a small inner size: the row of op(A) stays in registers while the columns of op(B) pass by.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp, kGroups = kWarp / kLanes;
constexpr int kPart = 1024;    // entries of a part of cut rows
constexpr int kCutRow = 4096;  // entries beyond which a row is cut into parts

struct RowSplitGrid {
  unsigned row_blocks;  // blocks that have rows, along x; those behind them have parts of the entries
  int long_row;         // entries beyond which the warps of a block share a row
  int cut_row;          // entries beyond which a row is left to the blocks of parts
};

// Blocks of a multiprocessor that the registers are shared among: with little in flight for a warp, many warps.
template <class Value>
constexpr int row_split_blocks(int vectors, int entries, bool chunked) noexcept {
  if (chunked || vectors * SddmmVector<Value>::kSize > 16) return 2;
  return vectors * entries <= 4 ? 4 : vectors * entries <= 8 ? 3 : 2;
}

// Mapping: the warps of a block have neighbouring rows, so that the columns of op(B) that one fetches are near the
// others'; blockIdx.y says which of gridDim.y shares of each, and z runs over the batch. A group of 8 lanes forms
// kEntries dots at a time; a lane has kVectors vectors of 16 bytes of every operand, 8 lanes apart. kChunked: the inner size
// does not fit, and passes in chunks. Rows longer than grid.long_row wait, and then all warps of the block share each; rows
// longer than grid.cut_row are left to the blocks behind the rows', which have kPart entries each, and find their rows by a
// search. Sums meet through shuffles. Shared memory: the ranges of the block's rows.
// Source: the lanes of a dot and the row in registers as in Sputnik (SC 2020), section 5.4, without its tiles of columns.
template <class Value, class Out, int kVectors, int kEntries, bool kChunked>
__global__ void __launch_bounds__(kThreads, resident_blocks(row_split_blocks<Value>(kVectors, kEntries, kChunked)))
    sddmm_row_split_kernel(const __grid_constant__ SddmmArgs<Value, Out> args, const RowSplitGrid grid) {
  using S = Sum<Value>;
  using Vector = SddmmVector<Value>;
  constexpr int kStep = kGroups * kEntries, kReach = kLanes * Vector::kSize;  // entries, elements of the inner size
  __shared__ RowRange ranges[kWarps];
  __shared__ std::int64_t rows[kWarps];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarp, lane = thread % kWarp;
  const int part = lane % kLanes, group = lane / kLanes;
  const int k = static_cast<int>(args.k);
  const bool has_part = blockIdx.x >= grid.row_blocks;
  wait_for_kernel_in_front();
  const SddmmFinish<Value, Out> finish(args);
  for (std::int64_t batch = blockIdx.z; batch < args.batches; batch += gridDim.z) {
    const std::int64_t shift = batch * args.offsets_stride;
    const Value* const a_values = args.a.values + batch * args.a.batch_stride;
    const Value* const b = args.b.values + batch * args.b.batch_stride + part * Vector::kSize;
    Out* const out = args.values + batch * args.values_stride;
    const void* const indices = advance_index(args.indices, args.index_type, batch * args.indices_stride);
    const auto index_at = [&](int entry) {
      return static_cast<int>(load_index(indices, args.index_type, entry)) - args.base;
    };
    RowRange own{0, 0};
    std::int64_t own_row = 0;
    if (!has_part) {
      own_row = std::int64_t{blockIdx.x} * kWarps + warp;
      if (own_row < args.m) own = row_range(args.offsets, args.offset_type, args.base, shift + own_row);
    } else if (warp < 2) {
      // What the rows that hold the first and the last entry of the part have in it, if they are cut.
      const std::int64_t number = std::int64_t{blockIdx.x - grid.row_blocks} * gridDim.y + blockIdx.y;
      const std::int64_t begin = args.first_entry + number * kPart;
      const std::int64_t end = min(begin + kPart, args.first_entry + args.nnz);
      if (begin < end) {
        own_row = search_row(args, shift, warp == 0 ? begin : end - 1, lane);
        const RowRange row = row_range(args.offsets, args.offset_type, args.base, shift + own_row);
        // A row that has both is for the first warp.
        if (row.count > grid.cut_row && (warp == 0 || row.begin > begin)) {
          own.begin = max(row.begin, begin);
          own.count = static_cast<int>(min(row.begin + row.count, end) - own.begin);
        }
      }
    }
    const bool is_cut = !has_part && own.count > grid.cut_row, is_long = own.count > grid.long_row && !is_cut;
    const bool waits = has_part || is_long;
    __syncthreads();
    if (lane == 0) {
      ranges[warp] = waits ? own : RowRange{0, 0};
      rows[warp] = own_row;
    }
    const int turns = __syncthreads_or(waits) != 0 ? kWarps : 0;
#pragma unroll 1
    for (int turn = -1; turn < turns; ++turn) {
      const bool alone = turn < 0;
      const RowRange range = !alone ? ranges[turn] : waits || is_cut ? RowRange{0, 0} : own;
      if (range.count == 0) continue;
      const std::int64_t row = alone ? own_row : rows[turn];
      const int end = static_cast<int>(range.begin) + range.count;
      // Of the steps of kStep entries, which the warp has; a part is the block's alone.
      const int shares = has_part ? 1 : static_cast<int>(gridDim.y),
                share = has_part ? 0 : static_cast<int>(blockIdx.y);
      const int first = alone ? share : share * kWarps + warp, step = alone ? shares : shares * kWarps;
      const Value* const a = a_values + row * args.a.stride + part * Vector::kSize;
      Vector x[kVectors];
      const auto load_a = [&](int k0) {
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
          const int at = k0 + v * kReach;
          uint4 raw{};
          if (at + part * Vector::kSize < k) raw = *reinterpret_cast<const uint4*>(a + at);
          x[v] = Vector::of(raw);
        }
      };
      int e0 = static_cast<int>(range.begin) + first * kStep;
      if (e0 >= end) continue;
      if (!kChunked && !finish.skips) load_a(0);
      int at = e0 + group * kEntries + part;
      int column = part < kEntries && at < end ? index_at(at) : 0;  // behind the row: any, not used
      while (true) {
        const int next = e0 + step * kStep;
        at = next + group * kEntries + part;
        const int next_column = part < kEntries && at < end ? index_at(at) : 0;
        S sums[kEntries] = {};
        for (int k0 = 0; k0 < (kChunked ? k : 1) && !finish.skips; k0 += kReach * kVectors) {
          if (kChunked) load_a(k0);
          uint4 y[kEntries][kVectors];
#pragma unroll
          for (int i = 0; i < kEntries; ++i) {
            const Value* const from =
                b + std::int64_t{__shfl_sync(0xffffffffu, column, i, kLanes)} * args.b.stride + k0;
#pragma unroll
            for (int v = 0; v < kVectors; ++v) {
              y[i][v] = uint4{};
              if (k0 + v * kReach + part * Vector::kSize < k)
                y[i][v] = *reinterpret_cast<const uint4*>(from + v * kReach);
            }
          }
#pragma unroll
          for (int i = 0; i < kEntries; ++i)
#pragma unroll
            for (int v = 0; v < kVectors; ++v) {
              const Vector z = Vector::of(y[i][v]);
#pragma unroll
              for (int e = 0; e < Vector::kSize; ++e) sums[i] = multiply_add(x[v].x[e], z.x[e], sums[i]);
            }
        }
        // Lanes halve the entries among them while there are several, and then add up: the lanes from kLanes / kEntries * i
        // on have entry i.
        constexpr int kOwners = kLanes / kEntries;
#pragma unroll
        for (int half = kLanes / 2, have = kEntries; half > 0; half /= 2) {
          if (have > 1) {
            have /= 2;
            const bool upper = (part & half) != 0;
#pragma unroll
            for (int i = 0; i < kEntries / 2; ++i)
              if (i < have) {
                const S keep = upper ? sums[i + have] : sums[i], give = upper ? sums[i] : sums[i + have];
                sums[i] = add(keep, shuffle_xor(give, half));
              }
          } else {
            sums[0] = add(sums[0], shuffle_xor(sums[0], half));
          }
        }
        at = e0 + group * kEntries + part / kOwners;
        if (part % kOwners == 0 && at < end) finish.store(out + at, sums[0]);
        if (next >= end) break;
        e0 = next;
        column = next_column;
      }
    }
  }
}

template <class Value, class Out, int kVectors, int kEntries, bool kChunked>
void launch_row_split(const SddmmProblem& p, const Launch& launch) {
  const auto args = sddmm_args<Value, Out>(p);
  constexpr std::int64_t kStep = kGroups * kEntries;
  const std::int64_t mean = (p.c.nnz + p.m - 1) / p.m;
  // Warps for rows of twice the mean at once while there is little to do, else some steps of a row for each.
  const std::int64_t steps = p.c.nnz * p.c.batch_count < std::int64_t{400} * launch.device.sm_count ? 1 : 4;
  const std::int64_t wanted = (std::min(p.n, (steps == 1 ? 2 : 1) * mean) + kStep * steps - 1) / (kStep * steps);
  const auto shares = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, 1024));
  RowSplitGrid grid{};
  grid.row_blocks = static_cast<unsigned>((p.m + kWarps - 1) / kWarps);
  grid.long_row = static_cast<int>(std::min<std::int64_t>(std::max(2 * kStep * shares, 3 * mean), kCutRow));
  // More entries than columns would take duplicates, which are no reason to hurry.
  const std::int64_t parts = std::min(p.c.nnz, p.n) > kCutRow ? (p.c.nnz + kPart - 1) / kPart : 0;
  grid.cut_row = parts > 0 ? kCutRow : INT32_MAX;
  const dim3 blocks(grid.row_blocks + static_cast<unsigned>((parts + shares - 1) / shares), shares,
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  launch_kernel(sddmm_row_split_kernel<Value, Out, kVectors, kEntries, kChunked>,
                {blocks, kThreads, 0, launch.device.overlaps_launches}, launch.stream, args, grid);
}

template <class Value, class Out, int kVectors, bool kChunked = false>
void row_split_by_entries(const SddmmProblem& p, const Launch& launch) {
  const std::int64_t per_sm = p.c.nnz * p.c.batch_count / launch.device.sm_count;
  if (per_sm < 200) return launch_row_split<Value, Out, kVectors, 2, kChunked>(p, launch);
  if constexpr (sizeof(Value) * kVectors <= 4)
    if (per_sm >= 600) return launch_row_split<Value, Out, kVectors, 8, kChunked>(p, launch);
  launch_row_split<Value, Out, kVectors, 4, kChunked>(p, launch);
}

}  // namespace

void sddmm_csr_row_split__sm70(const SddmmProblem& p, const Launch& launch) {
  visit_sddmm_types(p, [&](auto value, auto out) {
    using Value = typename decltype(value)::type;
    using Out = typename decltype(out)::type;
    if constexpr (!kIsComplex<Value>) {
      const std::int64_t bytes = p.k * static_cast<std::int64_t>(sizeof(Value));
      if (bytes <= 16 * kLanes) return row_split_by_entries<Value, Out, 1>(p, launch);
      if (bytes <= 32 * kLanes) return row_split_by_entries<Value, Out, 2>(p, launch);
      if (bytes <= 64 * kLanes) return row_split_by_entries<Value, Out, 4>(p, launch);
      row_split_by_entries<Value, Out, 4, true>(p, launch);
    }
  });
}

}  // namespace spk::cuda
