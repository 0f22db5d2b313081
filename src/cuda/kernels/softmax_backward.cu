// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/softmax_parts.cuh"

namespace spk::cuda {
namespace {

struct Plus {
  template <class S>
  __device__ S operator()(S a, S b) const {
    return a + b;
  }
};

template <class Value>
struct SoftmaxBackward {
  using S = Sum<Value>;
  using Stored = Value;
  static constexpr int kArrays = 2;
  static constexpr int kBatch = 4;  // entries of a lane under way
  struct Cell {
    S y, dy;
  };
  using State = S;  // sum of Y dY
  struct Arguments {
    const Value *y, *dy;
    Value* dx;
    std::int64_t y_stride, dy_stride, dx_stride, dy_shift, dx_shift;  // entry e: y[e], dy[e + dy_shift] and so on
    S one, two;  // the scale as two factors, of which none leaves the range of S
  };

  const Value *y, *dy;
  Value* dx;
  S one, two;
  __device__ SoftmaxBackward(const Arguments& p, std::int64_t batch)
      : y(p.y + batch * p.y_stride),
        dy(p.dy + batch * p.dy_stride + p.dy_shift),
        dx(p.dx + batch * p.dx_stride + p.dx_shift),
        one(p.one),
        two(p.two) {}

  __device__ const Value* source(int i) const { return i == 0 ? y : dy; }
  __device__ Value* target() const { return dx; }
  __device__ Cell cell(const SoftmaxStage<Value>* stages, int i, std::int64_t) const {
    return {to_sum(stages[0].values[i]), to_sum(stages[1].values[i])};
  }
  static __device__ Cell nothing() { return {0, 0}; }
  static __device__ State empty() { return 0; }
  static __device__ State inverted(State s) { return s; }
  __device__ Cell load(std::int64_t e) const { return {to_sum(y[e]), to_sum(dy[e])}; }
  __device__ State merge(State a, State b) const { return a + b; }
  template <int kCount>
  __device__ void take(State& s, const Cell (&cells)[kCount]) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) s = multiply_add(cells[i].y, cells[i].dy, s);
  }
  template <class Group>
  __device__ State join(State s, const Group& group) const {
    return group.combine(s, Plus{});
  }
  template <int kCount, class Group>
  __device__ State close(const Cell (&cells)[kCount], const Group& group) const {
    S s = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) s = multiply_add(cells[i].y, cells[i].dy, s);
    return join(s, group);
  }
  // A row of any length in shared memory.
  template <class Group>
  __device__ void staged_row(const Group& group, const SoftmaxStage<Value>* stages, int begin, std::int64_t first,
                             int length) const {
    State s = 0;
    for_batches<Group, kBatch>(group.index(), length, [&](int at, const auto& is_there) {
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q)) {
          const Cell c = cell(stages, begin + at + q * Group::kSize, first + at + q * Group::kSize);
          s = multiply_add(c.y, c.dy, s);
        }
    });
    s = join(s, group);
    for_batches<Group, kBatch>(group.index(), length, [&](int at, const auto& is_there) {
      Cell cells[kBatch];
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q)) cells[q] = cell(stages, begin + at + q * Group::kSize, first + at + q * Group::kSize);
#pragma unroll
      for (int q = 0; q < kBatch; ++q)
        if (is_there(q))
          stages[0].values[begin + at + q * Group::kSize] = stored(result(cells[q], s), first + at + q * Group::kSize);
    });
  }
  __device__ S result(Cell c, State s) const { return c.y * (c.dy - s) * one * two; }
  __device__ S late_result(Cell c, State s) const { return result(c, s); }
  __device__ Value stored(S value, std::int64_t) const { return FromSum<Value>::of(value); }
  __device__ void write(std::int64_t e, S value) const { dx[e] = stored(value, e); }
};

template <class F>
void visit_backward(const SoftmaxBackwardProblem& p, F&& f) {
  visit_device(p.y.value_type, [&](auto tag) {
    using Value = typename decltype(tag)::type;
    if constexpr (!kIsComplex<Value>) {
      using S = Sum<Value>;
      constexpr double kLargest = static_cast<double>(std::numeric_limits<float>::max());
      double one = 1, two = p.scale;
      if (p.y.value_type != ValueType::f64 && std::isfinite(two) && std::fabs(two) > kLargest) {
        one = 0x1p127;
        two = std::clamp(two * 0x1p-127, -kLargest, kLargest);
      }
      const typename SoftmaxBackward<Value>::Arguments arguments{static_cast<const Value*>(p.y.values),
                                                                 static_cast<const Value*>(p.dy.values),
                                                                 static_cast<Value*>(p.dx.values),
                                                                 p.y.values_stride,
                                                                 p.dy.values_stride,
                                                                 p.dx.values_stride,
                                                                 p.dy.first_entry - p.y.first_entry,
                                                                 p.dx.first_entry - p.y.first_entry,
                                                                 static_cast<S>(one),
                                                                 static_cast<S>(two)};
      f(TypeTag<SoftmaxBackward<Value>>{}, arguments);
    }
  });
}

}  // namespace

void softmax_backward_csr_rows__sm70(const SoftmaxBackwardProblem& p, const Launch& launch) {
  visit_backward(p, [&](auto op, const auto& arguments) {
    launch_softmax_rows<typename decltype(op)::type>(arguments, softmax_structure(p.y),
                                                     std::numeric_limits<std::int64_t>::max(), launch);
  });
}
void softmax_backward_csr_parts__sm70(const SoftmaxBackwardProblem& p, const Launch& launch) {
  visit_backward(p, [&](auto op, const auto& arguments) {
    launch_softmax_parts<typename decltype(op)::type>(arguments, softmax_structure(p.y), launch);
  });
}

}  // namespace spk::cuda
