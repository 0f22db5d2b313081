// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/sddmm_clusters_sm90_launch.cuh"

namespace spk::cuda {

void sddmm_csr_clusters__sm90(const SddmmProblem& p, const Launch& launch) {
  if (!launch.device.runs_sm90a) return launch_sddmm_dense_sm80(p, {128, 128, 1}, launch);
  if (p.a.type == ValueType::f16) return sddmm_clusters_f16(p, launch);
  if (p.a.type == ValueType::bf16) return sddmm_clusters_bf16(p, launch);
  launch_clusters<float, float>(p, launch);
}

}  // namespace spk::cuda
