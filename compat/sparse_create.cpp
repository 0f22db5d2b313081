// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// The create functions of sparse matrices. The plain and the const form of one function make the same object.
#include "compat/sparse.hpp"

using namespace spk::compat;

// Body of a create function: the log's arguments, then what makes the object.
#define SPK_CREATE(call, make)      \
  (call).run([&] {                  \
    SPK_REQUIRE_PTR(spMatDescr);    \
    *spMatDescr = (make).release(); \
  })

extern "C" cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                              void* csrRowOffsets, void* csrColInd, void* csrValues,
                                              cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                                              cusparseIndexBase_t idxBase, cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, nnz, csrRowOffsets, csrColInd, csrValues, csrRowOffsetsType, csrColIndType,
               idxBase, valueType),
      make_compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz,
                      {csrRowOffsets, csrColInd, csrValues, csrRowOffsetsType, csrColIndType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                   int64_t nnz, const void* csrRowOffsets, const void* csrColInd,
                                                   const void* csrValues, cusparseIndexType_t csrRowOffsetsType,
                                                   cusparseIndexType_t csrColIndType, cusparseIndexBase_t idxBase,
                                                   cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, nnz, csrRowOffsets, csrColInd, csrValues, csrRowOffsetsType, csrColIndType,
               idxBase, valueType),
      make_compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz,
                      {csrRowOffsets, csrColInd, csrValues, csrRowOffsetsType, csrColIndType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                              void* cscColOffsets, void* cscRowInd, void* cscValues,
                                              cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                                              cusparseIndexBase_t idxBase, cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, nnz, cscColOffsets, cscRowInd, cscValues, cscColOffsetsType, cscRowIndType,
               idxBase, valueType),
      make_compressed(CUSPARSE_FORMAT_CSC, rows, cols, nnz,
                      {cscColOffsets, cscRowInd, cscValues, cscColOffsetsType, cscRowIndType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                   int64_t nnz, const void* cscColOffsets, const void* cscRowInd,
                                                   const void* cscValues, cusparseIndexType_t cscColOffsetsType,
                                                   cusparseIndexType_t cscRowIndType, cusparseIndexBase_t idxBase,
                                                   cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, nnz, cscColOffsets, cscRowInd, cscValues, cscColOffsetsType, cscRowIndType,
               idxBase, valueType),
      make_compressed(CUSPARSE_FORMAT_CSC, rows, cols, nnz,
                      {cscColOffsets, cscRowInd, cscValues, cscColOffsetsType, cscRowIndType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                              void* cooRowInd, void* cooColInd, void* cooValues,
                                              cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                                              cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, nnz, cooRowInd, cooColInd, cooValues, cooIdxType, idxBase, valueType),
      make_coo(rows, cols, nnz, {cooRowInd, cooColInd, cooValues, cooIdxType, cooIdxType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                   int64_t nnz, const void* cooRowInd, const void* cooColInd,
                                                   const void* cooValues, cusparseIndexType_t cooIdxType,
                                                   cusparseIndexBase_t idxBase, cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, nnz, cooRowInd, cooColInd, cooValues, cooIdxType, idxBase, valueType),
      make_coo(rows, cols, nnz, {cooRowInd, cooColInd, cooValues, cooIdxType, cooIdxType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t* spMatDescr, int64_t brows, int64_t bcols,
                                              int64_t bnnz, int64_t rowBlockSize, int64_t colBlockSize,
                                              void* bsrRowOffsets, void* bsrColInd, void* bsrValues,
                                              cusparseIndexType_t bsrRowOffsetsType, cusparseIndexType_t bsrColIndType,
                                              cusparseIndexBase_t idxBase, cudaDataType valueType,
                                              cusparseOrder_t order) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, brows, bcols, bnnz, rowBlockSize, colBlockSize, bsrRowOffsets, bsrColInd, bsrValues,
               bsrRowOffsetsType, bsrColIndType, idxBase, valueType, order),
      make_bsr(brows, bcols, bnnz, rowBlockSize, colBlockSize,
               {bsrRowOffsets, bsrColInd, bsrValues, bsrRowOffsetsType, bsrColIndType, idxBase, valueType}, order));
}

extern "C" cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t* spMatDescr, int64_t brows, int64_t bcols,
                                                   int64_t bnnz, int64_t rowBlockDim, int64_t colBlockDim,
                                                   const void* bsrRowOffsets, const void* bsrColInd,
                                                   const void* bsrValues, cusparseIndexType_t bsrRowOffsetsType,
                                                   cusparseIndexType_t bsrColIndType, cusparseIndexBase_t idxBase,
                                                   cudaDataType valueType, cusparseOrder_t order) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, brows, bcols, bnnz, rowBlockDim, colBlockDim, bsrRowOffsets, bsrColInd, bsrValues,
               bsrRowOffsetsType, bsrColIndType, idxBase, valueType, order),
      make_bsr(brows, bcols, bnnz, rowBlockDim, colBlockDim,
               {bsrRowOffsets, bsrColInd, bsrValues, bsrRowOffsetsType, bsrColIndType, idxBase, valueType}, order));
}

extern "C" cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                     int64_t ellBlockSize, int64_t ellCols, void* ellColInd,
                                                     void* ellValue, cusparseIndexType_t ellIdxType,
                                                     cusparseIndexBase_t idxBase, cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, ellBlockSize, ellCols, ellColInd, ellValue, ellIdxType, idxBase, valueType),
      make_blocked_ell(rows, cols, ellBlockSize, ellCols,
                       {nullptr, ellColInd, ellValue, ellIdxType, ellIdxType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows,
                                                          int64_t cols, int64_t ellBlockSize, int64_t ellCols,
                                                          const void* ellColInd, const void* ellValue,
                                                          cusparseIndexType_t ellIdxType, cusparseIndexBase_t idxBase,
                                                          cudaDataType valueType) {
  return SPK_CREATE(
      SPK_CALL(spMatDescr, rows, cols, ellBlockSize, ellCols, ellColInd, ellValue, ellIdxType, idxBase, valueType),
      make_blocked_ell(rows, cols, ellBlockSize, ellCols,
                       {nullptr, ellColInd, ellValue, ellIdxType, ellIdxType, idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                                    int64_t nnz, int64_t sellValuesSize, int64_t sliceSize,
                                                    void* sellSliceOffsets, void* sellColInd, void* sellValues,
                                                    cusparseIndexType_t sellSliceOffsetsType,
                                                    cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                                                    cudaDataType valueType) {
  return SPK_CREATE(SPK_CALL(spMatDescr, rows, cols, nnz, sellValuesSize, sliceSize, sellSliceOffsets, sellColInd,
                             sellValues, sellSliceOffsetsType, sellColIndType, idxBase, valueType),
                    make_sliced_ell(rows, cols, nnz, sellValuesSize, sliceSize,
                                    {sellSliceOffsets, sellColInd, sellValues, sellSliceOffsetsType, sellColIndType,
                                     idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows,
                                                         int64_t cols, int64_t nnz, int64_t sellValuesSize,
                                                         int64_t sliceSize, const void* sellSliceOffsets,
                                                         const void* sellColInd, const void* sellValues,
                                                         cusparseIndexType_t sellSliceOffsetsType,
                                                         cusparseIndexType_t sellColIndType,
                                                         cusparseIndexBase_t idxBase, cudaDataType valueType) {
  return SPK_CREATE(SPK_CALL(spMatDescr, rows, cols, nnz, sellValuesSize, sliceSize, sellSliceOffsets, sellColInd,
                             sellValues, sellSliceOffsetsType, sellColIndType, idxBase, valueType),
                    make_sliced_ell(rows, cols, nnz, sellValuesSize, sliceSize,
                                    {sellSliceOffsets, sellColInd, sellValues, sellSliceOffsetsType, sellColIndType,
                                     idxBase, valueType}));
}

extern "C" cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr) {
  return SPK_CALL(spMatDescr).run([&] { destroy(spMatDescr, "spMatDescr"); });
}
