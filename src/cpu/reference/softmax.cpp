// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <vector>

#include "cpu/reference/entries.hpp"
#include "cpu/reference/judge.hpp"
#include "cpu/reference/operations.hpp"
#include "cpu/reference/wide.hpp"

namespace spk::reference {
namespace {

template <class Real>
using Row = std::vector<Expected<Real>>;

// One row: `t` holds scale * x, `taken` says which entries the mask leaves in. The bound, for sums with unit roundoff u:
//
//   An entry's exponent t - max may be off by D = u (3 |t - max| + 2 |t|): the product with the scale and the scale's
//   own rounding move it by 2 u |t| (not at all if the scale is a power of two), or by as much of |t - max| if the
//   maximum is subtracted first; the subtraction and the product with log2(e) that most exponentials begin with move
//   it by u |t - max| each. An error of the maximum is the same for all entries and cancels.
//   So the exponential lies between exp(t - max - D) and exp(t - max + D), and the quotient between the lowest
//   exponential over the sum of the highest and the reverse. Two ulp (4 u) for each exponential above and below, count
//   u for the sum, and 4 u for a reciprocal and a product then make it (count + 12) u more.
//   Exponentials below the normal range may become 0, which costs less than the smallest normal number.
template <class Real>
void softmax_row(const std::vector<Real>& t, const std::vector<bool>& taken, bool exact_scale,
                 const Precision& precision, Row<Real>& out) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  Real max = -kInfinity, count = 0;
  bool has_nan = false, may_overflow = false;
  out.assign(t.size(), {});
  for (std::size_t l = 0; l < t.size(); ++l) {
    if (!taken[l]) continue;
    count += 1;
    has_nan = has_nan || std::isnan(t[l]);
    may_overflow = may_overflow || (std::isfinite(t[l]) && 2 * std::fabs(t[l]) > precision.largest());
    max = std::max(max, t[l]);
  }
  if (has_nan || max == kInfinity) {
    for (std::size_t l = 0; l < t.size(); ++l)
      if (taken[l]) out[l].value = std::numeric_limits<Real>::quiet_NaN();
    return;
  }
  if (max == -kInfinity) return;

  const Real u = static_cast<Real>(precision.unit_roundoff());
  const Real smallest = static_cast<Real>(precision.smallest_normal());
  const auto exponent_error = [&](Real x) {
    return u * (3 * std::fabs(x - max) + (exact_scale ? 0 : 2 * std::fabs(x)));
  };
  Real sum = 0, lowest_sum = 0, highest_sum = 0;
  for (std::size_t l = 0; l < t.size(); ++l) {
    if (!taken[l] || t[l] == -kInfinity) continue;
    const Real error = exponent_error(t[l]);
    sum += std::exp(t[l] - max);
    lowest_sum += std::exp(t[l] - max - error);
    highest_sum += std::exp(t[l] - max + error);
  }
  for (std::size_t l = 0; l < t.size(); ++l) {
    if (!taken[l] || t[l] == -kInfinity) continue;
    const Real error = exponent_error(t[l]);
    const Real value = std::exp(t[l] - max) / sum;
    const Real highest = std::exp(t[l] - max + error) / lowest_sum, lowest = std::exp(t[l] - max - error) / highest_sum;
    out[l].value = value;
    const Real error_here = std::max(highest - value, value - lowest) + (count + 12) * u * highest + smallest;
    // Where scale * x leaves the range of the sum's type the row is lost: NaN or any share between 0 and 1.
    out[l].may_overflow = may_overflow;
    out[l].error = error_here < 1 && !may_overflow ? error_here : 1;
  }
}

bool is_power_of_two(double x) noexcept {
  int exponent = 0;
  return std::fabs(std::frexp(x, &exponent)) == 0.5;
}

// Calls visit(batch, row, first, results) for every row, whose entries are at places first, first + 1, ...
template <class Real, class Visit>
void for_each_row(const SoftmaxProblem& p, Visit&& visit) {
  const Precision precision = precision_of(sum_type(p.x.value_type));
  const bool exact_scale = is_power_of_two(p.scale);
  std::vector<Real> t;
  std::vector<bool> taken;
  Row<Real> results;
  for (std::int64_t batch = 0; batch < p.y.batch_count; ++batch) {
    const SparseView x = member(p.x, batch);
    if (x.nnz == 0) continue;
    for (std::int64_t i = 0; i < x.rows; ++i) {
      t.clear();
      taken.clear();
      for (std::int64_t place = x.offset(i); place < x.offset(i + 1); ++place) {
        t.push_back(static_cast<Real>(p.scale) * load<Real>(x.value_type, x.values, place));
        taken.push_back(p.mask == nullptr || p.mask[place - x.first_entry] != 0);
      }
      softmax_row(t, taken, exact_scale, precision, results);
      visit(batch, i, x.offset(i), results);
    }
  }
}

// dX = s Y (dY - sum Y dY). The bound: the sum of `count` products meets count roundings, the scale's own rounding, the
// subtraction and two products make four, and two are spare as everywhere.
template <class Real, class Visit>
void for_each_row(const SoftmaxBackwardProblem& p, Visit&& visit) {
  const Precision precision = precision_of(sum_type(p.y.value_type));
  const Real u = static_cast<Real>(precision.unit_roundoff()), scale = static_cast<Real>(p.scale);
  Row<Real> results;
  for (std::int64_t batch = 0; batch < p.dx.batch_count; ++batch) {
    const SparseView y = member(p.y, batch), dy = member(p.dy, batch);
    if (y.nnz == 0) continue;
    for (std::int64_t i = 0; i < y.rows; ++i) {
      const std::int64_t first = y.offset(i), end = y.offset(i + 1);
      const auto y_at = [&](std::int64_t place) { return load<Real>(y.value_type, y.values, place); };
      const auto dy_at = [&](std::int64_t place) { return load<Real>(dy.value_type, dy.values, place); };
      Real dot = 0, dot_size = 0;
      for (std::int64_t place = first; place < end; ++place) {
        dot += y_at(place) * dy_at(place);
        dot_size += std::fabs(y_at(place) * dy_at(place));
      }
      results.clear();
      for (std::int64_t place = first; place < end; ++place) {
        const Real difference_size = std::fabs(dy_at(place)) + dot_size;
        const Real size = std::fabs(scale) * std::max<Real>(1, std::fabs(y_at(place))) * difference_size;
        const auto roundings = static_cast<Real>(end - first + 6);
        Expected<Real> result;
        result.value = scale * y_at(place) * (dy_at(place) - dot);
        result.error = roundings * (u * std::fabs(scale * y_at(place)) * difference_size +
                                    precision.underflow() * (1 + std::fabs(scale)) * (1 + difference_size));
        result.may_overflow = std::max(size, difference_size) > precision.largest() / 2;
        results.push_back(result);
      }
      visit(batch, i, first, results);
    }
  }
}

// p.y or p.dx
const SparseView& output(const SoftmaxProblem& p) { return p.y; }
const SparseView& output(const SoftmaxBackwardProblem& p) { return p.dx; }
const SparseView& structure(const SoftmaxProblem& p) { return p.x; }
const SparseView& structure(const SoftmaxBackwardProblem& p) { return p.y; }

template <class F>
void with_real(ValueType t, F&& f) {
  if (t == ValueType::f64)
    f(TypeTag<long double>{});
  else
    f(TypeTag<double>{});
}

template <class Problem>
void run_rows(const Problem& p) {
  // A broken structure is found before anything is written. Columns play no part.
  for (std::int64_t batch = 0; batch < structure(p).batch_count; ++batch) check_offsets(member(structure(p), batch));
  const SparseView& out = output(p);
  with_real(out.value_type, [&](auto tag) {
    using Real = typename decltype(tag)::type;
    for_each_row<Real>(p, [&](std::int64_t batch, std::int64_t, std::int64_t first, const Row<Real>& row) {
      for (std::size_t l = 0; l < row.size(); ++l)
        store(out.value_type, member(out, batch).values, first + static_cast<std::int64_t>(l), row[l].value);
    });
  });
}

template <class Problem>
Verdict judge_rows(const Problem& p, const SparseView& got) {
  Judge judge(got.value_type);
  with_real(got.value_type, [&](auto tag) {
    using Real = typename decltype(tag)::type;
    for_each_row<Real>(p, [&](std::int64_t batch, std::int64_t i, std::int64_t first, const Row<Real>& row) {
      for (std::size_t l = 0; l < row.size(); ++l) {
        const std::int64_t place = first + static_cast<std::int64_t>(l);
        const SparseView& a = structure(p);
        const std::int64_t col = index_at(member(a, batch).col_indices, a.index_type, place) - a.base;
        judge.compare(batch, i, col, load<Real>(got.value_type, member(got, batch).values, place), row[l]);
      }
    });
  });
  return judge.verdict();
}

}  // namespace

void run(const SoftmaxProblem& p) { run_rows(p); }
Verdict judge(const SoftmaxProblem& p, const SparseView& got) { return judge_rows(p, got); }
void run(const SoftmaxBackwardProblem& p) { run_rows(p); }
Verdict judge(const SoftmaxBackwardProblem& p, const SparseView& got) { return judge_rows(p, got); }

}  // namespace spk::reference
