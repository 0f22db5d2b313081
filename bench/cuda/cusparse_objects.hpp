// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cusparse.h>

#include <memory>
#include <type_traits>

#include "operands.hpp"

// Descriptors of cuSPARSE over the operands; Unsupported where creation fails.
namespace spk::bench {

template <class Pointer, auto kDestroy>
struct PeerDeleter {
  void operator()(Pointer object) const { kDestroy(object); }
};
using PeerSparse = std::unique_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>,
                                   PeerDeleter<cusparseSpMatDescr_t, &cusparseDestroySpMat>>;
using PeerDense = std::unique_ptr<std::remove_pointer_t<cusparseDnMatDescr_t>,
                                  PeerDeleter<cusparseDnMatDescr_t, &cusparseDestroyDnMat>>;
using PeerVector = std::unique_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>,
                                   PeerDeleter<cusparseDnVecDescr_t, &cusparseDestroyDnVec>>;

PeerSparse peer_sparse(const Operands& operands, std::size_t copy, void* values);
PeerDense peer_dense(const StoredDense& dense, void* values, const tool::ValueType& type);
PeerVector peer_vector(std::int64_t size, void* values, const tool::ValueType& type);

// The numbers of cudaDataType and of spk are the same.
inline cudaDataType data_type(std::int32_t type) { return static_cast<cudaDataType>(type); }
// cuSPARSE has no TF32 for these operations: f32 instead.
inline cudaDataType sum_type(const Setting& setting) { return data_type(setting.type->compute); }
inline cusparseOperation_t peer_op(spk_operation_t op) { return static_cast<cusparseOperation_t>(op); }

}  // namespace spk::bench
