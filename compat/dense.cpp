// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Dense vectors and matrices.
#include <algorithm>

#include "compat/objects.hpp"

using namespace spk::compat;

namespace {

// A descriptor of this library does not tell const memory from other memory: cuSPARSE's does not either.
template <class Out>
void create_vector(Out* dnVecDescr, std::int64_t size, const void* values, cudaDataType valueType) {
  SPK_REQUIRE_PTR(dnVecDescr);
  check_size(size, "size");
  check_value_type(valueType, "valueType");
  check_alignment(values, bytes_of(valueType), "values");
  auto vector = std::make_unique<cusparseDnVecDescr>();
  vector->size = size;
  vector->values = const_cast<void*>(values);
  vector->value_type = valueType;
  if (is_type_of_spk(valueType)) {
    spk_dnvec_t native = nullptr;
    check(spk_dnvec_create(&native, size, vector->values, valueType));
    vector->native.reset(native);
  }
  *dnVecDescr = vector.release();
}

template <class Out>
void create_matrix(Out* dnMatDescr, std::int64_t rows, std::int64_t cols, std::int64_t ld, const void* values,
                   cudaDataType valueType, cusparseOrder_t order) {
  SPK_REQUIRE_PTR(dnMatDescr);
  check_size(rows, "rows");
  check_size(cols, "cols");
  check_value_type(valueType, "valueType");
  check_order(order, "order");
  const std::int64_t least = order == CUSPARSE_ORDER_COL ? rows : cols;
  if (ld < least)
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "ld = %lld but must be >= %s = %lld", static_cast<long long>(ld),
                  order == CUSPARSE_ORDER_COL ? "rows" : "cols", static_cast<long long>(least));
  check_alignment(values, bytes_of(valueType), "values");
  auto matrix = std::make_unique<cusparseDnMatDescr>();
  matrix->rows = rows;
  matrix->cols = cols;
  matrix->ld = ld;
  matrix->values = const_cast<void*>(values);
  matrix->value_type = valueType;
  matrix->order = order;
  if (is_type_of_spk(valueType)) {
    spk_dnmat_t native = nullptr;
    // cuSPARSE takes 0 for an empty matrix.
    check(spk_dnmat_create(&native, rows, cols, std::max(ld, std::int64_t{1}), matrix->values, valueType, order));
    matrix->native.reset(native);
  }
  *dnMatDescr = matrix.release();
}

template <class Pointer>
void get_vector(const cusparseDnVecDescr* dnVecDescr, std::int64_t* size, Pointer* values, cudaDataType* valueType) {
  const cusparseDnVecDescr& vector = SPK_OBJECT(dnVecDescr);
  store(Output{size, vector.size}, Output{values, vector.values}, Output{valueType, vector.value_type});
}

template <class Pointer>
void get_matrix(const cusparseDnMatDescr* dnMatDescr, std::int64_t* rows, std::int64_t* cols, std::int64_t* ld,
                Pointer* values, cudaDataType* type, cusparseOrder_t* order) {
  const cusparseDnMatDescr& matrix = SPK_OBJECT(dnMatDescr);
  store(Output{rows, matrix.rows}, Output{cols, matrix.cols}, Output{ld, matrix.ld}, Output{values, matrix.values},
        Output{type, matrix.value_type}, Output{order, matrix.order});
}

}  // namespace

extern "C" cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* dnVecDescr, int64_t size, void* values,
                                                cudaDataType valueType) {
  return SPK_CALL(dnVecDescr, size, values, valueType).run([&] { create_vector(dnVecDescr, size, values, valueType); });
}

extern "C" cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* dnVecDescr, int64_t size,
                                                     const void* values, cudaDataType valueType) {
  return SPK_CALL(dnVecDescr, size, values, valueType).run([&] { create_vector(dnVecDescr, size, values, valueType); });
}

extern "C" cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr) {
  return SPK_CALL(dnVecDescr).run([&] { destroy(dnVecDescr, "dnVecDescr"); });
}

extern "C" cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t dnVecDescr, int64_t* size, void** values,
                                             cudaDataType* valueType) {
  return SPK_CALL(dnVecDescr, size, values, valueType).run([&] { get_vector(dnVecDescr, size, values, valueType); });
}

extern "C" cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t dnVecDescr, int64_t* size,
                                                  const void** values, cudaDataType* valueType) {
  return SPK_CALL(dnVecDescr, size, values, valueType).run([&] { get_vector(dnVecDescr, size, values, valueType); });
}

extern "C" cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t dnVecDescr, void** values) {
  return SPK_CALL(dnVecDescr, values).run([&] { store(Output{values, SPK_OBJECT(dnVecDescr).values}); });
}

extern "C" cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t dnVecDescr, const void** values) {
  return SPK_CALL(dnVecDescr, values).run([&] { store(Output{values, SPK_OBJECT(dnVecDescr).values}); });
}

extern "C" cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t dnVecDescr, void* values) {
  return SPK_CALL(dnVecDescr, values).run([&] {
    cusparseDnVecDescr& vector = SPK_OBJECT(dnVecDescr);
    check_alignment(values, bytes_of(vector.value_type), "values");
    if (vector.native != nullptr) check(spk_dnvec_set_values(vector.native.get(), values));
    vector.values = values;
  });
}

extern "C" cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* dnMatDescr, int64_t rows, int64_t cols,
                                                int64_t ld, void* values, cudaDataType valueType,
                                                cusparseOrder_t order) {
  return SPK_CALL(dnMatDescr, rows, cols, ld, values, valueType, order).run([&] {
    create_matrix(dnMatDescr, rows, cols, ld, values, valueType, order);
  });
}

extern "C" cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* dnMatDescr, int64_t rows, int64_t cols,
                                                     int64_t ld, const void* values, cudaDataType valueType,
                                                     cusparseOrder_t order) {
  return SPK_CALL(dnMatDescr, rows, cols, ld, values, valueType, order).run([&] {
    create_matrix(dnMatDescr, rows, cols, ld, values, valueType, order);
  });
}

extern "C" cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr) {
  return SPK_CALL(dnMatDescr).run([&] { destroy(dnMatDescr, "dnMatDescr"); });
}

extern "C" cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t dnMatDescr, int64_t* rows, int64_t* cols, int64_t* ld,
                                             void** values, cudaDataType* type, cusparseOrder_t* order) {
  return SPK_CALL(dnMatDescr, rows, cols, ld, values, type, order).run([&] {
    get_matrix(dnMatDescr, rows, cols, ld, values, type, order);
  });
}

extern "C" cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t dnMatDescr, int64_t* rows, int64_t* cols,
                                                  int64_t* ld, const void** values, cudaDataType* type,
                                                  cusparseOrder_t* order) {
  return SPK_CALL(dnMatDescr, rows, cols, ld, values, type, order).run([&] {
    get_matrix(dnMatDescr, rows, cols, ld, values, type, order);
  });
}

extern "C" cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t dnMatDescr, void** values) {
  return SPK_CALL(dnMatDescr, values).run([&] { store(Output{values, SPK_OBJECT(dnMatDescr).values}); });
}

extern "C" cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t dnMatDescr, const void** values) {
  return SPK_CALL(dnMatDescr, values).run([&] { store(Output{values, SPK_OBJECT(dnMatDescr).values}); });
}

extern "C" cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t dnMatDescr, void* values) {
  return SPK_CALL(dnMatDescr, values).run([&] {
    cusparseDnMatDescr& matrix = SPK_OBJECT(dnMatDescr);
    check_alignment(values, bytes_of(matrix.value_type), "values");
    if (matrix.native != nullptr) check(spk_dnmat_set_values(matrix.native.get(), values));
    matrix.values = values;
  });
}

extern "C" cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t dnMatDescr, int batchCount,
                                                         int64_t batchStride) {
  return SPK_CALL(dnMatDescr, batchCount, batchStride).run([&] {
    cusparseDnMatDescr& matrix = SPK_OBJECT(dnMatDescr);
    check_batch_count(batchCount);
    const std::int64_t extent = matrix.ld * (matrix.order == CUSPARSE_ORDER_COL ? matrix.cols : matrix.rows);
    // One matrix has no stride, but keeps the number.
    const bool is_batch = batchCount > 1;
    if (is_batch && batchStride != 0 && batchStride < extent)
      throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "batchStride = %lld but must be 0 or at least %lld elements",
                    static_cast<long long>(batchStride), static_cast<long long>(extent));
    if (matrix.native != nullptr)
      check(spk_dnmat_set_batch(matrix.native.get(), batchCount, is_batch ? batchStride : 0));
    matrix.batch_count = batchCount;
    matrix.batch_stride = batchStride;
  });
}

extern "C" cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t dnMatDescr, int* batchCount,
                                                         int64_t* batchStride) {
  return SPK_CALL(dnMatDescr, batchCount, batchStride).run([&] {
    const cusparseDnMatDescr& matrix = SPK_OBJECT(dnMatDescr);
    store(Output{batchCount, matrix.batch_count}, Output{batchStride, matrix.batch_stride});
  });
}
