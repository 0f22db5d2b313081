// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/kernels/spmm_panel.cuh"

namespace spk::cuda {

void spmm_panel_f32(const SpmmCall& call, const Launch& launch) { spmm_panel_by_width<float>(call, launch); }

void spmm_panel_f64(const SpmmCall& call, const Launch& launch) { spmm_panel_by_width<double>(call, launch); }

}  // namespace spk::cuda
