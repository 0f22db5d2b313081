// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/product.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace spk::cases {

Product::Product(const ProductSpec& spec, const Switches& switches, Placement placement, spk_backend_t backend,
                 Access inputs)
    : spec_(spec), switches_(switches), memory_(switches_, placement, backend), inputs_(inputs) {
  store(compute_type_of(spec.type), alpha_, spec.alpha);
  store(compute_type_of(spec.type), beta_, spec.beta);
}

const char* Product::output_name() const noexcept {
  switch (spec_.kind) {
    case ProductKind::spmm: return "C";
    case ProductKind::spmv: return "y";
    default: return "values";
  }
}

Buffer* Product::output() { return memory_.find(output_name()); }

Outcome Product::create() {
  Outcome outcome = create_missing();
  created_ = outcome.ok();
  return outcome;
}

Outcome Product::create_missing() {
  Outcome outcome;
  const bool is_sddmm = spec_.kind == ProductKind::sddmm;
  if (is_sddmm && a_.get() == nullptr) outcome = create_dense(a_, spec_.a, memory_, Access::read);
  if (outcome.ok() && lender_ == nullptr) {
    // Inputs are laid out before the output, so that an aliased output starts as that input.
    if (spec_.kind == ProductKind::spmv) {
      if (x_.get() == nullptr) outcome = create_vector(x_, spec_.b, memory_, Access::read);
    } else if (b_.get() == nullptr) {
      outcome = create_dense(b_, spec_.b, memory_, inputs_);
    }
    if (outcome.ok() && sparse_.get() == nullptr)
      outcome = create_sparse(sparse_, spec_.sparse, memory_, is_sddmm ? Access::write : inputs_);
  }
  if (outcome.ok() && spec_.kind == ProductKind::spmm && c_.get() == nullptr)
    outcome = create_dense(c_, spec_.c, memory_, Access::write);
  if (outcome.ok() && spec_.epilogue.is_used && epilogue_.struct_size == 0) outcome = create_epilogue();
  if (outcome.ok() && spec_.kind == ProductKind::spmv && y_.get() == nullptr)
    outcome = create_vector(y_, spec_.c, memory_, Access::write);
  return outcome;
}

Outcome Product::create_epilogue() {
  const EpilogueSpec& spec = spec_.epilogue;
  Outcome outcome;
  if (spec.bias_kind != SPK_BIAS_NONE) outcome = create_vector(bias_, spec.bias, memory_, Access::read);
  if (outcome.ok() && spec.has_residual) outcome = create_dense(residual_, spec.residual, memory_, Access::read);
  epilogue_.struct_size = sizeof epilogue_;
  epilogue_.activation = spec.activation;
  epilogue_.bias_kind = spec.bias_kind;
  epilogue_.bias = bias_.get();
  epilogue_.residual = residual_.get();
  return outcome;
}

Outcome Product::validate(spk_handle_t handle) const {
  spk_validation_report_t report{};
  report.struct_size = sizeof report;
  return outcome_of(spk_spmat_validate(handle, sparse(), &report), handle);
}

Outcome Product::workspace_bytes(spk_handle_t handle, spk_algorithm_t alg, std::size_t& bytes) const {
  const spk_compute_type_t compute = compute_type_of(spec_.type);
  switch (spec_.kind) {
    case ProductKind::spmm:
      return outcome_of(
          spk_spmm_workspace(handle, spec_.op_a, spec_.op_b, sparse(), dense_b(), c_.get(), compute, alg, &bytes),
          handle);
    case ProductKind::spmv:
      return outcome_of(spk_spmv_workspace(handle, spec_.op_a, sparse(), vector_x(), y_.get(), compute, alg, &bytes),
                        handle);
    default:
      return outcome_of(
          spk_sddmm_workspace(handle, spec_.op_a, spec_.op_b, a_.get(), dense_b(), sparse(), compute, alg, &bytes),
          handle);
  }
}

Outcome Product::take_scratch(std::size_t bytes, Scratch scratch, void*& workspace, std::size_t& given) {
  workspace = nullptr;
  given = 0;
  if (scratch == Scratch::library || bytes == 0) return {};
  if (bytes > (std::size_t{1} << 40))
    return {SPK_STATUS_INTERNAL_ERROR, "a workspace of " + std::to_string(bytes) + " bytes is asked for"};
  workspace = memory_.workspace(bytes);
  given = bytes;
  return {};
}

Outcome Product::collect(spk_handle_t handle, const Outcome& launched) {
  const Outcome fetched = memory_.fetch(handle);
  return launched.ok() ? fetched : launched;
}

Outcome Product::place_scalars(spk_handle_t handle) {
  const std::size_t bytes = bytes_of(compute_type_of(spec_.type));
  const auto place = [&](const char* name, const unsigned char* value) {
    memory_.blank(name, bytes, 1);
    Buffer& buffer = *memory_.find(name);
    std::memcpy(buffer.data(), value, bytes);
    buffer.remember();
    return buffer.address();
  };
  placed_alpha_ = place("alpha", alpha_);
  placed_beta_ = place("beta", beta_);
  return outcome_of(spk_set_pointer_mode(handle, SPK_POINTER_MODE_DEVICE), handle);
}

Outcome Product::run(spk_handle_t handle, spk_algorithm_t alg, Scratch scratch) {
  return collect(handle, launch(handle, alg, scratch));
}

Outcome Product::run_plan(spk_handle_t handle, const Plan& plan, Scratch scratch) {
  return collect(handle, launch_plan(handle, plan, scratch));
}

Outcome Product::launch(spk_handle_t handle, spk_algorithm_t alg, Scratch scratch) {
  std::size_t bytes = 0;
  Outcome outcome = workspace_bytes(handle, alg, bytes);
  if (!outcome.ok()) return outcome;
  void* workspace = nullptr;
  outcome = take_scratch(bytes, scratch, workspace, bytes);
  if (!outcome.ok()) return outcome;
  const spk_compute_type_t compute = compute_type_of(spec_.type);
  switch (spec_.kind) {
    case ProductKind::spmm:
      // NULL is a plain product, which the other entry point does too.
      if (epilogue() == nullptr) {
        return outcome_of(spk_spmm(handle, spec_.op_a, spec_.op_b, alpha(), sparse(), dense_b(), beta(), writable(c_),
                                   compute, alg, workspace, bytes),
                          handle);
      }
      return outcome_of(spk_spmm_epilogue(handle, spec_.op_a, spec_.op_b, alpha(), sparse(), dense_b(), beta(),
                                          writable(c_), compute, alg, epilogue(), workspace, bytes),
                        handle);
    case ProductKind::spmv:
      return outcome_of(spk_spmv(handle, spec_.op_a, alpha(), sparse(), vector_x(), beta(), writable(y_), compute, alg,
                                 workspace, bytes),
                        handle);
    default:
      return outcome_of(spk_sddmm(handle, spec_.op_a, spec_.op_b, alpha(), a_.get(), dense_b(), beta(),
                                  writable(sparse_), compute, alg, workspace, bytes),
                        handle);
  }
}

Outcome Product::create_plan(spk_handle_t handle, Plan& plan, spk_algorithm_t alg) const {
  const spk_compute_type_t compute = compute_type_of(spec_.type);
  spk_plan_t made = nullptr;
  spk_status_t status = SPK_STATUS_SUCCESS;
  switch (spec_.kind) {
    case ProductKind::spmm:
      status = spk_spmm_plan_create(&made, handle, spec_.op_a, spec_.op_b, sparse(), dense_b(), c_.get(), compute, alg,
                                    epilogue());
      break;
    case ProductKind::spmv:
      status = spk_spmv_plan_create(&made, handle, spec_.op_a, sparse(), vector_x(), y_.get(), compute, alg);
      break;
    default:
      status =
          spk_sddmm_plan_create(&made, handle, spec_.op_a, spec_.op_b, a_.get(), dense_b(), sparse(), compute, alg);
      break;
  }
  plan.reset(made);
  return outcome_of(status, handle);
}

Outcome Product::launch_plan(spk_handle_t handle, const Plan& plan, Scratch scratch) {
  std::size_t bytes = 0;
  Outcome outcome = outcome_of(spk_plan_workspace(handle, plan.get(), &bytes), handle);
  if (!outcome.ok()) return outcome;
  void* workspace = nullptr;
  outcome = take_scratch(bytes, scratch, workspace, bytes);
  if (!outcome.ok()) return outcome;
  switch (spec_.kind) {
    case ProductKind::spmm:
      return outcome_of(spk_spmm_execute(handle, plan.get(), alpha(), sparse(), dense_b(), beta(), writable(c_),
                                         epilogue(), workspace, bytes),
                        handle);
    case ProductKind::spmv:
      return outcome_of(
          spk_spmv_execute(handle, plan.get(), alpha(), sparse(), vector_x(), beta(), writable(y_), workspace, bytes),
          handle);
    default:
      return outcome_of(spk_sddmm_execute(handle, plan.get(), alpha(), a_.get(), dense_b(), beta(), writable(sparse_),
                                          workspace, bytes),
                        handle);
  }
}

Outcome Product::update_plan(spk_handle_t handle, const Plan& plan) const {
  return outcome_of(spk_plan_update(handle, plan.get(), sparse()), handle);
}

Outcome Product::keep_values(spk_handle_t handle, const Plan& plan) const {
  return outcome_of(spk_plan_keep_values(handle, plan.get(), sparse()), handle);
}

void Product::reset_output() {
  Buffer* buffer = output();
  if (buffer == nullptr) return;
  const ValueArray& start = spec_.kind == ProductKind::sddmm ? spec_.sparse.values : spec_.c.values;
  if (buffer->is_reserved())
    memory_.rewrite_values(output_name(), spec_.output_type, start);
  else
    buffer->restore();
}

std::string Product::compare(const Json& expected, const Tolerance& tolerance) {
  Fields fields(expected, "expected");
  Buffer* buffer = output();
  std::string reason;
  if (buffer != nullptr) {
    reason = compare_field(fields, output_name(), spec_.output_type, *buffer, tolerance);
  } else {
    // The case passes a null output: only an empty answer can be right.
    const Json* want = fields.find(output_name());
    fields.ignore({(std::string(output_name()) + "_at").c_str()});
    if (want != nullptr && expand_values(*want, output_name(), true).count != 0)
      reason = std::string(output_name()) + " is null but a result is expected";
  }
  fields.finish();
  return reason;
}

std::string Product::check_memory() {
  const std::string reason = memory_.check_untouched({output_name(), "workspace"});
  if (!reason.empty() || spec_.kind != ProductKind::spmm) return reason;
  Buffer* buffer = output();
  if (buffer == nullptr || buffer->is_reserved()) return {};
  std::vector<bool> is_output(static_cast<std::size_t>(buffer->count()), false);
  const bool by_row = spec_.c.order == SPK_ORDER_ROW;
  const std::int64_t lines = by_row ? spec_.c.rows : spec_.c.cols;
  const std::int64_t length = by_row ? spec_.c.cols : spec_.c.rows;
  for (std::int64_t batch = 0; batch < spec_.c.batch_count; ++batch) {
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t first = batch * spec_.c.batch_stride + line * spec_.c.ld;
      if (first + length > buffer->count()) return "C_in is shorter than C as described";
      std::fill_n(is_output.begin() + first, length, true);
    }
  }
  for (std::int64_t i = 0; i < buffer->count(); ++i) {
    if (!is_output[static_cast<std::size_t>(i)] && !buffer->is_as_remembered(i))
      return "C[" + std::to_string(i) + "] is padding but was written";
  }
  return {};
}

std::string Product::check_output_untouched() {
  Buffer* buffer = output();
  if (buffer == nullptr) return {};
  if (const std::int64_t place = buffer->first_change(); place >= 0)
    return std::string(output_name()) + "[" + std::to_string(place) + "] was written though the call was refused";
  return {};
}

std::string Product::check_columns_equal() {
  Buffer* buffer = output();
  if (buffer == nullptr || spec_.kind != ProductKind::spmm) return {};
  const bool by_row = spec_.c.order == SPK_ORDER_ROW;
  for (std::int64_t batch = 0; batch < spec_.c.batch_count; ++batch) {
    for (std::int64_t i = 0; i < spec_.c.rows; ++i) {
      const std::int64_t first = batch * spec_.c.batch_stride + (by_row ? i * spec_.c.ld : i);
      for (std::int64_t j = 1; j < spec_.c.cols; ++j) {
        const std::int64_t place = first + (by_row ? j : j * spec_.c.ld);
        if (std::memcmp(buffer->at(place), buffer->at(first), buffer->element_bytes()) != 0) {
          return "columns 0 and " + std::to_string(j) + " of C differ in row " + std::to_string(i) + ": " +
                 to_text(load(spec_.output_type, buffer->at(first))) + " and " +
                 to_text(load(spec_.output_type, buffer->at(place)));
        }
      }
    }
  }
  return {};
}

Outcome Product::point_at_moved_arrays() {
  const bool is_csc = spec_.sparse.format == SPK_FORMAT_CSC;
  const bool is_coo = spec_.sparse.format == SPK_FORMAT_COO;
  const char* offsets_name = is_csc ? "col_offsets" : is_coo ? "row_indices" : "row_offsets";
  const char* indices_name = is_csc                                          ? "row_indices"
                             : spec_.sparse.format == SPK_FORMAT_BLOCKED_ELL ? "ell_col_ind"
                                                                             : "col_indices";
  void* offsets = memory_.move_away(offsets_name);
  void* indices = memory_.move_away(indices_name);
  void* values = memory_.move_away("values");
  Outcome outcome = outcome_of(spk_spmat_set_pointers(writable(sparse_), offsets, indices, values));
  if (outcome.ok() && b_.get() != nullptr)
    outcome = outcome_of(spk_dnmat_set_values(writable(b_), memory_.move_away("B")));
  if (outcome.ok() && c_.get() != nullptr)
    outcome = outcome_of(spk_dnmat_set_values(writable(c_), memory_.move_away("C")));
  return outcome;
}

void Product::write(const std::string& name, const Json& data) {
  const auto write_indices = [&](IndexArray& array, spk_index_type_t type) {
    array = expand_indices(data, name);
    if (memory_.find(name) != nullptr) memory_.rewrite_indices(name, type, array);
  };
  const auto write_values = [&](ValueArray& array, spk_value_type_t type) {
    array = expand_values(data, name);
    if (memory_.find(name) != nullptr) memory_.rewrite_values(name, type, array);
  };
  if (name == "row_offsets" || name == "col_offsets")
    write_indices(spec_.sparse.offsets, spec_.sparse.offset_type);
  else if (name == "row_indices")
    write_indices(spec_.sparse.row_indices, spec_.sparse.index_type);
  else if (name == "col_indices" || name == "ell_col_ind")
    write_indices(spec_.sparse.col_indices, spec_.sparse.index_type);
  else if (name == "values")
    write_values(spec_.sparse.values, spec_.sparse.value_type);
  else if (name == "A" && spec_.kind == ProductKind::sddmm)
    write_values(spec_.a.values, spec_.a.value_type);
  else if (name == "B" || name == "x")
    write_values(spec_.b.values, spec_.b.value_type);
  else if (name == "C" || name == "y")
    write_values(spec_.c.values, spec_.c.value_type);
  else
    throw CaseError("array " + name + " cannot be written: the base problem has none of this name");
}

void Product::destroy(const std::string& what) {
  const bool all = what == "all";
  if (all || what == "A") sparse_.reset();
  if (all || what == "B") b_.reset();
  if (all || what == "C") c_.reset();
  if (all || what == "x") x_.reset();
  if (all || what == "y") y_.reset();
  created_ = false;
}

}  // namespace spk::cases
