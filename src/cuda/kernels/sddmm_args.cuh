// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/sddmm.hpp"
#include "cuda/value.cuh"

// What every SDDMM kernel gets by value, where an entry lies, and how it is finished.
namespace spk::cuda {

// op(A), or op(B) seen as its transpose: element l of row (column) i is values[i * stride + l * k_stride]; one of the
// strides is 1.
template <class T>
struct SddmmOperand {
  const T* values;
  std::int64_t stride, k_stride, batch_stride;
};

template <class Value, class Out>
struct SddmmArgs {
  using S = Sum<Value>;
  std::int64_t m, n, k, batches;
  SddmmOperand<Value> a, b;
  bool conjugate_a, conjugate_b;
  const void* offsets;  // major + 1, from `base`
  const void* indices;  // from `base`
  Out* values;
  IndexType offset_type, index_type;
  int base;
  bool columns_inside;            // order of the elements of a block
  std::int64_t major;             // rows, or block rows
  std::int64_t block_size;        // 1 for CSR
  std::int64_t first_entry, nnz;  // first_entry counts blocks, nnz elements
  std::int64_t offsets_stride, indices_stride, values_stride;
  ScalarArgument<S> alpha, beta;
  bool skips_product;  // nothing of A and B may be read
};

template <class Value, class Out>
SddmmArgs<Value, Out> sddmm_args(const SddmmProblem& p) {
  const Operand a = operand(p.a, p.op_a), b = operand(p.b, p.op_b);
  const SparseView& c = p.c;
  SddmmArgs<Value, Out> args{};
  args.m = p.m;
  args.n = p.n;
  args.k = p.k;
  args.batches = c.batch_count;
  args.a = {static_cast<const Value*>(a.values), a.row_stride, a.col_stride, p.a.batch_stride};
  args.b = {static_cast<const Value*>(b.values), b.col_stride, b.row_stride, p.b.batch_stride};
  args.conjugate_a = a.conjugate;
  args.conjugate_b = b.conjugate;
  args.offsets = c.offsets;
  args.indices = c.col_indices;
  args.values = static_cast<Out*>(c.values);
  args.offset_type = c.offset_type;
  args.index_type = c.index_type;
  args.base = c.base;
  args.columns_inside = c.block_order == Order::col;
  args.major = c.major();
  args.block_size = c.block_size;
  args.first_entry = c.first_entry;
  args.nnz = c.nnz;
  args.offsets_stride = c.offsets_stride;
  args.indices_stride = c.indices_stride;
  args.values_stride = c.values_stride;
  args.alpha = scalar_argument<Sum<Value>>(p.scalars.alpha, p.scalars.device_alpha);
  args.beta = scalar_argument<Sum<Value>>(p.scalars.beta, p.scalars.device_beta);
  args.skips_product = p.skips_product();
  return args;
}

// Calls f(TypeTag<Value>, TypeTag<Out>) for the operands' and C's device types.
template <class F>
void visit_sddmm_types(const SddmmProblem& p, F&& f) {
  visit_device(p.a.type, [&](auto tag) {
    using Value = typename decltype(tag)::type;
    if constexpr (std::is_same_v<Sum<Value>, Value>) {
      f(tag, tag);
    } else {
      if (p.c.value_type == ValueType::f32)
        f(tag, TypeTag<float>{});
      else
        f(tag, tag);
    }
  });
}

__device__ inline std::int64_t load_index(const void* array, IndexType type, std::int64_t i) {
  if (type == IndexType::i32) return static_cast<const std::int32_t*>(array)[i];
  if (type == IndexType::i64) return static_cast<const std::int64_t*>(array)[i];
  return static_cast<const std::uint16_t*>(array)[i];
}

constexpr int kWarpLanes = 32;

// By a warp: the first row that ends behind position `place`: 32 rows are looked at in every round.
template <class Args>
__device__ std::int64_t search_row(const Args& args, std::int64_t shift, std::int64_t place, int lane) {
  std::int64_t low = 0, count = args.m;  // the row is in [low, low + count)
  while (count > 1) {
    const std::int64_t step = (count + kWarpLanes - 1) / kWarpLanes, row = low + (lane + 1) * step - 1;
    const bool behind =
        row >= low + count - 1 || load_index(args.offsets, args.offset_type, shift + row + 1) - args.base > place;
    const int first = __ffs(static_cast<int>(__ballot_sync(0xffffffffu, behind))) - 1;
    const std::int64_t end = low + count;
    low += first * step;
    count = end - low < step ? end - low : step;
  }
  return low;
}

// raw[u] = the index at first + t(u) where t(u) < total, else kNoIndex. Nothing is done with what is loaded, not even a
// change of sign or base, as that would wait for each load; and the type is asked for once.
constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};
template <int kEach, class T>
__device__ void load_indices(std::uint64_t (&raw)[kEach], const void* array, IndexType type, std::int64_t first,
                             unsigned total, T t) {
  const auto load = [&](const auto* indices) {
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      raw[u] = kNoIndex;
      if (t(u) < total) raw[u] = indices[first + t(u)];
    }
  };
  if (type == IndexType::i32)
    load(static_cast<const std::uint32_t*>(array));
  else if (type == IndexType::i64)
    load(static_cast<const std::uint64_t*>(array));
  else
    load(static_cast<const std::uint16_t*>(array));
}

// The new value of an entry from its sum; the old one is read only if beta is not 0.
template <class Value, class Out>
struct SddmmFinish {
  using S = Sum<Value>;
  S alpha, beta;
  bool skips, beta_is_zero;
  __device__ explicit SddmmFinish(const SddmmArgs<Value, Out>& args)
      : alpha(args.alpha.get()),
        beta(args.beta.get()),
        skips(args.skips_product || is_zero(alpha)),
        beta_is_zero(is_zero(beta)) {}
  __device__ void store(Out* at, S sum) const {
    S x = skips ? S{} : multiply(alpha, sum);
    if (!beta_is_zero) x = multiply_add(beta, to_sum(*at), x);
    *at = FromSum<Out>::of(x);
  }
};

}  // namespace spk::cuda
