// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/reference/entries.hpp"
#include "cpu/reference/judge.hpp"
#include "cpu/reference/operations.hpp"
#include "cpu/reference/wide.hpp"

namespace spk::reference {
namespace {

// Calls visit(batch, row, col, place, expected) for every stored entry of C, with its new value and the bound of
// spk_ops.h: k products meet at most k roundings each, alpha and beta C two more. A complex term is two real ones.
template <class T, class Visit>
void for_each_result(const SddmmProblem& p, Visit&& visit) {
  using W = WideOf<T>;
  const Precision precision = precision_of(p.compute);
  const long double u = precision.unit_roundoff();
  const W alpha = widen<W>(p.scalars.alpha), beta = widen<W>(p.scalars.beta);
  const long double roundings = static_cast<long double>(p.k + 2) * (Traits<W>::kComplex ? 2 : 1);
  for (std::int64_t batch = 0; batch < p.c.batch_count; ++batch) {
    const Operand a = operand(member(p.a, batch), p.op_a), b = operand(member(p.b, batch), p.op_b);
    const SparseView c = member(p.c, batch);
    for_each_entry(c, [&](std::int64_t row, std::int64_t col, std::int64_t place) {
      Expected<W> out;
      long double size = 0, largest = 0;
      if (!p.skips_product()) {
        W sum{};
        RealOf<W> sum_size = 0;
        for (std::int64_t l = 0; l < p.k; ++l) {
          W x = widen(static_cast<const T*>(a.values)[row * a.row_stride + l * a.col_stride]);
          W y = widen(static_cast<const T*>(b.values)[l * b.row_stride + col * b.col_stride]);
          if (a.conjugate) x = conj(x);
          if (b.conjugate) y = conj(y);
          sum = sum + x * y;
          sum_size += magnitude(x) * magnitude(y);
        }
        out.value = alpha * sum;
        largest = sum_size;
        size = magnitude(alpha) * sum_size;
      }
      // TF32 keeps 10 bits of each factor.
      if (p.allow_tf32) out.error += std::ldexp(1.0L, -9) * size;
      if (!p.scalars.beta.is_zero()) {
        const W old = load<W>(c.value_type, c.values, place);
        out.value = out.value + beta * old;
        size += magnitude(beta) * magnitude(old);
      }
      out.error += roundings * (u * size + precision.underflow() * std::max<long double>(1, magnitude(alpha)));
      out.may_overflow = std::max(largest, size) * (1 + roundings * u) > precision.largest();
      visit(batch, row, col, place, out);
    });
  }
}

}  // namespace

void run(const SddmmProblem& p) {
  // A broken structure is found before anything is written.
  for (std::int64_t batch = 0; batch < p.c.batch_count; ++batch) check_entries(member(p.c, batch));
  visit(p.a.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_result<T>(p, [&](std::int64_t batch, std::int64_t, std::int64_t, std::int64_t place, const auto& want) {
      store(p.c.value_type, member(p.c, batch).values, place, want.value);
    });
  });
}

Verdict judge(const SddmmProblem& p, const SparseView& got) {
  Judge judge(got.value_type);
  visit(p.a.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_result<T>(
        p, [&](std::int64_t batch, std::int64_t row, std::int64_t col, std::int64_t place, const auto& want) {
          const auto value = load<WideOf<T>>(got.value_type, member(got, batch).values, place);
          judge.compare(batch, row, col, value, want);
        });
  });
  return judge.verdict();
}

}  // namespace spk::reference
