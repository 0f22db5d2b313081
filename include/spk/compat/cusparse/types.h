/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_COMPAT_CUSPARSE_TYPES_H
#define SPK_COMPAT_CUSPARSE_TYPES_H

/** \file
 *  Version, enumerations and descriptor types of cuSPARSE, with its numbers and its struct tags. Part of
 *  spk/compat/cusparse.h.
 */

#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* cuSPARSE's own header brings these two along, and programs rely on it. */
#if defined(__has_include)
#if __has_include(<cuComplex.h>)
#include <cuComplex.h>
#endif
#if defined(__cplusplus) && __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#endif
#endif

#include <spk/spk_types.h>

/** The version of cuSPARSE whose interface this is: programs decide by it what they may call. spk's own version is
 *  SPK_VERSION, and at run time spk_cusparseGetSpkVersion. Since 0.1. */
#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 6
#define CUSPARSE_VER_PATCH 3
#define CUSPARSE_VER_BUILD 0
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)

#if !defined(CUSPARSEAPI)
#define CUSPARSEAPI
#endif

/* Of fixed type where the language has that, so that a number that is not listed can be answered with INVALID_VALUE. */
#ifdef __cplusplus
#define SPK_CUSPARSE_INT : int
#else
#define SPK_CUSPARSE_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a call answers. Since 0.1. */
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,           /**< cusparseCreate: the backend asked for cannot run here */
  CUSPARSE_STATUS_ALLOC_FAILED = 2,              /**< out of host or device memory */
  CUSPARSE_STATUS_INVALID_VALUE = 3,             /**< an argument, or the content of an index array, is wrong */
  CUSPARSE_STATUS_ARCH_MISMATCH = 4,             /**< no code for this device */
  CUSPARSE_STATUS_MAPPING_ERROR = 5,             /**< not used */
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,          /**< the device reported a fault */
  CUSPARSE_STATUS_INTERNAL_ERROR = 7,            /**< a fault of spk, also a result that SPK_CHECK=1 found wrong */
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8, /**< not used */
  CUSPARSE_STATUS_ZERO_PIVOT = 9,                /**< not used */
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,            /**< legal, but no kernel takes it */
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11    /**< the device lacks registers, shared memory or threads */
} cusparseStatus_t;

/** Where alpha, beta and results that are scalars lie. Since 0.1. */
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_POINTER_MODE_HOST = 0,
  CUSPARSE_POINTER_MODE_DEVICE = 1
} cusparsePointerMode_t;

/** Whether values are converted along with the indices. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;

/** Kind of a legacy matrix. Since 0.1. */
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_MATRIX_TYPE_GENERAL = 0,
  CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
  CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
  CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;

/** Which triangle is stored. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;

/** Whether the diagonal is taken as ones. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;

/** First index of rows and columns, also in offsets. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;

/** What is done to an operand before the operation. Since 0.1. */
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
  CUSPARSE_OPERATION_TRANSPOSE = 1,
  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;

/** Order of blocks' entries in the legacy API. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;

/** Method of cusparseCsr2cscEx2. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1 } cusparseCsr2CscAlg_t;

/** Sparse storage format. Since 0.1. */
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_FORMAT_CSR = 1,
  CUSPARSE_FORMAT_CSC = 2,
  CUSPARSE_FORMAT_COO = 3,
  CUSPARSE_FORMAT_BLOCKED_ELL = 5,
  CUSPARSE_FORMAT_BSR = 6,
  CUSPARSE_FORMAT_SLICED_ELLPACK = 7
} cusparseFormat_t;

/** Order of a dense matrix in memory, or of the entries inside a block. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;

/** Type of offsets and indices. 16U is not supported by any function. Since 0.1. */
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_INDEX_16U = 1,
  CUSPARSE_INDEX_32I = 2,
  CUSPARSE_INDEX_64I = 3
} cusparseIndexType_t;

/** Attributes of a sparse matrix. Since 0.1. */
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_SPMAT_FILL_MODE = 0, /**< data is a cusparseFillMode_t */
  CUSPARSE_SPMAT_DIAG_TYPE = 1  /**< data is a cusparseDiagType_t */
} cusparseSpMatAttribute_t;

/** Methods. A method of another format than the matrix's is NOT_SUPPORTED; otherwise spk chooses the kernel itself and
 *  its results repeat bit for bit with every one of them. Since 0.1. */
typedef enum SPK_CUSPARSE_INT { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum SPK_CUSPARSE_INT { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_SPMV_ALG_DEFAULT = 0,
  CUSPARSE_SPMV_COO_ALG1 = 1,
  CUSPARSE_SPMV_CSR_ALG1 = 2,
  CUSPARSE_SPMV_CSR_ALG2 = 3,
  CUSPARSE_SPMV_COO_ALG2 = 4,
  CUSPARSE_SPMV_SELL_ALG1 = 5,
  CUSPARSE_SPMV_BSR_ALG1 = 6
} cusparseSpMVAlg_t;
typedef enum SPK_CUSPARSE_INT {
  CUSPARSE_SPMM_ALG_DEFAULT = 0,
  CUSPARSE_SPMM_COO_ALG1 = 1,
  CUSPARSE_SPMM_COO_ALG2 = 2,
  CUSPARSE_SPMM_COO_ALG3 = 3,
  CUSPARSE_SPMM_CSR_ALG1 = 4,
  CUSPARSE_SPMM_COO_ALG4 = 5,
  CUSPARSE_SPMM_CSR_ALG2 = 6,
  CUSPARSE_SPMM_CSR_ALG3 = 12,
  CUSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13,
  CUSPARSE_SPMM_BSR_ALG1 = 14
} cusparseSpMMAlg_t;
typedef enum SPK_CUSPARSE_INT { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;

/** Library state of one thread. Opaque. Since 0.1. */
struct cusparseContext;
typedef struct cusparseContext* cusparseHandle_t;

/** Legacy matrix descriptor: kind, triangle, diagonal and index base. Opaque. Since 0.1. */
struct cusparseMatDescr;
typedef struct cusparseMatDescr* cusparseMatDescr_t;

/** Sparse and dense matrices and vectors: sizes, types and the caller's pointers. Opaque. A const descriptor is the
 *  same object; the pointer to const says that nothing will be written through it. Since 0.1. */
struct cusparseSpVecDescr;
struct cusparseDnVecDescr;
struct cusparseSpMatDescr;
struct cusparseDnMatDescr;
typedef struct cusparseSpVecDescr* cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr* cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr* cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr* cusparseDnMatDescr_t;
typedef const struct cusparseSpVecDescr* cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr* cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr* cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr* cusparseConstDnMatDescr_t;

/** Receives log lines: level of the line's kind (see cusparseLoggerSetLevel), function, text. Since 0.1. */
typedef void (*cusparseLoggerCallback_t)(int logLevel, const char* functionName, const char* message);

#ifdef __cplusplus
}
#endif

#undef SPK_CUSPARSE_INT

#endif
