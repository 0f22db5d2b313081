// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/spmm_cost.hpp"

// SpMM for op(B) stored by columns with too many rows for a panel: rows of op(B) are made in the workspace, and the
// kernels that split rows or nonzeros multiply.
namespace spk::cuda {
namespace {

constexpr int kTile = 32;

struct Turn {
  const void* from;  // op(B), element (i, j) at i + j * ld
  void* to;          // element (i, j) at i * n + j
  std::int64_t k, n, ld, from_stride, to_stride, matrices;
};

// Mapping: a block of 32 x 8 threads moves tiles of 32 x 32 elements through shared memory (33 words of its size a row,
// so that columns meet different banks); blockIdx.x over tiles, y over matrices.
template <class Word>
__global__ void __launch_bounds__(256) turn(const Turn t) {
  __shared__ Word tile[kTile][kTile + 1];
  let_kernel_behind_start();
  const std::int64_t across = (t.n + kTile - 1) / kTile, tiles = across * ((t.k + kTile - 1) / kTile);
  const int x = static_cast<int>(threadIdx.x) % kTile, y = static_cast<int>(threadIdx.x) / kTile;
  for (std::int64_t matrix = blockIdx.y; matrix < t.matrices; matrix += gridDim.y) {
    const Word* from = static_cast<const Word*>(t.from) + matrix * t.from_stride;
    Word* to = static_cast<Word*>(t.to) + matrix * t.to_stride;
    for (std::int64_t at = blockIdx.x; at < tiles; at += gridDim.x) {
      const std::int64_t i0 = at / across * kTile, j0 = at % across * kTile;
#pragma unroll
      for (int r = y; r < kTile; r += 8)
        if (i0 + x < t.k && j0 + r < t.n) tile[r][x] = from[i0 + x + (j0 + r) * t.ld];
      __syncthreads();
#pragma unroll
      for (int r = y; r < kTile; r += 8)
        if (i0 + r < t.k && j0 + x < t.n) to[(i0 + r) * t.n + j0 + x] = tile[x][r];
      __syncthreads();
    }
  }
}

std::int64_t matrices_of_b(const SpmmProblem& p) noexcept { return p.b.batch_stride == 0 ? 1 : p.b.batch_count; }

void multiply_turned(const SpmmCall& call, const Launch& launch, SpmmKernel& split_rows, SpmmKernel& short_rows,
                     SpmmKernel& split_nonzeros) {
  const SpmmProblem& p = call.p;
  SpmmProblem turned = p;
  // The same op(B), its rows now contiguous.
  DenseView& b = turned.b;
  b.order = p.op_b == Op::n ? Order::row : Order::col;
  b.ld = std::max<std::int64_t>(p.n, 1);
  b.values = launch.workspace;
  b.batch_stride = matrices_of_b(p) == 1 ? 0 : p.k * p.n;
  if (!p.skips_product()) {
    const Turn t{p.b.values, launch.workspace, p.k, p.n, p.b.ld, p.b.batch_stride, b.batch_stride, matrices_of_b(p)};
    const std::int64_t tiles = (p.k + kTile - 1) / kTile * ((p.n + kTile - 1) / kTile);
    const dim3 blocks(static_cast<unsigned>(std::clamp<std::int64_t>(tiles, 1, 1 << 20)),
                      static_cast<unsigned>(std::min<std::int64_t>(t.matrices, 65535)));
    switch (size_of(p.b.type)) {
      case 2: turn<std::uint16_t><<<blocks, 256, 0, launch.stream>>>(t); break;
      case 4: turn<std::uint32_t><<<blocks, 256, 0, launch.stream>>>(t); break;
      case 8:
        p.b.type == ValueType::f64 ? turn<double><<<blocks, 256, 0, launch.stream>>>(t)
                                   : turn<Complex<float>><<<blocks, 256, 0, launch.stream>>>(t);
        break;
      default: turn<Complex<double>><<<blocks, 256, 0, launch.stream>>>(t); break;
    }
    SPK_CUDA_CHECK(cudaGetLastError());
  }
  SpmmCall behind{turned, call.rows};
  behind.behind_b = !p.skips_product();
  const Launch rest{launch.device, launch.stream, static_cast<char*>(launch.workspace) + turned_bytes(p)};
  const double rows = cost_rows(launch.device, turned), shorts = cost_short_rows(launch.device, turned);
  const bool by_nonzeros = cost_nnz_rows(launch.device, turned) < std::min(rows, shorts);
  (by_nonzeros ? split_nonzeros : shorts < rows ? short_rows : split_rows)(behind, rest);
}

}  // namespace

#define SPK_TURNED(type)                                                                           \
  void spmm_turned_##type(const SpmmCall& call, const Launch& launch) {                            \
    multiply_turned(call, launch, spmm_rows_##type, spmm_short_rows_##type, spmm_nnz_rows_##type); \
  }
SPK_TURNED(f32)
SPK_TURNED(f64)
SPK_TURNED(f16)
SPK_TURNED(bf16)
SPK_TURNED(c64)
SPK_TURNED(c128)
#undef SPK_TURNED

}  // namespace spk::cuda
