// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cmath>

#include "capi/backends.hpp"
#include "capi/dump.hpp"
#include "capi/mirror.hpp"
#include "capi/pointers.hpp"
#include "capi/sparse.hpp"
#include "capi/workspace.hpp"
#include "core/describe.hpp"
#include "core/log.hpp"
#include "core/validate_operations.hpp"
#include "core/validate_vector.hpp"

// What every operation does between its checks and its backend: log, dump, workspace, run, shadow check.
namespace spk::capi {

constexpr spk_operation_kind_t operation_of(const SpmmProblem& p) {
  return p.is_spmv ? SPK_OPERATION_SPMV : SPK_OPERATION_SPMM;
}
constexpr spk_operation_kind_t operation_of(const SddmmProblem&) { return SPK_OPERATION_SDDMM; }
constexpr spk_operation_kind_t operation_of(const SoftmaxProblem&) { return SPK_OPERATION_SOFTMAX; }
constexpr spk_operation_kind_t operation_of(const SoftmaxBackwardProblem&) { return SPK_OPERATION_SOFTMAX_BACKWARD; }
constexpr spk_operation_kind_t operation_of(const VectorProblem& p) {
  return SPK_OPERATION_AXPBY + static_cast<spk_operation_kind_t>(p.op);
}

template <class Problem>
constexpr bool kHasPlans = !std::is_same_v<Problem, VectorProblem>;

template <class Problem>
std::size_t workspace_of(const Backend& backend, const Problem& p, const Plan* plan, const Exec& exec) {
  if (is_empty(p)) return 0;
  if constexpr (kHasPlans<Problem>)
    return backend.workspace(p, plan, exec);
  else
    return backend.workspace(p, exec);
}

template <class Problem>
void run(const Backend& backend, const Problem& p, const Plan* plan, const Exec& exec) {
  if constexpr (kHasPlans<Problem>)
    backend.run(p, plan, exec);
  else
    backend.run(p, exec);
}

// Which kernel takes p; logs the walk. Throws NOT_SUPPORTED with every refusal.
template <class Problem>
Choice choose_or_throw(const spk_handle& handle, const Problem& p) {
  Choice choice = handle.backend->choose(p);
  if (log::wants(SPK_LOG_DISPATCH))
    log::write(SPK_LOG_DISPATCH,
               (std::string(handle.backend->name()) + ": " + describe(p) + " -> " + choice.text).c_str());
  if (!choice.supported()) throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it: %s", choice.text.c_str());
  return choice;
}

// A forced kernel may refuse; for the default the walk is only worth its words if somebody reads them.
template <class Problem>
void choose_if_asked(const spk_handle& handle, const Problem& p) {
  if (p.alg >= 256 || log::wants(SPK_LOG_DISPATCH)) choose_or_throw(handle, p);
}

// Notes a verdict in the handle; throws INTERNAL_ERROR if the result is outside its bound.
void note_verdict(spk_handle& handle, spk_operation_kind_t operation, const Verdict& verdict);

template <class Problem>
void check_structure(const spk_handle& handle, const Problem& p) {
  if constexpr (std::is_same_v<Problem, SpmmProblem>)
    if (p.skips_product()) return;
  spk_validation_report_t report{};
  handle.backend->validate(structure_of(p), report, make_exec(handle));
  throw_if_broken(report, structure_of(p), "shadow check: the sparse matrix");
}

inline void check_structure(const spk_handle& handle, const VectorProblem& p) {
  if (p.skips_x()) return;
  Mirror mirror(*handle.backend, handle.stream);
  check_entries(mirror.on_host(p.x), "shadow check: vecX");
}

template <class Problem>
void execute(spk_handle& handle, const Problem& p, const Plan* plan, void* workspace, std::size_t workspace_bytes) {
  if (log::wants(SPK_LOG_API)) log::write(SPK_LOG_API, describe(p).c_str());
  validate_memory(p);
  if (!is_empty(p) && may_refuse_pointers(*handle.backend)) check_pointers(*handle.backend, p);
  if (plan == nullptr) choose_if_asked(handle, p);
  Exec exec = make_exec(handle);
  const std::size_t needed = workspace_of(*handle.backend, p, plan, exec);
  const Workspace scratch(handle, needed, workspace, workspace_bytes);
  exec.workspace = scratch.data();
  exec.workspace_bytes = scratch.bytes();
  if (is_empty(p)) return;

  if (handle.check || dump_wanted()) {
    if (handle.check) check_structure(handle, p);
    Mirror mirror(*handle.backend, handle.stream);
    const Problem before = mirror.before(p);
    if (dump_wanted()) dump(before);
    run(*handle.backend, p, plan, exec);
    if (handle.check) note_verdict(handle, operation_of(p), oracle().judge(before, mirror.on_host(output_of(p))));
    return;
  }
  run(*handle.backend, p, plan, exec);
}

// Bytes of workspace of the one-shot call.
template <class Problem>
std::size_t workspace_of(const spk_handle& handle, const Problem& p) {
  choose_if_asked(handle, p);
  return workspace_of(*handle.backend, p, nullptr, make_exec(handle));
}

}  // namespace spk::capi
