// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sm90.hpp"
#include "cuda/kernels/spmm_dense_slice_sm90_launch.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

namespace spk::cuda {

void spmm_dense_slice_split_tf32(const SpmmCall& call, const Launch& launch) {
  if (!has_sm90a(launch.device)) return spmm_mma_tile_split_tf32(call, launch);
  launch_slices<float>(call, launch);
}

}  // namespace spk::cuda
