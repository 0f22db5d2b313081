// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/operands.hpp"
#include "cases/operations.hpp"

namespace spk::cases {
namespace {

enum class Target { own_values, in_place };

struct SoftmaxSpec {
  bool is_backward = false;  // values are Y, and `gradient` is dY
  ValueArray gradient;
  SparseSpec sparse;
  double scale = 1;
  bool has_mask = false;
  std::vector<std::uint8_t> mask;
};

SoftmaxSpec read_softmax(Fields& fields, spk_value_type_t type, bool is_backward) {
  SoftmaxSpec spec;
  spec.sparse.value_type = type;
  spec.sparse.rows = fields.integer("a_rows");
  spec.sparse.cols = fields.integer("a_cols");
  if (fields.find("format") != nullptr) spec.sparse.format = read_format(fields, "format");
  read_sparse_fields(fields, spec.sparse, "values");
  if (is_backward) {
    spec.is_backward = true;
    spec.gradient = expand_values(fields.need("gradient"), "gradient");
  }
  spec.scale = fields.real_or("scale", 1);
  if (const Json* mask = fields.find("mask")) {
    spec.has_mask = true;
    for (const std::int64_t item : expand_indices(*mask, "mask").items)
      spec.mask.push_back(static_cast<std::uint8_t>(item != 0));
  }
  return spec;
}

// Creates Y over the structure of X and values of its own, so that both share offsets and indices.
Outcome create_result(SparseMatrix& matY, const SparseSpec& spec, Memory& memory, void* values) {
  const auto address = [&](const char* name) -> void* {
    Buffer* buffer = memory.find(name);
    return buffer == nullptr ? nullptr : buffer->address();
  };
  spk_spmat_t made = nullptr;
  const Outcome outcome =
      outcome_of(spk_csr_create(&made, spec.rows, spec.cols, spec.nnz, address("row_offsets"), address("col_indices"),
                                values, spec.offset_type, spec.index_type, spec.index_base, spec.value_type));
  matY.reset(made);
  return outcome;
}

// The calls of one softmax, forward or backward.
struct Softmax {
  spk_handle_t handle;
  const SoftmaxSpec& spec;
  spk_const_spmat_t matX, matDY;
  spk_spmat_t matOut;
  const std::uint8_t* mask;

  Outcome workspace(std::size_t& bytes) const {
    return outcome_of(spec.is_backward
                          ? spk_softmax_backward_workspace(handle, matX, matDY, matOut, SPK_ALG_DEFAULT, &bytes)
                          : spk_softmax_workspace(handle, matX, matOut, SPK_ALG_DEFAULT, &bytes),
                      handle);
  }
  Outcome run(void* workspace, std::size_t bytes) const {
    return outcome_of(
        spec.is_backward
            ? spk_softmax_backward(handle, spec.scale, matX, matDY, matOut, SPK_ALG_DEFAULT, workspace, bytes)
            : spk_softmax(handle, spec.scale, matX, mask, matOut, SPK_ALG_DEFAULT, workspace, bytes),
        handle);
  }
  Outcome create_plan(Plan& plan) const {
    spk_plan_t made = nullptr;
    const spk_status_t status =
        spec.is_backward ? spk_softmax_backward_plan_create(&made, handle, matX, matDY, matOut, SPK_ALG_DEFAULT)
                         : spk_softmax_plan_create(&made, handle, matX, matOut, SPK_ALG_DEFAULT);
    plan.reset(made);
    return outcome_of(status, handle);
  }
  Outcome run_plan(const Plan& plan, void* workspace, std::size_t bytes) const {
    return outcome_of(
        spec.is_backward
            ? spk_softmax_backward_execute(handle, plan.get(), spec.scale, matX, matDY, matOut, workspace, bytes)
            : spk_softmax_execute(handle, plan.get(), spec.scale, matX, mask, matOut, workspace, bytes),
        handle);
  }
};

std::string attempt(const Context& context, const SoftmaxSpec& spec, const Switches& switches,
                    const Expectation& expectation, Placement placement, Target target, bool with_plan) {
  Handle handle;
  Outcome outcome = create_handle(handle, context.options.backend, switches.threads);
  if (handle.get() == nullptr) return "spk_create answered " + outcome.describe();
  Memory memory(switches, placement, context.options.backend);
  SparseMatrix matX, matY;
  if (outcome.ok()) outcome = create_sparse(matX, spec.sparse, memory, Access::write);
  const char* output = target == Target::in_place ? "values" : "result";
  if (outcome.ok() && target == Target::own_values) {
    const bool is_null = memory.find("values") == nullptr;
    void* result =
        is_null ? nullptr : memory.blank("result", bytes_of(spec.sparse.value_type), spec.sparse.values.count);
    if (spec.sparse.format == SPK_FORMAT_CSR) outcome = create_result(matY, spec.sparse, memory, result);
  }
  const spk_spmat_t matOut = matY.get() != nullptr ? writable(matY) : writable(matX);
  if (outcome.ok() && switches.validate) {
    outcome = outcome_of(spk_set_check(handle.get(), 1), handle.get());
    if (outcome.ok()) outcome = outcome_of(spk_spmat_validate(handle.get(), matX.get(), nullptr), handle.get());
  }
  const std::uint8_t* mask = spec.has_mask ? memory.bytes("mask", spec.mask) : nullptr;
  SparseMatrix matDY;
  if (outcome.ok() && spec.is_backward) {
    void* gradient = memory.values("gradient", spec.sparse.value_type, spec.gradient, spec.sparse.nnz);
    outcome = create_result(matDY, spec.sparse, memory, gradient);
  }
  const Softmax call{handle.get(), spec, matX.get(), matDY.get(), matOut, mask};
  Plan plan;
  if (outcome.ok() && with_plan) outcome = call.create_plan(plan);
  for (std::int64_t turn = 0; turn < switches.repeat && outcome.ok(); ++turn) {
    if (turn > 0) memory.find(output)->restore();
    std::size_t bytes = 0;
    outcome = with_plan ? outcome_of(spk_plan_workspace(handle.get(), plan.get(), &bytes), handle.get())
                        : call.workspace(bytes);
    if (!outcome.ok()) break;
    void* workspace = memory.workspace(bytes);
    outcome = with_plan ? call.run_plan(plan, workspace, bytes) : call.run(workspace, bytes);
    if (const Outcome fetched = memory.fetch(handle.get()); outcome.ok()) outcome = fetched;
  }
  Buffer* result = memory.find(output);
  std::string reason;
  if (!outcome.ok()) {
    reason = judge_failure(outcome, expectation);
    if (reason.empty() && result != nullptr && result->first_change() >= 0)
      reason = "values were written though the call was refused";
  } else if (expectation.expected == nullptr) {
    reason = "succeeded but must answer " + expectation.errors.front();
  } else if (result != nullptr) {
    Fields expected(*expectation.expected, "expected");
    reason = compare_field(expected, "values", spec.sparse.value_type, *result, expectation.tolerance);
    expected.finish();
  }
  return reason.empty() ? memory.check_untouched({output, "workspace"}) : reason;
}

}  // namespace

Judgement run_softmax_case(Fields& fields, const Context& context, bool is_backward) {
  const Expectation expectation = read_expectation(fields);
  const Switches switches = read_switches(fields);
  const SoftmaxSpec spec = read_softmax(fields, context.type, is_backward);
  fields.finish();
  if (!expectation.has_verdict()) throw CaseError("softmax: neither expected nor expected_error is given");
  if (spec.has_mask && static_cast<std::int64_t>(spec.mask.size()) != spec.sparse.nnz)
    throw CaseError("softmax: mask must have nnz elements");
  for (const Placement placement : switches.placements()) {
    for (const Target target : {Target::own_values, Target::in_place}) {
      for (const bool with_plan : {false, true}) {
        const std::string reason = attempt(context, spec, switches, expectation, placement, target, with_plan);
        if (reason.empty()) continue;
        const std::string how = with_plan ? "(plan) " : "";
        return Judgement::fail(how + reason + (target == Target::in_place ? " when done in place" : ""));
      }
    }
  }
  return Judgement::pass();
}

}  // namespace spk::cases
