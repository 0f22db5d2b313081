// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_any.cuh"
#include "cuda/kernels/spmm_kernels.hpp"

namespace spk::cuda {

void spmm_any_c64(const SpmmCall& call, const Launch& launch) { launch_spmm_any<Complex<float>>(call, launch); }

void spmm_any_c128(const SpmmCall& call, const Launch& launch) { launch_spmm_any<Complex<double>>(call, launch); }

}  // namespace spk::cuda
