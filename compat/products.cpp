// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// SpMV, SpMM and SDDMM.
#include "compat/products.hpp"

using namespace spk::compat;

namespace {

const cusparseSpMatDescr& without_attributes(const cusparseSpMatDescr& matrix, const char* name) {
  if (matrix.has_attribute)
    throw Failure(CUSPARSE_STATUS_NOT_SUPPORTED, "%s has a fill mode or a diagonal type, but spk takes all its entries",
                  name);
  return matrix;
}

PlanKey::Dense shape_of(const cusparseDnMatDescr& m) {
  return {m.rows, m.cols, m.ld, m.batch_count, m.batch_stride, m.value_type, m.order};
}

PlanKey::Dense shape_of(const cusparseDnVecDescr& v) { return {v.size, 1, v.size, 1, 0, v.value_type, 0}; }

// What all three have: the handle, the options and the objects of libspk. Operands are named as in the API.
struct Options {
  spk_handle_t handle;
  std::int32_t op_a;
  std::int32_t op_b;
  std::int32_t compute_type;
  std::int32_t alg;

  Options(cusparseHandle_t context, cusparseOperation_t opA, cusparseOperation_t opB, cudaDataType computeType,
          int alg_)
      : handle(native_context(context)), op_a(opA), op_b(opB), compute_type(computeType), alg(alg_) {
    check_compute_type(computeType);
  }

  PlanKey key(std::int32_t operation, const PlanKey::Dense& first, const PlanKey::Dense& second) const {
    PlanKey key{operation, 0, op_a, op_b, compute_type, alg, first, second};
    check(spk_get_backend(handle, &key.backend));
    return key;
  }
};

struct Spmv : Options {
  const cusparseSpMatDescr& a;
  const cusparseDnVecDescr& x;
  const cusparseDnVecDescr& y;
  spk_const_spmat_t native_a;
  spk_const_dnvec_t native_x;
  spk_dnvec_t native_y;

  Spmv(cusparseHandle_t context, cusparseOperation_t opA, cusparseConstSpMatDescr_t matA,
       cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY, cudaDataType computeType, int alg_)
      : Options(context, opA, CUSPARSE_OPERATION_NON_TRANSPOSE, computeType, alg_),
        a(without_attributes(SPK_OBJECT(matA), "matA")),
        x(SPK_OBJECT(vecX)),
        y(SPK_OBJECT(vecY)),
        native_a(SPK_NATIVE(matA)),
        native_x(SPK_NATIVE(vecX)),
        native_y(SPK_NATIVE(vecY)) {}

  const cusparseSpMatDescr& sparse() const { return a; }
  PlanKey key() const { return Options::key(SPK_OPERATION_SPMV, shape_of(x), shape_of(y)); }
  spk_status_t workspace(std::size_t* bytes) const {
    return spk_spmv_workspace(handle, op_a, native_a, native_x, native_y, compute_type, alg, bytes);
  }
  spk_status_t run(const void* alpha, const void* beta, void* work, std::size_t bytes) const {
    return spk_spmv(handle, op_a, alpha, native_a, native_x, beta, native_y, compute_type, alg, work, bytes);
  }
  spk_status_t make_plan(spk_plan_t* plan) const {
    return spk_spmv_plan_create(plan, handle, op_a, native_a, native_x, native_y, compute_type, alg);
  }
  spk_status_t run(spk_plan_t plan, const void* alpha, const void* beta, void* work, std::size_t bytes) const {
    return spk_spmv_execute(handle, plan, alpha, native_a, native_x, beta, native_y, work, bytes);
  }
};

struct Spmm : Options {
  const cusparseSpMatDescr& a;
  const cusparseDnMatDescr& b;
  const cusparseDnMatDescr& c;
  spk_const_spmat_t native_a;
  spk_const_dnmat_t native_b;
  spk_dnmat_t native_c;

  Spmm(cusparseHandle_t context, cusparseOperation_t opA, cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC, cudaDataType computeType, int alg_)
      : Options(context, opA, opB, computeType, alg_),
        a(without_attributes(SPK_OBJECT(matA), "matA")),
        b(SPK_OBJECT(matB)),
        c(SPK_OBJECT(matC)),
        native_a(SPK_NATIVE(matA)),
        native_b(SPK_NATIVE(matB)),
        native_c(SPK_NATIVE(matC)) {}

  const cusparseSpMatDescr& sparse() const { return a; }
  PlanKey key() const { return Options::key(SPK_OPERATION_SPMM, shape_of(b), shape_of(c)); }
  spk_status_t workspace(std::size_t* bytes) const {
    return spk_spmm_workspace(handle, op_a, op_b, native_a, native_b, native_c, compute_type, alg, bytes);
  }
  spk_status_t run(const void* alpha, const void* beta, void* work, std::size_t bytes) const {
    return spk_spmm(handle, op_a, op_b, alpha, native_a, native_b, beta, native_c, compute_type, alg, work, bytes);
  }
  spk_status_t make_plan(spk_plan_t* plan) const {
    return spk_spmm_plan_create(plan, handle, op_a, op_b, native_a, native_b, native_c, compute_type, alg, nullptr);
  }
  spk_status_t run(spk_plan_t plan, const void* alpha, const void* beta, void* work, std::size_t bytes) const {
    return spk_spmm_execute(handle, plan, alpha, native_a, native_b, beta, native_c, nullptr, work, bytes);
  }
};

struct Sddmm : Options {
  const cusparseDnMatDescr& a;
  const cusparseDnMatDescr& b;
  const cusparseSpMatDescr& c;
  spk_const_dnmat_t native_a;
  spk_const_dnmat_t native_b;
  spk_spmat_t native_c;

  Sddmm(cusparseHandle_t context, cusparseOperation_t opA, cusparseOperation_t opB, cusparseConstDnMatDescr_t matA,
        cusparseConstDnMatDescr_t matB, cusparseSpMatDescr_t matC, cudaDataType computeType, int alg_)
      : Options(context, opA, opB, computeType, alg_),
        a(SPK_OBJECT(matA)),
        b(SPK_OBJECT(matB)),
        c(without_attributes(SPK_OBJECT(matC), "matC")),
        native_a(SPK_NATIVE(matA)),
        native_b(SPK_NATIVE(matB)),
        native_c(SPK_NATIVE(matC)) {}

  const cusparseSpMatDescr& sparse() const { return c; }
  PlanKey key() const { return Options::key(SPK_OPERATION_SDDMM, shape_of(a), shape_of(b)); }
  spk_status_t workspace(std::size_t* bytes) const {
    return spk_sddmm_workspace(handle, op_a, op_b, native_a, native_b, native_c, compute_type, alg, bytes);
  }
  spk_status_t run(const void* alpha, const void* beta, void* work, std::size_t bytes) const {
    return spk_sddmm(handle, op_a, op_b, alpha, native_a, native_b, beta, native_c, compute_type, alg, work, bytes);
  }
  spk_status_t make_plan(spk_plan_t* plan) const {
    return spk_sddmm_plan_create(plan, handle, op_a, op_b, native_a, native_b, native_c, compute_type, alg);
  }
  spk_status_t run(spk_plan_t plan, const void* alpha, const void* beta, void* work, std::size_t bytes) const {
    return spk_sddmm_execute(handle, plan, alpha, native_a, native_b, beta, native_c, work, bytes);
  }
};

}  // namespace

extern "C" cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                                    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                                    const void* beta, cusparseDnVecDescr_t vecY,
                                                    cudaDataType computeType, cusparseSpMVAlg_t alg,
                                                    size_t* bufferSize) {
  return SPK_CALL(handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg, bufferSize).run([&] {
    answer_buffer_size(handle, bufferSize,
                       [&] { return needed_by(Spmv(handle, opA, matA, vecX, vecY, computeType, alg)); });
  });
}

extern "C" cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                                    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                                    const void* beta, cusparseDnVecDescr_t vecY,
                                                    cudaDataType computeType, cusparseSpMVAlg_t alg,
                                                    void* externalBuffer) {
  return SPK_CALL(handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg, externalBuffer).run([&] {
    preprocess(Spmv(handle, opA, matA, vecX, vecY, computeType, alg), externalBuffer);
  });
}

extern "C" cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                         cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                         const void* beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, void* externalBuffer) {
  return SPK_CALL(handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg, externalBuffer).run([&] {
    execute(Spmv(handle, opA, matA, vecX, vecY, computeType, alg), alpha, beta, externalBuffer);
  });
}

extern "C" cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                                    cusparseOperation_t opB, const void* alpha,
                                                    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                    const void* beta, cusparseDnMatDescr_t matC,
                                                    cudaDataType computeType, cusparseSpMMAlg_t alg,
                                                    size_t* bufferSize) {
  return SPK_CALL(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, bufferSize).run([&] {
    answer_buffer_size(handle, bufferSize,
                       [&] { return needed_by(Spmm(handle, opA, opB, matA, matB, matC, computeType, alg)); });
  });
}

extern "C" cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                                    cusparseOperation_t opB, const void* alpha,
                                                    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                    const void* beta, cusparseDnMatDescr_t matC,
                                                    cudaDataType computeType, cusparseSpMMAlg_t alg,
                                                    void* externalBuffer) {
  return SPK_CALL(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, externalBuffer).run([&] {
    preprocess(Spmm(handle, opA, opB, matA, matB, matC, computeType, alg), externalBuffer);
  });
}

extern "C" cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                         const void* alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void* beta, cusparseDnMatDescr_t matC,
                                         cudaDataType computeType, cusparseSpMMAlg_t alg, void* externalBuffer) {
  return SPK_CALL(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, externalBuffer).run([&] {
    execute(Spmm(handle, opA, opB, matA, matB, matC, computeType, alg), alpha, beta, externalBuffer);
  });
}

extern "C" cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                                     cusparseOperation_t opB, const void* alpha,
                                                     cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                     const void* beta, cusparseSpMatDescr_t matC,
                                                     cudaDataType computeType, cusparseSDDMMAlg_t alg,
                                                     size_t* bufferSize) {
  return SPK_CALL(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, bufferSize).run([&] {
    answer_buffer_size(handle, bufferSize,
                       [&] { return needed_by(Sddmm(handle, opA, opB, matA, matB, matC, computeType, alg)); });
  });
}

extern "C" cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                                     cusparseOperation_t opB, const void* alpha,
                                                     cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                                     const void* beta, cusparseSpMatDescr_t matC,
                                                     cudaDataType computeType, cusparseSDDMMAlg_t alg,
                                                     void* externalBuffer) {
  return SPK_CALL(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, externalBuffer).run([&] {
    preprocess(Sddmm(handle, opA, opB, matA, matB, matC, computeType, alg), externalBuffer);
  });
}

extern "C" cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                          const void* alpha, cusparseConstDnMatDescr_t matA,
                                          cusparseConstDnMatDescr_t matB, const void* beta, cusparseSpMatDescr_t matC,
                                          cudaDataType computeType, cusparseSDDMMAlg_t alg, void* externalBuffer) {
  return SPK_CALL(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, externalBuffer).run([&] {
    execute(Sddmm(handle, opA, opB, matA, matB, matC, computeType, alg), alpha, beta, externalBuffer);
  });
}
