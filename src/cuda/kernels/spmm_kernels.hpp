// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/spmm.hpp"

// The launchers of src/cuda/spmm_kernels.inc.
namespace spk::cuda {

#define SPK_KERNEL(name, sm, id, refuse, cost, workspace) SpmmKernel name;
#include "cuda/spmm_kernels.inc"
#undef SPK_KERNEL

}  // namespace spk::cuda
