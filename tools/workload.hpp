// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <string>

#include "buffer.hpp"
#include "cases/device_block.hpp"
#include "library.hpp"
#include "matrix_file.hpp"
#include "timing.hpp"
#include "value_types.hpp"

namespace spk::tool {

enum class Operation { kSpmm, kSpmv, kSddmm, kSoftmax };

// spmm, spmv, sddmm or softmax; UsageError naming `option` otherwise.
Operation operation_from_name(std::string_view name, std::string_view option);
const char* operation_name(Operation operation);

// What is computed with a sparse matrix S (rows x cols as stored).
struct Problem {
  Operation operation = Operation::kSpmm;
  std::int64_t n = 128;               // SpMM: columns of C; SDDMM: inner size k; SpMV and softmax have none
  spk_order_t order = SPK_ORDER_ROW;  // of every dense matrix
  spk_operation_t opA = SPK_OP_N;     // SpMM, SpMV: of S; SDDMM: of the left dense matrix
  spk_operation_t opB = SPK_OP_N;     // SpMM, SDDMM: of the right dense matrix
  spk_algorithm_t alg = SPK_ALG_DEFAULT;
  double alpha = 1;
  double beta = 0;
};

// Memory where a backend computes: of the host, or of the device.
class Space {
 public:
  Space() = default;
  Space(spk_backend_t backend, std::size_t bytes);
  // The host's own buffer serves a host backend; another gets a copy. It must outlive the space.
  Space(spk_backend_t backend, const Buffer& image);
  void* data() const { return device_.data() != nullptr ? device_.data() : host_; }
  std::size_t bytes() const { return bytes_; }
  // Copies an image of bytes() bytes in.
  void fill(const Buffer& image) const;

 private:
  std::size_t bytes_ = 0;
  Buffer own_;
  void* host_ = nullptr;
  cases::DeviceBlock device_;
};

// Operands of one problem where a backend (not AUTO) computes. Dense values are generated from the matrix's seed, so
// they repeat.
class Workload {
 public:
  // `matrix` must outlive the workload; its values are read only.
  Workload(const CsrMatrix& matrix, const Problem& problem, spk_backend_t backend = SPK_BACKEND_CPU);

  const CsrMatrix& matrix() const { return matrix_; }
  const Problem& problem() const { return problem_; }

  double flops() const;        // useful: 2 nnz n; softmax: 0, its work is counted in entries
  double dense_flops() const;  // of the dense product with the same sizes
  double bytes() const;        // every array read or written once

  // Name of the kernel that the handle would take. Failure with all refusals if there is none.
  std::string kernel(const Handle& handle) const;

  Plan make_plan(const Handle& handle) const;
  // SpMM and SpMV only.
  void keep_values(const Handle& handle, const Plan& plan) const;
  std::size_t workspace_bytes(const Handle& handle, const Plan& plan) const;

  // One call of the library: the plan's execution if there is a plan. Returns the library's status.
  spk_status_t execute(const Handle& handle, const Plan& plan, const Space& workspace) const;

  // On host backends only.
  const Buffer& result() const { return output_; }

  // Puts the output back to what it was before the first call (it matters when beta is not 0).
  void reset_output();

  spk_backend_t backend() const { return backend_; }

  // Operands, for loops that are compared with the library. B and C as in Problem; SDDMM: left, right, values of C.
  const Buffer& left() const { return left_; }
  const Buffer& right() const { return right_; }

 private:
  struct Shape {
    std::int64_t rows, cols, ld;
  };
  Shape stored_shape(std::int64_t rows, std::int64_t cols, spk_operation_t op) const;
  Dense dense(const Shape& shape, const Space& values) const;
  Sparse sparse(const Space& values);

  const CsrMatrix& matrix_;
  Problem problem_;
  std::int64_t m_, k_, n_;  // C m x n, inner size k
  spk_backend_t backend_;
  Buffer left_, right_, output_, initial_;
  Space left_space_, right_space_, output_space_, offsets_, columns_, values_;
  Sparse sparse_in_, sparse_out_;
  Dense dense_left_, dense_right_, dense_out_;
  Vector vector_in_, vector_out_;
  Scalar alpha_, beta_;
};

// A workload bound to a handle: workspace taken once, as a caller in a loop does it.
class Runner {
 public:
  Runner(const Handle& handle, const Workload& workload, bool with_plan, bool keeps_values = false);

  void operator()() const;  // Failure with the library's message if the call fails
  const Plan& plan() const { return plan_; }
  const Space& workspace() const { return workspace_; }
  Timed timed() const;
  std::string description() const;  // of the kernel, and of what the plan keeps

 private:
  const Handle& handle_;
  const Workload& workload_;
  Plan plan_;
  Space workspace_;
};

// The library's own verdict on one run in shadow mode: error / bound of the worst element.
struct Verdict {
  bool inside = false;
  double worst = 0;
  std::int64_t entries = 0;
  std::int64_t row = 0;
  std::int64_t col = 0;
  double got = 0;
  double want = 0;
};
Verdict check_against_reference(const Handle& handle, Workload& workload, const Runner& runner);

}  // namespace spk::tool
