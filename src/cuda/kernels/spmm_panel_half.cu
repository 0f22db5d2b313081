// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/kernels/spmm_panel.cuh"

namespace spk::cuda {

void spmm_panel_f16(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32) return spmm_panel_by_width<__half, float>(call, launch);
  spmm_panel_by_width<__half>(call, launch);
}

void spmm_panel_bf16(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32) return spmm_panel_by_width<__nv_bfloat16, float>(call, launch);
  spmm_panel_by_width<__nv_bfloat16>(call, launch);
}

}  // namespace spk::cuda
