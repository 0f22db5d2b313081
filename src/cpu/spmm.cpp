// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/operations.hpp"

namespace spk::cpu {

Choice choose(const SpmmProblem&) { return {0, "no kernel"}; }
std::size_t workspace(const SpmmProblem&, const Plan*, const Exec&) { return 0; }
std::unique_ptr<Plan> prepare(const SpmmProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
void run(const SpmmProblem&, const Plan*, const Exec&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }

}  // namespace spk::cpu
