// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/kernels/spmm_short_rows.cuh"

namespace spk::cuda {

void spmm_short_rows_f16(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32) return spmm_short_rows_by_index<__half, float>(call, launch);
  spmm_short_rows_by_index<__half>(call, launch);
}

void spmm_short_rows_bf16(const SpmmCall& call, const Launch& launch) {
  if (call.p.c.type == ValueType::f32) return spmm_short_rows_by_index<__nv_bfloat16, float>(call, launch);
  spmm_short_rows_by_index<__nv_bfloat16>(call, launch);
}

}  // namespace spk::cuda
