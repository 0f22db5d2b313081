// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/plan.hpp"

#include "capi/execute.hpp"
#include "capi/problems.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

template <class Problem>
bool keeps_values(const Problem&) {
  return false;
}
bool keeps_values(const SpmmProblem& p) { return p.keeps_values; }

// The arrays a plan looks at must be there; others come later.
template <class Problem>
std::unique_ptr<Plan> prepare(const spk_handle& handle, const Problem& p) {
  choose_or_throw(handle, p);
  const SparseView& a = structure_of(p);
  check_arrays(a, keeps_values(p), "the sparse matrix");
  keeps_values(p) ? check_pointers(*handle.backend, a, "the sparse matrix")
                  : check_structure_pointers(*handle.backend, a, "the sparse matrix");
  return handle.backend->prepare(p, make_exec(handle));
}

template <class Make>
spk_status_t create(const char* function, spk_plan_t* out, spk_handle_t handle, Make&& make) {
  return guarded(function, handle, [&] {
    SPK_REQUIRE_PTR(out) = nullptr;
    SPK_OBJECT(handle);
    auto plan = std::make_unique<spk_plan>();
    const auto problem = make();
    plan->problem = problem;
    plan->backend = handle->backend;
    plan->prepared = prepare(*handle, problem);
    *out = plan.release();
  });
}

// The problem a plan was made for, if it is of this kind and of this handle's backend.
template <class Problem>
const Problem& planned(const spk_handle& handle, const spk_plan& plan, bool is_spmv = false) {
  const Problem* problem = std::get_if<Problem>(&plan.problem);
  bool fits = problem != nullptr;
  if constexpr (std::is_same_v<Problem, SpmmProblem>) fits = fits && problem->is_spmv == is_spmv;
  if (!fits) throw Error(SPK_STATUS_INVALID_VALUE, "plan was made for another operation");
  if (plan.backend != handle.backend)
    throw Error(SPK_STATUS_INVALID_VALUE, "plan was made on backend %s but handle runs on %s", plan.backend->name(),
                handle.backend->name());
  return *problem;
}

template <class Problem>
void execute_plan(spk_handle& handle, const spk_plan& plan, const Problem& made, const Problem& given, void* workspace,
                  std::size_t workspace_bytes) {
  if (const char* difference = first_difference(made, given); difference != nullptr)
    throw Error(SPK_STATUS_INVALID_VALUE, "%s differs from what the plan was made for", difference);
  execute(handle, given, plan.prepared.get(), workspace, workspace_bytes);
}

std::int32_t number(Op op) { return static_cast<std::int32_t>(op); }
std::int32_t compute_number(ValueType sum, bool allow_tf32) {
  return allow_tf32 ? SPK_COMPUTE_TF32 : static_cast<std::int32_t>(sum);
}

SparseView& structure(SpmmProblem& p) { return p.a; }
SparseView& structure(SddmmProblem& p) { return p.c; }
SparseView& structure(SoftmaxProblem& p) { return p.x; }
SparseView& structure(SoftmaxBackwardProblem& p) { return p.y; }

// Shows the plan another structure, and values if they are to be kept.
void show(spk_handle_t handle, spk_plan_t plan, spk_const_spmat_t mat, bool with_values) {
  SPK_OBJECT(handle);
  SPK_OBJECT(plan);
  if (plan->backend != handle->backend)
    throw Error(SPK_STATUS_INVALID_VALUE, "plan was made on backend %s but handle runs on %s", plan->backend->name(),
                handle->backend->name());
  const SparseView& view = SPK_OBJECT(mat).view;
  std::visit(
      [&](const auto& made) {
        auto p = made;
        if constexpr (std::is_same_v<decltype(p), SpmmProblem>)
          p.keeps_values = with_values;
        else if (with_values)
          throw Error(SPK_STATUS_INVALID_VALUE, "plan is not of SpMM or SpMV, which alone keep values");
        if (const char* difference = first_difference(structure_of(made), view); difference != nullptr)
          throw Error(SPK_STATUS_INVALID_VALUE, "mat's %s differs from what the plan was made for", difference);
        structure(p) = view;
        plan->prepared = prepare(*handle, p);
        plan->problem = p;
      },
      plan->problem);
}

}  // namespace

extern "C" spk_status_t spk_spmm_plan_create(spk_plan_t* out, spk_handle_t handle, spk_operation_t opA,
                                             spk_operation_t opB, spk_const_spmat_t matA, spk_const_dnmat_t matB,
                                             spk_const_dnmat_t matC, spk_compute_type_t compute_type,
                                             spk_algorithm_t alg, const spk_epilogue_t* epilogue) {
  return create(__func__, out, handle,
                [&] { return make_spmm(*handle, opA, opB, nullptr, matA, matB, matC, compute_type, alg, epilogue); });
}

extern "C" spk_status_t spk_spmm_execute(spk_handle_t handle, spk_const_plan_t plan, const void* alpha,
                                         spk_const_spmat_t matA, spk_const_dnmat_t matB, const void* beta,
                                         spk_dnmat_t matC, const spk_epilogue_t* epilogue, void* workspace,
                                         size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    const SpmmProblem& made = planned<SpmmProblem>(*handle, SPK_OBJECT(plan));
    SPK_OUTPUT(matC);
    const ScalarPointers scalars{alpha, beta};
    const SpmmProblem given = make_spmm(*handle, number(made.op_a), number(made.op_b), &scalars, matA, matB, matC,
                                        compute_number(made.compute, made.allow_tf32), made.alg, epilogue);
    execute_plan(*handle, *plan, made, given, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_spmv_plan_create(spk_plan_t* out, spk_handle_t handle, spk_operation_t opA,
                                             spk_const_spmat_t matA, spk_const_dnvec_t vecX, spk_const_dnvec_t vecY,
                                             spk_compute_type_t compute_type, spk_algorithm_t alg) {
  return create(__func__, out, handle,
                [&] { return make_spmv(*handle, opA, nullptr, matA, vecX, vecY, compute_type, alg); });
}

extern "C" spk_status_t spk_spmv_execute(spk_handle_t handle, spk_const_plan_t plan, const void* alpha,
                                         spk_const_spmat_t matA, spk_const_dnvec_t vecX, const void* beta,
                                         spk_dnvec_t vecY, void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    const SpmmProblem& made = planned<SpmmProblem>(*handle, SPK_OBJECT(plan), true);
    SPK_OUTPUT(vecY);
    const ScalarPointers scalars{alpha, beta};
    const SpmmProblem given = make_spmv(*handle, number(made.op_a), &scalars, matA, vecX, vecY,
                                        compute_number(made.compute, made.allow_tf32), made.alg);
    execute_plan(*handle, *plan, made, given, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_sddmm_plan_create(spk_plan_t* out, spk_handle_t handle, spk_operation_t opA,
                                              spk_operation_t opB, spk_const_dnmat_t matA, spk_const_dnmat_t matB,
                                              spk_const_spmat_t matC, spk_compute_type_t compute_type,
                                              spk_algorithm_t alg) {
  return create(__func__, out, handle,
                [&] { return make_sddmm(*handle, opA, opB, nullptr, matA, matB, matC, compute_type, alg); });
}

extern "C" spk_status_t spk_sddmm_execute(spk_handle_t handle, spk_const_plan_t plan, const void* alpha,
                                          spk_const_dnmat_t matA, spk_const_dnmat_t matB, const void* beta,
                                          spk_spmat_t matC, void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    const SddmmProblem& made = planned<SddmmProblem>(*handle, SPK_OBJECT(plan));
    SPK_OUTPUT(matC);
    const ScalarPointers scalars{alpha, beta};
    const SddmmProblem given = make_sddmm(*handle, number(made.op_a), number(made.op_b), &scalars, matA, matB, matC,
                                          compute_number(made.compute, made.allow_tf32), made.alg);
    execute_plan(*handle, *plan, made, given, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_softmax_plan_create(spk_plan_t* out, spk_handle_t handle, spk_const_spmat_t matX,
                                                spk_const_spmat_t matY, spk_algorithm_t alg) {
  return create(__func__, out, handle, [&] { return make_softmax(1, matX, nullptr, matY, alg); });
}

extern "C" spk_status_t spk_softmax_execute(spk_handle_t handle, spk_const_plan_t plan, double scale,
                                            spk_const_spmat_t matX, const uint8_t* mask, spk_spmat_t matY,
                                            void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    const SoftmaxProblem& made = planned<SoftmaxProblem>(*handle, SPK_OBJECT(plan));
    SPK_OUTPUT(matY);
    execute_plan(*handle, *plan, made, make_softmax(scale, matX, mask, matY, made.alg), workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_softmax_backward_plan_create(spk_plan_t* out, spk_handle_t handle, spk_const_spmat_t matY,
                                                         spk_const_spmat_t matDY, spk_const_spmat_t matDX,
                                                         spk_algorithm_t alg) {
  return create(__func__, out, handle, [&] { return make_softmax_backward(1, matY, matDY, matDX, alg); });
}

extern "C" spk_status_t spk_softmax_backward_execute(spk_handle_t handle, spk_const_plan_t plan, double scale,
                                                     spk_const_spmat_t matY, spk_const_spmat_t matDY, spk_spmat_t matDX,
                                                     void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_OBJECT(handle);
    const SoftmaxBackwardProblem& made = planned<SoftmaxBackwardProblem>(*handle, SPK_OBJECT(plan));
    SPK_OUTPUT(matDX);
    execute_plan(*handle, *plan, made, make_softmax_backward(scale, matY, matDY, matDX, made.alg), workspace,
                 workspace_bytes);
  });
}

extern "C" spk_status_t spk_plan_workspace(spk_handle_t handle, spk_const_plan_t plan, size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    SPK_OBJECT(handle);
    SPK_OBJECT(plan);
    if (plan->backend != handle->backend)
      throw Error(SPK_STATUS_INVALID_VALUE, "plan was made on backend %s but handle runs on %s", plan->backend->name(),
                  handle->backend->name());
    *workspace_bytes = std::visit(
        [&](const auto& p) {
          return is_empty(p) ? std::size_t{0} : handle->backend->workspace(p, plan->prepared.get(), make_exec(*handle));
        },
        plan->problem);
  });
}

extern "C" spk_status_t spk_plan_update(spk_handle_t handle, spk_plan_t plan, spk_const_spmat_t mat) {
  return guarded(__func__, handle, [&] { show(handle, plan, mat, false); });
}

extern "C" spk_status_t spk_plan_keep_values(spk_handle_t handle, spk_plan_t plan, spk_const_spmat_t mat) {
  return guarded(__func__, handle, [&] { show(handle, plan, mat, true); });
}

extern "C" spk_status_t spk_plan_describe(spk_const_plan_t plan, char* buffer, size_t capacity, size_t* needed) {
  return guarded(__func__, [&] { copy_text(SPK_OBJECT(plan).prepared->describe().c_str(), buffer, capacity, needed); });
}

extern "C" void spk_plan_destroy(spk_plan_t plan) {
  if (plan != nullptr && plan->tag == Tag::plan) delete plan;
}
