// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"

namespace spk {

// Where a result is furthest from the oracle's, as a share of the error bound of spk_ops.h.
struct Verdict {
  std::int64_t entries = 0;  // elements compared
  double worst = 0;          // largest |got - want| / bound; infinity where only one side is NaN or infinite
  std::int64_t batch = 0, row = 0, col = 0;
  Scalar got, want;
  double bound = 0;          // allowed error of that element
  double largest_bound = 0;  // of all finite bounds
};

// Judges outputs in host memory. `p` is the problem as it was before it ran (its output holds the old values); `got`
// has the shape of that output and holds the result.
class Oracle {
 public:
  virtual Verdict judge(const SpmmProblem& p, const DenseView& got) const = 0;
  virtual Verdict judge(const SddmmProblem& p, const SparseView& got) const = 0;
  virtual Verdict judge(const SoftmaxProblem& p, const SparseView& got) const = 0;
  virtual Verdict judge(const SoftmaxBackwardProblem& p, const SparseView& got) const = 0;
  // `got` is p with the arrays that hold results. Of a rotation x's entries count as column 1, y as column 0.
  virtual Verdict judge(const VectorProblem& p, const VectorProblem& got) const = 0;

 protected:
  ~Oracle() = default;
};

}  // namespace spk
