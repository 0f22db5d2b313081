// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "race.hpp"

#include <algorithm>
#include <cmath>

#include "failure.hpp"
#include "textbook_loops.h"

namespace spk::bench {
namespace {

using tool::Operation;

std::function<void()> textbook_call(const textbook_csr& csr, const tool::Workload& workload, float* out, int threads) {
  const tool::Problem& problem = workload.problem();
  const bool row = problem.order == SPK_ORDER_ROW;
  const float* left = workload.left().as<float>();
  const float* right = workload.right().as<float>();
  const std::int64_t n = problem.n;
  switch (problem.operation) {
    case Operation::kSpmm:
      if (row) return [=, &csr] { textbook_spmm_row(&csr, right, out, n, threads); };
      return [=, &csr] { textbook_spmm_col(&csr, right, out, n, threads); };
    case Operation::kSddmm:
      if (row) return [=, &csr] { textbook_sddmm_row(&csr, left, right, out, n, threads); };
      return [=, &csr] { textbook_sddmm_col(&csr, left, right, out, n, threads); };
    case Operation::kSoftmax: return [=, &csr] { textbook_softmax(&csr, out, threads); };
    case Operation::kSpmv: break;
  }
  throw tool::Failure("spmv is raced as spmm with n = 1");
}

// Infinity where one side is not finite: such a race is no race.
double largest_difference(const float* got, const float* want, std::size_t count) {
  double largest = 0;
  double difference = 0;
  for (std::size_t t = 0; t < count; ++t) {
    if (!std::isfinite(got[t]) || !std::isfinite(want[t])) return INFINITY;
    largest = std::max(largest, std::fabs(static_cast<double>(want[t])));
    difference = std::max(difference, std::fabs(static_cast<double>(got[t]) - static_cast<double>(want[t])));
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace

Race race(const tool::CsrMatrix& matrix, const tool::Problem& problem, const tool::Handle& handle,
          const tool::Limits& limits, int samples) {
  if (matrix.index_type != SPK_INDEX_32I)
    throw tool::Failure(matrix.name + ": textbook loops take 32-bit indices only");
  const tool::Workload workload(matrix, problem);
  const tool::Runner one_shot(handle, workload, false);
  const tool::Runner plan(handle, workload, true);
  const tool::Buffer textbook_out(workload.result().bytes());
  const textbook_csr csr{matrix.rows, matrix.cols, matrix.row_offsets.as<std::int32_t>(),
                         matrix.col_indices.as<std::int32_t>(), matrix.values.as<float>()};
  const auto textbook = textbook_call(csr, workload, textbook_out.as<float>(), limits.threads);

  tool::TimingPlan timing;
  timing.samples = samples;
  const auto timings = tool::time_interleaved({textbook, one_shot.timed(), plan.timed()}, timing);

  Race result;
  result.file = matrix.name;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.nnz = matrix.nnz;
  result.sparsity = matrix.sparsity();
  result.operation = problem.operation;
  result.order = problem.order;
  result.n = problem.operation == Operation::kSoftmax ? 1 : problem.n;
  result.flops = workload.flops();
  result.bytes = workload.bytes();
  result.bound_seconds = limits.bound_seconds(result.flops, result.bytes, false);
  result.one_shot_kernel = one_shot.description();
  result.plan_kernel = plan.description();
  result.textbook = timings[0];
  result.one_shot = timings[1];
  result.plan = timings[2];
  // Both ways of calling leave their result in the same place: look at each alone.
  const std::size_t count = problem.operation == Operation::kSpmm ? workload.result().bytes() / sizeof(float)
                                                                  : static_cast<std::size_t>(matrix.nnz);
  for (const tool::Runner* runner : {&one_shot, &plan}) {
    (*runner)();
    result.difference =
        std::max(result.difference, largest_difference(workload.result().as<float>(), textbook_out.as<float>(), count));
  }
  return result;
}

}  // namespace spk::bench
