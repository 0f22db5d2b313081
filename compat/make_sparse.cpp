// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// What the create functions of sparse matrices check, and what they make.
#include <limits>

#include "compat/sparse.hpp"

namespace spk::compat {
namespace {

void check_arrays(const Arrays& arrays, bool has_offsets) {
  if (has_offsets) check_index_type(arrays.offset_type, "offsets' type");
  check_index_type(arrays.index_type, "indices' type");
  check_base(arrays.base, "idxBase");
  check_value_type(arrays.value_type, "valueType");
  if (has_offsets) check_alignment(arrays.offsets, bytes_of(arrays.offset_type), "offsets");
  check_alignment(arrays.indices, bytes_of(arrays.index_type), "indices");
  check_alignment(arrays.values, bytes_of(arrays.value_type), "values");
  if (has_offsets && arrays.offset_type != arrays.index_type)
    throw Failure(CUSPARSE_STATUS_NOT_SUPPORTED, "offsets are of type %d and indices of type %d, but must be alike",
                  arrays.offset_type, arrays.index_type);
}

std::int64_t places_of(std::int64_t rows, std::int64_t cols) {
  std::int64_t places = 0;
  if (__builtin_mul_overflow(rows, cols, &places)) throw_invalid("cols", cols, "times rows exceeds 63 bits");
  return places;
}

void check_count(std::int64_t nnz, std::int64_t rows, std::int64_t cols, const char* name) {
  check_size(nnz, name);
  const std::int64_t places = places_of(rows, cols);
  if (nnz > places)
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "%s = %lld but rows * cols = %lld", name, static_cast<long long>(nnz),
                  static_cast<long long>(places));
}

// A size and the base together are the largest number an index array may hold.
void check_fits(std::int64_t size, const Arrays& arrays, const char* name) {
  if (arrays.index_type == CUSPARSE_INDEX_32I && size > std::numeric_limits<std::int32_t>::max() - arrays.base)
    throw_invalid(name, size, "with idxBase it does not fit CUSPARSE_INDEX_32I");
}

std::unique_ptr<cusparseSpMatDescr> describe(cusparseFormat_t format, std::int64_t rows, std::int64_t cols,
                                             std::int64_t nnz, const Arrays& arrays) {
  auto matrix = std::make_unique<cusparseSpMatDescr>();
  matrix->format = format;
  matrix->rows = rows;
  matrix->cols = cols;
  matrix->nnz = nnz;
  matrix->offsets = writable(arrays.offsets);
  matrix->indices = writable(arrays.indices);
  matrix->values = writable(arrays.values);
  matrix->offset_type = arrays.offset_type;
  matrix->index_type = arrays.index_type;
  matrix->base = arrays.base;
  matrix->value_type = arrays.value_type;
  return matrix;
}

// Adds libspk's descriptor; create is the call that makes it. What libspk does not describe, cuSPARSE's descriptors do.
template <class Create>
std::unique_ptr<cusparseSpMatDescr> with_native(std::unique_ptr<cusparseSpMatDescr> matrix, Create&& create) {
  if (!is_type_of_spk(matrix->value_type) || matrix->index_type == CUSPARSE_INDEX_16U) return matrix;
  spk_spmat_t native = nullptr;
  const spk_status_t status = create(&native, *matrix);
  if (status == SPK_STATUS_INDEX_OVERFLOW) return matrix;
  check(status);
  matrix->native.reset(native);
  return matrix;
}

}  // namespace

std::unique_ptr<cusparseSpMatDescr> make_compressed(cusparseFormat_t format, std::int64_t rows, std::int64_t cols,
                                                    std::int64_t nnz, const Arrays& arrays) {
  check_size(rows, "rows");
  check_size(cols, "cols");
  check_count(nnz, rows, cols, "nnz");
  check_arrays(arrays, true);
  check_fits(rows, arrays, "rows");
  check_fits(cols, arrays, "cols");
  check_fits(nnz, arrays, "nnz");
  const auto create = format == CUSPARSE_FORMAT_CSR ? &spk_csr_create : &spk_csc_create;
  return with_native(describe(format, rows, cols, nnz, arrays), [&](spk_spmat_t* out, cusparseSpMatDescr& m) {
    return create(out, rows, cols, nnz, m.offsets, m.indices, m.values, m.offset_type, m.index_type, m.base,
                  m.value_type);
  });
}

std::unique_ptr<cusparseSpMatDescr> make_coo(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                             const Arrays& arrays) {
  check_size(rows, "rows");
  check_size(cols, "cols");
  check_count(nnz, rows, cols, "nnz");
  check_arrays(arrays, true);
  check_fits(rows, arrays, "rows");
  check_fits(cols, arrays, "cols");
  return with_native(
      describe(CUSPARSE_FORMAT_COO, rows, cols, nnz, arrays), [&](spk_spmat_t* out, cusparseSpMatDescr& m) {
        return spk_coo_create(out, rows, cols, nnz, m.offsets, m.indices, m.values, m.index_type, m.base, m.value_type);
      });
}

std::unique_ptr<cusparseSpMatDescr> make_bsr(std::int64_t block_rows, std::int64_t block_cols, std::int64_t nnzb,
                                             std::int64_t row_block, std::int64_t col_block, const Arrays& arrays,
                                             cusparseOrder_t order) {
  check_size(block_rows, "brows");
  check_size(block_cols, "bcols");
  check_count(nnzb, block_rows, block_cols, "bnnz");
  if (row_block < 1) throw_invalid("rowBlockSize", row_block, "must be at least 1");
  if (col_block != row_block)
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "colBlockSize = %lld but must equal rowBlockSize = %lld",
                  static_cast<long long>(col_block), static_cast<long long>(row_block));
  check_arrays(arrays, true);
  check_order(order, "order");
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  if (__builtin_mul_overflow(block_rows, row_block, &rows) || __builtin_mul_overflow(block_cols, row_block, &cols) ||
      __builtin_mul_overflow(nnzb, row_block * row_block, &nnz))
    throw_invalid("rowBlockSize", row_block, "makes the matrix larger than 63 bits can count");
  check_fits(block_rows, arrays, "brows");
  check_fits(block_cols, arrays, "bcols");
  check_fits(nnzb, arrays, "bnnz");
  auto matrix = describe(CUSPARSE_FORMAT_BSR, rows, cols, nnz, arrays);
  matrix->block_size = row_block;
  matrix->block_order = order;
  return with_native(std::move(matrix), [&](spk_spmat_t* out, cusparseSpMatDescr& m) {
    return spk_bsr_create(out, block_rows, block_cols, nnzb, row_block, col_block, m.offsets, m.indices, m.values,
                          m.offset_type, m.index_type, m.base, m.value_type, order);
  });
}

std::unique_ptr<cusparseSpMatDescr> make_blocked_ell(std::int64_t rows, std::int64_t cols, std::int64_t block_size,
                                                     std::int64_t ell_cols, const Arrays& arrays) {
  check_size(rows, "rows");
  check_size(cols, "cols");
  check_size(ell_cols, "ellCols");
  if (block_size < 1 || block_size > rows)
    throw_invalid("ellBlockSize", block_size, "must be at least 1 and at most rows");
  for (const auto& [value, name] : {std::pair{rows, "rows"}, std::pair{cols, "cols"}, std::pair{ell_cols, "ellCols"}})
    if (value % block_size != 0) throw_invalid(name, value, "must be a multiple of ellBlockSize");
  if (ell_cols > cols) throw_invalid("ellCols", ell_cols, "must not exceed cols");
  check_arrays(arrays, false);
  check_fits(rows, arrays, "rows");
  check_fits(cols, arrays, "cols");
  // What cuSPARSE answers as the number of entries; the values array has rows * ellCols elements.
  std::int64_t nnz = 0;
  if (__builtin_mul_overflow(rows, cols, &nnz) || __builtin_mul_overflow(nnz, block_size, &nnz))
    throw_invalid("cols", cols, "times rows and ellBlockSize exceeds 63 bits");
  auto matrix = describe(CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, nnz, arrays);
  matrix->block_size = block_size;
  matrix->ell_cols = ell_cols;
  return with_native(std::move(matrix), [&](spk_spmat_t* out, cusparseSpMatDescr& m) {
    return spk_blocked_ell_create(out, rows, cols, block_size, ell_cols, m.indices, m.values, m.index_type, m.base,
                                  m.value_type);
  });
}

std::unique_ptr<cusparseSpMatDescr> make_sliced_ell(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                                    std::int64_t values_size, std::int64_t slice_size,
                                                    const Arrays& arrays) {
  check_size(rows, "rows");
  check_size(cols, "cols");
  check_size(nnz, "nnz");
  check_size(values_size, "sellValuesSize");
  check_size(slice_size, "sliceSize");
  const std::int64_t places = places_of(rows, cols);
  if (values_size < nnz) throw_invalid("sellValuesSize", values_size, "must be at least nnz");
  check_arrays(arrays, true);
  check_fits(rows, arrays, "rows");
  check_fits(cols, arrays, "cols");
  check_fits(nnz, arrays, "nnz");
  auto matrix = describe(CUSPARSE_FORMAT_SLICED_ELLPACK, rows, cols, nnz, arrays);
  // cuSPARSE describes these as well; there is nothing to compute with.
  if (slice_size == 0 || nnz > places) return matrix;
  return with_native(std::move(matrix), [&](spk_spmat_t* out, cusparseSpMatDescr& m) {
    return spk_sell_create(out, rows, cols, nnz, values_size, slice_size, m.offsets, m.indices, m.values, m.offset_type,
                           m.index_type, m.base, m.value_type);
  });
}

}  // namespace spk::compat
