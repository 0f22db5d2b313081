// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/reference/operations.hpp"

namespace spk::reference {

void run(const SpmmProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
Verdict judge(const SpmmProblem&, const DenseView&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }

}  // namespace spk::reference
