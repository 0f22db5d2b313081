// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sddmm_clusters_sm90_launch.cuh"

namespace spk::cuda {

void sddmm_clusters_bf16(const SddmmProblem& p, const Launch& launch) {
  if (p.c.value_type == ValueType::f32) return launch_clusters<__nv_bfloat16, float>(p, launch);
  launch_clusters<__nv_bfloat16, __nv_bfloat16>(p, launch);
}

}  // namespace spk::cuda
