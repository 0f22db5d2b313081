// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/kernels/spmm_pair_panel.cuh"

namespace spk::cuda {

void spmm_pair_panel_f32(const SpmmCall& call, const Launch& launch) { launch_spmm_pair_panel<float>(call, launch); }

}  // namespace spk::cuda
