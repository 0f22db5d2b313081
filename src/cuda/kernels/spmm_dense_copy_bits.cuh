// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/spmm_dense_copy_expand.hpp"
#include "cuda/kernels/spmm_dense_tile.cuh"
#include "cuda/spmm_dense_copy.hpp"

// What the kernels share that make a dense copy of op(A), from its rows (spmm_dense_copy_expand.cu) or from its columns
// (spmm_dense_copy_columns.cu).
namespace spk::cuda {

// What becomes of values in kPlanes copies, 16 bytes of them at a time.
struct HalfBits {
  using Value = std::uint16_t;
  using Four = ushort4;
  static constexpr int kPlanes = 1;
  static __device__ Value nan() { return 0x7fff; }  // of both types
  static __device__ bool is_too_small(Value) { return false; }
  static __device__ uint4 of(uint4 pack, int) { return pack; }
};
struct Tf32Bits {
  using Value = float;
  using Four = float4;
  static constexpr int kPlanes = 1;
  static __device__ Value nan() { return __uint_as_float(0x7fffffff); }
  static __device__ bool is_too_small(Value) { return false; }
  static __device__ std::uint32_t hi(std::uint32_t x) { return round_to_tf32(__uint_as_float(x)); }
  static __device__ uint4 of(uint4 x, int) { return {hi(x.x), hi(x.y), hi(x.z), hi(x.w)}; }
};
struct SplitBits : Tf32Bits {
  static constexpr int kPlanes = 2;
  static __device__ bool is_too_small(Value x) { return smallness(__float_as_uint(x)) < kSmallness; }
  // Exact; the products leave out what tf32 does not hold.
  static __device__ std::uint32_t lo(std::uint32_t x) {
    return __float_as_uint(__uint_as_float(x) - __uint_as_float(hi(x)));
  }
  static __device__ uint4 of(uint4 x, int plane) {
    return plane == 0 ? Tf32Bits::of(x, 0) : uint4{lo(x.x), lo(x.y), lo(x.z), lo(x.w)};
  }
};

template <class Value>
struct CopyArgs {
  const void* offsets;
  const int* columns;
  const Value* values;
  std::int64_t offsets_stride, columns_stride, values_stride;
  std::int64_t m, rows;  // of one matrix, of all
  std::int64_t matrices;
  int k, base;
  bool wide_offsets;
  int packs;           // of 16 bytes in a row of the copy
  std::int64_t plane;  // packs from plane to plane
  uint4* copy;
};

template <class Args>
__device__ int first_entry(const Args& args, std::int64_t at) {
  return static_cast<int>((args.wide_offsets ? static_cast<const std::int64_t*>(args.offsets)[at]
                                             : static_cast<const std::int32_t*>(args.offsets)[at]) -
                          args.base);
}

template <class Kind>
CopyArgs<typename Kind::Value> copy_args(const SpmmCall& call, const Launch& launch) {
  using Value = typename Kind::Value;
  const SpmmProblem& p = call.p;
  const SparseView& a = call.rows;
  CopyArgs<Value> args{};
  args.offsets = a.offsets;
  args.columns = static_cast<const int*>(a.minor_indices());
  args.values = static_cast<const Value*>(a.values);
  args.offsets_stride = a.offsets_stride;
  args.columns_stride = a.indices_stride;
  args.values_stride = a.values_stride;
  args.m = p.m;
  args.matrices = copy_matrices(p);
  args.rows = p.m * args.matrices;
  args.k = static_cast<int>(p.k);
  args.base = a.base;
  args.wide_offsets = a.offset_type == IndexType::i64;
  args.packs = static_cast<int>(copy_ld(p) * static_cast<std::int64_t>(sizeof(Value)) / 16);
  args.plane = p.m * args.packs;
  args.copy = static_cast<uint4*>(launch.workspace);
  return args;
}

// From columns of op(A).
template <class Kind>
void copy_columns(const SpmmCall& call, const Launch& launch);

}  // namespace spk::cuda
