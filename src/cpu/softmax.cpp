// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/error.hpp"
#include "core/kernel_table.hpp"
#include "cpu/isa.hpp"
#include "cpu/kernels/softmax_task.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"
#include "cpu/row_parts.hpp"

namespace spk::cpu {
namespace {

const SparseView& structure(const SoftmaxProblem& p) { return p.x; }
const SparseView& structure(const SoftmaxBackwardProblem& p) { return p.y; }
const char* call_name(const SoftmaxProblem&) { return "spk_softmax"; }
const char* call_name(const SoftmaxBackwardProblem&) { return "spk_softmax_backward"; }
const char* structure_name(const SoftmaxProblem&) { return "matX"; }
const char* structure_name(const SoftmaxBackwardProblem&) { return "matY"; }

template <ValueType kType>
struct Needs {
  template <class Problem>
  static const char* refuse(const Problem& p) {
    if (structure(p).format != Format::csr) return "the matrices are not csr";
    if (structure(p).value_type != kType) return "the values have another type";
    return nullptr;
  }
};

using Row = KernelRow<SoftmaxProblem, Isa, SoftmaxKernel>;
using BackwardRow = KernelRow<SoftmaxBackwardProblem, Isa, SoftmaxBackwardKernel>;
template <ValueType kType>
constexpr auto needs = Needs<kType>{};
#define SPK_KERNEL(name, isa, id, refuse_) {#name "__" #isa, id, Isa::isa, &name##__##isa, decltype(refuse_)::refuse},
const Row kForward[] = {
#include "cpu/softmax_kernels.inc"
};
const BackwardRow kBackward[] = {
#include "cpu/softmax_backward_kernels.inc"
};
#undef SPK_KERNEL

std::span<const Row> table(const SoftmaxProblem&) { return kForward; }
std::span<const BackwardRow> table(const SoftmaxBackwardProblem&) { return kBackward; }

template <class Problem>
auto find(const Problem& p, std::string* refusals) {
  return select(table(p), p, available_isa(), isa_supports, refusals);
}
template <class Problem>
auto require(const Problem& p) {
  const auto* row = find(p, nullptr);
  if (row != nullptr) return row;
  std::string refusals;
  find(p, &refusals);
  throw Error(SPK_STATUS_NOT_SUPPORTED, "%s: %s", call_name(p), refusals.c_str());
}
template <class Problem>
Choice choose_row(const Problem& p) {
  std::string refusals;
  const auto* row = find(p, &refusals);
  return row == nullptr ? Choice{0, std::move(refusals)} : Choice{row->id, row->name};
}

// The scale as factors of the sum's type. Numbers too large for float are split in two.
SoftmaxScale split(double magnitude, ValueType type) noexcept {
  constexpr double kLargest = static_cast<double>(std::numeric_limits<float>::max());
  SoftmaxScale s;
  s.two = magnitude;
  if (type != ValueType::f64 && std::isfinite(magnitude) && std::fabs(magnitude) > kLargest) {
    s.one = 0x1p127;
    s.two = std::fmin(std::fmax(magnitude * 0x1p-127, -kLargest), kLargest);
  }
  return s;
}

// The maximum is subtracted before the scale is applied: that costs one rounding less and cannot overflow. A scale so
// small that the difference could overflow although the result does not, and those that make infinity or NaN of
// everything, go first.
SoftmaxScale forward_scale(double scale, ValueType type) noexcept {
  const double magnitude = std::fabs(scale);
  const double smallest = type == ValueType::f64 ? 0x1p-900 : 0x1p-100;
  SoftmaxScale s;
  if (!(magnitude >= smallest) || std::isinf(magnitude)) {
    s.before = scale;
    return s;
  }
  s = split(magnitude, type);
  s.before = scale < 0 ? -1 : 1;
  return s;
}

struct SoftmaxPlan final : Plan {
  std::string kernel;
  std::string describe() const override { return kernel + ", rows in place, 0 bytes"; }
};

template <class Problem>
std::unique_ptr<Plan> prepare_rows(const Problem& p) {
  auto plan = std::make_unique<SoftmaxPlan>();
  plan->kernel = require(p)->name;
  require_structure(structure(p), structure_name(p));
  return plan;
}

// Calls body(batch, row_begin, row_end) for shares of whole rows with about equal numbers of entries.
template <class Body>
void share_rows(const SparseView& a, int threads, Body&& body) noexcept {
  constexpr std::int64_t kOneThread = 1 << 15;  // entries below which a team costs more than it gives
  const bool alone = a.nnz < kOneThread / a.batch_count + 1;
  const int team = alone ? 1 : usable_threads(threads);
  const std::int64_t parts = alone || team == 1 ? 1 : std::int64_t{team} * 4;
  parallel_for(team, parts * a.batch_count, [&](std::int64_t unit) noexcept {
    const SparseView matrix = a.batch(unit / parts);
    const std::int64_t part = unit % parts;
    body(unit / parts, share_row(matrix, parts, part), share_row(matrix, parts, part + 1));
  });
}

SoftmaxTask task_of(const SoftmaxProblem& p, std::int64_t batch) noexcept {
  const SparseView x = p.x.batch(batch);
  SoftmaxTask t;
  t.offsets = x.offsets;
  t.offset_type = x.offset_type;
  t.base = x.base;
  t.x = x.values;
  t.y = p.y.batch(batch).values;
  t.y_shift = p.y.first_entry - x.first_entry;
  t.mask = p.mask;
  t.first_entry = x.first_entry;
  t.scale = forward_scale(p.scale, x.value_type);
  return t;
}
SoftmaxBackwardTask task_of(const SoftmaxBackwardProblem& p, std::int64_t batch) noexcept {
  const SparseView y = p.y.batch(batch);
  SoftmaxBackwardTask t;
  t.offsets = y.offsets;
  t.offset_type = y.offset_type;
  t.base = y.base;
  t.y = y.values;
  t.dy = p.dy.batch(batch).values;
  t.dx = p.dx.batch(batch).values;
  t.dy_shift = p.dy.first_entry - y.first_entry;
  t.dx_shift = p.dx.first_entry - y.first_entry;
  t.scale = split(p.scale, y.value_type);
  return t;
}

template <class Problem>
void run_rows(const Problem& p, const Exec& exec) {
  const auto* row = require(p);
  const SparseView& a = structure(p);
  if (a.nnz == 0 || a.batch_count == 0) return;
  share_rows(a, exec.threads, [&](std::int64_t batch, std::int64_t row_begin, std::int64_t row_end) noexcept {
    row->function(task_of(p, batch), row_begin, row_end);
  });
}

}  // namespace

Choice choose(const SoftmaxProblem& p) { return choose_row(p); }
std::size_t workspace(const SoftmaxProblem&, const Plan*, const Exec&) { return 0; }
std::unique_ptr<Plan> prepare(const SoftmaxProblem& p, const Exec&) { return prepare_rows(p); }
void run(const SoftmaxProblem& p, const Plan*, const Exec& exec) { run_rows(p, exec); }

Choice choose(const SoftmaxBackwardProblem& p) { return choose_row(p); }
std::size_t workspace(const SoftmaxBackwardProblem&, const Plan*, const Exec&) { return 0; }
std::unique_ptr<Plan> prepare(const SoftmaxBackwardProblem& p, const Exec&) { return prepare_rows(p); }
void run(const SoftmaxBackwardProblem& p, const Plan*, const Exec& exec) { run_rows(p, exec); }

}  // namespace spk::cpu
