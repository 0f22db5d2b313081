// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Conversions between dense and sparse storage, and from CSR to CSC.
#include "compat/products.hpp"
#include "compat/sparse.hpp"

using namespace spk::compat;

namespace {

void check_alg(int alg, int only) {
  if (alg != only) throw_invalid("alg", alg, "is not an algorithm of this conversion");
}

std::size_t to_dense_workspace(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA, cusparseDnMatDescr_t matB,
                               cusparseSparseToDenseAlg_t alg) {
  check_alg(alg, CUSPARSE_SPARSETODENSE_ALG_DEFAULT);
  std::size_t bytes = 0;
  check(spk_sparse_to_dense_workspace(native_context(handle), SPK_NATIVE(matA), SPK_NATIVE(matB), &bytes));
  return bytes;
}

std::size_t to_sparse_workspace(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA, cusparseSpMatDescr_t matB,
                                cusparseDenseToSparseAlg_t alg) {
  check_alg(alg, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT);
  std::size_t bytes = 0;
  check(spk_dense_to_sparse_workspace(native_context(handle), SPK_NATIVE(matA), SPK_NATIVE(matB), &bytes));
  return bytes;
}

// Reads back how many entries libspk's descriptor says there are now.
void take_size(cusparseSpMatDescr& matrix) {
  spk_spmat_info_t info{};
  info.struct_size = sizeof info;
  check(spk_spmat_get_info(matrix.native.get(), &info));
  matrix.nnz = info.nnz;
  matrix.prepared.reset();
}

// cusparseCsr2cscEx2 says the two matrices in arrays. The structure alone is moved with a permutation that nobody asked
// for, in the caller's buffer.
class CsrToCsc {
 public:
  CsrToCsc(cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal, const int* csrRowPtr,
           const int* csrColInd, void* cscVal, int* cscColPtr, int* cscRowInd, cudaDataType valType,
           cusparseAction_t copyValues, cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg)
      : handle_(native_context(handle)), moves_values_(copyValues == CUSPARSE_ACTION_NUMERIC) {
    check_alg(alg, CUSPARSE_CSR2CSC_ALG_DEFAULT);
    if (copyValues != CUSPARSE_ACTION_NUMERIC && copyValues != CUSPARSE_ACTION_SYMBOLIC)
      throw_invalid("copyValues", copyValues, "must be 0 or 1");
    check_value_type(valType, "valType");
    // Without values their type says nothing.
    const cudaDataType type = moves_values_ ? valType : CUDA_R_32F;
    const auto arrays = [&](const void* offsets, const void* indices, const void* values) {
      return Arrays{offsets, indices, moves_values_ ? values : nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    idxBase, type};
    };
    // The CSC of a matrix is the CSR of its transpose.
    csr_ = make_compressed(CUSPARSE_FORMAT_CSR, m, n, nnz, arrays(csrRowPtr, csrColInd, csrVal));
    csc_ = make_compressed(CUSPARSE_FORMAT_CSR, n, m, nnz, arrays(cscColPtr, cscRowInd, cscVal));
    if (!moves_values_)
      permutation_bytes_ =
          (static_cast<std::size_t>(nnz) * sizeof(std::int64_t) + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::size_t needed() const {
    std::size_t bytes = 0;
    check(spk_csr_transpose_workspace(handle_, native_of(csr_.get(), "the CSR matrix"),
                                      native_of(csc_.get(), "the CSC matrix"), &bytes));
    return bytes + permutation_bytes_;
  }

  void run(void* buffer) const {
    const std::size_t bytes = needed();
    char* workspace = static_cast<char*>(workspace_in(buffer, bytes));
    auto* permutation = permutation_bytes_ == 0 ? nullptr : reinterpret_cast<std::int64_t*>(workspace);
    const std::size_t rest = bytes - permutation_bytes_;
    check(spk_csr_transpose(handle_, csr_->native.get(), csc_->native.get(), permutation,
                            rest == 0 ? nullptr : workspace + permutation_bytes_, rest));
  }

 private:
  spk_handle_t handle_;
  bool moves_values_;
  std::size_t permutation_bytes_ = 0;
  std::unique_ptr<cusparseSpMatDescr> csr_;
  std::unique_ptr<cusparseSpMatDescr> csc_;
};

}  // namespace

extern "C" cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                                             cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                                             size_t* bufferSize) {
  return SPK_CALL(handle, matA, matB, alg, bufferSize).run([&] {
    answer_buffer_size(handle, bufferSize, [&] { return to_dense_workspace(handle, matA, matB, alg); });
  });
}

extern "C" cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                                  cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                                  void* externalBuffer) {
  return SPK_CALL(handle, matA, matB, alg, externalBuffer).run([&] {
    const std::size_t needed = to_dense_workspace(handle, matA, matB, alg);
    check(spk_sparse_to_dense(native_context(handle), SPK_NATIVE(matA), SPK_NATIVE(matB),
                              workspace_in(externalBuffer, needed), needed));
  });
}

extern "C" cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                             cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                             size_t* bufferSize) {
  return SPK_CALL(handle, matA, matB, alg, bufferSize).run([&] {
    answer_buffer_size(handle, bufferSize, [&] { return to_sparse_workspace(handle, matA, matB, alg); });
  });
}

extern "C" cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                           cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                           void* externalBuffer) {
  return SPK_CALL(handle, matA, matB, alg, externalBuffer).run([&] {
    const std::size_t needed = to_sparse_workspace(handle, matA, matB, alg);
    void* workspace = workspace_in(externalBuffer, needed);
    // The columns of a Blocked-ELL matrix are the caller's.
    if (matB->format == CUSPARSE_FORMAT_BLOCKED_ELL) return;
    check(spk_dense_to_sparse_analyze(native_context(handle), SPK_NATIVE(matA), SPK_NATIVE(matB), workspace, needed));
    take_size(*matB);
  });
}

extern "C" cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                          cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
                                                          void* externalBuffer) {
  return SPK_CALL(handle, matA, matB, alg, externalBuffer).run([&] {
    const std::size_t needed = to_sparse_workspace(handle, matA, matB, alg);
    check(spk_dense_to_sparse_convert(native_context(handle), SPK_NATIVE(matA), SPK_NATIVE(matB),
                                      workspace_in(externalBuffer, needed), needed));
    matB->prepared.reset();
  });
}

extern "C" cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                                          const void* csrVal, const int* csrRowPtr,
                                                          const int* csrColInd, void* cscVal, int* cscColPtr,
                                                          int* cscRowInd, cudaDataType valType,
                                                          cusparseAction_t copyValues, cusparseIndexBase_t idxBase,
                                                          cusparseCsr2CscAlg_t alg, size_t* bufferSize) {
  return SPK_CALL(handle, m, n, nnz, csrVal, csrRowPtr, csrColInd, cscVal, cscColPtr, cscRowInd, valType, copyValues,
                  idxBase, alg, bufferSize)
      .run([&] {
        answer_buffer_size(handle, bufferSize, [&] {
          return CsrToCsc(handle, m, n, nnz, csrVal, csrRowPtr, csrColInd, cscVal, cscColPtr, cscRowInd, valType,
                          copyValues, idxBase, alg)
              .needed();
        });
      });
}

extern "C" cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                                               const int* csrRowPtr, const int* csrColInd, void* cscVal, int* cscColPtr,
                                               int* cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
                                               cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg, void* buffer) {
  return SPK_CALL(handle, m, n, nnz, csrVal, csrRowPtr, csrColInd, cscVal, cscColPtr, cscRowInd, valType, copyValues,
                  idxBase, alg, buffer)
      .run([&] {
        CsrToCsc(handle, m, n, nnz, csrVal, csrRowPtr, csrColInd, cscVal, cscColPtr, cscRowInd, valType, copyValues,
                 idxBase, alg)
            .run(buffer);
      });
}
