// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/backend.hpp"

// The oracle: plain serial loops with wider sums (double; long double for double operands), sharing no code with what
// it judges. Memory beyond the outputs comes from std::vector; std::bad_alloc goes to the caller.
namespace spk::reference {

void run(const SpmmProblem& p);
void run(const SddmmProblem& p);
void run(const SoftmaxProblem& p);
void run(const SoftmaxBackwardProblem& p);

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

// Where a result is furthest from the oracle's, as a share of the error bound of spk_ops.h.
struct Verdict {
  std::int64_t entries = 0;  // elements compared
  double worst = 0;          // largest |got - want| / bound; infinity where only one side is NaN or infinite
  std::int64_t batch = 0, row = 0, col = 0;
  Scalar got, want;
  double bound = 0;
};

// Judges an output. `p` is the problem as it was before it ran (its output holds the old values); `got` has the shape
// of that output and holds the result.
Verdict judge(const SpmmProblem& p, const DenseView& got);
Verdict judge(const SddmmProblem& p, const SparseView& got);
Verdict judge(const SoftmaxProblem& p, const SparseView& got);
Verdict judge(const SoftmaxBackwardProblem& p, const SparseView& got);

}  // namespace spk::reference
