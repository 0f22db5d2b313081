// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"

// SPK_DUMP_DIR: every operation leaves its inputs and the oracle's result there as a case file (tests/cases) that `spk
// replay` runs.
namespace spk::capi {

bool dump_wanted() noexcept;

// `p` is in host memory and as it is before it runs. A file that cannot be written throws IO_ERROR.
void dump(const SpmmProblem& p);
void dump(const SddmmProblem& p);
void dump(const SoftmaxProblem& p);
void dump(const SoftmaxBackwardProblem& p);
void dump(const VectorProblem& p);

}  // namespace spk::capi
