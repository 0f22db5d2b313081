// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "capi/pointers.hpp"
#include "capi/workspace.hpp"
#include "core/describe.hpp"
#include "core/log.hpp"
#include "core/validate_convert.hpp"

using namespace spk;
using namespace spk::capi;

namespace {

SparseToDenseProblem make_problem(spk_const_spmat_t matA, spk_const_dnmat_t matB) {
  return {SPK_OBJECT(matA).view, SPK_OBJECT(matB).view};
}

DenseToSparseProblem make_problem(spk_const_dnmat_t matA, spk_const_spmat_t matB) {
  const SparseView& b = SPK_OBJECT(matB).view;
  return {SPK_OBJECT(matA).view, b, b.format == Format::blocked_ell && b.ell_cols > 0 && !matB->is_analyzed};
}

SparseToSparseProblem make_problem(spk_const_spmat_t matA, spk_const_spmat_t matB) {
  return {SPK_OBJECT(matA).view, SPK_OBJECT(matB).view};
}

TransposeProblem make_transpose(spk_const_spmat_t matA, spk_const_spmat_t matB, std::int64_t* permutation) {
  return {SPK_OBJECT(matA).view, SPK_OBJECT(matB).view, permutation};
}

template <class Problem>
std::string text_of(const char* function, const Problem& p) {
  std::string text = std::string(function) + " A{" + describe(p.a) + "}";
  if constexpr (requires { p.b; }) text += " B{" + describe(p.b) + "}";
  return text;
}

template <class Problem>
std::size_t workspace_of(const spk_handle& handle, const Problem& p) {
  validate(p);
  return handle.backend->workspace(p, make_exec(handle));
}

// Checks p, finds workspace and runs one phase of p; answers what the backend counted.
template <class Problem>
std::int64_t carry_out(const char* function, spk_handle& handle, const Problem& p, ConversionPhase phase,
                       void* workspace, std::size_t workspace_bytes) {
  if (log::wants(SPK_LOG_API)) log::write(SPK_LOG_API, text_of(function, p).c_str());
  validate(p);
  validate_memory(p, phase);
  check_pointers(*handle.backend, p, phase);
  Exec exec = make_exec(handle);
  const Workspace scratch(handle, handle.backend->workspace(p, exec), workspace, workspace_bytes);
  exec.workspace = scratch.data();
  exec.workspace_bytes = scratch.bytes();
  return phase == ConversionPhase::analyze ? handle.backend->analyze(p, exec) : handle.backend->run(p, exec);
}

// Notes in the destination how much analyze counted.
void set_size(spk_spmat& mat, std::int64_t count) {
  SparseView& b = mat.view;
  if (b.format == Format::blocked_ell) {
    b.ell_cols = count;
    b.nnzb = b.major() * b.slots_per_row();
  } else {
    b.nnzb = count;
  }
  b.nnz = b.nnzb * b.block_size * b.block_size;
  mat.is_analyzed = true;
}

}  // namespace

extern "C" spk_status_t spk_sparse_to_dense(spk_handle_t handle, spk_const_spmat_t matA, spk_dnmat_t matB,
                                            void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matB);
    carry_out(function, *handle, make_problem(matA, matB), ConversionPhase::convert, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_sparse_to_dense_workspace(spk_handle_t handle, spk_const_spmat_t matA,
                                                      spk_const_dnmat_t matB, size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    *workspace_bytes = workspace_of(SPK_OBJECT(handle), make_problem(matA, matB));
  });
}

extern "C" spk_status_t spk_dense_to_sparse_workspace(spk_handle_t handle, spk_const_dnmat_t matA,
                                                      spk_const_spmat_t matB, size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    DenseToSparseProblem p = make_problem(matA, matB);
    // Serves both phases, whichever the query precedes.
    std::size_t most = workspace_of(SPK_OBJECT(handle), p);
    if (p.keep_columns) {
      p.keep_columns = false;
      most = std::max(most, workspace_of(*handle, p));
    }
    *workspace_bytes = most;
  });
}

extern "C" spk_status_t spk_dense_to_sparse_analyze(spk_handle_t handle, spk_const_dnmat_t matA, spk_spmat_t matB,
                                                    void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matB);
    DenseToSparseProblem p = make_problem(matA, matB);
    p.keep_columns = false;
    set_size(*matB, carry_out(function, *handle, p, ConversionPhase::analyze, workspace, workspace_bytes));
  });
}

extern "C" spk_status_t spk_dense_to_sparse_convert(spk_handle_t handle, spk_const_dnmat_t matA, spk_spmat_t matB,
                                                    void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matB);
    carry_out(function, *handle, make_problem(matA, matB), ConversionPhase::convert, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_sparse_to_sparse_workspace(spk_handle_t handle, spk_const_spmat_t matA,
                                                       spk_const_spmat_t matB, size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    *workspace_bytes = workspace_of(SPK_OBJECT(handle), make_problem(matA, matB));
  });
}

extern "C" spk_status_t spk_sparse_to_sparse_analyze(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                                     void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matB);
    set_size(*matB, carry_out(function, *handle, make_problem(matA, matB), ConversionPhase::analyze, workspace,
                              workspace_bytes));
  });
}

extern "C" spk_status_t spk_sparse_to_sparse_convert(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                                     void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matB);
    carry_out(function, *handle, make_problem(matA, matB), ConversionPhase::convert, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_csr_transpose(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                          int64_t* permutation, void* workspace, size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    SPK_OUTPUT(matB);
    carry_out(function, *handle, make_transpose(matA, matB, permutation), ConversionPhase::convert, workspace,
              workspace_bytes);
  });
}

extern "C" spk_status_t spk_csr_transpose_workspace(spk_handle_t handle, spk_const_spmat_t matA, spk_const_spmat_t matB,
                                                    size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    *workspace_bytes = workspace_of(SPK_OBJECT(handle), make_transpose(matA, matB, nullptr));
  });
}

extern "C" spk_status_t spk_spmat_sort(spk_handle_t handle, spk_spmat_t mat, int64_t* permutation, void* workspace,
                                       size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    const SortProblem p{SPK_OUTPUT(mat).view, permutation};
    carry_out(function, *handle, p, ConversionPhase::convert, workspace, workspace_bytes);
  });
}

extern "C" spk_status_t spk_spmat_sort_workspace(spk_handle_t handle, spk_const_spmat_t mat, size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    *workspace_bytes = workspace_of(SPK_OBJECT(handle), SortProblem{SPK_OBJECT(mat).view, nullptr});
  });
}

extern "C" spk_status_t spk_spmat_coalesce(spk_handle_t handle, spk_spmat_t mat, void* workspace,
                                           size_t workspace_bytes) {
  return guarded(__func__, handle, [&, function = __func__] {
    SPK_OBJECT(handle);
    SparseView& view = SPK_OUTPUT(mat).view;
    view.nnz =
        carry_out(function, *handle, CoalesceProblem{view}, ConversionPhase::convert, workspace, workspace_bytes);
    view.nnzb = view.nnz;
  });
}

extern "C" spk_status_t spk_spmat_coalesce_workspace(spk_handle_t handle, spk_const_spmat_t mat,
                                                     size_t* workspace_bytes) {
  return guarded(__func__, handle, [&] {
    SPK_REQUIRE_PTR(workspace_bytes) = 0;
    *workspace_bytes = workspace_of(SPK_OBJECT(handle), CoalesceProblem{SPK_OBJECT(mat).view});
  });
}
