// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"
#include "cuda/device.hpp"

// Expected microseconds of the SpMM kernels.
namespace spk::cuda {

// The longest row; where nobody has counted, it is taken for four times the mean and 32 entries more, if there are so many.
double longest_row(const SpmmProblem& p) noexcept;

double cost_rows(const Device& device, const SpmmProblem& p);
double cost_short_rows(const Device& device, const SpmmProblem& p);
double cost_panel(const Device& device, const SpmmProblem& p);
double cost_pair_panel(const Device& device, const SpmmProblem& p);
double cost_dot(const Device& device, const SpmmProblem& p);
double cost_nnz_rows(const Device& device, const SpmmProblem& p);
double cost_nnz_dot(const Device& device, const SpmmProblem& p);
double cost_turned(const Device& device, const SpmmProblem& p);
double cost_sell(const Device& device, const SpmmProblem& p);
double cost_any(const Device& device, const SpmmProblem& p);

}  // namespace spk::cuda
