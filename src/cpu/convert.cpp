// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/operations.hpp"

namespace spk::cpu {

std::size_t workspace(const SparseToDenseProblem&, const Exec&) { return 0; }
std::int64_t analyze(const SparseToDenseProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::int64_t run(const SparseToDenseProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::size_t workspace(const DenseToSparseProblem&, const Exec&) { return 0; }
std::int64_t analyze(const DenseToSparseProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::int64_t run(const DenseToSparseProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::size_t workspace(const SparseToSparseProblem&, const Exec&) { return 0; }
std::int64_t analyze(const SparseToSparseProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::int64_t run(const SparseToSparseProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::size_t workspace(const TransposeProblem&, const Exec&) { return 0; }
std::int64_t analyze(const TransposeProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::int64_t run(const TransposeProblem&, const Exec&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::size_t workspace(const SortProblem&, const Exec&) { return 0; }
std::int64_t analyze(const SortProblem&, const Exec&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t run(const SortProblem&, const Exec&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::size_t workspace(const CoalesceProblem&, const Exec&) { return 0; }
std::int64_t analyze(const CoalesceProblem&, const Exec&) {
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it");
}
std::int64_t run(const CoalesceProblem&, const Exec&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }

}  // namespace spk::cpu
