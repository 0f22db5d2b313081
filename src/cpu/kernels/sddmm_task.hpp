// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>

#include "core/problems.hpp"

// What an SDDMM kernel gets: one matrix of a batch, with op(A)'s rows and op(B)'s columns contiguous along k.
namespace spk::cpu {

// Entries [begin, end) of one (block) row.
struct SddmmSegment {
  std::int64_t row, begin, end;
};

struct SddmmTask {
  const void* a = nullptr;  // row i of op(A) starts a_ld real numbers after row i - 1; likewise the columns of op(B)
  const void* b = nullptr;
  std::int64_t a_ld = 0, b_ld = 0;
  std::int64_t k = 0;  // real numbers of a dot's operands: twice the inner size for complex types
  // Gathered operands hold what entry e needs in place e - first_entry (blocks: block_size rows or columns each),
  // a row of A in the place of its row's first entry.
  bool a_gathered = false, b_gathered = false;
  bool conj_a = false, conj_b = false;

  const void* offsets = nullptr;
  const void* indices = nullptr;
  void* values = nullptr;
  IndexType offset_type = IndexType::i32, index_type = IndexType::i32;
  ValueType c_type = ValueType::f32;
  std::int32_t base = 0;
  std::int64_t first_entry = 0;
  std::int64_t block_size = 1;
  bool row_major_blocks = true;
  Scalar alpha, beta;

  // 0, or the (block) columns that one pass over a part's rows may touch, so that they stay in the cache.
  std::int64_t col_step = 0;
  std::int64_t cols = 0;  // (block) columns of C
};

// A share of the entries: [begin, end) in storage order starting in row first_row, or a list of segments.
struct SddmmPart {
  std::int64_t first_row = 0, begin = 0, end = 0;
  std::int64_t rows = 0;
  std::int64_t* cursors = nullptr;  // with col_step: one for every row of the part
  const SddmmSegment* segments = nullptr;
  std::int64_t segment_count = 0;
};

using SddmmKernel = void(const SddmmTask&, const SddmmPart&) noexcept;

#define SPK_KERNEL(name, isa, id, refuse) SddmmKernel name##__##isa;
#include "cpu/sddmm_kernels.inc"
#undef SPK_KERNEL

}  // namespace spk::cpu
