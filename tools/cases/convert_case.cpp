// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/operands.hpp"
#include "cases/operations.hpp"

namespace spk::cases {
namespace {

// Stands in places that a conversion must leave alone.
constexpr double kFiller = 77;

struct ConvertSpec {
  bool from_dense = false, to_dense = false;
  SparseSpec from;  // or the format that comes out of `dense`
  DenseSpec dense;  // source or destination
  SparseSpec to;
};

ConvertSpec read_convert(Fields& fields, spk_value_type_t type) {
  ConvertSpec spec;
  const std::string from = fields.text("from_format");
  const std::string to = fields.text("to_format");
  spec.from_dense = from == "dense";
  spec.to_dense = to == "dense";
  if (spec.from_dense && spec.to_dense) fields.malformed("to_format", "a sparse format when from_format is dense");
  const std::int64_t rows = fields.integer("a_rows");
  const std::int64_t cols = fields.integer("a_cols");
  for (SparseSpec* side : {&spec.from, &spec.to}) {
    side->rows = rows;
    side->cols = cols;
    side->value_type = type;
  }
  spec.dense.name = "dense";
  spec.dense.rows = rows;
  spec.dense.cols = cols;
  spec.dense.value_type = type;
  if (spec.from_dense) {
    spec.dense.order = read_order(fields, "layout_in");
    spec.dense.ld = fields.integer_or("ld_in", spec.dense.order == SPK_ORDER_ROW ? cols : rows);
    spec.dense.values = expand_values(fields.need("dense"), "dense");
    fields.ignore({"nnz"});  // what the conversion finds
  } else {
    spec.from.format = read_format(fields, "from_format");
    read_sparse_fields(fields, spec.from, "values");
  }
  read_index_options(fields, spec.to);
  if (spec.to_dense) {
    spec.dense.order = read_order(fields, "layout_out");
    spec.dense.ld = fields.integer_or("ld_out", spec.dense.order == SPK_ORDER_ROW ? cols : rows);
  } else {
    spec.to.format = read_format(fields, "to_format");
    if (spec.to.format == SPK_FORMAT_BSR || spec.to.format == SPK_FORMAT_BLOCKED_ELL) {
      spec.to.block_dim = fields.integer("block_dim");
      spec.to.block_order = read_order(fields, "block_layout");
      // For Blocked-ELL it is what the analysis must find, unless it describes the source.
      spec.to.ell_cols =
          spec.from_dense || spec.from.format != SPK_FORMAT_BLOCKED_ELL ? fields.integer_or("ell_cols", 0) : 0;
    }
    fields.ignore({"layout_out", "ld_out"});
  }
  return spec;
}

class Conversion {
 public:
  Conversion(const Context& context, const ConvertSpec& spec, const Switches& switches, Placement placement)
      : spec_(spec),
        memory_(switches, placement, context.options.backend),
        result_memory_(switches, placement, context.options.backend),
        switches_(switches) {
    setup_ = create_handle(handle_, context.options.backend, switches.threads);
  }

  std::string attempt(const Expectation& expectation) {
    Outcome outcome = setup_;
    if (outcome.ok()) outcome = create_source();
    if (outcome.ok() && switches_.validate && !spec_.from_dense)
      outcome = outcome_of(spk_spmat_validate(handle_.get(), source_.get(), nullptr), handle_.get());
    if (outcome.ok()) outcome = spec_.to_dense ? to_dense() : to_sparse();
    for (Memory* memory : {&memory_, &result_memory_})
      if (const Outcome fetched = memory->fetch(handle_.get()); outcome.ok()) outcome = fetched;
    std::string reason;
    if (!outcome.ok()) {
      reason = judge_failure(outcome, expectation);
      if (Buffer* dense = result_memory_.find("dense"); reason.empty() && dense != nullptr && spec_.to_dense) {
        if (dense->first_change() >= 0) reason = "dense was written though the call was refused";
      }
    } else if (expectation.expected == nullptr) {
      reason = "succeeded but must answer " + expectation.errors.front();
    } else {
      reason = compare(*expectation.expected, expectation.tolerance);
    }
    if (reason.empty()) reason = memory_.check_untouched({"workspace"});
    if (reason.empty())
      reason = result_memory_.check_untouched(
          {"dense", "row_offsets", "col_offsets", "row_indices", "col_indices", "ell_col_ind", "values", "workspace"});
    return reason;
  }

 private:
  Outcome create_source() {
    if (spec_.from_dense) return create_dense(dense_, spec_.dense, memory_, Access::read);
    return create_sparse(source_, spec_.from, memory_, Access::read);
  }

  void* scratch(std::size_t bytes) { return memory_.workspace(bytes); }

  Outcome to_dense() {
    DenseSpec target = spec_.dense;
    const std::int64_t lines = target.order == SPK_ORDER_ROW ? target.rows : target.cols;
    if (lines < 0 || target.ld < 0) return create_dense(dense_, target, memory_, Access::write);
    target.values.is_null = false;
    target.values.count = lines * target.ld;
    target.values.items.assign(static_cast<std::size_t>(target.values.count), Number{kFiller, 0});
    Outcome outcome = create_dense(dense_, target, result_memory_, Access::write);
    std::size_t bytes = 0;
    if (outcome.ok())
      outcome =
          outcome_of(spk_sparse_to_dense_workspace(handle_.get(), source_.get(), dense_.get(), &bytes), handle_.get());
    if (outcome.ok()) {
      outcome = outcome_of(spk_sparse_to_dense(handle_.get(), source_.get(), writable(dense_), scratch(bytes), bytes),
                           handle_.get());
    }
    return outcome;
  }

  // The two phases of spk_convert.h: analyze, allocate, convert.
  Outcome to_sparse() {
    SparseSpec& to = spec_.to;
    const bool is_csc = to.format == SPK_FORMAT_CSC;
    const std::int64_t block = to.block_dim > 0 ? to.block_dim : 1;
    const bool has_offsets = is_csc || to.format == SPK_FORMAT_CSR || to.format == SPK_FORMAT_BSR;
    if (has_offsets && to.rows >= 0 && to.cols >= 0) {
      const std::int64_t lines = (is_csc ? to.cols : to.rows) / (to.format == SPK_FORMAT_BSR ? block : 1);
      to.offsets.is_null = false;
      to.offsets.count = lines + 1;
      to.offsets.items.assign(static_cast<std::size_t>(lines + 1), std::int64_t{-5});
    }
    to.nnz = 0;
    const std::int64_t wanted_ell_cols = to.ell_cols;
    to.ell_cols = 0;
    Outcome outcome = create_sparse(result_, to, result_memory_, Access::write);
    std::size_t bytes = 0;
    if (outcome.ok()) outcome = query(bytes);
    void* workspace = scratch(bytes);
    if (outcome.ok()) outcome = analyze(workspace, bytes);
    if (!outcome.ok()) return outcome;

    spk_spmat_info_t info{};
    info.struct_size = sizeof info;
    outcome = outcome_of(spk_spmat_get_info(result_.get(), &info), handle_.get());
    if (!outcome.ok()) return outcome;
    if (wanted_ell_cols != 0 && info.ell_cols != wanted_ell_cols) {
      return {SPK_STATUS_INTERNAL_ERROR, "ell_cols is " + std::to_string(info.ell_cols) +
                                             " after the analysis but must be " + std::to_string(wanted_ell_cols)};
    }
    std::int64_t indices = info.nnz, values = info.nnz;
    if (to.format == SPK_FORMAT_BSR || to.format == SPK_FORMAT_BLOCKED_ELL) indices = info.nnzb;
    const std::size_t index_bytes = bytes_of_index(to.index_type);
    const auto blank = [&](const char* name, std::size_t element, std::int64_t count) {
      return result_memory_.blank(name, element, count);
    };
    void* value_array = blank("values", bytes_of(to.value_type), values);
    void* index_array = blank(is_csc                                ? "row_indices"
                              : to.format == SPK_FORMAT_BLOCKED_ELL ? "ell_col_ind"
                                                                    : "col_indices",
                              index_bytes, indices);
    void* offset_array = nullptr;
    if (to.format == SPK_FORMAT_COO)
      offset_array = blank("row_indices", index_bytes, indices);
    else if (has_offsets)
      offset_array = result_memory_.find(is_csc ? "col_offsets" : "row_offsets")->address();
    outcome = outcome_of(spk_spmat_set_pointers(writable(result_), offset_array, index_array, value_array));
    if (outcome.ok()) outcome = convert(workspace, bytes);
    return outcome;
  }

  Outcome query(std::size_t& bytes) {
    const spk_status_t status =
        spec_.from_dense ? spk_dense_to_sparse_workspace(handle_.get(), dense_.get(), result_.get(), &bytes)
                         : spk_sparse_to_sparse_workspace(handle_.get(), source_.get(), result_.get(), &bytes);
    return outcome_of(status, handle_.get());
  }
  Outcome analyze(void* workspace, std::size_t bytes) {
    const spk_status_t status =
        spec_.from_dense
            ? spk_dense_to_sparse_analyze(handle_.get(), dense_.get(), writable(result_), workspace, bytes)
            : spk_sparse_to_sparse_analyze(handle_.get(), source_.get(), writable(result_), workspace, bytes);
    return outcome_of(status, handle_.get());
  }
  Outcome convert(void* workspace, std::size_t bytes) {
    const spk_status_t status =
        spec_.from_dense
            ? spk_dense_to_sparse_convert(handle_.get(), dense_.get(), writable(result_), workspace, bytes)
            : spk_sparse_to_sparse_convert(handle_.get(), source_.get(), writable(result_), workspace, bytes);
    return outcome_of(status, handle_.get());
  }

  std::string compare(const Json& wanted, const Tolerance& tolerance) {
    Fields expected(wanted, "expected");
    std::string reason;
    const auto take = [&](const char* name, auto&& check) {
      Buffer* buffer = result_memory_.find(name);
      if (!reason.empty() || buffer == nullptr) return;
      reason = check(*buffer);
    };
    if (spec_.to_dense) {
      take("dense", [&](Buffer& b) { return compare_field(expected, "dense", spec_.dense.value_type, b, tolerance); });
    } else {
      for (const char* name : {"row_offsets", "col_offsets"}) {
        take(name, [&](Buffer& b) { return compare_index_field(expected, name, spec_.to.offset_type, b); });
      }
      for (const char* name : {"row_indices", "col_indices", "ell_col_ind"}) {
        take(name, [&](Buffer& b) { return compare_index_field(expected, name, spec_.to.index_type, b); });
      }
      take("values", [&](Buffer& b) { return compare_field(expected, "values", spec_.to.value_type, b, tolerance); });
      for (const char* name : {"nnz", "ell_cols"}) {
        if (reason.empty() && expected.find(name) != nullptr) reason = compare_count(name, expected.integer(name));
      }
    }
    if (reason.empty()) expected.finish();
    return reason;
  }

  static std::string compare_index_field(Fields& expected, const char* name, spk_index_type_t type, Buffer& buffer) {
    const Json* wanted = expected.find(name);
    return wanted == nullptr ? std::string() : compare_indices(name, type, buffer, expand_indices(*wanted, name));
  }

  std::string compare_count(const std::string& name, std::int64_t wanted) {
    spk_spmat_info_t info{};
    info.struct_size = sizeof info;
    const Outcome outcome = outcome_of(spk_spmat_get_info(result_.get(), &info));
    if (!outcome.ok()) return "spk_spmat_get_info answered " + outcome.describe();
    const std::int64_t got = name == "ell_cols" ? info.ell_cols : spec_.to.block_dim > 0 ? info.nnzb : info.nnz;
    if (got == wanted) return {};
    return name + " is " + std::to_string(got) + " but must be " + std::to_string(wanted);
  }

  ConvertSpec spec_;
  Memory memory_;         // the source
  Memory result_memory_;  // what is written
  const Switches& switches_;
  Handle handle_;
  Outcome setup_;
  SparseMatrix source_, result_;
  DenseMatrix dense_;
};

}  // namespace

Judgement run_convert_case(Fields& fields, const Context& context) {
  const Expectation expectation = read_expectation(fields);
  const Switches switches = read_switches(fields);
  const ConvertSpec spec = read_convert(fields, context.type);
  fields.finish();
  if (!expectation.has_verdict()) throw CaseError("convert: neither expected nor expected_error is given");
  for (const Placement placement : switches.placements()) {
    for (std::int64_t turn = 0; turn < switches.repeat; ++turn) {
      const std::string reason = Conversion(context, spec, switches, placement).attempt(expectation);
      if (!reason.empty()) return Judgement::fail(reason);
    }
  }
  return Judgement::pass();
}

}  // namespace spk::cases
