// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>

// A library with cuSPARSE's soname and the functions that the interposer uses. It computes nothing: a product answers with
// a marker, so that a test sees who was asked.
namespace fake_cusparse {

constexpr int kMarker = 42;

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;
};

struct Sparse {
  int format = 1;
  int batches = 1;
  std::int64_t rows = 0, cols = 0, nnz = 0;
  const void *offsets = nullptr, *indices = nullptr, *values = nullptr;
  int offset_type = 2, index_type = 2, base = 0, type = 0;
};

struct Dense {
  std::int64_t rows = 0, cols = 0, ld = 0;
  const void* values = nullptr;
  int type = 0, order = 2;
  int batches = 1;
};

// What a test sets, and what the library counts.
struct State {
  int buffer_status = 0;
  std::size_t buffer_bytes = 0;
  int buffer_sizes = 0, preprocesses = 0, executions = 0, destroys = 0;
};

}  // namespace fake_cusparse

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))
#define FAKE_PRODUCT                                                                                                   \
  void *handle, int opA, int opB, const void *alpha, const void *matA, const void *matB, const void *beta, void *matC, \
      int computeType, int alg

FAKE_EXPORT fake_cusparse::State* fake_cusparse_state();
FAKE_EXPORT int cusparseSpMM_bufferSize(FAKE_PRODUCT, std::size_t* bytes);
FAKE_EXPORT int cusparseSpMM_preprocess(FAKE_PRODUCT, void* buffer);
FAKE_EXPORT int cusparseSpMM(FAKE_PRODUCT, void* buffer);
FAKE_EXPORT int cusparseSDDMM_bufferSize(FAKE_PRODUCT, std::size_t* bytes);
FAKE_EXPORT int cusparseSDDMM_preprocess(FAKE_PRODUCT, void* buffer);
FAKE_EXPORT int cusparseSDDMM(FAKE_PRODUCT, void* buffer);
FAKE_EXPORT int cusparseDestroySpMat(const void* mat);
FAKE_EXPORT int cusparseCsrSetPointers(void* mat, void* offsets, void* indices, void* values);
FAKE_EXPORT int cusparseCooSetPointers(void* mat, void* rows, void* cols, void* values);
FAKE_EXPORT int cusparseSpMatSetAttribute(void* mat, int attribute, const void* data, std::size_t bytes);
