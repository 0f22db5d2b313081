// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/describe.hpp"

#include <cstdio>

namespace spk {
namespace {

std::string batch_text(std::int64_t count) { return count == 1 ? "" : " x" + std::to_string(count); }

std::string scalars_text(const Scalars& s) {
  if (s.device_alpha != nullptr) return " alpha, beta on the device";
  const auto text = [](const Scalar& x) {
    char buffer[80];
    std::snprintf(buffer, sizeof buffer, x.im == 0 ? "%.9g" : "(%.9g, %.9g)", x.re, x.im);
    return std::string(buffer);
  };
  return " alpha=" + text(s.alpha) + " beta=" + text(s.beta);
}

std::string sizes_text(std::int64_t m, std::int64_t n, std::int64_t k) {
  return "m=" + std::to_string(m) + " n=" + std::to_string(n) + " k=" + std::to_string(k);
}

}  // namespace

std::string describe(const SparseView& a) {
  std::string text = std::string(name_of(a.format)) + " " + name_of(a.value_type) + " " + std::to_string(a.rows) + "x" +
                     std::to_string(a.cols) + " nnz=" + std::to_string(a.nnz);
  if (a.block_size > 1) text += " block=" + std::to_string(a.block_size) + " " + name_of(a.block_order);
  if (a.format == Format::sell) text += " slice=" + std::to_string(a.slice_size);
  if (a.offset_type != IndexType::none) text += std::string(" offsets=") + name_of(a.offset_type);
  text += std::string(" indices=") + name_of(a.index_type) + " base=" + std::to_string(a.base);
  if (a.first_entry != 0) text += " slice from entry " + std::to_string(a.first_entry);
  return text + batch_text(a.batch_count);
}

std::string describe(const DenseView& x) {
  return std::string(name_of(x.type)) + " " + std::to_string(x.rows) + "x" + std::to_string(x.cols) + " " +
         name_of(x.order) + " ld=" + std::to_string(x.ld) + batch_text(x.batch_count);
}

const char* name_of(VectorOp op) noexcept {
  switch (op) {
    case VectorOp::axpby: return "axpby";
    case VectorOp::gather: return "gather";
    case VectorOp::scatter: return "scatter";
    case VectorOp::rot: return "rot";
    case VectorOp::spvv: return "spvv";
  }
  return "?";
}

std::string describe(const SpmmProblem& p) {
  std::string text = std::string(p.is_spmv ? "spmv " : "spmm ") + name_of(p.op_a) + name_of(p.op_b) + " " +
                     sizes_text(p.m, p.n, p.k) + " A{" + describe(p.a) + "} B{" + describe(p.b) + "} C{" +
                     describe(p.c) + "} alg=" + std::to_string(p.alg) + scalars_text(p.scalars);
  if (!p.epilogue.is_identity()) {
    text += " epilogue{activation=" + std::to_string(static_cast<int>(p.epilogue.activation)) +
            " bias=" + std::to_string(static_cast<int>(p.epilogue.bias_kind)) +
            (p.epilogue.has_residual ? " residual" : "") + "}";
  }
  return text;
}

std::string describe(const SddmmProblem& p) {
  return std::string("sddmm ") + name_of(p.op_a) + name_of(p.op_b) + " " + sizes_text(p.m, p.n, p.k) + " A{" +
         describe(p.a) + "} B{" + describe(p.b) + "} C{" + describe(p.c) + "} alg=" + std::to_string(p.alg) +
         scalars_text(p.scalars);
}

std::string describe(const SoftmaxProblem& p) {
  return "softmax X{" + describe(p.x) + "} Y{" + describe(p.y) + "} scale=" + std::to_string(p.scale) +
         (p.mask != nullptr ? " mask" : "") + " alg=" + std::to_string(p.alg);
}

std::string describe(const SoftmaxBackwardProblem& p) {
  return "softmax_backward Y{" + describe(p.y) + "} dY{" + describe(p.dy) + "} dX{" + describe(p.dx) +
         "} scale=" + std::to_string(p.scale) + " alg=" + std::to_string(p.alg);
}

std::string describe(const VectorProblem& p) {
  std::string text = name_of(p.op);
  if (p.op == VectorOp::spvv) text += p.conjugate_x ? " C" : " N";
  text += std::string(" X{") + name_of(p.x.value_type) + " size=" + std::to_string(p.x.size) +
          " nnz=" + std::to_string(p.x.nnz) + " indices=" + name_of(p.x.index_type) +
          " base=" + std::to_string(p.x.base) + "} Y{" + name_of(p.y.type) + " " + std::to_string(p.y.rows) + "}";
  const bool has_scalars = p.op == VectorOp::axpby || p.op == VectorOp::rot;
  return has_scalars ? text + scalars_text(p.scalars) : text;
}

}  // namespace spk
