// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workload.hpp"

// The other ways of computing a problem on this processor. A peer is a source peers_NAME.cpp with one function, listed
// in peers.cpp; it answers nothing where its library is not here or cannot do the problem.
namespace spk::bench {

// f32, 32-bit indices of base 0, dense matrices without padding.
struct PeerProblem {
  const tool::CsrMatrix& matrix;
  const tool::Workload& workload;  // operands
  float* out;                      // C, or the values of C for SDDMM and softmax
  int threads;
  // SpMM: op(A) is rows_of_c() x inner().
  bool transposed() const { return workload.problem().opA != SPK_OP_N; }
  std::int64_t rows_of_c() const { return transposed() ? matrix.cols : matrix.rows; }
  std::int64_t inner() const { return transposed() ? matrix.rows : matrix.cols; }
};

enum class PeerKind {
  loop,    // a textbook's loop: the floor
  sparse,  // a library's sparse routine: the race
  dense,   // the product with a dense copy of A: where sparsity begins to pay
};

struct PeerCall {
  std::string name;
  PeerKind kind;
  std::function<void()> call;  // once more from the start; what the peer keeps between calls lives as long as this
};

std::vector<PeerCall> textbook_calls(const PeerProblem& problem);
std::vector<PeerCall> mkl_calls(const PeerProblem& problem);
std::vector<PeerCall> eigen_calls(const PeerProblem& problem);
std::vector<PeerCall> rsb_calls(const PeerProblem& problem);
std::vector<PeerCall> openblas_calls(const PeerProblem& problem);

// Those of them that are named (empty: all). The textbook's loop always takes part, first.
std::vector<PeerCall> peer_calls(const PeerProblem& problem, const std::vector<std::string>& names);

}  // namespace spk::bench
