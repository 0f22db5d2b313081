// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Getters and setters of sparse matrices.
#include <cstring>

#include "compat/sparse.hpp"

using namespace spk::compat;

namespace {

// Format the function is for; getters and setters of other formats answer INVALID_VALUE.
template <class Descriptor>
Descriptor& require_format(Descriptor* spMatDescr, cusparseFormat_t format) {
  Descriptor& matrix = SPK_OBJECT(spMatDescr);
  if (matrix.format != format) throw_invalid("spMatDescr's format", matrix.format, "the function is for another one");
  return matrix;
}

void set_batch(cusparseSpMatDescr& matrix, int count, std::int64_t offsets_stride, std::int64_t indices_stride,
               std::int64_t values_stride) {
  if (matrix.native != nullptr)
    check(spk_spmat_set_batch(matrix.native.get(), count, matrix.format == CUSPARSE_FORMAT_COO ? 0 : offsets_stride,
                              indices_stride, values_stride));
  matrix.batch_count = count;
  matrix.offsets_stride = offsets_stride;
  matrix.indices_stride = indices_stride;
  matrix.values_stride = values_stride;
  matrix.prepared.reset();
}

void check_stride(std::int64_t stride, std::int64_t least, const char* name) {
  if (stride < 0 || (stride != 0 && stride < least))
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "%s = %lld but must be 0 or at least %lld elements", name,
                  static_cast<long long>(stride), static_cast<long long>(least));
}

void set_pointers(cusparseSpMatDescr& matrix, void* offsets, void* indices, void* values) {
  check_alignment(offsets, bytes_of(matrix.offset_type), "offsets");
  check_alignment(indices, bytes_of(matrix.index_type), "indices");
  check_alignment(values, bytes_of(matrix.value_type), "values");
  if (matrix.native != nullptr) check(spk_spmat_set_pointers(matrix.native.get(), offsets, indices, values));
  matrix.offsets = offsets;
  matrix.indices = indices;
  matrix.values = values;
  matrix.prepared.reset();
}

template <class Pointer>
void get_with_offsets(const cusparseSpMatDescr& m, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz,
                      Pointer* offsets, Pointer* indices, Pointer* values, cusparseIndexType_t* offset_type,
                      cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* value_type) {
  store(Output{rows, m.rows}, Output{cols, m.cols}, Output{nnz, m.nnz}, Output{offsets, m.offsets},
        Output{indices, m.indices}, Output{values, m.values}, Output{offset_type, m.offset_type},
        Output{index_type, m.index_type}, Output{base, m.base}, Output{value_type, m.value_type});
}

template <class Pointer>
void get_coo(const cusparseSpMatDescr& m, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz,
             Pointer* row_indices, Pointer* col_indices, Pointer* values, cusparseIndexType_t* index_type,
             cusparseIndexBase_t* base, cudaDataType* value_type) {
  cusparseIndexType_t offset_type{};
  get_with_offsets(m, rows, cols, nnz, row_indices, col_indices, values, &offset_type, index_type, base, value_type);
}

template <class Pointer>
void get_blocked_ell(const cusparseSpMatDescr& m, std::int64_t* rows, std::int64_t* cols, std::int64_t* block_size,
                     std::int64_t* ell_cols, Pointer* indices, Pointer* values, cusparseIndexType_t* index_type,
                     cusparseIndexBase_t* base, cudaDataType* value_type) {
  store(Output{rows, m.rows}, Output{cols, m.cols}, Output{block_size, m.block_size}, Output{ell_cols, m.ell_cols},
        Output{indices, m.indices}, Output{values, m.values}, Output{index_type, m.index_type}, Output{base, m.base},
        Output{value_type, m.value_type});
}

// The descriptor's field of an attribute. Both attributes' types are enumerations of one size with the numbers 0 and 1.
template <class Descriptor>
auto& attribute_of(Descriptor& matrix, cusparseSpMatAttribute_t attribute, const void* data, std::size_t dataSize) {
  if (data == nullptr) throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "data is NULL");
  if (dataSize != sizeof(cusparseFillMode_t))
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "dataSize = %zu but must be %zu", dataSize,
                  sizeof(cusparseFillMode_t));
  switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE: return matrix.fill_mode;
    case CUSPARSE_SPMAT_DIAG_TYPE: return matrix.diag_type;
  }
  throw_invalid("attribute", attribute, "is not an attribute of sparse matrices");
}

}  // namespace

extern "C" cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t spMatDescr, cusparseFormat_t* format) {
  return SPK_CALL(spMatDescr, format).run([&] { store(Output{format, SPK_OBJECT(spMatDescr).format}); });
}

extern "C" cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t spMatDescr,
                                                      cusparseIndexBase_t* idxBase) {
  return SPK_CALL(spMatDescr, idxBase).run([&] { store(Output{idxBase, SPK_OBJECT(spMatDescr).base}); });
}

extern "C" cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t spMatDescr, void** values) {
  return SPK_CALL(spMatDescr, values).run([&] { store(Output{values, SPK_OBJECT(spMatDescr).values}); });
}

extern "C" cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t spMatDescr, const void** values) {
  return SPK_CALL(spMatDescr, values).run([&] { store(Output{values, SPK_OBJECT(spMatDescr).values}); });
}

extern "C" cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                                 int64_t* nnz) {
  return SPK_CALL(spMatDescr, rows, cols, nnz).run([&] {
    const cusparseSpMatDescr& m = SPK_OBJECT(spMatDescr);
    store(Output{rows, m.rows}, Output{cols, m.cols}, Output{nnz, m.nnz});
  });
}

extern "C" cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t spMatDescr, void* values) {
  return SPK_CALL(spMatDescr, values).run([&] {
    cusparseSpMatDescr& matrix = SPK_OBJECT(spMatDescr);
    check_alignment(values, bytes_of(matrix.value_type), "values");
    if (matrix.native != nullptr) check(spk_spmat_set_values(matrix.native.get(), values));
    matrix.values = values;
  });
}

extern "C" cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                                       int64_t batchStride) {
  return SPK_CALL(spMatDescr, batchCount, batchStride).run([&] {
    cusparseSpMatDescr& matrix = require_format(spMatDescr, CUSPARSE_FORMAT_COO);
    check_batch_count(batchCount);
    check_stride(batchStride, matrix.nnz, "batchStride");
    set_batch(matrix, batchCount, batchStride, batchStride, batchStride);
  });
}

extern "C" cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                                       int64_t offsetsBatchStride, int64_t columnsValuesBatchStride) {
  return SPK_CALL(spMatDescr, batchCount, offsetsBatchStride, columnsValuesBatchStride).run([&] {
    // Takes CSC as well, as cuSPARSE does.
    cusparseSpMatDescr& matrix = SPK_OBJECT(spMatDescr);
    const bool is_csc = matrix.format == CUSPARSE_FORMAT_CSC;
    if (!is_csc) require_format(spMatDescr, CUSPARSE_FORMAT_CSR);
    check_batch_count(batchCount);
    check_stride(offsetsBatchStride, (is_csc ? matrix.cols : matrix.rows) + 1, "offsetsBatchStride");
    check_stride(columnsValuesBatchStride, matrix.nnz, "columnsValuesBatchStride");
    set_batch(matrix, batchCount, offsetsBatchStride, columnsValuesBatchStride, columnsValuesBatchStride);
  });
}

extern "C" cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                                       int64_t offsetsBatchStride, int64_t columnsBatchStride,
                                                       int64_t ValuesBatchStride) {
  return SPK_CALL(spMatDescr, batchCount, offsetsBatchStride, columnsBatchStride, ValuesBatchStride).run([&] {
    cusparseSpMatDescr& matrix = require_format(spMatDescr, CUSPARSE_FORMAT_BSR);
    check_batch_count(batchCount);
    check_stride(offsetsBatchStride, matrix.rows / matrix.block_size + 1, "offsetsBatchStride");
    check_stride(columnsBatchStride, matrix.stored_blocks(), "columnsBatchStride");
    check_stride(ValuesBatchStride, matrix.nnz, "ValuesBatchStride");
    set_batch(matrix, batchCount, offsetsBatchStride, columnsBatchStride, ValuesBatchStride);
  });
}

extern "C" cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t spMatDescr, int* batchCount) {
  return SPK_CALL(spMatDescr, batchCount).run([&] { store(Output{batchCount, SPK_OBJECT(spMatDescr).batch_count}); });
}

extern "C" cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr,
                                                      cusparseSpMatAttribute_t attribute, void* data, size_t dataSize) {
  return SPK_CALL(spMatDescr, attribute, data, dataSize).run([&] {
    cusparseSpMatDescr& matrix = SPK_OBJECT(spMatDescr);
    int& field = attribute_of(matrix, attribute, data, dataSize);
    int value = 0;
    std::memcpy(&value, data, sizeof value);
    field = value;
    matrix.has_attribute = true;
  });
}

extern "C" cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr,
                                                      cusparseSpMatAttribute_t attribute, void* data, size_t dataSize) {
  return SPK_CALL(spMatDescr, attribute, data, dataSize).run([&] {
    const int& field = attribute_of(SPK_OBJECT(spMatDescr), attribute, data, dataSize);
    std::memcpy(data, &field, sizeof field);
  });
}

extern "C" cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void* csrRowOffsets,
                                                   void* csrColInd, void* csrValues) {
  return SPK_CALL(spMatDescr, csrRowOffsets, csrColInd, csrValues).run([&] {
    set_pointers(require_format(spMatDescr, CUSPARSE_FORMAT_CSR), csrRowOffsets, csrColInd, csrValues);
  });
}

extern "C" cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void* cscColOffsets,
                                                   void* cscRowInd, void* cscValues) {
  return SPK_CALL(spMatDescr, cscColOffsets, cscRowInd, cscValues).run([&] {
    set_pointers(require_format(spMatDescr, CUSPARSE_FORMAT_CSC), cscColOffsets, cscRowInd, cscValues);
  });
}

extern "C" cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void* cooRows, void* cooColumns,
                                                   void* cooValues) {
  return SPK_CALL(spMatDescr, cooRows, cooColumns, cooValues).run([&] {
    set_pointers(require_format(spMatDescr, CUSPARSE_FORMAT_COO), cooRows, cooColumns, cooValues);
  });
}

// The two forms of each getter differ in the type of the pointers they hand out.
#define SPK_COMPRESSED_GETTER(function, descriptor, array, format)                                                     \
  extern "C" cusparseStatus_t function(descriptor spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,              \
                                       array offsets, array indices, array values, cusparseIndexType_t* offsetsType,   \
                                       cusparseIndexType_t* indicesType, cusparseIndexBase_t* idxBase,                 \
                                       cudaDataType* valueType) {                                                      \
    return SPK_CALL(spMatDescr, rows, cols, nnz, offsets, indices, values, offsetsType, indicesType, idxBase,          \
                    valueType)                                                                                         \
        .run([&] {                                                                                                     \
          get_with_offsets(require_format(spMatDescr, format), rows, cols, nnz, offsets, indices, values, offsetsType, \
                           indicesType, idxBase, valueType);                                                           \
        });                                                                                                            \
  }
SPK_COMPRESSED_GETTER(cusparseCsrGet, cusparseSpMatDescr_t, void**, CUSPARSE_FORMAT_CSR)
SPK_COMPRESSED_GETTER(cusparseConstCsrGet, cusparseConstSpMatDescr_t, const void**, CUSPARSE_FORMAT_CSR)
SPK_COMPRESSED_GETTER(cusparseCscGet, cusparseSpMatDescr_t, void**, CUSPARSE_FORMAT_CSC)
SPK_COMPRESSED_GETTER(cusparseConstCscGet, cusparseConstSpMatDescr_t, const void**, CUSPARSE_FORMAT_CSC)

#define SPK_COO_GETTER(function, descriptor, array)                                                                  \
  extern "C" cusparseStatus_t function(                                                                              \
      descriptor spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz, array cooRowInd, array cooColInd,           \
      array cooValues, cusparseIndexType_t* idxType, cusparseIndexBase_t* idxBase, cudaDataType* valueType) {        \
    return SPK_CALL(spMatDescr, rows, cols, nnz, cooRowInd, cooColInd, cooValues, idxType, idxBase, valueType)       \
        .run([&] {                                                                                                   \
          get_coo(require_format(spMatDescr, CUSPARSE_FORMAT_COO), rows, cols, nnz, cooRowInd, cooColInd, cooValues, \
                  idxType, idxBase, valueType);                                                                      \
        });                                                                                                          \
  }
SPK_COO_GETTER(cusparseCooGet, cusparseSpMatDescr_t, void**)
SPK_COO_GETTER(cusparseConstCooGet, cusparseConstSpMatDescr_t, const void**)

#define SPK_BLOCKED_ELL_GETTER(function, descriptor, array)                                                           \
  extern "C" cusparseStatus_t function(                                                                               \
      descriptor spMatDescr, int64_t* rows, int64_t* cols, int64_t* ellBlockSize, int64_t* ellCols, array ellColInd,  \
      array ellValue, cusparseIndexType_t* ellIdxType, cusparseIndexBase_t* idxBase, cudaDataType* valueType) {       \
    return SPK_CALL(spMatDescr, rows, cols, ellBlockSize, ellCols, ellColInd, ellValue, ellIdxType, idxBase,          \
                    valueType)                                                                                        \
        .run([&] {                                                                                                    \
          get_blocked_ell(require_format(spMatDescr, CUSPARSE_FORMAT_BLOCKED_ELL), rows, cols, ellBlockSize, ellCols, \
                          ellColInd, ellValue, ellIdxType, idxBase, valueType);                                       \
        });                                                                                                           \
  }
SPK_BLOCKED_ELL_GETTER(cusparseBlockedEllGet, cusparseSpMatDescr_t, void**)
SPK_BLOCKED_ELL_GETTER(cusparseConstBlockedEllGet, cusparseConstSpMatDescr_t, const void**)
