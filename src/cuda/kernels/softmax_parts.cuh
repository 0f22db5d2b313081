// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/softmax_rows.cuh"

// Rows that several blocks share.
namespace spk::cuda {

// The row that has an entry at position `place`: the first one that ends behind it.
__device__ inline std::int64_t softmax_row_of(const SoftmaxStructure& a, std::int64_t batch, std::int64_t place) {
  std::int64_t low = 0, high = a.rows - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (softmax_offset(a, batch, middle + 1) > place)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// A block has one part of a matrix' entries, and in it those of rows longer than two parts. Such a row holds the first
// or the last entry of every part it meets: the State of the former goes to slot 0 of the part, that of the latter to
// slot 1. kWrites: with all states there, the entries are written.
template <class Op, bool kWrites>
__global__ void __launch_bounds__(kSoftmaxThreads, 1)
    softmax_parts_kernel(const typename Op::Arguments arguments, const SoftmaxStructure a, SoftmaxParts parts,
                         typename Op::State* states) {
  __shared__ double room[kSoftmaxThreads / 32];
  __shared__ std::int64_t rows[2];
  const std::int64_t batch = blockIdx.x / parts.count, part = blockIdx.x % parts.count;
  const std::int64_t begin = a.first_entry + part * parts.length, last = a.first_entry + a.nnz;
  const std::int64_t end = begin + parts.length < last ? begin + parts.length : last;
  const Op op(arguments, batch);
  const BlockOf<kSoftmaxThreads> block{room};
  states += batch * parts.count * 2;
  if (threadIdx.x < 64 && threadIdx.x % 32 == 0)
    rows[threadIdx.x / 32] = softmax_row_of(a, batch, threadIdx.x == 0 ? begin : end - 1);
  __syncthreads();
  for (int slot = 0; slot < (rows[0] == rows[1] ? 1 : 2); ++slot) {
    const SoftmaxRange row = softmax_row(a, batch, rows[slot]);
    if (row.end - row.begin <= 2 * parts.length) continue;
    const SoftmaxRange here{row.begin > begin ? row.begin : begin, row.end < end ? row.end : end};
    if constexpr (!kWrites) {
      const typename Op::State state = state_of(op, block, here);
      if (threadIdx.x == 0) states[part * 2 + slot] = state;
    } else {
      const std::int64_t first = (row.begin - a.first_entry) / parts.length;
      const std::int64_t final = (row.end - 1 - a.first_entry) / parts.length;
      const bool first_begins_before = row.begin > a.first_entry + first * parts.length;
      typename Op::State state = Op::empty();
      for (std::int64_t i = first + threadIdx.x; i <= final; i += kSoftmaxThreads)
        state = op.merge(state, states[i * 2 + (i == first && first_begins_before ? 1 : 0)]);
      write_part(op, block, here, op.join(state, block));
    }
  }
}

template <class Op>
void launch_softmax_parts(const typename Op::Arguments& arguments, const SoftmaxStructure& a, const Launch& launch) {
  const SoftmaxParts parts = softmax_parts(launch.device, a.nnz);
  const auto blocks = static_cast<unsigned>(parts.count * a.batches);
  auto* const states = static_cast<typename Op::State*>(launch.workspace);
  softmax_parts_kernel<Op, false><<<blocks, kSoftmaxThreads, 0, launch.stream>>>(arguments, a, parts, states);
  SPK_CUDA_CHECK(cudaGetLastError());
  softmax_parts_kernel<Op, true><<<blocks, kSoftmaxThreads, 0, launch.stream>>>(arguments, a, parts, states);
  SPK_CUDA_CHECK(cudaGetLastError());
  launch_softmax_rows<Op>(arguments, a, 2 * parts.length, launch);
}

}  // namespace spk::cuda
