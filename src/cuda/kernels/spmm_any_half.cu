// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_any.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

namespace spk::cuda {

void spmm_any_f16(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32) return launch_spmm_any<__half, float>(call, launch);
  launch_spmm_any<__half>(call, launch);
}

void spmm_any_bf16(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32) return launch_spmm_any<__nv_bfloat16, float>(call, launch);
  launch_spmm_any<__nv_bfloat16>(call, launch);
}

}  // namespace spk::cuda
