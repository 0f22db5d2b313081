// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_operations.hpp"

#include "core/error.hpp"

namespace spk {
namespace {

using Long = long long;

void check_equal(std::int64_t got, std::int64_t want, const char* got_name, const char* want_name) {
  if (got != want)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %lld but must equal %s = %lld", got_name, static_cast<Long>(got),
                want_name, static_cast<Long>(want));
}

// An input must have the output's batch count, or 1 and then serves every batch.
template <class View>
void check_batch(View& input, std::int64_t count, const char* name, const char* output_name) {
  if (input.batch_count != 1 && input.batch_count != count)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s has batch count %lld but must have 1 or %s's %lld", name,
                static_cast<Long>(input.batch_count), output_name, static_cast<Long>(count));
}
void share(DenseView& input, std::int64_t count) {
  if (input.batch_count == 1) input.batch_stride = 0;
  input.batch_count = count;
}
void share(SparseView& input, std::int64_t count) {
  if (input.batch_count == 1) input.offsets_stride = input.indices_stride = input.values_stride = 0;
  input.batch_count = count;
}

void check_output_batch(std::int64_t count, std::int64_t stride, const char* name) {
  if (count > 1 && stride == 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s has batch stride 0, so that its %lld results would fall on one place",
                name, static_cast<Long>(count));
}

void check_values(const DenseView& x, const char* name) {
  if (x.extent() != 0 && x.values == nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s has NULL values but %lld x %lld elements", name,
                static_cast<Long>(x.rows), static_cast<Long>(x.cols));
}

void check_types(ValueType a, ValueType b, ValueType c, ValueType compute) {
  if (a != b)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "matA holds %s and matB %s: no kernel mixes them", name_of(a), name_of(b));
  if (c != a && !(is_16bit(a) && c == ValueType::f32))
    throw Error(SPK_STATUS_NOT_SUPPORTED, "matC holds %s but with %s operands it must hold %s%s", name_of(c),
                name_of(a), name_of(a), is_16bit(a) ? " or f32" : "");
  if (compute != sum_type(a))
    throw Error(SPK_STATUS_NOT_SUPPORTED, "compute_type = %d but %s operands are summed in %s",
                static_cast<std::int32_t>(compute), name_of(a), name_of(sum_type(a)));
}

[[noreturn]] void throw_overlap(const char* output, const char* input) {
  throw Error(SPK_STATUS_INVALID_VALUE, "%s overlaps %s in memory", output, input);
}

void check_apart(const ByteRange& output, const SparseView& a, const char* output_name, const char* name) {
  if (output.meets(offsets_range(a)) || output.meets(indices_range(a, a.row_indices)) ||
      output.meets(indices_range(a, a.col_indices)) || output.meets(values_range(a)))
    throw_overlap(output_name, name);
}

void validate_epilogue(SpmmProblem& p) {
  Epilogue& e = p.epilogue;
  if (e.is_identity()) return;
  if (is_complex(p.c.type))
    throw Error(SPK_STATUS_NOT_SUPPORTED, "epilogue: real types only, but matC holds %s", name_of(p.c.type));
  if (e.bias_kind != BiasKind::none && e.bias_type != p.c.type && e.bias_type != p.compute)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "epilogue->bias holds %s but must hold matC's %s or the sum's %s",
                name_of(e.bias_type), name_of(p.c.type), name_of(p.compute));
  if (!e.has_residual) return;
  DenseView& r = e.residual;
  check_equal(r.rows, p.m, "epilogue->residual rows", "matC rows");
  check_equal(r.cols, p.n, "epilogue->residual cols", "matC cols");
  if (r.type != p.c.type)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "epilogue->residual holds %s but must hold matC's %s", name_of(r.type),
                name_of(p.c.type));
  check_batch(r, p.c.batch_count, "epilogue->residual", "matC");
  share(r, p.c.batch_count);
}

void validate_epilogue_memory(const SpmmProblem& p) {
  const Epilogue& e = p.epilogue;
  if (e.bias_kind != BiasKind::none) {
    const std::int64_t length = e.bias_kind == BiasKind::per_row ? p.m : p.n;
    if (length != 0 && e.bias == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "epilogue->bias has NULL values");
    const auto* begin = static_cast<const char*>(e.bias);
    const ByteRange bias{begin, begin + length * static_cast<std::int64_t>(size_of(e.bias_type))};
    if (bias.meets(range_of(p.c))) throw_overlap("matC", "epilogue->bias");
  }
  if (!e.has_residual) return;
  const DenseView& r = e.residual;
  check_values(r, "epilogue->residual");
  const bool is_c = r.values == p.c.values && r.order == p.c.order && r.ld == p.c.ld &&
                    r.batch_count == p.c.batch_count && r.batch_stride == p.c.batch_stride;
  if (!is_c && overlap(p.c, r)) throw_overlap("matC", "epilogue->residual (unless it is C itself)");
}

// Both are CSR with the same sizes and the same types of values and indices.
void check_same_structure(const SparseView& x, const SparseView& y, const char* x_name, const char* y_name) {
  const auto check_csr = [](const SparseView& a, const char* name) {
    if (a.format != Format::csr)
      throw Error(SPK_STATUS_NOT_SUPPORTED, "%s is %s but only csr is supported", name, name_of(a.format));
    if (is_complex(a.value_type))
      throw Error(SPK_STATUS_NOT_SUPPORTED, "%s holds %s but only real types are supported", name,
                  name_of(a.value_type));
  };
  check_csr(x, x_name);
  check_csr(y, y_name);
  check_equal(y.rows, x.rows, "rows of the output", "rows of the input");
  check_equal(y.cols, x.cols, "cols of the output", "cols of the input");
  check_equal(y.nnz, x.nnz, "nnz of the output", "nnz of the input");
  check_equal(y.base, x.base, "index_base of the output", "index_base of the input");
  check_equal(y.batch_count, x.batch_count, "batch count of the output", "batch count of the input");
  if (x.value_type != y.value_type)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "%s holds %s and %s holds %s: they must hold the same", x_name,
                name_of(x.value_type), y_name, name_of(y.value_type));
}

// In place means the very same array; anything between that and apart is an error.
void check_in_place(const SparseView& output, const SparseView& input, const char* output_name, const char* name) {
  const bool same = output.values == input.values && output.first_entry == input.first_entry &&
                    output.values_stride == input.values_stride;
  if (!same && values_range(output).meets(values_range(input))) throw_overlap(output_name, name);
  const ByteRange values = values_range(output);
  if (values.meets(offsets_range(input)) || values.meets(indices_range(input, input.col_indices)))
    throw_overlap(output_name, name);
}

}  // namespace

ComputeType compute_type_of(std::int32_t number) {
  switch (number) {
    case SPK_COMPUTE_32F: return {ValueType::f32, false};
    case SPK_COMPUTE_64F: return {ValueType::f64, false};
    case SPK_COMPUTE_C_32F: return {ValueType::c64, false};
    case SPK_COMPUTE_C_64F: return {ValueType::c128, false};
    case SPK_COMPUTE_TF32: return {ValueType::f32, true};
    case SPK_R_16F:
    case SPK_R_16BF:
      throw Error(SPK_STATUS_NOT_SUPPORTED, "compute_type = %d: 16-bit values are summed in SPK_COMPUTE_32F only",
                  number);
    default: throw Error(SPK_STATUS_INVALID_VALUE, "compute_type = %d is not a compute type", number);
  }
}

void check_arrays(const SparseView& a, bool values_needed, const char* name) {
  if (a.offset_type != IndexType::none && a.offsets == nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s has NULL offsets", name);
  if (a.nnzb == 0) return;
  const bool needs_rows = a.format == Format::coo || a.format == Format::csc;
  if (needs_rows && a.row_indices == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "%s has NULL row indices", name);
  if (a.format != Format::csc && a.col_indices == nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s has NULL column indices", name);
  if (values_needed && a.values == nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "%s has NULL values", name);
}

void validate(SpmmProblem& p) {
  const char* b_name = p.is_spmv ? "vecX" : "matB";
  const char* c_name = p.is_spmv ? "vecY" : "matC";
  const bool a_plain = p.op_a == Op::n;
  check_equal(a_plain ? p.a.rows : p.a.cols, p.m, "rows of op(matA)", p.is_spmv ? "size of vecY" : "rows of matC");
  const Operand b = operand(p.b, p.op_b);
  check_equal(b.rows, p.k, p.is_spmv ? "size of vecX" : "rows of op(matB)", "columns of op(matA)");
  check_equal(b.cols, p.n, "columns of op(matB)", "columns of matC");
  check_types(p.a.value_type, p.b.type, p.c.type, p.compute);
  if (p.is_spmv && p.a.batch_count != 1)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "matA is a batch, which SpMV does not take");
  check_batch(p.a, p.c.batch_count, "matA", c_name);
  check_batch(p.b, p.c.batch_count, b_name, c_name);
  check_output_batch(p.c.batch_count, p.c.batch_stride, c_name);
  validate_epilogue(p);
  share(p.a, p.c.batch_count);
  share(p.b, p.c.batch_count);
}

void validate_memory(const SpmmProblem& p) {
  const char* b_name = p.is_spmv ? "vecX" : "matB";
  const char* c_name = p.is_spmv ? "vecY" : "matC";
  if (is_empty(p)) return;
  check_values(p.c, c_name);
  if (!p.skips_product()) {
    check_arrays(p.a, true, "matA");
    check_values(p.b, b_name);
  }
  const ByteRange c = range_of(p.c);
  if (c.meets(range_of(p.b)) && overlap(p.c, p.b)) throw_overlap(c_name, b_name);
  check_apart(c, p.a, c_name, "matA");
  if (!p.epilogue.is_identity()) validate_epilogue_memory(p);
}

void validate(SddmmProblem& p) {
  const Operand a = operand(p.a, p.op_a);
  const Operand b = operand(p.b, p.op_b);
  if (p.c.format != Format::csr && p.c.format != Format::bsr)
    throw Error(SPK_STATUS_NOT_SUPPORTED, "matC is %s but only csr and bsr are supported", name_of(p.c.format));
  check_equal(a.rows, p.m, "rows of op(matA)", "rows of matC");
  check_equal(b.rows, p.k, "rows of op(matB)", "columns of op(matA)");
  check_equal(b.cols, p.n, "columns of op(matB)", "columns of matC");
  check_types(p.a.type, p.b.type, p.c.value_type, p.compute);
  check_batch(p.a, p.c.batch_count, "matA", "matC");
  check_batch(p.b, p.c.batch_count, "matB", "matC");
  check_output_batch(p.c.batch_count, p.c.values_stride, "matC");
  share(p.a, p.c.batch_count);
  share(p.b, p.c.batch_count);
}

void validate_memory(const SddmmProblem& p) {
  if (is_empty(p)) return;
  check_arrays(p.c, true, "matC");
  if (!p.skips_product()) {
    check_values(p.a, "matA");
    check_values(p.b, "matB");
  }
  const ByteRange values = values_range(p.c);
  if (values.meets(range_of(p.a))) throw_overlap("matC's values", "matA");
  if (values.meets(range_of(p.b))) throw_overlap("matC's values", "matB");
  if (values.meets(offsets_range(p.c)) || values.meets(indices_range(p.c, p.c.col_indices)))
    throw_overlap("matC's values", "matC's own structure");
}

void validate(SoftmaxProblem& p) {
  check_same_structure(p.x, p.y, "matX", "matY");
  check_output_batch(p.y.batch_count, p.y.values_stride, "matY");
}

void validate_memory(const SoftmaxProblem& p) {
  if (is_empty(p)) return;
  check_arrays(p.x, true, "matX");
  check_arrays(p.y, true, "matY");
  check_in_place(p.y, p.x, "matY's values", "matX");
  check_in_place(p.y, p.y, "matY's values", "matY's own structure");
  const auto* mask = reinterpret_cast<const char*>(p.mask);
  if (mask != nullptr && values_range(p.y).meets({mask, mask + p.x.nnz})) throw_overlap("matY's values", "mask");
}

void validate(SoftmaxBackwardProblem& p) {
  check_same_structure(p.y, p.dy, "matY", "matDY");
  check_same_structure(p.y, p.dx, "matY", "matDX");
  check_output_batch(p.dx.batch_count, p.dx.values_stride, "matDX");
}

void validate_memory(const SoftmaxBackwardProblem& p) {
  if (is_empty(p)) return;
  check_arrays(p.y, true, "matY");
  check_arrays(p.dy, true, "matDY");
  check_arrays(p.dx, true, "matDX");
  check_in_place(p.dx, p.y, "matDX's values", "matY");
  check_in_place(p.dx, p.dy, "matDX's values", "matDY");
  check_in_place(p.dx, p.dx, "matDX's values", "matDX's own structure");
}

}  // namespace spk
