// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// Legacy descriptors, compression of row indices and sorting.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "compat/products.hpp"
#include "compat/sparse.hpp"

using namespace spk::compat;

struct cusparseMatDescr : Tagged<Tag::matdescr> {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill_mode = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag_type = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

namespace {

// The fields of a descriptor, or of a new one.
const cusparseMatDescr& fields_of(const cusparseMatDescr* descrA) {
  static const cusparseMatDescr kNew;
  return descrA == nullptr ? kNew : *descrA;
}

template <class Enum>
void set_field(Enum& field, Enum value, int largest, const char* name) {
  if (value < 0 || value > largest) throw_invalid(name, value, "is not of its enumeration");
  field = value;
}

// A matrix of ints that is sorted. The numbers in P stand where values do: sorting moves the bits of four bytes.
std::unique_ptr<cusparseSpMatDescr> sortable(cusparseFormat_t format, int rows, int cols, int nnz, const int* offsets,
                                             const int* indices, const int* P, cusparseIndexBase_t base) {
  const Arrays arrays{offsets, indices, P, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base, CUDA_R_32F};
  if (format != CUSPARSE_FORMAT_COO) return make_compressed(format, rows, cols, nnz, arrays);
  // COO comes without its base; one more row and column make room for either.
  return make_coo(std::int64_t{rows} + 1, std::int64_t{cols} + 1, nnz, arrays);
}

std::size_t sort_workspace(cusparseHandle_t handle, const cusparseSpMatDescr& matrix) {
  std::size_t bytes = 0;
  check(spk_spmat_sort_workspace(native_context(handle), matrix.native.get(), &bytes));
  return bytes;
}

void sort(cusparseHandle_t handle, const std::unique_ptr<cusparseSpMatDescr>& matrix, int* P, void* pBuffer) {
  if (matrix->nnz != 0) SPK_REQUIRE_PTR(P);
  const std::size_t needed = sort_workspace(handle, *matrix);
  check(spk_spmat_sort(native_context(handle), matrix->native.get(), nullptr, workspace_in(pBuffer, needed), needed));
}

}  // namespace

extern "C" cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descrA) {
  return SPK_CALL(descrA).run([&] {
    SPK_REQUIRE_PTR(descrA);
    *descrA = new cusparseMatDescr;
  });
}

extern "C" cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA) {
  return SPK_CALL(descrA).run([&] { destroy(descrA, "descrA"); });
}

extern "C" cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descrA, cusparseMatrixType_t type) {
  return SPK_CALL(descrA, type).run([&] {
    set_field(SPK_OBJECT(descrA).type, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR, "type");
  });
}

extern "C" cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descrA, cusparseFillMode_t fillMode) {
  return SPK_CALL(descrA, fillMode).run([&] {
    set_field(SPK_OBJECT(descrA).fill_mode, fillMode, CUSPARSE_FILL_MODE_UPPER, "fillMode");
  });
}

extern "C" cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descrA, cusparseDiagType_t diagType) {
  return SPK_CALL(descrA, diagType).run([&] {
    set_field(SPK_OBJECT(descrA).diag_type, diagType, CUSPARSE_DIAG_TYPE_UNIT, "diagType");
  });
}

extern "C" cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descrA, cusparseIndexBase_t base) {
  return SPK_CALL(descrA, base).run([&] { set_field(SPK_OBJECT(descrA).base, base, CUSPARSE_INDEX_BASE_ONE, "base"); });
}

extern "C" cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descrA) { return fields_of(descrA).type; }

extern "C" cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descrA) {
  return fields_of(descrA).fill_mode;
}

extern "C" cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descrA) {
  return fields_of(descrA).diag_type;
}

extern "C" cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descrA) {
  return fields_of(descrA).base;
}

extern "C" cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* cooRowInd, int nnz, int m,
                                             int* csrSortedRowPtr, cusparseIndexBase_t idxBase) {
  return SPK_CALL(handle, cooRowInd, nnz, m, csrSortedRowPtr, idxBase).run([&] {
    check_base(idxBase, "idxBase");
    // A conversion's first step writes offsets and looks at no value. Columns and values are not given, and do not
    // matter: the row indices stand in for both, in a matrix as wide as an int allows.
    const std::int64_t cols = std::numeric_limits<int>::max() - idxBase;
    const auto arrays = [&](const int* offsets, const int* indices) {
      return Arrays{offsets, indices, indices, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, idxBase, CUDA_R_32F};
    };
    const auto coo = make_coo(m, cols, nnz, arrays(cooRowInd, cooRowInd));
    const auto csr = make_compressed(CUSPARSE_FORMAT_CSR, m, cols, 0, arrays(csrSortedRowPtr, nullptr));
    check(spk_sparse_to_sparse_analyze(native_context(handle), coo->native.get(), csr->native.get(), nullptr, 0));
  });
}

extern "C" cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
  return SPK_CALL(handle, n, p).run([&] {
    check_size(n, "n");
    std::vector<int> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    check(spk_memory_upload(native_context(handle), p, numbers.data(), numbers.size() * sizeof(int)));
  });
}

extern "C" cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                           const int* cooRowsA, const int* cooColsA,
                                                           size_t* pBufferSizeInBytes) {
  return SPK_CALL(handle, m, n, nnz, cooRowsA, cooColsA, pBufferSizeInBytes).run([&] {
    answer_buffer_size(handle, pBufferSizeInBytes, [&] {
      // One size for both orders.
      const auto by_row = sortable(CUSPARSE_FORMAT_COO, m, n, nnz, cooRowsA, cooColsA, nullptr, {});
      const auto by_column = sortable(CUSPARSE_FORMAT_COO, n, m, nnz, cooColsA, cooRowsA, nullptr, {});
      return std::max(sort_workspace(handle, *by_row), sort_workspace(handle, *by_column));
    });
  });
}

extern "C" cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int* cooRowsA,
                                                  int* cooColsA, int* P, void* pBuffer) {
  return SPK_CALL(handle, m, n, nnz, cooRowsA, cooColsA, P, pBuffer).run([&] {
    sort(handle, sortable(CUSPARSE_FORMAT_COO, m, n, nnz, cooRowsA, cooColsA, P, {}), P, pBuffer);
  });
}

extern "C" cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int* cooRowsA,
                                                     int* cooColsA, int* P, void* pBuffer) {
  return SPK_CALL(handle, m, n, nnz, cooRowsA, cooColsA, P, pBuffer).run([&] {
    sort(handle, sortable(CUSPARSE_FORMAT_COO, n, m, nnz, cooColsA, cooRowsA, P, {}), P, pBuffer);
  });
}

extern "C" cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                           const int* csrRowPtrA, const int* csrColIndA,
                                                           size_t* pBufferSizeInBytes) {
  return SPK_CALL(handle, m, n, nnz, csrRowPtrA, csrColIndA, pBufferSizeInBytes).run([&] {
    answer_buffer_size(handle, pBufferSizeInBytes, [&] {
      return sort_workspace(handle, *sortable(CUSPARSE_FORMAT_CSR, m, n, nnz, csrRowPtrA, csrColIndA, nullptr, {}));
    });
  });
}

extern "C" cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                             const cusparseMatDescr_t descrA, const int* csrRowPtrA, int* csrColIndA,
                                             int* P, void* pBuffer) {
  return SPK_CALL(handle, m, n, nnz, descrA, csrRowPtrA, csrColIndA, P, pBuffer).run([&] {
    sort(handle, sortable(CUSPARSE_FORMAT_CSR, m, n, nnz, csrRowPtrA, csrColIndA, P, SPK_OBJECT(descrA).base), P,
         pBuffer);
  });
}

extern "C" cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                           const int* cscColPtrA, const int* cscRowIndA,
                                                           size_t* pBufferSizeInBytes) {
  return SPK_CALL(handle, m, n, nnz, cscColPtrA, cscRowIndA, pBufferSizeInBytes).run([&] {
    answer_buffer_size(handle, pBufferSizeInBytes, [&] {
      return sort_workspace(handle, *sortable(CUSPARSE_FORMAT_CSC, m, n, nnz, cscColPtrA, cscRowIndA, nullptr, {}));
    });
  });
}

extern "C" cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                             const cusparseMatDescr_t descrA, const int* cscColPtrA, int* cscRowIndA,
                                             int* P, void* pBuffer) {
  return SPK_CALL(handle, m, n, nnz, descrA, cscColPtrA, cscRowIndA, P, pBuffer).run([&] {
    sort(handle, sortable(CUSPARSE_FORMAT_CSC, m, n, nnz, cscColPtrA, cscRowIndA, P, SPK_OBJECT(descrA).base), P,
         pBuffer);
  });
}
