// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/backend.hpp"
#include "core/oracle.hpp"

// The oracle: plain serial loops with wider sums (double; long double for double operands), sharing no code with what
// it judges. Memory beyond the outputs comes from std::vector; std::bad_alloc goes to the caller.
namespace spk::reference {

void run(const SpmmProblem& p);
void run(const SddmmProblem& p);
void run(const SoftmaxProblem& p);
void run(const SoftmaxBackwardProblem& p);
void run(const VectorProblem& p);

// How conversions are contracted: Conversion in core/backend.hpp.
std::int64_t analyze(const SparseToDenseProblem& p);
std::int64_t analyze(const DenseToSparseProblem& p);
std::int64_t analyze(const SparseToSparseProblem& p);
std::int64_t analyze(const TransposeProblem& p);
std::int64_t analyze(const SortProblem& p);
std::int64_t analyze(const CoalesceProblem& p);
std::int64_t run(const SparseToDenseProblem& p);
std::int64_t run(const DenseToSparseProblem& p);
std::int64_t run(const SparseToSparseProblem& p);
std::int64_t run(const TransposeProblem& p);
std::int64_t run(const SortProblem& p);
std::int64_t run(const CoalesceProblem& p);

// Contract: Oracle in core/oracle.hpp.
Verdict judge(const SpmmProblem& p, const DenseView& got);
Verdict judge(const SddmmProblem& p, const SparseView& got);
Verdict judge(const SoftmaxProblem& p, const SparseView& got);
Verdict judge(const SoftmaxBackwardProblem& p, const SparseView& got);
Verdict judge(const VectorProblem& p, const VectorProblem& got);

}  // namespace spk::reference
