// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/operands.hpp"

#include <algorithm>
#include <limits>

namespace spk::cases {
namespace {

std::string without_in(std::string name) {
  if (name.size() > 3 && name.ends_with("_in")) name.resize(name.size() - 3);
  return name;
}

std::int32_t to_int32(Fields& fields, const char* key, std::int64_t value) {
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
    fields.malformed(key, "a 32-bit integer");
  return static_cast<std::int32_t>(value);
}

void set_sparse_batch(SparseSpec& spec, SparseMatrix& matrix, Outcome& outcome) {
  if (outcome.ok() && spec.has_batch) {
    outcome = outcome_of(spk_spmat_set_batch(writable(matrix), spec.batch_count, spec.offsets_stride,
                                             spec.indices_stride, spec.values_stride));
  }
}

}  // namespace

std::vector<Placement> Switches::placements() const {
  if (!page_guard) return {Placement::plain};
  // An offset in elements and the end of a page exclude each other, so the offsets get a run of their own.
  if (elem_offset.empty()) return {Placement::page_end, Placement::page_start};
  return {Placement::plain, Placement::page_end, Placement::page_start};
}

Switches read_switches(Fields& fields) {
  Switches switches;
  if (const Json* threads = fields.find("threads"); threads != nullptr && *threads != "max")
    switches.threads = to_int32(fields, "threads", to_integer(*threads, fields.where() + ": threads"));
  switches.repeat = fields.integer_or("repeat", 1);
  if (switches.repeat < 1) fields.malformed("repeat", "at least 1");
  switches.bitwise_repeat = fields.flag_or("bitwise_repeat", false);
  switches.columns_bitwise_equal = fields.flag_or("columns_bitwise_equal", false);
  switches.validate = fields.flag_or("validate", false);
  if (fields.find("guard") != nullptr) {
    if (fields.text("guard") != "page_end") fields.malformed("guard", "\"page_end\"");
    switches.page_guard = true;
  }
  if (const Json* offsets = fields.find("elem_offset")) {
    if (!offsets->is_object()) fields.malformed("elem_offset", "an object {array: elements}");
    for (const auto& item : offsets->items()) {
      const std::int64_t shift = to_integer(item.value(), fields.where() + ": elem_offset");
      if (shift < 0 || shift > 4096) fields.malformed("elem_offset", "offsets from 0 to 4096");
      switches.elem_offset[without_in(item.key())] = shift;
    }
  }
  if (const Json* aliases = fields.find("alias")) {
    if (!aliases->is_object()) fields.malformed("alias", "an object {array: array}");
    for (const auto& item : aliases->items()) {
      if (!item.value().is_string()) fields.malformed("alias", "an object {array: array}");
      switches.alias[without_in(item.key())] = without_in(item.value().get<std::string>());
    }
  }
  for (const std::string& name : fields.texts("null_ok")) switches.null_arrays.push_back(without_in(name));
  return switches;
}

const char* name_of_format(spk_format_t format) noexcept {
  switch (format) {
    case SPK_FORMAT_CSR: return "csr";
    case SPK_FORMAT_CSC: return "csc";
    case SPK_FORMAT_COO: return "coo";
    case SPK_FORMAT_BLOCKED_ELL: return "blocked_ell";
    case SPK_FORMAT_BSR: return "bsr";
    case SPK_FORMAT_SELL: return "sell";
    default: return "?";
  }
}

spk_format_t read_format(Fields& fields, const char* key) {
  const std::string name = fields.text(key);
  for (const spk_format_t format :
       {SPK_FORMAT_CSR, SPK_FORMAT_CSC, SPK_FORMAT_COO, SPK_FORMAT_BLOCKED_ELL, SPK_FORMAT_BSR, SPK_FORMAT_SELL})
    if (name == name_of_format(format)) return format;
  fields.malformed(key, "csr, csc, coo, bsr, blocked_ell or sell");
}

spk_index_type_t read_index_type(Fields& fields, const char* key) {
  const std::string name = fields.text_or(key, "i32");
  if (name == "i32") return SPK_INDEX_32I;
  if (name == "i64") return SPK_INDEX_64I;
  fields.malformed(key, "i32 or i64");
}

spk_order_t read_order(Fields& fields, const char* key) {
  const std::string name = fields.text_or(key, "row");
  if (name == "row") return SPK_ORDER_ROW;
  if (name == "col") return SPK_ORDER_COL;
  fields.malformed(key, "row or col");
}

spk_operation_t read_operation(Fields& fields, const char* key) {
  const std::string name = fields.text_or(key, "N");
  if (name == "N") return SPK_OP_N;
  if (name == "T") return SPK_OP_T;
  if (name == "C") return SPK_OP_C;
  fields.malformed(key, "N, T or C");
}

void read_index_options(Fields& fields, SparseSpec& spec) {
  spec.index_base = to_int32(fields, "index_base", fields.integer_or("index_base", 0));
  spec.offset_type = read_index_type(fields, "offset_type");
  spec.index_type = read_index_type(fields, "index_type");
}

void read_sparse_fields(Fields& fields, SparseSpec& spec, const char* values_key) {
  read_index_options(fields, spec);
  const auto indices = [&](const char* key) { return expand_indices(fields.need(key), key); };
  const bool is_blocked = spec.format == SPK_FORMAT_BSR || spec.format == SPK_FORMAT_BLOCKED_ELL;
  switch (spec.format) {
    case SPK_FORMAT_CSC:
      spec.offsets = indices("col_offsets");
      spec.row_indices = indices("row_indices");
      break;
    case SPK_FORMAT_COO:
      spec.row_indices = indices("row_indices");
      spec.col_indices = indices("col_indices");
      break;
    case SPK_FORMAT_BLOCKED_ELL:
      spec.ell_cols = fields.integer("ell_cols");
      spec.col_indices = indices("ell_col_ind");
      break;
    case SPK_FORMAT_SELL:
      spec.slice_size = fields.integer("slice_size");
      spec.offsets = indices("slice_offsets");
      spec.col_indices = indices("col_indices");
      spec.values_size = spec.col_indices.count;
      break;
    default:
      spec.offsets = indices("row_offsets");
      spec.col_indices = indices("col_indices");
      break;
  }
  if (is_blocked) spec.block_dim = fields.integer("block_dim");
  if (spec.format == SPK_FORMAT_BSR)
    spec.block_order = read_order(fields, "block_layout");
  else if (is_blocked)
    fields.ignore({"block_layout"});  // Blocked-ELL values have one layout
  spec.values = expand_values(fields.need(values_key), values_key);
  // Blocked-ELL has no count to declare: its sizes say how much there is.
  const std::int64_t counted = spec.format == SPK_FORMAT_CSC ? spec.row_indices.count : spec.col_indices.count;
  spec.nnz = fields.integer_or("nnz", counted);
}

std::int64_t values_needed(const SparseSpec& spec) noexcept {
  std::int64_t one = spec.nnz;
  if (spec.format == SPK_FORMAT_BSR) one = spec.nnz * spec.block_dim * spec.block_dim;
  if (spec.format == SPK_FORMAT_BLOCKED_ELL) one = spec.rows * spec.ell_cols;
  if (spec.format == SPK_FORMAT_SELL) one = spec.values_size;
  return spec.has_batch ? (spec.batch_count - 1) * spec.values_stride + one : one;
}

// Descriptors to memory that may be written are created non-const and held const, to share one owner type.
spk_spmat_t writable(const SparseMatrix& matrix) noexcept { return const_cast<spk_spmat_t>(matrix.get()); }
spk_dnmat_t writable(const DenseMatrix& matrix) noexcept { return const_cast<spk_dnmat_t>(matrix.get()); }
spk_dnvec_t writable(const DenseVector& vector) noexcept { return const_cast<spk_dnvec_t>(vector.get()); }

Outcome create_handle(Handle& handle, spk_backend_t backend, std::int32_t threads) {
  spk_config_t config{};
  config.struct_size = sizeof config;
  config.backend = backend;
  spk_handle_t created = nullptr;
  Outcome outcome = outcome_of(spk_create(&created, &config));
  handle.reset(created);
  if (outcome.ok() && threads != 0) outcome = outcome_of(spk_set_num_threads(created, threads), created);
  return outcome;
}

Outcome create_sparse(SparseMatrix& matrix, const SparseSpec& given, Memory& memory, Access access) {
  SparseSpec spec = given;
  const bool is_csc = spec.format == SPK_FORMAT_CSC;
  const std::int64_t block = spec.block_dim > 0 ? spec.block_dim : 1;
  if (spec.format == SPK_FORMAT_BSR && (spec.rows % block != 0 || spec.cols % block != 0))
    throw SkipCase("spk_bsr_create counts whole blocks; it has no way to say such sizes");
  const std::int64_t unit = spec.format == SPK_FORMAT_BSR    ? block
                            : spec.format == SPK_FORMAT_SELL ? std::max<std::int64_t>(spec.slice_size, 1)
                                                             : 1;
  const std::int64_t offsets = ((is_csc ? spec.cols : spec.rows) + unit - 1) / unit + 1;
  void* offset_array = memory.indices(is_csc ? "col_offsets" : "row_offsets", spec.offset_type, spec.offsets, offsets);
  void* rows = memory.indices("row_indices", spec.index_type, spec.row_indices, spec.nnz);
  const bool is_ell = spec.format == SPK_FORMAT_BLOCKED_ELL;
  void* cols = memory.indices(is_ell ? "ell_col_ind" : "col_indices", spec.index_type, spec.col_indices, spec.nnz);
  void* values = memory.values("values", spec.value_type, spec.values, values_needed(spec));

  // A const descriptor for what is only read; setters need the other kind.
  const bool is_const = access == Access::read && !spec.has_batch;
  spk_spmat_t made = nullptr;
  spk_const_spmat_t made_const = nullptr;
  spk_status_t status = SPK_STATUS_SUCCESS;
  const auto& s = spec;
  switch (s.format) {
    case SPK_FORMAT_CSC:
      status = is_const ? spk_csc_create_const(&made_const, s.rows, s.cols, s.nnz, offset_array, rows, values,
                                               s.offset_type, s.index_type, s.index_base, s.value_type)
                        : spk_csc_create(&made, s.rows, s.cols, s.nnz, offset_array, rows, values, s.offset_type,
                                         s.index_type, s.index_base, s.value_type);
      break;
    case SPK_FORMAT_COO:
      status = is_const ? spk_coo_create_const(&made_const, s.rows, s.cols, s.nnz, rows, cols, values, s.index_type,
                                               s.index_base, s.value_type)
                        : spk_coo_create(&made, s.rows, s.cols, s.nnz, rows, cols, values, s.index_type, s.index_base,
                                         s.value_type);
      break;
    case SPK_FORMAT_BSR:
      status = is_const ? spk_bsr_create_const(&made_const, s.rows / block, s.cols / block, s.nnz, s.block_dim,
                                               s.block_dim, offset_array, cols, values, s.offset_type, s.index_type,
                                               s.index_base, s.value_type, s.block_order)
                        : spk_bsr_create(&made, s.rows / block, s.cols / block, s.nnz, s.block_dim, s.block_dim,
                                         offset_array, cols, values, s.offset_type, s.index_type, s.index_base,
                                         s.value_type, s.block_order);
      break;
    case SPK_FORMAT_BLOCKED_ELL:
      status = is_const ? spk_blocked_ell_create_const(&made_const, s.rows, s.cols, s.block_dim, s.ell_cols, cols,
                                                       values, s.index_type, s.index_base, s.value_type)
                        : spk_blocked_ell_create(&made, s.rows, s.cols, s.block_dim, s.ell_cols, cols, values,
                                                 s.index_type, s.index_base, s.value_type);
      break;
    case SPK_FORMAT_SELL:
      status = is_const ? spk_sell_create_const(&made_const, s.rows, s.cols, s.nnz, s.values_size, s.slice_size,
                                                offset_array, cols, values, s.offset_type, s.index_type, s.index_base,
                                                s.value_type)
                        : spk_sell_create(&made, s.rows, s.cols, s.nnz, s.values_size, s.slice_size, offset_array, cols,
                                          values, s.offset_type, s.index_type, s.index_base, s.value_type);
      break;
    default:
      status = is_const ? spk_csr_create_const(&made_const, s.rows, s.cols, s.nnz, offset_array, cols, values,
                                               s.offset_type, s.index_type, s.index_base, s.value_type)
                        : spk_csr_create(&made, s.rows, s.cols, s.nnz, offset_array, cols, values, s.offset_type,
                                         s.index_type, s.index_base, s.value_type);
      break;
  }
  Outcome outcome = outcome_of(status);
  matrix.reset(is_const ? made_const : made);
  set_sparse_batch(spec, matrix, outcome);
  return outcome;
}

Outcome create_dense(DenseMatrix& matrix, const DenseSpec& spec, Memory& memory, Access access) {
  void* values = memory.values(spec.name, spec.value_type, spec.values);
  Outcome outcome;
  if (access == Access::read && !spec.has_batch) {
    spk_const_dnmat_t made = nullptr;
    outcome =
        outcome_of(spk_dnmat_create_const(&made, spec.rows, spec.cols, spec.ld, values, spec.value_type, spec.order));
    matrix.reset(made);
  } else {
    spk_dnmat_t made = nullptr;
    outcome = outcome_of(spk_dnmat_create(&made, spec.rows, spec.cols, spec.ld, values, spec.value_type, spec.order));
    matrix.reset(made);
  }
  if (outcome.ok() && spec.has_batch)
    outcome = outcome_of(spk_dnmat_set_batch(writable(matrix), spec.batch_count, spec.batch_stride));
  return outcome;
}

Outcome create_vector(DenseVector& vector, const DenseSpec& spec, Memory& memory, Access access) {
  void* values = memory.values(spec.name, spec.value_type, spec.values);
  Outcome outcome;
  if (access == Access::read) {
    spk_const_dnvec_t made = nullptr;
    outcome = outcome_of(spk_dnvec_create_const(&made, spec.rows, values, spec.value_type));
    vector.reset(made);
  } else {
    spk_dnvec_t made = nullptr;
    outcome = outcome_of(spk_dnvec_create(&made, spec.rows, values, spec.value_type));
    vector.reset(made);
  }
  return outcome;
}

}  // namespace spk::cases
