// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/sddmm_args.cuh"

// What the SDDMM kernels that work on tiles of C share: how slices of the operands get to shared memory, which entries
// a tile's rows have, and how parts of the inner size are added.
//
// A slice is 128 bytes of k of each row of op(A) and column of op(B). Its chunks of 16 bytes are permuted by the row's
// last 3 bits so that neither copies along k nor copies across rows meet in a bank.
namespace spk::cuda {

constexpr int kSliceBytes = kSddmmSliceBytes, kStages = kSddmmStages,
              kLanes = 8;  // lanes that share a dot: 16 bytes each

template <class Value>
struct SddmmTileConfig {
  using S = Sum<Value>;
  static constexpr int kThreads = kSddmmTileThreads;
  static constexpr int kGroups = kThreads / kLanes;
  static constexpr int kCapacity = sddmm_tile_capacity(sizeof(S));
  static constexpr int kEntries = kCapacity / kGroups;    // of a group, whose sums are in registers
  static constexpr int kBlocks = sizeof(S) == 4 ? 2 : 1;  // on a multiprocessor, as far as registers go
  static constexpr int kList = kSddmmTileList;
  static constexpr int kSliceK = kSliceBytes / static_cast<int>(sizeof(Value));
  static constexpr int kVector = 16 / static_cast<int>(sizeof(Value));  // elements of a lane
  static_assert(kEntries % kLanes == 0, "sums are exchanged among the lanes of a group in rounds of 8");
};

// How a tile's operands get to shared memory.
enum class SddmmCopy : int {
  vectors,   // 16 bytes at a time: contiguous along k, aligned
  along_k,   // elements, neighbouring lanes along k
  across_k,  // elements, neighbouring lanes on neighbouring rows
};

struct SddmmTileShape {
  int rows, cols, splits;
  int slices_per_split;
  SddmmCopy copy_a, copy_b;
  std::int64_t row_tiles, col_tiles;
  void* partial;  // splits > 1: sums, (splits, batches, nnz)
};

// Copies one aligned piece of 2, 4, 8 or 16 bytes, or zeros; the wait is wait_for_copies().
template <int kBytes>
__device__ void copy_piece(unsigned char* to, const void* from, bool valid) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kBytes >= 4) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (kBytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(address), "l"(from), "r"(valid ? 16 : 0)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n" ::"r"(address), "l"(from), "n"(kBytes),
                   "r"(valid ? kBytes : 0)
                   : "memory");
    return;
  }
#endif
  if constexpr (kBytes == 16)
    *reinterpret_cast<uint4*>(to) = valid ? *static_cast<const uint4*>(from) : uint4{};
  else if constexpr (kBytes == 8)
    *reinterpret_cast<uint2*>(to) = valid ? *static_cast<const uint2*>(from) : uint2{};
  else if constexpr (kBytes == 4)
    *reinterpret_cast<unsigned*>(to) = valid ? *static_cast<const unsigned*>(from) : 0u;
  else
    *reinterpret_cast<unsigned short*>(to) = valid ? *static_cast<const unsigned short*>(from) : (unsigned short)0;
}

__device__ inline void close_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}
template <int kLeft>
__device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kLeft) : "memory");
#endif
}

// Byte of element k of row `row` in a slice.
__device__ inline int slice_byte(int row, int byte) {
  return row * kSliceBytes + ((byte / 16 ^ row % 8) * 16 | byte % 16);
}

template <class Value>
__device__ void copy_element(unsigned char* to, const Value* from, bool valid) {
  if constexpr (kIsComplex<Value>) {
    constexpr int kHalf = sizeof(Value) / 2;
    copy_piece<kHalf>(to, &from->re, valid);
    copy_piece<kHalf>(to + kHalf, &from->im, valid);
  } else {
    copy_piece<sizeof(Value)>(to, from, valid);
  }
}

// Elements [k, k + slice) of `count` rows of an operand, the first of them `values`. Beyond k_end there are zeros; rows
// beyond `valid` are not touched, as no entry is there.
template <class Value>
__device__ void copy_slice(unsigned char* slice, const Value* values, std::int64_t stride, std::int64_t k_stride,
                           int count, int valid, std::int64_t k, std::int64_t k_end, SddmmCopy how) {
  using Config = SddmmTileConfig<Value>;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  constexpr int kWarps = Config::kThreads / 32;
  if (how == SddmmCopy::vectors) {
    constexpr int kRows = Config::kThreads / 8;
    static_assert(kRows % 8 == 0, "the rows of a thread have one permutation");
    const int chunk = thread % 8;
    int row = thread / 8;
    const std::int64_t at = k + chunk * Config::kVector;
    unsigned char* to = slice + slice_byte(row, chunk * 16);
    const Value* from = values + row * stride + at;
    if (at + Config::kVector <= k_end || at >= k_end) {
      for (; row < valid; row += kRows, to += kRows * kSliceBytes, from += kRows * stride)
        copy_piece<16>(to, at < k_end ? from : values, at < k_end);
    } else {
      for (; row < valid; row += kRows, to += kRows * kSliceBytes, from += kRows * stride)
#pragma unroll 1
        for (int e = 0; e < Config::kVector; ++e)
          copy_element(to + e * sizeof(Value), at + e < k_end ? from + e : values, at + e < k_end);
    }
  } else if (how == SddmmCopy::along_k) {
    for (int row = warp; row < valid; row += kWarps)
#pragma unroll 1
      for (int e = lane; e < Config::kSliceK; e += 32) {
        const bool in = k + e < k_end;
        copy_element(slice + slice_byte(row, e * static_cast<int>(sizeof(Value))),
                     in ? values + row * stride + (k + e) : values, in);
      }
  } else {
    for (int row = warp * 8 + lane % 8; row < count; row += kWarps * 8) {
      if (row >= valid) continue;
#pragma unroll 4
      for (int e = lane / 8; e < Config::kSliceK; e += 4) {
        const bool in = k + e < k_end;
        copy_element(slice + slice_byte(row, e * static_cast<int>(sizeof(Value))),
                     in ? values + row * stride + (k + e) * k_stride : values, in);
      }
    }
  }
}

// 16 bytes of an operand's row, widened.
template <class Value>
struct SddmmVector {
  static constexpr int kSize = SddmmTileConfig<Value>::kVector;
  Sum<Value> x[kSize];
  __device__ static SddmmVector of(uint4 raw) {
    SddmmVector v;
    if constexpr (std::is_same_v<Value, float>) {
      v.x[0] = __uint_as_float(raw.x);
      v.x[1] = __uint_as_float(raw.y);
      v.x[2] = __uint_as_float(raw.z);
      v.x[3] = __uint_as_float(raw.w);
    } else if constexpr (std::is_same_v<Value, __nv_bfloat16>) {
      const unsigned word[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        v.x[2 * i] = __uint_as_float(word[i] << 16);
        v.x[2 * i + 1] = __uint_as_float(word[i] & 0xffff0000u);
      }
    } else if constexpr (std::is_same_v<Value, __half>) {
      const unsigned word[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        v.x[2 * i] = __half2float(__ushort_as_half(static_cast<unsigned short>(word[i] & 0xffffu)));
        v.x[2 * i + 1] = __half2float(__ushort_as_half(static_cast<unsigned short>(word[i] >> 16)));
      }
    } else if constexpr (std::is_same_v<Value, double>) {
      v.x[0] = __hiloint2double(static_cast<int>(raw.y), static_cast<int>(raw.x));
      v.x[1] = __hiloint2double(static_cast<int>(raw.w), static_cast<int>(raw.z));
    } else if constexpr (std::is_same_v<Value, Complex<float>>) {
      v.x[0] = {__uint_as_float(raw.x), __uint_as_float(raw.y)};
      v.x[1] = {__uint_as_float(raw.z), __uint_as_float(raw.w)};
    } else {
      v.x[0] = {__hiloint2double(static_cast<int>(raw.y), static_cast<int>(raw.x)),
                __hiloint2double(static_cast<int>(raw.w), static_cast<int>(raw.z))};
    }
    return v;
  }
};

// Rows [row0, row0 + rows) of C: the position of the first entry, and into `starts` (rows + 1) the entries before each
// row; starts[rows] is their number. The next barrier makes `starts` visible.
template <class Value, class Out>
__device__ std::int64_t find_rows(const SddmmArgs<Value, Out>& args, unsigned* starts, int rows, std::int64_t row0,
                                  std::int64_t batch) {
  const std::int64_t shift = batch * args.offsets_stride;
  const std::int64_t first = load_index(args.offsets, args.offset_type, shift + row0);
  for (int i = static_cast<int>(threadIdx.x); i <= rows; i += kSddmmTileThreads) {
    const std::int64_t row = row0 + i < args.m ? row0 + i : args.m;
    starts[i] = static_cast<unsigned>(load_index(args.offsets, args.offset_type, shift + row) - first);
  }
  return first - args.base;
}

// The row of entry t of a tile's rows: the last one that starts at or before it.
__device__ inline int row_of(const unsigned* starts, int rows, unsigned t) {
  int low = 0;
#pragma unroll
  for (int step = 128; step > 0; step /= 2)
    if (low + step < rows && starts[low + step] <= t) low += step;
  return low;
}

// Adds the sums of 8 entries over the 8 lanes of a group; lane l returns that of entry l.
template <class S>
__device__ S exchange_sums(const S (&sums)[8], int lane) {
  S four[4], two[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const S keep = lane & 4 ? sums[i + 4] : sums[i], send = lane & 4 ? sums[i] : sums[i + 4];
    four[i] = add(keep, shuffle_xor(send, 4));
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const S keep = lane & 2 ? four[i + 2] : four[i], send = lane & 2 ? four[i] : four[i + 2];
    two[i] = add(keep, shuffle_xor(send, 2));
  }
  const S keep = lane & 1 ? two[1] : two[0], send = lane & 1 ? two[0] : two[1];
  return add(keep, shuffle_xor(send, 1));
}

// Adds the parts of the inner size, in their order. One thread per entry.
template <class Value, class Out>
__global__ void __launch_bounds__(256)
    sddmm_join_kernel(const SddmmArgs<Value, Out> args, const Sum<Value>* partial, int splits) {
  const SddmmFinish<Value, Out> finish(args);
  const std::int64_t all = args.nnz * args.batches, step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t t = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; t < all; t += step) {
    Sum<Value> sum{};
    if (!finish.skips) {
      sum = partial[t];
      for (int s = 1; s < splits; ++s) sum = add(sum, partial[s * all + t]);
    }
    const std::int64_t batch = args.batches == 1 ? 0 : t / args.nnz;
    finish.store(args.values + batch * args.values_stride + args.first_entry + (t - batch * args.nnz), sum);
  }
}

inline bool aligned_to_16(const void* p, std::int64_t stride_bytes, std::int64_t batch_bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && stride_bytes % 16 == 0 && batch_bytes % 16 == 0;
}

template <class Value>
SddmmCopy how_to_copy(const SddmmOperand<Value>& x) noexcept {
  constexpr std::int64_t kSize = sizeof(Value);
  if (x.k_stride != 1) return SddmmCopy::across_k;
  return aligned_to_16(x.values, x.stride * kSize, x.batch_stride * kSize) ? SddmmCopy::vectors : SddmmCopy::along_k;
}

template <class Value, class Out>
SddmmTileShape sddmm_tile_shape(const SddmmArgs<Value, Out>& args, const SddmmProblem& p, const SddmmTiling& tiling,
                                const Launch& launch) noexcept {
  SddmmTileShape shape{};
  shape.rows = tiling.rows;
  shape.cols = tiling.cols;
  shape.splits = tiling.splits;
  constexpr std::int64_t kSliceK = SddmmTileConfig<Value>::kSliceK;
  const std::int64_t slices = (p.k + kSliceK - 1) / kSliceK;
  shape.slices_per_split = static_cast<int>((slices + tiling.splits - 1) / tiling.splits);
  shape.copy_a = how_to_copy(args.a);
  shape.copy_b = how_to_copy(args.b);
  shape.row_tiles = (p.m + tiling.rows - 1) / tiling.rows;
  shape.col_tiles = (p.n + tiling.cols - 1) / tiling.cols;
  shape.partial = launch.workspace;
  return shape;
}

template <class Value, class Out>
void join_sddmm_splits(const SddmmArgs<Value, Out>& args, const SddmmTiling& tiling, const Launch& launch) {
  if (tiling.splits == 1) return;
  constexpr int kThreads = 256;
  const std::int64_t blocks = (args.nnz * args.batches + kThreads - 1) / kThreads;
  const std::int64_t most = std::int64_t{launch.device.sm_count} * 16;
  sddmm_join_kernel<Value, Out><<<static_cast<unsigned>(blocks < most ? blocks : most), kThreads, 0, launch.stream>>>(
      args, static_cast<const Sum<Value>*>(launch.workspace), tiling.splits);
  SPK_CUDA_CHECK(cudaGetLastError());
}

}  // namespace spk::cuda
