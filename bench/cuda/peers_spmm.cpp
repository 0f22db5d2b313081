// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "contenders.hpp"
#include "cusparse_objects.hpp"

// cuSPARSE SpMM and SpMV: every CSR algorithm with its preprocessing, and the default as most callers have it.
namespace spk::bench {
namespace {

// One copy of the operands, described. The buffer belongs to the matrix: preprocessing leaves its result there.
struct SpmmCopy {
  PeerSparse a;
  PeerDense b, c;
  DeviceBytes buffer;
};

Contender spmm(const Device& device, const Operands& operands, cusparseSpMMAlg_t alg, bool preprocess) {
  const Setting& setting = operands.setting();
  const auto opA = peer_op(setting.opA), opB = peer_op(setting.opB);
  if (alg == CUSPARSE_SPMM_CSR_ALG3 && setting.opA != SPK_OP_N) throw Unsupported("opA is not N");  // it prints so
  const auto sum = sum_type(setting);
  const tool::Scalar one = tool::make_scalar(1, *setting.type), zero = tool::make_scalar(0, *setting.type);
  auto copies = std::make_shared<std::vector<SpmmCopy>>();
  for (std::size_t i = 0; i < operands.copies(); ++i) {
    const Operands::Copy& arrays = operands.copy(i);
    SpmmCopy copy{peer_sparse(operands, i, arrays.values), peer_dense(operands.right(), arrays.right, *setting.type),
                  peer_dense(operands.output(), arrays.output, *setting.type), DeviceBytes()};
    std::size_t bytes = 0;
    check_peer(cusparseSpMM_bufferSize(device.cusparse, opA, opB, one.storage, copy.a.get(), copy.b.get(), zero.storage,
                                       copy.c.get(), sum, alg, &bytes),
               "cusparseSpMM_bufferSize");
    copy.buffer = DeviceBytes(bytes);
    if (preprocess) {
      check_peer(cusparseSpMM_preprocess(device.cusparse, opA, opB, one.storage, copy.a.get(), copy.b.get(),
                                         zero.storage, copy.c.get(), sum, alg, copy.buffer.data()),
                 "cusparseSpMM_preprocess");
    }
    copies->push_back(std::move(copy));
  }
  device.wait();
  Contender contender;
  contender.launch = [=, &device](std::size_t i) {
    const SpmmCopy& copy = (*copies)[i];
    check_peer(cusparseSpMM(device.cusparse, opA, opB, one.storage, copy.a.get(), copy.b.get(), zero.storage,
                            copy.c.get(), sum, alg, copy.buffer.data()),
               "cusparseSpMM");
  };
  return contender;
}

struct SpmvCopy {
  PeerSparse a;
  PeerVector x, y;
  DeviceBytes buffer;
};

Contender spmv(const Device& device, const Operands& operands, cusparseSpMVAlg_t alg, bool preprocess) {
  const Setting& setting = operands.setting();
  const auto opA = peer_op(setting.opA);
  const auto sum = sum_type(setting);
  const tool::Scalar one = tool::make_scalar(1, *setting.type), zero = tool::make_scalar(0, *setting.type);
  auto copies = std::make_shared<std::vector<SpmvCopy>>();
  for (std::size_t i = 0; i < operands.copies(); ++i) {
    const Operands::Copy& arrays = operands.copy(i);
    SpmvCopy copy{peer_sparse(operands, i, arrays.values), peer_vector(operands.k(), arrays.right, *setting.type),
                  peer_vector(operands.m(), arrays.output, *setting.type), DeviceBytes()};
    std::size_t bytes = 0;
    check_peer(cusparseSpMV_bufferSize(device.cusparse, opA, one.storage, copy.a.get(), copy.x.get(), zero.storage,
                                       copy.y.get(), sum, alg, &bytes),
               "cusparseSpMV_bufferSize");
    copy.buffer = DeviceBytes(bytes);
    if (preprocess) {
      check_peer(cusparseSpMV_preprocess(device.cusparse, opA, one.storage, copy.a.get(), copy.x.get(), zero.storage,
                                         copy.y.get(), sum, alg, copy.buffer.data()),
                 "cusparseSpMV_preprocess");
    }
    copies->push_back(std::move(copy));
  }
  device.wait();
  Contender contender;
  contender.launch = [=, &device](std::size_t i) {
    const SpmvCopy& copy = (*copies)[i];
    check_peer(cusparseSpMV(device.cusparse, opA, one.storage, copy.a.get(), copy.x.get(), zero.storage, copy.y.get(),
                            sum, alg, copy.buffer.data()),
               "cusparseSpMV");
  };
  return contender;
}

}  // namespace

void add_cusparse_spmm(Field& field, const Device& device, const Operands& operands) {
  const auto enter = [&](const char* name, cusparseSpMMAlg_t alg, bool preprocess) {
    field.add(name, preprocess ? Kind::kCusparse : Kind::kCusparseDefault,
              [&] { return spmm(device, operands, alg, preprocess); });
  };
  enter("cusparse ALG1", CUSPARSE_SPMM_CSR_ALG1, true);
  enter("cusparse ALG2", CUSPARSE_SPMM_CSR_ALG2, true);
  enter("cusparse ALG3", CUSPARSE_SPMM_CSR_ALG3, true);
  enter("cusparse DEFAULT", CUSPARSE_SPMM_ALG_DEFAULT, false);
}

void add_cusparse_spmv(Field& field, const Device& device, const Operands& operands) {
  const auto enter = [&](const char* name, cusparseSpMVAlg_t alg, bool preprocess) {
    field.add(name, preprocess ? Kind::kCusparse : Kind::kCusparseDefault,
              [&] { return spmv(device, operands, alg, preprocess); });
  };
  enter("cusparse ALG1", CUSPARSE_SPMV_CSR_ALG1, true);
  enter("cusparse ALG2", CUSPARSE_SPMV_CSR_ALG2, true);
  enter("cusparse DEFAULT", CUSPARSE_SPMV_ALG_DEFAULT, false);
}

}  // namespace spk::bench
