// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/softmax_parts.cuh"

namespace spk::cuda {
namespace {

// Products with the scale, split so that no factor leaves the range of the sum's type. The maximum is subtracted before
// the scale is applied: that costs one rounding less and cannot overflow. A scale so small that the difference could
// overflow although the result does not, and those that make infinity or NaN of everything, go first.
struct Factors {
  double before = 1;        // applied to x before the row's maximum is taken
  double one = 1, two = 1;  // applied one after the other to the distance from the maximum
};
Factors factors_of(double scale, ValueType type) noexcept {
  constexpr double kLargest = static_cast<double>(std::numeric_limits<float>::max());
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  const double magnitude = std::fabs(scale), smallest = type == ValueType::f64 ? 0x1p-900 : 0x1p-100;
  Factors f;
  if (!(magnitude >= smallest) || std::isinf(magnitude)) {
    f.before = scale;
    // Not 0 for that: 0 times infinity is no number.
    if (type != ValueType::f64 && magnitude > 0 && magnitude < static_cast<double>(kSmallest))
      f.before = std::copysign(static_cast<double>(kSmallest), scale);
    return f;
  }
  f.before = scale < 0 ? -1 : 1;
  f.two = magnitude;
  if (type != ValueType::f64 && magnitude > kLargest) {
    f.one = 0x1p127;
    f.two = std::fmin(magnitude * 0x1p-127, kLargest);
  }
  return f;
}

// The last factor, for exponentials of base 2; finite.
template <class S>
S binary_factor(double two) noexcept {
  constexpr double kLog2E = 1.4426950408889634074;
  return static_cast<S>(std::fmin(two * kLog2E, static_cast<double>(std::numeric_limits<S>::max())));
}

// e^x for x <= 0 as the exponential of base 2 of x log2(e), within 3 u; below the normal range it may be 0.
__device__ inline float power_of_two(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(r) : "f"(x));
  return r;
}
__device__ inline double power_of_two(double x) { return exp2(x); }

// Of a number from 1 on, or of 0 or NaN, within 1 ulp; below the normal range it may be 0.
__device__ inline float reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;\n" : "=f"(r) : "f"(x));
  return r;
}
__device__ inline double reciprocal(double x) { return 1 / x; }

// A NaN is passed over: it shows in the sum.
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct Plus {
  template <class S>
  __device__ S operator()(S a, S b) const {
    return a + b;
  }
};

// kPlain: without a mask and with a scale that is one factor, applied last.
template <class Value, bool kPlain>
struct SoftmaxForward {
  using S = Sum<Value>;
  using Stored = Value;
  static constexpr int kArrays = 1;
  static constexpr int kBatch = 8;  // entries of a lane under way
  using Cell = S;  // x times the first factor, or -infinity where the mask leaves the entry out; later its exponential
  struct State {
    S max, sum;  // of the exponentials of the distances from max; without a finite max 0, or NaN if there was one
                 // (inverted: see there)
  };
  struct Arguments {
    const Value* x;
    Value* y;
    std::int64_t x_stride, y_stride, y_shift;  // entry e: x[e], y[e + y_shift], mask[e - first_entry]
    const std::uint8_t* mask;
    std::int64_t first_entry;
    S before, one, two;
  };

  const Value* x;
  Value* y;
  const std::uint8_t* mask;
  S before, one, two;
  __device__ SoftmaxForward(const Arguments& p, std::int64_t batch)
      : x(p.x + batch * p.x_stride),
        y(p.y + batch * p.y_stride + p.y_shift),
        mask(p.mask == nullptr ? nullptr : p.mask - p.first_entry),
        before(p.before),
        one(p.one),
        two(p.two) {}

  static __device__ S infinity() { return std::numeric_limits<S>::infinity(); }
  __device__ const Value* source(int) const { return x; }
  __device__ Value* target() const { return y; }
  __device__ Cell cell(const SoftmaxStage<Value>* stages, int i, std::int64_t e) const {
    return scaled(stages[0].values[i], e);
  }
  static __device__ Cell nothing() { return -infinity(); }
  static __device__ State empty() { return {-infinity(), 0}; }
  __device__ bool taken(std::int64_t e) const { return kPlain || mask == nullptr || mask[e] != 0; }
  __device__ Cell scaled(Value v, std::int64_t e) const {
    if constexpr (kPlain) return to_sum(v);
    return taken(e) ? to_sum(v) * before : -infinity();
  }
  __device__ Cell load(std::int64_t e) const { return scaled(x[e], e); }
  // What distances are taken from. Where there is nothing but -infinity and NaN, any number: then their powers are 0 and
  // NaN.
  static __device__ S origin(S max) { return max == -infinity() ? S{0} : max; }
  __device__ S power(Cell v, S origin) const {
    if constexpr (kPlain) return power_of_two((v - origin) * two);
    return power_of_two((v - origin) * one * two);
  }

  // The inverted state of a whole row, and the exponentials of its entries.
  template <int kCount, class Group>
  __device__ State close(Cell (&cells)[kCount], const Group& group) const {
    S max = cells[0], sum = 0;
#pragma unroll
    for (int i = 1; i < kCount; ++i) max = Larger{}(max, cells[i]);
    max = group.combine(max, Larger{});
    const S from = origin(max);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      cells[i] = power(cells[i], from);
      sum += cells[i];
    }
    return inverted({max, group.combine(sum, Plus{})});
  }
  // A row of any length in shared memory, which holds the exponentials in between where they lose nothing there.
  template <class Group>
  __device__ void staged_row(const Group& group, const SoftmaxStage<Value>* stages, int begin, std::int64_t first,
                             int length) const {
    constexpr bool kKeeps = std::is_same_v<Value, S>;
    Value* const row = stages[0].values + begin;
    S max = -infinity(), sum = 0;
    for_batches<Group, kBatch>(group.index(), length, [&](int at, const auto& is_there) {
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q))
          max = Larger{}(max, cell(stages, begin + at + q * Group::kSize, first + at + q * Group::kSize));
    });
    max = group.combine(max, Larger{});
    const S from = origin(max);
    for_batches<Group, kBatch>(group.index(), length, [&](int at, const auto& is_there) {
      Cell cells[kBatch];
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q)) cells[q] = cell(stages, begin + at + q * Group::kSize, first + at + q * Group::kSize);
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q)) {
          cells[q] = power(cells[q], from);
          sum += cells[q];
          if constexpr (kKeeps) row[at + q * Group::kSize] = cells[q];
        }
    });
    const State state = inverted({max, group.combine(sum, Plus{})});
    for_batches<Group, kBatch>(group.index(), length, [&](int at, const auto& is_there) {
      Cell cells[kBatch];
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q)) {
          if constexpr (kKeeps)
            cells[q] = row[at + q * Group::kSize];
          else
            cells[q] = cell(stages, begin + at + q * Group::kSize, first + at + q * Group::kSize);
        }
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q))
          row[at + q * Group::kSize] =
              stored((kKeeps ? cells[q] : power(cells[q], from)) * state.sum, first + at + q * Group::kSize);
    });
  }
  // max becomes the origin, sum its reciprocal; where all entries are left out or -infinity it stays 0.
  static __device__ State inverted(State s) { return {origin(s.max), s.sum == 0 ? S{0} : reciprocal(s.sum)}; }
  __device__ S result(S exponential, State s) const { return exponential * s.sum; }

  __device__ State merge(State a, State b) const {
    const S max = Larger{}(a.max, b.max);
    if (max == -infinity()) return {max, a.sum + b.sum};
    return {max, a.sum * power(a.max, max) + b.sum * power(b.max, max)};
  }
  template <int kCount>
  __device__ void take(State& s, const Cell (&cells)[kCount]) const {
    S max = s.max;
#pragma unroll
    for (int i = 0; i < kCount; ++i) max = Larger{}(max, cells[i]);
    if (max != s.max) s.sum *= power(s.max, max);
    s.max = max;
#pragma unroll
    for (int i = 0; i < kCount; ++i) s.sum += power(cells[i], origin(max));
  }
  template <class Group>
  __device__ State join(State s, const Group& group) const {
    const S max = group.combine(s.max, Larger{});
    const S sum = max == -infinity() ? s.sum : s.sum * power(s.max, max);
    return {max, group.combine(sum, Plus{})};
  }
  // Of an entry that is read again, with the row's inverted state.
  __device__ S late_result(Cell v, State s) const { return power(v, s.max) * s.sum; }
  // An entry that is left out is 0 also in a row of NaN.
  __device__ Value stored(S value, std::int64_t e) const { return FromSum<Value>::of(taken(e) ? value : S{0}); }
  __device__ void write(std::int64_t e, S value) const { y[e] = stored(value, e); }
};

template <class F>
void visit_forward(const SoftmaxProblem& p, F&& f) {
  visit_device(p.x.value_type, [&](auto tag) {
    using Value = typename decltype(tag)::type;
    if constexpr (!kIsComplex<Value>) {
      using S = Sum<Value>;
      const Factors factors = factors_of(p.scale, p.x.value_type);
      const auto call = [&](auto op) {
        using Op = typename decltype(op)::type;
        typename Op::Arguments arguments{static_cast<const Value*>(p.x.values),
                                         static_cast<Value*>(p.y.values),
                                         p.x.values_stride,
                                         p.y.values_stride,
                                         p.y.first_entry - p.x.first_entry,
                                         p.mask,
                                         p.x.first_entry,
                                         static_cast<S>(factors.before),
                                         static_cast<S>(factors.one),
                                         binary_factor<S>(factors.two)};
        f(op, arguments);
      };
      if (p.mask == nullptr && factors.before == 1 && factors.one == 1)
        call(TypeTag<SoftmaxForward<Value, true>>{});
      else
        call(TypeTag<SoftmaxForward<Value, false>>{});
    }
  });
}

}  // namespace

void softmax_csr_rows__sm70(const SoftmaxProblem& p, const Launch& launch) {
  visit_forward(p, [&](auto op, const auto& arguments) {
    launch_softmax_rows<typename decltype(op)::type>(arguments, softmax_structure(p.x),
                                                     std::numeric_limits<std::int64_t>::max(), launch);
  });
}
void softmax_csr_parts__sm70(const SoftmaxProblem& p, const Launch& launch) {
  visit_forward(p, [&](auto op, const auto& arguments) {
    launch_softmax_parts<typename decltype(op)::type>(arguments, softmax_structure(p.x), launch);
  });
}

}  // namespace spk::cuda
