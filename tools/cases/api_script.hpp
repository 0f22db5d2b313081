// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cases/operations.hpp"
#include "cases/product.hpp"

namespace spk::cases {

// A step that went wrong; `error` is the class the library answered with, or empty.
class StepFailure : public std::runtime_error {
 public:
  explicit StepFailure(const std::string& what, std::string error = {})
      : std::runtime_error(what), error_(std::move(error)) {}
  const std::string& error() const noexcept { return error_; }

 private:
  std::string error_;
};

// What a step allows besides plain success.
struct Rules {
  std::vector<std::string> must_fail;  // expect_error
  std::vector<std::string> may_fail;   // expect_any, or_error
  bool or_documented = false;
  double timeout_s = 0;  // 0 = none
};

// State that steps work on. Threads and child processes of a script get one of their own.
struct Worker {
  Handle owned;
  spk_handle_t handle = nullptr;     // owned, static or shared with other workers
  Json base;                         // fields of the base problem, with what `write` changed
  std::unique_ptr<Product> product;  // of the base problem, made at the first use
  std::unique_ptr<Plan> plan;        // after `preprocess`
  const Product* lender = nullptr;   // inputs shared with the worker that started this one
  std::int32_t threads = 0;
  std::string stream;  // name of the stream that is set
};

// The steps of an `api` case.
class Script {
 public:
  Script(const Context& context, Json base, const Tolerance& tolerance);

  void run(const Json& steps, Worker& worker, const std::string& where);
  Worker& main_worker() noexcept { return main_; }
  // What was left out or is worth telling; one line.
  std::string notes() const;

 private:
  using Step = void (Script::*)(Fields&, const Rules&, Worker&);
  void run_step(const Json& step, Worker& worker, const std::string& where);
  bool run_body_step(Fields& step, const std::string& what, const Rules& rules, Worker& worker);

  // api_steps.cpp: steps on one worker
  void spmm(Fields& step, const Rules& rules, Worker& worker);
  void preprocess(Fields& step, const Rules& rules, Worker& worker);
  void buffer_size(Fields& step, const Rules& rules, Worker& worker);
  void dense_to_csr_buffer_size(Fields& step, const Rules& rules, Worker& worker);
  void create_sparse_matrix(Fields& step, const Rules& rules, Worker& worker);
  void create_dense_matrix(Fields& step, const Rules& rules, Worker& worker);
  void set_threads(Fields& step, const Rules& rules, Worker& worker);
  void set_stream(Fields& step, const Rules& rules, Worker& worker);
  void write(Fields& step, const Rules& rules, Worker& worker);
  void delayed_write(Fields& step, const Rules& rules, Worker& worker);
  void copy_on_stream(Fields& step, const Rules& rules, Worker& worker);
  void set_pointers_copy(Fields& step, const Rules& rules, Worker& worker);
  void destroy(Fields& step, const Rules& rules, Worker& worker);
  void create_destroy_all(Fields& step, const Rules& rules, Worker& worker);
  void static_handle(Fields& step, const Rules& rules, Worker& worker);

  // api_bodies.cpp: steps with a body, and steps in processes of their own
  void parallel(Fields& step, const Rules& rules, Worker& worker);
  void omp_parallel(Fields& step, const Rules& rules, Worker& worker);
  void fork_child(Fields& step, const Rules& rules, Worker& worker);
  void loop(Fields& step, const Rules& rules, Worker& worker);
  void child_process(Fields& step, const Rules& rules, const std::string& scenario);

  ProductSpec product_spec(const Json& fields, const std::string& where, Switches& switches) const;
  Product& product_of(Worker& worker, Outcome& outcome);
  void ensure_handle(Worker& worker);
  std::unique_ptr<Worker> spawn(Worker& parent, bool shares_handle, bool shares_inputs);
  void compare_step(Fields& step, Product& product, bool with_plan);
  void check_size(Fields& step, std::size_t bytes) const;
  // True if the outcome is success; false if it is an allowed failure; else StepFailure.
  bool settle(const Fields& step, const Rules& rules, const Outcome& outcome);
  // Runs a body; a failure that the rules allow is swallowed.
  void tolerate(const Rules& rules, const std::function<void()>& body);
  void note(const std::string& text);

  const Context& context_;
  Tolerance tolerance_;
  Worker main_;
  bool has_static_handle_ = false;
  mutable std::mutex notes_mutex_;
  std::vector<std::string> notes_;
};

}  // namespace spk::cases
