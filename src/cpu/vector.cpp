// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "core/kernel_table.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

// Sparse vectors. Work is cut by sizes alone, so that the number of threads does not show. Plain loops: a random access
// per entry bounds them, which no instruction set makes cheaper.
namespace spk::cpu {
namespace {

constexpr std::int32_t kFirstId = 4096;
constexpr std::int64_t kPart = 1 << 14;  // entries or elements of a step, and the least of a sum

float to_sum(f16 x) noexcept { return to_float(x); }
float to_sum(bf16 x) noexcept { return to_float(x); }
float to_sum(float x) noexcept { return x; }
double to_sum(double x) noexcept { return x; }
template <class Real>
std::complex<Real> to_sum(std::complex<Real> x) noexcept {
  return x;
}
void from_sum(f16& to, float x) noexcept { to = to_f16(x); }
void from_sum(bf16& to, float x) noexcept { to = to_bf16(x); }
template <class T>
void from_sum(T& to, T x) noexcept {
  to = x;
}

template <class Real>
Real multiply(Real a, Real b) noexcept {
  return a * b;
}
// The textbook product: std::complex would call a function that repairs infinities.
template <class Real>
std::complex<Real> multiply(std::complex<Real> a, std::complex<Real> b) noexcept {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
Real conjugate(Real x) noexcept {
  return x;
}
template <class Real>
std::complex<Real> conjugate(std::complex<Real> x) noexcept {
  return std::conj(x);
}

template <class Sum>
Sum scalar_of(const Scalar& x) noexcept {
  if constexpr (std::is_floating_point_v<Sum>)
    return static_cast<Sum>(x.re);
  else
    return {static_cast<typename Sum::value_type>(x.re), static_cast<typename Sum::value_type>(x.im)};
}

// Calls body(begin, end) for parts of [0, count).
template <class Body>
void for_parts(int threads, std::int64_t count, const Body& body) noexcept {
  parallel_for(threads, (count + kPart - 1) / kPart,
               [&](std::int64_t part) noexcept { body(part * kPart, std::min(count, (part + 1) * kPart)); });
}

template <class T, class Index>
class Vectors {
  using Sum = decltype(to_sum(T{}));

 public:
  Vectors(const VectorProblem& p, int threads) noexcept
      : p_(p),
        threads_(threads),
        indices_(static_cast<const Index*>(p.x.indices)),
        x_(static_cast<T*>(p.x.values)),
        y_(static_cast<T*>(p.y.values)) {}

  void axpby() const noexcept {
    scale();
    if (p_.skips_x()) return;
    const Sum alpha = scalar_of<Sum>(p_.scalars.alpha);
    const auto add = [&](std::int64_t begin, std::int64_t end) noexcept {
      for (std::int64_t i = begin; i < end; ++i) {
        T& y = element(i);
        from_sum(y, to_sum(y) + multiply(alpha, to_sum(x_[i])));
      }
    };
    // Repeats add up in the order of storage: they must meet in one part.
    if (threads_ == 1 || p_.x.nnz <= kPart || !std::is_sorted(indices_, indices_ + p_.x.nnz)) return add(0, p_.x.nnz);
    const auto begin_of = [&](std::int64_t i) noexcept {
      while (i > 0 && i < p_.x.nnz && indices_[i] == indices_[i - 1]) ++i;
      return i;
    };
    for_parts(threads_, p_.x.nnz,
              [&](std::int64_t begin, std::int64_t end) noexcept { add(begin_of(begin), begin_of(end)); });
  }

  void gather() const noexcept {
    for_parts(threads_, p_.x.nnz, [&](std::int64_t begin, std::int64_t end) noexcept {
      for (std::int64_t i = begin; i < end; ++i) x_[i] = element(i);
    });
  }

  void scatter() const noexcept {
    for_parts(threads_, p_.x.nnz, [&](std::int64_t begin, std::int64_t end) noexcept {
      for (std::int64_t i = begin; i < end; ++i) element(i) = x_[i];
    });
  }

  void rot() const noexcept {
    const Sum c = scalar_of<Sum>(p_.scalars.alpha), s = scalar_of<Sum>(p_.scalars.beta);
    for_parts(threads_, p_.x.nnz, [&](std::int64_t begin, std::int64_t end) noexcept {
      for (std::int64_t i = begin; i < end; ++i) {
        const Sum a = to_sum(x_[i]), b = to_sum(element(i));
        from_sum(x_[i], multiply(c, a) + multiply(s, b));
        from_sum(element(i), multiply(c, b) - multiply(s, a));
      }
    });
  }

  void spvv() const noexcept {
    constexpr std::int64_t kMostParts = 256;
    const std::int64_t nnz = p_.x.nnz;
    const std::int64_t length = std::max(kPart, (nnz + kMostParts - 1) / kMostParts);
    const std::int64_t parts = (nnz + length - 1) / length;
    Sum sums[kMostParts] = {};
    parallel_for(threads_, parts, [&](std::int64_t part) noexcept {
      sums[part] = dot(part * length, std::min(nnz, (part + 1) * length));
    });
    Sum sum{};
    for (std::int64_t part = 0; part < parts; ++part) sum += sums[part];
    *static_cast<Sum*>(p_.result) = sum;
  }

 private:
  T& element(std::int64_t entry) const noexcept { return y_[static_cast<std::int64_t>(indices_[entry]) - p_.x.base]; }

  void scale() const noexcept {
    if (p_.scalars.beta.is_one()) return;
    const bool clears = p_.scalars.beta.is_zero();
    const Sum beta = scalar_of<Sum>(p_.scalars.beta);
    for_parts(threads_, p_.y.rows, [&](std::int64_t begin, std::int64_t end) noexcept {
      if (clears) return std::fill(y_ + begin, y_ + end, T{});
      for (std::int64_t i = begin; i < end; ++i) from_sum(y_[i], multiply(beta, to_sum(y_[i])));
    });
  }

  Sum dot(std::int64_t begin, std::int64_t end) const noexcept {
    constexpr int kSums = 4;
    Sum sums[kSums] = {};
    for (std::int64_t i = begin; i < end; ++i) {
      const Sum x = to_sum(x_[i]);
      sums[i % kSums] += multiply(p_.conjugate_x ? conjugate(x) : x, to_sum(element(i)));
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  const VectorProblem& p_;
  const int threads_;
  const Index* const indices_;
  T* const x_;
  T* const y_;
};

}  // namespace

Choice choose(const VectorProblem& p) { return choose_only(p, kFirstId); }

std::size_t workspace(const VectorProblem&, const Exec&) { return 0; }

void run(const VectorProblem& p, const Exec& exec) {
  visit(p.y.type, [&](auto value) {
    visit(p.x.index_type, [&](auto index) {
      const Vectors<typename decltype(value)::type, typename decltype(index)::type> vectors(p, exec.threads);
      switch (p.op) {
        case VectorOp::axpby: return vectors.axpby();
        case VectorOp::gather: return vectors.gather();
        case VectorOp::scatter: return vectors.scatter();
        case VectorOp::rot: return vectors.rot();
        case VectorOp::spvv: return vectors.spvv();
      }
    });
  });
}

}  // namespace spk::cpu
