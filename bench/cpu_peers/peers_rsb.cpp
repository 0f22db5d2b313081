// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "peers.hpp"

#if SPK_HAS_RSB
#include <rsb.h>

#include <memory>

// librsb: recursive sparse blocks, built from the same arrays; building does not count.
namespace spk::bench {

std::vector<PeerCall> rsb_calls(const PeerProblem& given) {
  const tool::Problem& problem = given.workload.problem();
  if (problem.operation != tool::Operation::kSpmm) return {};
  static const bool started = rsb_lib_init(RSB_NULL_INIT_OPTIONS) == RSB_ERR_NO_ERROR;
  if (!started) return {};
  rsb_int_t threads = given.threads;
  rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads);
  const tool::CsrMatrix& matrix = given.matrix;
  const auto m = static_cast<rsb_coo_idx_t>(matrix.rows), k = static_cast<rsb_coo_idx_t>(matrix.cols);
  rsb_err_t error = RSB_ERR_NO_ERROR;
  const std::shared_ptr<rsb_mtx_t> a(
      rsb_mtx_alloc_from_csr_const(matrix.values.data(), matrix.row_offsets.as<rsb_coo_idx_t>(),
                                   matrix.col_indices.as<rsb_coo_idx_t>(), static_cast<rsb_nnz_idx_t>(matrix.nnz),
                                   RSB_NUMERICAL_TYPE_FLOAT, m, k, RSB_DEFAULT_ROW_BLOCKING, RSB_DEFAULT_COL_BLOCKING,
                                   RSB_FLAG_NOFLAGS, &error),
      rsb_mtx_free);
  if (a == nullptr) return {};
  const bool row = problem.order == SPK_ORDER_ROW;
  const auto n = static_cast<rsb_coo_idx_t>(problem.n);
  const auto ldb = static_cast<rsb_coo_idx_t>(row ? problem.n : given.inner());
  const auto ldc = static_cast<rsb_coo_idx_t>(row ? problem.n : given.rows_of_c());
  const rsb_trans_t op = given.transposed() ? RSB_TRANSPOSITION_T : RSB_TRANSPOSITION_N;
  const float* b = given.workload.right().as<float>();
  float* c = given.out;
  return {{"librsb", PeerKind::sparse, [=] {
             const float one = 1, zero = 0;
             if (n == 1)
               rsb_spmv(op, &one, a.get(), b, 1, &zero, c, 1);
             else
               rsb_spmm(op, &one, a.get(), n, row ? RSB_FLAG_WANT_ROW_MAJOR_ORDER : RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, b,
                        ldb, &zero, c, ldc);
           }}};
}

}  // namespace spk::bench
#else
namespace spk::bench {
std::vector<PeerCall> rsb_calls(const PeerProblem&) { return {}; }
}  // namespace spk::bench
#endif
