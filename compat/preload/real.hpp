// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// The cuSPARSE that the program uses. Types are those of its ABI: objects are pointers, enumerations are ints.
namespace spk::preload {

// Numbers of cusparseStatus_t, which are those of spk_status_t.
constexpr int kSuccess = 0;
constexpr int kNotInitialized = 1;
constexpr int kExecutionFailed = 6;
constexpr int kInternalError = 7;
constexpr int kNotSupported = 10;

// Every function of cuSPARSE that is called, without "cusparse".
#define SPK_REAL_NAMES(X)                                                                                \
  X(SpMM_bufferSize)                                                                                     \
  X(SpMM_preprocess)                                                                                     \
  X(SpMM)                                                                                                \
  X(SDDMM_bufferSize)                                                                                    \
  X(SDDMM_preprocess)                                                                                    \
  X(SDDMM) X(DestroySpMat) X(CsrSetPointers) X(CooSetPointers) X(SpMatGetFormat) X(SpMatGetStridedBatch) \
      X(ConstCsrGet) X(ConstCooGet) X(ConstDnMatGet) X(DnMatGetStridedBatch) X(GetStream) X(GetPointerMode)

enum class Name {
#define SPK_ENUMERATOR(name) name,
  SPK_REAL_NAMES(SPK_ENUMERATOR)
#undef SPK_ENUMERATOR
      count
};

// The function, or NULL while no cuSPARSE is loaded that has it.
void* real(Name name);

// Calls it, or answers NOT_INITIALIZED. The types are those of cuSPARSE's ABI, not of its header, which is all that the
// sanitizer left out here would find.
template <class... Arguments>
__attribute__((no_sanitize("undefined"))) int call_real(Name name, Arguments... arguments) {
  void* function = real(name);
  if (function == nullptr) return kNotInitialized;
  return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

}  // namespace spk::preload
