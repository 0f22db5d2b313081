/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_VECTORS_H
#define SPK_COMPAT_CUSPARSE_VECTORS_H

/** \file
 *  Sparse vectors of spk/compat/cusparse.h and what is done with one and a dense vector. Results, memory, repeated
 *  indices and errors as spk/spk_vector.h; x and y have one value type, and alpha, beta, c, s and results are of its
 *  sum's type (float for 16-bit values).
 */

#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Describes a sparse vector of `size` elements of which nnz are stored. Arrays may be NULL until an operation needs them
 *  and must be aligned to one element.
 *  Errors   INVALID_VALUE negative size or nnz, nnz > size, a misaligned array, size plus the index base does not fit
 *           the index type. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* spVecDescr, int64_t size, int64_t nnz, void* indices,
                                             void* values, cusparseIndexType_t idxType, cusparseIndexBase_t idxBase,
                                             cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* spVecDescr, int64_t size, int64_t nnz,
                                                  const void* indices, const void* values, cusparseIndexType_t idxType,
                                                  cusparseIndexBase_t idxBase, cudaDataType valueType);
/** Frees the descriptor, not the arrays; NULL is fine. Since 0.1. */
SPK_API cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t spVecDescr);
/** Reads the description; no output may be NULL. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t spVecDescr, int64_t* size, int64_t* nnz, void** indices,
                                          void** values, cusparseIndexType_t* idxType, cusparseIndexBase_t* idxBase,
                                          cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t spVecDescr, int64_t* size, int64_t* nnz,
                                               const void** indices, const void** values, cusparseIndexType_t* idxType,
                                               cusparseIndexBase_t* idxBase, cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t spVecDescr, cusparseIndexBase_t* idxBase);
SPK_API cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t spVecDescr, void** values);
SPK_API cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t spVecDescr, const void** values);
SPK_API cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t spVecDescr, void* values);

/** y = alpha * x + beta * y. Since 0.1. */
SPK_API cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t vecX,
                                       const void* beta, cusparseDnVecDescr_t vecY);
/** values(x)[i] = y[indices(x)[i]]. Since 0.1. */
SPK_API cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                        cusparseSpVecDescr_t vecX);
/** y[indices(x)[i]] = values(x)[i]. Since 0.1. */
SPK_API cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                         cusparseDnVecDescr_t vecY);
/** Givens rotation of the pairs x_i, y_i at the stored places: x = c x + s y, y = c y - s x. Since 0.1. */
SPK_API cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c_coeff, const void* s_coeff,
                                     cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY);
/** *result = sum of op(x_i) * y_i; opX is NON_TRANSPOSE or CONJUGATE_TRANSPOSE. Buffer as in products.h. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                                 cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                                 const void* result, cudaDataType computeType, size_t* bufferSize);
SPK_API cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                                      cusparseConstDnVecDescr_t vecY, void* result, cudaDataType computeType,
                                      void* externalBuffer);

#ifdef __cplusplus
}
#endif

#endif
