// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/reference/operations.hpp"

namespace spk::reference {

void run(const SoftmaxProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
Verdict judge(const SoftmaxProblem&, const SparseView&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
void run(const SoftmaxBackwardProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
Verdict judge(const SoftmaxBackwardProblem&, const SparseView&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }

}  // namespace spk::reference
