// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cases/product.hpp"

namespace spk::cases {
namespace {

void read_scalar(Fields& fields, const char* key, Number& value, bool& is_null) {
  if (!fields.has(key)) return;
  const Json& source = fields.need(key);
  is_null = source.is_null();
  if (!is_null) value = to_number(source, fields.where() + ": " + key);
}

DenseSpec read_dense(Fields& fields, const ProductSpec& spec, const char* name, const char* values_key,
                     std::int64_t rows, std::int64_t cols) {
  DenseSpec dense;
  dense.name = name;
  dense.rows = rows;
  dense.cols = cols;
  dense.value_type = spec.type;
  std::string suffix(name);
  dense.order = read_order(fields, ("layout" + suffix).c_str());
  suffix[0] = static_cast<char>(suffix[0] - 'A' + 'a');
  dense.ld = fields.integer(("ld" + suffix).c_str());
  dense.values = expand_values(fields.need(values_key), values_key);
  return dense;
}

void set_batch(Fields& fields, DenseSpec& dense, std::int64_t count, const char* stride_key) {
  dense.has_batch = true;
  dense.batch_count = count;
  dense.batch_stride = fields.integer(stride_key);
}

DenseSpec read_vector(Fields& fields, const ProductSpec& spec, const char* name, const char* key, std::int64_t size) {
  DenseSpec dense;
  dense.name = name;
  dense.rows = size;
  dense.cols = 1;
  dense.value_type = spec.type;
  dense.values = expand_values(fields.need(key), key);
  return dense;
}

std::int32_t read_choice(Fields& fields, const char* key, std::initializer_list<const char*> names) {
  const std::string name = fields.text_or(key, "none");
  std::int32_t number = 0;
  for (const char* known : names) {
    if (name == known) return number;
    ++number;
  }
  fields.malformed(key, "one of the names in spk_ops.h");
}

spk_value_type_t read_type(Fields& fields, const char* key, spk_value_type_t otherwise) {
  spk_value_type_t type = otherwise;
  if (fields.find(key) != nullptr && !value_type_from_name(fields.text(key), type))
    fields.malformed(key, "a value type");
  return type;
}

void read_epilogue(Fields& fields, ProductSpec& spec) {
  EpilogueSpec& epilogue = spec.epilogue;
  epilogue.is_used = fields.has("activation") || fields.has("bias_kind") || fields.has("residual");
  if (!epilogue.is_used) return;
  epilogue.activation = read_choice(fields, "activation", {"none", "relu", "gelu", "gelu_tanh"});
  epilogue.bias_kind = read_choice(fields, "bias_kind", {"none", "per_row", "per_col"});
  if (epilogue.bias_kind != SPK_BIAS_NONE) {
    epilogue.bias.name = "bias";
    epilogue.bias.rows = epilogue.bias_kind == SPK_BIAS_PER_ROW ? spec.m : spec.n;
    epilogue.bias.value_type = read_type(fields, "bias_dtype", spec.output_type);
    epilogue.bias.values = expand_values(fields.need("bias"), "bias");
  }
  if (!fields.has("residual")) return;
  DenseSpec& residual = epilogue.residual;
  epilogue.has_residual = true;
  residual.name = "residual";
  residual.rows = spec.m;
  residual.cols = spec.n;
  residual.order = read_order(fields, "layoutR");
  residual.ld = fields.integer("ldr");
  residual.value_type = spec.output_type;
  residual.values = expand_values(fields.need("residual"), "residual");
  residual.batch_stride = fields.integer_or("batch_strideR", 0);
  residual.has_batch = spec.c.has_batch && residual.batch_stride != 0;
  residual.batch_count = spec.c.batch_count;
}

void read_sddmm(Fields& fields, ProductSpec& spec) {
  spec.sparse.rows = spec.m;
  spec.sparse.cols = spec.n;
  read_sparse_fields(fields, spec.sparse, "values_in");
  fields.ignore({"a_rows", "a_cols"});  // said by m, k and opA
  const bool a_flips = spec.op_a != SPK_OP_N;
  const bool b_flips = spec.op_b != SPK_OP_N;
  spec.a = read_dense(fields, spec, "A", "A", a_flips ? spec.k : spec.m, a_flips ? spec.m : spec.k);
  spec.b = read_dense(fields, spec, "B", "B", b_flips ? spec.n : spec.k, b_flips ? spec.k : spec.n);
  if (fields.find("batch_count") != nullptr) {
    const std::int64_t count = fields.integer("batch_count");
    set_batch(fields, spec.a, count, "batch_strideA");
    set_batch(fields, spec.b, count, "batch_strideB");
    spec.sparse.has_batch = true;
    spec.sparse.batch_count = count;
    spec.sparse.values_stride = fields.integer("batch_stride_values");
    spec.sparse.offsets_stride = fields.integer_or("batch_strideA_offsets", 0);
    spec.sparse.indices_stride = spec.sparse.offsets_stride == 0 ? 0 : spec.sparse.values_stride;
    fields.ignore({"batch_strideA_values"});
  }
}

void read_spmm(Fields& fields, ProductSpec& spec) {
  const bool b_flips = spec.op_b != SPK_OP_N;
  spec.b = read_dense(fields, spec, "B", "B", b_flips ? spec.n : spec.k, b_flips ? spec.k : spec.n);
  // A case whose C shares the memory of another array has no contents of its own.
  const bool shares = fields.find("alias") != nullptr && !fields.has("C_in");
  spec.c = read_dense(fields, spec, "C", shares ? "B" : "C_in", spec.m, spec.n);
  if (fields.find("batch_count") != nullptr) {
    const std::int64_t count = fields.integer("batch_count");
    set_batch(fields, spec.b, count, "batch_strideB");
    set_batch(fields, spec.c, count, "batch_strideC");
    spec.sparse.has_batch = true;
    spec.sparse.batch_count = count;
    spec.sparse.offsets_stride = fields.integer_or("batch_strideA_offsets", 0);
    spec.sparse.values_stride = fields.integer_or("batch_strideA_values", 0);
    // The schema has one stride for values and columns; a block has one column and block_dim^2 values.
    const std::int64_t area = std::max<std::int64_t>(1, spec.sparse.block_dim * spec.sparse.block_dim);
    spec.sparse.indices_stride = spec.sparse.values_stride / area;
    // Columns for one matrix only: all share them, also where each has values of its own.
    const std::int64_t columns = std::max(spec.sparse.col_indices.count, spec.sparse.row_indices.count);
    if (columns < (count - 1) * spec.sparse.indices_stride + spec.sparse.nnz && columns >= spec.sparse.nnz)
      spec.sparse.indices_stride = 0;
  }
}

}  // namespace

ProductSpec read_product(Fields& fields, ProductKind kind, spk_value_type_t type) {
  ProductSpec spec;
  spec.kind = kind;
  spec.type = type;
  spec.output_type = read_type(fields, "dtypeC", type);
  spec.m = fields.integer("m");
  spec.k = fields.integer("k");
  spec.n = kind == ProductKind::spmv ? fields.integer_or("n", 1) : fields.integer("n");
  if (kind == ProductKind::spmv && spec.n != 1) fields.malformed("n", "absent or 1 for spmv");
  spec.op_a = read_operation(fields, "opA");
  read_scalar(fields, "alpha", spec.alpha, spec.null_alpha);
  read_scalar(fields, "beta", spec.beta, spec.null_beta);
  spec.sparse.value_type = type;
  spec.sparse.format = read_format(fields, "format");
  if (kind == ProductKind::spmv)
    fields.ignore({"opB"});
  else
    spec.op_b = read_operation(fields, "opB");
  if (kind == ProductKind::sddmm) {
    spec.sparse.value_type = spec.output_type;
    read_sddmm(fields, spec);
    return spec;
  }
  const bool a_flips = spec.op_a != SPK_OP_N;
  spec.sparse.rows = fields.integer_or("a_rows", a_flips ? spec.k : spec.m);
  spec.sparse.cols = fields.integer_or("a_cols", a_flips ? spec.m : spec.k);
  read_sparse_fields(fields, spec.sparse, "values");
  if (kind == ProductKind::spmm) {
    read_spmm(fields, spec);
    spec.c.value_type = spec.output_type;
    read_epilogue(fields, spec);
  } else {
    if (fields.find("batch_count") != nullptr && fields.integer("batch_count") != 1)
      throw SkipCase("spk_spmv has no batches: vectors have no batch setter");
    fields.ignore({"batch_strideA_offsets", "batch_strideA_values"});
    spec.b = read_vector(fields, spec, "x", "x", spec.k);
    spec.c = read_vector(fields, spec, "y", "y_in", spec.m);
    spec.c.value_type = spec.output_type;
  }
  return spec;
}

std::vector<spk_algorithm_t> named_algorithms(ProductKind kind, spk_format_t format) {
  if (kind == ProductKind::spmm) {
    switch (format) {
      case SPK_FORMAT_CSR: return {SPK_SPMM_CSR_ALG1, SPK_SPMM_CSR_ALG2, SPK_SPMM_CSR_ALG3};
      case SPK_FORMAT_COO: return {SPK_SPMM_COO_ALG1, SPK_SPMM_COO_ALG2, SPK_SPMM_COO_ALG3, SPK_SPMM_COO_ALG4};
      case SPK_FORMAT_BSR: return {SPK_SPMM_BSR_ALG1};
      case SPK_FORMAT_BLOCKED_ELL: return {SPK_SPMM_BLOCKED_ELL_ALG1};
      default: return {};
    }
  }
  if (kind == ProductKind::spmv) {
    switch (format) {
      case SPK_FORMAT_CSR: return {SPK_SPMV_CSR_ALG1, SPK_SPMV_CSR_ALG2};
      case SPK_FORMAT_COO: return {SPK_SPMV_COO_ALG1, SPK_SPMV_COO_ALG2};
      case SPK_FORMAT_BSR: return {SPK_SPMV_BSR_ALG1};
      case SPK_FORMAT_SELL: return {SPK_SPMV_SELL_ALG1};
      default: return {};
    }
  }
  return {};
}

}  // namespace spk::cases
