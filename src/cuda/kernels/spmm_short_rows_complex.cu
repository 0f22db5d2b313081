// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/spmm_kernels.hpp"
#include "cuda/kernels/spmm_short_rows.cuh"

namespace spk::cuda {

void spmm_short_rows_c64(const SpmmCall& call, const Launch& launch) {
  spmm_short_rows_by_index<Complex<float>>(call, launch);
}

void spmm_short_rows_c128(const SpmmCall& call, const Launch& launch) {
  spmm_short_rows_by_index<Complex<double>>(call, launch);
}

}  // namespace spk::cuda
