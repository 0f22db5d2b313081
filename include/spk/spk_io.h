/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_IO_H
#define SPK_IO_H

/** \file
 *  Reading sparse matrices from files. A library of its own (libspk_io, links zlib), so that libspk stays bare.
 *
 *  Formats: Matrix Market (`.mtx`; NIST IR 5935, coordinate and array, real, complex, integer and pattern, general,
 *  symmetric, skew-symmetric and hermitian) and `.smtx` (three lines: `rows, cols, nnz`; row offsets; column
 *  indices; the format of the Deep Learning Matrix Collection). Either may be gzip-compressed (`.gz`, or by its
 *  first bytes; several gzip members are one stream). Numbers are read in the C locale whatever the process has set:
 *  decimals, rounded to nearest even (1e400 is infinity, 1e-400 is 0), `inf`, `infinity` and `nan` in any case, no
 *  hexadecimal. Nothing is guessed: a file that departs from its format is SPK_STATUS_PARSE_ERROR with the line number
 *  in the message. Where the formats leave a choice:
 *    - lines end in LF or CR LF; blanks and tabs separate; blank lines may stand anywhere after the banner
 *    - comments stand before the size line only; no line of a .mtx file is longer than 1 MiB
 *    - of a symmetric, skew-symmetric or hermitian matrix only the lower triangle is listed; a skew-symmetric one has
 *      no diagonal entries, the diagonal of a hermitian one has no imaginary part
 *    - more entries than rows x columns are refused; integers fit 64 bits
 *    - in .smtx columns may be in any order inside a row, but none twice
 */

#include <spk/spk_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A matrix read from a file, held in host memory by the library. Opaque. Since 0.1. */
typedef struct spk_io_matrix* spk_io_matrix_t;
typedef const struct spk_io_matrix* spk_io_const_matrix_t;

/** Field word of a Matrix Market banner. Since 0.1. */
typedef int32_t spk_io_field_t;
enum { SPK_IO_REAL = 0, SPK_IO_COMPLEX = 1, SPK_IO_INTEGER = 2, SPK_IO_PATTERN = 3 };

/** Symmetry word of a Matrix Market banner. Since 0.1. */
typedef int32_t spk_io_symmetry_t;
enum { SPK_IO_GENERAL = 0, SPK_IO_SYMMETRIC = 1, SPK_IO_SKEW_SYMMETRIC = 2, SPK_IO_HERMITIAN = 3 };

/** What to read and how. Zero-initialise, set struct_size, then set what differs from the default. Since 0.1. */
typedef struct spk_io_options {
  uint32_t struct_size;         /**< sizeof(spk_io_options) of the caller, in bytes */
  int32_t index_type;           /**< SPK_INDEX_32I (larger sizes are refused), SPK_INDEX_64I, or 0: what fits */
  int32_t threads;              /**< that parse, 1 to 4096; 0 = one per 8 MiB of text up to the hardware's count. The
                                     result, also a failure, is the same for any number */
  int32_t keep_stored_triangle; /**< nonzero: a symmetric file is not mirrored */
} spk_io_options_t;

/** Sizes and kind of a matrix that was read. Zero-initialise and set struct_size before the call. Since 0.1. */
typedef struct spk_io_info {
  uint32_t struct_size;   /**< sizeof(spk_io_info) of the caller, in bytes */
  int32_t field;          /**< spk_io_field_t; an .smtx file is SPK_IO_PATTERN */
  int32_t symmetry;       /**< spk_io_symmetry_t */
  int32_t is_array;       /**< 1 for a Matrix Market array file */
  int32_t index_type;     /**< the one asked for, or the narrower that fits rows, cols and nnz */
  int32_t is_row_ordered; /**< 1 if spk_io_get_coo gives the entries row by row (.smtx always) */
  int64_t rows;           /**< rows of the matrix */
  int64_t cols;           /**< columns of the matrix */
  int64_t stored;         /**< entries in the file */
  int64_t nnz;            /**< entries after mirroring, duplicates kept, explicit zeros kept */
} spk_io_info_t;

/** Reads `path` into a new matrix: entries (row, column, value), 0-based, duplicates and explicit zeros kept.
 *
 *  Memory   follows the text that was read, not what its header claims: entries are kept as they are in the file, with
 *           32-bit indices where the shape allows, and a few MiB per thread. Counts are compared with the shape and the
 *           file size before anything else, so that a false one fails at once.
 *  Errors   INVALID_VALUE NULL out or path, bad option; IO_ERROR cannot open or read, broken gzip stream;
 *           PARSE_ERROR the file departs from its format (message: path, line, what); INDEX_OVERFLOW a size does
 *           not fit options->index_type; ALLOC_FAILED. On failure *out is NULL.
 *  Threads  any number of calls at once; a matrix may be used by several threads. No thread outlives the call.
 *  Since 0.1.
 *  \param options NULL for the defaults. The format follows the name (.smtx or .mtx, before .gz); any other name is
 *         Matrix Market if the text begins with %%MatrixMarket, else .smtx.
 */
SPK_API spk_status_t spk_io_read(spk_io_matrix_t* out, const char* path, const spk_io_options_t* options);

/** As spk_io_read, from `size` bytes of text (or gzip) in memory. `name` decides the format and appears in messages.
 *  Since 0.1. */
SPK_API spk_status_t spk_io_read_memory(spk_io_matrix_t* out, const char* name, const void* data, size_t size,
                                        const spk_io_options_t* options);

/** Frees a matrix; NULL is fine. Since 0.1. */
SPK_API void spk_io_matrix_destroy(spk_io_const_matrix_t matrix);

/** Fills `info`. Errors: INVALID_VALUE NULL, or struct_size below the first release's. Since 0.1. */
SPK_API spk_status_t spk_io_get_info(spk_io_const_matrix_t matrix, spk_io_info_t* info);

/** Copies the matrix as CSR, rows in order, columns ascending inside a row, duplicates added up.
 *
 *  Two calls: the first with NULL arrays sets *nnz (entries after adding duplicates), the second fills
 *  row_offsets (rows + 1), col_indices (nnz) and values (nnz; NULL leaves them out) and sets *nnz again if nnz is not
 *  NULL. Duplicates of real values are added in file order as double, those of integers exactly.
 *  \param index_type  of both index arrays: SPK_INDEX_32I or SPK_INDEX_64I
 *  \param index_base  SPK_INDEX_BASE_ZERO or SPK_INDEX_BASE_ONE, also of the offsets
 *  \param value_type  any spk_value_type_t; a pattern entry is 1; the double (integer) that was read is rounded to nearest
 *                     even
 *  Memory   if there are no duplicates, nothing beyond the arrays and one row; else the entries once more.
 *  Errors   INVALID_VALUE NULL, unknown type or base, a complex matrix into a real type, an array that is not aligned
 *           to its elements; INDEX_OVERFLOW rows, columns or nnz + base do not fit index_type; ALLOC_FAILED.
 *  Since 0.1. */
SPK_API spk_status_t spk_io_get_csr(spk_io_const_matrix_t matrix, spk_index_type_t index_type,
                                    spk_index_base_t index_base, spk_value_type_t value_type, int64_t* nnz,
                                    void* row_offsets, void* col_indices, void* values);

/** Copies the matrix as COO in file order (mirror of an entry right after it), duplicates kept. Arguments and errors
 *  as spk_io_get_csr; the arrays have spk_io_info.nnz entries, values may be NULL. Since 0.1. */
SPK_API spk_status_t spk_io_get_coo(spk_io_const_matrix_t matrix, spk_index_type_t index_type,
                                    spk_index_base_t index_base, spk_value_type_t value_type, void* row_indices,
                                    void* col_indices, void* values);

/** Writes a CSR matrix as Matrix Market (coordinate, general) or .smtx, by the name; `.gz` compresses.
 *
 *  Values are written with as many digits as reading them back exactly into the same type needs (16-bit values: into
 *  any type); a NaN is `nan`. A NULL `values` writes a pattern file; .smtx holds no values and wants NULL.
 *  The file appears under its name only once it is whole: it grows beside it and is renamed. A symbolic link is
 *  followed; what is no regular file is not replaced.
 *  Errors   INVALID_VALUE (as above; any other ending of `path`, values for .smtx), INVALID_STRUCTURE offsets or
 *           indices contradict the shape, more entries than places, in .smtx a column twice in a row; IO_ERROR;
 *           ALLOC_FAILED.
 *           On failure there is no new file and an old one of that name is unchanged.
 *  Since 0.1. */
SPK_API spk_status_t spk_io_write_csr(const char* path, int64_t rows, int64_t cols, int64_t nnz,
                                      const void* row_offsets, const void* col_indices, const void* values,
                                      spk_index_type_t index_type, spk_index_base_t index_base,
                                      spk_value_type_t value_type);

/** The message of this thread's last failed spk_io call (never NULL, "" if none): the function, the file or argument,
 *  what is wrong. Valid until the next failure on this thread. Since 0.1. */
SPK_API const char* spk_io_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
