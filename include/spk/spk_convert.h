/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_CONVERT_H
#define SPK_CONVERT_H

/** \file
 *  Conversions between dense and sparse storage and between sparse formats; transpose, sort, coalesce.
 *
 *  What holds for all: source and destination have the same rows, columns and value type; index types, bases, orders
 *  and ld may differ. Batches are NOT_SUPPORTED. Results are the same bits for any number of threads. An index of the
 *  result that does not fit its type is INDEX_OVERFLOW before anything is written. Structure that contradicts itself is
 *  INVALID_STRUCTURE: these calls check what they follow. Workspace as in spk_ops.h.
 *
 *  Where the number of stored entries is unknown the work has two phases:
 *    1. create the destination with its offsets array (CSR, CSC, BSR; COO and Blocked-ELL have none), nnz (nnzb) 0 and NULL indices and values;
 *    2. spk_*_analyze counts, fills the offsets and sets the destination's nnz (nnzb; for Blocked-ELL ell_cols);
 *    3. read the size with spk_spmat_get_info, allocate, spk_spmat_set_pointers;
 *    4. spk_*_convert fills indices and values.
 *  Where the size is known beforehand (for example CSR to CSC) the arrays may be set at creation and analyze answers the same size.
 *  convert refuses (INVALID_VALUE) a destination whose nnz differs from what the source gives.
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Dense from sparse: every place of matB inside rows x cols is written, repeated entries add up (in the value type, in
 *  storage order), places not stored become 0, padding stays.
 *  Formats: CSR, CSC, COO, BSR, Blocked-ELL. Errors: as above and INVALID_VALUE. Since 0.1. */
SPK_API spk_status_t spk_sparse_to_dense(spk_handle_t handle, spk_const_spmat_t matA, spk_dnmat_t matB,
                                         void *workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_sparse_to_dense_workspace(spk_handle_t handle, spk_const_spmat_t matA,
                                                   spk_const_dnmat_t matB, size_t *workspace_bytes);

/** Sparse from dense: entries that are not zero (NaN is kept, -0.0 is a zero and dropped; for blocks: blocks with any such entry), in
 *  ascending order. Formats: CSR, CSC, COO, BSR, Blocked-ELL (BSR and Blocked-ELL need sizes that are multiples of
 *  the block). A Blocked-ELL destination that is created with its columns given and with values keeps these columns: only values
 *  are gathered by convert when analyze is not called. Since 0.1. */
SPK_API spk_status_t spk_dense_to_sparse_workspace(spk_handle_t handle, spk_const_dnmat_t matA,
                                                   spk_const_spmat_t matB, size_t *workspace_bytes);
SPK_API spk_status_t spk_dense_to_sparse_analyze(spk_handle_t handle, spk_const_dnmat_t matA, spk_spmat_t matB,
                                                 void *workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_dense_to_sparse_convert(spk_handle_t handle, spk_const_dnmat_t matA, spk_spmat_t matB,
                                                 void *workspace, size_t workspace_bytes);

/** Sparse from sparse: CSR, CSC, COO, BSR, Blocked-ELL in any pair, also a format to itself with other index types or base.
 *
 *  Entries come out in ascending order (rows, then columns; CSC: columns, then rows). Duplicates stay where the format
 *  can hold them (CSR, CSC, COO; in storage order) and add up inside blocks; explicit zeros stay, in blocks every place of a stored
 *  block is an entry. Since 0.1. */
SPK_API spk_status_t spk_sparse_to_sparse_workspace(spk_handle_t handle, spk_const_spmat_t matA,
                                                    spk_const_spmat_t matB, size_t *workspace_bytes);
SPK_API spk_status_t spk_sparse_to_sparse_analyze(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                                  void *workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_sparse_to_sparse_convert(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                                  void *workspace, size_t workspace_bytes);

/** matB = transpose of matA, both CSR (matB cols x rows, its arrays allocated with matA's nnz), entries of a row in
 *  ascending order, equal places in matA's storage order.
 *
 *  \param permutation  NULL, or nnz numbers of SPK_INDEX_64I: value t of matB is value permutation[t] of matA (from 0), so
 *                      that new values need no second sort. matB's values may be NULL if a permutation is asked for. Since 0.1. */
SPK_API spk_status_t spk_csr_transpose(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                       int64_t *permutation, void *workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_csr_transpose_workspace(spk_handle_t handle, spk_const_spmat_t matA,
                                                 spk_const_spmat_t matB, size_t *workspace_bytes);

/** Sorts in place: CSR columns inside rows, CSC rows inside columns, COO by row, then column. Stable, so repeated
 *  places keep their order.
 *  \param permutation  NULL, or nnz numbers: new entry t was entry permutation[t] (from 0). Since 0.1. */
SPK_API spk_status_t spk_spmat_sort(spk_handle_t handle, spk_spmat_t mat, int64_t *permutation, void *workspace,
                                    size_t workspace_bytes);
SPK_API spk_status_t spk_spmat_sort_workspace(spk_handle_t handle, spk_const_spmat_t mat, size_t *workspace_bytes);

/** Sorts in place and adds repeated entries up (left to right; 16-bit values in float, rounded once). Offsets are
 *  rewritten, the descriptor's nnz becomes the new count, and the arrays' tails are unspecified. CSR, CSC, COO. Since 0.1. */
SPK_API spk_status_t spk_spmat_coalesce(spk_handle_t handle, spk_spmat_t mat, void *workspace,
                                        size_t workspace_bytes);
SPK_API spk_status_t spk_spmat_coalesce_workspace(spk_handle_t handle, spk_const_spmat_t mat,
                                                  size_t *workspace_bytes);

#ifdef __cplusplus
}
#endif

#endif
