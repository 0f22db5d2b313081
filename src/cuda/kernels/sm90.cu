// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sm90.hpp"

namespace spk::cuda {
namespace {

// Tells by its mere registers which pass made it: nothing calls it.
__global__ void compiled_for_9_0a(int* answer) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ int needs_shared[];
  __shared__ int marker[kSm90aMarkerBytes / sizeof(int)];
  marker[threadIdx.x] = needs_shared[threadIdx.x];
  __syncthreads();
  *answer = marker[threadIdx.x ^ 1];
#else
  *answer = 0;
#endif
}

}  // namespace

CodeAtHand code_at_hand() {
  cudaFuncAttributes attributes{};
  SPK_CUDA_CHECK(cudaFuncGetAttributes(&attributes, compiled_for_9_0a));
  return {attributes.ptxVersion, attributes.sharedSizeBytes == kSm90aMarkerBytes};
}

}  // namespace spk::cuda
