// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <optional>

#include "cpu/reference/entries.hpp"
#include "cpu/reference/epilogue.hpp"
#include "cpu/reference/judge.hpp"
#include "cpu/reference/operations.hpp"
#include "cpu/reference/wide.hpp"

namespace spk::reference {
namespace {

// Element (i, j) of op(A) op(B).
template <class W>
struct Sum {
  W value{};
  RealOf<W> size = 0;  // the same sum over magnitudes; 0 unless bounds are asked for
};

// A row of C is summed in pieces of this many columns, so that memory does not depend on n.
constexpr std::int64_t kColumns = 512;

// Adds op(A)(i, :) * op(B)(:, first .. first + sums.size() - 1), entry by entry in storage order.
template <class T, bool kBounds>
void add_row(std::span<const EntriesByRow::Term> terms, const void* values, bool conjugate_a, const Operand& b,
             std::int64_t first, std::span<Sum<WideOf<T>>> sums) {
  const T* const b_values = static_cast<const T*>(b.values);
  for (const auto& term : terms) {
    auto x = widen(static_cast<const T*>(values)[term.place]);
    if (conjugate_a) x = conj(x);
    [[maybe_unused]] const auto size = magnitude(x);
    const T* y_at = b_values + (term.col * b.row_stride + first * b.col_stride);
    for (std::size_t j = 0; j < sums.size(); ++j, y_at += b.col_stride) {
      auto y = widen(*y_at);
      if (b.conjugate) y = conj(y);
      sums[j].value = sums[j].value + x * y;
      if constexpr (kBounds) sums[j].size += size * magnitude(y);
    }
  }
}

// Calls visit(batch, i, j, sum, terms) for every element of C; terms: stored entries of row i of op(A).
template <class T, bool kBounds, class Visit>
void for_each_element(const SpmmProblem& p, Visit&& visit) {
  std::vector<Sum<WideOf<T>>> sums;
  for (std::int64_t batch = 0; batch < p.c.batch_count; ++batch) {
    const SparseView a = member(p.a, batch);
    const Operand b = operand(member(p.b, batch), p.op_b);
    std::optional<EntriesByRow> entries;
    if (!p.skips_product()) entries.emplace(a, p.op_a);
    for (std::int64_t i = 0; i < p.m; ++i) {
      std::span<const EntriesByRow::Term> terms;
      if (entries) terms = entries->row(i);
      for (std::int64_t first = 0; first < p.n; first += kColumns) {
        const std::int64_t count = std::min(kColumns, p.n - first);
        sums.assign(static_cast<std::size_t>(count), {});
        add_row<T, kBounds>(terms, a.values, p.op_a == Op::c, b, first, sums);
        for (std::int64_t j = 0; j < count; ++j)
          visit(batch, i, first + j, sums[static_cast<std::size_t>(j)], static_cast<std::int64_t>(terms.size()));
      }
    }
  }
}

// C(i, j) = activation(alpha sum + beta C(i, j) + bias) + residual. The bound: every term of the sum meets at most
// `terms` roundings, then the scaling by alpha, the addition of beta C and that of the bias one each; below the normal
// range each may lose half the distance of subnormal numbers instead. A complex term is two real ones.
template <class W>
Expected<W> finish(const SpmmProblem& p, std::int64_t batch, std::int64_t i, std::int64_t j, const Sum<W>& sum,
                   std::int64_t terms) {
  const Precision precision = precision_of(p.compute);
  const long double u = precision.unit_roundoff();
  const DenseView c = p.c.batch(batch);
  const W alpha = widen<W>(p.scalars.alpha), beta = widen<W>(p.scalars.beta);
  const long double product_size = p.skips_product() ? 0 : magnitude(alpha) * sum.size;
  long double size = product_size;
  auto roundings = static_cast<long double>(terms + 2);
  Expected<W> out;
  if (!p.skips_product()) out.value = alpha * sum.value;
  if (!p.scalars.beta.is_zero()) {
    const W old = load<W>(c.type, c.values, i * c.row_stride() + j * c.col_stride());
    out.value = out.value + beta * old;
    size += magnitude(beta) * magnitude(old);
  }
  if constexpr (Traits<W>::kComplex) {
    roundings *= 2;
  } else if (p.epilogue.bias_kind != BiasKind::none) {
    const W bias = bias_of<W>(p.epilogue, i, j);
    out.value += bias;
    size += magnitude(bias);
    roundings += 1;
  }
  out.error = roundings * (u * size + precision.underflow() * std::max<long double>(1, magnitude(alpha)));
  // TF32 keeps 10 bits of each factor.
  if (p.allow_tf32) out.error += std::ldexp(1.0L, -9) * product_size;
  long double largest = std::max<long double>(size, sum.size);
  if constexpr (!Traits<W>::kComplex) largest = std::max(largest, activate_and_add(p.epilogue, batch, i, j, u, out));
  out.may_overflow = largest * (1 + roundings * u) > precision.largest();
  return out;
}

template <class F>
void with_value_type(const SpmmProblem& p, F&& f) {
  visit(p.b.type, [&](auto tag) { f(tag); });
}

}  // namespace

void run(const SpmmProblem& p) {
  // A broken structure is found before anything is written.
  if (!p.skips_product() && p.a.batch_count > 1)
    for (std::int64_t batch = 0; batch < p.a.batch_count; ++batch) check_entries(p.a.batch(batch));
  with_value_type(p, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_element<T, false>(
        p, [&](std::int64_t batch, std::int64_t i, std::int64_t j, const auto& sum, std::int64_t terms) {
          const DenseView c = p.c.batch(batch);
          const auto want = finish(p, batch, i, j, sum, terms);
          store(c.type, c.values, i * c.row_stride() + j * c.col_stride(), want.value);
        });
  });
}

Verdict judge(const SpmmProblem& p, const DenseView& got) {
  Judge judge(got.type);
  with_value_type(p, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_element<T, true>(
        p, [&](std::int64_t batch, std::int64_t i, std::int64_t j, const auto& sum, std::int64_t terms) {
          const DenseView c = got.batch(batch);
          const auto value = load<WideOf<T>>(c.type, c.values, i * c.row_stride() + j * c.col_stride());
          judge.compare(batch, i, j, value, finish(p, batch, i, j, sum, terms));
        });
  });
  return judge.verdict();
}

}  // namespace spk::reference
