// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/problems.hpp"

#include <cstring>

#include "capi/pointers.hpp"
#include "core/checked.hpp"
#include "core/validate_operations.hpp"
#include "core/validate_vector.hpp"

namespace spk::capi {
namespace {

template <class T>
T load(const void* pointer) {
  T value;
  std::memcpy(&value, pointer, sizeof value);
  return value;
}

Scalar read_scalar(const void* pointer, ValueType type) {
  switch (type) {
    case ValueType::f64: return {load<double>(pointer), 0};
    case ValueType::c64: {
      const auto value = load<c64>(pointer);
      return {value.real(), value.imag()};
    }
    case ValueType::c128: {
      const auto value = load<c128>(pointer);
      return {value.real(), value.imag()};
    }
    default: return {load<float>(pointer), 0};
  }
}

// Scalars lie where a backend with memory of its own reads them.
bool reads_on_device(const spk_handle& handle) noexcept {
  return handle.pointer_mode == SPK_POINTER_MODE_DEVICE && !handle.backend->computes_in_host_memory();
}

void read_scalars(const spk_handle& handle, const ScalarPointers* pointers, ValueType compute, Scalars& scalars) {
  if (pointers == nullptr) return;
  if (pointers->alpha == nullptr) throw_bad_pointer(pointers->alpha_name, true);
  if (pointers->beta == nullptr) throw_bad_pointer(pointers->beta_name, true);
  if (reads_on_device(handle)) {
    scalars.device_alpha = pointers->alpha;
    scalars.device_beta = pointers->beta;
    return;
  }
  check_host_pointer(pointers->alpha, pointers->alpha_name);
  check_host_pointer(pointers->beta, pointers->beta_name);
  scalars.alpha = read_scalar(pointers->alpha, compute);
  scalars.beta = read_scalar(pointers->beta, compute);
}

// cuSPARSE's algorithm names and the format each is for.
struct NamedAlgorithm {
  std::int32_t alg;
  Format format;
};
constexpr NamedAlgorithm kSpmmAlgorithms[] = {
    {SPK_SPMM_COO_ALG1, Format::coo}, {SPK_SPMM_COO_ALG2, Format::coo},
    {SPK_SPMM_COO_ALG3, Format::coo}, {SPK_SPMM_COO_ALG4, Format::coo},
    {SPK_SPMM_CSR_ALG1, Format::csr}, {SPK_SPMM_CSR_ALG2, Format::csr},
    {SPK_SPMM_CSR_ALG3, Format::csr}, {SPK_SPMM_BLOCKED_ELL_ALG1, Format::blocked_ell},
    {SPK_SPMM_BSR_ALG1, Format::bsr}};
constexpr NamedAlgorithm kSpmvAlgorithms[] = {{SPK_SPMV_COO_ALG1, Format::coo}, {SPK_SPMV_CSR_ALG1, Format::csr},
                                              {SPK_SPMV_CSR_ALG2, Format::csr}, {SPK_SPMV_COO_ALG2, Format::coo},
                                              {SPK_SPMV_BSR_ALG1, Format::bsr}, {SPK_SPMV_SELL_ALG1, Format::sell}};

template <std::size_t kCount>
void check_algorithm(std::int32_t alg, Format format, const NamedAlgorithm (&names)[kCount]) {
  if (alg == SPK_ALG_DEFAULT || alg >= 256) return;
  for (const NamedAlgorithm& row : names) {
    if (row.alg != alg) continue;
    if (row.format == format || (row.format == Format::csr && format == Format::csc)) return;
    throw Error(SPK_STATUS_NOT_SUPPORTED, "alg = %d is for %s matrices but matA is %s", alg, name_of(row.format),
                name_of(format));
  }
  throw Error(SPK_STATUS_INVALID_VALUE, "alg = %d is not an algorithm of this operation", alg);
}

Epilogue make_epilogue(const spk_epilogue_t& given, std::int64_t m, std::int64_t n) {
  Epilogue epilogue;
  check_struct_size(given.struct_size, sizeof(spk_epilogue_t), "epilogue");
  if (given.activation < SPK_ACTIVATION_NONE || given.activation > SPK_ACTIVATION_GELU_TANH)
    throw Error(SPK_STATUS_INVALID_VALUE, "epilogue->activation = %d is not an activation", given.activation);
  if (given.bias_kind < SPK_BIAS_NONE || given.bias_kind > SPK_BIAS_PER_COL)
    throw Error(SPK_STATUS_INVALID_VALUE, "epilogue->bias_kind = %d is not a kind of bias", given.bias_kind);
  if (given.reserved != 0)
    throw Error(SPK_STATUS_INVALID_VALUE, "epilogue->reserved = %d but must be 0", given.reserved);
  epilogue.activation = static_cast<Activation>(given.activation);
  epilogue.bias_kind = static_cast<BiasKind>(given.bias_kind);
  if (epilogue.bias_kind == BiasKind::none) {
    if (given.bias != nullptr) throw Error(SPK_STATUS_INVALID_VALUE, "epilogue->bias is set but bias_kind is NONE");
  } else {
    const DenseView& bias = require_object(given.bias, "epilogue->bias").view;
    const std::int64_t length = epilogue.bias_kind == BiasKind::per_row ? m : n;
    if (bias.rows != length)
      throw Error(SPK_STATUS_INVALID_VALUE, "epilogue->bias has %lld values but must have %s = %lld",
                  static_cast<long long>(bias.rows), epilogue.bias_kind == BiasKind::per_row ? "m" : "n",
                  static_cast<long long>(length));
    epilogue.bias = bias.values;
    epilogue.bias_type = bias.type;
  }
  if (given.residual != nullptr) {
    epilogue.has_residual = true;
    epilogue.residual = require_object(given.residual, "epilogue->residual").view;
  }
  return epilogue;
}

// m, n and k describe C and op(A): the views that p has copies of, which a processor reads late while they are written.
template <class Problem, class A, class C>
void set_sizes(Problem& p, const A& a, const C& c) {
  p.m = c.rows;
  p.n = c.cols;
  p.k = p.op_a == Op::n ? a.cols : a.rows;
}

template <class Problem>
void set_compute(Problem& p, std::int32_t compute_type) {
  const ComputeType compute = compute_type_of(compute_type);
  p.compute = compute.sum;
  p.allow_tf32 = compute.allow_tf32;
}

VectorProblem make_vector(VectorOp op, spk_const_spvec_t vecX, spk_const_dnvec_t vecY) {
  VectorProblem p;
  p.op = op;
  p.x = SPK_OBJECT(vecX).view;
  p.y = SPK_OBJECT(vecY).view;
  p.compute = sum_type(p.y.type);
  return p;
}

}  // namespace

void check_algorithm(std::int32_t alg) {
  if (alg != SPK_ALG_DEFAULT && alg < 256)
    throw Error(SPK_STATUS_INVALID_VALUE, "alg = %d but must be SPK_ALG_DEFAULT or a kernel id from 256 on", alg);
}

Scalars scalars_from(const void* alpha, const void* beta, ValueType compute) {
  Scalars scalars;
  scalars.alpha = read_scalar(alpha, compute);
  scalars.beta = read_scalar(beta, compute);
  return scalars;
}

SpmmProblem make_spmm(const spk_handle& handle, std::int32_t opA, std::int32_t opB, const ScalarPointers* scalars,
                      spk_const_spmat_t matA, spk_const_dnmat_t matB, spk_const_dnmat_t matC, std::int32_t compute_type,
                      std::int32_t alg, const spk_epilogue_t* epilogue) {
  // In one piece, so that no member is written twice.
  SpmmProblem p{.op_a = op_of(opA, "opA"),
                .op_b = op_of(opB, "opB"),
                .a = SPK_OBJECT(matA).view,
                .b = SPK_OBJECT(matB).view,
                .c = SPK_OBJECT(matC).view,
                .scalars = {},
                .epilogue = {}};
  set_sizes(p, matA->view, matC->view);
  set_compute(p, compute_type);
  check_algorithm(alg, p.a.format, kSpmmAlgorithms);
  p.alg = alg;
  read_scalars(handle, scalars, p.compute, p.scalars);
  if (epilogue != nullptr) p.epilogue = make_epilogue(*epilogue, p.m, p.n);
  validate(p);
  return p;
}

SpmmProblem make_spmv(const spk_handle& handle, std::int32_t opA, const ScalarPointers* scalars, spk_const_spmat_t matA,
                      spk_const_dnvec_t vecX, spk_const_dnvec_t vecY, std::int32_t compute_type, std::int32_t alg) {
  SpmmProblem p{.op_a = op_of(opA, "opA"),
                .a = SPK_OBJECT(matA).view,
                .b = SPK_OBJECT(vecX).view,
                .c = SPK_OBJECT(vecY).view,
                .scalars = {},
                .epilogue = {},
                .is_spmv = true};
  set_sizes(p, matA->view, vecY->view);
  set_compute(p, compute_type);
  check_algorithm(alg, p.a.format, kSpmvAlgorithms);
  p.alg = alg;
  read_scalars(handle, scalars, p.compute, p.scalars);
  validate(p);
  return p;
}

SddmmProblem make_sddmm(const spk_handle& handle, std::int32_t opA, std::int32_t opB, const ScalarPointers* scalars,
                        spk_const_dnmat_t matA, spk_const_dnmat_t matB, spk_const_spmat_t matC,
                        std::int32_t compute_type, std::int32_t alg) {
  SddmmProblem p;
  p.op_a = op_of(opA, "opA");
  p.op_b = op_of(opB, "opB");
  p.a = SPK_OBJECT(matA).view;
  p.b = SPK_OBJECT(matB).view;
  p.c = SPK_OBJECT(matC).view;
  set_sizes(p, matA->view, matC->view);
  set_compute(p, compute_type);
  check_algorithm(alg);
  p.alg = alg;
  read_scalars(handle, scalars, p.compute, p.scalars);
  validate(p);
  return p;
}

SoftmaxProblem make_softmax(double scale, spk_const_spmat_t matX, const std::uint8_t* mask, spk_const_spmat_t matY,
                            std::int32_t alg) {
  SoftmaxProblem p;
  p.x = SPK_OBJECT(matX).view;
  p.y = SPK_OBJECT(matY).view;
  p.mask = mask;
  p.scale = scale;
  check_algorithm(alg);
  p.alg = alg;
  validate(p);
  return p;
}

SoftmaxBackwardProblem make_softmax_backward(double scale, spk_const_spmat_t matY, spk_const_spmat_t matDY,
                                             spk_const_spmat_t matDX, std::int32_t alg) {
  SoftmaxBackwardProblem p;
  p.y = SPK_OBJECT(matY).view;
  p.dy = SPK_OBJECT(matDY).view;
  p.dx = SPK_OBJECT(matDX).view;
  p.scale = scale;
  check_algorithm(alg);
  p.alg = alg;
  validate(p);
  return p;
}

VectorProblem make_axpby(const spk_handle& handle, const ScalarPointers* scalars, spk_const_spvec_t vecX,
                         spk_const_dnvec_t vecY) {
  VectorProblem p = make_vector(VectorOp::axpby, vecX, vecY);
  read_scalars(handle, scalars, p.compute, p.scalars);
  validate(p);
  return p;
}

VectorProblem make_vector_copy(VectorOp op, spk_const_spvec_t vecX, spk_const_dnvec_t vecY) {
  const VectorProblem p = make_vector(op, vecX, vecY);
  validate(p);
  return p;
}

VectorProblem make_rot(const spk_handle& handle, const ScalarPointers* scalars, spk_const_spvec_t vecX,
                       spk_const_dnvec_t vecY) {
  VectorProblem p = make_vector(VectorOp::rot, vecX, vecY);
  read_scalars(handle, scalars, p.compute, p.scalars);
  validate(p);
  return p;
}

VectorProblem make_spvv(std::int32_t opX, spk_const_spvec_t vecX, spk_const_dnvec_t vecY, std::int32_t compute_type) {
  const Op op = op_of(opX, "opX");
  if (op == Op::t) throw Error(SPK_STATUS_NOT_SUPPORTED, "opX = SPK_OP_T but a dot product takes SPK_OP_N or SPK_OP_C");
  VectorProblem p = make_vector(VectorOp::spvv, vecX, vecY);
  p.conjugate_x = op == Op::c && is_complex(p.x.value_type);
  p.compute = compute_type_of(compute_type).sum;
  validate(p);
  return p;
}

void set_result(const spk_handle& handle, VectorProblem& p, void* result) {
  if (result == nullptr) throw_bad_pointer("result", true);
  check_alignment(result, align_of(p.compute), "result");
  p.result = result;
  if (reads_on_device(handle)) return check_pointer(*handle.backend, result, "result");
  check_host_pointer(result, "result");
  p.brings_result_home = !handle.backend->computes_in_host_memory();
}

}  // namespace spk::capi
