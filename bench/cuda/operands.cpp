// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "operands.hpp"

#include <algorithm>

namespace spk::bench {
namespace {

using tool::Operation;

// More copies than this would cost more set-up than the measurement is worth; tiny problems then stay partly in L2.
constexpr std::size_t kMostCopies = 256;
constexpr std::size_t kMostExpandedBytes = std::size_t{16} << 30;

// Bytes before and after the output of every copy that nobody may write.
constexpr std::size_t kGuard = 4096;

// Operands cut to TF32's 10 bits are off by 2^-10 each.
constexpr double kTf32Product = 0x1p-9;

std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

StoredDense stored(std::int64_t rows, std::int64_t cols, spk_operation_t op, spk_order_t order) {
  if (op != SPK_OP_N) std::swap(rows, cols);
  return {rows, cols, std::max<std::int64_t>(order == SPK_ORDER_ROW ? cols : rows, 1), order};
}

void upload(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes != 0) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
}

Rounding rounding_of(const Setting& setting) {
  return {setting.type->type == SPK_R_64F ? 0x1p-53 : 0x1p-24, setting.tf32() ? kTf32Product : 0, setting.type->type};
}

Rounding loose_rounding(const Setting& setting) {
  Rounding rounding = rounding_of(setting);
  if (setting.type->type == SPK_R_32F) rounding.product = kTf32Product;
  if (setting.type->type == SPK_R_16F) rounding.sum = 0x1p-11;
  if (setting.type->type == SPK_R_16BF) rounding.sum = 0x1p-8;
  return rounding;
}

}  // namespace

StridedMatrix StoredDense::view(const void* values, spk_operation_t op) const {
  StridedMatrix view{values, ld, 1};
  if ((order == SPK_ORDER_COL) != (op != SPK_OP_N)) std::swap(view.row_step, view.col_step);
  return view;
}

Operands::Operands(const Device& device, const tool::CsrMatrix& matrix, const Setting& setting, std::int64_t width,
                   bool cold, bool with_expanded)
    : device_(device),
      setting_(setting),
      sizes_(setting.sizes(matrix, width)),
      rows_(matrix.rows),
      cols_(matrix.cols),
      nnz_(matrix.nnz) {
  const std::size_t size = setting.type->size;
  const auto elements = [size](const StoredDense& dense) { return static_cast<std::size_t>(dense.elements()) * size; };
  const Operation operation = setting.operation;
  const bool product = operation == Operation::kSpmm || operation == Operation::kSpmv;
  const std::size_t value_bytes = static_cast<std::size_t>(nnz_) * size;
  output_bytes_ = value_bytes;
  if (operation == Operation::kSddmm) {
    left_ = stored(m(), k(), setting.opA, setting.order_b);
    right_ = stored(k(), n(), setting.opB, setting.order_b);
  } else if (product) {
    const bool vector = operation == Operation::kSpmv;
    right_ = stored(k(), n(), vector ? SPK_OP_N : setting.opB, vector ? SPK_ORDER_COL : setting.order_b);
    output_ = stored(m(), n(), SPK_OP_N, vector ? SPK_ORDER_COL : setting.order_c);
    output_bytes_ = elements(output_);
  }

  const std::size_t offset_bytes = static_cast<std::size_t>(rows_ + 1) * sizeof(std::int32_t);
  const std::size_t index_bytes = static_cast<std::size_t>(nnz_) * sizeof(std::int32_t);
  const std::size_t full_bytes = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_) * size;
  has_expanded_ = product && with_expanded && full_bytes <= kMostExpandedBytes;
  const std::size_t expanded_bytes = has_expanded_ ? full_bytes : 0;
  const std::size_t parts[] = {offset_bytes,    index_bytes,      value_bytes,
                               elements(left_), elements(right_), 2 * kGuard + padded(output_bytes_),
                               expanded_bytes};
  std::size_t stride = 0;
  for (const std::size_t part : parts) stride += padded(part);
  bytes_ = stride - padded(expanded_bytes) - 2 * kGuard;
  // Three times L2 in the smallest set that a contender touches, so that no replacement policy keeps a part of it.
  const std::size_t copies = cold ? std::clamp<std::size_t>(3 * device.l2_bytes / bytes_ + 2, 2, kMostCopies) : 1;
  memory_ = DeviceBytes(stride * copies);

  std::byte* place = memory_.as<std::byte>();
  for (std::size_t c = 0; c < copies; ++c) {
    void* pointers[7];
    for (std::size_t i = 0; i < 7; ++i) {
      pointers[i] = place;
      place += padded(parts[i]);
    }
    copies_.push_back({static_cast<std::int32_t*>(pointers[0]), static_cast<std::int32_t*>(pointers[1]), pointers[2],
                       pointers[3], pointers[4], static_cast<std::byte*>(pointers[5]) + kGuard, pointers[6]});
    const Copy& copy = copies_.back();
    upload(copy.offsets, matrix.row_offsets.data(), offset_bytes, device.stream);
    upload(copy.indices, matrix.col_indices.data(), index_bytes, device.stream);
    upload(copy.values, matrix.values.data(), value_bytes, device.stream);
    fill_random(copy.left, left_.elements(), matrix.seed + 1, setting.type->type, device.stream);
    fill_random(copy.right, right_.elements(), matrix.seed + 2, setting.type->type, device.stream);
    if (expanded_bytes != 0) {
      check_cuda(cudaMemsetAsync(copy.expanded, 0, expanded_bytes, device.stream), "cudaMemsetAsync");
      scatter_places(csr(c), cols_, copy.expanded, setting.type->type, device.stream);
    }
  }
  op_a_ = csr();
  if (product && setting.opA != SPK_OP_N) {
    const tool::CsrMatrix flipped = transposed(matrix);
    flipped_offsets_ = DeviceBytes(flipped.row_offsets.bytes());
    flipped_indices_ = DeviceBytes(flipped.col_indices.bytes());
    flipped_values_ = DeviceBytes(flipped.values.bytes());
    upload(flipped_offsets_.data(), flipped.row_offsets.data(), flipped_offsets_.bytes(), device.stream);
    upload(flipped_indices_.data(), flipped.col_indices.data(), flipped_indices_.bytes(), device.stream);
    upload(flipped_values_.data(), flipped.values.data(), flipped_values_.bytes(), device.stream);
    op_a_ = {flipped.rows, flipped.nnz, flipped_offsets_.as<std::int32_t>(), flipped_indices_.as<std::int32_t>(),
             flipped_values_.data()};
    device.wait();
  }
  const auto results = static_cast<std::size_t>(product ? output_.elements() : nnz_);
  want_ = DeviceBytes(results * sizeof(double));
  bound_ = DeviceBytes(results * sizeof(double));
  bound_loose_ = DeviceBytes(results * sizeof(double));
  expect(loose_rounding(setting), bound_loose_.as<double>());
  expect(rounding_of(setting), bound_.as<double>());
  device.wait();
}

DeviceCsr Operands::csr(std::size_t i) const {
  const Copy& copy = copies_[i];
  return {rows_, nnz_, copy.offsets, copy.indices, copy.values};
}

void Operands::expect(const Rounding& rounding, double* bound) const {
  const spk_value_type_t type = setting_.type->type;
  auto* want = want_.as<double>();
  const Copy& copy = copies_.front();
  if (setting_.operation == Operation::kSoftmax) {
    expect_softmax(op_a_, type, rounding, want, bound, device_.stream);
  } else if (setting_.operation == Operation::kSddmm) {
    expect_sampled(op_a_, left_.view(copy.left, setting_.opA), right_.view(copy.right, setting_.opB), k(), type,
                   rounding, want, bound, device_.stream);
  } else {
    const spk_operation_t opB = setting_.operation == Operation::kSpmv ? SPK_OP_N : setting_.opB;
    expect_product(op_a_, right_.view(copy.right, opB), n(), type, rounding, want, bound, device_.stream);
  }
}

void Operands::poison() const {
  void* begin = static_cast<std::byte*>(copies_.front().output) - kGuard;
  check_cuda(cudaMemsetAsync(begin, 0xFF, 2 * kGuard + padded(output_bytes_), device_.stream), "cudaMemsetAsync");
}

bool Operands::guards_whole() const {
  const auto* output = static_cast<const std::byte*>(copies_.front().output);
  std::vector<std::byte> guards(2 * kGuard + padded(output_bytes_) - output_bytes_);
  check_cuda(cudaMemcpy(guards.data(), output - kGuard, kGuard, cudaMemcpyDeviceToHost), "cudaMemcpy");
  check_cuda(cudaMemcpy(guards.data() + kGuard, output + output_bytes_, guards.size() - kGuard, cudaMemcpyDeviceToHost),
             "cudaMemcpy");
  return std::all_of(guards.begin(), guards.end(), [](std::byte x) { return x == std::byte{0xFF}; });
}

double Operands::worst(bool loose) const {
  const double* bound = (loose ? bound_loose_ : bound_).as<double>();
  const void* values = copies_.front().output;
  const spk_value_type_t type = setting_.type->type;
  if (setting_.operation == Operation::kSpmm || setting_.operation == Operation::kSpmv) {
    return worst_share(want_.as<double>(), bound, m(), n(), output_.view(values, SPK_OP_N), type, device_.stream);
  }
  return worst_share(want_.as<double>(), bound, 1, nnz_, {values, nnz_, 1}, type, device_.stream);
}

}  // namespace spk::bench
