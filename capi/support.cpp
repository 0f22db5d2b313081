// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "capi/execute.hpp"
#include "capi/problems.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

VectorProblem make_vector(const spk_handle& handle, const spk_support_query_t& q) {
  VectorProblem p;
  switch (q.operation) {
    case SPK_OPERATION_AXPBY: p = make_axpby(handle, nullptr, q.spvec, q.vec_out); break;
    case SPK_OPERATION_GATHER: p = make_vector_copy(VectorOp::gather, q.spvec, q.vec_in); break;
    case SPK_OPERATION_SCATTER: p = make_vector_copy(VectorOp::scatter, q.spvec, q.vec_out); break;
    case SPK_OPERATION_ROT: p = make_rot(handle, nullptr, q.spvec, q.vec_out); break;
    default: p = make_spvv(q.opA, q.spvec, q.vec_in, q.compute_type);
  }
  check_algorithm(q.alg);
  p.alg = q.alg;
  return p;
}

// A query asks about sizes and types only: NULL arrays are as good as any.
Choice choose(const spk_handle& handle, const spk_support_query_t& q) {
  const Backend& backend = *handle.backend;
  switch (q.operation) {
    case SPK_OPERATION_SPMM:
      return backend.choose(make_spmm(handle, q.opA, q.opB, nullptr, q.sparse, q.dense_in, q.dense_out, q.compute_type,
                                      q.alg, q.epilogue));
    case SPK_OPERATION_SPMV:
      return backend.choose(make_spmv(handle, q.opA, nullptr, q.sparse, q.vec_in, q.vec_out, q.compute_type, q.alg));
    case SPK_OPERATION_SDDMM:
      return backend.choose(
          make_sddmm(handle, q.opA, q.opB, nullptr, q.dense_in, q.dense_in2, q.sparse, q.compute_type, q.alg));
    case SPK_OPERATION_SOFTMAX:
      return backend.choose(
          make_softmax(1, q.sparse, nullptr, q.sparse_out == nullptr ? q.sparse : q.sparse_out, q.alg));
    case SPK_OPERATION_SOFTMAX_BACKWARD:
      return backend.choose(
          make_softmax_backward(1, q.sparse, q.sparse, q.sparse_out == nullptr ? q.sparse : q.sparse_out, q.alg));
    case SPK_OPERATION_AXPBY:
    case SPK_OPERATION_GATHER:
    case SPK_OPERATION_SCATTER:
    case SPK_OPERATION_ROT:
    case SPK_OPERATION_SPVV: return backend.choose(make_vector(handle, q));
    default: throw Error(SPK_STATUS_INVALID_VALUE, "query->operation = %d is not an operation", q.operation);
  }
}

}  // namespace

extern "C" spk_status_t spk_query_support(spk_handle_t handle, const spk_support_query_t* query, spk_algorithm_t* alg,
                                          char* reason, size_t capacity, size_t* needed) {
  std::string text;
  const spk_status_t status = guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    constexpr std::size_t kFirstRelease = offsetof(spk_support_query_t, spvec);
    check_struct_size(SPK_REQUIRE_PTR(query).struct_size, kFirstRelease, "query");
    if (alg != nullptr) *alg = 0;
    spk_support_query_t known{};
    std::memcpy(&known, query, std::min<std::size_t>(query->struct_size, sizeof known));
    const Choice choice = choose(*handle, known);
    text = choice.text;
    if (!choice.supported()) throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it: %s", choice.text.c_str());
    if (alg != nullptr) *alg = choice.id;
  });
  char message[kErrorCapacity];
  if (status != SPK_STATUS_SUCCESS) {
    spk_last_error(nullptr, message, sizeof message, nullptr);
    text = message;
  }
  const spk_status_t copied = guarded(__func__, handle, [&] { copy_text(text.c_str(), reason, capacity, needed); });
  return copied != SPK_STATUS_SUCCESS ? copied : status;
}
