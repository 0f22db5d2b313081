// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/spmm_args.cuh"

// SpMM for every storage, type, stride and size: one thread per element of C.
namespace spk::cuda {

// How blocks lie in memory; block_size is 1 for CSR.
struct BlockLayout {
  IndexType offset_type, index_type, position_type;
  std::int64_t block_size;
  bool col_major_blocks;         // BSR
  bool turned;                   // blocks are read transposed
  std::int64_t ell_slots;        // Blocked-ELL: block columns stored per block row; 0 for the others
  std::int64_t position_stride;  // between matrices of a batch
  const void* positions;         // place of a block in the value array, or NULL where it is its number
};

// Place in the value array of element (r, c) of stored block `slot`.
__device__ inline std::int64_t block_element(const BlockLayout& l, std::int64_t slot, std::int64_t r, std::int64_t c) {
  if (l.turned) {
    const std::int64_t swap = r;
    r = c;
    c = swap;
  }
  const std::int64_t s = l.block_size;
  if (l.ell_slots > 0)  // rows x ell_cols, row-major
    return (slot / l.ell_slots * s + r) * l.ell_slots * s + slot % l.ell_slots * s + c;
  return slot * s * s + (l.col_major_blocks ? c * s + r : r * s + c);
}

// Mapping: threads run over C along its contiguous direction, elements one after another; one thread makes the whole sum
// of its element, in storage order.
template <class Value, class Out>
__global__ void __launch_bounds__(256)
    spmm_any(const __grid_constant__ SpmmArgs<Value, Out> args, const BlockLayout layout) {
  using S = Sum<Value>;
  const Scaling<S> scaling = scaling_of(args);
  const bool skip = args.skips_product || scaling.alpha_is_zero;
  const bool by_rows = args.c.col_stride == 1;
  const std::int64_t inner = by_rows ? args.n : args.m, outer = by_rows ? args.m : args.n, s = layout.block_size;
  for (std::int64_t batch = blockIdx.z; batch < args.batches; batch += gridDim.z)
    for (std::int64_t o = blockIdx.y; o < outer; o += gridDim.y)
      for (std::int64_t x = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; x < inner;
           x += std::int64_t{gridDim.x} * blockDim.x) {
        const std::int64_t i = by_rows ? o : x, j = by_rows ? x : o;
        S sum{};
        if (!skip) {
          const std::int64_t major = i / s, r = i % s;
          std::int64_t begin = 0, end = 0;
          if (args.offsets == nullptr) {  // Blocked-ELL as stored
            begin = major * layout.ell_slots;
            end = begin + layout.ell_slots;
          } else {
            const std::int64_t at = batch * args.offsets_stride + major;
            begin = read_index(args.offsets, layout.offset_type, at) - args.base;
            end = read_index(args.offsets, layout.offset_type, at + 1) - args.base;
          }
          const Value* values = args.values + batch * args.values_stride;
          const Value* b = args.b.values + batch * args.b.batch_stride + j * args.b.col_stride;
          for (std::int64_t slot = begin; slot < end; ++slot) {
            const std::int64_t column =
                read_index(args.indices, layout.index_type, batch * args.indices_stride + slot) - args.base;
            if (column < 0) continue;  // padding of Blocked-ELL
            const std::int64_t place = layout.positions == nullptr ? slot
                                                                   : read_index(layout.positions, layout.position_type,
                                                                                batch * layout.position_stride + slot);
            for (std::int64_t c = 0; c < s; ++c)
              sum = multiply_add(conjugate_if(args.conjugate_a, to_sum(values[block_element(layout, place, r, c)])),
                                 conjugate_if(args.conjugate_b, to_sum(b[(column * s + c) * args.b.row_stride])), sum);
          }
        }
        store(args, scaling, batch, i, j, sum);
      }
}

template <class Value, class Out = Value>
void launch_spmm_any(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  const SparseView& a = call.rows;
  BlockLayout layout{};
  layout.offset_type = a.offset_type;
  layout.index_type = a.index_type;
  layout.position_type = call.position_type;
  layout.block_size = a.block_size;
  layout.col_major_blocks = a.block_order == Order::col;
  layout.turned = call.turned;
  layout.ell_slots = p.a.format == Format::blocked_ell ? p.a.slots_per_row() : 0;
  layout.position_stride = call.position_stride;
  layout.positions = call.block_positions;
  const bool by_rows = p.c.col_stride() == 1;
  const std::int64_t inner = by_rows ? p.n : p.m, outer = by_rows ? p.m : p.n;
  const int threads = inner <= 32 ? 32 : inner <= 64 ? 64 : inner <= 128 ? 128 : 256;
  const dim3 blocks(static_cast<unsigned>(std::min<std::int64_t>((inner + threads - 1) / threads, 1 << 20)),
                    static_cast<unsigned>(std::min<std::int64_t>(outer, 65535)),
                    static_cast<unsigned>(std::min<std::int64_t>(p.c.batch_count, 65535)));
  spmm_any<Value, Out><<<blocks, threads, 0, launch.stream>>>(spmm_args<Value, Out>(call), layout);
  SPK_CUDA_CHECK(cudaGetLastError());
}

}  // namespace spk::cuda
