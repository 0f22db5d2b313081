/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_DENSE_H
#define SPK_DENSE_H

/** \file
 *  Dense matrices and vectors: descriptors over the caller's memory. Nothing is copied; the memory must outlive its
 *  use by operations. Values may have any address aligned to the size of one element's real part.
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Describes a dense matrix of rows x cols elements.
 *
 *  \param ld     leading dimension in elements: distance between rows (SPK_ORDER_ROW, ld >= cols) or between columns
 *                (SPK_ORDER_COL, ld >= rows); at least 1
 *  \param values first element; may be NULL here, but not when an operation needs it
 *  Errors   INVALID_VALUE NULL out, negative size, ld too small, unknown type or order, misaligned values;
 *           INDEX_OVERFLOW the bytes do not fit in 63 bits; ALLOC_FAILED. On failure *out is NULL. Since 0.1. */
SPK_API spk_status_t spk_dnmat_create(spk_dnmat_t* out, int64_t rows, int64_t cols, int64_t ld, void* values,
                                      spk_value_type_t value_type, spk_order_t order);
/** As spk_dnmat_create, over memory that is only read. Since 0.1. */
SPK_API spk_status_t spk_dnmat_create_const(spk_const_dnmat_t* out, int64_t rows, int64_t cols, int64_t ld,
                                            const void* values, spk_value_type_t value_type, spk_order_t order);
/** Frees the descriptor, not the values; NULL is fine. Since 0.1. */
SPK_API void spk_dnmat_destroy(spk_const_dnmat_t mat);

/** Makes the matrix a batch: matrix b begins b * stride elements after the first. stride 0 = all the same matrix
 *  (inputs only). Errors: INVALID_VALUE count < 1, 0 < |stride| < extent of one matrix when count > 1, negative
 *  stride. Since 0.1. */
SPK_API spk_status_t spk_dnmat_set_batch(spk_dnmat_t mat, int64_t count, int64_t stride);
SPK_API spk_status_t spk_dnmat_get_batch(spk_const_dnmat_t mat, int64_t* count, int64_t* stride);

/** Reads the description; any output pointer may be NULL. Since 0.1. */
SPK_API spk_status_t spk_dnmat_get(spk_const_dnmat_t mat, int64_t* rows, int64_t* cols, int64_t* ld,
                                   const void** values, spk_value_type_t* value_type, spk_order_t* order);
/** Points the descriptor at other values of the same shape. Errors: INVALID_VALUE misaligned. Since 0.1. */
SPK_API spk_status_t spk_dnmat_set_values(spk_dnmat_t mat, void* values);

/** Describes a dense vector of `size` contiguous elements. Errors as spk_dnmat_create. Since 0.1. */
SPK_API spk_status_t spk_dnvec_create(spk_dnvec_t* out, int64_t size, void* values, spk_value_type_t value_type);
/** As spk_dnvec_create, over memory that is only read. Since 0.1. */
SPK_API spk_status_t spk_dnvec_create_const(spk_const_dnvec_t* out, int64_t size, const void* values,
                                            spk_value_type_t value_type);
/** Frees the descriptor, not the values; NULL is fine. Since 0.1. */
SPK_API void spk_dnvec_destroy(spk_const_dnvec_t vec);
/** Reads the description; any output pointer may be NULL. Since 0.1. */
SPK_API spk_status_t spk_dnvec_get(spk_const_dnvec_t vec, int64_t* size, const void** values,
                                   spk_value_type_t* value_type);
/** Points the descriptor at other values of the same size. Since 0.1. */
SPK_API spk_status_t spk_dnvec_set_values(spk_dnvec_t vec, void* values);

#ifdef __cplusplus
}
#endif

#endif
