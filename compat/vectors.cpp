// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Sparse vectors and their operations.
#include <limits>

#include "compat/products.hpp"

using namespace spk::compat;

namespace {

template <class Out>
void create(Out* spVecDescr, std::int64_t size, std::int64_t nnz, const void* indices, const void* values,
            cusparseIndexType_t idxType, cusparseIndexBase_t idxBase, cudaDataType valueType) {
  SPK_REQUIRE_PTR(spVecDescr);
  check_size(size, "size");
  check_size(nnz, "nnz");
  if (nnz > size)
    throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "nnz = %lld but size = %lld", static_cast<long long>(nnz),
                  static_cast<long long>(size));
  check_index_type(idxType, "idxType");
  check_base(idxBase, "idxBase");
  check_value_type(valueType, "valueType");
  check_alignment(indices, bytes_of(idxType), "indices");
  check_alignment(values, bytes_of(valueType), "values");
  if (idxType == CUSPARSE_INDEX_32I && size > std::numeric_limits<std::int32_t>::max() - idxBase)
    throw_invalid("size", size, "with idxBase it does not fit CUSPARSE_INDEX_32I");
  auto vector = std::make_unique<cusparseSpVecDescr>();
  vector->size = size;
  vector->nnz = nnz;
  vector->indices = const_cast<void*>(indices);
  vector->values = const_cast<void*>(values);
  vector->index_type = idxType;
  vector->base = idxBase;
  vector->value_type = valueType;
  if (is_type_of_spk(valueType) && idxType != CUSPARSE_INDEX_16U) {
    spk_spvec_t native = nullptr;
    check(spk_spvec_create(&native, size, nnz, vector->indices, vector->values, idxType, idxBase, valueType));
    vector->native.reset(native);
  }
  *spVecDescr = vector.release();
}

template <class Pointer>
void get(const cusparseSpVecDescr& v, std::int64_t* size, std::int64_t* nnz, Pointer* indices, Pointer* values,
         cusparseIndexType_t* idxType, cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  store(Output{size, v.size}, Output{nnz, v.nnz}, Output{indices, v.indices}, Output{values, v.values},
        Output{idxType, v.index_type}, Output{idxBase, v.base}, Output{valueType, v.value_type});
}

std::size_t dot_workspace(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                          cusparseConstDnVecDescr_t vecY, cudaDataType computeType) {
  check_compute_type(computeType);
  std::size_t bytes = 0;
  check(spk_spvv_workspace(native_context(handle), opX, SPK_NATIVE(vecX), SPK_NATIVE(vecY), computeType, &bytes));
  return bytes;
}

}  // namespace

extern "C" cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* spVecDescr, int64_t size, int64_t nnz,
                                                void* indices, void* values, cusparseIndexType_t idxType,
                                                cusparseIndexBase_t idxBase, cudaDataType valueType) {
  return SPK_CALL(spVecDescr, size, nnz, indices, values, idxType, idxBase, valueType).run([&] {
    create(spVecDescr, size, nnz, indices, values, idxType, idxBase, valueType);
  });
}

extern "C" cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* spVecDescr, int64_t size, int64_t nnz,
                                                     const void* indices, const void* values,
                                                     cusparseIndexType_t idxType, cusparseIndexBase_t idxBase,
                                                     cudaDataType valueType) {
  return SPK_CALL(spVecDescr, size, nnz, indices, values, idxType, idxBase, valueType).run([&] {
    create(spVecDescr, size, nnz, indices, values, idxType, idxBase, valueType);
  });
}

extern "C" cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t spVecDescr) {
  return SPK_CALL(spVecDescr).run([&] { destroy(spVecDescr, "spVecDescr"); });
}

extern "C" cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t spVecDescr, int64_t* size, int64_t* nnz,
                                             void** indices, void** values, cusparseIndexType_t* idxType,
                                             cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  return SPK_CALL(spVecDescr, size, nnz, indices, values, idxType, idxBase, valueType).run([&] {
    get(SPK_OBJECT(spVecDescr), size, nnz, indices, values, idxType, idxBase, valueType);
  });
}

extern "C" cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t spVecDescr, int64_t* size, int64_t* nnz,
                                                  const void** indices, const void** values,
                                                  cusparseIndexType_t* idxType, cusparseIndexBase_t* idxBase,
                                                  cudaDataType* valueType) {
  return SPK_CALL(spVecDescr, size, nnz, indices, values, idxType, idxBase, valueType).run([&] {
    get(SPK_OBJECT(spVecDescr), size, nnz, indices, values, idxType, idxBase, valueType);
  });
}

extern "C" cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t spVecDescr,
                                                      cusparseIndexBase_t* idxBase) {
  return SPK_CALL(spVecDescr, idxBase).run([&] { store(Output{idxBase, SPK_OBJECT(spVecDescr).base}); });
}

extern "C" cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t spVecDescr, void** values) {
  return SPK_CALL(spVecDescr, values).run([&] { store(Output{values, SPK_OBJECT(spVecDescr).values}); });
}

extern "C" cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t spVecDescr, const void** values) {
  return SPK_CALL(spVecDescr, values).run([&] { store(Output{values, SPK_OBJECT(spVecDescr).values}); });
}

extern "C" cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t spVecDescr, void* values) {
  return SPK_CALL(spVecDescr, values).run([&] {
    cusparseSpVecDescr& vector = SPK_OBJECT(spVecDescr);
    check_alignment(values, bytes_of(vector.value_type), "values");
    if (vector.native != nullptr) check(spk_spvec_set_values(vector.native.get(), values));
    vector.values = values;
  });
}

extern "C" cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t vecX,
                                          const void* beta, cusparseDnVecDescr_t vecY) {
  return SPK_CALL(handle, alpha, vecX, beta, vecY).run([&] {
    check(spk_axpby(native_context(handle), alpha, SPK_NATIVE(vecX), beta, SPK_NATIVE(vecY)));
  });
}

extern "C" cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                           cusparseSpVecDescr_t vecX) {
  return SPK_CALL(handle, vecY, vecX).run([&] {
    check(spk_gather(native_context(handle), SPK_NATIVE(vecY), SPK_NATIVE(vecX)));
  });
}

extern "C" cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                            cusparseDnVecDescr_t vecY) {
  return SPK_CALL(handle, vecX, vecY).run([&] {
    check(spk_scatter(native_context(handle), SPK_NATIVE(vecX), SPK_NATIVE(vecY)));
  });
}

extern "C" cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c_coeff, const void* s_coeff,
                                        cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY) {
  return SPK_CALL(handle, c_coeff, s_coeff, vecX, vecY).run([&] {
    check(spk_rot(native_context(handle), c_coeff, s_coeff, SPK_NATIVE(vecX), SPK_NATIVE(vecY)));
  });
}

extern "C" cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                                    cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                                    const void* result, cudaDataType computeType, size_t* bufferSize) {
  return SPK_CALL(handle, opX, vecX, vecY, result, computeType, bufferSize).run([&] {
    answer_buffer_size(handle, bufferSize, [&] { return dot_workspace(handle, opX, vecX, vecY, computeType); });
  });
}

extern "C" cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                                         cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY, void* result,
                                         cudaDataType computeType, void* externalBuffer) {
  return SPK_CALL(handle, opX, vecX, vecY, result, computeType, externalBuffer).run([&] {
    const std::size_t needed = dot_workspace(handle, opX, vecX, vecY, computeType);
    check(spk_spvv(native_context(handle), opX, SPK_NATIVE(vecX), SPK_NATIVE(vecY), result, computeType,
                   workspace_in(externalBuffer, needed), needed));
  });
}
