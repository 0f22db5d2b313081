// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/pointers.hpp"

#include "core/device_pointer.hpp"
#include "core/error.hpp"

namespace spk::capi {
namespace {

void check(const Backend& backend, const void* pointer, const char* owner, const char* array) {
  if (pointer == nullptr) return;
  if (const char* reason = backend.refuse_pointer(pointer); reason != nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s's %s = %p %s", owner, array, pointer, reason);
}

void check(const Backend& backend, const DenseView& x, const char* name) {
  if (x.extent() != 0) check(backend, x.values, name, "values");
}

void check(const Backend& backend, const SparseView& a, const char* name) { check_pointers(backend, a, name); }

void check(const Backend& backend, const Scalars& scalars) {
  check_pointer(backend, scalars.device_alpha, "alpha");
  check_pointer(backend, scalars.device_beta, "beta");
}

// The arrays of a destination that a phase touches.
void check(const Backend& backend, const SparseView& b, ConversionPhase phase) {
  if (phase == ConversionPhase::convert)
    check(backend, b, "matB");
  else
    check(backend, b.offsets, "matB", "offsets");
}

}  // namespace

bool may_refuse_pointers(const Backend& backend) noexcept {
  return has_device_driver() || !backend.computes_in_host_memory();
}

void check_pointer(const Backend& backend, const void* pointer, const char* name) {
  if (pointer == nullptr) return;
  if (const char* reason = backend.refuse_pointer(pointer); reason != nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %p %s", name, pointer, reason);
}

void check_host_pointer(const void* pointer, const char* name) {
  // The driver need not be asked about variables of a function that called us, a little way up the stack: what alpha and
  // beta mostly are.
  constexpr std::uintptr_t kNear = 16384;
  const char here = 0;
  if (reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(&here) < kNear) return;
  if (const char* reason = refuse_device_pointer(pointer); reason != nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s = %p %s", name, pointer, reason);
}

void check_structure_pointers(const Backend& backend, const SparseView& a, const char* name) {
  check(backend, a.offsets, name, "offsets");
  if (a.nnzb == 0) return;
  check(backend, a.row_indices, name, "row indices");
  check(backend, a.col_indices, name, "column indices");
}

void check_pointers(const Backend& backend, const SparseView& a, const char* name) {
  check_structure_pointers(backend, a, name);
  if (a.nnz != 0) check(backend, a.values, name, "values");
}

void check_pointers(const Backend& backend, const SpmmProblem& p) {
  check(backend, p.scalars);
  check(backend, p.c, p.is_spmv ? "vecY" : "matC");
  if (!p.skips_product()) {
    check(backend, p.a, "matA");
    check(backend, p.b, p.is_spmv ? "vecX" : "matB");
  }
  check_pointer(backend, p.epilogue.bias, "epilogue->bias");
  if (p.epilogue.has_residual) check(backend, p.epilogue.residual, "epilogue->residual");
}

void check_pointers(const Backend& backend, const SddmmProblem& p) {
  check(backend, p.scalars);
  check(backend, p.c, "matC");
  if (p.skips_product()) return;
  check(backend, p.a, "matA");
  check(backend, p.b, "matB");
}

void check_pointers(const Backend& backend, const SoftmaxProblem& p) {
  check(backend, p.x, "matX");
  check(backend, p.y, "matY");
  check_pointer(backend, p.mask, "mask");
}

void check_pointers(const Backend& backend, const SoftmaxBackwardProblem& p) {
  check(backend, p.y, "matY");
  check(backend, p.dy, "matDY");
  check(backend, p.dx, "matDX");
}

void check_pointers(const Backend& backend, const VectorProblem& p) {
  check(backend, p.scalars);
  check(backend, p.y, "vecY");
  if (p.skips_x()) return;
  check(backend, p.x.indices, "vecX", "indices");
  check(backend, p.x.values, "vecX", "values");
}

void check_pointers(const Backend& backend, const SparseToDenseProblem& p, ConversionPhase) {
  check(backend, p.a, "matA");
  check(backend, p.b, "matB");
}

void check_pointers(const Backend& backend, const DenseToSparseProblem& p, ConversionPhase phase) {
  check(backend, p.a, "matA");
  check(backend, p.b, phase);
}

void check_pointers(const Backend& backend, const SparseToSparseProblem& p, ConversionPhase phase) {
  check(backend, p.a, "matA");
  check(backend, p.b, phase);
}

void check_pointers(const Backend& backend, const TransposeProblem& p, ConversionPhase phase) {
  check(backend, p.a, "matA");
  check(backend, p.b, phase);
  check_pointer(backend, p.permutation, "permutation");
}

void check_pointers(const Backend& backend, const SortProblem& p, ConversionPhase) {
  check(backend, p.a, "mat");
  check_pointer(backend, p.permutation, "permutation");
}

void check_pointers(const Backend& backend, const CoalesceProblem& p, ConversionPhase) { check(backend, p.a, "mat"); }

}  // namespace spk::capi
