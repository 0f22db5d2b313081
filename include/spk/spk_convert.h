/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_CONVERT_H
#define SPK_CONVERT_H

/** \file
 *  Conversions between dense and sparse storage and between sparse formats; transpose, sort, coalesce.
 *
 *  What holds for all
 *  Shapes   source and destination have the same rows, columns and value type; index types, bases, orders and ld may
 *           differ. Batches are NOT_SUPPORTED.
 *  Memory   the destination's arrays may not overlap the source's. Workspace as in spk_ops.h.
 *  Values   a value that is only moved keeps its bits (-0.0, NaN payloads). Where entries of one place meet in a dense
 *           matrix or in a block, the first is copied and every further one is added to it in storage order, each sum
 *           rounded to the value type (16-bit values are added in float). Results are the same bits for any number of
 *           threads.
 *  Errors   INVALID_VALUE a NULL or foreign object, sizes or types that disagree, a NULL array with elements, an
 *           overlap, a const destination; INVALID_STRUCTURE offsets or indices of the source that contradict themselves
 *           (these calls check what they follow); INDEX_OVERFLOW a number of the result does not fit its type;
 *           WORKSPACE_TOO_SMALL; ALLOC_FAILED; NOT_SUPPORTED while the handle's stream is captured, since these calls
 *           wait for what they find in the source. On failure nothing was written.
 *
 *  Where the number of stored entries is unknown the work has two phases:
 *    1. create the destination with its offsets array (CSR, CSC, BSR; COO and Blocked-ELL have none), nnz (nnzb,
 *       ell_cols) 0 and NULL indices and values;
 *    2. spk_*_analyze counts, fills the offsets and sets the destination's nnz (nnzb; for Blocked-ELL ell_cols);
 *    3. read the size with spk_spmat_get_info, allocate, spk_spmat_set_pointers;
 *    4. spk_*_convert fills indices and values, and the offsets once more.
 *  Where the size is known beforehand (for example CSR to CSC) the arrays may be set at creation and analyze, which
 *  then is not needed, answers the same size. convert refuses (INVALID_VALUE) a destination whose nnz (nnzb, ell_cols)
 *  differs from what the source gives.
 *
 *  Blocked-ELL results have ell_cols = longest block row * block_size; the slots of a block row are filled from the
 *  first in ascending order, the rest are -1 and their values 0.
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Dense from sparse: every place of matB inside rows x cols is written, repeated entries add up, places not stored
 *  become +0, padding stays. Formats: CSR, CSC, COO, BSR, Blocked-ELL. Since 0.1. */
SPK_API spk_status_t spk_sparse_to_dense(spk_handle_t handle, spk_const_spmat_t matA, spk_dnmat_t matB, void* workspace,
                                         size_t workspace_bytes);
SPK_API spk_status_t spk_sparse_to_dense_workspace(spk_handle_t handle, spk_const_spmat_t matA, spk_const_dnmat_t matB,
                                                   size_t* workspace_bytes);

/** Sparse from dense: entries that are not zero (NaN is kept, -0.0 is a zero and dropped), in ascending order. A block
 *  is stored when one of its places is not zero, and then copied whole. Formats: CSR, CSC, COO, BSR, Blocked-ELL.
 *
 *  A Blocked-ELL destination that was created with ell_cols > 0, and that analyze has not seen, keeps the block columns
 *  it brings: convert gathers the values of these blocks (0 for unused slots) and drops what lies elsewhere.
 *  INVALID_STRUCTURE if a block column is out of range or repeats in its block row. Since 0.1. */
SPK_API spk_status_t spk_dense_to_sparse_workspace(spk_handle_t handle, spk_const_dnmat_t matA, spk_const_spmat_t matB,
                                                   size_t* workspace_bytes);
SPK_API spk_status_t spk_dense_to_sparse_analyze(spk_handle_t handle, spk_const_dnmat_t matA, spk_spmat_t matB,
                                                 void* workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_dense_to_sparse_convert(spk_handle_t handle, spk_const_dnmat_t matA, spk_spmat_t matB,
                                                 void* workspace, size_t workspace_bytes);

/** Sparse from sparse: CSR, CSC, COO, BSR, Blocked-ELL in any pair, also a format to itself with other index types,
 *  base, block size or block order.
 *
 *  Entries come out in ascending order (rows, then columns; CSC: columns, then rows). Repeats stay where the format
 *  can hold them (CSR, CSC, COO; in storage order) and add up inside blocks, where also repeated blocks become one.
 *  Explicit zeros stay; of a stored block every place is an entry, and places of a new block without an entry are +0.
 *  Since 0.1. */
SPK_API spk_status_t spk_sparse_to_sparse_workspace(spk_handle_t handle, spk_const_spmat_t matA, spk_const_spmat_t matB,
                                                    size_t* workspace_bytes);
SPK_API spk_status_t spk_sparse_to_sparse_analyze(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                                  void* workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_sparse_to_sparse_convert(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                                  void* workspace, size_t workspace_bytes);

/** matB = transpose of matA, both CSR (matB cols x rows, its arrays allocated with matA's nnz), entries of a row in
 *  ascending order, equal places in matA's storage order.
 *
 *  \param permutation  NULL, or matB's nnz numbers in the handle's memory: value t of matB is element permutation[t]
 *                      (from 0) of matA's values array, so that new values need no second sort. For a row slice the
 *                      array is that of the whole matrix. matB's values may be NULL if a permutation is asked for,
 *                      and then matA's too.
 *  Since 0.1. */
SPK_API spk_status_t spk_csr_transpose(spk_handle_t handle, spk_const_spmat_t matA, spk_spmat_t matB,
                                       int64_t* permutation, void* workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_csr_transpose_workspace(spk_handle_t handle, spk_const_spmat_t matA, spk_const_spmat_t matB,
                                                 size_t* workspace_bytes);

/** Sorts in place: CSR columns inside rows, CSC rows inside columns, COO by row, then column. Stable, so repeated
 *  places keep their order.
 *  \param permutation  NULL, or nnz numbers in the handle's memory: new entry t was entry permutation[t] (from 0).
 *  Since 0.1. */
SPK_API spk_status_t spk_spmat_sort(spk_handle_t handle, spk_spmat_t mat, int64_t* permutation, void* workspace,
                                    size_t workspace_bytes);
SPK_API spk_status_t spk_spmat_sort_workspace(spk_handle_t handle, spk_const_spmat_t mat, size_t* workspace_bytes);

/** Sorts in place and adds repeated entries up: left to right in storage order, 16-bit values in float, rounded once;
 *  an entry without repeats keeps its bits. Offsets are rewritten, the descriptor's nnz becomes the new count, and the
 *  arrays' tails are unspecified. CSR, CSC, COO. Since 0.1. */
SPK_API spk_status_t spk_spmat_coalesce(spk_handle_t handle, spk_spmat_t mat, void* workspace, size_t workspace_bytes);
SPK_API spk_status_t spk_spmat_coalesce_workspace(spk_handle_t handle, spk_const_spmat_t mat, size_t* workspace_bytes);

#ifdef __cplusplus
}
#endif

#endif
