// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "oneshot.hpp"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "check.hpp"
#include "cusparse_objects.hpp"
#include "timing.hpp"

namespace spk::bench {
namespace {

// Calls between two waits for the device: few enough that the launch queue never fills and blocks the host.
constexpr int kCalls = 32;
constexpr int kSamples = 15;

template <class Call>
double host_us(const Device& device, Call call) {
  std::vector<double> seconds;
  for (int sample = 0; sample < kSamples + 1; ++sample) {
    device.wait();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (sample > 0) seconds.push_back(passed.count() / kCalls);  // the first loads code and fills caches
  }
  device.wait();
  return 1e6 * tool::summarize(seconds).median;
}

}  // namespace

Oneshot measure_oneshot(const Device& device, const tool::CsrMatrix& matrix, const Setting& setting, std::int64_t n,
                        bool with_spk, bool with_peers) {
  const Operands operands(device, matrix, setting, n, false, false);
  const Operands::Copy& arrays = operands.copy(0);
  const tool::ValueType& type = *setting.type;
  const tool::Scalar one = tool::make_scalar(1, type), zero = tool::make_scalar(0, type);
  const StoredDense &b_shape = operands.right(), &c_shape = operands.output();
  Oneshot result{setting, matrix.name, n, 0, 0, 0};
  result.empty_us = host_us(device, [&] { launch_nothing(device.stream); });
  if (with_spk) {
    result.spk_us = host_us(device, [&] {
      spk_const_spmat_t a = nullptr;
      spk_const_dnmat_t b = nullptr;
      spk_dnmat_t c = nullptr;
      tool::check(spk_csr_create_const(&a, operands.rows(), operands.cols(), operands.nnz(), arrays.offsets,
                                       arrays.indices, arrays.values, SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO,
                                       type.type));
      tool::check(
          spk_dnmat_create_const(&b, b_shape.rows, b_shape.cols, b_shape.ld, arrays.right, type.type, b_shape.order));
      tool::check(
          spk_dnmat_create(&c, c_shape.rows, c_shape.cols, c_shape.ld, arrays.output, type.type, c_shape.order));
      tool::check(spk_spmm(device.spk.get(), setting.opA, setting.opB, one.storage, a, b, zero.storage, c,
                           setting.compute, SPK_ALG_DEFAULT, nullptr, 0),
                  device.spk.get());
      spk_spmat_destroy(a);
      spk_dnmat_destroy(b);
      spk_dnmat_destroy(c);
    });
  }
  if (with_peers) {
    const auto sum = sum_type(setting);
    const auto opA = peer_op(setting.opA), opB = peer_op(setting.opB);
    const DeviceBytes buffer(std::size_t{64} << 20);  // a caller's pool: allocation is not what is measured
    try {
      result.cusparse_us = host_us(device, [&] {
        const PeerSparse a = peer_sparse(operands, 0, arrays.values);
        const PeerDense b = peer_dense(b_shape, arrays.right, type), c = peer_dense(c_shape, arrays.output, type);
        std::size_t bytes = 0;
        check_peer(cusparseSpMM_bufferSize(device.cusparse, opA, opB, one.storage, a.get(), b.get(), zero.storage,
                                           c.get(), sum, CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
                   "cusparseSpMM_bufferSize");
        if (bytes > buffer.bytes()) throw Unsupported("the buffer is larger than the pool");
        check_peer(cusparseSpMM(device.cusparse, opA, opB, one.storage, a.get(), b.get(), zero.storage, c.get(), sum,
                                CUSPARSE_SPMM_ALG_DEFAULT, buffer.data()),
                   "cusparseSpMM");
      });
    } catch (const Unsupported&) {
      result.cusparse_us = 0;
    }
  }
  return result;
}

void print_oneshot_titles() {
  fmt::print(
      "\nhost microseconds of one SpMM: create descriptors, call, destroy\n{:40} {:6} {:>5} {:>13} {:>8} {:>14} "
      "{:>9}\n",
      "matrix", "type", "n", "empty launch", "spk", "spk - launch", "cusparse");
}

void print_oneshot(const Oneshot& oneshot) {
  const auto text = [](double us) { return us > 0 ? fmt::format("{:.2f}", us) : std::string("-"); };
  fmt::print("{:40} {:6} {:>5} {:>13} {:>8} {:>14} {:>9}\n", tool::short_name(oneshot.matrix, 40),
             oneshot.setting.type_name, oneshot.n, text(oneshot.empty_us), text(oneshot.spk_us),
             text(oneshot.spk_us > 0 ? oneshot.spk_us - oneshot.empty_us : 0), text(oneshot.cusparse_us));
}

}  // namespace spk::bench
