// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/operations.hpp"

// Rows of op(A) for storages that have none: where they lie, how they are made, and the call on them.
namespace spk::cuda {

struct SpmmCall;

// Where rows of op(A) made from another storage lie, in bytes from the start of their memory: per matrix offsets,
// indices, and places of blocks or of entries; then scratch.
struct RowsLayout {
  IndexType type = IndexType::i32;
  std::int64_t matrices = 1;  // 1 where the whole batch shares A
  std::size_t offsets = 0, indices = 0, values = 0, matrix_bytes = 0, scratch = 0, total = 0;
};

// `planned`: places of entries are kept instead of their values, which may change.
RowsLayout rows_layout(const Device& device, const SpmmProblem& p, bool planned);
void make_rows(const SpmmProblem& p, const RowsLayout& l, bool planned, char* memory, const Launch& launch);
// The call on rows that make_rows made.
SpmmCall call_on_rows(const SpmmProblem& p, const RowsLayout& l, char* memory);

// Values of a planned matrix in the order of its rows: their bytes, from p's values to `values`, and a call that takes them
// from there.
std::size_t planned_values_bytes(const SpmmProblem& p);
void gather_planned_values(SpmmCall& call, const RowsLayout& layout, char* rows, char* values, const Launch& launch);
void take_values(SpmmCall& call, char* values);

bool is_block_format(Format format) noexcept;
// `count` items of a size, padded; INDEX_OVERFLOW beyond 63 bits.
std::size_t bytes_of(std::int64_t count, std::size_t size);

}  // namespace spk::cuda
