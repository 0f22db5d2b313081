// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <memory>
#include <variant>

#include "capi/objects.hpp"

struct spk_plan {
  static constexpr spk::capi::Tag kTag = spk::capi::Tag::plan;
  spk::capi::Tag tag = kTag;
  const spk::Backend* backend = nullptr;
  // What the plan was made for. Only sizes, types and options count later; its pointers are not followed again.
  std::variant<spk::SpmmProblem, spk::SddmmProblem, spk::SoftmaxProblem, spk::SoftmaxBackwardProblem> problem;
  std::unique_ptr<spk::Plan> prepared;
  ~spk_plan() { tag = spk::capi::Tag{}; }
};

namespace spk::capi {

// Name of the first thing in which a problem differs from the planned one, or NULL. Addresses, values, scalars, strides
// of batches and the vectors of an epilogue may differ.
const char* first_difference(const SparseView& made, const SparseView& given) noexcept;
const char* first_difference(const SpmmProblem& made, const SpmmProblem& given) noexcept;
const char* first_difference(const SddmmProblem& made, const SddmmProblem& given) noexcept;
const char* first_difference(const SoftmaxProblem& made, const SoftmaxProblem& given) noexcept;
const char* first_difference(const SoftmaxBackwardProblem& made, const SoftmaxBackwardProblem& given) noexcept;

}  // namespace spk::capi
