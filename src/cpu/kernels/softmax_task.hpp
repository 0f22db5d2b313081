// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>

#include "core/problems.hpp"

// What the softmax kernels get: one matrix of a batch. All matrices have the structure of the first.
namespace spk::cpu {

// Products with the scale, split so that no factor leaves the range of the sum's type and none of the products does
// unless scale * x itself would.
struct SoftmaxScale {
  double before = 1;        // applied to x before the row's maximum is taken
  double one = 1, two = 1;  // applied one after the other to the distance from the maximum
};

struct SoftmaxTask {
  const void* offsets = nullptr;
  IndexType offset_type = IndexType::i32;
  std::int32_t base = 0;
  const void* x = nullptr;  // value of entry e at x[e]
  void* y = nullptr;        // its result at y[e + y_shift]
  std::int64_t y_shift = 0;
  const std::uint8_t* mask = nullptr;  // NULL, or the byte of entry e at mask[e - first_entry]
  std::int64_t first_entry = 0;
  SoftmaxScale scale;
};
using SoftmaxKernel = void(const SoftmaxTask&, std::int64_t row_begin, std::int64_t row_end) noexcept;

struct SoftmaxBackwardTask {
  const void* offsets = nullptr;
  IndexType offset_type = IndexType::i32;
  std::int32_t base = 0;
  const void* y = nullptr;  // entry e at y[e], dy[e + dy_shift] and dx[e + dx_shift]
  const void* dy = nullptr;
  void* dx = nullptr;
  std::int64_t dy_shift = 0, dx_shift = 0;
  SoftmaxScale scale;  // `before` is not used
};
using SoftmaxBackwardKernel = void(const SoftmaxBackwardTask&, std::int64_t row_begin, std::int64_t row_end) noexcept;

#define SPK_KERNEL(name, isa, id, refuse) SoftmaxKernel name##__##isa;
#include "cpu/softmax_kernels.inc"
#undef SPK_KERNEL
#define SPK_KERNEL(name, isa, id, refuse) SoftmaxBackwardKernel name##__##isa;
#include "cpu/softmax_backward_kernels.inc"
#undef SPK_KERNEL

}  // namespace spk::cpu
