// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "bounds.hpp"

#include <algorithm>
#include <limits>

namespace spk::bench {
namespace {

using tool::Operation;

// Copy rates: measured on the H200 (4.25 of nominally 4.8 TB/s), the same share of the nominal rate for the others.
constexpr Chip kV100{"V100", 70, 0.80e12, 2.2e12, 6e6, 15.7e12, 15.7e12, 7.8e12, 125e12, 0, 0, 0};
constexpr Chip kA100{"A100", 80, 1.77e12, 4.5e12, 40e6, 19.5e12, 19.5e12, 9.7e12, 312e12, 312e12, 156e12, 19.5e12};
constexpr Chip kH200{"H200", 90, 4.25e12, 5.5e12, 50e6, 33.5e12, 67e12, 34e12, 989e12, 989e12, 494e12, 67e12};

// The fastest kernel of anybody that reads and writes something took 1.85 us in a graph on the H200; an empty one 0.7.
constexpr double kLaunch = 1.8e-6;
constexpr double kNever = std::numeric_limits<double>::infinity();

double dense_seconds(const Setting& setting, double flops, const Chip& chip) {
  const auto at = [flops](double rate) { return rate > 0 ? flops / rate : kNever; };
  if (setting.type_name == "f64") return std::min(at(chip.fma_f64), at(chip.tensor_f64));
  if (setting.type_name == "f16") return at(chip.tensor_16);
  if (setting.type_name == "bf16") return std::min(at(chip.tensor_bf16), at(chip.fma_f32));
  if (setting.tf32()) return std::min(at(chip.tensor_tf32), at(chip.fma_f32));
  return std::min(at(chip.tensor_tf32 / 3), at(chip.fma_f32));
}

double number(std::int64_t x) { return static_cast<double>(x); }

}  // namespace

const Chip& chip_v100() { return kV100; }
const Chip& chip_a100() { return kA100; }
const Chip& chip_of(int capability) { return capability >= 90 ? kH200 : capability >= 80 ? kA100 : kV100; }

double useful_flops(const Operands& operands) {
  const Operation operation = operands.setting().operation;
  if (operation == Operation::kSoftmax) return 0;
  return 2 * number(operands.nnz()) * number(operation == Operation::kSddmm ? operands.k() : operands.n());
}

Bound bound_of(const Operands& operands, const Chip& chip, bool cold) {
  const Setting& setting = operands.setting();
  const auto size = static_cast<double>(setting.type->size);
  // Softmax does not look at columns.
  const double indices = setting.operation == Operation::kSoftmax ? 0 : number(operands.nnz());
  const double structure = 4 * (indices + number(operands.rows()) + 1);
  const double dense = number(operands.left().elements() + operands.right().elements() + operands.output().elements());
  // SDDMM writes its values, softmax reads and writes them, SpMM reads them.
  const double values = number(operands.nnz()) * (setting.operation == Operation::kSoftmax ? 2 : 1);
  const double bytes = structure + (dense + values) * size;
  const bool in_l2 = !cold && bytes <= chip.l2_capacity;

  Bound bound{kLaunch, "launch"};
  const auto raise = [&bound](double seconds, const char* by) {
    if (seconds > bound.us) bound = {seconds, by};
  };
  raise(bytes / (in_l2 ? chip.l2_bytes_rate : chip.copy_bytes), "bytes");
  if (setting.operation != Operation::kSoftmax) {
    const double flops = useful_flops(operands);
    const double fma = setting.type_name == "f64" ? chip.fma_f64 : chip.fma_f32;
    const double gather = std::max(flops / 2 * size / chip.l1_bytes, flops / fma);
    const double full =
        dense_seconds(setting, 2 * number(operands.m()) * number(operands.n()) * number(operands.k()), chip);
    raise(std::min(gather, full), gather <= full ? "gather" : "dense");
  }
  bound.us *= 1e6;
  return bound;
}

}  // namespace spk::bench
