// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/softmax.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace spk::cuda {
namespace {

const SparseView& structure(const SoftmaxProblem& p) { return p.x; }
const SparseView& structure(const SoftmaxBackwardProblem& p) { return p.y; }
const char* call_name(const SoftmaxProblem&) { return "spk_softmax"; }
const char* call_name(const SoftmaxBackwardProblem&) { return "spk_softmax_backward"; }
// Values read and written per entry, besides the mask.
double arrays(const SoftmaxProblem&) { return 2; }
double arrays(const SoftmaxBackwardProblem&) { return 3; }

// What the expected times are made of; bench/results names the runs they come from.
struct SoftmaxRates {
  double launch = 2.5;       // us of one kernel in a stream
  double bytes = 3.4e6;      // per us, from and to device memory
  double block_bytes = 5e4;  // per us, of a row that one block has
  double parts = 3.5;        // us of the two kernels for long rows when there are none
};
constexpr SoftmaxRates kRates;

struct NeedsCsr {
  template <class Problem>
  static const char* refuse(const Problem& p) noexcept {
    if (structure(p).format != Format::csr) return "the matrices are not csr";
    if (is_complex(structure(p).value_type)) return "the values are complex";
    return nullptr;
  }
};
struct Rows {
  template <class Problem>
  static double cost(const Device& device, const Problem& p) {
    const SparseView& a = structure(p);
    const double entry = arrays(p) * static_cast<double>(size_of(a.value_type));
    const double all = static_cast<double>(a.nnz) * static_cast<double>(a.batch_count);
    // The longest row that there can be while no entry is repeated.
    const double longest = static_cast<double>(std::min(a.nnz, a.cols));
    return kRates.launch + all * entry * (132.0 / device.sm_count) / kRates.bytes +
           longest * entry / kRates.block_bytes;
  }
};
struct Parts {
  template <class Problem>
  static double cost(const Device& device, const Problem& p) {
    const SparseView& a = structure(p);
    const double entry = arrays(p) * static_cast<double>(size_of(a.value_type));
    const double all = static_cast<double>(a.nnz) * static_cast<double>(a.batch_count);
    const double longest = static_cast<double>(std::min({a.nnz, a.cols, 2 * softmax_parts(device, a.nnz).length}));
    return kRates.launch + kRates.parts + all * entry * (132.0 / device.sm_count) / kRates.bytes +
           longest * entry / kRates.block_bytes;
  }
  template <class Problem>
  static std::size_t workspace(const Device& device, const Problem& p) {
    const SparseView& a = structure(p);
    // Of the row that a part begins in and of the one it ends in: a maximum and a sum.
    return static_cast<std::size_t>(softmax_parts(device, a.nnz).count * a.batch_count) * 2 * 2 *
           size_of(sum_type(a.value_type));
  }
};
struct NoWorkspace {
  template <class Problem>
  static std::size_t workspace(const Device&, const Problem&) noexcept {
    return 0;
  }
};
constexpr NeedsCsr needs_csr;
constexpr Rows rows_cost;
constexpr Parts parts_cost, parts_workspace;
constexpr NoWorkspace no_workspace;

#define SPK_KERNEL(name, id, sm, refuse_, cost_, workspace_) \
  {{#name, id, sm, name, decltype(refuse_)::refuse}, decltype(cost_)::cost, decltype(workspace_)::workspace},
const SoftmaxRow kForward[] = {
#include "cuda/softmax_kernels.inc"
};
const SoftmaxBackwardRow kBackward[] = {
#include "cuda/softmax_backward_kernels.inc"
};
#undef SPK_KERNEL

std::span<const SoftmaxRow> table(const SoftmaxProblem&) noexcept { return kForward; }
std::span<const SoftmaxBackwardRow> table(const SoftmaxBackwardProblem&) noexcept { return kBackward; }

template <class Problem>
auto find(const Device& device, const Problem& p, std::string* refusals) {
  const auto rows = table(p);
  return select_cheapest<typename decltype(rows)::value_type>(
      rows, p, [&](int sm) { return device.sm >= sm ? nullptr : "the device, or the code for it, is too old"; },
      [&](const auto& row) { return row.cost(device, p); }, refusals);
}
template <class Problem>
const auto& require(const Device& device, const Problem& p) {
  if (const auto* row = find(device, p, nullptr)) return *row;
  std::string refusals;
  find(device, p, &refusals);
  throw Error(SPK_STATUS_NOT_SUPPORTED, "%s: %s", call_name(p), refusals.c_str());
}

struct SoftmaxPlan final : Plan {
  std::string kernel;
  std::string describe() const override { return kernel + ", nothing kept, 0 bytes"; }
};

template <class Problem>
Choice choose_row(const Device& device, const Problem& p) {
  std::string refusals;
  const auto* row = find(device, p, &refusals);
  return row == nullptr ? Choice{0, std::move(refusals)} : Choice{row->id, row->name};
}
template <class Problem>
std::size_t workspace_of(const Device& device, const Problem& p) {
  const auto* row = find(device, p, nullptr);
  return row == nullptr || structure(p).nnz == 0 ? 0 : row->workspace(device, p);
}
template <class Problem>
std::unique_ptr<Plan> prepare_rows(const Device& device, const Problem& p) {
  auto plan = std::make_unique<SoftmaxPlan>();
  plan->kernel = require(device, p).name;
  return plan;
}
template <class Problem>
void run_rows(const Device& device, const Problem& p, const Exec& exec) {
  const auto& row = require(device, p);
  if (structure(p).nnz == 0 || structure(p).batch_count == 0) return;
  const std::size_t needed = row.workspace(device, p);
  if (exec.workspace_bytes < needed)
    throw Error(SPK_STATUS_WORKSPACE_TOO_SMALL, "%s: workspace_bytes = %zu but %zu are needed", call_name(p),
                exec.workspace_bytes, needed);
  row.function(p, Launch{device, static_cast<cudaStream_t>(exec.stream), exec.workspace});
}

}  // namespace

std::span<const SoftmaxRow> softmax_kernels() noexcept { return kForward; }
std::span<const SoftmaxBackwardRow> softmax_backward_kernels() noexcept { return kBackward; }

SoftmaxParts softmax_parts(const Device& device, std::int64_t nnz) noexcept {
  // Long enough that the parts of a row can be joined by every block that needs its sum.
  constexpr std::int64_t kShortest = 16384;
  const std::int64_t most = std::int64_t{32} * device.sm_count;
  SoftmaxParts parts;
  parts.length = std::max(kShortest, (nnz + most - 1) / most);
  parts.count = (nnz + parts.length - 1) / parts.length;
  return parts;
}

Choice choose(const Device& device, const SoftmaxProblem& p) { return choose_row(device, p); }
std::size_t workspace(const Device& device, const SoftmaxProblem& p, const Plan*, const Exec&) {
  return workspace_of(device, p);
}
std::unique_ptr<Plan> prepare(const Device& device, const SoftmaxProblem& p, const Exec&) {
  return prepare_rows(device, p);
}
void run(const Device& device, const SoftmaxProblem& p, const Plan*, const Exec& exec) { run_rows(device, p, exec); }

Choice choose(const Device& device, const SoftmaxBackwardProblem& p) { return choose_row(device, p); }
std::size_t workspace(const Device& device, const SoftmaxBackwardProblem& p, const Plan*, const Exec&) {
  return workspace_of(device, p);
}
std::unique_ptr<Plan> prepare(const Device& device, const SoftmaxBackwardProblem& p, const Exec&) {
  return prepare_rows(device, p);
}
void run(const Device& device, const SoftmaxBackwardProblem& p, const Plan*, const Exec& exec) {
  run_rows(device, p, exec);
}

}  // namespace spk::cuda
