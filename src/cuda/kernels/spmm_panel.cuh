// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"

// SpMM with the rows of a few columns of op(B) in shared memory.
namespace spk::cuda {

constexpr int kPanelThreads = 512;  // most threads of a block
constexpr int kPanelLanes = 8;      // lanes of a row of C, each with one or two packs of 16 bytes
// Rows of C that a group keeps while the panel changes; in 16-bit types there are twice as many sums.
template <class Value>
constexpr int kPanelGroupRows = sizeof(Value) == 2 ? 3 : 4;

// Bytes from row to row of the panel: 8 or 16 packs, and one to spread the rows over the banks.
constexpr int panel_pitch(int packs) noexcept { return packs * kPanelLanes * 16 + 16; }

struct PanelGrid {
  unsigned row_blocks;  // blocks that share a panel's columns
  int chunk_rows;       // rows of op(B) that are in shared memory at a time
  int chunks;           // of k
  bool packed_b;        // rows of op(B) may be read 16 bytes at a time
  bool packed_c;        // columns of C may be written a pack at a time
  IndexType offset_type;
};

// Fills the panel from `rows` rows of op(B), columns 0 .. count - 1; columns from count on are never used.
template <int kPacks, class Value>
__device__ void stage_panel(char* panel, const Value* b, std::int64_t row_stride, std::int64_t col_stride, int rows,
                            int count, bool packed) {
  constexpr int kVec = 16 / sizeof(Value), kRowPacks = kPacks * kPanelLanes;
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const auto move = [&](int r, int pack) {
    Pack<Value, kVec> x{};
    const Value* at = b + r * row_stride + pack * kVec * col_stride;
    if (packed && (pack + 1) * kVec <= count) {
      x = *reinterpret_cast<const Pack<Value, kVec>*>(at);
    } else {
#pragma unroll
      for (int c = 0; c < kVec; ++c)
        if (pack * kVec + c < count) x.at[c] = at[c * col_stride];
    }
    *reinterpret_cast<Pack<Value, kVec>*>(panel + r * panel_pitch(kPacks) + pack * 16) = x;
  };
  // Neighbouring lanes read neighbouring memory: packs of one row, or one pack of neighbouring rows.
  if (col_stride == 1) {
#pragma unroll 4
    for (int r = thread / kRowPacks; r < rows; r += threads / kRowPacks) move(r, thread % kRowPacks);
  } else {
    for (int pack = 0; pack * kVec < count; ++pack)
#pragma unroll 2
      for (int r = thread; r < rows; r += threads) move(r, pack);
  }
}

// Mapping: a block owns 128 bytes' worth of columns (32 of f32) and every row_blocks-th set of rows; a group of eight
// lanes takes up to kRows rows of C, each lane one 16-byte pack of their columns. Where all of k does not fit into shared
// memory it passes through in chunks, and a group walks its rows once per chunk, taking the entries of that chunk.
// Shared memory: 144 bytes per row of a chunk. blockIdx.x runs over panels times row blocks, y over the batch.
// Source: the idea of staging dense operands as in Sputnik (SC 2020, section 5.3), here for a panel as high as k.
template <class Value, class Out, int kRows, int kPacks>
__global__ void __launch_bounds__(kPanelThreads, 1)
    spmm_panel(const __grid_constant__ SpmmArgs<Value, Out> args, const PanelGrid grid) {
  using S = Sum<Value>;
  using Index = std::int32_t;
  constexpr int kVec = 16 / sizeof(Value), kTogether = kVec * kPacks, kColumns = kTogether * kPanelLanes;
  constexpr int kPitch = panel_pitch(kPacks);
  extern __shared__ __align__(16) char panel[];
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  const unsigned tile = blockIdx.x / grid.row_blocks, row_block = blockIdx.x % grid.row_blocks;
  const std::int64_t j0 = std::int64_t{tile} * kColumns;
  const int lane = static_cast<int>(threadIdx.x) % kPanelLanes;
  const int groups = static_cast<int>(blockDim.x) / kPanelLanes;
  const int count = static_cast<int>(min(static_cast<std::int64_t>(kColumns), args.n - j0));

  struct Fetch {
    std::uint32_t panel;  // where column 0 of the index array would lie, for this lane
    int first, rows;      // columns, as the index array counts, that the chunk holds
    bool conjugate;
    enum : bool { kSkips = kRows > 1 };
    __device__ S element(Value x) const { return conjugate_if(conjugate, to_sum(x)); }
    __device__ bool wants(Index column) const {
      return kRows == 1 || static_cast<unsigned>(static_cast<int>(column) - first) < static_cast<unsigned>(rows);
    }
    __device__ Held<Value, kTogether> operator()(Index column) const {
      Held<Value, kTogether> together;
#pragma unroll
      for (int q = 0; q < kPacks; ++q)
        together.take(q * kVec,
                      load_shared_pack(panel + static_cast<std::uint32_t>(column) * kPitch + q * kPanelLanes * 16));
      return together;
    }
  };
  const auto panel_address = static_cast<std::uint32_t>(__cvta_generic_to_shared(panel));

  for (std::int64_t batch = blockIdx.y; batch < args.batches; batch += gridDim.y) {
    const auto* indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* values = args.values + batch * args.values_stride;
    const Value* b = args.b.values + batch * args.b.batch_stride + j0 * args.b.col_stride;
    Out* c = place_in_c(args, batch, 0, j0);
    const void* offsets = advance_index(args.offsets, grid.offset_type, batch * args.offsets_stride);
    const std::int64_t set = std::int64_t{groups} * kRows;
    for (std::int64_t first = row_block * set; first < args.m; first += grid.row_blocks * set) {
      S acc[kRows][kTogether] = {};
      for (int chunk = 0; chunk < grid.chunks && !skip; ++chunk) {
        const int k0 = chunk * grid.chunk_rows;
        const int rows = min(grid.chunk_rows, static_cast<int>(args.k) - k0);
        if (grid.chunks > 1 || first == row_block * set) {
          __syncthreads();
          stage_panel<kPacks>(panel, b + k0 * args.b.row_stride, args.b.row_stride, args.b.col_stride, rows, count,
                              grid.packed_b);
          __syncthreads();
        }
        const Fetch fetch{panel_address + lane * 16 - static_cast<std::uint32_t>((k0 + args.base) * kPitch),
                          k0 + args.base, rows, args.conjugate_b};
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const std::int64_t row = first + r * groups + threadIdx.x / kPanelLanes;
          if (row < args.m)
            add_entries<kTogether, true>(values, indices, row_range(offsets, grid.offset_type, args.base, row),
                                         args.entries, 0, 1, args.conjugate_a, fetch, acc[r]);
        }
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const std::int64_t row = first + r * groups + threadIdx.x / kPanelLanes;
        if (row < args.m)
#pragma unroll
          for (int q = 0; q < kPacks; ++q) {
            const int at = (q * kPanelLanes + lane) * kVec;
            S sums[kVec];
#pragma unroll
            for (int x = 0; x < kVec; ++x) sums[x] = acc[r][q * kVec + x];
            // Negative for a lane without columns. Not clamped at 0: ptxas 13.0 makes one VIMNMX.RELU of
            // max(0, min(a, x)) and then takes its predicate, wrong for x < 0, as the answer to == a.
            store_columns<kVec>(args, scaling, c + row * args.c.row_stride + at * args.c.col_stride, batch, row,
                                j0 + at, min(kVec, count - at), grid.packed_c, sums);
          }
      }
    }
  }
}

template <class Value, class Out, int kPacks>
void launch_spmm_panel(const SpmmCall& call, const Launch& launch) {
  constexpr int kVec = 16 / sizeof(Value), kColumns = kVec * kPacks * kPanelLanes, kPitch = panel_pitch(kPacks);
  const SpmmProblem& p = call.p;
  const Operand b = operand(p.b, p.op_b);
  const std::int64_t panels = (p.n + kColumns - 1) / kColumns, sms = launch.device.sm_count;
  // Fewer threads where there are few rows for each.
  int threads = kPanelThreads;
  while (threads > 256 && p.m * panels < sms * threads / kPanelLanes) threads /= 2;
  const std::int64_t groups = threads / kPanelLanes;

  PanelGrid grid{};
  const int most_rows = static_cast<int>(launch.device.shared_per_block / kPitch);
  grid.chunks = std::max(1, static_cast<int>((p.k + most_rows - 1) / most_rows));
  grid.chunk_rows = static_cast<int>((p.k + grid.chunks - 1) / grid.chunks);
  // As many row blocks as fill the device once, none without a row for every group.
  std::int64_t row_blocks =
      std::clamp<std::int64_t>(sms / panels, 1, std::max<std::int64_t>(1, (p.m + groups - 1) / groups));
  // Every set of rows sees all chunks again, so sets are as large as the rows of a block ask for.
  if (grid.chunks > 1)
    row_blocks = std::max(row_blocks, (p.m + groups * kPanelGroupRows<Value> - 1) / (groups * kPanelGroupRows<Value>));
  grid.row_blocks = static_cast<unsigned>(row_blocks);
  grid.packed_b =
      b.col_stride == 1 && is_aligned(b.values, 16) && b.row_stride % kVec == 0 && p.b.batch_stride % kVec == 0;
  grid.packed_c = packs_columns<Out>(p.c, kVec);
  grid.offset_type = call.rows.offset_type;
  const int bytes = grid.chunk_rows * kPitch;
  auto* kernel = &spmm_panel<Value, Out, 1, kPacks>;
  if constexpr (kPacks == 1)
    if (grid.chunks > 1) kernel = &spmm_panel<Value, Out, kPanelGroupRows<Value>, 1>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, static_cast<std::size_t>(bytes));
  const dim3 blocks(static_cast<unsigned>(panels * row_blocks),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  kernel<<<blocks, threads, bytes, launch.stream>>>(spmm_args<Value, Out>(call), grid);
  SPK_CUDA_CHECK(cudaGetLastError());
}

// Two packs per lane halve the share of the entries in what is read; they need room for twice the panel and columns
// enough to keep the device busy.
template <class Value, class Out = Value>
void spmm_panel_by_width(const SpmmCall& call, const Launch& launch) {
  constexpr std::int64_t kWide = 16 / sizeof(Value) * 2 * kPanelLanes;
  const SpmmProblem& p = call.p;
  const bool fits = p.k * panel_pitch(2) <= static_cast<std::int64_t>(launch.device.shared_per_block);
  if (fits && p.n / kWide * (p.m / 64) >= launch.device.sm_count) return launch_spmm_panel<Value, Out, 2>(call, launch);
  launch_spmm_panel<Value, Out, 1>(call, launch);
}

}  // namespace spk::cuda
