/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_VECTOR_H
#define SPK_VECTOR_H

/** \file
 *  Sparse vectors and what is done with one and a dense vector.
 *
 *  A sparse vector x of `size` elements stores nnz of them: values[i] is element indices[i] - index_base. Entries may
 *  come in any order. The descriptor is over the caller's memory; nothing is copied.
 *
 *  What holds for all operations, besides spk_ops.h:
 *  Shapes   x and y have one size.
 *  Types    x and y of one type: f32, f64, f16, bf16, c64, c128. Scalars and results are of the sum's type: float for
 *           f32, f16 and bf16, otherwise the values' own type. They lie where the pointer mode says.
 *  Memory   vectors live where the handle's backend computes. The arrays of x and y may not overlap. Indices are
 *           trusted as in every operation; with SPK_CHECK=1 INVALID_STRUCTURE if one is outside [base, size + base).
 *  Repeats  entries of x that repeat an index: spk_axpby adds each, spk_gather and spk_spvv treat each as an entry of
 *           its own; for spk_scatter and spk_rot they are not allowed, which is not checked: the elements of y (and the
 *           values of x) at the repeated index are then unspecified.
 *  Order    asynchronous on the handle's stream (CUDA), with no workspace but spk_spvv's; may be captured into a graph.
 *           spk_spvv has one exception, see there.
 *  Since 0.1.
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Describes a sparse vector.
 *
 *  \param size     elements of the vector, stored or not
 *  \param nnz      stored entries, at most size
 *  \param indices  nnz indices of index_type, counted from index_base
 *  \param values   nnz values; like indices it may be NULL here, but not when an operation needs it
 *  Errors   INVALID_VALUE NULL out, negative size or nnz, nnz > size, unknown type or base, misaligned array;
 *           INDEX_OVERFLOW size plus the index base does not fit index_type, or the bytes of an array do not fit in 63
 *           bits; NOT_SUPPORTED SPK_INDEX_16U; ALLOC_FAILED. On failure *out is NULL. Since 0.1. */
SPK_API spk_status_t spk_spvec_create(spk_spvec_t* out, int64_t size, int64_t nnz, void* indices, void* values,
                                      spk_index_type_t index_type, spk_index_base_t index_base,
                                      spk_value_type_t value_type);
/** As spk_spvec_create, over memory that is only read. Since 0.1. */
SPK_API spk_status_t spk_spvec_create_const(spk_const_spvec_t* out, int64_t size, int64_t nnz, const void* indices,
                                            const void* values, spk_index_type_t index_type,
                                            spk_index_base_t index_base, spk_value_type_t value_type);
/** Frees the descriptor, not the arrays; NULL is fine. Since 0.1. */
SPK_API void spk_spvec_destroy(spk_const_spvec_t vec);
/** Reads the description; any output pointer may be NULL. Since 0.1. */
SPK_API spk_status_t spk_spvec_get(spk_const_spvec_t vec, int64_t* size, int64_t* nnz, const void** indices,
                                   const void** values, spk_index_type_t* index_type, spk_index_base_t* index_base,
                                   spk_value_type_t* value_type);
/** Points the descriptor at other values of the same entries. Errors: INVALID_VALUE misaligned, or the descriptor is
 *  const. Since 0.1. */
SPK_API spk_status_t spk_spvec_set_values(spk_spvec_t vec, void* values);

/** y = alpha * x + beta * y. Every element of y is scaled by beta, also those that x does not store; beta = 0
 *  overwrites y, even NaN; alpha = 0 leaves x unread.
 *  Numerics  error per element, with k entries of x at its index: (k + 2) u (|alpha| sum|x| + |beta||y|), u of y's type
 *            and twice that for complex types: y is rounded when it is scaled and when an entry is added.
 *  Repeatable  where indices are distinct. Repeats are added in the order in which they are stored on the CPU, and on
 *            CUDA in the order in which they arrive, so that last bits may differ from run to run.
 *  Since 0.1. */
SPK_API spk_status_t spk_axpby(spk_handle_t handle, const void* alpha, spk_const_spvec_t vecX, const void* beta,
                               spk_dnvec_t vecY);

/** values(x)[i] = y[indices(x)[i] - base], bit for bit. As in cusparseGather y comes first. Since 0.1. */
SPK_API spk_status_t spk_gather(spk_handle_t handle, spk_const_dnvec_t vecY, spk_spvec_t vecX);

/** y[indices(x)[i] - base] = values(x)[i], bit for bit; the other elements of y keep their values. Since 0.1. */
SPK_API spk_status_t spk_scatter(spk_handle_t handle, spk_const_spvec_t vecX, spk_dnvec_t vecY);

/** Givens rotation of the pairs of entries of x and elements of y: with a = values(x)[i], b = y[indices(x)[i] - base]
 *
 *      values(x)[i] = c * a + s * b        y[indices(x)[i] - base] = c * b - s * a
 *
 *  Elements of y that x does not store keep their values. For complex types c and s are complex and nothing is
 *  conjugated. c = 0 or s = 0 does not hide NaN or infinity of what it multiplies.
 *  \param c_coeff, s_coeff  one value each of the sum's type
 *  Numerics  error per element at most 3 u (|c||a| + |s||b|), twice that for complex types, plus one rounding.
 *  Since 0.1. */
SPK_API spk_status_t spk_rot(spk_handle_t handle, const void* c_coeff, const void* s_coeff, spk_spvec_t vecX,
                             spk_dnvec_t vecY);

/** *result = sum over i of op(values(x)[i]) * y[indices(x)[i] - base]: the dot product, with op the identity (SPK_OP_N)
 *  or the complex conjugate (SPK_OP_C; for real types the identity). No entries give 0.
 *
 *  \param opX           SPK_OP_N or SPK_OP_C; SPK_OP_T is NOT_SUPPORTED
 *  \param result        one value of compute_type, written where the pointer mode says. In host pointer mode on CUDA
 *                       the call waits for the stream to bring the value home, and is refused (NOT_SUPPORTED) while the
 *                       stream is captured; in device pointer mode it is asynchronous like every other operation.
 *  \param compute_type  SPK_COMPUTE_32F for f32, f16, bf16; 64F, C_32F, C_64F for f64, c64, c128
 *  Numerics  error at most (nnz + 2) u sum|x||y|, twice that for complex types; the same bits in every run, on the CPU
 *            for any number of threads.
 *  Errors   as above; result may not overlap x or y. Since 0.1. */
SPK_API spk_status_t spk_spvv(spk_handle_t handle, spk_operation_t opX, spk_const_spvec_t vecX, spk_const_dnvec_t vecY,
                              void* result, spk_compute_type_t compute_type, void* workspace, size_t workspace_bytes);
/** Bytes that spk_spvv with the same arguments may need; always written, 0 on failure. Since 0.1. */
SPK_API spk_status_t spk_spvv_workspace(spk_handle_t handle, spk_operation_t opX, spk_const_spvec_t vecX,
                                        spk_const_dnvec_t vecY, spk_compute_type_t compute_type,
                                        size_t* workspace_bytes);

#ifdef __cplusplus
}
#endif

#endif
