// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/backend.hpp"
#include "cuda/device.hpp"

// The CUDA backend, operation by operation. Contracts: Operation and Conversion in core/backend.hpp. The device is the
// current one of the thread.
namespace spk::cuda {

#define SPK_DECLARE_OPERATION(Problem)                                                               \
  Choice choose(const Device& device, const Problem& p);                                             \
  std::size_t workspace(const Device& device, const Problem& p, const Plan* plan, const Exec& exec); \
  std::unique_ptr<Plan> prepare(const Device& device, const Problem& p, const Exec& exec);           \
  void run(const Device& device, const Problem& p, const Plan* plan, const Exec& exec);
SPK_DECLARE_OPERATION(SpmmProblem)             // spmm.cpp
SPK_DECLARE_OPERATION(SddmmProblem)            // sddmm.cpp
SPK_DECLARE_OPERATION(SoftmaxProblem)          // softmax.cpp
SPK_DECLARE_OPERATION(SoftmaxBackwardProblem)  // softmax.cpp
#undef SPK_DECLARE_OPERATION

Choice choose(const Device& device, const VectorProblem& p);  // kernels/vector.cu
std::size_t workspace(const Device& device, const VectorProblem& p, const Exec& exec);
void run(const Device& device, const VectorProblem& p, const Exec& exec);

#define SPK_DECLARE_CONVERSION(Problem)                                            \
  std::size_t workspace(const Device& device, const Problem& p, const Exec& exec); \
  std::int64_t analyze(const Device& device, const Problem& p, const Exec& exec);  \
  std::int64_t run(const Device& device, const Problem& p, const Exec& exec);
SPK_DECLARE_CONVERSION(SparseToDenseProblem)  // convert_*.cpp
SPK_DECLARE_CONVERSION(DenseToSparseProblem)
SPK_DECLARE_CONVERSION(SparseToSparseProblem)
SPK_DECLARE_CONVERSION(TransposeProblem)
SPK_DECLARE_CONVERSION(SortProblem)
SPK_DECLARE_CONVERSION(CoalesceProblem)
#undef SPK_DECLARE_CONVERSION

// Reads the whole structure; fills the report.
void validate(const Device& device, const SparseView& a, spk_validation_report_t& report, const Exec& exec);

// Entries of op(A) brought into rows, on the device: what SpMM does with every storage that is not CSR by rows of
// op(A). Stable: entries of a row keep the order in which they are stored. a is one matrix, not a batch, of format
// CSR, CSC, COO, SELL or BSR and Blocked-ELL (whose entries are then blocks: rows and indices count blocks).
struct RowArrays {
  void* offsets = nullptr;    // of type index_type, rows + 1 of them, from 0
  void* indices = nullptr;    // of type index_type, from 0; column in op(A) of every entry
  void* positions = nullptr;  // NULL, or of type index_type: place of every entry in A's value array, from 0
  void* values = nullptr;     // NULL, or A's values in the new order (not for BSR and Blocked-ELL)
  IndexType index_type = IndexType::i32;
};
// i32 if all numbers fit, else i64.
IndexType row_index_type(const SparseView& a) noexcept;
// Bytes of scratch that sort_into_rows needs, without the arrays.
std::size_t sort_into_rows_scratch(const Device& device, const SparseView& a, Op op);
// Asynchronous on the stream: no synchronisation, no allocation.
void sort_into_rows(const Launch& launch, const SparseView& a, Op op, const RowArrays& rows, void* scratch);

}  // namespace spk::cuda
