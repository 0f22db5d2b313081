// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "failure.hpp"
#include "peers.hpp"
#include "textbook_loops.h"

namespace spk::bench {

using tool::Operation;

std::vector<PeerCall> textbook_calls(const PeerProblem& given) {
  const tool::CsrMatrix& matrix = given.matrix;
  const tool::Problem& problem = given.workload.problem();
  const textbook_csr csr{matrix.rows, matrix.cols, matrix.row_offsets.as<std::int32_t>(),
                         matrix.col_indices.as<std::int32_t>(), matrix.values.as<float>()};
  const bool row = problem.order == SPK_ORDER_ROW;
  const float* left = given.workload.left().as<float>();
  const float* right = given.workload.right().as<float>();
  float* out = given.out;
  const std::int64_t n = problem.n;
  const int threads = given.threads;
  std::function<void()> call;
  switch (problem.operation) {
    case Operation::kSpmm:
      if (given.transposed() && row)
        call = [=] { textbook_spmm_transposed_row(&csr, right, out, n, threads); };
      else if (given.transposed())
        call = [=] { textbook_spmm_transposed_col(&csr, right, out, n, threads); };
      else if (row)
        call = [=] { textbook_spmm_row(&csr, right, out, n, threads); };
      else
        call = [=] { textbook_spmm_col(&csr, right, out, n, threads); };
      break;
    case Operation::kSddmm:
      if (row)
        call = [=] { textbook_sddmm_row(&csr, left, right, out, n, threads); };
      else
        call = [=] { textbook_sddmm_col(&csr, left, right, out, n, threads); };
      break;
    case Operation::kSoftmax: call = [=] { textbook_softmax(&csr, out, threads); }; break;
    case Operation::kSpmv: throw tool::Failure("spmv is raced as spmm with n = 1");
  }
  return {{"textbook", PeerKind::loop, std::move(call)}};
}

}  // namespace spk::bench
