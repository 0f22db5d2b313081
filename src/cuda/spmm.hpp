// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <span>

#include "core/kernel_table.hpp"
#include "cuda/operations.hpp"

// The inside of SpMM on CUDA: the kernel table, and what a kernel gets.
namespace spk::cuda {

// op(A) as rows: `rows` is a CSR view of op(A), m x k, or for BSR and Blocked-ELL a view of its block rows. It is A's own
// storage where that has this form already, else arrays in the workspace or in a plan.
struct SpmmCall {
  const SpmmProblem& p;  // shapes, B, C, scalars, epilogue; p.a is as given
  SparseView rows;
  // Blocks of a turned A: place of every block of `rows` in A's values, and whether a block is read transposed.
  const void* block_positions = nullptr;
  IndexType position_type = IndexType::i32;
  bool turned = false;
};

using SpmmKernel = void(const SpmmCall& call, const Launch& launch);

struct SpmmRow : KernelRow<SpmmProblem, int, SpmmKernel> {               // target: least SM
  double (*cost)(const Device& device, const SpmmProblem& p);            // expected microseconds
  std::size_t (*workspace)(const Device& device, const SpmmProblem& p);  // bytes besides those for the rows of op(A)
};

std::span<const SpmmRow> spmm_kernels() noexcept;
// The cheapest kernel that takes p on the device, or NULL with all refusals.
const SpmmRow* select_spmm(const Device& device, const SpmmProblem& p, std::string* refusals);

// Whether entries of op(A) lie in rows as stored, so that no rows have to be made.
bool stored_in_rows(const SpmmProblem& p) noexcept;

}  // namespace spk::cuda
