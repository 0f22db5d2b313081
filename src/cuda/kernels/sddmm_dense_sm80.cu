// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sddmm_dense.cuh"

// SDDMM of CSR by whole tiles: a block forms 128 x kCols elements of op(A) op(B) on tensor cores, for one part of the
// inner size, puts them into shared memory and stores those that C has. For patterns so dense that a tile's elements
// cost less than its entries.
//
// 8 warps have 64 x 32 elements each (32 x 32 if kCols is 64). Slices come to shared memory as in sddmm_slices.cuh:
// rows of 128 bytes, whose permuted chunks of 16 bytes are just what ldmatrix reads without conflicts; 32 bytes of k
// are one step (16 f16, 8 f32). f32 operands are split into two TF32 numbers each and multiplied three times, which
// keeps the error of a product below 12 u (the lower parts lose a bit, the product of lower parts is left out); that
// needs k of some size to be inside the bound, and sums that are not finite are formed again, since the split of an
// infinity or of a number near the largest is no number. Shared memory: 3 * (128 + kCols) * 128 bytes of slices, used
// again for the tile, and 4 bytes per row.
namespace spk::cuda {
namespace {

constexpr int kRows = kSddmmDenseRows;

template <int kCols>
struct DenseConfig {
  static constexpr int kWarpRows = kCols == 128 ? 64 : 32, kWarpCols = 32;
  static constexpr int kTilesM = kWarpRows / 16, kTilesN = kWarpCols / 8;
  static constexpr int kWarpsM = kRows / kWarpRows;
  static constexpr int kStage = (kRows + kCols) * kSliceBytes;
  static constexpr int kStride = kCols + 4;  // floats of a row of the finished tile
  static constexpr int kTileBytes = kRows * kStride * 4;
  static constexpr int kSlices = kStages * kStage > kTileBytes ? kStages* kStage : kTileBytes;
  static constexpr int kShared = kSlices + (kRows + 1) * 4;
  static_assert(kWarpsM * (kCols / kWarpCols) * 32 == kSddmmTileThreads, "the warps cover the tile");
};

// 32 bytes of k of a 16 x 8 tile.
template <class Value>
__device__ void multiply_tile(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<Value, float>)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else if constexpr (std::is_same_v<Value, __half>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// One slice: 4 steps of 32 bytes.
template <class Value, int kCols>
__device__ void multiply_slice(float (&sums)[DenseConfig<kCols>::kTilesM][DenseConfig<kCols>::kTilesN][4],
                               unsigned slice, int row0, int col0, unsigned& least) {
  using Config = DenseConfig<kCols>;
  constexpr bool kSplit = std::is_same_v<Value, float>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    unsigned a[Config::kTilesM][4], b[Config::kTilesN / 2][4];
    const int a_row = row0 + lane % 16, a_byte = (step * 2 + lane / 16) * 16;
#pragma unroll
    for (int i = 0; i < Config::kTilesM; ++i)
      load_matrices(a[i], slice + static_cast<unsigned>(slice_byte(a_row + i * 16, a_byte)));
    const int b_row = kRows + col0 + lane / 16 * 8 + lane % 8, b_byte = (step * 2 + lane / 8 % 2) * 16;
#pragma unroll
    for (int j = 0; j < Config::kTilesN / 2; ++j)
      load_matrices(b[j], slice + static_cast<unsigned>(slice_byte(b_row + j * 16, b_byte)));
    if constexpr (!kSplit) {
#pragma unroll
      for (int i = 0; i < Config::kTilesM; ++i)
#pragma unroll
        for (int j = 0; j < Config::kTilesN; ++j)
          multiply_tile<Value>(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    } else {
      unsigned b_lower[Config::kTilesN / 2][4];
#pragma unroll
      for (int j = 0; j < Config::kTilesN / 2; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          note_size(b[j][e], least);
          split_in_two(b[j][e], b[j][e], b_lower[j][e]);
        }
#pragma unroll
      for (int i = 0; i < Config::kTilesM; ++i) {
        unsigned upper[4], lower[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          note_size(a[i][e], least);
          split_in_two(a[i][e], upper[e], lower[e]);
        }
#pragma unroll
        for (int j = 0; j < Config::kTilesN; ++j)
          multiply_tile<Value>(sums[i][j], lower, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
#pragma unroll
        for (int j = 0; j < Config::kTilesN; ++j)
          multiply_tile<Value>(sums[i][j], upper, b_lower[j / 2][j % 2 * 2], b_lower[j / 2][j % 2 * 2 + 1]);
#pragma unroll
        for (int j = 0; j < Config::kTilesN; ++j)
          multiply_tile<Value>(sums[i][j], upper, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

template <class Value, class Out, int kCols>
__global__ void __launch_bounds__(kSddmmTileThreads, kCols == 128 || std::is_same_v<Value, float> ? 1 : 2)
    sddmm_dense_kernel(const SddmmArgs<Value, Out> args, const SddmmTileShape shape) {
  using Config = DenseConfig<kCols>;
  constexpr int kSliceK = SddmmTileConfig<Value>::kSliceK;
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const starts = reinterpret_cast<unsigned*>(shared + Config::kSlices);
  std::int64_t unit = blockIdx.x;
  const int split = static_cast<int>(unit % shape.splits);
  unit /= shape.splits;
  const std::int64_t col0 = unit % shape.col_tiles * kCols;
  unit /= shape.col_tiles;
  const std::int64_t row0 = unit % shape.row_tiles * kRows, batch = unit / shape.row_tiles;
  const std::int64_t first = find_rows(args, starts, kRows, row0, batch);
  const SddmmFinish<Value, Out> finish(args);

  const Value* const a = args.a.values + batch * args.a.batch_stride + row0 * args.a.stride;
  const Value* const b = args.b.values + batch * args.b.batch_stride + col0 * args.b.stride;
  const int valid_rows = static_cast<int>(args.m - row0 < kRows ? args.m - row0 : kRows);
  const int valid_cols = static_cast<int>(args.n - col0 < kCols ? args.n - col0 : kCols);
  const std::int64_t all_slices = (args.k + kSliceK - 1) / kSliceK;
  const std::int64_t slice0 = std::int64_t{split} * shape.slices_per_split, left = all_slices - slice0;
  const int slices = static_cast<int>(finish.skips || left < 0        ? 0
                                      : left < shape.slices_per_split ? left
                                                                      : shape.slices_per_split);
  const auto copy = [&](int s) {
    if (s < slices) {
      unsigned char* const slice = shared + s % kStages * Config::kStage;
      const std::int64_t k = (slice0 + s) * kSliceK;
      copy_slice<Value>(slice, a, args.a.stride, args.a.k_stride, kRows, valid_rows, k, args.k, shape.copy_a);
      copy_slice<Value>(slice + kRows * kSliceBytes, b, args.b.stride, args.b.k_stride, kCols, valid_cols, k, args.k,
                        shape.copy_b);
    }
    close_copies();
  };
  clear_rows(shared, Config::kStage, valid_rows, kRows);
  clear_rows(shared + kRows * kSliceBytes, Config::kStage, valid_cols, kCols);
#pragma unroll 1
  for (int s = 0; s < kStages - 1; ++s) copy(s);

  float sums[Config::kTilesM][Config::kTilesN][4] = {};
  unsigned least = ~0u;
  __shared__ int again;
  if (threadIdx.x == 0) again = 0;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp % Config::kWarpsM * Config::kWarpRows;
  const int warp_col = warp / Config::kWarpsM * Config::kWarpCols;
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  for (int s = 0; s < slices; ++s) {
    wait_for_copies<1>();
    __syncthreads();  // slice s is there for all, and none reads slice s - 1 any more
    copy(s + 2);
    multiply_slice<Value, kCols>(sums, base + static_cast<unsigned>(s % kStages * Config::kStage), warp_row, warp_col,
                                 least);
  }
  wait_for_copies<0>();
  __syncthreads();
  if (too_small(least)) again = 1;

  float* const tile = reinterpret_cast<float*>(shared);
#pragma unroll
  for (int i = 0; i < Config::kTilesM; ++i)
#pragma unroll
    for (int j = 0; j < Config::kTilesN; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *reinterpret_cast<float2*>(tile + (warp_row + i * 16 + h * 8 + lane / 4) * Config::kStride + warp_col + j * 8 +
                                   lane % 4 * 2) = {sums[i][j][h * 2], sums[i][j][h * 2 + 1]};
  __syncthreads();

  const std::int64_t k0 = slice0 * kSliceK, k_end = k0 + std::int64_t{slices} * kSliceK;
  sample_tile<Value, Out, kCols, Config::kStride>(args, shape, finish, tile, starts, first, a, b, col0, batch, split,
                                                  k0, k_end < args.k ? k_end : args.k, again != 0);
}

template <class Value, class Out, int kCols>
void launch_dense(const SddmmProblem& p, const SddmmTiling& tiling, const Launch& launch) {
  const auto args = sddmm_args<Value, Out>(p);
  const SddmmTileShape shape = sddmm_tile_shape(args, p, tiling, launch);
  const std::int64_t blocks = shape.row_tiles * shape.col_tiles * tiling.splits * p.c.batch_count;
  constexpr int kShared = DenseConfig<kCols>::kShared;
  SPK_CUDA_CHECK(cudaFuncSetAttribute(sddmm_dense_kernel<Value, Out, kCols>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  sddmm_dense_kernel<Value, Out, kCols>
      <<<static_cast<unsigned>(blocks), kSddmmTileThreads, kShared, launch.stream>>>(args, shape);
  SPK_CUDA_CHECK(cudaGetLastError());
  join_sddmm_splits(args, tiling, launch);
}

}  // namespace

void sddmm_csr_dense__sm80(const SddmmProblem& p, const Launch& launch) {
  launch_sddmm_dense_sm80(p, sddmm_dense_tiling(launch.device, p), launch);
}

void launch_sddmm_dense_sm80(const SddmmProblem& p, const SddmmTiling& tiling, const Launch& launch) {
  visit_sddmm_types(p, [&](auto value, auto out) {
    using Value = typename decltype(value)::type;
    using Out = typename decltype(out)::type;
    if constexpr (std::is_same_v<Sum<Value>, float>) {
      if (tiling.cols == 128)
        launch_dense<Value, Out, 128>(p, tiling, launch);
      else
        launch_dense<Value, Out, 64>(p, tiling, launch);
    }
  });
}

}  // namespace spk::cuda
