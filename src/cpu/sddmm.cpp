// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/operations.hpp"

namespace spk::cpu {

Choice choose(const SddmmProblem&) { return {0, "no kernel"}; }
std::size_t workspace(const SddmmProblem&, const Plan*, const Exec&) { return 0; }
std::unique_ptr<Plan> prepare(const SddmmProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
void run(const SddmmProblem&, const Plan*, const Exec&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }

}  // namespace spk::cpu
