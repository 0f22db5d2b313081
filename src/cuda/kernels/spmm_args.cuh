// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/spmm.hpp"
#include "cuda/value.cuh"

// What every SpMM kernel gets by value, and how it finishes an element of C.
namespace spk::cuda {

// B or C: element (i, j) of op(X) is values[i * row_stride + j * col_stride].
template <class T>
struct Strided {
  T* values;
  std::int64_t row_stride, col_stride, batch_stride;
};

template <class Value, class Out>
struct SpmmArgs {
  using S = Sum<Value>;
  std::int64_t m, n, k, batches;
  std::int64_t entries;  // in the arrays of values and indices
  const void* offsets;   // m + 1, from `base`
  const void* indices;   // from `base`
  const Value* values;
  std::int64_t offsets_stride, indices_stride, values_stride;  // elements between matrices of a batch
  int base;
  bool conjugate_a, conjugate_b;
  Strided<const Value> b;
  Strided<Out> c;
  ScalarArgument<S> alpha, beta;
  // Epilogue: C = activation(alpha A B + beta C + bias) + residual.
  Activation activation;
  BiasKind bias_kind;
  const void* bias;
  bool bias_is_sum_type;  // else it holds Out
  bool has_residual;
  Strided<const Out> residual;
  bool is_plain;       // no epilogue
  bool skips_product;  // nothing of A and B may be read
};

template <class T>
Strided<T> strided(const DenseView& x) {
  return {static_cast<T*>(x.values), x.row_stride(), x.col_stride(), x.batch_stride};
}

template <class Value, class Out>
SpmmArgs<Value, Out> spmm_args(const SpmmCall& call) {
  const SpmmProblem& p = call.p;
  const Operand b = operand(p.b, p.op_b);
  const SparseView& a = call.rows;
  const Epilogue& e = p.epilogue;
  SpmmArgs<Value, Out> args{};
  args.m = p.m;
  args.n = p.n;
  args.k = p.k;
  args.batches = p.c.batch_count;
  args.entries = a.first_entry + a.nnz;
  args.offsets = a.offsets;
  args.indices = a.minor_indices();
  args.values = static_cast<const Value*>(a.values);
  args.offsets_stride = a.offsets_stride;
  args.indices_stride = a.indices_stride;
  args.values_stride = a.values_stride;
  args.base = a.base;
  args.conjugate_a = p.op_a == Op::c;
  args.conjugate_b = b.conjugate;
  args.b = {static_cast<const Value*>(b.values), b.row_stride, b.col_stride, p.b.batch_stride};
  args.c = strided<Out>(p.c);
  args.alpha = scalar_argument<Sum<Value>>(p.scalars.alpha, p.scalars.device_alpha);
  args.beta = scalar_argument<Sum<Value>>(p.scalars.beta, p.scalars.device_beta);
  args.is_plain = e.is_identity();
  args.activation = e.activation;
  args.bias_kind = e.bias_kind;
  args.bias = e.bias;
  args.bias_is_sum_type = e.bias_type != p.c.type;
  args.has_residual = e.has_residual;
  if (e.has_residual) args.residual = strided<const Out>(e.residual);
  args.skips_product = p.skips_product();
  return args;
}

template <class Real>
__device__ Real activate(Activation activation, Real x) {
  switch (activation) {
    case Activation::none: break;
    case Activation::relu:
      return x < 0 ? Real(0) : x;  // NaN stays
    // Without the cancellation of 1 + erf(...) and 1 + tanh(...).
    case Activation::gelu: return x / 2 * erfc(-x * Real(0.70710678118654752440));
    case Activation::gelu_tanh: {
      const Real z = Real(0.79788456080286535588) * (x + Real(0.044715) * x * x * x);
      return x / (1 + exp(-2 * z));
    }
  }
  return x;
}

// alpha and beta in registers, read once per thread.
template <class S>
struct Scaling {
  S alpha, beta;
  bool beta_is_zero, alpha_is_zero;
};
template <class Value, class Out>
__device__ Scaling<Sum<Value>> scaling_of(const SpmmArgs<Value, Out>& args) {
  Scaling<Sum<Value>> s;
  s.alpha = args.alpha.get();
  s.beta = args.beta.get();
  s.beta_is_zero = is_zero(s.beta);
  s.alpha_is_zero = is_zero(s.alpha);
  return s;
}

// What the epilogue makes of alpha A B + beta C. Out of line: it is long, and most calls have none.
template <class Value, class Out>
__device__ __noinline__ Sum<Value> apply_epilogue(const SpmmArgs<Value, Out>& args, std::int64_t batch, std::int64_t i,
                                                  std::int64_t j, Sum<Value> x) {
  using S = Sum<Value>;
  if constexpr (!kIsComplex<S>) {
    if (args.bias_kind != BiasKind::none) {
      const std::int64_t at = args.bias_kind == BiasKind::per_row ? i : j;
      x +=
          args.bias_is_sum_type ? static_cast<const S*>(args.bias)[at] : to_sum(static_cast<const Out*>(args.bias)[at]);
    }
    if (args.activation != Activation::none) x = activate(args.activation, x);
    if (args.has_residual)
      x += to_sum(args.residual.values[batch * args.residual.batch_stride + i * args.residual.row_stride +
                                       j * args.residual.col_stride]);
  }
  return x;
}

// The new C(i, j) of matrix `batch` from the sum over A(i, :) B(:, j); `old` is read only if beta is not 0.
template <class Value, class Out>
__device__ Out finish(const SpmmArgs<Value, Out>& args, const Scaling<Sum<Value>>& s, std::int64_t batch,
                      std::int64_t i, std::int64_t j, Sum<Value> sum, const Out* old) {
  using S = Sum<Value>;
  // alpha = 0: the product is not there, even where it is NaN.
  S x = s.alpha_is_zero || args.skips_product ? S{} : multiply(s.alpha, sum);
  if (!s.beta_is_zero) x = multiply_add(s.beta, to_sum(*old), x);
  if (!args.is_plain) x = apply_epilogue(args, batch, i, j, x);
  return FromSum<Out>::of(x);
}

// Where C(i, j) of matrix `batch` lies.
template <class Value, class Out>
__device__ Out* place_in_c(const SpmmArgs<Value, Out>& args, std::int64_t batch, std::int64_t i, std::int64_t j) {
  return args.c.values + batch * args.c.batch_stride + i * args.c.row_stride + j * args.c.col_stride;
}

template <class Value, class Out>
__device__ void store(const SpmmArgs<Value, Out>& args, const Scaling<Sum<Value>>& s, std::int64_t batch,
                      std::int64_t i, std::int64_t j, Sum<Value> sum) {
  Out* at = place_in_c(args, batch, i, j);
  *at = finish(args, s, batch, i, j, sum, at);
}

// Whether `count` neighbouring columns of a row of C may be written at once, at every multiple of `count`.
template <class Out>
bool packs_columns(const DenseView& c, int count) noexcept {
  return c.col_stride() == 1 && is_aligned(c.values, std::min<std::size_t>(16, sizeof(Out) * count)) &&
         c.row_stride() % count == 0 && c.batch_stride % count == 0;
}

// Columns j .. j + count - 1 of row i, whose first element lies at `at`; packed: all kCount at once.
template <int kCount, class Value, class Out>
__device__ void store_columns(const SpmmArgs<Value, Out>& args, const Scaling<Sum<Value>>& s, Out* at,
                              std::int64_t batch, std::int64_t i, std::int64_t j, int count, bool packed,
                              const Sum<Value> (&sums)[kCount]) {
  if (packed && count == kCount && s.beta_is_zero && args.is_plain) {
    Pack<Out, kCount> out;
    const bool product = !s.alpha_is_zero && !args.skips_product;
#pragma unroll
    for (int c = 0; c < kCount; ++c) out.at[c] = FromSum<Out>::of(product ? multiply(s.alpha, sums[c]) : Sum<Value>{});
    *reinterpret_cast<Pack<Out, kCount>*>(at) = out;
  } else if (packed && count == kCount) {
    Pack<Out, kCount> out{};
    if (!s.beta_is_zero) out = *reinterpret_cast<Pack<Out, kCount>*>(at);
#pragma unroll
    for (int c = 0; c < kCount; ++c) out.at[c] = finish(args, s, batch, i, j + c, sums[c], &out.at[c]);
    *reinterpret_cast<Pack<Out, kCount>*>(at) = out;
  } else {
#pragma unroll
    for (int c = 0; c < kCount; ++c)
      if (c < count) {
        Out* element = at + c * args.c.col_stride;
        *element = finish(args, s, batch, i, j + c, sums[c], element);
      }
  }
}

}  // namespace spk::cuda
