// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/backend.hpp"
#include "cpu/kernels/sddmm_task.hpp"

// How an SDDMM gets at the rows of op(A) and the columns of op(B) ("vectors", of k elements each), and where the
// copies that it makes of them stand in the workspace.
namespace spk::cpu {

enum class Access {
  in_place,  // contiguous along k already
  packed,    // all of them transposed into the workspace
  gathered   // only those that entries need, one for every entry: fewer entries than a fraction of the vectors
};

struct SddmmOperand {
  Operand view;  // of the first matrix of the batch
  Access access = Access::in_place;
  std::int64_t vectors = 0;                  // m or n
  std::int64_t vector_stride = 0, step = 0;  // in elements of the caller's memory
  std::int64_t ld = 0;                       // between vectors as the kernel sees them, in elements
  std::int64_t batch_stride = 0;             // 0: one matrix for the whole batch
  std::size_t bytes = 0;                     // of one matrix's copy, a multiple of 64; 0 in place
  // One copy serves the whole batch. What is gathered follows the structure, which may change from matrix to matrix.
  bool shared() const noexcept { return batch_stride == 0 && access != Access::gathered; }
  const char* values(std::int64_t batch) const noexcept {
    return static_cast<const char*>(
        advance_bytes(view.values, batch * batch_stride * static_cast<std::int64_t>(size_of(view.type))));
  }
};

struct SddmmLayout {
  SddmmOperand a, b;
  std::int64_t col_step = 0;      // (block) columns of a pass; 0: one pass
  std::int64_t slots = 1;         // matrices of the batch that are computed together
  std::size_t shared_bytes = 0;   // copies that serve the whole batch
  std::size_t slot_bytes = 0;     // copies and cursors of one slot
  std::size_t b_offset = 0;       // of B's copy, from the slot or from the start of the shared ones; A's is at 0
  std::size_t cursor_offset = 0;  // from the slot
  std::size_t total_bytes = 0;
};

constexpr std::int64_t kMaxBlockedParts = 256;  // parts that have cursors of their own

// From sizes, types and options only. Throws INDEX_OVERFLOW if the bytes do not fit size_t.
SddmmLayout sddmm_layout(const SddmmProblem& p);

// Copies what is to be copied for matrices [first, first + count) of the batch; shared operands with the first ones.
void sddmm_copy_operands(const SddmmProblem& p, const SddmmLayout& layout, std::int64_t first, std::int64_t count,
                         int threads, char* workspace) noexcept;

// The kernel's view of one matrix of the batch, computed in `slot`.
SddmmTask sddmm_task(const SddmmProblem& p, const SddmmLayout& layout, std::int64_t batch, std::int64_t slot,
                     char* workspace) noexcept;

}  // namespace spk::cpu
