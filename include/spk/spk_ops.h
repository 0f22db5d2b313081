/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_OPS_H
#define SPK_OPS_H

/** \file
 *  Operations: SpMM, SpMV, SDDMM, sparse softmax and its backward, each as workspace query, one-shot call and plan.
 *
 *  What holds for all of them:
 *  Memory   matrices live where the handle's backend computes. Outputs may not overlap inputs unless said. Nothing
 *           outside the described elements is read or written; padding between ld and the row stays as it is.
 *  Workspace  `workspace` is caller's memory of at least the bytes that the matching query answers, aligned to 256
 *           bytes (16 on the CPU). NULL with 0 bytes lets the handle's allocator serve. The query reads no array; its
 *           answer depends on sizes, types and options, the handle's number of threads among them.
 *  Scalars  alpha and beta point to one value of compute_type, read where the pointer mode says.
 *  Values   beta = 0 overwrites the output, even NaN. alpha = 0 leaves the product's operands unread. An empty inner
 *           size or no stored entries still leave beta * C. Repeated entries add up.
 *  Numerics 16-bit values are summed in float. Error per element, with unit roundoff u of the sum's type and nnz_row
 *           terms: (nnz_row + 2) * u * (|alpha| sum|a||b| + |beta||c|), plus one rounding to the output type. A complex
 *           term counts as two. Where intermediate sums leave the range of the sum's type, results are not finite.
 *  Repeatable  default results are the same bits on the same machine for any number of threads.
 *  Order    asynchronous on the handle's stream (CUDA); complete on return (CPU, REFERENCE).
 *  Errors   INVALID_VALUE a NULL or foreign object, sizes or batch counts that disagree, overlapping output,
 *           unknown enumerator, misaligned or NULL array; NOT_SUPPORTED legal, but no kernel takes it: the message
 *           lists each refusal; WORKSPACE_TOO_SMALL; ALLOC_FAILED. On failure before execution the outputs are
 *           untouched. With SPK_CHECK=1 INTERNAL_ERROR if the result is outside the error bound.
 *  Threads  see spk_handle.h.
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Function applied to every element at the end of SpMM. Since 0.1. */
typedef int32_t spk_activation_t;
enum {
  SPK_ACTIVATION_NONE = 0,
  SPK_ACTIVATION_RELU = 1,     /**< max(x, 0); NaN stays NaN */
  SPK_ACTIVATION_GELU = 2,     /**< x/2 (1 + erf(x / sqrt 2)) (Hendrycks & Gimpel, arXiv 1606.08415, section 2);
                                    -infinity gives NaN, as the formula does */
  SPK_ACTIVATION_GELU_TANH = 3 /**< its tanh form (same place); -infinity gives NaN */
};

/** What a bias vector runs along. Since 0.1. */
typedef int32_t spk_bias_t;
enum {
  SPK_BIAS_NONE = 0,
  SPK_BIAS_PER_ROW = 1, /**< m values, bias[i] is added to row i of C */
  SPK_BIAS_PER_COL = 2  /**< n values, bias[j] is added to column j of C */
};

/** End of an SpMM: C = activation(alpha op(A) op(B) + beta C + bias) + residual, evaluated in the sum's type before one
 *  rounding to C's type. Real types only; an epilogue with a complex product is NOT_SUPPORTED. Zero-initialise, set
 *  struct_size. Since 0.1. */
typedef struct spk_epilogue {
  uint32_t struct_size;       /**< sizeof(spk_epilogue) of the caller, in bytes */
  int32_t activation;         /**< spk_activation_t */
  int32_t bias_kind;          /**< spk_bias_t */
  int32_t reserved;           /**< 0 */
  spk_const_dnvec_t bias;     /**< m or n values of C's type or of the sum's type; same for the whole batch */
  spk_const_dnmat_t residual; /**< NULL, or m x n of C's type, batch count 1 or C's; may be C itself (same order, ld) */
} spk_epilogue_t;

/** C = alpha * op(A) * op(B) + beta * C, with A sparse, B and C dense.
 *
 *  Shapes   op(A) m x k, op(B) k x n, C m x n. B and C may differ in order.
 *  Types    A and B of one type; C of that type, or float with 16-bit A and B. compute_type: SPK_COMPUTE_32F (or TF32)
 *           for f32, f16, bf16; 64F, C_32F, C_64F for f64, c64, c128.
 *  Formats  CSR, CSC, COO (any order of entries), BSR, Blocked-ELL, SELL.
 *  Batch    C has the batch; A and B have its count or 1 (shared).
 *  Since 0.1. Source: row-wise Gustavson product; docs/papers.md, Sputnik (1-D tiles). */
SPK_API spk_status_t spk_spmm(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB, const void* alpha,
                              spk_const_spmat_t matA, spk_const_dnmat_t matB, const void* beta, spk_dnmat_t matC,
                              spk_compute_type_t compute_type, spk_algorithm_t alg, void* workspace,
                              size_t workspace_bytes);
/** Bytes that spk_spmm and spk_spmm_epilogue with the same arguments may need; always written, 0 on failure.
 *  Since 0.1. */
SPK_API spk_status_t spk_spmm_workspace(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB,
                                        spk_const_spmat_t matA, spk_const_dnmat_t matB, spk_const_dnmat_t matC,
                                        spk_compute_type_t compute_type, spk_algorithm_t alg, size_t* workspace_bytes);
/** spk_spmm with an epilogue; NULL epilogue is spk_spmm. Since 0.1. */
SPK_API spk_status_t spk_spmm_epilogue(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB, const void* alpha,
                                       spk_const_spmat_t matA, spk_const_dnmat_t matB, const void* beta,
                                       spk_dnmat_t matC, spk_compute_type_t compute_type, spk_algorithm_t alg,
                                       const spk_epilogue_t* epilogue, void* workspace, size_t workspace_bytes);

/** y = alpha * op(A) * x + beta * y. Shapes: op(A) m x k, x of k, y of m elements. Everything else as spk_spmm with one
 *  column. Batches of A are not supported here. Since 0.1. */
SPK_API spk_status_t spk_spmv(spk_handle_t handle, spk_operation_t opA, const void* alpha, spk_const_spmat_t matA,
                              spk_const_dnvec_t vecX, const void* beta, spk_dnvec_t vecY,
                              spk_compute_type_t compute_type, spk_algorithm_t alg, void* workspace,
                              size_t workspace_bytes);
SPK_API spk_status_t spk_spmv_workspace(spk_handle_t handle, spk_operation_t opA, spk_const_spmat_t matA,
                                        spk_const_dnvec_t vecX, spk_const_dnvec_t vecY, spk_compute_type_t compute_type,
                                        spk_algorithm_t alg, size_t* workspace_bytes);

/** values(C) = alpha * (op(A) * op(B)) at the stored places of C + beta * values(C), with A and B dense, C sparse.
 *
 *  Shapes   op(A) m x k, op(B) k x n, C m x n stored as CSR or BSR.
 *  Types    A and B of one type; C of that type, or float with 16-bit A and B. compute_type as for spk_spmm.
 *  Batch    C has the batch (values_stride may not be 0 then); A and B have its count or 1 (shared). Structure of C
 *           shared or strided.
 *  Since 0.1. Source: docs/papers.md, Sputnik (SDDMM). */
SPK_API spk_status_t spk_sddmm(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB, const void* alpha,
                               spk_const_dnmat_t matA, spk_const_dnmat_t matB, const void* beta, spk_spmat_t matC,
                               spk_compute_type_t compute_type, spk_algorithm_t alg, void* workspace,
                               size_t workspace_bytes);
SPK_API spk_status_t spk_sddmm_workspace(spk_handle_t handle, spk_operation_t opA, spk_operation_t opB,
                                         spk_const_dnmat_t matA, spk_const_dnmat_t matB, spk_const_spmat_t matC,
                                         spk_compute_type_t compute_type, spk_algorithm_t alg, size_t* workspace_bytes);

/** Row-wise softmax over the stored entries that a mask keeps: Y(i,j) = exp(s X(i,j) - max) / sum over j of the same,
 *  with s = scale and max = the largest s X(i,j) of row i.
 *
 *  Shapes   X and Y are CSR with the same structure (sizes, types of indices, and arrays equal in content; they are
 *           not compared). Y's values may be X's own (in place).
 *  Types    f32, f64, f16, bf16, X and Y alike; sums in float (double for f64).
 *  \param scale  one real host value of type double
 *  \param mask   NULL, or nnz bytes in storage order (of every batch matrix, shared; of a row slice: from the slice's
 *                first entry): 0 leaves the entry out, so that its result is 0 whatever else is in its row
 *  Empty rows have nothing to write; a row whose entries are all left out, or all -infinity, becomes 0. NaN in a row
 *  makes its whole row NaN; so does +infinity (inf - inf).
 *  Numerics  with t = s X and D = u (3 |t - max t| + 2 |t|), without the last term if s is a power of two: relative error
 *            about D + sum_l Y_l D_l + (nnz_row + 12) u, plus one rounding to the output type.
 *  Since 0.1. Source: docs/papers.md, Sputnik (sparse attention). */
SPK_API spk_status_t spk_softmax(spk_handle_t handle, double scale, spk_const_spmat_t matX, const uint8_t* mask,
                                 spk_spmat_t matY, spk_algorithm_t alg, void* workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_softmax_workspace(spk_handle_t handle, spk_const_spmat_t matX, spk_const_spmat_t matY,
                                           spk_algorithm_t alg, size_t* workspace_bytes);

/** Gradient of spk_softmax: dX(i,j) = s Y(i,j) (dY(i,j) - sum_l Y(i,l) dY(i,l)).
 *
 *  Y is the forward result, dY the incoming gradient, dX the result; all CSR with one structure. dX's values may be
 *  those of Y or of dY. Entries left out by a mask have Y = 0 and so get 0 (while dY is finite). Types as spk_softmax.
 *  Numerics  error at most (nnz_row + 6) u |s| |Y| (|dY| + sum_l |Y_l dY_l|), plus one rounding. Since 0.1. */
SPK_API spk_status_t spk_softmax_backward(spk_handle_t handle, double scale, spk_const_spmat_t matY,
                                          spk_const_spmat_t matDY, spk_spmat_t matDX, spk_algorithm_t alg,
                                          void* workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_softmax_backward_workspace(spk_handle_t handle, spk_const_spmat_t matY,
                                                    spk_const_spmat_t matDY, spk_const_spmat_t matDX,
                                                    spk_algorithm_t alg, size_t* workspace_bytes);

/** Operations of plans, support queries and log lines. Since 0.1. */
typedef int32_t spk_operation_kind_t;
enum {
  SPK_OPERATION_SPMM = 1,
  SPK_OPERATION_SPMV = 2,
  SPK_OPERATION_SDDMM = 3,
  SPK_OPERATION_SOFTMAX = 4,
  SPK_OPERATION_SOFTMAX_BACKWARD = 5,
  SPK_OPERATION_AXPBY = 6, /**< this one and the following: spk_vector.h */
  SPK_OPERATION_GATHER = 7,
  SPK_OPERATION_SCATTER = 8,
  SPK_OPERATION_ROT = 9,
  SPK_OPERATION_SPVV = 10
};

/** Question for spk_query_support. Zero-initialise and set struct_size. Fields that the operation does not have are
 *  ignored. Arrays of the descriptors are not read. Since 0.1. */
typedef struct spk_support_query {
  uint32_t struct_size;           /**< sizeof(spk_support_query) of the caller, in bytes */
  int32_t operation;              /**< spk_operation_kind_t */
  int32_t opA;                    /**< SpMM, SpMV, SDDMM; opX of SpVV */
  int32_t opB;                    /**< SpMM, SDDMM */
  int32_t compute_type;           /**< SpMM, SpMV, SDDMM, SpVV */
  int32_t alg;                    /**< spk_algorithm_t */
  spk_const_spmat_t sparse;       /**< A (SpMM, SpMV), C (SDDMM), X (softmax), Y (backward) */
  spk_const_dnmat_t dense_in;     /**< B (SpMM); A (SDDMM) */
  spk_const_dnmat_t dense_in2;    /**< B (SDDMM) */
  spk_const_dnmat_t dense_out;    /**< C (SpMM) */
  spk_const_dnvec_t vec_in;       /**< x (SpMV); y (gather, SpVV) */
  spk_const_dnvec_t vec_out;      /**< y (SpMV, axpby, scatter, rotation) */
  spk_const_spmat_t sparse_out;   /**< Y (softmax), dX (backward); NULL: like `sparse` */
  const spk_epilogue_t* epilogue; /**< SpMM; NULL for none */
  spk_const_spvec_t spvec;        /**< x of the operations of spk_vector.h */
} spk_support_query_t;

/** Says whether the handle's backend would run an operation, and how, without running it.
 *
 *  \param alg      NULL, or receives the id of the kernel that would run (to force it later), 0 if none
 *  \param reason   receives at most capacity bytes with the final 0: the kernel's name, or every refusal
 *  \param needed   NULL, or receives the bytes the whole text needs
 *  Returns SUCCESS if it would run, NOT_SUPPORTED or INVALID_VALUE as the operation itself would. Since 0.1. */
SPK_API spk_status_t spk_query_support(spk_handle_t handle, const spk_support_query_t* query, spk_algorithm_t* alg,
                                       char* reason, size_t capacity, size_t* needed);

#ifdef __cplusplus
}
#endif

#endif
