// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sddmm_dense.cuh"
#include "cuda/kernels/sm90_products.cuh"

// SDDMM of CSR by whole tiles, as in sddmm_dense_sm80.cu, with the matrix products of SM 9.0a. A block forms 128 x 128
// elements; each of its two warpgroups has 64 rows. The slices' permutation is the hardware's 128-byte swizzle, so that
// op(B)'s slice, and op(A)'s of 16 bits, are operands as they lie there. Of f32 operands the block splits op(B)'s slice
// in shared memory, the upper parts in place, while the products of the slice before are under way; op(A)'s goes to
// registers and is split there. Shared memory: 3 slices of 32 KiB, used again for the tile; f32: 2 slices of lower
// parts, 16 KiB each; 4 bytes per row.
namespace spk::cuda {
namespace {

constexpr int kRows = kSddmmDenseRows, kCols = 128, kStride = kCols + 4;
constexpr int kOperand = kRows * kSliceBytes, kStage = 2 * kOperand;
static_assert(kRows * kStride * 4 <= kStages * kStage, "the tile fits where the slices were");
template <class Value>
constexpr int kLower = std::is_same_v<Value, float> ? 2 * kOperand : 0;
template <class Value>
constexpr int kShared = 1024 + kStages* kStage + kLower<Value> + (kRows + 1) * 4;  // 1024: the swizzle's alignment

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// op(B)'s slice: upper parts in place, lower parts to `lower`.
__device__ void split_slice(unsigned char* slice, unsigned char* lower, unsigned& least) {
#pragma unroll
  for (int i = 0; i < kOperand / 16 / kSddmmTileThreads; ++i) {
    const int at = (static_cast<int>(threadIdx.x) + i * kSddmmTileThreads) * 16;
    uint4 x = *reinterpret_cast<const uint4*>(slice + at), low;
    note_size(x.x, least);
    note_size(x.y, least);
    note_size(x.z, least);
    note_size(x.w, least);
    split_in_two(x.x, x.x, low.x);
    split_in_two(x.y, x.y, low.y);
    split_in_two(x.z, x.z, low.z);
    split_in_two(x.w, x.w, low.w);
    *reinterpret_cast<uint4*>(slice + at) = x;
    *reinterpret_cast<uint4*>(lower + at) = low;
  }
}

// The products of one slice are put on their way: 4 steps of 32 bytes of k.
__device__ void start_products(float (&sums)[64], unsigned slice, unsigned lower, int row, bool first,
                               unsigned& least) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned upper_a[4][4], lower_a[4][4];
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    load_matrices(upper_a[step],
                  slice + static_cast<unsigned>(slice_byte(row + lane % 16, (step * 2 + lane / 16) * 16)));
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      note_size(upper_a[step][e], least);
      split_in_two(upper_a[step][e], upper_a[step][e], lower_a[step][e]);
    }
  }
  const std::uint64_t upper_b = sm90::descriptor(slice + kOperand), lower_b = sm90::descriptor(lower);
  sm90::product_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    const int along = step * (32 >> 4);
    sm90::ProductTf32<128>::add(sums, lower_a[step], upper_b + along, first && step == 0 ? 0 : 1);
    sm90::ProductTf32<128>::add(sums, upper_a[step], lower_b + along, 1);
    sm90::ProductTf32<128>::add(sums, upper_a[step], upper_b + along, 1);
  }
  sm90::product_commit();
}

template <class Value>
__device__ void start_products(float (&sums)[64], unsigned slice, bool first) {
  const std::uint64_t a = sm90::descriptor(slice + threadIdx.x / 128 * (64 * kSliceBytes));
  const std::uint64_t b = sm90::descriptor(slice + kOperand);
  sm90::product_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    const int along = step * (32 >> 4);
    sm90::HalfProduct<Value, 128, false, false>::add(sums, a + along, b + along, first && step == 0 ? 0 : 1);
  }
  sm90::product_commit();
}
#endif

template <class Value, class Out>
__global__ void __launch_bounds__(kSddmmTileThreads, 1)
    sddmm_dense_sm90_kernel(const SddmmArgs<Value, Out> args, const SddmmTileShape shape) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr int kSliceK = SddmmTileConfig<Value>::kSliceK;
  constexpr bool kSplit = std::is_same_v<Value, float>;
  extern __shared__ unsigned char dynamic[];
  unsigned char* const shared = dynamic + (1024 - sm90::shared_address(dynamic) % 1024) % 1024;
  unsigned char* const lower = shared + kStages * kStage;
  auto* const starts = reinterpret_cast<unsigned*>(lower + kLower<Value>);
  __shared__ int again;
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
      unsigned char* const slice = shared + s % kStages * kStage;
      const std::int64_t k = (slice0 + s) * kSliceK;
      copy_slice<Value>(slice, a, args.a.stride, args.a.k_stride, kRows, valid_rows, k, args.k, shape.copy_a);
      copy_slice<Value>(slice + kOperand, b, args.b.stride, args.b.k_stride, kCols, valid_cols, k, args.k,
                        shape.copy_b);
    }
    close_copies();
  };
  clear_rows(shared, kStage, valid_rows, kRows);
  clear_rows(shared + kOperand, kStage, valid_cols, kCols);
#pragma unroll 1
  for (int s = 0; s < kStages - 1; ++s) copy(s);
  if (threadIdx.x == 0) again = 0;

  float sums[64] = {};
  unsigned least = ~0u;
  const unsigned base = sm90::shared_address(shared);
  const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 * 16;
  for (int s = 0; s < slices; ++s) {
    wait_for_copies<1>();
    if constexpr (kSplit) {
      __syncthreads();  // the slice is there for all
      split_slice(shared + s % kStages * kStage + kOperand, lower + s % 2 * kOperand, least);
    }
    sm90::proxy_fence();  // what was written here is for matrix products
    sm90::product_wait<0>();
    __syncthreads();  // the slice is ready, and none multiplies slice s - 1 any more
    copy(s + 2);
    const unsigned slice = base + static_cast<unsigned>(s % kStages * kStage);
    if constexpr (kSplit)
      start_products(sums, slice, base + static_cast<unsigned>(kStages * kStage + s % 2 * kOperand), row, s == 0,
                     least);
    else
      start_products<Value>(sums, slice, s == 0);
  }
  sm90::product_wait<0>();
  sm90::keep(sums);
  wait_for_copies<0>();
  __syncthreads();
  if (kSplit && too_small(least)) again = 1;

  float* const tile = reinterpret_cast<float*>(shared);
#pragma unroll
  for (int j = 0; j < kCols / 8; ++j)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float2*>(tile + (row + h * 8 + lane / 4) * kStride + j * 8 + lane % 4 * 2) = {
          sums[j * 4 + h * 2], sums[j * 4 + h * 2 + 1]};
  __syncthreads();

  const std::int64_t k0 = slice0 * kSliceK, k_end = k0 + std::int64_t{slices} * kSliceK;
  sample_tile<Value, Out, kCols, kStride>(args, shape, finish, tile, starts, first, a, b, col0, batch, split, k0,
                                          k_end < args.k ? k_end : args.k, again != 0);
#endif
}

template <class Value, class Out>
void launch_dense(const SddmmProblem& p, const SddmmTiling& tiling, const Launch& launch) {
  const auto args = sddmm_args<Value, Out>(p);
  const SddmmTileShape shape = sddmm_tile_shape(args, p, tiling, launch);
  const std::int64_t blocks = shape.row_tiles * shape.col_tiles * tiling.splits * p.c.batch_count;
  SPK_CUDA_CHECK(cudaFuncSetAttribute(sddmm_dense_sm90_kernel<Value, Out>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      kShared<Value>));
  sddmm_dense_sm90_kernel<Value, Out>
      <<<static_cast<unsigned>(blocks), kSddmmTileThreads, kShared<Value>, launch.stream>>>(args, shape);
  SPK_CUDA_CHECK(cudaGetLastError());
  join_sddmm_splits(args, tiling, launch);
}

}  // namespace

void sddmm_csr_dense__sm90(const SddmmProblem& p, const Launch& launch) {
  const SddmmTiling tiling = sddmm_dense_sm90_tiling(launch.device, p);
  if (!launch.device.runs_sm90a) return launch_sddmm_dense_sm80(p, tiling, launch);
  visit_sddmm_types(p, [&](auto value, auto out) {
    using Value = typename decltype(value)::type;
    using Out = typename decltype(out)::type;
    if constexpr (std::is_same_v<Sum<Value>, float>) launch_dense<Value, Out>(p, tiling, launch);
  });
}

}  // namespace spk::cuda
