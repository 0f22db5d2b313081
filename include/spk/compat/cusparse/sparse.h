/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_SPARSE_H
#define SPK_COMPAT_CUSPARSE_SPARSE_H

/** \file
 *  Sparse matrices of spk/compat/cusparse.h: descriptors over the caller's arrays, nothing is copied. Sizes and strides
 *  count elements. Arrays may be NULL until an operation needs them and must be aligned to one element.
 *
 *  Common errors of the create functions: INVALID_VALUE a negative size, nnz > rows * cols, a misaligned array, a size
 *  plus the index base that does not fit its index type; NOT_SUPPORTED offsets and indices of different width. Operations refuse
 *  CUSPARSE_INDEX_16U.
 */

#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Frees the descriptor, not the arrays; NULL is fine. Since 0.1. */
SPK_API cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr);

/** Reads one property, of every format. Sizes are in elements also for block formats; nnz of Blocked-ELL is, as in
 *  cuSPARSE, rows * cols * ellBlockSize. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t spMatDescr, cusparseFormat_t* format);
SPK_API cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t spMatDescr, cusparseIndexBase_t* idxBase);
SPK_API cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t spMatDescr, void** values);
SPK_API cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t spMatDescr, const void** values);
SPK_API cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                              int64_t* nnz);
/** Points the descriptor at other values; what preprocess has prepared stays valid. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t spMatDescr, void* values);

/** Makes the matrix a batch of matrices with the same sizes; stride 0 shares the array between all.
 *  Errors   INVALID_VALUE another format (Csr: neither CSR nor CSC), batchCount < 1, 0 != stride < elements of one matrix's array. Since 0.1. */
SPK_API cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                                    int64_t batchStride);
SPK_API cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                                    int64_t offsetsBatchStride, int64_t columnsValuesBatchStride);
SPK_API cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                                    int64_t offsetsBatchStride, int64_t columnsBatchStride,
                                                    int64_t ValuesBatchStride);
/** Number of matrices, 1 unless set. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t spMatDescr, int* batchCount);

/** Says that only a triangle of the matrix counts, or what its diagonal is. Products refuse a matrix with an attribute
 *  (NOT_SUPPORTED).
 *  Errors   INVALID_VALUE dataSize is not the size of the attribute's type. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
                                                   void* data, size_t dataSize);
SPK_API cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr,
                                                   cusparseSpMatAttribute_t attribute, void* data, size_t dataSize);

/** Compressed sparse rows: offsets rows + 1, columns and values nnz. Entries of a row in any order, repeats add up.
 *  Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                           void* csrRowOffsets, void* csrColInd, void* csrValues,
                                           cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                                           cusparseIndexBase_t idxBase, cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                int64_t nnz, const void* csrRowOffsets, const void* csrColInd,
                                                const void* csrValues, cusparseIndexType_t csrRowOffsetsType,
                                                cusparseIndexType_t csrColIndType, cusparseIndexBase_t idxBase,
                                                cudaDataType valueType);
/** Compressed sparse columns: offsets cols + 1, rows and values nnz. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                           void* cscColOffsets, void* cscRowInd, void* cscValues,
                                           cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                                           cusparseIndexBase_t idxBase, cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                int64_t nnz, const void* cscColOffsets, const void* cscRowInd,
                                                const void* cscValues, cusparseIndexType_t cscColOffsetsType,
                                                cusparseIndexType_t cscRowIndType, cusparseIndexBase_t idxBase,
                                                cudaDataType valueType);
/** Reads the description of a matrix of the function's format; no output may be NULL. Since 0.1. */
SPK_API cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                                        void** csrRowOffsets, void** csrColInd, void** csrValues,
                                        cusparseIndexType_t* csrRowOffsetsType, cusparseIndexType_t* csrColIndType,
                                        cusparseIndexBase_t* idxBase, cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                             int64_t* nnz, const void** csrRowOffsets, const void** csrColInd,
                                             const void** csrValues, cusparseIndexType_t* csrRowOffsetsType,
                                             cusparseIndexType_t* csrColIndType, cusparseIndexBase_t* idxBase,
                                             cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                                        void** cscColOffsets, void** cscRowInd, void** cscValues,
                                        cusparseIndexType_t* cscColOffsetsType, cusparseIndexType_t* cscRowIndType,
                                        cusparseIndexBase_t* idxBase, cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                             int64_t* nnz, const void** cscColOffsets, const void** cscRowInd,
                                             const void** cscValues, cusparseIndexType_t* cscColOffsetsType,
                                             cusparseIndexType_t* cscRowIndType, cusparseIndexBase_t* idxBase,
                                             cudaDataType* valueType);
/** Points the descriptor at other arrays of the same sizes and forgets what preprocess has prepared. Since 0.1. */
SPK_API cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void* csrRowOffsets, void* csrColInd,
                                                void* csrValues);
SPK_API cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void* cscColOffsets, void* cscRowInd,
                                                void* cscValues);

/** Block CSR with square blocks of rowBlockSize = colBlockSize elements a side; order is that of a block's entries.
 *  offsets brows + 1, columns bnnz (both count blocks), values bnnz * rowBlockSize * colBlockSize. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t* spMatDescr, int64_t brows, int64_t bcols, int64_t bnnz,
                                           int64_t rowBlockSize, int64_t colBlockSize, void* bsrRowOffsets,
                                           void* bsrColInd, void* bsrValues, cusparseIndexType_t bsrRowOffsetsType,
                                           cusparseIndexType_t bsrColIndType, cusparseIndexBase_t idxBase,
                                           cudaDataType valueType, cusparseOrder_t order);
SPK_API cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t* spMatDescr, int64_t brows, int64_t bcols,
                                                int64_t bnnz, int64_t rowBlockDim, int64_t colBlockDim,
                                                const void* bsrRowOffsets, const void* bsrColInd, const void* bsrValues,
                                                cusparseIndexType_t bsrRowOffsetsType,
                                                cusparseIndexType_t bsrColIndType, cusparseIndexBase_t idxBase,
                                                cudaDataType valueType, cusparseOrder_t order);

/** Coordinates: rows, columns and values nnz each. spk takes any order of entries. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                           void* cooRowInd, void* cooColInd, void* cooValues,
                                           cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                                           cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                int64_t nnz, const void* cooRowInd, const void* cooColInd,
                                                const void* cooValues, cusparseIndexType_t cooIdxType,
                                                cusparseIndexBase_t idxBase, cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                                        void** cooRowInd, void** cooColInd, void** cooValues,
                                        cusparseIndexType_t* idxType, cusparseIndexBase_t* idxBase,
                                        cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                             int64_t* nnz, const void** cooRowInd, const void** cooColInd,
                                             const void** cooValues, cusparseIndexType_t* idxType,
                                             cusparseIndexBase_t* idxBase, cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void* cooRows, void* cooColumns,
                                                void* cooValues);

/** Blocked ELLPACK: every block row has ellCols / ellBlockSize slots; ellColInd is row-major, -1 for an unused slot;
 *  ellValue is row-major, rows x ellCols. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                  int64_t ellBlockSize, int64_t ellCols, void* ellColInd,
                                                  void* ellValue, cusparseIndexType_t ellIdxType,
                                                  cusparseIndexBase_t idxBase, cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows,
                                                       int64_t cols, int64_t ellBlockSize, int64_t ellCols,
                                                       const void* ellColInd, const void* ellValue,
                                                       cusparseIndexType_t ellIdxType, cusparseIndexBase_t idxBase,
                                                       cudaDataType valueType);
SPK_API cusparseStatus_t cusparseBlockedEllGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                               int64_t* ellBlockSize, int64_t* ellCols, void** ellColInd,
                                               void** ellValue, cusparseIndexType_t* ellIdxType,
                                               cusparseIndexBase_t* idxBase, cudaDataType* valueType);
SPK_API cusparseStatus_t cusparseConstBlockedEllGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                                    int64_t* ellBlockSize, int64_t* ellCols, const void** ellColInd,
                                                    const void** ellValue, cusparseIndexType_t* ellIdxType,
                                                    cusparseIndexBase_t* idxBase, cudaDataType* valueType);

/** Sliced ELLPACK: slices of sliceSize rows, each stored column after column as wide as its longest row; sellColInd is -1
 *  for an unused slot. sellSliceOffsets has an element for every slice and one more; sellColInd and sellValues have
 *  sellValuesSize, of which nnz are entries. SpMV and SpMM take it; its arrays cannot be read back or set anew.
 *  Errors   INVALID_VALUE also sellValuesSize < nnz; nnz is not held against rows * cols. Since 0.1. */
SPK_API cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                 int64_t nnz, int64_t sellValuesSize, int64_t sliceSize,
                                                 void* sellSliceOffsets, void* sellColInd, void* sellValues,
                                                 cusparseIndexType_t sellSliceOffsetsType,
                                                 cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                                                 cudaDataType valueType);
SPK_API cusparseStatus_t cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                      int64_t nnz, int64_t sellValuesSize, int64_t sliceSize,
                                                      const void* sellSliceOffsets, const void* sellColInd,
                                                      const void* sellValues, cusparseIndexType_t sellSliceOffsetsType,
                                                      cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                                                      cudaDataType valueType);

#ifdef __cplusplus
}
#endif

#endif
