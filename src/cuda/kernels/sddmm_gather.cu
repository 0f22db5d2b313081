// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cuda/kernels/sddmm_slices.cuh"

// SDDMM of CSR entry by entry, for patterns too thin for tiles. Groups of 8 lanes form dots; the operands are read from
// global memory, 16 bytes per lane, the left one once while the row stays the same. An operand that is not contiguous
// along k in whole pieces of 16 bytes is first copied to the workspace. No shared memory besides the copy's.
//
// Where no row can be much longer than the mean, some warps have a row each, and a group has 2 or 8 entries at a time.
// Else a warp has a run of entries, finds the first one's row by a search with all lanes, and then walks.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256, kWarp = 32, kRuns = 2;  // a warp has kRuns * 32 entries
constexpr int kVectors = 2;                           // 16-byte vectors of a lane at a time

// 16 bytes of an operand, 0 if not wanted; element by element where the array is not aligned.
template <class Value>
__device__ uint4 load_raw(const Value* from, bool wanted, bool aligned) {
  if (!wanted) return uint4{};
  if (aligned) return *reinterpret_cast<const uint4*>(from);
  uint4 raw;
  Value values[SddmmVector<Value>::kSize];
#pragma unroll
  for (int e = 0; e < SddmmVector<Value>::kSize; ++e) values[e] = from[e];
  memcpy(&raw, values, sizeof raw);
  return raw;
}

template <class Value>
__device__ Sum<Value> dot_of(uint4 x, uint4 y, bool turn, Sum<Value> sum) {
  const auto u = SddmmVector<Value>::of(x), v = SddmmVector<Value>::of(y);
#pragma unroll
  for (int e = 0; e < SddmmVector<Value>::kSize; ++e) sum = multiply_add(conjugate_if(turn, u.x[e]), v.x[e], sum);
  return sum;
}

// Warp w has row w / warps_per_row, of which every warps_per_row-th step of 4 groups with kEntries each.
template <class Value, class Out, int kEntries>
__global__ void __launch_bounds__(kThreads)
    sddmm_gather_rows_kernel(const SddmmArgs<Value, Out> args, bool aligned, int warps_per_row) {
  using S = Sum<Value>;
  constexpr int kAhead = kEntries == 2 ? 4 : 1;  // vectors of a lane at a time
  constexpr int kSize = SddmmVector<Value>::kSize, kStep = kLanes * kSize * kAhead, kGroups = kWarp / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kWarp, part = lane % kLanes, group = lane / kLanes;
  const SddmmFinish<Value, Out> finish(args);
  const bool turn = args.conjugate_a != args.conjugate_b;
  const std::int64_t units = args.m * warps_per_row * args.batches;
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / kWarp);
  for (std::int64_t unit = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kWarp; unit < units; unit += warps) {
    const std::int64_t row_of_all = unit / warps_per_row, batch = row_of_all / args.m, row = row_of_all % args.m;
    const std::int64_t at = batch * args.offsets_stride + row;
    const std::int64_t begin = load_index(args.offsets, args.offset_type, at) - args.base;
    const std::int64_t end = load_index(args.offsets, args.offset_type, at + 1) - args.base;
    const Value* const a = args.a.values + batch * args.a.batch_stride + row * args.a.stride;
    const Value* const b = args.b.values + batch * args.b.batch_stride;
    Out* const out = args.values + batch * args.values_stride;
    for (std::int64_t e0 = begin + unit % warps_per_row * (kGroups * kEntries); e0 < end;
         e0 += std::int64_t{warps_per_row} * (kGroups * kEntries)) {
      const std::int64_t own = e0 + group * kEntries + part;
      std::int64_t b_at = 0;  // of entries behind the row: column 0, not used
      if (part < kEntries && own < end && !finish.skips)
        b_at =
            (load_index(args.indices, args.index_type, batch * args.indices_stride + own) - args.base) * args.b.stride;
      S sums[kEntries] = {};
      if (!finish.skips)
        for (std::int64_t k = part * kSize; __any_sync(0xffffffffu, k < args.k); k += kStep) {
          uint4 y[kEntries][kAhead], x[kAhead];
#pragma unroll
          for (int i = 0; i < kEntries; ++i) {
            const Value* const from = b + __shfl_sync(0xffffffffu, b_at, i, kLanes) + k;
#pragma unroll
            for (int v = 0; v < kAhead; ++v)
              y[i][v] = load_raw(from + v * kLanes * kSize, k + v * kLanes * kSize < args.k, aligned);
          }
#pragma unroll
          for (int v = 0; v < kAhead; ++v)
            x[v] = load_raw(a + k + v * kLanes * kSize, k + v * kLanes * kSize < args.k, aligned);
#pragma unroll
          for (int i = 0; i < kEntries; ++i)
#pragma unroll
            for (int v = 0; v < kAhead; ++v) sums[i] = dot_of<Value>(x[v], y[i][v], turn, sums[i]);
        }
      S sum;
      if constexpr (kEntries == kLanes) {
        sum = exchange_sums(sums, part);
      } else {
#pragma unroll
        for (int i = 0; i < kEntries; ++i) {
#pragma unroll
          for (int mask = kLanes / 2; mask > 0; mask /= 2) sums[i] = add(sums[i], shuffle_xor(sums[i], mask));
          if (i == 0 || part == i) sum = sums[i];
        }
      }
      if (part < kEntries && own < end) finish.store(out + own, conjugate_if(args.conjugate_b, sum));
    }
  }
}

// 16 bytes of an operand; element by element where the array is not aligned.
template <class Value>
__device__ SddmmVector<Value> load_vector(const Value* from, bool aligned) {
  if (aligned) return SddmmVector<Value>::of(*reinterpret_cast<const uint4*>(from));
  SddmmVector<Value> v;
#pragma unroll
  for (int e = 0; e < SddmmVector<Value>::kSize; ++e) v.x[e] = to_sum(from[e]);
  return v;
}

template <class Value, class Out>
__global__ void __launch_bounds__(kThreads) sddmm_gather_kernel(const SddmmArgs<Value, Out> args, bool aligned) {
  using S = Sum<Value>;
  constexpr int kSize = SddmmVector<Value>::kSize, kStep = kLanes * kSize * kVectors;
  const int lane = static_cast<int>(threadIdx.x) % kWarp, part = lane % kLanes;
  const SddmmFinish<Value, Out> finish(args);
  const bool turn = args.conjugate_a != args.conjugate_b;
  const std::int64_t runs = (args.nnz + kRuns * kWarp - 1) / (kRuns * kWarp), units = runs * args.batches;
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / kWarp);
  for (std::int64_t unit = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kWarp; unit < units; unit += warps) {
    const std::int64_t batch = unit / runs, first = args.first_entry + unit % runs * (kRuns * kWarp);
    const std::int64_t last = args.first_entry + args.nnz, shift = batch * args.offsets_stride;
    const Value* const a = args.a.values + batch * args.a.batch_stride;
    const Value* const b = args.b.values + batch * args.b.batch_stride;
    Out* const out = args.values + batch * args.values_stride;
    std::int64_t row0 = finish.skips ? 0 : search_row(args, shift, first, lane);
    for (std::int64_t e0 = first; e0 < first + kRuns * kWarp && e0 < last; e0 += kWarp) {
      const std::int64_t mine = e0 + lane < last ? e0 + lane : last - 1;
      S sum{};
      if (!finish.skips) {
        // The own entry's row: among the 32 rows from row0 on, or by more steps where there are many short rows.
        std::int64_t row = row0;
        bool found = false;
        for (int round = 0; !__all_sync(0xffffffffu, found); ++round) {
          const std::int64_t at = row0 + lane < args.m ? row0 + lane : args.m - 1;
          const std::int64_t end = load_index(args.offsets, args.offset_type, shift + at + 1) - args.base;
          int behind = 0;  // rows of the 32 that end at or before the entry
#pragma unroll
          for (int step = 16; step > 0; step /= 2)
            if (__shfl_sync(0xffffffffu, end, behind + step - 1) <= mine) behind += step;
          const std::int64_t end_there = __shfl_sync(0xffffffffu, end, behind);
          if (!found && end_there > mine) {
            found = true;
            row = row0 + behind;
          }
          const unsigned waiting = __ballot_sync(0xffffffffu, !found);
          if (waiting == 0) break;
          // A few steps, then a search: there may be very many empty rows.
          row0 = round < 3 ? row0 + kWarp
                           : search_row(args, shift,
                                        __shfl_sync(0xffffffffu, mine, __ffs(static_cast<int>(waiting)) - 1), lane);
        }
        row0 = __shfl_sync(0xffffffffu, row, kWarp - 1);
        const std::int64_t col =
            load_index(args.indices, args.index_type, batch * args.indices_stride + mine) - args.base;
        const std::int64_t a_at = row * args.a.stride, b_at = col * args.b.stride;

        S sums[kLanes] = {};
        for (std::int64_t k = part * kSize; __any_sync(0xffffffffu, k < args.k); k += kStep) {
          SddmmVector<Value> x[kVectors];
          std::int64_t held = -1;
#pragma unroll
          for (int i = 0; i < kLanes; ++i) {
            const std::int64_t x_at = __shfl_sync(0xffffffffu, a_at, i, kLanes);
            const std::int64_t y_at = __shfl_sync(0xffffffffu, b_at, i, kLanes);
#pragma unroll
            for (int v = 0; v < kVectors; ++v) {
              const std::int64_t at = k + v * kLanes * kSize;
              if (at >= args.k) continue;
              if (x_at != held) {
                x[v] = load_vector(a + x_at + at, aligned);
                if constexpr (kIsComplex<Value>) {
#pragma unroll
                  for (int e = 0; e < kSize; ++e) x[v].x[e] = conjugate_if(turn, x[v].x[e]);
                }
              }
              const auto y = load_vector(b + y_at + at, aligned);
#pragma unroll
              for (int e = 0; e < kSize; ++e) sums[i] = multiply_add(x[v].x[e], y.x[e], sums[i]);
            }
            held = x_at;
          }
        }
        sum = conjugate_if(args.conjugate_b, exchange_sums(sums, part));
      }
      if (e0 + lane < last) finish.store(out + e0 + lane, sum);
    }
  }
}

// packed (count, length) = the first k elements of the operand's rows, zeros behind them. Blocks have tiles of 32 x 32,
// read along the direction in which the operand is contiguous. Shared memory: the tile.
template <class Value>
__global__ void __launch_bounds__(256)
    sddmm_pack_kernel(const SddmmOperand<Value> x, std::int64_t count, std::int64_t k, std::int64_t length,
                      std::int64_t batches, Value* packed) {
  __shared__ Value tile[32][33];
  const int fast = static_cast<int>(threadIdx.x) % 32, slow = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t k_tiles = (length + 31) / 32, tiles = (count + 31) / 32 * k_tiles;
  for (std::int64_t unit = blockIdx.x; unit < tiles * batches; unit += gridDim.x) {
    const std::int64_t batch = unit / tiles, i0 = unit % tiles / k_tiles * 32, l0 = unit % k_tiles * 32;
    const Value* const from = x.values + batch * x.batch_stride;
    __syncthreads();
    for (int s = slow; s < 32; s += 8) {
      const bool along_k = x.k_stride == 1;
      const int di = along_k ? s : fast, dl = along_k ? fast : s;
      Value value{};
      if (i0 + di < count && l0 + dl < k) value = from[(i0 + di) * x.stride + (l0 + dl) * x.k_stride];
      tile[di][dl] = value;
    }
    __syncthreads();
    for (int s = slow; s < 32; s += 8)
      if (i0 + s < count && l0 + fast < length) packed[(batch * count + i0 + s) * length + l0 + fast] = tile[s][fast];
  }
}

// Packs the operand into the workspace, and moves that behind it.
template <class Value>
void pack(SddmmOperand<Value>& x, std::int64_t count, const SddmmProblem& p, char*& workspace, const Launch& launch) {
  constexpr std::int64_t kSize = SddmmVector<Value>::kSize;
  const std::int64_t length = (p.k + kSize - 1) / kSize * kSize, batches = x.batch_stride == 0 ? 1 : p.c.batch_count;
  auto* const packed = reinterpret_cast<Value*>(workspace);
  const std::int64_t tiles = (count + 31) / 32 * ((length + 31) / 32) * batches;
  sddmm_pack_kernel<Value><<<static_cast<unsigned>(std::min<std::int64_t>(tiles, 1 << 20)), 256, 0, launch.stream>>>(
      x, count, p.k, length, batches, packed);
  SPK_CUDA_CHECK(cudaGetLastError());
  x = {packed, length, 1, batches == 1 ? 0 : count * length};
  workspace += sddmm_packed_bytes(count, p.k, batches, sizeof(Value));
}

}  // namespace

void sddmm_csr_gather__sm70(const SddmmProblem& p, const Launch& launch) {
  visit_sddmm_types(p, [&](auto value, auto out) {
    using Value = typename decltype(value)::type;
    using Out = typename decltype(out)::type;
    auto args = sddmm_args<Value, Out>(p);
    char* workspace = static_cast<char*>(launch.workspace);
    if (sddmm_needs_copy(p.a, operand(p.a, p.op_a).col_stride, p.k)) pack(args.a, p.m, p, workspace, launch);
    if (sddmm_needs_copy(p.b, operand(p.b, p.op_b).row_stride, p.k)) pack(args.b, p.n, p, workspace, launch);
    const bool aligned = reinterpret_cast<std::uintptr_t>(args.a.values) % 16 == 0 &&
                         reinterpret_cast<std::uintptr_t>(args.b.values) % 16 == 0;
    constexpr std::int64_t kSize = SddmmVector<Value>::kSize;
    args.k = (p.k + kSize - 1) / kSize * kSize;
    const auto grid = [](std::int64_t warps) {
      return static_cast<unsigned>(
          std::min<std::int64_t>((warps * kWarp + kThreads - 1) / kThreads, std::int64_t{1} << 30));
    };
    const std::int64_t mean = (p.c.nnz + p.m - 1) / p.m;
    if (mean >= 4 && p.n <= 64 * mean) {
      // Small problems want all the parallelism there is.
      const bool few = p.c.nnz * p.c.batch_count < std::int64_t{launch.device.sm_count} * 64 * kWarp;
      // Rows may be longer than the mean; a warp that finds nothing is gone at once.
      const std::int64_t step = kWarp / kLanes * (few ? 2 : 8),
                         reach = std::min<std::int64_t>(p.n, (few ? 2 : 1) * mean);
      const std::int64_t warps_per_row = (reach + step - 1) / step;
      const auto kernel = few ? sddmm_gather_rows_kernel<Value, Out, 2> : sddmm_gather_rows_kernel<Value, Out, 8>;
      kernel<<<grid(p.m * warps_per_row * p.c.batch_count), kThreads, 0, launch.stream>>>(
          args, aligned, static_cast<int>(warps_per_row));
    } else {
      const std::int64_t runs = (p.c.nnz + kRuns * kWarp - 1) / (kRuns * kWarp) * p.c.batch_count;
      sddmm_gather_kernel<Value, Out><<<grid(runs), kThreads, 0, launch.stream>>>(args, aligned);
    }
    SPK_CUDA_CHECK(cudaGetLastError());
  });
}

}  // namespace spk::cuda
