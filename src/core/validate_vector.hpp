// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"

// Checks of the operations of spk_vector.h; what validate_operations.hpp says holds here.
namespace spk {

// Sizes and types.
void validate(const VectorProblem& p);

// NULL arrays and overlap.
void validate_memory(const VectorProblem& p);

// Nothing is read and nothing written. (A dot product without terms still writes 0.)
inline bool is_empty(const VectorProblem& p) noexcept {
  return p.op == VectorOp::axpby ? p.y.rows == 0 : p.op != VectorOp::spvv && p.x.nnz == 0;
}

// Every index in host memory is inside the vector, else INVALID_STRUCTURE with the first that is not.
void check_entries(const SparseVectorView& x, const char* name);

}  // namespace spk
