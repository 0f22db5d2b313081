// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cusparse_objects.hpp"

namespace spk::bench {

PeerSparse peer_sparse(const Operands& operands, std::size_t copy, void* values) {
  const Operands::Copy& arrays = operands.copy(copy);
  cusparseSpMatDescr_t descriptor = nullptr;
  check_peer(cusparseCreateCsr(&descriptor, operands.rows(), operands.cols(), operands.nnz(), arrays.offsets,
                               arrays.indices, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               data_type(operands.setting().type->type)),
             "cusparseCreateCsr");
  return PeerSparse(descriptor);
}

PeerDense peer_dense(const StoredDense& dense, void* values, const tool::ValueType& type) {
  cusparseDnMatDescr_t descriptor = nullptr;
  check_peer(cusparseCreateDnMat(&descriptor, dense.rows, dense.cols, dense.ld, values, data_type(type.type),
                                 static_cast<cusparseOrder_t>(dense.order)),
             "cusparseCreateDnMat");
  return PeerDense(descriptor);
}

PeerVector peer_vector(std::int64_t size, void* values, const tool::ValueType& type) {
  cusparseDnVecDescr_t descriptor = nullptr;
  check_peer(cusparseCreateDnVec(&descriptor, size, values, data_type(type.type)), "cusparseCreateDnVec");
  return PeerVector(descriptor);
}

}  // namespace spk::bench
