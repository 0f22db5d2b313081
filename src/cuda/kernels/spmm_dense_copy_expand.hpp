// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/spmm.hpp"

namespace spk::cuda {

// op(A), whose rows call.rows has, as dense matrices of 16-bit values in the workspace, copy_matrices(call.p) of them,
// copy_ld(call.p) elements from row to row. A row whose columns do not increase strictly gets a NaN. Lets the kernel behind
// start early: as soon as what was launched in front of this one is done.
void make_dense_copy(const SpmmCall& call, const Launch& launch);

}  // namespace spk::cuda
