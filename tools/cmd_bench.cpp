// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "commands.hpp"
#include "dataset.hpp"
#include "failure.hpp"
#include "limits.hpp"
#include "matrix_file.hpp"
#include "table.hpp"
#include "timing.hpp"
#include "workload.hpp"

namespace spk::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string path;
  std::string set;
  std::string operations = "spmm";
  std::string widths = "128";
  std::string type = "f32";
  std::string order = "row";
  std::string backends = "cpu";
  std::string json;
  int threads = 1;
  int samples = 9;
  bool no_limits = false;
};

// "cpu" or "cpu:plan": a backend, and whether it runs through plans.
struct Contender {
  std::string name;
  bool plan;
  Handle handle;
};

struct Result {
  std::vector<Timing> timings;  // one per contender
  std::vector<std::string> kernels;
  double flops, bytes, entries, bound;
};

std::vector<Contender> contenders_of(const Options& options) {
  std::vector<Contender> contenders;
  for (const std::string& name : list_of(options.backends, "bench: --backend")) {
    const bool plan = name.ends_with(":plan");
    const std::string backend = plan ? name.substr(0, name.size() - 5) : name;
    Handle handle = make_handle(backend_from_name(backend, "bench: --backend"), options.threads);
    contenders.push_back({name, plan, std::move(handle)});
  }
  return contenders;
}

std::vector<std::int64_t> widths_of(const Options& options) {
  std::vector<std::int64_t> widths;
  for (const std::string& word : list_of(options.widths, "bench: --n")) {
    std::int64_t n = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, n);
    if (error != std::errc{} || stop != end || n < 1) {
      throw UsageError(fmt::format("bench: --n = {} but must be integers of at least 1", options.widths));
    }
    widths.push_back(n);
  }
  return widths;
}

Result measure(const CsrMatrix& matrix, const Problem& problem, const std::vector<Contender>& contenders,
               const std::optional<Limits>& limits, int samples) {
  // Contenders of one kind of memory share their operands.
  std::list<Workload> workloads;
  std::list<Runner> runners;
  std::vector<Timed> calls;
  Result result;
  for (const Contender& contender : contenders) {
    const spk_backend_t backend = backend_of(contender.handle);
    auto workload = std::find_if(workloads.begin(), workloads.end(), [&](const Workload& made) {
      return cases::has_own_memory(made.backend()) == cases::has_own_memory(backend);
    });
    if (workload == workloads.end()) workload = workloads.emplace(workload, matrix, problem, backend);
    const Runner& runner = runners.emplace_back(contender.handle, *workload, contender.plan);
    calls.push_back(runner.timed());
    result.kernels.push_back(runner.description());
  }
  TimingPlan plan;
  plan.samples = samples;
  result.timings = time_interleaved(calls, plan);
  result.flops = workloads.front().flops();
  result.bytes = workloads.front().bytes();
  result.entries = static_cast<double>(matrix.nnz);
  const bool wide = matrix.type->compute == SPK_COMPUTE_64F || matrix.type->compute == SPK_COMPUTE_C_64F;
  result.bound = limits ? limits->bound_seconds(result.flops, result.bytes, wide) : 0;
  return result;
}

// Products count operations, softmax counts entries.
double work_of(const Result& result) { return result.flops > 0 ? result.flops : result.entries; }

class Report {
 public:
  Report(const Options& options, const std::vector<Contender>& contenders, const std::optional<Limits>& limits)
      : contenders_(contenders), limits_(limits), table_(columns(contenders, limits)), log_rate_(contenders.size(), 0) {
    root_["spk_version"] = spk_version();
    root_["processor"] = cpu_model();
    root_["threads"] = options.threads;
    root_["type"] = options.type;
    root_["order"] = options.order;
    root_["cache"] = "warm";
    if (limits) {
      root_["fma_f32_gflops"] = limits->flops_f32 * 1e-9;
      for (const Limits::Level& level : limits->levels) {
        root_["read_gbytes_per_s"][level.name] = level.bytes_per_second * 1e-9;
      }
    }
  }

  void add(const std::string& file, const CsrMatrix& matrix, const Problem& problem, const Result& result) {
    const bool has_n = problem.operation == Operation::kSpmm || problem.operation == Operation::kSddmm;
    std::vector<Table::Cell> cells = {short_name(file, 44), fmt::format("{}x{}", matrix.rows, matrix.cols),
                                      fmt::format("{:.3f}", matrix.sparsity()), operation_name(problem.operation),
                                      has_n ? fmt::format("{}", problem.n) : "-"};
    Json record = {{"file", file},
                   {"rows", matrix.rows},
                   {"cols", matrix.cols},
                   {"nnz", matrix.nnz},
                   {"operation", operation_name(problem.operation)},
                   {"n", has_n ? problem.n : 1},
                   {"flops", result.flops},
                   {"bytes", result.bytes}};
    if (limits_) record["bound_seconds"] = result.bound;
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      const Timing& timing = result.timings[c];
      const double rate = work_of(result) / timing.median;
      cells.emplace_back(fmt::format("{:.2f}", rate * 1e-9));
      cells.emplace_back(fmt::format("{:.0f} %", 100 * timing.spread()));
      // The limits are the CPU's.
      const bool has_bound = !cases::has_own_memory(backend_of(contenders_[c].handle));
      if (limits_) cells.emplace_back(has_bound ? fmt::format("{:.0f} %", 100 * result.bound / timing.median) : "-");
      if (c > 0) cells.emplace_back(fmt::format("{:.2f}", timing.median / result.timings[0].median));
      log_rate_[c] += rate > 0 ? std::log(rate) : 0;
      record["results"].push_back({{"backend", contenders_[c].name},
                                   {"kernel", result.kernels[c]},
                                   {"seconds_median", timing.median},
                                   {"seconds_q1", timing.q1},
                                   {"seconds_q3", timing.q3},
                                   {"samples", timing.samples}});
    }
    counted_ += result.entries > 0;
    table_.add_row(std::move(cells));
    root_["problems"].push_back(std::move(record));
  }

  void print(const std::string& json_path) {
    if (limits_) {
      fmt::print("limits, {} thread{}: FMA f32 {:.0f} GFLOP/s", limits_->threads, limits_->threads == 1 ? "" : "s",
                 limits_->flops_f32 * 1e-9);
      for (const Limits::Level& level : limits_->levels) {
        fmt::print(", {} {:.0f} GB/s", level.name, level.bytes_per_second * 1e-9);
      }
      fmt::print("\n\n");
    }
    table_.print(stdout);
    fmt::print(
        "\nrate in GFLOP/s of useful work (softmax: 10^9 entries/s); spread = interquartile range / median; warm "
        "caches\n");
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      if (counted_ == 0) break;
      fmt::print("geometric mean {}: {:.2f}", contenders_[c].name, 1e-9 * std::exp(log_rate_[c] / counted_));
      if (c > 0)
        fmt::print(" ({} is {:.2f} times as fast)", contenders_[0].name,
                   std::exp((log_rate_[0] - log_rate_[c]) / counted_));
      fmt::print("\n");
    }
    if (!json_path.empty()) write_file(json_path, root_.dump(1) + "\n");
  }

 private:
  static std::vector<Table::Column> columns(const std::vector<Contender>& contenders,
                                            const std::optional<Limits>& limits) {
    std::vector<Table::Column> result = {{"file", false}, {"size"}, {"sparsity"}, {"op", false}, {"n"}};
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      result.push_back({contenders[c].name});
      result.push_back({"spread"});
      if (limits) result.push_back({"of bound"});
      if (c > 0) result.push_back({fmt::format("{}/{}", contenders[0].name, contenders[c].name)});
    }
    return result;
  }

  const std::vector<Contender>& contenders_;
  const std::optional<Limits>& limits_;
  Table table_;
  Json root_;
  std::vector<double> log_rate_;
  int counted_ = 0;
};

void bench(const Options& options) {
  const ValueType& type = value_type(options.type, "bench: --type");
  const auto widths = widths_of(options);
  std::vector<Problem> problems;
  for (const std::string& name : list_of(options.operations, "bench: --op")) {
    Problem problem;
    problem.operation = operation_from_name(name, "bench: --op");
    problem.order = order_from_name(options.order, "bench: --order");
    const bool has_n = problem.operation == Operation::kSpmm || problem.operation == Operation::kSddmm;
    for (const std::int64_t n : has_n ? widths : std::vector<std::int64_t>{1}) {
      problem.n = n;
      problems.push_back(problem);
    }
  }
  require_at_least("bench", "--threads", options.threads, 1);
  require_at_least("bench", "--samples", options.samples, 1);
  const auto files = matrix_files(options.path, options.set, "bench: PATH");
  const auto contenders = contenders_of(options);
  std::optional<Limits> limits;
  if (!options.no_limits) limits = measure_limits(options.threads);

  Report report(options, contenders, limits);
  {
    Progress progress(files.size());
    for (std::size_t f = 0; f < files.size(); ++f) {
      progress.show(f, short_name(files[f], 48));
      const CsrMatrix matrix = MatrixFile(files[f], "bench: PATH").csr(type);
      for (const Problem& problem : problems) {
        report.add(files[f], matrix, problem, measure(matrix, problem, contenders, limits, options.samples));
      }
    }
  }
  report.print(options.json);
}

}  // namespace

void add_bench(CLI::App& app, int& /*exit_code*/) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Time operations over a folder of matrices or an index.csv");
  command->add_option("PATH", options->path, "Folder, index.csv, or one file")->required();
  command->add_option("--op", options->operations, "spmm, spmv, sddmm, softmax, separated by commas")
      ->capture_default_str();
  command->add_option("--n", options->widths, "Columns of C (SpMM), inner sizes (SDDMM)")->capture_default_str();
  command->add_option("--type", options->type, "f32, f64, f16, bf16, c64 or c128")->capture_default_str();
  command->add_option("--order", options->order, "Order of dense matrices: row or col")->capture_default_str();
  command->add_option("--backend", options->backends, "Compared in turn: cpu, cpu:plan, reference, ...")
      ->capture_default_str();
  command->add_option("--set", options->set, "Rows of an index.csv to take: smoke, core, full");
  add_integer(command, "--threads", options->threads, "CPU threads");
  add_integer(command, "--samples", options->samples, "Timed samples of each");
  command->add_option("--json", options->json, "Write all numbers to this file");
  command->add_flag("--no-limits", options->no_limits, "Do not measure the machine's limits first");
  command->callback([options] { bench(*options); });
}

}  // namespace spk::tool
