// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cinttypes>

#include "core/error.hpp"
#include "core/validate_structure.hpp"
#include "cpu/spmm.hpp"

namespace spk::cpu {
namespace {

void check_structure(const SparseView& a) {
  spk_validation_report_t report{};
  report.struct_size = sizeof report;
  validate_structure(a, report);
  if (report.fault != SPK_FAULT_NONE)
    throw Error(SPK_STATUS_INVALID_STRUCTURE,
                "matA: fault %d of spk_fault_t in matrix %" PRId64 " of the batch at element %" PRId64
                ", which is %" PRId64,
                static_cast<int>(report.fault), report.batch, report.position, report.value);
}

// A batch whose matrices share their structure needs one set of arrays.
bool shares_structure(const SparseView& a) noexcept { return a.offsets_stride == 0 && a.indices_stride == 0; }

void make_rows(const SpmmProblem& p, const SparseView& a, RowForm form, SpmmPlan::Matrix& matrix) {
  const std::int64_t stored = form == RowForm::turned ? a.nnzb : a.nnz;
  const std::size_t count = static_cast<std::size_t>(stored);
  matrix.offsets.resize(static_cast<std::size_t>(p.m / a.block_size + 2));
  matrix.positions.resize(count);
  RowArrays rows;
  rows.offsets = matrix.offsets.data();
  rows.positions = matrix.positions.data();
  rows.index_type = sorted_index_type(a);
  if (rows.index_type == IndexType::i64) {
    matrix.indices64.resize(count);
    rows.indices = matrix.indices64.data();
  } else {
    matrix.indices32.resize(count);
    rows.indices = matrix.indices32.data();
  }
  sort_into_rows(a, p.op_a, rows);
  matrix.in_place = rows.in_place;
  if (rows.in_place) {
    matrix.positions = {};
    matrix.indices32 = {};
    matrix.indices64 = {};
  }
}

}  // namespace

std::size_t SpmmPlan::bytes() const noexcept {
  std::size_t sum = sizeof *this;
  for (const Matrix& m : matrices)
    sum += sizeof m + 8 * (m.offsets.size() + m.positions.size() + m.indices64.size()) + 4 * m.indices32.size();
  return sum;
}

std::string SpmmPlan::describe() const {
  std::string text = kernel->name;
  const bool in_place = !matrices.empty() && matrices[0].in_place;
  switch (form) {
    case RowForm::stored: text += ", rows as stored"; break;
    case RowForm::scatter: text += ", columns as stored"; break;
    case RowForm::sorted:
      text += in_place ? ", offsets of sorted entries" : ", entries in rows with their places";
      break;
    case RowForm::turned: text += ", blocks in rows with their places"; break;
  }
  if (matrices.size() > 1) text += ", " + std::to_string(matrices.size()) + " structures";
  return text + ", " + std::to_string(bytes()) + " bytes";
}

std::unique_ptr<Plan> prepare(const SpmmProblem& p, const Exec&) {
  std::string refusals;
  const SpmmRow* kernel = select_spmm(p, &refusals);
  if (kernel == nullptr) throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes this product: %s", refusals.c_str());
  check_structure(p.a);
  auto plan = std::make_unique<SpmmPlan>();
  plan->kernel = kernel;
  plan->form = row_form(p, method_of(*kernel));
  plan->matrices.resize(shares_structure(p.a) ? 1 : static_cast<std::size_t>(p.a.batch_count));
  if (plan->form == RowForm::sorted || plan->form == RowForm::turned)
    for (std::size_t b = 0; b < plan->matrices.size(); ++b)
      make_rows(p, p.a.batch(static_cast<std::int64_t>(b)), plan->form, plan->matrices[b]);
  return plan;
}

}  // namespace spk::cpu
