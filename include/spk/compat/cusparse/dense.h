/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_DENSE_H
#define SPK_COMPAT_CUSPARSE_DENSE_H

/** \file
 *  Dense vectors and matrices of spk/compat/cusparse.h: descriptors over the caller's memory, nothing is copied. values
 *  may be NULL until an operation needs them and must be aligned to one element. Descriptors take
 *  the value types that cuSPARSE's take; spk computes with R_16F, R_16BF, R_32F, R_64F, C_32F and C_64F, and others are
 *  NOT_SUPPORTED in operations.
 */

#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Describes a vector of `size` contiguous elements. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* dnVecDescr, int64_t size, void* values,
                                             cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* dnVecDescr, int64_t size,
                                                  const void* values, cudaDataType valueType);
/** Frees the descriptor, not the values; NULL is fine. Since 0.1. */
SPK_API cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr);
/** Reads the description; no output may be NULL. Since 0.1. */
SPK_API cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t dnVecDescr, int64_t* size, void** values,
                                          cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t dnVecDescr, int64_t* size, const void** values,
                                               cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t dnVecDescr, void** values);
SPK_API cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t dnVecDescr, const void** values);
SPK_API cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t dnVecDescr, void* values);

/** Describes a matrix of rows x cols elements. ld is the distance, in elements, between columns (ORDER_COL, at least
 *  rows) or between rows (ORDER_ROW, at least cols). Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
                                             void* values, cudaDataType valueType, cusparseOrder_t order);
SPK_API cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* dnMatDescr, int64_t rows, int64_t cols,
                                                  int64_t ld, const void* values, cudaDataType valueType,
                                                  cusparseOrder_t order);
/** Frees the descriptor, not the values; NULL is fine. Since 0.1. */
SPK_API cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr);
/** Reads the description; no output may be NULL. Since 0.1. */
SPK_API cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t dnMatDescr, int64_t* rows, int64_t* cols, int64_t* ld,
                                          void** values, cudaDataType* type, cusparseOrder_t* order);
SPK_API cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t dnMatDescr, int64_t* rows, int64_t* cols,
                                               int64_t* ld, const void** values, cudaDataType* type,
                                               cusparseOrder_t* order);
SPK_API cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t dnMatDescr, void** values);
SPK_API cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t dnMatDescr, const void** values);
SPK_API cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t dnMatDescr, void* values);
/** Makes the matrix a batch: matrix b begins b * batchStride elements after the first; 0 shares one matrix.
 *  Errors   INVALID_VALUE batchCount < 1; for more than one matrix, a batchStride that is negative or too small. Since 0.1. */
SPK_API cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t dnMatDescr, int batchCount,
                                                      int64_t batchStride);
SPK_API cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t dnMatDescr, int* batchCount,
                                                      int64_t* batchStride);

#ifdef __cplusplus
}
#endif

#endif
