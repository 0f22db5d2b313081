// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <type_traits>

#include "cuda/device.hpp"

namespace spk::cuda {

// Launches a kernel in clusters of `cluster` blocks. Its start overlaps with the end of the kernel in front, for which it
// waits, where the code at hand knows how to, and the driver how to capture that.
template <class... Parameters>
void launch_overlapped(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes,
                       int cluster, const Launch& launch, const std::type_identity_t<Parameters>&... parameters) {
  cudaFuncAttributes code{};
  int driver = 0;
  SPK_CUDA_CHECK(cudaFuncGetAttributes(&code, kernel));
  SPK_CUDA_CHECK(cudaDriverGetVersion(&driver));
  cudaLaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (launch.device.sm >= 90 && code.ptxVersion >= 90 && driver >= 12030) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = launch.stream;
  config.attrs = attributes;
  config.numAttrs = count;
  SPK_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, parameters...));
  SPK_CUDA_CHECK(cudaGetLastError());
}

}  // namespace spk::cuda
