// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sddmm_slices.cuh"

// SDDMM of CSR by tiles of C: a block owns `rows` x `cols` of C and one part of the inner size.
//
// It lists the stored entries of its tile (filtered by column: columns need not be sorted), and walks k in slices of
// 128 bytes: the slices of op(A)'s rows and op(B)'s columns are copied to shared memory some slices ahead, and groups
// of 8 lanes form the entries' dots, every lane 16 bytes of them. An entry's sums stay in the registers of its group
// until the end of k, so that shared memory is read once per product: one operand per multiply-add, as the left one is
// kept while the row stays the same.
//
// Shared memory: 3 * (rows + cols) * 128 bytes of slices; the list, 5 bytes per entry; rows' starts, 4 bytes per row.
// A dot's terms are added in the same order wherever its entry is in the list, so the list's order, which depends on
// timing, does not show in the result.
namespace spk::cuda {
namespace {

__device__ inline uint4 load_shared(unsigned address) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address)
               : "memory");
  return v;
}
// Anew wherever it stands: halves kept in registers would be one more for each entry.
__device__ inline unsigned low_half(unsigned x) {
  unsigned low;
  asm volatile("and.b32 %0, %1, 0xffff;\n" : "=r"(low) : "r"(x));
  return low;
}
// Only if wanted; without a branch, which would part the groups of a warp.
__device__ inline void load_shared_if(bool wanted, uint4& v, unsigned address) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n@p ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\n}\n"
               : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w)
               : "r"(address), "r"(static_cast<unsigned>(wanted))
               : "memory");
}

// Appends the tile's entries among those from `next` to `total` to the list until that is full; moves `next`. Entry t
// is the one at position first + t. Returns the number of entries in the list.
template <class Value, class Out>
__device__ int list_entries(const SddmmArgs<Value, Out>& args, unsigned* list, unsigned char* list_cols, int cols,
                            std::int64_t col0, std::int64_t batch, std::int64_t first, unsigned total, unsigned& next) {
  using Config = SddmmTileConfig<Value>;
  constexpr int kEach = 8;
  constexpr unsigned kRound = Config::kThreads * kEach;
  static_assert(kRound <= Config::kList, "one round fits an empty list");
  __shared__ int count;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const std::int64_t shift = batch * args.indices_stride + first;
  const auto origin = static_cast<std::uint64_t>(col0 + args.base), width = static_cast<std::uint64_t>(cols);
  std::uint64_t raw[kEach];
  const auto load = [&](unsigned from) {
    load_indices(raw, args.indices, args.index_type, shift, total,
                 [&](int u) { return from + static_cast<unsigned>((warp * kEach + u) * 32 + lane); });
  };
  int listed = 0;
  load(next);
  if (thread == 0) count = 0;
  __syncthreads();
  while (next < total) {
    unsigned lanes[kEach], mine = 0;
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      lanes[u] = __ballot_sync(0xffffffffu, raw[u] != kNoIndex && raw[u] - origin < width);
      mine += static_cast<unsigned>(__popc(lanes[u]));
    }
    int at = 0;
    if (lane == 0 && mine != 0) at = atomicAdd(&count, static_cast<int>(mine));
    at = __shfl_sync(0xffffffffu, at, 0);
    __syncthreads();
    const int now = count;
    __syncthreads();
    if (now > Config::kList) break;  // the next list begins here
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      if (lanes[u] >> lane & 1) {
        const int to = at + __popc(lanes[u] & ((1u << lane) - 1));
        list[to] = next + static_cast<unsigned>((warp * kEach + u) * 32 + lane);
        list_cols[to] = static_cast<unsigned char>(raw[u] - origin);
      }
      at += __popc(lanes[u]);
    }
    listed = now;
    next = total - next < kRound ? total : next + kRound;
    if (next < total) load(next);
  }
  __syncthreads();
  return listed;
}

template <class Value, class Out>
__global__ void __launch_bounds__(SddmmTileConfig<Value>::kThreads, resident_blocks(SddmmTileConfig<Value>::kBlocks))
    sddmm_tile_kernel(const SddmmArgs<Value, Out> args, const SddmmTileShape shape) {
  using Config = SddmmTileConfig<Value>;
  using S = Sum<Value>;
  constexpr int kEntries = Config::kEntries;
  extern __shared__ __align__(128) unsigned char shared[];
  const int stage_bytes = (shape.rows + shape.cols) * kSliceBytes;
  auto* const list = reinterpret_cast<unsigned*>(shared + kStages * stage_bytes);     // (kList): entries
  unsigned* const starts = list + Config::kList;                                      // (rows + 1)
  auto* const list_cols = reinterpret_cast<unsigned char*>(starts + shape.rows + 1);  // (kList): columns of the tile
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes, group = thread / kLanes;
  std::int64_t unit = blockIdx.x;
  const int split = static_cast<int>(unit % shape.splits);
  unit /= shape.splits;
  const std::int64_t col0 = unit % shape.col_tiles * shape.cols;
  unit /= shape.col_tiles;
  const std::int64_t row0 = unit % shape.row_tiles * shape.rows, batch = unit / shape.row_tiles;
  const std::int64_t first = find_rows(args, starts, shape.rows, row0, batch);
  const SddmmFinish<Value, Out> finish(args);

  const Value* const a = args.a.values + batch * args.a.batch_stride + row0 * args.a.stride;
  const Value* const b = args.b.values + batch * args.b.batch_stride + col0 * args.b.stride;
  const int valid_rows = static_cast<int>(args.m - row0 < shape.rows ? args.m - row0 : shape.rows);
  const int valid_cols = static_cast<int>(args.n - col0 < shape.cols ? args.n - col0 : shape.cols);
  const std::int64_t all_slices = (args.k + Config::kSliceK - 1) / Config::kSliceK;
  const std::int64_t slice0 = std::int64_t{split} * shape.slices_per_split, left = all_slices - slice0;
  const int slices = static_cast<int>(finish.skips || left < 0        ? 0
                                      : left < shape.slices_per_split ? left
                                                                      : shape.slices_per_split);
  const auto copy = [&](int s) {
    if (s < slices) {
      unsigned char* const slice = shared + s % kStages * stage_bytes;
      const std::int64_t k = (slice0 + s) * Config::kSliceK;
      copy_slice<Value>(slice, a, args.a.stride, args.a.k_stride, shape.rows, valid_rows, k, args.k, shape.copy_a);
      copy_slice<Value>(slice + shape.rows * kSliceBytes, b, args.b.stride, args.b.k_stride, shape.cols, valid_cols, k,
                        args.k, shape.copy_b);
    }
    close_copies();
  };
#pragma unroll 1
  for (int s = 0; s < kStages - 1; ++s) copy(s);
  __syncthreads();
  const unsigned total = starts[shape.rows];
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const bool turn = args.conjugate_a != args.conjugate_b;

  bool copied = true;  // the first two slices are under way
  for (unsigned next = 0; next < total;) {
    const int listed = list_entries(args, list, list_cols, shape.cols, col0, batch, first, total, next);
    const int pieces = (listed + Config::kCapacity - 1) / Config::kCapacity;
    for (int piece = 0; piece < pieces; ++piece) {
#pragma unroll 1
      for (int s = 0; s < kStages - 1 && !copied; ++s) copy(s);
      copied = false;
      // Group g has entries begin + g * share ... of the list. Places in a slice: A's byte * 65536 + B's byte.
      const int begin = static_cast<int>(std::int64_t{listed} * piece / pieces);
      const int end = static_cast<int>(std::int64_t{listed} * (piece + 1) / pieces);
      const int share = (end - begin + Config::kGroups - 1) / Config::kGroups;
      unsigned places[kEntries], fresh = 0;
      S sums[kEntries];
#pragma unroll
      for (int i0 = 0; i0 < kEntries; i0 += kLanes) {
        unsigned mine = 0;
        const int at = begin + group * share + i0 + lane;
        if (i0 + lane < share && at < end)
          mine = static_cast<unsigned>(row_of(starts, shape.rows, list[at])) << 16 | list_cols[at];
#pragma unroll
        for (int j = 0; j < kLanes; ++j) {
          const int i = i0 + j;
          const unsigned entry = __shfl_sync(0xffffffffu, mine, j, kLanes);
          const int row = static_cast<int>(entry >> 16), col = static_cast<int>(entry & 0xffffu);
          sums[i] = S{};
          places[i] = static_cast<unsigned>(slice_byte(row, lane * 16)) << 16 |
                      static_cast<unsigned>(slice_byte(col, lane * 16));
          if (i == 0 || places[i] >> 16 != places[i == 0 ? 0 : i - 1] >> 16) fresh |= 1u << i;
        }
      }

      for (int s = 0; s < slices; ++s) {
        wait_for_copies<1>();
        __syncthreads();  // slice s is there for all, and none reads slice s - 1 any more
        copy(s + 2);
        const unsigned slice_a = base + static_cast<unsigned>(s % kStages * stage_bytes);
        const unsigned slice_b = slice_a + static_cast<unsigned>(shape.rows * kSliceBytes);
        uint4 x{};
#pragma unroll
        for (int i0 = 0; i0 < kEntries; i0 += 4) {
          if (i0 < share) {
            uint4 y[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) y[j] = load_shared(slice_b + low_half(places[i0 + j]));
#pragma unroll
            for (int j = 0; j < 4; ++j) {
              const int i = i0 + j;
              load_shared_if((fresh >> i & 1) != 0, x, slice_a + (places[i] >> 16));
              const auto u = SddmmVector<Value>::of(x), v = SddmmVector<Value>::of(y[j]);
#pragma unroll
              for (int e = 0; e < Config::kVector; ++e)
                sums[i] = multiply_add(conjugate_if(turn, u.x[e]), v.x[e], sums[i]);
            }
          }
        }
      }

#pragma unroll
      for (int i0 = 0; i0 < kEntries; i0 += kLanes) {
        if (i0 < share) {
          S eight[kLanes];
#pragma unroll
          for (int i = 0; i < kLanes; ++i) eight[i] = sums[i0 + i];
          const S sum = conjugate_if(args.conjugate_b, exchange_sums(eight, lane));
          const int at = begin + group * share + i0 + lane;
          if (i0 + lane < share && at < end) {
            const std::int64_t place = first + list[at];
            if (shape.splits == 1)
              finish.store(args.values + batch * args.values_stride + place, sum);
            else
              static_cast<S*>(shape.partial)[(split * args.batches + batch) * args.nnz + (place - args.first_entry)] =
                  sum;
          }
        }
      }
      __syncthreads();  // the slices and the list are used again
    }
  }
  wait_for_copies<0>();
}

template <class Value, class Out>
void launch_tile(const SddmmProblem& p, const SddmmTiling& tiling, const Launch& launch) {
  const auto args = sddmm_args<Value, Out>(p);
  const SddmmTileShape shape = sddmm_tile_shape(args, p, tiling, launch);
  const std::int64_t blocks = shape.row_tiles * shape.col_tiles * tiling.splits * p.c.batch_count;
  const std::size_t bytes = sddmm_tile_shared(tiling);
  allow_shared_memory(reinterpret_cast<const void*>(&sddmm_tile_kernel<Value, Out>), launch.device, bytes);
  sddmm_tile_kernel<Value, Out>
      <<<static_cast<unsigned>(blocks), kSddmmTileThreads, bytes, launch.stream>>>(args, shape);
  SPK_CUDA_CHECK(cudaGetLastError());
  join_sddmm_splits(args, tiling, launch);
}

}  // namespace

void sddmm_csr_tile__sm70(const SddmmProblem& p, const Launch& launch) {
  const SddmmTiling tiling = sddmm_tiling(launch.device, p);
  visit_sddmm_types(p, [&](auto value, auto out) {
    launch_tile<typename decltype(value)::type, typename decltype(out)::type>(p, tiling, launch);
  });
}

}  // namespace spk::cuda
