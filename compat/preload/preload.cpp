// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// The functions of cuSPARSE that libspk_cusparse_preload.so puts itself in front of. Each forwards to the library that the
// program uses, unless spk takes the product.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "preload/driver.hpp"
#include "preload/library.hpp"
#include "preload/notes.hpp"
#include "preload/options.hpp"
#include "preload/product.hpp"
#include "preload/real.hpp"

namespace spk::preload {
namespace {

struct Names {
  const char *buffer_size, *preprocess, *execute;
  Name real_buffer_size, real_preprocess, real_execute;
  Counter handled, forwarded;
};
constexpr Names kSpmm = {"SpMM_bufferSize",     "SpMM_preprocess", "SpMM",       Name::SpMM_bufferSize,
                         Name::SpMM_preprocess, Name::SpMM,        kSpmmHandled, kSpmmForwarded};
constexpr Names kSddmm = {"SDDMM_bufferSize",     "SDDMM_preprocess", "SDDMM",       Name::SDDMM_bufferSize,
                          Name::SDDMM_preprocess, Name::SDDMM,        kSddmmHandled, kSddmmForwarded};

const Names& names(const Arguments& a) { return a.operation == Operation::spmm ? kSpmm : kSddmm; }

template <class Last>
int forward(Name name, const Arguments& a, Last last) {
  return call_real(name, a.handle, a.op_a, a.op_b, a.alpha, a.mat_a, a.mat_b, a.beta, a.mat_c, a.compute_type, a.alg,
                   last);
}

// What the size of a buffer was last asked for in this thread, if the product goes to cuSPARSE: most programs compute it next,
// and forwarding is right whatever has changed since.
struct Forwarded {
  Arguments asked;
  const char* why;  // NULL: no product
};
thread_local Forwarded forwarded{};

// Why the product that was just asked about was refused; NULL if it is another, or was not. Answers once.
const char* recall(const Arguments& a) {
  const char* why = forwarded.why != nullptr && forwarded.asked == a ? forwarded.why : nullptr;
  forwarded.why = nullptr;
  return why;
}

// The stream of the product, and whether spk may make a handle for it now: that allocates, which a stream under capture
// does not take.
struct Place {
  void* stream = nullptr;
  bool is_known = false;
  bool may_create = false;

  explicit Place(const Arguments& a) {
    is_known = call_real(Name::GetStream, a.handle, &stream) == kSuccess;
    may_create = is_known && !is_capturing(stream);
  }
};

bool is_narrow(const Product& p) { return p.sparse.type == SPK_R_16F || p.sparse.type == SPK_R_16BF; }

int buffer_size(const Arguments& a, std::size_t* bytes) {
  const Names& n = names(a);
  const int status = forward(n.real_buffer_size, a, bytes);
  Product p{};
  // cuSPARSE of CUDA 13.1 and 13.2 refuses 16-bit products that spk can do.
  if ((status != kSuccess && status != kNotSupported) || bytes == nullptr) return status;
  if (const char* why = refuse(a, &p)) {
    forwarded = {a, why};
    return status;
  }
  if (status == kNotSupported && !is_narrow(p)) return status;
  const Place place(a);
  std::size_t ours = 0;
  if (!place.is_known || !workspace(a, p, place.stream, place.may_create, &ours)) return status;
  // Never less than cuSPARSE needs, so that the product can still go there.
  *bytes = status == kSuccess ? std::max(*bytes, ours) : ours;
  note_bytes(sparse_matrix(a), shape(a, p), ours);
  log_decision(a, p, n.buffer_size, "the larger of both");
  return kSuccess;
}

int preprocess(const Arguments& a, void* buffer) {
  const Names& n = names(a);
  Product p{};
  const Place place(a);
  std::size_t ours = 0;
  // If the product is ours, cuSPARSE need not look at the buffer; should it run after all, it works without, only slower.
  if (refuse(a, &p) == nullptr && !has_buffer(sparse_matrix(a), buffer) && place.is_known &&
      workspace(a, p, place.stream, place.may_create, &ours)) {
    log_decision(a, p, n.preprocess, "not needed");
    return kSuccess;
  }
  const int status = forward(n.real_preprocess, a, buffer);
  if (status == kSuccess) note_buffer(sparse_matrix(a), buffer);
  return status;
}

int execute(const Arguments& a, void* buffer) {
  const Names& n = names(a);
  Product p{};
  const char* why = options().logs ? nullptr : recall(a);
  if (why == nullptr) why = refuse(a, &p);
  if (why == nullptr && has_buffer(sparse_matrix(a), buffer)) why = "cuSPARSE has preprocessed this buffer";
  if (why == nullptr) {
    const Place place(a);
    const int status = place.is_known ? run(a, p, place.stream, place.may_create, buffer) : kNotSupported;
    if (status == kSuccess) {
      count(n.handled);
      log_decision(a, p, n.execute, "handled");
      return status;
    }
    // The device may have written to C, so the product cannot be started again.
    if (status == kExecutionFailed || status == kInternalError) return status;
    if (status != kNotSupported) count(kFailedAndForwarded);
    why = "spk refused";
  }
  count(n.forwarded);
  log_decision(a, p, n.execute, why);
  return forward(n.real_execute, a, buffer);
}

}  // namespace
}  // namespace spk::preload

using namespace spk::preload;

#define SPK_EXPORT extern "C" __attribute__((visibility("default")))
#define SPK_PRODUCT_PARAMETERS                                                                                         \
  void *handle, int opA, int opB, const void *alpha, const void *matA, const void *matB, const void *beta, void *matC, \
      int computeType, int alg
#define SPK_ARGUMENTS(operation) \
  Arguments { operation, handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg }

SPK_EXPORT int cusparseSpMM_bufferSize(SPK_PRODUCT_PARAMETERS, std::size_t* bufferSize);
SPK_EXPORT int cusparseSpMM_preprocess(SPK_PRODUCT_PARAMETERS, void* externalBuffer);
SPK_EXPORT int cusparseSpMM(SPK_PRODUCT_PARAMETERS, void* externalBuffer);
SPK_EXPORT int cusparseSDDMM_bufferSize(SPK_PRODUCT_PARAMETERS, std::size_t* bufferSize);
SPK_EXPORT int cusparseSDDMM_preprocess(SPK_PRODUCT_PARAMETERS, void* externalBuffer);
SPK_EXPORT int cusparseSDDMM(SPK_PRODUCT_PARAMETERS, void* externalBuffer);
SPK_EXPORT int cusparseDestroySpMat(const void* spMatDescr);
SPK_EXPORT int cusparseCsrSetPointers(void* spMatDescr, void* offsets, void* indices, void* values);
SPK_EXPORT int cusparseCooSetPointers(void* spMatDescr, void* rows, void* cols, void* values);
SPK_EXPORT int cusparseSpMatSetAttribute(void* spMatDescr, int attribute, const void* data, std::size_t dataSize);

int cusparseSpMM_bufferSize(SPK_PRODUCT_PARAMETERS, std::size_t* bufferSize) {
  return buffer_size(SPK_ARGUMENTS(Operation::spmm), bufferSize);
}
int cusparseSpMM_preprocess(SPK_PRODUCT_PARAMETERS, void* externalBuffer) {
  return preprocess(SPK_ARGUMENTS(Operation::spmm), externalBuffer);
}
int cusparseSpMM(SPK_PRODUCT_PARAMETERS, void* externalBuffer) {
  return execute(SPK_ARGUMENTS(Operation::spmm), externalBuffer);
}
int cusparseSDDMM_bufferSize(SPK_PRODUCT_PARAMETERS, std::size_t* bufferSize) {
  return buffer_size(SPK_ARGUMENTS(Operation::sddmm), bufferSize);
}
int cusparseSDDMM_preprocess(SPK_PRODUCT_PARAMETERS, void* externalBuffer) {
  return preprocess(SPK_ARGUMENTS(Operation::sddmm), externalBuffer);
}
int cusparseSDDMM(SPK_PRODUCT_PARAMETERS, void* externalBuffer) {
  return execute(SPK_ARGUMENTS(Operation::sddmm), externalBuffer);
}

// A descriptor's address may serve the next matrix, so what is known of it goes first.
int cusparseDestroySpMat(const void* spMatDescr) {
  forget(spMatDescr);
  return call_real(Name::DestroySpMat, spMatDescr);
}
int cusparseCsrSetPointers(void* spMatDescr, void* offsets, void* indices, void* values) {
  forget_buffers(spMatDescr);
  return call_real(Name::CsrSetPointers, spMatDescr, offsets, indices, values);
}
int cusparseCooSetPointers(void* spMatDescr, void* rows, void* cols, void* values) {
  forget_buffers(spMatDescr);
  return call_real(Name::CooSetPointers, spMatDescr, rows, cols, values);
}
int cusparseSpMatSetAttribute(void* spMatDescr, int attribute, const void* data, std::size_t dataSize) {
  const int status = call_real(Name::SpMatSetAttribute, spMatDescr, attribute, data, dataSize);
  if (status == kSuccess) note_attribute(spMatDescr);
  return status;
}
