/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
/* The numbers that compiled programs hold: enumerators and the layout of structs on machines with 64-bit pointers. A
 * line here is never changed, only added (docs/adr/0001); a struct with a struct_size may grow at its end. */
#include <spk/spk.h>
#include <spk/spk_io.h>
#include <stdio.h>

static int faults;

static void require(const char* what, size_t got, size_t want) {
  if (got == want) return;
  fprintf(stderr, "%s is %lu but programs know it as %lu\n", what, (unsigned long)got, (unsigned long)want);
  ++faults;
}

#define NUMBER(name, value) require(#name, (size_t)(name), value)
#define SIZE(type, bytes) require("sizeof(" #type ")", sizeof(type), bytes)
#define PLACE(type, member, bytes) require("offset of " #type "." #member, offsetof(type, member), bytes)

static void enumerators(void) {
  NUMBER(SPK_STATUS_SUCCESS, 0);
  NUMBER(SPK_STATUS_NOT_INITIALIZED, 1);
  NUMBER(SPK_STATUS_ALLOC_FAILED, 2);
  NUMBER(SPK_STATUS_INVALID_VALUE, 3);
  NUMBER(SPK_STATUS_ARCH_MISMATCH, 4);
  NUMBER(SPK_STATUS_MAPPING_ERROR, 5);
  NUMBER(SPK_STATUS_EXECUTION_FAILED, 6);
  NUMBER(SPK_STATUS_INTERNAL_ERROR, 7);
  NUMBER(SPK_STATUS_MATRIX_TYPE_NOT_SUPPORTED, 8);
  NUMBER(SPK_STATUS_ZERO_PIVOT, 9);
  NUMBER(SPK_STATUS_NOT_SUPPORTED, 10);
  NUMBER(SPK_STATUS_INSUFFICIENT_RESOURCES, 11);
  NUMBER(SPK_STATUS_INVALID_STRUCTURE, 100);
  NUMBER(SPK_STATUS_WORKSPACE_TOO_SMALL, 101);
  NUMBER(SPK_STATUS_BACKEND_UNAVAILABLE, 102);
  NUMBER(SPK_STATUS_NOT_DETERMINISTIC, 103);
  NUMBER(SPK_STATUS_PARSE_ERROR, 104);
  NUMBER(SPK_STATUS_IO_ERROR, 105);
  NUMBER(SPK_STATUS_INDEX_OVERFLOW, 106);
  NUMBER(SPK_R_32F, 0);
  NUMBER(SPK_R_64F, 1);
  NUMBER(SPK_R_16F, 2);
  NUMBER(SPK_C_32F, 4);
  NUMBER(SPK_C_64F, 5);
  NUMBER(SPK_R_16BF, 14);
  NUMBER(SPK_COMPUTE_32F, 0);
  NUMBER(SPK_COMPUTE_64F, 1);
  NUMBER(SPK_COMPUTE_C_32F, 4);
  NUMBER(SPK_COMPUTE_C_64F, 5);
  NUMBER(SPK_COMPUTE_TF32, 256);
  NUMBER(SPK_INDEX_16U, 1);
  NUMBER(SPK_INDEX_32I, 2);
  NUMBER(SPK_INDEX_64I, 3);
  NUMBER(SPK_INDEX_BASE_ZERO, 0);
  NUMBER(SPK_INDEX_BASE_ONE, 1);
  NUMBER(SPK_ORDER_COL, 1);
  NUMBER(SPK_ORDER_ROW, 2);
  NUMBER(SPK_OP_N, 0);
  NUMBER(SPK_OP_T, 1);
  NUMBER(SPK_OP_C, 2);
  NUMBER(SPK_FORMAT_CSR, 1);
  NUMBER(SPK_FORMAT_CSC, 2);
  NUMBER(SPK_FORMAT_COO, 3);
  NUMBER(SPK_FORMAT_BLOCKED_ELL, 5);
  NUMBER(SPK_FORMAT_BSR, 6);
  NUMBER(SPK_POINTER_MODE_HOST, 0);
  NUMBER(SPK_POINTER_MODE_DEVICE, 1);
  NUMBER(SPK_BACKEND_AUTO, 0);
  NUMBER(SPK_BACKEND_CPU, 1);
  NUMBER(SPK_BACKEND_CUDA, 2);
  NUMBER(SPK_BACKEND_REFERENCE, 3);
  NUMBER(SPK_ALG_DEFAULT, 0);
  NUMBER(SPK_SPMM_COO_ALG1, 1);
  NUMBER(SPK_SPMM_COO_ALG2, 2);
  NUMBER(SPK_SPMM_COO_ALG3, 3);
  NUMBER(SPK_SPMM_CSR_ALG1, 4);
  NUMBER(SPK_SPMM_COO_ALG4, 5);
  NUMBER(SPK_SPMM_CSR_ALG2, 6);
  NUMBER(SPK_SPMM_CSR_ALG3, 12);
  NUMBER(SPK_SPMM_BLOCKED_ELL_ALG1, 13);
  NUMBER(SPK_SPMM_BSR_ALG1, 14);
  NUMBER(SPK_SPMV_COO_ALG1, 1);
  NUMBER(SPK_SPMV_CSR_ALG1, 2);
  NUMBER(SPK_SPMV_CSR_ALG2, 3);
  NUMBER(SPK_SPMV_COO_ALG2, 4);
  NUMBER(SPK_SPMV_BSR_ALG1, 6);
  NUMBER(SPK_FAULT_NONE, 0);
  NUMBER(SPK_FAULT_NULL_ARRAY, 1);
  NUMBER(SPK_FAULT_FIRST_OFFSET, 2);
  NUMBER(SPK_FAULT_OFFSET_DECREASES, 3);
  NUMBER(SPK_FAULT_LAST_OFFSET, 4);
  NUMBER(SPK_FAULT_ROW_INDEX, 5);
  NUMBER(SPK_FAULT_COL_INDEX, 6);
  NUMBER(SPK_ACTIVATION_NONE, 0);
  NUMBER(SPK_ACTIVATION_RELU, 1);
  NUMBER(SPK_ACTIVATION_GELU, 2);
  NUMBER(SPK_ACTIVATION_GELU_TANH, 3);
  NUMBER(SPK_BIAS_NONE, 0);
  NUMBER(SPK_BIAS_PER_ROW, 1);
  NUMBER(SPK_BIAS_PER_COL, 2);
  NUMBER(SPK_OPERATION_SPMM, 1);
  NUMBER(SPK_OPERATION_SPMV, 2);
  NUMBER(SPK_OPERATION_SDDMM, 3);
  NUMBER(SPK_OPERATION_SOFTMAX, 4);
  NUMBER(SPK_OPERATION_SOFTMAX_BACKWARD, 5);
  NUMBER(SPK_FORMAT_SELL, 7);
  NUMBER(SPK_SPMV_SELL_ALG1, 5);
  NUMBER(SPK_FAULT_SLICE_OFFSET, 7);
  NUMBER(SPK_OPERATION_AXPBY, 6);
  NUMBER(SPK_OPERATION_GATHER, 7);
  NUMBER(SPK_OPERATION_SCATTER, 8);
  NUMBER(SPK_OPERATION_ROT, 9);
  NUMBER(SPK_OPERATION_SPVV, 10);
  NUMBER(SPK_LOG_ERROR, 1);
  NUMBER(SPK_LOG_API, 2);
  NUMBER(SPK_LOG_DISPATCH, 4);
  NUMBER(SPK_LOG_CHECK, 8);
  NUMBER(SPK_IO_REAL, 0);
  NUMBER(SPK_IO_COMPLEX, 1);
  NUMBER(SPK_IO_INTEGER, 2);
  NUMBER(SPK_IO_PATTERN, 3);
  NUMBER(SPK_IO_GENERAL, 0);
  NUMBER(SPK_IO_SYMMETRIC, 1);
  NUMBER(SPK_IO_SKEW_SYMMETRIC, 2);
  NUMBER(SPK_IO_HERMITIAN, 3);
}

static void layouts(void) {
  SIZE(spk_allocator_t, 32);
  PLACE(spk_allocator_t, struct_size, 0);
  PLACE(spk_allocator_t, allocate, 8);
  PLACE(spk_allocator_t, deallocate, 16);
  PLACE(spk_allocator_t, user, 24);
  SIZE(spk_config_t, 24);
  PLACE(spk_config_t, struct_size, 0);
  PLACE(spk_config_t, backend, 4);
  PLACE(spk_config_t, num_threads, 8);
  PLACE(spk_config_t, device, 12);
  PLACE(spk_config_t, allocator, 16);
  SIZE(spk_backend_info_t, 32);
  PLACE(spk_backend_info_t, struct_size, 0);
  PLACE(spk_backend_info_t, backend, 4);
  PLACE(spk_backend_info_t, available, 8);
  PLACE(spk_backend_info_t, default_threads, 12);
  PLACE(spk_backend_info_t, name, 16);
  PLACE(spk_backend_info_t, detail, 24);
  SIZE(spk_check_report_t, 88);
  PLACE(spk_check_report_t, struct_size, 0);
  PLACE(spk_check_report_t, operation, 4);
  PLACE(spk_check_report_t, entries, 8);
  PLACE(spk_check_report_t, worst, 16);
  PLACE(spk_check_report_t, batch, 24);
  PLACE(spk_check_report_t, row, 32);
  PLACE(spk_check_report_t, col, 40);
  PLACE(spk_check_report_t, got, 48);
  PLACE(spk_check_report_t, want, 64);
  PLACE(spk_check_report_t, bound, 80);
  SIZE(spk_spmat_info_t, 144);
  PLACE(spk_spmat_info_t, struct_size, 0);
  PLACE(spk_spmat_info_t, format, 4);
  PLACE(spk_spmat_info_t, offset_type, 8);
  PLACE(spk_spmat_info_t, index_type, 12);
  PLACE(spk_spmat_info_t, index_base, 16);
  PLACE(spk_spmat_info_t, value_type, 20);
  PLACE(spk_spmat_info_t, block_order, 24);
  PLACE(spk_spmat_info_t, is_const, 28);
  PLACE(spk_spmat_info_t, rows, 32);
  PLACE(spk_spmat_info_t, cols, 40);
  PLACE(spk_spmat_info_t, nnz, 48);
  PLACE(spk_spmat_info_t, block_size, 56);
  PLACE(spk_spmat_info_t, nnzb, 64);
  PLACE(spk_spmat_info_t, ell_cols, 72);
  PLACE(spk_spmat_info_t, batch_count, 80);
  PLACE(spk_spmat_info_t, offsets_stride, 88);
  PLACE(spk_spmat_info_t, indices_stride, 96);
  PLACE(spk_spmat_info_t, values_stride, 104);
  PLACE(spk_spmat_info_t, offsets, 112);
  PLACE(spk_spmat_info_t, row_indices, 120);
  PLACE(spk_spmat_info_t, col_indices, 128);
  PLACE(spk_spmat_info_t, values, 136);
  SIZE(spk_validation_report_t, 88);
  PLACE(spk_validation_report_t, struct_size, 0);
  PLACE(spk_validation_report_t, fault, 4);
  PLACE(spk_validation_report_t, batch, 8);
  PLACE(spk_validation_report_t, position, 16);
  PLACE(spk_validation_report_t, value, 24);
  PLACE(spk_validation_report_t, bad_offsets, 32);
  PLACE(spk_validation_report_t, bad_indices, 40);
  PLACE(spk_validation_report_t, unsorted_rows, 48);
  PLACE(spk_validation_report_t, duplicates, 56);
  PLACE(spk_validation_report_t, empty_rows, 64);
  PLACE(spk_validation_report_t, nan_values, 72);
  PLACE(spk_validation_report_t, infinite_values, 80);
  SIZE(spk_epilogue_t, 32);
  PLACE(spk_epilogue_t, struct_size, 0);
  PLACE(spk_epilogue_t, activation, 4);
  PLACE(spk_epilogue_t, bias_kind, 8);
  PLACE(spk_epilogue_t, reserved, 12);
  PLACE(spk_epilogue_t, bias, 16);
  PLACE(spk_epilogue_t, residual, 24);
  SIZE(spk_support_query_t, 96);
  PLACE(spk_support_query_t, struct_size, 0);
  PLACE(spk_support_query_t, operation, 4);
  PLACE(spk_support_query_t, opA, 8);
  PLACE(spk_support_query_t, opB, 12);
  PLACE(spk_support_query_t, compute_type, 16);
  PLACE(spk_support_query_t, alg, 20);
  PLACE(spk_support_query_t, sparse, 24);
  PLACE(spk_support_query_t, dense_in, 32);
  PLACE(spk_support_query_t, dense_in2, 40);
  PLACE(spk_support_query_t, dense_out, 48);
  PLACE(spk_support_query_t, vec_in, 56);
  PLACE(spk_support_query_t, vec_out, 64);
  PLACE(spk_support_query_t, sparse_out, 72);
  PLACE(spk_support_query_t, epilogue, 80);
  PLACE(spk_support_query_t, spvec, 88);
  SIZE(spk_io_options_t, 16);
  PLACE(spk_io_options_t, struct_size, 0);
  PLACE(spk_io_options_t, index_type, 4);
  PLACE(spk_io_options_t, threads, 8);
  PLACE(spk_io_options_t, keep_stored_triangle, 12);
  SIZE(spk_io_info_t, 56);
  PLACE(spk_io_info_t, struct_size, 0);
  PLACE(spk_io_info_t, field, 4);
  PLACE(spk_io_info_t, symmetry, 8);
  PLACE(spk_io_info_t, is_array, 12);
  PLACE(spk_io_info_t, index_type, 16);
  PLACE(spk_io_info_t, is_row_ordered, 20);
  PLACE(spk_io_info_t, rows, 24);
  PLACE(spk_io_info_t, cols, 32);
  PLACE(spk_io_info_t, stored, 40);
  PLACE(spk_io_info_t, nnz, 48);
}

int main(void) {
  enumerators();
  if (sizeof(void*) == 8) layouts();
  return faults != 0;
}
