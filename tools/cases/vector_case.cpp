// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/operands.hpp"
#include "cases/operations.hpp"

// axpby, gather, scatter, rot and spvv: of a sparse vector and a dense one.
namespace spk::cases {
namespace {

using SparseVector = Owner<spk_const_spvec_t, spk_spvec_destroy>;

struct VectorSpec {
  std::string op;
  std::int64_t size = 0, nnz = 0;
  SparseSpec options;  // index_base and index_type
  IndexArray indices;
  ValueArray x, y;
  Number alpha{1, 0}, beta{0, 0};  // c and s of a rotation
  spk_operation_t op_x = SPK_OP_N;

  // Names of the arrays that the call writes.
  std::vector<std::string> outputs() const {
    if (op == "rot") return {"x", "y"};
    return {op == "gather" ? "x" : op == "spvv" ? "result" : "y"};
  }
};

VectorSpec read_vector(Fields& fields, const std::string& op) {
  VectorSpec spec;
  spec.op = op;
  spec.size = fields.integer("size");
  read_index_options(fields, spec.options);
  spec.indices = expand_indices(fields.need("indices"), "indices");
  spec.nnz = fields.integer_or("nnz", spec.indices.count);
  spec.x = expand_values(fields.need("x"), "x");
  spec.y = expand_values(fields.need("y"), "y");
  const auto scalar = [&](const char* key, Number& value) {
    if (const Json* given = fields.find(key)) value = to_number(*given, key);
  };
  if (op == "axpby") {
    scalar("alpha", spec.alpha);
    scalar("beta", spec.beta);
  } else if (op == "rot") {
    scalar("c", spec.alpha);
    scalar("s", spec.beta);
  } else if (op == "spvv") {
    spec.op_x = read_operation(fields, "opX");
  }
  return spec;
}

spk_value_type_t sum_type(spk_value_type_t type) noexcept {
  return type == SPK_R_16F || type == SPK_R_16BF ? SPK_R_32F : type;
}

struct VectorCall {
  spk_handle_t handle;
  const VectorSpec& spec;
  spk_value_type_t type;
  spk_spvec_t x;
  spk_dnvec_t y;

  spk_status_t run(Memory& memory) const {
    alignas(16) unsigned char alpha[16] = {}, beta[16] = {};
    store(sum_type(type), alpha, spec.alpha);
    store(sum_type(type), beta, spec.beta);
    if (spec.op == "axpby") return spk_axpby(handle, alpha, x, beta, y);
    if (spec.op == "gather") return spk_gather(handle, y, x);
    if (spec.op == "scatter") return spk_scatter(handle, x, y);
    if (spec.op == "rot") return spk_rot(handle, alpha, beta, x, y);
    // The result lies where the backend computes, like every array.
    spk_set_pointer_mode(handle, SPK_POINTER_MODE_DEVICE);
    const spk_compute_type_t compute = compute_type_of(type);
    std::size_t bytes = 0;
    const spk_status_t status = spk_spvv_workspace(handle, spec.op_x, x, y, compute, &bytes);
    if (status != SPK_STATUS_SUCCESS) return status;
    return spk_spvv(handle, spec.op_x, x, y, memory.find("result")->address(), compute, memory.workspace(bytes), bytes);
  }
};

std::string attempt(const Context& context, const VectorSpec& spec, const Switches& switches,
                    const Expectation& expectation, Placement placement) {
  Handle handle;
  Outcome outcome = create_handle(handle, context.options.backend, switches.threads);
  if (handle.get() == nullptr) return "spk_create answered " + outcome.describe();
  const spk_value_type_t type = context.type;
  Memory memory(switches, placement, context.options.backend);
  void* const indices = memory.indices("indices", spec.options.index_type, spec.indices, spec.nnz);
  void* const x_values = memory.values("x", type, spec.x, spec.nnz);
  void* const y_values = memory.values("y", type, spec.y, spec.size);
  if (spec.op == "spvv") memory.blank("result", bytes_of(sum_type(type)), 1);
  spk_spvec_t x = nullptr;
  spk_dnvec_t y = nullptr;
  if (outcome.ok())
    outcome = outcome_of(spk_spvec_create(&x, spec.size, spec.nnz, indices, x_values, spec.options.index_type,
                                          spec.options.index_base, type));
  SparseVector x_owner;
  x_owner.reset(x);
  if (outcome.ok()) outcome = outcome_of(spk_dnvec_create(&y, spec.size, y_values, type));
  DenseVector y_owner;
  y_owner.reset(y);
  if (outcome.ok() && switches.validate) outcome = outcome_of(spk_set_check(handle.get(), 1), handle.get());
  const std::vector<std::string> outputs = spec.outputs();
  for (std::int64_t turn = 0; turn < switches.repeat && outcome.ok(); ++turn) {
    for (const std::string& name : outputs)
      if (turn > 0 && memory.find(name) != nullptr) memory.find(name)->restore();
    outcome = outcome_of(VectorCall{handle.get(), spec, type, x, y}.run(memory), handle.get());
    if (const Outcome fetched = memory.fetch(handle.get()); outcome.ok()) outcome = fetched;
  }
  std::string reason;
  if (!outcome.ok()) {
    reason = judge_failure(outcome, expectation);
    for (const std::string& name : outputs)
      if (reason.empty() && memory.find(name) != nullptr && memory.find(name)->first_change() >= 0)
        reason = name + " was written though the call was refused";
  } else if (expectation.expected == nullptr) {
    reason = "succeeded but must answer " + expectation.errors.front();
  } else {
    Fields expected(*expectation.expected, "expected");
    for (const std::string& name : outputs)
      if (const Buffer* got = memory.find(name); got != nullptr && reason.empty())
        reason = compare_field(expected, name, name == "result" ? sum_type(type) : type, *got, expectation.tolerance);
      else
        expected.ignore({name.c_str()});
    expected.finish();
  }
  std::vector<std::string> written = outputs;
  written.emplace_back("workspace");
  return reason.empty() ? memory.check_untouched(written) : reason;
}

}  // namespace

bool is_vector_operation(const std::string& op) noexcept {
  return op == "axpby" || op == "gather" || op == "scatter" || op == "rot" || op == "spvv";
}

Judgement run_vector_case(Fields& fields, const Context& context, const std::string& op) {
  const Expectation expectation = read_expectation(fields);
  const Switches switches = read_switches(fields);
  const VectorSpec spec = read_vector(fields, op);
  fields.finish();
  if (!expectation.has_verdict()) throw CaseError(op + ": neither expected nor expected_error is given");
  for (const Placement placement : switches.placements()) {
    const std::string reason = attempt(context, spec, switches, expectation, placement);
    if (!reason.empty()) return Judgement::fail(reason);
  }
  return Judgement::pass();
}

}  // namespace spk::cases
