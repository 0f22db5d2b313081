// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "peers.hpp"

#if SPK_HAS_EIGEN
#include <Eigen/Core>
#include <Eigen/SparseCore>

// Eigen's row-major sparse matrix, mapped over the same arrays, times a mapped dense matrix. It is compiled for this
// machine, as its users do.
namespace spk::bench {
namespace {

template <int kOrder>
std::function<void()> product(const PeerProblem& given) {
  using Sparse = Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor, int>>;
  using Dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, kOrder>;
  const tool::CsrMatrix& matrix = given.matrix;
  const std::int64_t m = matrix.rows, k = matrix.cols, n = given.workload.problem().n;
  const Sparse a(m, k, matrix.nnz, matrix.row_offsets.as<int>(), matrix.col_indices.as<int>(),
                 matrix.values.as<float>());
  if (given.transposed()) {
    const Eigen::Map<const Dense> b(given.workload.right().as<float>(), m, n);
    return [a, b, k, n, c = given.out] { Eigen::Map<Dense>(c, k, n).noalias() = a.transpose() * b; };
  }
  const Eigen::Map<const Dense> b(given.workload.right().as<float>(), k, n);
  return [a, b, m, n, c = given.out] { Eigen::Map<Dense>(c, m, n).noalias() = a * b; };
}

std::function<void()> product_with_vector(const PeerProblem& given) {
  using Sparse = Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor, int>>;
  const tool::CsrMatrix& matrix = given.matrix;
  const Sparse a(matrix.rows, matrix.cols, matrix.nnz, matrix.row_offsets.as<int>(), matrix.col_indices.as<int>(),
                 matrix.values.as<float>());
  const Eigen::Map<const Eigen::VectorXf> x(given.workload.right().as<float>(), given.inner());
  if (given.transposed())
    return [a, x, k = matrix.cols, c = given.out] { Eigen::Map<Eigen::VectorXf>(c, k).noalias() = a.transpose() * x; };
  return [a, x, m = matrix.rows, c = given.out] { Eigen::Map<Eigen::VectorXf>(c, m).noalias() = a * x; };
}

}  // namespace

std::vector<PeerCall> eigen_calls(const PeerProblem& given) {
  const tool::Problem& problem = given.workload.problem();
  if (problem.operation != tool::Operation::kSpmm) return {};
  Eigen::setNbThreads(given.threads);
  if (problem.n == 1) return {{"eigen", PeerKind::sparse, product_with_vector(given)}};
  return {{"eigen", PeerKind::sparse,
           problem.order == SPK_ORDER_ROW ? product<Eigen::RowMajor>(given) : product<Eigen::ColMajor>(given)}};
}

}  // namespace spk::bench
#else
namespace spk::bench {
std::vector<PeerCall> eigen_calls(const PeerProblem&) { return {}; }
}  // namespace spk::bench
#endif
