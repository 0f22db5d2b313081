// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <span>

#include "core/kernel_table.hpp"
#include "cuda/operations.hpp"
#include "cuda/spmm_made_rows.hpp"

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
  std::int64_t position_stride = 0;  // elements between matrices of a batch
  bool turned = false;
  const void* kept_copy = nullptr;  // the dense copy of op(A) that a plan has made
  bool by_columns = false;          // `rows` are the columns of op(A); for kernels that make a dense copy
  bool behind_b = false;            // the launch in front makes B, and lets this one start early
  // For a kernel in front of another, which has the other rows: only rows of more entries than this are wanted; 0: all.
  std::int64_t cut = 0;
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

// Bytes of a copy of op(B) by rows.
std::size_t turned_bytes(const SpmmProblem& p);

// A plan: the kernel's name, the rows of op(A) where its storage has none, and the longest row, so that kernels need not
// provide for longer ones. Where values are kept: those of the rows that it has made, and the dense copy of op(A) that its
// kernel multiplies.
class SpmmPlan final : public Plan {
 public:
  SpmmPlan(const Device& device, cudaStream_t stream, const SpmmRow& row, bool with_values)
      : kernel(&row), keeps_values(with_values), device_(device), stream_(stream) {}
  ~SpmmPlan() override;
  std::string describe() const override;
  char* allocate(std::size_t bytes);

  // The problem with what the plan knows of the structure.
  SpmmProblem known(SpmmProblem p) const {
    p.longest_row = longest_row;
    p.keeps_values = keeps_values;
    return p;
  }

  const SpmmRow* kernel;
  bool keeps_values;
  std::int64_t longest_row = -1;  // not counted
  RowsLayout layout;
  // Device memory or NULL.
  char* rows = nullptr;  // where A is not stored in rows
  char* values = nullptr;
  char* copy = nullptr;

 private:
  const Device& device_;
  cudaStream_t stream_;
  std::size_t bytes_ = 0;
};

// The longest of `rows` rows of every matrix, by their offsets; strides in elements.
struct LongestRow {
  const void* offsets;
  IndexType type;
  std::int64_t rows, matrices, stride;
};
void find_longest_row(const LongestRow& l, std::int64_t* longest, const Launch& launch);

// to[i] = from[positions[i]] for the values of `matrices` matrices; strides in elements.
struct GatherValues {
  const void* from;
  const void* positions;
  void* to;
  ValueType type;
  IndexType position_type;
  std::int64_t count, matrices, from_stride, position_stride, to_stride;
};
void gather_values(const GatherValues& g, const Launch& launch);

}  // namespace spk::cuda
