// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/dump.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "capi/backends.hpp"
#include "capi/mirror.hpp"
#include "core/case_writer.hpp"
#include "core/describe.hpp"
#include "core/env.hpp"

namespace spk::capi {
namespace {

std::string next_name(const char* operation) {
  static std::atomic<unsigned> counter{0};
  char name[96];
  std::snprintf(name, sizeof name, "spk-%s-%ld-%06u", operation, static_cast<long>(getpid()), counter.fetch_add(1));
  return name;
}

const Backend& reference_backend() {
  std::string reason;
  return *find_backend(SPK_BACKEND_REFERENCE, 0, reason);
}

// A case file with the fields that all have. What the oracle gives is what is expected, within its largest bound.
class Case {
 public:
  Case(const char* operation, const char* kind, ValueType dtype, double tolerance)
      : name_(next_name(operation)), writer_(std::string(env::text(env::SPK_DUMP_DIR)) + "/" + name_ + ".json") {
    writer_.raw("schema", "1");
    writer_.text("id", name_.c_str());
    writer_.text("kind", "dump");
    writer_.integer("priority", 2);
    writer_.text("op", kind);
    writer_.raw("backend", "[\"cpu\", \"cuda\"]");
    writer_.text("source", "SPK_DUMP_DIR");
    writer_.text("symptom", "");
    writer_.text("note", "inputs of one call; expected is what the reference backend gives");
    writer_.text("dtype", name_of(dtype));
    char text[80];
    std::snprintf(text, sizeof text, "{\"rel\": 0, \"abs\": %.17g}", tolerance);
    writer_.raw("tol", text);
  }
  CaseWriter& writer() { return writer_; }
  void finish() {
    writer_.raw("expected_error", "null");
    writer_.finish();
  }

 private:
  std::string name_;
  CaseWriter writer_;
};

void write_scalars(CaseWriter& out, const Scalars& scalars, ValueType compute) {
  out.number("alpha", scalars.alpha, is_complex(compute));
  out.number("beta", scalars.beta, is_complex(compute));
}

void write_epilogue(CaseWriter& out, const SpmmProblem& p) {
  const Epilogue& e = p.epilogue;
  if (e.is_identity()) return;
  constexpr const char* kActivations[] = {"none", "relu", "gelu", "gelu_tanh"};
  constexpr const char* kBiases[] = {"none", "per_row", "per_col"};
  out.text("activation", kActivations[static_cast<int>(e.activation)]);
  out.text("bias_kind", kBiases[static_cast<int>(e.bias_kind)]);
  if (e.bias_kind != BiasKind::none) {
    out.text("bias_dtype", name_of(e.bias_type));
    out.values("bias", e.bias, e.bias_type, e.bias_kind == BiasKind::per_row ? p.m : p.n);
  }
  if (!e.has_residual) return;
  out.text("layoutR", name_of(e.residual.order));
  out.integer("ldr", e.residual.ld);
  out.integer("batch_strideR", e.residual.batch_stride);
  out.dense("residual", e.residual);
}

// Runs the oracle on a copy of p's output and hands over (problem with result, largest bound).
template <class Problem, class Set>
Problem solved(Mirror& mirror, const Problem& p, Set&& set_output, double& bound) {
  Problem result = p;
  set_output(result, mirror.copy(output_of(p)));
  reference_backend().run(result, nullptr, Exec{});
  bound = oracle().judge(p, output_of(result)).largest_bound;
  return result;
}

}  // namespace

bool dump_wanted() noexcept {
  const char* folder = env::text(env::SPK_DUMP_DIR);
  return folder != nullptr && *folder != '\0';
}

void dump(const SpmmProblem& given) {
  Mirror mirror(reference_backend(), nullptr);
  SpmmProblem p = given;
  p.b = p.skips_product() ? p.b : mirror.copy(p.b);
  double bound = 0;
  const SpmmProblem result = solved(
      mirror, p, [](SpmmProblem& q, const DenseView& c) { q.c = c; }, bound);
  Case file(p.is_spmv ? "spmv" : "spmm", p.is_spmv ? "spmv" : "spmm", p.a.value_type, bound);
  CaseWriter& out = file.writer();
  out.integer("m", p.m);
  if (!p.is_spmv) out.integer("n", p.n);
  out.integer("k", p.k);
  out.sparse(p.a, true);
  out.text("opA", name_of(p.op_a));
  write_scalars(out, p.scalars, p.compute);
  if (p.c.type != p.a.value_type) out.text("dtypeC", name_of(p.c.type));
  if (p.is_spmv) {
    out.dense("x", p.b);
    out.dense("y_in", p.c);
    out.expected("y", result.c.values, result.c.type, result.c.extent());
  } else {
    out.text("opB", name_of(p.op_b));
    out.text("layoutB", name_of(p.b.order));
    out.integer("ldb", p.b.ld);
    out.dense("B", p.b);
    out.text("layoutC", name_of(p.c.order));
    out.integer("ldc", p.c.ld);
    out.dense("C_in", p.c);
    write_epilogue(out, p);
    if (p.c.batch_count > 1) {
      if (p.a.batch_count == 1) out.integer("batch_count", p.c.batch_count);  // else written with A
      out.integer("batch_strideB", p.b.batch_stride);
      out.integer("batch_strideC", p.c.batch_stride);
    }
    out.expected("C", result.c.values, result.c.type, (p.c.batch_count - 1) * p.c.batch_stride + p.c.extent());
  }
  file.finish();
}

void dump(const SddmmProblem& given) {
  Mirror mirror(reference_backend(), nullptr);
  SddmmProblem p = given;
  p.a = p.skips_product() ? p.a : mirror.copy(p.a);
  p.b = p.skips_product() ? p.b : mirror.copy(p.b);
  double bound = 0;
  const SddmmProblem result = solved(
      mirror, p, [](SddmmProblem& q, const SparseView& c) { q.c = c; }, bound);
  Case file("sddmm", "sddmm", p.a.type, bound);
  CaseWriter& out = file.writer();
  out.integer("m", p.m);
  out.integer("n", p.n);
  out.integer("k", p.k);
  out.sparse(p.c, false);
  if (p.c.value_type != p.a.type) out.text("dtypeC", name_of(p.c.value_type));
  out.sparse_values("values_in", p.c);
  out.text("opA", name_of(p.op_a));
  out.text("opB", name_of(p.op_b));
  write_scalars(out, p.scalars, p.compute);
  out.text("layoutA", name_of(p.a.order));
  out.integer("lda", p.a.ld);
  out.dense("A", p.a);
  out.text("layoutB", name_of(p.b.order));
  out.integer("ldb", p.b.ld);
  out.dense("B", p.b);
  if (p.c.batch_count > 1) {
    out.integer("batch_strideA", p.a.batch_stride);
    out.integer("batch_strideB", p.b.batch_stride);
    out.integer("batch_stride_values", p.c.values_stride);
  }
  out.expected_values(result.c);
  file.finish();
}

void dump(const SoftmaxProblem& p) {
  Mirror mirror(reference_backend(), nullptr);
  double bound = 0;
  const SoftmaxProblem result = solved(
      mirror, p, [](SoftmaxProblem& q, const SparseView& y) { q.y = y; }, bound);
  Case file("softmax", "softmax", p.x.value_type, bound);
  CaseWriter& out = file.writer();
  out.sparse(p.x, true);
  out.number("scale", {p.scale, 0}, false);
  if (p.mask != nullptr) {
    std::string mask = "[";
    for (std::int64_t i = 0; i < p.x.nnz; ++i) mask += std::string(i == 0 ? "" : ", ") + (p.mask[i] != 0 ? "1" : "0");
    out.raw("mask", (mask + "]").c_str());
  }
  out.expected_values(result.y);
  file.finish();
}

void dump(const SoftmaxBackwardProblem& p) {
  Mirror mirror(reference_backend(), nullptr);
  double bound = 0;
  const SoftmaxBackwardProblem result = solved(
      mirror, p, [](SoftmaxBackwardProblem& q, const SparseView& dx) { q.dx = dx; }, bound);
  Case file("softmax_backward", "softmax_backward", p.y.value_type, bound);
  CaseWriter& out = file.writer();
  out.sparse(p.y, true);
  out.sparse_values("gradient", p.dy);
  out.number("scale", {p.scale, 0}, false);
  out.expected_values(result.dx);
  file.finish();
}

void dump(const VectorProblem& p) {
  Mirror mirror(reference_backend(), nullptr);
  VectorProblem result = p;
  if (p.writes_x()) result.x = mirror.copy(p.x);
  if (p.writes_y()) result.y = mirror.copy(p.y);
  alignas(16) unsigned char sum[16] = {};
  result.result = sum;
  reference_backend().run(result, Exec{});
  Case file(name_of(p.op), name_of(p.op), p.x.value_type, oracle().judge(p, result).largest_bound);
  CaseWriter& out = file.writer();
  out.integer("size", p.x.size);
  out.integer("nnz", p.x.nnz);
  out.text("index_type", name_of(p.x.index_type));
  out.integer("index_base", p.x.base);
  // Nobody looks at what is skipped, so it may lie where it cannot be looked at.
  out.indices("indices", p.skips_x() ? nullptr : p.x.indices, p.x.index_type, 0, p.x.nnz);
  out.values("x", p.skips_x() ? nullptr : p.x.values, p.x.value_type, p.x.nnz);
  out.dense("y", p.y);
  if (p.op == VectorOp::axpby) write_scalars(out, p.scalars, p.compute);
  if (p.op == VectorOp::rot) {
    out.number("c", p.scalars.alpha, is_complex(p.compute));
    out.number("s", p.scalars.beta, is_complex(p.compute));
  }
  if (p.op == VectorOp::spvv) out.text("opX", p.conjugate_x ? "C" : "N");
  const CaseWriter::Result x{"x", result.x.values, p.x.value_type, p.x.nnz};
  const CaseWriter::Result y{"y", result.y.values, p.y.type, p.y.rows};
  if (p.op == VectorOp::spvv)
    out.expected("result", result.result, p.compute, 1);
  else if (p.op == VectorOp::rot)
    out.expected({x, y});
  else
    out.expected({p.op == VectorOp::gather ? x : y});
  file.finish();
}

}  // namespace spk::capi
