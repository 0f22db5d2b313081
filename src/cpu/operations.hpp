// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/backend.hpp"

// The CPU backend, operation by operation. Contracts: Operation and Conversion in core/backend.hpp.
namespace spk::cpu {

#define SPK_DECLARE_OPERATION(Problem)                                         \
  Choice choose(const Problem& p);                                             \
  std::size_t workspace(const Problem& p, const Plan* plan, const Exec& exec); \
  std::unique_ptr<Plan> prepare(const Problem& p, const Exec& exec);           \
  void run(const Problem& p, const Plan* plan, const Exec& exec);
SPK_DECLARE_OPERATION(SpmmProblem)             // spmm.cpp
SPK_DECLARE_OPERATION(SddmmProblem)            // sddmm.cpp
SPK_DECLARE_OPERATION(SoftmaxProblem)          // softmax.cpp
SPK_DECLARE_OPERATION(SoftmaxBackwardProblem)  // softmax.cpp
#undef SPK_DECLARE_OPERATION

Choice choose(const VectorProblem& p);  // vector.cpp
std::size_t workspace(const VectorProblem& p, const Exec& exec);
void run(const VectorProblem& p, const Exec& exec);

#define SPK_DECLARE_CONVERSION(Problem)                      \
  std::size_t workspace(const Problem& p, const Exec& exec); \
  std::int64_t analyze(const Problem& p, const Exec& exec);  \
  std::int64_t run(const Problem& p, const Exec& exec);
SPK_DECLARE_CONVERSION(SparseToDenseProblem)
SPK_DECLARE_CONVERSION(DenseToSparseProblem)
SPK_DECLARE_CONVERSION(SparseToSparseProblem)
SPK_DECLARE_CONVERSION(TransposeProblem)
SPK_DECLARE_CONVERSION(SortProblem)
SPK_DECLARE_CONVERSION(CoalesceProblem)
#undef SPK_DECLARE_CONVERSION

}  // namespace spk::cpu
