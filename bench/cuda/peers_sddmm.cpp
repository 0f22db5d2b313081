// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "contenders.hpp"
#include "cusparse_objects.hpp"

// cuSPARSE SDDMM: it has one algorithm; with preprocessing, and without as most callers have it.
namespace spk::bench {
namespace {

struct SddmmCopy {
  PeerDense a, b;
  PeerSparse c;
  DeviceBytes buffer;
};

Contender sddmm(const Device& device, const Operands& operands, bool preprocess) {
  const Setting& setting = operands.setting();
  const auto opA = peer_op(setting.opA), opB = peer_op(setting.opB);
  const auto sum = sum_type(setting);
  const tool::Scalar one = tool::make_scalar(1, *setting.type), zero = tool::make_scalar(0, *setting.type);
  auto copies = std::make_shared<std::vector<SddmmCopy>>();
  for (std::size_t i = 0; i < operands.copies(); ++i) {
    const Operands::Copy& arrays = operands.copy(i);
    SddmmCopy copy{peer_dense(operands.left(), arrays.left, *setting.type),
                   peer_dense(operands.right(), arrays.right, *setting.type), peer_sparse(operands, i, arrays.output),
                   DeviceBytes()};
    std::size_t bytes = 0;
    check_peer(cusparseSDDMM_bufferSize(device.cusparse, opA, opB, one.storage, copy.a.get(), copy.b.get(),
                                        zero.storage, copy.c.get(), sum, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
               "cusparseSDDMM_bufferSize");
    copy.buffer = DeviceBytes(bytes);
    if (preprocess) {
      check_peer(
          cusparseSDDMM_preprocess(device.cusparse, opA, opB, one.storage, copy.a.get(), copy.b.get(), zero.storage,
                                   copy.c.get(), sum, CUSPARSE_SDDMM_ALG_DEFAULT, copy.buffer.data()),
          "cusparseSDDMM_preprocess");
    }
    copies->push_back(std::move(copy));
  }
  device.wait();
  Contender contender;
  contender.launch = [=, &device](std::size_t i) {
    const SddmmCopy& copy = (*copies)[i];
    check_peer(cusparseSDDMM(device.cusparse, opA, opB, one.storage, copy.a.get(), copy.b.get(), zero.storage,
                             copy.c.get(), sum, CUSPARSE_SDDMM_ALG_DEFAULT, copy.buffer.data()),
               "cusparseSDDMM");
  };
  return contender;
}

}  // namespace

void add_cusparse_sddmm(Field& field, const Device& device, const Operands& operands) {
  field.add("cusparse SDDMM", Kind::kCusparse, [&] { return sddmm(device, operands, true); });
  field.add("cusparse DEFAULT", Kind::kCusparseDefault, [&] { return sddmm(device, operands, false); });
}

}  // namespace spk::bench
