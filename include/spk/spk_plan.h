/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_PLAN_H
#define SPK_PLAN_H

/** \file
 *  Plans: an operation prepared once for a sparsity structure and executed many times.
 *
 *  A plan looks at the structure (offsets and indices) when it is created or updated, checks it, and keeps what pays on
 *  its backend: the transpose with its permutation of values, rows made from coordinates, parts of equal work, 16-bit
 *  column indices; spk_plan_describe tells. It keeps no values unless spk_plan_keep_values allows it: every execution reads
 *  them afresh from the matrix it is given. The caller promises that matrices given to execute have the structure that the
 *  plan has seen; spk_plan_update shows it a new one. Results obey the same error bound as the one-shot call and repeat bit for bit,
 *  but need not be the same bits as the one-shot call's.
 *
 *  A plan belongs to the backend, options and types it was made with; execute checks sizes, types, orders and ld and
 *  answers INVALID_VALUE where they differ. Plans do not change while they execute: several threads may execute one
 *  plan, each with a handle of its own on the same backend.
 */

#include <spk/spk_ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a plan for spk_spmm or spk_spmm_epilogue.
 *
 *  \param epilogue  NULL, or the kind of epilogue: activation and bias kind are fixed, the vectors come at execution
 *  Memory   the plan owns its copies; matA's structure is read before the call returns (on CUDA: on the stream)
 *  Errors   as spk_spmm; INVALID_STRUCTURE if matA's structure is found broken; NOT_SUPPORTED while the handle's stream is
 *           captured, where op(A) is not stored by rows; on failure *out is NULL. Since 0.1. */
SPK_API spk_status_t spk_spmm_plan_create(spk_plan_t* out, spk_handle_t handle, spk_operation_t opA,
                                          spk_operation_t opB, spk_const_spmat_t matA, spk_const_dnmat_t matB,
                                          spk_const_dnmat_t matC, spk_compute_type_t compute_type, spk_algorithm_t alg,
                                          const spk_epilogue_t* epilogue);
/** Executes an SpMM plan; epilogue is NULL if the plan was made without. Since 0.1. */
SPK_API spk_status_t spk_spmm_execute(spk_handle_t handle, spk_const_plan_t plan, const void* alpha,
                                      spk_const_spmat_t matA, spk_const_dnmat_t matB, const void* beta,
                                      spk_dnmat_t matC, const spk_epilogue_t* epilogue, void* workspace,
                                      size_t workspace_bytes);

/** Creates a plan for spk_spmv. Since 0.1. */
SPK_API spk_status_t spk_spmv_plan_create(spk_plan_t* out, spk_handle_t handle, spk_operation_t opA,
                                          spk_const_spmat_t matA, spk_const_dnvec_t vecX, spk_const_dnvec_t vecY,
                                          spk_compute_type_t compute_type, spk_algorithm_t alg);
SPK_API spk_status_t spk_spmv_execute(spk_handle_t handle, spk_const_plan_t plan, const void* alpha,
                                      spk_const_spmat_t matA, spk_const_dnvec_t vecX, const void* beta,
                                      spk_dnvec_t vecY, void* workspace, size_t workspace_bytes);

/** Creates a plan for spk_sddmm. Since 0.1. */
SPK_API spk_status_t spk_sddmm_plan_create(spk_plan_t* out, spk_handle_t handle, spk_operation_t opA,
                                           spk_operation_t opB, spk_const_dnmat_t matA, spk_const_dnmat_t matB,
                                           spk_const_spmat_t matC, spk_compute_type_t compute_type,
                                           spk_algorithm_t alg);
SPK_API spk_status_t spk_sddmm_execute(spk_handle_t handle, spk_const_plan_t plan, const void* alpha,
                                       spk_const_dnmat_t matA, spk_const_dnmat_t matB, const void* beta,
                                       spk_spmat_t matC, void* workspace, size_t workspace_bytes);

/** Creates a plan for spk_softmax. Since 0.1. */
SPK_API spk_status_t spk_softmax_plan_create(spk_plan_t* out, spk_handle_t handle, spk_const_spmat_t matX,
                                             spk_const_spmat_t matY, spk_algorithm_t alg);
SPK_API spk_status_t spk_softmax_execute(spk_handle_t handle, spk_const_plan_t plan, double scale,
                                         spk_const_spmat_t matX, const uint8_t* mask, spk_spmat_t matY, void* workspace,
                                         size_t workspace_bytes);

/** Creates a plan for spk_softmax_backward. Since 0.1. */
SPK_API spk_status_t spk_softmax_backward_plan_create(spk_plan_t* out, spk_handle_t handle, spk_const_spmat_t matY,
                                                      spk_const_spmat_t matDY, spk_const_spmat_t matDX,
                                                      spk_algorithm_t alg);
SPK_API spk_status_t spk_softmax_backward_execute(spk_handle_t handle, spk_const_plan_t plan, double scale,
                                                  spk_const_spmat_t matY, spk_const_spmat_t matDY, spk_spmat_t matDX,
                                                  void* workspace, size_t workspace_bytes);

/** Bytes of workspace that executing the plan needs. Since 0.1. */
SPK_API spk_status_t spk_plan_workspace(spk_handle_t handle, spk_const_plan_t plan, size_t* workspace_bytes);

/** Shows the plan a matrix of the same sizes and types with another structure. No thread may execute the plan
 *  meanwhile. On failure the plan is as before. Since 0.1. */
SPK_API spk_status_t spk_plan_update(spk_handle_t handle, spk_plan_t plan, spk_const_spmat_t mat);

/** Shows a plan of SpMM or SpMV a matrix whose values, too, will stay as they are now, such as the weights of a trained
 *  network, so that the plan may keep them in a form of its own: on CUDA op(A) as a dense matrix where a dense product is the
 *  fastest answer; on the CPU rows of op(A) where entries are stored otherwise, and vectors of rows for products with up to
 *  four columns. Matrices given to execute must have these values until the next call of this function or of
 *  spk_plan_update, which allows no values to be kept; with others, the result is that of either. The promise changes what an
 *  execution costs, its workspace and, as another kernel may be chosen, the bits of results, not their error bound.
 *
 *  Memory   the plan owns what it keeps; mat is read before the call returns. No thread may execute the plan meanwhile. On
 *           failure the plan is as before.
 *  Errors   INVALID_VALUE if the plan is of another operation or mat differs in sizes or types; INVALID_STRUCTURE as when the
 *           plan was made; NOT_SUPPORTED while the handle's stream is captured; ALLOC_FAILED. Since 0.1. */
SPK_API spk_status_t spk_plan_keep_values(spk_handle_t handle, spk_plan_t plan, spk_const_spmat_t mat);

/** Copies a line about what the plan keeps (kernel, what it made from the structure, bytes); buffer arguments as spk_last_error.
 *  Since 0.1. */
SPK_API spk_status_t spk_plan_describe(spk_const_plan_t plan, char* buffer, size_t capacity, size_t* needed);

/** Frees a plan; NULL is fine. Since 0.1. */
SPK_API void spk_plan_destroy(spk_plan_t plan);

#ifdef __cplusplus
}
#endif

#endif
