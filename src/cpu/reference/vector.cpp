// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstring>
#include <vector>

#include "core/validate_vector.hpp"
#include "cpu/reference/judge.hpp"
#include "cpu/reference/operations.hpp"
#include "cpu/reference/wide.hpp"

namespace spk::reference {
namespace {

std::int64_t element_of(const SparseVectorView& x, std::int64_t entry) noexcept {
  return index_at(x.indices, x.index_type, entry) - x.base;
}

void copy_element(ValueType t, void* to, std::int64_t to_place, const void* from, std::int64_t from_place) noexcept {
  const auto size = static_cast<std::int64_t>(size_of(t));
  std::memcpy(advance_bytes(to, to_place * size), advance_bytes(from, from_place * size),
              static_cast<std::size_t>(size));
}

// One element of y or x before it is rounded: its value, the sum of the magnitudes of its terms, how many terms.
template <class W>
struct Sum {
  W value{};
  RealOf<W> size = 0;
  std::int64_t terms = 0;

  void add(W factor, W x) {
    value = value + factor * x;
    size += magnitude(factor) * magnitude(x);
    ++terms;
  }
};

// y = beta y + alpha x for every element.
template <class W>
std::vector<Sum<W>> sums_of_axpby(const VectorProblem& p) {
  std::vector<Sum<W>> sums(static_cast<std::size_t>(p.y.rows));
  const W alpha = widen<W>(p.scalars.alpha), beta = widen<W>(p.scalars.beta);
  if (!p.scalars.beta.is_zero())
    for (std::int64_t i = 0; i < p.y.rows; ++i)
      sums[static_cast<std::size_t>(i)].add(beta, load<W>(p.y.type, p.y.values, i));
  if (p.skips_x()) return sums;
  for (std::int64_t i = 0; i < p.x.nnz; ++i)
    sums[static_cast<std::size_t>(element_of(p.x, i))].add(alpha, load<W>(p.x.value_type, p.x.values, i));
  return sums;
}

template <class W>
struct Rotated {
  Sum<W> x, y;
};
template <class W>
Rotated<W> rotate(const VectorProblem& p, std::int64_t entry) {
  const W c = widen<W>(p.scalars.alpha), s = widen<W>(p.scalars.beta);
  const W a = load<W>(p.x.value_type, p.x.values, entry);
  const W b = load<W>(p.y.type, p.y.values, element_of(p.x, entry));
  W minus_s = s;
  if constexpr (Traits<W>::kComplex)
    minus_s = {-s.re, -s.im};
  else
    minus_s = -s;
  Rotated<W> r;
  r.x.add(c, a);
  r.x.add(s, b);
  r.y.add(c, b);
  r.y.add(minus_s, a);
  return r;
}

template <class W>
Sum<W> dot(const VectorProblem& p) {
  Sum<W> sum;
  for (std::int64_t i = 0; i < p.x.nnz; ++i) {
    const W x = load<W>(p.x.value_type, p.x.values, i);
    sum.add(p.conjugate_x ? conj(x) : x, load<W>(p.y.type, p.y.values, element_of(p.x, i)));
  }
  return sum;
}

// `roundings` of the type `rounded`, each to a share u of the terms' magnitudes or half the least distance of numbers; a
// complex term is two real ones. `factor`: largest magnitude of what scales a number that was rounded before.
template <class W>
Expected<W> expect(const Sum<W>& sum, std::int64_t roundings, ValueType rounded, ValueType output, long double factor) {
  const Precision precision = precision_of(rounded);
  const long double u = precision.unit_roundoff();
  const auto count = static_cast<long double>(Traits<W>::kComplex ? 2 * roundings : roundings);
  Expected<W> want;
  want.value = sum.value;
  const long double size = sum.size;
  want.error = count * (u * size + precision.underflow() * std::max<long double>(1, factor));
  want.may_overflow = size * (1 + count * u) > precision_of(output).largest();
  return want;
}

// Elements of y that several entries of x share: what a copy or a rotation leaves there is nobody's promise.
std::vector<char> repeated_elements(const SparseVectorView& x) {
  std::vector<char> seen(static_cast<std::size_t>(x.size), 0);
  for (std::int64_t i = 0; i < x.nnz; ++i) {
    char& count = seen[static_cast<std::size_t>(element_of(x, i))];
    count = static_cast<char>(count == 0 ? 1 : 2);
  }
  return seen;
}

template <class W>
void judge_copy(const VectorProblem& p, const VectorProblem& got, Judge& judge) {
  if (p.op == VectorOp::gather) {
    for (std::int64_t i = 0; i < p.x.nnz; ++i)
      judge.compare(0, i, 0, load<W>(p.x.value_type, got.x.values, i),
                    Expected<W>{load<W>(p.y.type, p.y.values, element_of(p.x, i))});
    return;
  }
  const std::vector<char> seen = repeated_elements(p.x);
  for (std::int64_t i = 0; i < p.y.rows; ++i)
    if (seen[static_cast<std::size_t>(i)] == 0)
      judge.compare(0, i, 0, load<W>(p.y.type, got.y.values, i), Expected<W>{load<W>(p.y.type, p.y.values, i)});
  for (std::int64_t i = 0; i < p.x.nnz; ++i)
    if (seen[static_cast<std::size_t>(element_of(p.x, i))] == 1)
      judge.compare(0, element_of(p.x, i), 0, load<W>(p.y.type, got.y.values, element_of(p.x, i)),
                    Expected<W>{load<W>(p.x.value_type, p.x.values, i)});
}

template <class W>
void judge_rotation(const VectorProblem& p, const VectorProblem& got, Judge& judge) {
  constexpr std::int64_t kRoundings = 3;  // two products and their sum
  const std::vector<char> seen = repeated_elements(p.x);
  for (std::int64_t i = 0; i < p.y.rows; ++i)
    if (seen[static_cast<std::size_t>(i)] == 0)
      judge.compare(0, i, 0, load<W>(p.y.type, got.y.values, i), Expected<W>{load<W>(p.y.type, p.y.values, i)});
  for (std::int64_t i = 0; i < p.x.nnz; ++i) {
    const std::int64_t element = element_of(p.x, i);
    if (seen[static_cast<std::size_t>(element)] != 1) continue;
    const Rotated<W> r = rotate<W>(p, i);
    judge.compare(0, element, 0, load<W>(p.y.type, got.y.values, element),
                  expect(r.y, kRoundings, p.compute, p.y.type, 1));
    judge.compare(0, i, 1, load<W>(p.y.type, got.x.values, i), expect(r.x, kRoundings, p.compute, p.y.type, 1));
  }
}

}  // namespace

void run(const VectorProblem& p) {
  if (!p.skips_x()) check_entries(p.x, "vecX");
  visit_wide(p.y.type, [&](auto tag) {
    using W = typename decltype(tag)::type;
    switch (p.op) {
      case VectorOp::axpby: {
        const std::vector<Sum<W>> sums = sums_of_axpby<W>(p);
        for (std::int64_t i = 0; i < p.y.rows; ++i)
          store(p.y.type, p.y.values, i, sums[static_cast<std::size_t>(i)].value);
        break;
      }
      case VectorOp::gather:
        for (std::int64_t i = 0; i < p.x.nnz; ++i)
          copy_element(p.y.type, p.x.values, i, p.y.values, element_of(p.x, i));
        break;
      case VectorOp::scatter:
        for (std::int64_t i = 0; i < p.x.nnz; ++i)
          copy_element(p.y.type, p.y.values, element_of(p.x, i), p.x.values, i);
        break;
      case VectorOp::rot:
        for (std::int64_t i = 0; i < p.x.nnz; ++i) {
          const Rotated<W> r = rotate<W>(p, i);
          store(p.x.value_type, p.x.values, i, r.x.value);
          store(p.y.type, p.y.values, element_of(p.x, i), r.y.value);
        }
        break;
      case VectorOp::spvv: store(p.compute, p.result, 0, dot<W>(p).value); break;
    }
  });
}

// Bounds: spk_vector.h. An element of y meets a rounding to y's type when it is scaled and one for every entry that is
// added, and one of the sum's type in every product.
Verdict judge(const VectorProblem& p, const VectorProblem& got) {
  Judge judge(p.op == VectorOp::spvv ? p.compute : p.y.type);
  visit_wide(p.y.type, [&](auto tag) {
    using W = typename decltype(tag)::type;
    if (p.op == VectorOp::axpby) {
      const std::vector<Sum<W>> sums = sums_of_axpby<W>(p);
      const long double factor = magnitude(widen<W>(p.scalars.alpha));
      for (std::int64_t i = 0; i < p.y.rows; ++i) {
        const Sum<W>& sum = sums[static_cast<std::size_t>(i)];
        const std::int64_t entries = sum.terms - (p.scalars.beta.is_zero() ? 0 : 1);
        judge.compare(0, i, 0, load<W>(p.y.type, got.y.values, i),
                      expect(sum, entries + 2, p.y.type, p.y.type, factor));
      }
    } else if (p.op == VectorOp::spvv) {
      const Sum<W> sum = dot<W>(p);
      judge.compare(0, 0, 0, load<W>(p.compute, got.result, 0), expect(sum, sum.terms + 2, p.compute, p.compute, 1));
    } else if (p.op == VectorOp::rot) {
      judge_rotation<W>(p, got, judge);
    } else {
      judge_copy<W>(p, got, judge);
    }
  });
  return judge.verdict();
}

}  // namespace spk::reference
