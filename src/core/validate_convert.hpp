// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/problems.hpp"

// Checks of conversions, the same for every backend. They throw spk::Error with the public name of the argument and
// read no array.
namespace spk {

// Formats, shapes, types, batches.
void validate(const SparseToDenseProblem& p);
void validate(const DenseToSparseProblem& p);
void validate(const SparseToSparseProblem& p);
void validate(const TransposeProblem& p);
void validate(const SortProblem& p);
void validate(const CoalesceProblem& p);

// Which arrays of the destination a call writes: analyze only the offsets, convert all of them.
enum class ConversionPhase { analyze, convert };

// NULL arrays and overlap: what must hold before a validated conversion runs.
void validate_memory(const SparseToDenseProblem& p, ConversionPhase phase);
void validate_memory(const DenseToSparseProblem& p, ConversionPhase phase);
void validate_memory(const SparseToSparseProblem& p, ConversionPhase phase);
void validate_memory(const TransposeProblem& p, ConversionPhase phase);
void validate_memory(const SortProblem& p, ConversionPhase phase);
void validate_memory(const CoalesceProblem& p, ConversionPhase phase);

// What a conversion gives must fit. Throws INDEX_OVERFLOW if `count` entries or blocks (Blocked-ELL: ell_cols) cannot
// be described by b.
void check_result(const SparseView& b, std::int64_t count);
// The same, and INVALID_VALUE if b has not room for exactly `count`.
void check_destination(const SparseView& b, std::int64_t count);

}  // namespace spk
