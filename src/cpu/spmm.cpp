// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/spmm.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "cpu/parallel.hpp"

// Calls: the kernel, the workspace, batches. What happens to one matrix is in spmm_matrix.cpp.
namespace spk::cpu {

Choice choose(const SpmmProblem& p) {
  std::string refusals;
  const SpmmRow* row = select_spmm(p, &refusals);
  return row == nullptr ? Choice{0, refusals} : Choice{row->id, row->name};
}

namespace {

const SpmmRow& kernel_for(const SpmmProblem& p, const SpmmPlan* plan) {
  if (plan != nullptr) return *plan->kernel;
  if (const SpmmRow* row = select_spmm(p, nullptr)) return *row;
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes this product: %s", choose(p).text.c_str());
}

// Of one call: a plan has the layout for the threads it was made with.
bool has_layout(const SpmmPlan* plan, int threads) noexcept { return plan != nullptr && threads == plan->threads; }

// Rows as they are stored, none of them long, for dots or up to two vectors of B in place: what layout_of() finds to need
// nothing, found sooner, since small products take less time than it.
bool needs_no_workspace(const SpmmProblem& p, const SpmmRow& kernel) noexcept {
  if (!entries_stored_in_rows(p) || most_segments(p.a.nnz) > 0) return false;
  if (method_of(kernel) == SpmmMethod::dot) return true;
  const std::int64_t sum_bytes = static_cast<std::int64_t>(size_of(sum_type(p.a.value_type)));
  return method_of(kernel) == SpmmMethod::tile && operand(p.b, p.op_b).col_stride == 1 &&
         p.n <= 2 * vector_bytes(kernel.target) / sum_bytes;
}

SpmmProblem matrix_of(const SpmmProblem& p, std::int64_t b) noexcept {
  SpmmProblem one = p;
  one.a = p.a.batch(b);
  one.b = p.b.batch(b);
  one.c = p.c.batch(b);
  if (p.epilogue.has_residual) one.epilogue.residual = p.epilogue.residual.batch(b);
  return one;
}

}  // namespace

std::size_t workspace(const SpmmProblem& p, const Plan* plan, const Exec& exec) {
  if (p.m == 0 || p.n == 0) return 0;
  const SpmmPlan* own = static_cast<const SpmmPlan*>(plan);
  if (own != nullptr && own->plan_of_rows != nullptr)
    return workspace(own->rows.problem(p), own->plan_of_rows.get(), exec);
  if (has_layout(own, exec.threads)) return own->layout.bytes();
  const SpmmRow& kernel = kernel_for(p, own);
  return needs_no_workspace(p, kernel) ? 0 : layout_of(p, own != nullptr, kernel, exec.threads).bytes();
}

namespace {

void run_in_layout(const SpmmProblem& p, const SpmmPlan* plan, const SpmmLayout& layout, char* memory) {
  const std::int64_t batches = p.c.batch_count, slices = layout.slices;
  if (batches == 1) return run_matrix(p, layout, plan == nullptr ? nullptr : &plan->matrix(0), memory);
  parallel_for(static_cast<int>(slices), slices, [&](std::int64_t slice) noexcept {
    char* mine = memory == nullptr ? nullptr : memory + static_cast<std::size_t>(slice) * layout.slice_bytes;
    for (std::int64_t b = slice * batches / slices; b < (slice + 1) * batches / slices; ++b)
      run_matrix(matrix_of(p, b), layout, plan == nullptr ? nullptr : &plan->matrix(b), mine);
  });
}

}  // namespace

void run(const SpmmProblem& p, const Plan* plan, const Exec& exec) {
  if (p.m == 0 || p.n == 0) return;
  const SpmmPlan* own = static_cast<const SpmmPlan*>(plan);
  if (own != nullptr && own->plan_of_rows != nullptr) return run(own->rows.problem(p), own->plan_of_rows.get(), exec);
  char* memory = static_cast<char*>(exec.workspace);
  if (has_layout(own, exec.threads)) return run_in_layout(p, own, own->layout, memory);
  run_in_layout(p, own, layout_of(p, own != nullptr, kernel_for(p, own), exec.threads), memory);
}

}  // namespace spk::cpu
