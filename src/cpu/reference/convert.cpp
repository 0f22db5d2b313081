// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/error.hpp"
#include "cpu/reference/operations.hpp"

namespace spk::reference {

std::int64_t analyze(const SparseToDenseProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t run(const SparseToDenseProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t analyze(const DenseToSparseProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t run(const DenseToSparseProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t analyze(const SparseToSparseProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t run(const SparseToSparseProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t analyze(const TransposeProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t run(const TransposeProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t analyze(const SortProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t run(const SortProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t analyze(const CoalesceProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }
std::int64_t run(const CoalesceProblem&) { throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes it"); }

}  // namespace spk::reference
