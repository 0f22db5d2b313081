// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <chrono>
#include <map>

#include "cases/api_script.hpp"

namespace spk::cases {
namespace {

Rules read_rules(Fields& step) {
  Rules rules;
  rules.must_fail = step.texts("expect_error");
  check_classes(rules.must_fail, step.where() + ": expect_error");
  for (const char* key : {"expect_any", "or_error"}) {
    std::vector<std::string> classes = step.texts(key);
    std::erase(classes, "success");
    check_classes(classes, step.where() + ": " + key);
    rules.may_fail.insert(rules.may_fail.end(), classes.begin(), classes.end());
  }
  rules.or_documented = step.find("or_documented") != nullptr;
  rules.timeout_s = step.real_or("timeout_s", 0);
  return rules;
}

// Fields of the case that describe the base problem: all but those of every case.
Json base_fields(const Json& whole) {
  Json base = whole;
  for (const char* key : {"schema", "id", "kind", "priority", "op", "backend", "source", "symptom", "note", "dtype",
                          "tol", "expected", "expected_error", "steps", "timeout_s"})
    base.erase(key);
  return base;
}

}  // namespace

Script::Script(const Context& context, Json base, const Tolerance& tolerance)
    : context_(context), tolerance_(tolerance) {
  main_.base = std::move(base);
}

void Script::note(const std::string& text) {
  const std::lock_guard lock(notes_mutex_);
  if (!contains(notes_, text)) notes_.push_back(text);
}

std::string Script::notes() const {
  const std::lock_guard lock(notes_mutex_);
  std::string text;
  for (const std::string& line : notes_) text += (text.empty() ? "" : "; ") + line;
  return text;
}

bool Script::settle(const Fields& step, const Rules& rules, const Outcome& outcome) {
  if (outcome.ok()) {
    if (rules.must_fail.empty()) return true;
    std::string wanted;
    for (const std::string& name : rules.must_fail) wanted += (wanted.empty() ? "" : " or ") + name;
    throw StepFailure(step.where() + " succeeded but must answer " + wanted);
  }
  const std::string error = error_class(outcome.status);
  if (contains(rules.must_fail, error) || contains(rules.may_fail, error)) return false;
  if (rules.or_documented && error == "not_supported") {
    note(step.where() + " is a documented limit: " + outcome.message);
    return false;
  }
  throw StepFailure(step.where() + " answered " + outcome.describe(), error);
}

void Script::tolerate(const Rules& rules, const std::function<void()>& body) {
  try {
    body();
  } catch (const StepFailure& failure) {
    if (failure.error().empty() || !contains(rules.may_fail, failure.error())) throw;
  }
}

void Script::run(const Json& steps, Worker& worker, const std::string& where) {
  if (!steps.is_array()) throw CaseError(where + " must be a list of steps");
  for (std::size_t i = 0; i < steps.size(); ++i) run_step(steps[i], worker, where + " " + std::to_string(i + 1));
}

void Script::run_step(const Json& source, Worker& worker, const std::string& where) {
  static const std::map<std::string, Step> steps = {
      {"spmm", &Script::spmm},
      {"preprocess", &Script::preprocess},
      {"buffer_size", &Script::buffer_size},
      {"dense_to_csr_buffer_size", &Script::dense_to_csr_buffer_size},
      {"create_csr", &Script::create_sparse_matrix},
      {"create_csc", &Script::create_sparse_matrix},
      {"create_coo", &Script::create_sparse_matrix},
      {"create_bsr", &Script::create_sparse_matrix},
      {"create_blocked_ell", &Script::create_sparse_matrix},
      {"create_dense", &Script::create_dense_matrix},
      {"set_threads", &Script::set_threads},
      {"set_stream", &Script::set_stream},
      {"write", &Script::write},
      {"delayed_write_on_stream", &Script::delayed_write},
      {"copy_on_stream", &Script::copy_on_stream},
      {"set_pointers_copy", &Script::set_pointers_copy},
      {"destroy", &Script::destroy},
      {"create_destroy_all", &Script::create_destroy_all},
      {"static_handle", &Script::static_handle},
      {"parallel", &Script::parallel},
      {"omp_parallel", &Script::omp_parallel},
      {"fork_child", &Script::fork_child},
      {"loop", &Script::loop},
  };
  Fields step(source, where);
  const std::string what = step.text("do");
  Fields named(source, where + " (" + what + ")");
  named.ignore({"do"});
  const Rules rules = read_rules(named);
  const auto start = std::chrono::steady_clock::now();
  if (const auto found = steps.find(what); found != steps.end()) {
    (this->*found->second)(named, rules, worker);
  } else if (what == "exit_process" || what == "exit_without_destroy" || what == "dlopen_dlclose") {
    child_process(named, rules, what);
  } else if (what == "capture" || what == "replay" || what == "destroy_graph") {
    throw SkipCase("stream capture is the matter of tests/cuda");
  } else {
    step.malformed("do", "a step of the schema");
  }
  named.finish();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (rules.timeout_s > 0 && taken.count() > rules.timeout_s)
    throw StepFailure(named.where() + " took " + std::to_string(taken.count()) + " s");
}

Judgement run_api_case(Fields& fields, const Context& context) {
  const Expectation expectation = read_expectation(fields);
  if (expectation.expected != nullptr || expectation.wants_error())
    throw CaseError("api: what is expected stands in the steps, not in the case");
  const Json& steps = fields.need("steps");
  fields.ignore({"timeout_s"});
  Json whole = Json::object();
  for (const std::string& key : fields.unread()) whole[key] = fields.need(key.c_str());
  const Json base = base_fields(whole);

  Script script(context, base, expectation.tolerance);
  try {
    script.run(steps, script.main_worker(), "step");
  } catch (const StepFailure& problem) {
    return Judgement::fail(problem.what());
  }
  return Judgement::pass(script.notes());
}

}  // namespace spk::cases
