// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"

namespace spk::capi {

// Copies of operands in host memory, for what looks at a problem from outside: SPK_CHECK and SPK_DUMP_DIR. The copies
// live as long as the mirror.
class Mirror {
 public:
  Mirror(const Backend& backend, void* stream) : backend_(backend), stream_(stream) {}

  // A copy with the smallest ld and batch stride.
  DenseView copy(const DenseView& x);
  // A copy of all arrays, of a slice only its part; offsets as they are.
  SparseView copy(const SparseView& a);
  // `bytes` from where the backend computes.
  void* copy(const void* data, std::int64_t bytes);

  SparseVectorView copy(const SparseVectorView& x);

  // The view itself where the backend computes in host memory, else a copy.
  template <class View>
  View on_host(const View& view) {
    return backend_.computes_in_host_memory() ? view : copy(view);
  }

  // The whole problem on the host as it is before it runs: what it writes is copied, also where an input shares memory
  // with it.
  SpmmProblem before(const SpmmProblem& p);
  SddmmProblem before(const SddmmProblem& p);
  SoftmaxProblem before(const SoftmaxProblem& p);
  SoftmaxBackwardProblem before(const SoftmaxBackwardProblem& p);
  VectorProblem before(const VectorProblem& p);
  // The same arrays after it ran.
  VectorProblem on_host(const VectorProblem& p);

 private:
  char* allocate(std::int64_t bytes);
  const Backend& backend_;
  void* stream_;
  std::vector<std::unique_ptr<char[]>> blocks_;
};

// What a problem writes.
inline const DenseView& output_of(const SpmmProblem& p) { return p.c; }
inline const SparseView& output_of(const SddmmProblem& p) { return p.c; }
inline const SparseView& output_of(const SoftmaxProblem& p) { return p.y; }
inline const SparseView& output_of(const SoftmaxBackwardProblem& p) { return p.dx; }
inline const VectorProblem& output_of(const VectorProblem& p) { return p; }

// The sparse matrix whose structure an operation follows.
inline const SparseView& structure_of(const SpmmProblem& p) { return p.a; }
inline const SparseView& structure_of(const SddmmProblem& p) { return p.c; }
inline const SparseView& structure_of(const SoftmaxProblem& p) { return p.x; }
inline const SparseView& structure_of(const SoftmaxBackwardProblem& p) { return p.y; }

}  // namespace spk::capi
