/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_PRODUCTS_H
#define SPK_COMPAT_CUSPARSE_PRODUCTS_H

/** \file
 *  SpMV, SpMM and SDDMM of spk/compat/cusparse.h, each as bufferSize, preprocess (optional) and execution.
 *
 *  What holds for all of them, beside spk/spk_ops.h
 *  Types    16-bit inputs are summed in float: computeType CUDA_R_32F, output of the inputs' type or float. Otherwise
 *           all of one type. alpha and beta point to one value of computeType. Combinations with 8-bit integers, and
 *           16-bit sums, are NOT_SUPPORTED.
 *  Buffer   bufferSize reads no array, launches nothing, and writes the size (bytes) for every handle, 0 on failure. externalBuffer
 *           has at least that many bytes, of any alignment; it may be NULL only if the size is 0 (else INVALID_VALUE).
 *  Preprocess  looks at the matrix's offsets and indices and keeps what pays (an spk plan), with the matrix, for this
 *           externalBuffer. Until the arrays are set anew or the batch changes, executions with this buffer and the same
 *           options, types and shapes use it: alpha, beta, values and dense matrices may change, indices may not. Other
 *           executions are legal and do without. A matrix keeps one preparation at a time, a second one replaces it.
 *           Where nothing can be prepared (under stream capture, say) the call succeeds and nothing is kept.
 *  Errors   INVALID_VALUE sizes, batch counts or types of descriptors that disagree, a NULL array with elements, an
 *           output that overlaps an input, index arrays that contradict themselves (as far as looked at);
 *           NOT_SUPPORTED a matrix with a fill mode or diagonal type, or no kernel.
 */

#include <spk/compat/cusparse/names.h>
#include <spk/compat/cusparse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** y = alpha * op(A) * x + beta * y, with A sparse of any format. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                      cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void* beta,
                                      cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t alg,
                                      void* externalBuffer);
SPK_API cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                                 cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                                 const void* beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                                 cusparseSpMVAlg_t alg, size_t* bufferSize);
SPK_API cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                                 cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                                 const void* beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                                 cusparseSpMVAlg_t alg, void* externalBuffer);

/** C = alpha * op(A) * op(B) + beta * C, with A sparse of any format, B and C dense of any orders. C has the batch, A and
 *  B have its count or 1. Since 0.1. */
SPK_API cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                      const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                      const void* beta, cusparseDnMatDescr_t matC, cudaDataType computeType,
                                      cusparseSpMMAlg_t alg, void* externalBuffer);
SPK_API cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                                 cusparseOperation_t opB, const void* alpha,
                                                 cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                 const void* beta, cusparseDnMatDescr_t matC, cudaDataType computeType,
                                                 cusparseSpMMAlg_t alg, size_t* bufferSize);
SPK_API cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                                 cusparseOperation_t opB, const void* alpha,
                                                 cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                 const void* beta, cusparseDnMatDescr_t matC, cudaDataType computeType,
                                                 cusparseSpMMAlg_t alg, void* externalBuffer);

/** values(C) = alpha * (op(A) * op(B)) at the stored places of C + beta * values(C), with A and B dense, C sparse (CSR or
 *  BSR). Since 0.1. */
SPK_API cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                       const void* alpha, cusparseConstDnMatDescr_t matA,
                                       cusparseConstDnMatDescr_t matB, const void* beta, cusparseSpMatDescr_t matC,
                                       cudaDataType computeType, cusparseSDDMMAlg_t alg, void* externalBuffer);
SPK_API cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                                  cusparseOperation_t opB, const void* alpha,
                                                  cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                  const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType,
                                                  cusparseSDDMMAlg_t alg, size_t* bufferSize);
SPK_API cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                                  cusparseOperation_t opB, const void* alpha,
                                                  cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                  const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType,
                                                  cusparseSDDMMAlg_t alg, void* externalBuffer);

#ifdef __cplusplus
}
#endif

#endif
