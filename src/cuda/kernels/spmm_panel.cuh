// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"

// SpMM with all k rows of a few columns of op(B) in shared memory.
namespace spk::cuda {

constexpr int kPanelRowBytes = 128;  // one row of the panel: all 32 banks
constexpr int kPanelPacks = 8;       // 16-byte packs of such a row

struct PanelGrid {
  std::int64_t row_blocks;  // blocks that share a panel's columns
  bool aligned;             // entries may be read four at a time
  bool packed_b;            // rows of op(B) may be read 16 bytes at a time
  bool packed_c;            // columns of C may be written kVec at a time
  IndexType offset_type;
};

// Byte of pack `pack` of panel row r. The packs of a row are permuted by the row's number, so that eight lanes that
// write one pack of eight neighbouring rows meet eight different groups of banks, as eight lanes that read one row do.
__device__ inline int panel_byte(std::int64_t r, int pack) {
  return static_cast<int>(r) * kPanelRowBytes + ((pack ^ (static_cast<int>(r) & 7)) << 4);
}

// Fills the panel from op(B)(0 .. k - 1, j0 .. j0 + count - 1); columns from count on become 0 and are never used.
template <class Value>
__device__ void stage_panel(char* panel, const Value* b, std::int64_t row_stride, std::int64_t col_stride,
                            std::int64_t k, int count, bool packed) {
  constexpr int kVec = 16 / sizeof(Value);
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const bool by_rows = col_stride == 1;
  for (std::int64_t item = thread; item < k * kPanelPacks; item += threads) {
    // Neighbouring lanes take neighbouring elements of memory: packs of one row, or one pack of neighbouring rows.
    const std::int64_t r = by_rows ? item / kPanelPacks : item % k;
    const int pack = static_cast<int>(by_rows ? item % kPanelPacks : item / k);
    Pack<Value, kVec> x{};
    const Value* at = b + r * row_stride + pack * kVec * col_stride;
    if (packed && (pack + 1) * kVec <= count) {
      x = *reinterpret_cast<const Pack<Value, kVec>*>(at);
    } else {
#pragma unroll
      for (int c = 0; c < kVec; ++c)
        if (pack * kVec + c < count) x.at[c] = at[c * col_stride];
    }
    *reinterpret_cast<Pack<Value, kVec>*>(panel + panel_byte(r, pack)) = x;
  }
}

// Mapping: a block owns 128 bytes' worth of columns (32 of f32) and every row_blocks-th group of rows; a group of eight
// lanes takes one row of C at a time, each lane one 16-byte pack of its columns, in storage order of the row's entries.
// Shared memory: 128 k bytes. blockIdx.x runs over panels times row blocks, y over the batch.
// Source: PEERS of this design are the staged dense panels of Sputnik (SC 2020, section 5.3), here over the whole of k.
template <class Value, class Out, class Index>
__global__ void __launch_bounds__(1024, 1) spmm_panel(const SpmmArgs<Value, Out> args, const PanelGrid grid) {
  using S = Sum<Value>;
  constexpr int kVec = 16 / sizeof(Value), kColumns = kVec * kPanelPacks;
  extern __shared__ __align__(16) char panel[];
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  const std::int64_t j0 = blockIdx.x / grid.row_blocks * kColumns;
  const int lane = static_cast<int>(threadIdx.x) % kPanelPacks;
  const std::int64_t groups = blockDim.x / kPanelPacks;
  const int count = static_cast<int>(min(static_cast<std::int64_t>(kColumns), args.n - j0));
  const int my_count = max(0, min(kVec, count - lane * kVec));
  const std::int64_t row_block = blockIdx.x % grid.row_blocks;

  struct Fetch {
    const char* panel;
    int base, lane;
    bool conjugate;
    __device__ S element(Value x) const { return conjugate_if(conjugate, to_sum(x)); }
    __device__ Pack<Value, kVec> operator()(Index column) const {
      return *reinterpret_cast<const Pack<Value, kVec>*>(panel + panel_byte(column - base, lane));
    }
  };
  const Fetch fetch{panel, args.base, lane, args.conjugate_b};

  for (std::int64_t batch = blockIdx.y; batch < args.batches; batch += gridDim.y) {
    if (!skip) {
      __syncthreads();
      stage_panel(panel, args.b.values + batch * args.b.batch_stride + j0 * args.b.col_stride, args.b.row_stride,
                  args.b.col_stride, args.k, count, grid.packed_b);
      __syncthreads();
    }
    const auto* indices = static_cast<const Index*>(args.indices) + batch * args.indices_stride;
    const Value* values = args.values + batch * args.values_stride;
    for (std::int64_t row = row_block * groups + threadIdx.x / kPanelPacks; row < args.m;
         row += grid.row_blocks * groups) {
      S acc[kVec] = {};
      if (!skip) {
        const std::int64_t at = batch * args.offsets_stride + row;
        const std::int64_t begin = read_index(args.offsets, grid.offset_type, at) - args.base;
        const std::int64_t end = read_index(args.offsets, grid.offset_type, at + 1) - args.base;
        add_entries<kVec>(values, indices, begin, end, 0, 1, grid.aligned, args.conjugate_a, fetch, acc);
      }
      store_columns<kVec>(args, scaling, batch, row, j0 + lane * kVec, my_count, grid.packed_c, acc);
    }
  }
}

// Blocks that share a panel's columns: as many as fill the device once.
inline std::int64_t panel_row_blocks(const Device& device, std::int64_t m, std::int64_t panels, int groups) {
  const std::int64_t wanted = std::max<std::int64_t>(1, device.sm_count / std::max<std::int64_t>(1, panels));
  return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, (m + groups - 1) / groups));
}

template <class Value, class Out, class Index>
void launch_spmm_panel(const SpmmCall& call, const Launch& launch) {
  constexpr int kVec = 16 / sizeof(Value), kColumns = kVec * kPanelPacks;
  const SpmmProblem& p = call.p;
  const Operand b = operand(p.b, p.op_b);
  const std::int64_t panels = (p.n + kColumns - 1) / kColumns;
  // Fewer threads where there are few rows for each.
  int threads = 1024;
  while (threads > 256 && p.m * panels < std::int64_t{launch.device.sm_count} * threads / kPanelPacks) threads /= 2;
  PanelGrid grid{};
  grid.row_blocks = panel_row_blocks(launch.device, p.m, panels, threads / kPanelPacks);
  grid.aligned = reads_runs(call.rows);
  grid.packed_b =
      b.col_stride == 1 && is_aligned(b.values, 16) && b.row_stride % kVec == 0 && p.b.batch_stride % kVec == 0;
  grid.packed_c = packs_columns<Out>(p.c, kVec);
  grid.offset_type = call.rows.offset_type;
  const auto bytes = static_cast<int>(p.k * kPanelRowBytes);
  const auto kernel = &spmm_panel<Value, Out, Index>;
  if (bytes > 48 << 10)
    SPK_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 blocks(static_cast<unsigned>(panels * grid.row_blocks),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  kernel<<<blocks, threads, bytes, launch.stream>>>(spmm_args<Value, Out>(call), grid);
  SPK_CUDA_CHECK(cudaGetLastError());
}

template <class Value, class Out = Value>
void spmm_panel_by_index(const SpmmCall& call, const Launch& launch) {
  if (call.rows.index_type == IndexType::i64) return launch_spmm_panel<Value, Out, std::int64_t>(call, launch);
  launch_spmm_panel<Value, Out, std::int32_t>(call, launch);
}

}  // namespace spk::cuda
