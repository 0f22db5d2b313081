// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "cuda/device.hpp"

// Launches that ask for more than a grid: kernels that start while the one in front of them in the stream still runs
// (programmatic dependent launch), and clusters of blocks.
namespace spk::cuda {

// For kernels launched behind this one: all blocks of this one are under way, so that those may take what room is left.
// Nothing where the architecture has no such thing.
__device__ inline void let_kernel_behind_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
// What the kernel in front wrote is there.
__device__ inline void wait_for_kernel_in_front() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

struct LaunchShape {
  dim3 blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
  // May start before the kernel in front is done, for which it waits itself; only where Device::overlaps_launches.
  bool overlaps = false;
  int cluster = 1;  // blocks of a cluster
};

template <class... Parameters>
void launch_kernel(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
                   const std::type_identity_t<Parameters>&... parameters) {
  cudaLaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (shape.overlaps) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  // Not an attribute of the kernel, which older architectures would not compile.
  if (shape.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  SPK_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, parameters...));
}

}  // namespace spk::cuda
