// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/reference/operations.hpp"

namespace spk::reference {

void run(const SddmmProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
Verdict judge(const SddmmProblem&, const SparseView&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }

}  // namespace spk::reference
