// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "core/backend.hpp"
#include "core/validate_convert.hpp"

// Refuses arrays that lie where the backend cannot reach them: without this a host pointer handed to a device ends in a
// fault that poisons the whole process. Arrays that are not looked at may be anything. Throws INVALID_VALUE naming the
// array.
namespace spk::capi {

// Whether there is a pointer that the backend refuses. One that computes in host memory refuses a device's alone.
bool may_refuse_pointers(const Backend& backend) noexcept;

// One array; NULL is fine.
void check_pointer(const Backend& backend, const void* pointer, const char* name);
// A scalar that is read on the host.
void check_host_pointer(const void* pointer, const char* name);
// The offsets and indices of a sparse matrix; then its values, too.
void check_structure_pointers(const Backend& backend, const SparseView& a, const char* name);
void check_pointers(const Backend& backend, const SparseView& a, const char* name);

// All arrays of a validated problem.
void check_pointers(const Backend& backend, const SpmmProblem& p);
void check_pointers(const Backend& backend, const SddmmProblem& p);
void check_pointers(const Backend& backend, const SoftmaxProblem& p);
void check_pointers(const Backend& backend, const SoftmaxBackwardProblem& p);
void check_pointers(const Backend& backend, const VectorProblem& p);  // not the result
void check_pointers(const Backend& backend, const SparseToDenseProblem& p, ConversionPhase phase);
void check_pointers(const Backend& backend, const DenseToSparseProblem& p, ConversionPhase phase);
void check_pointers(const Backend& backend, const SparseToSparseProblem& p, ConversionPhase phase);
void check_pointers(const Backend& backend, const TransposeProblem& p, ConversionPhase phase);
void check_pointers(const Backend& backend, const SortProblem& p, ConversionPhase phase);
void check_pointers(const Backend& backend, const CoalesceProblem& p, ConversionPhase phase);

}  // namespace spk::capi
