// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "failure.hpp"

namespace spk::tool {
namespace {

// Reads a text that the library copies out: once for the size, once for the contents.
template <class Call>
std::string library_text(const Handle& handle, Call call) {
  std::size_t needed = 0;
  check(call(nullptr, 0, &needed), handle.get());
  std::string text(needed, '\0');
  check(call(text.data(), text.size(), nullptr), handle.get());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

Operation operation_from_name(std::string_view name, std::string_view option) {
  for (const Operation operation : {Operation::kSpmm, Operation::kSpmv, Operation::kSddmm, Operation::kSoftmax}) {
    if (name == operation_name(operation)) return operation;
  }
  throw UsageError(fmt::format("{} = {} but must be spmm, spmv, sddmm or softmax", option, name));
}

const char* operation_name(Operation operation) {
  switch (operation) {
    case Operation::kSpmm: return "spmm";
    case Operation::kSpmv: return "spmv";
    case Operation::kSddmm: return "sddmm";
    case Operation::kSoftmax: return "softmax";
  }
  return "";
}

Workload::Shape Workload::stored_shape(std::int64_t rows, std::int64_t cols, spk_operation_t op) const {
  if (op != SPK_OP_N) std::swap(rows, cols);
  return {rows, cols, std::max<std::int64_t>(1, problem_.order == SPK_ORDER_ROW ? cols : rows)};
}

Space::Space(spk_backend_t backend, std::size_t bytes) : bytes_(bytes) {
  if (cases::has_own_memory(backend))
    device_ = cases::DeviceBlock(bytes);
  else
    own_ = Buffer(bytes);
  host_ = own_.data();
}

Space::Space(spk_backend_t backend, const Buffer& image) : bytes_(image.bytes()), host_(image.data()) {
  if (!cases::has_own_memory(backend)) return;
  device_ = cases::DeviceBlock(bytes_);
  fill(image);
}

void Space::fill(const Buffer& image) const {
  if (device_.data() != nullptr)
    device_.upload(image.data());
  else
    std::memcpy(host_, image.data(), bytes_);
}

Dense Workload::dense(const Shape& shape, const Space& values) const {
  spk_dnmat_t mat = nullptr;
  check(spk_dnmat_create(&mat, shape.rows, shape.cols, shape.ld, values.data(), matrix_.type->type, problem_.order));
  return Dense(mat);
}

Sparse Workload::sparse(const Space& values) {
  if (offsets_.bytes() == 0) {
    offsets_ = Space(backend_, matrix_.row_offsets);
    columns_ = Space(backend_, matrix_.col_indices);
  }
  return matrix_.describe(offsets_.data(), columns_.data(), values.data());
}

Workload::Workload(const CsrMatrix& matrix, const Problem& problem, spk_backend_t backend)
    : matrix_(matrix),
      problem_(problem),
      backend_(backend),
      alpha_(make_scalar(problem.alpha, *matrix.type)),
      beta_(make_scalar(problem.beta, *matrix.type)) {
  const ValueType& type = *matrix.type;
  const auto elements = [](const Shape& shape) {
    std::int64_t count = 0;
    if (__builtin_mul_overflow(shape.rows, shape.cols, &count)) throw std::bad_alloc();
    return std::max<std::int64_t>(count, 1);
  };
  const bool flipped = problem.opA != SPK_OP_N;
  switch (problem.operation) {
    case Operation::kSpmm:
    case Operation::kSpmv: {
      m_ = flipped ? matrix.cols : matrix.rows;
      k_ = flipped ? matrix.rows : matrix.cols;
      n_ = problem.operation == Operation::kSpmm ? problem.n : 1;
      values_ = Space(backend, matrix.values);
      sparse_in_ = sparse(values_);
      const Shape shape_b = stored_shape(k_, n_, problem.opB);
      const Shape shape_c = stored_shape(m_, n_, SPK_OP_N);
      right_ = random_values(elements(shape_b), type, matrix.seed + 1);
      initial_ = random_values(elements(shape_c), type, matrix.seed + 2);
      output_ = Buffer(initial_.bytes());
      right_space_ = Space(backend, right_);
      output_space_ = Space(backend, output_);
      if (problem.operation == Operation::kSpmm) {
        dense_right_ = dense(shape_b, right_space_);
        dense_out_ = dense(shape_c, output_space_);
      } else {
        spk_dnvec_t vec = nullptr;
        check(spk_dnvec_create(&vec, k_, right_space_.data(), type.type));
        vector_in_.reset(vec);
        check(spk_dnvec_create(&vec, m_, output_space_.data(), type.type));
        vector_out_.reset(vec);
      }
      break;
    }
    case Operation::kSddmm: {
      m_ = matrix.rows;
      n_ = matrix.cols;
      k_ = problem.n;
      const Shape shape_a = stored_shape(m_, k_, problem.opA);
      const Shape shape_b = stored_shape(k_, n_, problem.opB);
      left_ = random_values(elements(shape_a), type, matrix.seed + 1);
      right_ = random_values(elements(shape_b), type, matrix.seed + 2);
      initial_ = random_values(std::max<std::int64_t>(matrix.nnz, 1), type, matrix.seed + 3);
      output_ = Buffer(initial_.bytes());
      left_space_ = Space(backend, left_);
      right_space_ = Space(backend, right_);
      output_space_ = Space(backend, output_);
      dense_left_ = dense(shape_a, left_space_);
      dense_right_ = dense(shape_b, right_space_);
      sparse_out_ = sparse(output_space_);
      break;
    }
    case Operation::kSoftmax:
      m_ = matrix.rows;
      n_ = matrix.cols;
      k_ = 0;
      values_ = Space(backend, matrix.values);
      sparse_in_ = sparse(values_);
      initial_ = Buffer(std::max<std::int64_t>(matrix.nnz, 1), type.size);
      output_ = Buffer(initial_.bytes());
      output_space_ = Space(backend, output_);
      sparse_out_ = sparse(output_space_);
      break;
  }
  reset_output();
}

void Workload::reset_output() { output_space_.fill(initial_); }

double Workload::flops() const {
  const double per_entry = matrix_.type->is_complex ? 8 : 2;
  const double width = problem_.operation == Operation::kSddmm ? static_cast<double>(k_) : static_cast<double>(n_);
  return problem_.operation == Operation::kSoftmax ? 0 : per_entry * static_cast<double>(matrix_.nnz) * width;
}

double Workload::dense_flops() const {
  const double per_place = matrix_.type->is_complex ? 8 : 2;
  return per_place * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
}

double Workload::bytes() const {
  const double index_bytes = matrix_.index_type == SPK_INDEX_32I ? 4 : 8;
  const auto value_bytes = static_cast<double>(matrix_.type->size);
  const auto nnz = static_cast<double>(matrix_.nnz);
  const double structure = nnz * index_bytes + static_cast<double>(matrix_.rows + 1) * index_bytes;
  const auto dense_left = static_cast<double>(left_.bytes());
  const auto dense_right = static_cast<double>(right_.bytes());
  const auto output = static_cast<double>(output_.bytes()) * (problem_.beta != 0 ? 2 : 1);
  const double values_in = problem_.operation == Operation::kSddmm ? 0 : nnz * value_bytes;
  return structure + values_in + dense_left + dense_right + output;
}

std::string Workload::kernel(const Handle& handle) const {
  spk_support_query_t query{};
  query.struct_size = sizeof query;
  query.opA = problem_.opA;
  query.opB = problem_.opB;
  query.compute_type = matrix_.type->compute;
  query.alg = problem_.alg;
  switch (problem_.operation) {
    case Operation::kSpmm:
      query.operation = SPK_OPERATION_SPMM;
      query.sparse = sparse_in_.get();
      query.dense_in = dense_right_.get();
      query.dense_out = dense_out_.get();
      break;
    case Operation::kSpmv:
      query.operation = SPK_OPERATION_SPMV;
      query.sparse = sparse_in_.get();
      query.vec_in = vector_in_.get();
      query.vec_out = vector_out_.get();
      break;
    case Operation::kSddmm:
      query.operation = SPK_OPERATION_SDDMM;
      query.sparse = sparse_out_.get();
      query.dense_in = dense_left_.get();
      query.dense_in2 = dense_right_.get();
      break;
    case Operation::kSoftmax:
      query.operation = SPK_OPERATION_SOFTMAX;
      query.sparse = sparse_in_.get();
      query.sparse_out = sparse_out_.get();
      break;
  }
  return library_text(handle, [&](char* buffer, std::size_t capacity, std::size_t* needed) {
    return spk_query_support(handle.get(), &query, nullptr, buffer, capacity, needed);
  });
}

Plan Workload::make_plan(const Handle& handle) const {
  spk_plan_t plan = nullptr;
  const spk_handle_t h = handle.get();
  const spk_compute_type_t compute = matrix_.type->compute;
  switch (problem_.operation) {
    case Operation::kSpmm:
      check(spk_spmm_plan_create(&plan, h, problem_.opA, problem_.opB, sparse_in_.get(), dense_right_.get(),
                                 dense_out_.get(), compute, problem_.alg, nullptr),
            h);
      break;
    case Operation::kSpmv:
      check(spk_spmv_plan_create(&plan, h, problem_.opA, sparse_in_.get(), vector_in_.get(), vector_out_.get(), compute,
                                 problem_.alg),
            h);
      break;
    case Operation::kSddmm:
      check(spk_sddmm_plan_create(&plan, h, problem_.opA, problem_.opB, dense_left_.get(), dense_right_.get(),
                                  sparse_out_.get(), compute, problem_.alg),
            h);
      break;
    case Operation::kSoftmax:
      check(spk_softmax_plan_create(&plan, h, sparse_in_.get(), sparse_out_.get(), problem_.alg), h);
      break;
  }
  return Plan(plan);
}

void Workload::keep_values(const Handle& handle, const Plan& plan) const {
  check(spk_plan_keep_values(handle.get(), plan.get(), sparse_in_.get()), handle.get());
}

std::size_t Workload::workspace_bytes(const Handle& handle, const Plan& plan) const {
  std::size_t bytes = 0;
  const spk_handle_t h = handle.get();
  const spk_compute_type_t compute = matrix_.type->compute;
  if (plan) {
    check(spk_plan_workspace(h, plan.get(), &bytes), h);
    return bytes;
  }
  switch (problem_.operation) {
    case Operation::kSpmm:
      check(spk_spmm_workspace(h, problem_.opA, problem_.opB, sparse_in_.get(), dense_right_.get(), dense_out_.get(),
                               compute, problem_.alg, &bytes),
            h);
      break;
    case Operation::kSpmv:
      check(spk_spmv_workspace(h, problem_.opA, sparse_in_.get(), vector_in_.get(), vector_out_.get(), compute,
                               problem_.alg, &bytes),
            h);
      break;
    case Operation::kSddmm:
      check(spk_sddmm_workspace(h, problem_.opA, problem_.opB, dense_left_.get(), dense_right_.get(), sparse_out_.get(),
                                compute, problem_.alg, &bytes),
            h);
      break;
    case Operation::kSoftmax:
      check(spk_softmax_workspace(h, sparse_in_.get(), sparse_out_.get(), problem_.alg, &bytes), h);
      break;
  }
  return bytes;
}

spk_status_t Workload::execute(const Handle& handle, const Plan& plan, const Space& workspace) const {
  const spk_handle_t h = handle.get();
  const spk_compute_type_t compute = matrix_.type->compute;
  void* space = workspace.data();
  const std::size_t bytes = workspace.bytes();
  switch (problem_.operation) {
    case Operation::kSpmm:
      return plan ? spk_spmm_execute(h, plan.get(), &alpha_, sparse_in_.get(), dense_right_.get(), &beta_,
                                     dense_out_.get(), nullptr, space, bytes)
                  : spk_spmm(h, problem_.opA, problem_.opB, &alpha_, sparse_in_.get(), dense_right_.get(), &beta_,
                             dense_out_.get(), compute, problem_.alg, space, bytes);
    case Operation::kSpmv:
      return plan ? spk_spmv_execute(h, plan.get(), &alpha_, sparse_in_.get(), vector_in_.get(), &beta_,
                                     vector_out_.get(), space, bytes)
                  : spk_spmv(h, problem_.opA, &alpha_, sparse_in_.get(), vector_in_.get(), &beta_, vector_out_.get(),
                             compute, problem_.alg, space, bytes);
    case Operation::kSddmm:
      return plan ? spk_sddmm_execute(h, plan.get(), &alpha_, dense_left_.get(), dense_right_.get(), &beta_,
                                      sparse_out_.get(), space, bytes)
                  : spk_sddmm(h, problem_.opA, problem_.opB, &alpha_, dense_left_.get(), dense_right_.get(), &beta_,
                              sparse_out_.get(), compute, problem_.alg, space, bytes);
    case Operation::kSoftmax:
      return plan ? spk_softmax_execute(h, plan.get(), problem_.alpha, sparse_in_.get(), nullptr, sparse_out_.get(),
                                        space, bytes)
                  : spk_softmax(h, problem_.alpha, sparse_in_.get(), nullptr, sparse_out_.get(), problem_.alg, space,
                                bytes);
  }
  return SPK_STATUS_INVALID_VALUE;
}

Runner::Runner(const Handle& handle, const Workload& workload, bool with_plan, bool keeps_values)
    : handle_(handle), workload_(workload), plan_(with_plan ? workload.make_plan(handle) : Plan()) {
  if (keeps_values) workload.keep_values(handle, plan_);
  workspace_ = Space(workload.backend(), workload.workspace_bytes(handle, plan_));
}

void Runner::operator()() const { check(workload_.execute(handle_, plan_, workspace_), handle_.get()); }

Timed Runner::timed() const {
  return {[this] { (*this)(); }, [this] { check(spk_synchronize(handle_.get()), handle_.get()); }};
}

std::string Runner::description() const {
  if (!plan_) return workload_.kernel(handle_);
  return library_text(handle_, [&](char* buffer, std::size_t capacity, std::size_t* needed) {
    return spk_plan_describe(plan_.get(), buffer, capacity, needed);
  });
}

Verdict check_against_reference(const Handle& handle, Workload& workload, const Runner& runner) {
  workload.reset_output();
  check(spk_set_check(handle.get(), 1), handle.get());
  const spk_status_t status = workload.execute(handle, runner.plan(), runner.workspace());
  spk_check_report_t report{};
  report.struct_size = sizeof report;
  const spk_status_t reported = spk_get_check_report(handle.get(), &report);
  // A result outside its bound is INTERNAL_ERROR with a report that says so; everything else is a real failure.
  const bool outside = status == SPK_STATUS_INTERNAL_ERROR && reported == SPK_STATUS_SUCCESS && !(report.worst <= 1);
  if (!outside) check(status, handle.get());
  check(reported, handle.get());
  check(spk_set_check(handle.get(), 0), handle.get());
  workload.reset_output();
  return {report.worst <= 1, report.worst, report.entries, report.row, report.col, report.got[0], report.want[0]};
}

}  // namespace spk::tool
