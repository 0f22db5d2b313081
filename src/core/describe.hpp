// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>

#include "core/problems.hpp"

// One-line descriptions for log lines and messages.
namespace spk {

std::string describe(const SparseView& a);
std::string describe(const DenseView& x);
const char* name_of(VectorOp op) noexcept;  // "axpby" ...
std::string describe(const SpmmProblem& p);
std::string describe(const SddmmProblem& p);
std::string describe(const SoftmaxProblem& p);
std::string describe(const SoftmaxBackwardProblem& p);
std::string describe(const VectorProblem& p);

}  // namespace spk
