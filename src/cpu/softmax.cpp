// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/operations.hpp"

namespace spk::cpu {

Choice choose(const SoftmaxProblem&) { return {0, "no kernel"}; }
std::size_t workspace(const SoftmaxProblem&, const Plan*, const Exec&) { return 0; }
std::unique_ptr<Plan> prepare(const SoftmaxProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
void run(const SoftmaxProblem&, const Plan*, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
Choice choose(const SoftmaxBackwardProblem&) { return {0, "no kernel"}; }
std::size_t workspace(const SoftmaxBackwardProblem&, const Plan*, const Exec&) { return 0; }
std::unique_ptr<Plan> prepare(const SoftmaxBackwardProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
void run(const SoftmaxBackwardProblem&, const Plan*, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}

}  // namespace spk::cpu
