// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/plan.hpp"

namespace spk::capi {
namespace {

const char* first_difference(const DenseView& made, const DenseView& given, const char* name) noexcept {
  const bool same = made.rows == given.rows && made.cols == given.cols && made.type == given.type &&
                    made.order == given.order && made.ld == given.ld && made.batch_count == given.batch_count;
  return same ? nullptr : name;
}

bool same_epilogue(const Epilogue& made, const Epilogue& given) noexcept {
  return made.activation == given.activation && made.bias_kind == given.bias_kind &&
         made.bias_type == given.bias_type && made.has_residual == given.has_residual;
}

const char* first_of(std::initializer_list<const char*> differences) noexcept {
  for (const char* difference : differences)
    if (difference != nullptr) return difference;
  return nullptr;
}

const char* named(const char* difference, const char* name) noexcept { return difference == nullptr ? nullptr : name; }

}  // namespace

const char* first_difference(const SparseView& made, const SparseView& given) noexcept {
  if (made.format != given.format) return "format";
  if (made.rows != given.rows || made.cols != given.cols) return "size";
  if (made.nnz != given.nnz || made.first_entry != given.first_entry) return "number of stored entries";
  if (made.value_type != given.value_type) return "value type";
  if (made.index_type != given.index_type || made.offset_type != given.offset_type) return "index type";
  if (made.base != given.base) return "index base";
  if (made.block_size != given.block_size || made.block_order != given.block_order || made.ell_cols != given.ell_cols)
    return "block";
  // Which matrices of a batch share their structure is part of the structure.
  if (made.batch_count != given.batch_count || (made.indices_stride == 0) != (given.indices_stride == 0) ||
      (made.offsets_stride == 0) != (given.offsets_stride == 0))
    return "batch";
  return nullptr;
}

const char* first_difference(const SpmmProblem& made, const SpmmProblem& given) noexcept {
  const char* b = made.is_spmv ? "vecX" : "matB";
  const char* c = made.is_spmv ? "vecY" : "matC";
  return first_of({named(first_difference(made.a, given.a), "matA"), first_difference(made.b, given.b, b),
                   first_difference(made.c, given.c, c),
                   same_epilogue(made.epilogue, given.epilogue) ? nullptr : "epilogue"});
}

const char* first_difference(const SddmmProblem& made, const SddmmProblem& given) noexcept {
  return first_of({first_difference(made.a, given.a, "matA"), first_difference(made.b, given.b, "matB"),
                   named(first_difference(made.c, given.c), "matC")});
}

const char* first_difference(const SoftmaxProblem& made, const SoftmaxProblem& given) noexcept {
  return first_of({named(first_difference(made.x, given.x), "matX"), named(first_difference(made.y, given.y), "matY")});
}

const char* first_difference(const SoftmaxBackwardProblem& made, const SoftmaxBackwardProblem& given) noexcept {
  return first_of({named(first_difference(made.y, given.y), "matY"),
                   named(first_difference(made.dy, given.dy), "matDY"),
                   named(first_difference(made.dx, given.dx), "matDX")});
}

}  // namespace spk::capi
