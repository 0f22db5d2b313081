// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "cases/api_script.hpp"
#include "cases/child_process.hpp"

namespace spk::cases {
namespace {

constexpr double kChildSeconds = 60;  // where a step gives no timeout_s

// Steps that change what other workers would see; bodies with one of these get arrays of their own.
bool changes_inputs(const Json& body) {
  for (const Json& step : body) {
    if (!step.is_object()) continue;
    for (const char* what : {"write", "delayed_write_on_stream", "set_pointers_copy", "destroy"})
      if (step.contains("do") && step["do"] == what) return true;
    if (step.contains("body") && changes_inputs(step["body"])) return true;
  }
  return false;
}

const Json& body_of(Fields& step) {
  const Json& body = step.need("body");
  if (!body.is_array()) step.malformed("body", "a list of steps");
  return body;
}

long number_in_status(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with(key)) return std::atol(line.c_str() + key.size());
  return 0;
}

// Kept for another thread to rethrow: the first failure of several workers.
class FirstFailure {
 public:
  void keep() {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
    any_ = true;
  }
  bool any() const noexcept { return any_; }
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> any_{false};
};

// Bytes named by the field that limits a loop's growth, such as max_growth_mb; the unit is the end of its name.
double growth_limit(Fields& step) {
  double limit = 8 * 1048576.0;
  for (const std::string& key : step.unread()) {
    if (key.find("growth") == std::string::npos && key.find("memory") == std::string::npos &&
        key.find("rss") == std::string::npos)
      continue;
    double unit = 1;
    if (key.ends_with("_kb") || key.ends_with("_kib"))
      unit = 1024;
    else if (key.ends_with("_mb") || key.ends_with("_mib"))
      unit = 1048576;
    else if (!key.ends_with("_bytes") && !key.ends_with("_b"))
      step.malformed(key, "named with its unit (_bytes, _kb, _kib, _mb or _mib)");
    limit = step.real_or(key.c_str(), 0) * unit;
  }
  return limit;
}

}  // namespace

std::unique_ptr<Worker> Script::spawn(Worker& parent, bool shares_handle, bool shares_inputs) {
  auto worker = std::make_unique<Worker>();
  worker->base = parent.base;
  worker->threads = parent.threads;
  if (shares_handle) worker->handle = parent.handle;
  if (shares_inputs && !parent.base.empty()) {
    Outcome outcome;
    Product& product = product_of(parent, outcome);
    if (!outcome.ok()) throw StepFailure("the base problem answered " + outcome.describe());
    worker->lender = &product;
  }
  return worker;
}

void Script::parallel(Fields& step, const Rules& rules, Worker& worker) {
  const Json& body = body_of(step);
  const std::int64_t threads = step.integer("threads");
  const std::int64_t iterations = step.integer_or("iterations", 1);
  if (threads < 1 || threads > 1024) step.malformed("threads", "1 to 1024");
  if (step.flag_or("shared_handle", false) && threads > 1) {
    note(step.where() + " left out: one handle must not be used by two threads at once (spk_handle.h)");
    return;
  }
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::int64_t i = 0; i < threads; ++i) workers.push_back(spawn(worker, false, !changes_inputs(body)));
  FirstFailure first;
  std::vector<std::thread> team;
  for (std::int64_t i = 0; i < threads; ++i) {
    team.emplace_back([&, i] {
      try {
        for (std::int64_t turn = 0; turn < iterations && !first.any(); ++turn)
          run(body, *workers[static_cast<std::size_t>(i)], step.where() + " body");
      } catch (...) {
        first.keep();
      }
    });
  }
  for (std::thread& thread : team) thread.join();
  tolerate(rules, [&] { first.rethrow(); });
}

void Script::omp_parallel(Fields& step, const Rules& rules, Worker& worker) {
#ifdef _OPENMP
  const Json& body = body_of(step);
  const auto threads = static_cast<int>(step.integer("threads"));
  const std::int64_t iterations = step.integer_or("iterations", 1);
  if (threads < 1 || threads > 1024) step.malformed("threads", "1 to 1024");
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < threads; ++i) workers.push_back(spawn(worker, false, !changes_inputs(body)));
  FirstFailure first;
  std::atomic<long> most_threads{0};
#pragma omp parallel num_threads(threads)
  {
    try {
      for (std::int64_t turn = 0; turn < iterations && !first.any(); ++turn) {
        run(body, *workers[static_cast<std::size_t>(omp_get_thread_num())], step.where() + " body");
        if (omp_get_thread_num() == 0) most_threads = std::max(most_threads.load(), number_in_status("Threads:"));
      }
    } catch (...) {
      first.keep();
    }
  }
  tolerate(rules, [&] { first.rethrow(); });
  const long cores = static_cast<long>(std::max(1U, std::thread::hardware_concurrency()));
  if (most_threads >= 4 * cores + 8 + threads)
    throw StepFailure(step.where() + ": " + std::to_string(most_threads) + " threads live on " + std::to_string(cores) +
                      " cores");
#else
  step.ignore({"body", "threads", "iterations"});
  static_cast<void>(rules);
  static_cast<void>(worker);
  throw SkipCase("this runner was built without OpenMP");
#endif
}

void Script::fork_child(Fields& step, const Rules& rules, Worker& worker) {
  const Json& body = body_of(step);
  step.ignore({"expect_exit_code"});
  // The child goes on with the handle and the arrays that the parent has.
  if (!worker.base.empty()) ensure_handle(worker);
  int ends[2];
  if (pipe(ends) != 0) throw SkipCase("no pipe can be made");
  const pid_t child = fork();
  if (child < 0) throw SkipCase("no process can be forked");
  if (child == 0) {
    close(ends[0]);
    std::string problem;
    std::string error;
    try {
      run(body, worker, step.where() + " body");
    } catch (const StepFailure& failure) {
      problem = failure.what();
      error = failure.error();
    } catch (const std::exception& failure) {
      problem = failure.what();
    }
    const std::string message = problem.empty() ? "" : error + "\n" + problem;
    const bool sent = ::write(ends[1], message.data(), message.size()) == static_cast<ssize_t>(message.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  const Ending ending = wait_for(child, rules.timeout_s > 0 ? rules.timeout_s : kChildSeconds);
  std::string message;
  char text[1024];
  for (ssize_t got = 0; !ending.timed_out && (got = read(ends[0], text, sizeof text)) > 0;)
    message.append(text, static_cast<std::size_t>(got));
  close(ends[0]);
  if (!message.empty()) {
    const std::size_t line = message.find('\n');
    tolerate(rules, [&] { throw StepFailure("in the child: " + message.substr(line + 1), message.substr(0, line)); });
  }
  const std::string problem = ending.problem();
  if (!problem.empty()) throw StepFailure(step.where() + ": the child " + problem);
}

void Script::loop(Fields& step, const Rules& rules, Worker& worker) {
  const Json& body = body_of(step);
  std::int64_t times = -1;
  for (const char* key : {"times", "iterations", "repeat", "count", "n"})
    if (step.find(key) != nullptr) times = step.integer(key);
  if (times < 1) step.malformed("times", "at least 1");
  const double limit = growth_limit(step);
  // The first turns fill caches, thread pools and the allocator's own lists.
  const std::int64_t warm_up = std::max<std::int64_t>(1, std::min<std::int64_t>(times / 4, 50));
  long before = 0;
  for (std::int64_t turn = 0; turn < times; ++turn) {
    if (turn == warm_up) before = number_in_status("VmRSS:");
    tolerate(rules, [&] { run(body, worker, step.where() + " body"); });
  }
  const double grown = 1024.0 * static_cast<double>(number_in_status("VmRSS:") - before);
  if (times > warm_up && grown > limit) {
    throw StepFailure(step.where() + ": memory grew by " + std::to_string(static_cast<std::int64_t>(grown)) +
                      " bytes, allowed " + std::to_string(static_cast<std::int64_t>(limit)));
  }
}

void Script::child_process(Fields& step, const Rules& rules, const std::string& scenario) {
  const std::int64_t times = step.integer_or("times", 1);
  const auto wanted = static_cast<int>(step.integer_or("expect_exit_code", 0));
  const std::string program =
      context_.options.child_program.empty() ? beside_this_program("spk_case_child") : context_.options.child_program;
  const std::string library = library_path();
  if (library.empty() || access(program.c_str(), X_OK) != 0) {
    note(step.where() + " left out: " + (library.empty() ? "spk is linked statically" : "spk_case_child is missing"));
    return;
  }
  const Ending ending = run_program({program, library, scenario, std::to_string(times),
                                     std::to_string(context_.options.backend), has_static_handle_ ? "1" : "0"},
                                    rules.timeout_s > 0 ? rules.timeout_s : kChildSeconds, nullptr);
  const std::string problem = ending.problem(wanted);
  if (!problem.empty()) throw StepFailure(step.where() + ": the process " + problem);
}

}  // namespace spk::cases
