// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <span>

#include "core/kernel_table.hpp"
#include "cuda/operations.hpp"

// The inside of softmax and its gradient on CUDA: the kernel tables, and how rows are cut.
namespace spk::cuda {

using SoftmaxKernel = void(const SoftmaxProblem& p, const Launch& launch);
using SoftmaxBackwardKernel = void(const SoftmaxBackwardProblem& p, const Launch& launch);

template <class Problem, class Kernel>
struct SoftmaxTableRow : KernelRow<Problem, int, Kernel> {           // target: least SM
  double (*cost)(const Device& device, const Problem& p);            // expected microseconds
  std::size_t (*workspace)(const Device& device, const Problem& p);  // bytes
};
using SoftmaxRow = SoftmaxTableRow<SoftmaxProblem, SoftmaxKernel>;
using SoftmaxBackwardRow = SoftmaxTableRow<SoftmaxBackwardProblem, SoftmaxBackwardKernel>;

std::span<const SoftmaxRow> softmax_kernels() noexcept;
std::span<const SoftmaxBackwardRow> softmax_backward_kernels() noexcept;

// Rows longer than two parts are shared by blocks, each of which has one part of all entries.
struct SoftmaxParts {
  std::int64_t length = 0;  // entries of a part
  std::int64_t count = 0;   // parts of one matrix
};
SoftmaxParts softmax_parts(const Device& device, std::int64_t nnz) noexcept;

#define SPK_KERNEL(name, id, sm, refuse, cost, workspace) SoftmaxKernel name;
#include "cuda/softmax_kernels.inc"
#undef SPK_KERNEL
#define SPK_KERNEL(name, id, sm, refuse, cost, workspace) SoftmaxBackwardKernel name;
#include "cuda/softmax_backward_kernels.inc"
#undef SPK_KERNEL

}  // namespace spk::cuda
