// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// The numbers of cuSPARSE 12.6.3. Compiled with spk's header and, where it is installed, with cuSPARSE's own.
#include <cusparse.h>

#include <type_traits>

static_assert(CUSPARSE_STATUS_SUCCESS == 0);
static_assert(CUSPARSE_STATUS_NOT_INITIALIZED == 1);
static_assert(CUSPARSE_STATUS_ALLOC_FAILED == 2);
static_assert(CUSPARSE_STATUS_INVALID_VALUE == 3);
static_assert(CUSPARSE_STATUS_ARCH_MISMATCH == 4);
static_assert(CUSPARSE_STATUS_MAPPING_ERROR == 5);
static_assert(CUSPARSE_STATUS_EXECUTION_FAILED == 6);
static_assert(CUSPARSE_STATUS_INTERNAL_ERROR == 7);
static_assert(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED == 8);
static_assert(CUSPARSE_STATUS_ZERO_PIVOT == 9);
static_assert(CUSPARSE_STATUS_NOT_SUPPORTED == 10);
static_assert(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES == 11);
static_assert(CUSPARSE_POINTER_MODE_HOST == 0);
static_assert(CUSPARSE_POINTER_MODE_DEVICE == 1);
static_assert(CUSPARSE_ACTION_SYMBOLIC == 0);
static_assert(CUSPARSE_ACTION_NUMERIC == 1);
static_assert(CUSPARSE_MATRIX_TYPE_GENERAL == 0);
static_assert(CUSPARSE_MATRIX_TYPE_SYMMETRIC == 1);
static_assert(CUSPARSE_MATRIX_TYPE_HERMITIAN == 2);
static_assert(CUSPARSE_MATRIX_TYPE_TRIANGULAR == 3);
static_assert(CUSPARSE_FILL_MODE_LOWER == 0);
static_assert(CUSPARSE_FILL_MODE_UPPER == 1);
static_assert(CUSPARSE_DIAG_TYPE_NON_UNIT == 0);
static_assert(CUSPARSE_DIAG_TYPE_UNIT == 1);
static_assert(CUSPARSE_INDEX_BASE_ZERO == 0);
static_assert(CUSPARSE_INDEX_BASE_ONE == 1);
static_assert(CUSPARSE_OPERATION_NON_TRANSPOSE == 0);
static_assert(CUSPARSE_OPERATION_TRANSPOSE == 1);
static_assert(CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE == 2);
static_assert(CUSPARSE_DIRECTION_ROW == 0);
static_assert(CUSPARSE_DIRECTION_COLUMN == 1);
static_assert(CUSPARSE_CSR2CSC_ALG_DEFAULT == 1);
static_assert(CUSPARSE_CSR2CSC_ALG1 == 1);
static_assert(CUSPARSE_FORMAT_CSR == 1);
static_assert(CUSPARSE_FORMAT_CSC == 2);
static_assert(CUSPARSE_FORMAT_COO == 3);
static_assert(CUSPARSE_FORMAT_BLOCKED_ELL == 5);
static_assert(CUSPARSE_FORMAT_BSR == 6);
static_assert(CUSPARSE_FORMAT_SLICED_ELLPACK == 7);
static_assert(CUSPARSE_ORDER_COL == 1);
static_assert(CUSPARSE_ORDER_ROW == 2);
static_assert(CUSPARSE_INDEX_16U == 1);
static_assert(CUSPARSE_INDEX_32I == 2);
static_assert(CUSPARSE_INDEX_64I == 3);
static_assert(CUSPARSE_SPMAT_FILL_MODE == 0);
static_assert(CUSPARSE_SPMAT_DIAG_TYPE == 1);
static_assert(CUSPARSE_SPARSETODENSE_ALG_DEFAULT == 0);
static_assert(CUSPARSE_DENSETOSPARSE_ALG_DEFAULT == 0);
static_assert(CUSPARSE_SPMV_ALG_DEFAULT == 0);
static_assert(CUSPARSE_SPMV_COO_ALG1 == 1);
static_assert(CUSPARSE_SPMV_CSR_ALG1 == 2);
static_assert(CUSPARSE_SPMV_CSR_ALG2 == 3);
static_assert(CUSPARSE_SPMV_COO_ALG2 == 4);
static_assert(CUSPARSE_SPMV_SELL_ALG1 == 5);
static_assert(CUSPARSE_SPMV_BSR_ALG1 == 6);
static_assert(CUSPARSE_SPMM_ALG_DEFAULT == 0);
static_assert(CUSPARSE_SPMM_COO_ALG1 == 1);
static_assert(CUSPARSE_SPMM_COO_ALG2 == 2);
static_assert(CUSPARSE_SPMM_COO_ALG3 == 3);
static_assert(CUSPARSE_SPMM_CSR_ALG1 == 4);
static_assert(CUSPARSE_SPMM_COO_ALG4 == 5);
static_assert(CUSPARSE_SPMM_CSR_ALG2 == 6);
static_assert(CUSPARSE_SPMM_CSR_ALG3 == 12);
static_assert(CUSPARSE_SPMM_BLOCKED_ELL_ALG1 == 13);
static_assert(CUSPARSE_SPMM_BSR_ALG1 == 14);
static_assert(CUSPARSE_SDDMM_ALG_DEFAULT == 0);
static_assert(CUSPARSE_VERSION == 12603);

// Every enumeration is as large as an int, and the descriptors are pointers to structs that programs may name.
static_assert(sizeof(cusparseStatus_t) == 4 && sizeof(cusparseOrder_t) == 4 && sizeof(cusparseSpMMAlg_t) == 4);
static_assert(std::is_same_v<cusparseHandle_t, struct cusparseContext*>);
static_assert(std::is_same_v<cusparseMatDescr_t, struct cusparseMatDescr*>);
static_assert(std::is_same_v<cusparseSpMatDescr_t, struct cusparseSpMatDescr*>);
static_assert(std::is_same_v<cusparseDnMatDescr_t, struct cusparseDnMatDescr*>);
static_assert(std::is_same_v<cusparseDnVecDescr_t, struct cusparseDnVecDescr*>);
static_assert(std::is_same_v<cusparseConstSpMatDescr_t, const struct cusparseSpMatDescr*>);
static_assert(std::is_same_v<cusparseConstDnMatDescr_t, const struct cusparseDnMatDescr*>);
static_assert(std::is_same_v<cusparseConstDnVecDescr_t, const struct cusparseDnVecDescr*>);
static_assert(std::is_same_v<cusparseSpVecDescr_t, struct cusparseSpVecDescr*>);
static_assert(std::is_same_v<cusparseConstSpVecDescr_t, const struct cusparseSpVecDescr*>);
