// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/spmm.hpp"
#include "cuda/spmm_dense_tile.hpp"

namespace spk::cuda {

// op(A), whose rows call.rows has, as dense matrices in the workspace, copy_matrices(call.p) of them, copy_ld(call.p) elements
// from row to row: as they are stored, or in tf32, rounded or as two matrices each, hi and lo. A row gets a NaN whose columns do not increase strictly, or of which a value is too small to be split. Lets the kernel behind start
// early: as soon as what was launched in front of this one is done.
void make_dense_copy(const SpmmCall& call, const Launch& launch, TileMath math);

}  // namespace spk::cuda
