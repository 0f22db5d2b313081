// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/preload/fake_cusparse.hpp"

using fake_cusparse::Dense;
using fake_cusparse::Handle;
using fake_cusparse::kMarker;
using fake_cusparse::Sparse;
using fake_cusparse::State;

namespace {

State state;

int tell_bytes(std::size_t* bytes) {
  ++state.buffer_sizes;
  if (state.buffer_status == 0) *bytes = state.buffer_bytes;
  return state.buffer_status;
}

int set_pointers(void* mat, void* first, void* second, void* values) {
  auto* sparse = static_cast<Sparse*>(mat);
  sparse->offsets = first;
  sparse->indices = second;
  sparse->values = values;
  return 0;
}

}  // namespace

State* fake_cusparse_state() { return &state; }

int cusparseSpMM_bufferSize(void*, int, int, const void*, const void*, const void*, const void*, void*, int, int,
                            std::size_t* bytes) {
  return tell_bytes(bytes);
}
int cusparseSDDMM_bufferSize(void*, int, int, const void*, const void*, const void*, const void*, void*, int, int,
                             std::size_t* bytes) {
  return tell_bytes(bytes);
}
int cusparseSpMM_preprocess(void*, int, int, const void*, const void*, const void*, const void*, void*, int, int,
                            void*) {
  ++state.preprocesses;
  return 0;
}
int cusparseSDDMM_preprocess(void*, int, int, const void*, const void*, const void*, const void*, void*, int, int,
                             void*) {
  ++state.preprocesses;
  return 0;
}
int cusparseSpMM(void*, int, int, const void*, const void*, const void*, const void*, void*, int, int, void*) {
  ++state.executions;
  return kMarker;
}
int cusparseSDDMM(void*, int, int, const void*, const void*, const void*, const void*, void*, int, int, void*) {
  ++state.executions;
  return kMarker;
}
int cusparseDestroySpMat(const void*) {
  ++state.destroys;
  return 0;
}
int cusparseCsrSetPointers(void* mat, void* offsets, void* indices, void* values) {
  return set_pointers(mat, offsets, indices, values);
}
int cusparseCooSetPointers(void* mat, void* rows, void* cols, void* values) {
  return set_pointers(mat, rows, cols, values);
}
// Takes fill mode and diagonal type, as cuSPARSE does.
int cusparseSpMatSetAttribute(void*, int attribute, const void*, std::size_t) {
  return attribute == 0 || attribute == 1 ? 0 : 3;
}

FAKE_EXPORT int cusparseSpMatGetFormat(const Sparse* mat, int* format);
FAKE_EXPORT int cusparseSpMatGetStridedBatch(const Sparse* mat, int* batches);
FAKE_EXPORT int cusparseConstCsrGet(const Sparse* mat, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz,
                                    const void** offsets, const void** indices, const void** values, int* offset_type,
                                    int* index_type, int* base, int* type);
FAKE_EXPORT int cusparseConstCooGet(const Sparse* mat, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz,
                                    const void** offsets, const void** indices, const void** values, int* index_type,
                                    int* base, int* type);
FAKE_EXPORT int cusparseConstDnMatGet(const Dense* mat, std::int64_t* rows, std::int64_t* cols, std::int64_t* ld,
                                      const void** values, int* type, int* order);
FAKE_EXPORT int cusparseDnMatGetStridedBatch(const Dense* mat, int* batches, std::int64_t* stride);
FAKE_EXPORT int cusparseGetStream(const Handle* handle, void** stream);
FAKE_EXPORT int cusparseGetPointerMode(const Handle* handle, int* mode);

int cusparseSpMatGetFormat(const Sparse* mat, int* format) {
  *format = mat->format;
  return 0;
}
int cusparseSpMatGetStridedBatch(const Sparse* mat, int* batches) {
  *batches = mat->batches;
  return 0;
}
int cusparseConstCsrGet(const Sparse* mat, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz,
                        const void** offsets, const void** indices, const void** values, int* offset_type,
                        int* index_type, int* base, int* type) {
  *offset_type = mat->offset_type;
  return cusparseConstCooGet(mat, rows, cols, nnz, offsets, indices, values, index_type, base, type);
}
int cusparseConstCooGet(const Sparse* mat, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz,
                        const void** offsets, const void** indices, const void** values, int* index_type, int* base,
                        int* type) {
  *rows = mat->rows;
  *cols = mat->cols;
  *nnz = mat->nnz;
  *offsets = mat->offsets;
  *indices = mat->indices;
  *values = mat->values;
  *index_type = mat->index_type;
  *base = mat->base;
  *type = mat->type;
  return 0;
}
int cusparseConstDnMatGet(const Dense* mat, std::int64_t* rows, std::int64_t* cols, std::int64_t* ld,
                          const void** values, int* type, int* order) {
  *rows = mat->rows;
  *cols = mat->cols;
  *ld = mat->ld;
  *values = mat->values;
  *type = mat->type;
  *order = mat->order;
  return 0;
}
int cusparseDnMatGetStridedBatch(const Dense* mat, int* batches, std::int64_t* stride) {
  *batches = mat->batches;
  *stride = 0;
  return 0;
}
int cusparseGetStream(const Handle* handle, void** stream) {
  *stream = handle->stream;
  return 0;
}
int cusparseGetPointerMode(const Handle* handle, int* mode) {
  *mode = handle->pointer_mode;
  return 0;
}
