/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_LEGACY_H
#define SPK_COMPAT_CUSPARSE_LEGACY_H

/** \file
 *  The part of cuSPARSE's legacy API that spk can serve: matrix descriptors, compression of row indices, sorting. Indices
 *  are int; arrays lie where the handle computes; buffers as in products.h.
 */

#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A legacy descriptor: GENERAL, LOWER, NON_UNIT, base ZERO until set. Destroying NULL is fine. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descrA);
SPK_API cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA);
SPK_API cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descrA, cusparseMatrixType_t type);
SPK_API cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descrA, cusparseFillMode_t fillMode);
SPK_API cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descrA, cusparseDiagType_t diagType);
SPK_API cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descrA, cusparseIndexBase_t base);
/** Fields of a descriptor; what a new one has if it is NULL. Since 0.1. */
SPK_API cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descrA);
SPK_API cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descrA);
SPK_API cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descrA);
SPK_API cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descrA);

/** Offsets of m rows (m + 1 numbers) from nnz row indices in ascending order. Takes memory of the handle's, so not under
 *  stream capture. Since 0.1. */
SPK_API cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* cooRowInd, int nnz, int m,
                                          int* csrSortedRowPtr, cusparseIndexBase_t idxBase);

/** p[i] = i. Waits for the handle's stream. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p);

/** Sort in place, stable: COO by row, then column, or by column, then row; CSR columns inside rows; CSC rows inside
 *  columns. The numbers in P (of nnz; not NULL) are moved along: from the identity they become the permutation that
 *  cusparseGather applies to values. COO indices may count from 0 or 1. Since 0.1. */
SPK_API cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                        const int* cooRowsA, const int* cooColsA,
                                                        size_t* pBufferSizeInBytes);
SPK_API cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int* cooRowsA,
                                               int* cooColsA, int* P, void* pBuffer);
SPK_API cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int* cooRowsA,
                                                  int* cooColsA, int* P, void* pBuffer);
SPK_API cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                        const int* csrRowPtrA, const int* csrColIndA,
                                                        size_t* pBufferSizeInBytes);
SPK_API cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                          const cusparseMatDescr_t descrA, const int* csrRowPtrA, int* csrColIndA,
                                          int* P, void* pBuffer);
SPK_API cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                        const int* cscColPtrA, const int* cscRowIndA,
                                                        size_t* pBufferSizeInBytes);
SPK_API cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                          const cusparseMatDescr_t descrA, const int* cscColPtrA, int* cscRowIndA,
                                          int* P, void* pBuffer);

#ifdef __cplusplus
}
#endif

#endif
