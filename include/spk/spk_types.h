/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_TYPES_H
#define SPK_TYPES_H

/** \file
 *  Types, enumerators and the version: what every other header of spk needs.
 *
 *  Every enumeration is an int32_t with written-out values, so that C, Fortran, Julia and Python see the same
 *  numbers. Where cuSPARSE (CUDA 13.0) or cudaDataType has the same notion, the number is theirs; additions of spk
 *  start at 256 (status codes at 100). A number that is not listed is answered with SPK_STATUS_INVALID_VALUE.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(SPK_STATIC)
#define SPK_API
#elif defined(_WIN32) && defined(SPK_BUILDING)
#define SPK_API __declspec(dllexport)
#elif defined(_WIN32)
#define SPK_API __declspec(dllimport)
#else
#define SPK_API __attribute__((visibility("default")))
#endif

#define SPK_VERSION_MAJOR 0
#define SPK_VERSION_MINOR 1
#define SPK_VERSION_PATCH 0
#define SPK_VERSION (SPK_VERSION_MAJOR * 10000 + SPK_VERSION_MINOR * 100 + SPK_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/** What a call answers. 0-11 equal cusparseStatus_t; spk's own codes start at 100. Since 0.1. */
typedef int32_t spk_status_t;
enum {
  SPK_STATUS_SUCCESS = 0,
  SPK_STATUS_NOT_INITIALIZED = 1,           /**< the handle was never created or is already destroyed */
  SPK_STATUS_ALLOC_FAILED = 2,              /**< out of host or device memory; nothing was computed */
  SPK_STATUS_INVALID_VALUE = 3,             /**< an argument is wrong; the message names it and its value */
  SPK_STATUS_ARCH_MISMATCH = 4,             /**< no code for this device or processor */
  SPK_STATUS_MAPPING_ERROR = 5,             /**< reserved, as in cuSPARSE */
  SPK_STATUS_EXECUTION_FAILED = 6,          /**< the device reported a fault */
  SPK_STATUS_INTERNAL_ERROR = 7,            /**< a fault of spk, also a result that SPK_CHECK=1 found wrong */
  SPK_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8, /**< reserved, as in cuSPARSE */
  SPK_STATUS_ZERO_PIVOT = 9,                /**< reserved, as in cuSPARSE */
  SPK_STATUS_NOT_SUPPORTED = 10,            /**< legal, but no kernel takes it; the message lists each refusal */
  SPK_STATUS_INSUFFICIENT_RESOURCES = 11,   /**< the device lacks registers, shared memory or threads */
  SPK_STATUS_INVALID_STRUCTURE = 100,       /**< the stored arrays contradict each other (offsets, indices) */
  SPK_STATUS_WORKSPACE_TOO_SMALL = 101,     /**< workspace_bytes is below what the query answered */
  SPK_STATUS_BACKEND_UNAVAILABLE = 102,     /**< the backend asked for cannot run here; see spk_backend_info */
  SPK_STATUS_NOT_DETERMINISTIC = 103,       /**< the algorithm cannot promise repeatable bits */
  SPK_STATUS_PARSE_ERROR = 104,             /**< a file does not follow its format; the message has the line */
  SPK_STATUS_IO_ERROR = 105,                /**< a file cannot be opened, read or written */
  SPK_STATUS_INDEX_OVERFLOW = 106           /**< a size does not fit the index type, or bytes do not fit size_t */
};

/** Type of stored values and of scalars; numbers of cudaDataType. Since 0.1. */
typedef int32_t spk_value_type_t;
enum {
  SPK_R_32F = 0,  /**< float */
  SPK_R_64F = 1,  /**< double */
  SPK_R_16F = 2,  /**< IEEE binary16 */
  SPK_C_32F = 4,  /**< float real part, then float imaginary part */
  SPK_C_64F = 5,  /**< double real part, then double imaginary part */
  SPK_R_16BF = 14 /**< bfloat16: the upper half of a float */
};

/** Type of the sums, of alpha and of beta: a value type, or one of the additions. 16-bit values accumulate in
 *  SPK_COMPUTE_32F. Since 0.1. */
typedef int32_t spk_compute_type_t;
enum {
  SPK_COMPUTE_32F = 0,
  SPK_COMPUTE_64F = 1,
  SPK_COMPUTE_C_32F = 4,
  SPK_COMPUTE_C_64F = 5,
  SPK_COMPUTE_TF32 = 256 /**< float scalars; products may be rounded to TF32. The CPU computes it as 32F */
};

/** Type of offsets and indices; numbers of cusparseIndexType_t. Since 0.1. */
typedef int32_t spk_index_type_t;
enum {
  SPK_INDEX_16U = 1, /**< inside plans only; descriptors refuse it */
  SPK_INDEX_32I = 2,
  SPK_INDEX_64I = 3
};

/** First index of rows and columns, also in offsets. Since 0.1. */
typedef int32_t spk_index_base_t;
enum { SPK_INDEX_BASE_ZERO = 0, SPK_INDEX_BASE_ONE = 1 };

/** Order of a dense matrix in memory, or of the entries inside a block; numbers of cusparseOrder_t. Since 0.1. */
typedef int32_t spk_order_t;
enum { SPK_ORDER_COL = 1, SPK_ORDER_ROW = 2 };

/** What is done to an operand before the product. For real types CONJUGATE_TRANSPOSE is TRANSPOSE. Since 0.1. */
typedef int32_t spk_operation_t;
enum { SPK_OP_N = 0, SPK_OP_T = 1, SPK_OP_C = 2 };

/** Sparse storage format; numbers of cusparseFormat_t. Since 0.1. */
typedef int32_t spk_format_t;
enum {
  SPK_FORMAT_CSR = 1,
  SPK_FORMAT_CSC = 2,
  SPK_FORMAT_COO = 3,
  SPK_FORMAT_BLOCKED_ELL = 5,
  SPK_FORMAT_BSR = 6,
  SPK_FORMAT_SELL = 7 /**< sliced ELLPACK */
};

/** Where alpha and beta are read, and the result of spk_spvv is written. On the CPU and reference backends both modes
 *  mean host memory. Since 0.1. */
typedef int32_t spk_pointer_mode_t;
enum { SPK_POINTER_MODE_HOST = 0, SPK_POINTER_MODE_DEVICE = 1 };

/** Who computes. AUTO takes CUDA where a device works and the CPU elsewhere. Since 0.1. */
typedef int32_t spk_backend_t;
enum {
  SPK_BACKEND_AUTO = 0,
  SPK_BACKEND_CPU = 1,
  SPK_BACKEND_CUDA = 2,
  SPK_BACKEND_REFERENCE = 3 /**< the oracle: plain serial loops, wider sums */
};

/** Algorithm of a product. The values below 256 are cuSPARSE's names for "any good kernel of this format"; spk gives
 *  the default kernel for them, provided that the matrix has the format of the name. Values from 256 on force one
 *  kernel by the id that SPK_LOG=dispatch and spk_query_support print. Since 0.1. */
typedef int32_t spk_algorithm_t;
enum {
  SPK_ALG_DEFAULT = 0,
  SPK_SPMM_COO_ALG1 = 1,
  SPK_SPMM_COO_ALG2 = 2,
  SPK_SPMM_COO_ALG3 = 3,
  SPK_SPMM_CSR_ALG1 = 4,
  SPK_SPMM_COO_ALG4 = 5,
  SPK_SPMM_CSR_ALG2 = 6,
  SPK_SPMM_CSR_ALG3 = 12,
  SPK_SPMM_BLOCKED_ELL_ALG1 = 13,
  SPK_SPMM_BSR_ALG1 = 14,
  SPK_SPMV_COO_ALG1 = 1,
  SPK_SPMV_CSR_ALG1 = 2,
  SPK_SPMV_CSR_ALG2 = 3,
  SPK_SPMV_COO_ALG2 = 4,
  SPK_SPMV_SELL_ALG1 = 5,
  SPK_SPMV_BSR_ALG1 = 6
};

/** Library state of one thread: backend, stream, threads, allocator. Opaque. Since 0.1. */
typedef struct spk_handle* spk_handle_t;
/** Sparse matrix descriptor: sizes, types and the caller's pointers. Opaque. Since 0.1. */
typedef struct spk_spmat* spk_spmat_t;
typedef const struct spk_spmat* spk_const_spmat_t;
/** Dense matrix descriptor. Opaque. Since 0.1. */
typedef struct spk_dnmat* spk_dnmat_t;
typedef const struct spk_dnmat* spk_const_dnmat_t;
/** Dense vector descriptor. Opaque. Since 0.1. */
typedef struct spk_dnvec* spk_dnvec_t;
typedef const struct spk_dnvec* spk_const_dnvec_t;
/** Sparse vector descriptor. Opaque. Since 0.1. */
typedef struct spk_spvec* spk_spvec_t;
typedef const struct spk_spvec* spk_const_spvec_t;
/** Prepared operation for a fixed sparsity structure. Opaque. Since 0.1. */
typedef struct spk_plan* spk_plan_t;
typedef const struct spk_plan* spk_const_plan_t;

#ifdef __cplusplus
}
#endif

#endif
