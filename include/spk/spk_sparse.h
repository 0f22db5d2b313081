/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_SPARSE_H
#define SPK_SPARSE_H

/** \file
 *  Sparse matrices: descriptors over the caller's arrays. Nothing is copied; the arrays must outlive their use.
 *
 *  Entries that are stored take part in every product, also when their value is 0; entries that are not stored never
 *  do. Entries of one row may come in any order and repeat (repeats add up); only the operations that say so ask for
 *  sorted entries. Creation checks sizes and types and reads no array; spk_spmat_validate reads everything.
 *
 *  Common errors of the create functions: INVALID_VALUE NULL out, negative size, nnz > rows * cols, unknown type or
 *  base, misaligned array; INDEX_OVERFLOW a size plus the index base does not fit its index type, or the bytes of an
 *  array do not fit in 63 bits; NOT_SUPPORTED SPK_INDEX_16U; ALLOC_FAILED. On failure *out is NULL. Arrays may be NULL
 *  at creation; an operation that needs one answers INVALID_VALUE.
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Compressed sparse rows: row_offsets (rows + 1, ascending, the first equal to index_base), col_indices and values
 *  (nnz each). The two index types may differ. Since 0.1. */
SPK_API spk_status_t spk_csr_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, void* row_offsets,
                                    void* col_indices, void* values, spk_index_type_t offset_type,
                                    spk_index_type_t index_type, spk_index_base_t index_base,
                                    spk_value_type_t value_type);
SPK_API spk_status_t spk_csr_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                          const void* row_offsets, const void* col_indices, const void* values,
                                          spk_index_type_t offset_type, spk_index_type_t index_type,
                                          spk_index_base_t index_base, spk_value_type_t value_type);

/** Compressed sparse columns: col_offsets (cols + 1), row_indices and values (nnz each). Since 0.1. */
SPK_API spk_status_t spk_csc_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, void* col_offsets,
                                    void* row_indices, void* values, spk_index_type_t offset_type,
                                    spk_index_type_t index_type, spk_index_base_t index_base,
                                    spk_value_type_t value_type);
SPK_API spk_status_t spk_csc_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                          const void* col_offsets, const void* row_indices, const void* values,
                                          spk_index_type_t offset_type, spk_index_type_t index_type,
                                          spk_index_base_t index_base, spk_value_type_t value_type);

/** Coordinates: row_indices, col_indices and values (nnz each), in any order. Since 0.1. */
SPK_API spk_status_t spk_coo_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, void* row_indices,
                                    void* col_indices, void* values, spk_index_type_t index_type,
                                    spk_index_base_t index_base, spk_value_type_t value_type);
SPK_API spk_status_t spk_coo_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                          const void* row_indices, const void* col_indices, const void* values,
                                          spk_index_type_t index_type, spk_index_base_t index_base,
                                          spk_value_type_t value_type);

/** Block CSR with square blocks: CSR of blocks (block_row_offsets: block_rows + 1, block_col_indices: nnzb), and the
 *  values of block after block, each block_size * block_size elements in `block_order`. The matrix has
 *  block_rows * block_size rows.
 *  \param row_block, col_block  edges of a block in elements; both are the block_size and must agree. Since 0.1. */
SPK_API spk_status_t spk_bsr_create(spk_spmat_t* out, int64_t block_rows, int64_t block_cols, int64_t nnzb,
                                    int64_t row_block, int64_t col_block, void* block_row_offsets,
                                    void* block_col_indices, void* values, spk_index_type_t offset_type,
                                    spk_index_type_t index_type, spk_index_base_t index_base,
                                    spk_value_type_t value_type, spk_order_t block_order);
SPK_API spk_status_t spk_bsr_create_const(spk_const_spmat_t* out, int64_t block_rows, int64_t block_cols, int64_t nnzb,
                                          int64_t row_block, int64_t col_block, const void* block_row_offsets,
                                          const void* block_col_indices, const void* values,
                                          spk_index_type_t offset_type, spk_index_type_t index_type,
                                          spk_index_base_t index_base, spk_value_type_t value_type,
                                          spk_order_t block_order);

/** Blocked ELLPACK: every block row has ell_cols / block_size slots. block_col_indices is a row-major array of
 *  (rows / block_size) x (ell_cols / block_size) block columns, -1 (whatever the base) for an unused slot; values is a
 *  row-major array of rows x ell_cols elements, of which those in unused slots are ignored. rows, cols and ell_cols
 *  are multiples of block_size. Since 0.1. */
SPK_API spk_status_t spk_blocked_ell_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t block_size,
                                            int64_t ell_cols, void* block_col_indices, void* values,
                                            spk_index_type_t index_type, spk_index_base_t index_base,
                                            spk_value_type_t value_type);
SPK_API spk_status_t spk_blocked_ell_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols,
                                                  int64_t block_size, int64_t ell_cols, const void* block_col_indices,
                                                  const void* values, spk_index_type_t index_type,
                                                  spk_index_base_t index_base, spk_value_type_t value_type);

/** Sliced ELLPACK (SELL): slices of slice_size rows, each as wide as its longest row. slice_offsets
 *  (ceil(rows / slice_size) + 1, ascending, the first equal to index_base) says where each slice begins in col_indices
 *  and values (values_size each); a slice of width w has slice_size * w slots, column after column, slice_size slots
 *  each: slot (r, j) of a slice stands at slice_size * j + r from its begin. The last slice is as tall as the others;
 *  slots of rows that the matrix does not have are ignored. col_indices holds -1 (whatever the base) for an unused
 *  slot, whose value is ignored.
 *  \param nnz          entries that are not padding; kept for spk_spmat_get_info, computed with nowhere
 *  \param values_size  slots of all slices: the last offset without the base; at least nnz
 *  Products take it; SDDMM, softmax, row slices and conversions answer NOT_SUPPORTED: there is no count of entries to
 *  size a result by without reading the arrays, and spk_dense_to_sparse makes CSR from the same dense matrix.
 *  Errors besides the common ones: INVALID_VALUE slice_size < 1, values_size < nnz. Since 0.1.
 *  Source: Monakov, Lokhmotov, Avetisyan, HiPEAC 2010, section 3; the layout is cusparseCreateSlicedEll's. */
SPK_API spk_status_t spk_sell_create(spk_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz, int64_t values_size,
                                     int64_t slice_size, void* slice_offsets, void* col_indices, void* values,
                                     spk_index_type_t offset_type, spk_index_type_t index_type,
                                     spk_index_base_t index_base, spk_value_type_t value_type);
SPK_API spk_status_t spk_sell_create_const(spk_const_spmat_t* out, int64_t rows, int64_t cols, int64_t nnz,
                                           int64_t values_size, int64_t slice_size, const void* slice_offsets,
                                           const void* col_indices, const void* values, spk_index_type_t offset_type,
                                           spk_index_type_t index_type, spk_index_base_t index_base,
                                           spk_value_type_t value_type);

/** Frees the descriptor, not the arrays; NULL is fine. Since 0.1. */
SPK_API void spk_spmat_destroy(spk_const_spmat_t mat);

/** Everything a descriptor holds. Zero-initialise and set struct_size before the call. Fields that the format does not
 *  have are 0 or NULL. Since 0.1. */
typedef struct spk_spmat_info {
  uint32_t struct_size;    /**< sizeof(spk_spmat_info) of the caller, in bytes */
  int32_t format;          /**< spk_format_t */
  int32_t offset_type;     /**< 0 for COO and Blocked-ELL */
  int32_t index_type;      /**< spk_index_type_t */
  int32_t index_base;      /**< spk_index_base_t */
  int32_t value_type;      /**< spk_value_type_t */
  int32_t block_order;     /**< BSR: order of the entries inside a block; else 0 */
  int32_t is_const;        /**< 1 if created over memory that is only read */
  int64_t rows;            /**< rows in elements, also for block formats */
  int64_t cols;            /**< columns in elements */
  int64_t nnz;             /**< stored elements; Blocked-ELL: rows * ell_cols with unused slots; SELL: as given */
  int64_t block_size;      /**< BSR and Blocked-ELL; for SELL the slice_size; else 0 */
  int64_t nnzb;            /**< stored blocks (BSR), slots (Blocked-ELL, SELL: values_size) */
  int64_t ell_cols;        /**< Blocked-ELL */
  int64_t batch_count;     /**< 1 unless set */
  int64_t offsets_stride;  /**< between batches, in elements; 0 = shared */
  int64_t indices_stride;  /**< as above, for row and column indices */
  int64_t values_stride;   /**< as above */
  const void* offsets;     /**< row, column, block-row or slice offsets */
  const void* row_indices; /**< CSC and COO */
  const void* col_indices; /**< CSR, COO, SELL, BSR (blocks), Blocked-ELL (blocks) */
  const void* values;
} spk_spmat_info_t;

SPK_API spk_status_t spk_spmat_get_info(spk_const_spmat_t mat, spk_spmat_info_t* info);

/** Points a descriptor at other arrays of the same sizes: offsets and indices of CSR (row offsets, column indices),
 *  CSC (column offsets, row indices), BSR (block row offsets, block columns); for COO `offsets` is the array of row
 *  indices and `indices` that of column indices; SELL has slice offsets; for Blocked-ELL offsets must be NULL. NULL
 *  arrays are kept as NULL.
 *  Errors: INVALID_VALUE misaligned, or the descriptor is const. Since 0.1. */
SPK_API spk_status_t spk_spmat_set_pointers(spk_spmat_t mat, void* offsets, void* indices, void* values);
/** Points a descriptor at other values. Errors as spk_spmat_set_pointers. Since 0.1. */
SPK_API spk_status_t spk_spmat_set_values(spk_spmat_t mat, void* values);
SPK_API spk_status_t spk_spmat_get_values(spk_const_spmat_t mat, const void** values);

/** Makes the matrix a batch of matrices with the same sizes. Strides are in elements of the respective array; 0 shares
 *  the array between all. Offsets of every matrix start at index_base. BSR strides count blocks' offsets, block
 *  indices and elements of values, SELL strides slices' offsets and slots.
 *  Errors: INVALID_VALUE count < 1, negative stride, or 0 < stride < length of one matrix's array when count > 1.
 *  Since 0.1. */
SPK_API spk_status_t spk_spmat_set_batch(spk_spmat_t mat, int64_t count, int64_t offsets_stride, int64_t indices_stride,
                                         int64_t values_stride);

/** Describes rows first_row .. first_row + row_count - 1 of a CSR or BSR matrix without copying: the slice uses the
 *  arrays of `mat`, whose offsets keep counting from the start of the whole matrix (so nothing is rewritten). For BSR
 *  both numbers are multiples of the block size. Reads two offsets, so the arrays must be in host memory or the call
 *  is made on a CUDA handle. Products, SDDMM, softmax and conversions accept a slice like any matrix.
 *  Errors: INVALID_VALUE rows outside the matrix, a batch; NOT_SUPPORTED other formats. Since 0.1. */
SPK_API spk_status_t spk_spmat_slice_rows(spk_handle_t handle, spk_const_spmat_t mat, int64_t first_row,
                                          int64_t row_count, spk_const_spmat_t* out);

/** First kind of fault that spk_spmat_validate looks for and finds. Since 0.1. */
typedef int32_t spk_fault_t;
enum {
  SPK_FAULT_NONE = 0,
  SPK_FAULT_NULL_ARRAY = 1,       /**< an array with elements is NULL */
  SPK_FAULT_FIRST_OFFSET = 2,     /**< the first offset is not the index base */
  SPK_FAULT_OFFSET_DECREASES = 3, /**< an offset is below the one before it */
  SPK_FAULT_LAST_OFFSET = 4,      /**< the last offset is not nnz + base (an earlier one may also exceed it) */
  SPK_FAULT_ROW_INDEX = 5,        /**< a row index is outside [base, rows + base) */
  SPK_FAULT_COL_INDEX = 6,        /**< a column index is outside [base, cols + base) */
  SPK_FAULT_SLICE_OFFSET = 7      /**< SELL: a slice has not slice_size slots a column */
};

/** Result of spk_spmat_validate. Block formats count block offsets, block indices and block rows. Arrays that a batch
 *  shares (stride 0) count once. Zero-initialise and set struct_size before the call. Since 0.1. */
typedef struct spk_validation_report {
  uint32_t struct_size;  /**< sizeof(spk_validation_report) of the caller, in bytes */
  int32_t fault;         /**< spk_fault_t of the first bad place */
  int64_t batch;         /**< matrix of the batch with the first bad place, from 0 */
  int64_t position;      /**< element of the array that is wrong, from 0 */
  int64_t value;         /**< what stands there; for NULL_ARRAY 0 offsets, 1 row indices, 2 column indices, 3 values */
  int64_t bad_offsets;   /**< offsets found wrong, whole batch */
  int64_t bad_indices;   /**< indices found wrong, whole batch */
  int64_t unsorted_rows; /**< rows (columns for CSC, neighbours for COO) with descending entries; legal */
  int64_t duplicates;    /**< entries that repeat a place of the same row; legal, they add up. Counted exactly */
  int64_t empty_rows;    /**< rows (columns for CSC) without entries */
  int64_t nan_values;    /**< stored values that are NaN; legal */
  int64_t infinite_values; /**< stored values that are infinite; legal */
} spk_validation_report_t;

/** Checks everything an operation relies on. Reads every array, writes none, and never follows a bad offset.
 *
 *  \param report  NULL, or filled also when the answer is INVALID_STRUCTURE
 *  Errors   INVALID_STRUCTURE with the first bad place in the message and the report; INVALID_VALUE NULL mat or
 *           handle, struct_size too small; ALLOC_FAILED; NOT_SUPPORTED while the handle's stream is captured, since the
 *           report is waited for.
 *  Since 0.1. */
SPK_API spk_status_t spk_spmat_validate(spk_handle_t handle, spk_const_spmat_t mat, spk_validation_report_t* report);

#ifdef __cplusplus
}
#endif

#endif
