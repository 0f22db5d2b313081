/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_CONVERT_H
#define SPK_COMPAT_CUSPARSE_CONVERT_H

/** \file
 *  Conversions of spk/compat/cusparse.h. Values, results and errors as spk/spk_convert.h, buffers as products.h; a batch
 *  is NOT_SUPPORTED.
 */

#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Dense from sparse: every place of matB inside rows x cols is written; repeated entries add up. Formats: CSR, CSC, COO,
 *  BSR, Blocked-ELL. Since 0.1. */
SPK_API cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                                          cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                                          size_t* bufferSize);
SPK_API cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                               cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                               void* externalBuffer);

/** Sparse from dense. Create matB with its offsets (CSR, CSC, BSR) and nnz 0; analysis counts, fills the offsets and sets
 *  nnz (cusparseSpMatGetSize); set the pointers to arrays of this size; convert fills them. A Blocked-ELL matB is created
 *  with its block columns; analysis leaves it as it is, and convert gathers the values of these blocks. Since 0.1. */
SPK_API cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                          cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                          size_t* bufferSize);
SPK_API cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                        cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                        void* externalBuffer);
SPK_API cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                       cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                       void* externalBuffer);

/** CSR to CSC (which is the transpose's CSR): m x n, nnz entries. copyValues = SYMBOLIC converts the structure alone, and
 *  csrVal and cscVal may be NULL. Since 0.1. */
SPK_API cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                                            const int* csrRowPtr, const int* csrColInd, void* cscVal, int* cscColPtr,
                                            int* cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
                                            cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg, void* buffer);
SPK_API cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                                       const void* csrVal, const int* csrRowPtr, const int* csrColInd,
                                                       void* cscVal, int* cscColPtr, int* cscRowInd,
                                                       cudaDataType valType, cusparseAction_t copyValues,
                                                       cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg,
                                                       size_t* bufferSize);

#ifdef __cplusplus
}
#endif

#endif
