// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "matrix_file.hpp"
#include "table.hpp"
#include "timing.hpp"
#include "workload.hpp"

namespace spk::tool {
namespace {

struct Options {
  std::string operation;
  std::string file;
  std::int64_t n = 128;
  std::string type = "f32";
  std::string backend = "auto";
  std::string order = "row";
  std::string op_a = "n";
  std::string op_b = "n";
  double alpha = 1;
  double beta = 0;
  int threads = 0;
  int samples = 9;
  int alg = SPK_ALG_DEFAULT;
  bool plan = false;
  bool check = false;
  bool json = false;
};

Problem problem_of(const Options& options) {
  Problem problem;
  problem.operation = operation_from_name(options.operation, "run: OPERATION");
  problem.n = options.n;
  problem.order = order_from_name(options.order, "run: --order");
  problem.opA = op_from_name(options.op_a, "run: --op");
  problem.opB = op_from_name(options.op_b, "run: --op-b");
  problem.alpha = options.alpha;
  problem.beta = options.beta;
  problem.alg = options.alg;
  const bool softmax = problem.operation == Operation::kSoftmax;
  if (softmax && (problem.opA != SPK_OP_N || problem.opB != SPK_OP_N || options.beta != 0)) {
    throw UsageError("run: softmax takes no --op, --op-b and --beta");
  }
  if (problem.operation == Operation::kSpmv && problem.opB != SPK_OP_N) {
    throw UsageError("run: spmv takes no --op-b");
  }
  return problem;
}

// Of the problem, for softmax by entries because its work is no count of multiplications.
std::string rate_text(const Workload& workload, double seconds) {
  if (workload.flops() > 0) return fmt::format("{:.2f} GFLOP/s", workload.flops() / seconds * 1e-9);
  return fmt::format("{:.3f} Gentries/s", static_cast<double>(workload.matrix().nnz) / seconds * 1e-9);
}

void run(const Options& options, int& exit_code) {
  const Problem problem = problem_of(options);
  const ValueType& type = value_type(options.type, "run: --type");
  const spk_backend_t backend = backend_from_name(options.backend, "run: --backend");
  require_at_least("run", "--n", options.n, 1);
  require_at_least("run", "--threads", options.threads, 0);
  require_at_least("run", "--samples", options.samples, 1);
  const MatrixFile file(options.file, "run: FILE");
  const Handle handle = make_handle(backend, options.threads);
  const CsrMatrix matrix = file.csr(type);
  Workload workload(matrix, problem, backend_of(handle));
  const Runner runner(handle, workload, options.plan);

  TimingPlan plan;
  plan.samples = options.samples;
  const Timing timing = time_alone(runner.timed(), plan);
  Verdict verdict;
  if (options.check) {
    verdict = check_against_reference(handle, workload, runner);
    if (!verdict.inside) exit_code = 1;
  }

  if (options.json) {
    nlohmann::ordered_json root = {{"operation", options.operation},
                                   {"file", options.file},
                                   {"rows", matrix.rows},
                                   {"cols", matrix.cols},
                                   {"nnz", matrix.nnz},
                                   {"n", options.n},
                                   {"type", type.name},
                                   {"order", options.order},
                                   {"op_a", options.op_a},
                                   {"op_b", options.op_b},
                                   {"backend", backend_name(handle)},
                                   {"kernel", runner.description()},
                                   {"plan", options.plan},
                                   {"seconds_median", timing.median},
                                   {"seconds_q1", timing.q1},
                                   {"seconds_q3", timing.q3},
                                   {"samples", timing.samples},
                                   {"flops", workload.flops()},
                                   {"bytes", workload.bytes()}};
    if (options.check) {
      root["check"] = {{"inside", verdict.inside}, {"error_over_bound", verdict.worst}, {"entries", verdict.entries}};
    }
    fmt::print("{}\n", root.dump(2));
    return;
  }
  fmt::print("operation  {} {}, {} x {}, {} entries, sparsity {:.4f}\n", options.operation, type.name, matrix.rows,
             matrix.cols, with_commas(matrix.nnz), matrix.sparsity());
  fmt::print("kernel     {}: {}\n", backend_name(handle), runner.description());
  fmt::print("time       {:.4f} ms (quartiles {:.4f} .. {:.4f}, {} samples), {}\n", timing.median * 1e3,
             timing.q1 * 1e3, timing.q3 * 1e3, timing.samples, rate_text(workload, timing.median));
  if (!options.check) return;
  fmt::print("check      {}, error / bound = {:.3g} over {} elements\n",
             verdict.inside ? styled("inside the bound", Style::kGood, stdout)
                            : styled("OUTSIDE THE BOUND", Style::kBad, stdout),
             verdict.worst, with_commas(verdict.entries));
  if (!verdict.inside) {
    fmt::print("           worst at row {}, column {}: {:.9g} but the reference has {:.9g}\n", verdict.row, verdict.col,
               verdict.got, verdict.want);
  }
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run, time and check one operation on a matrix file");
  command->add_option("OPERATION", options->operation, "spmm, spmv, sddmm or softmax")->required();
  command->add_option("FILE", options->file, ".mtx or .smtx file, also .gz")->required();
  add_integer(command, "--n", options->n, "SpMM: columns of C; SDDMM: inner size");
  command->add_option("--type", options->type, "f32, f64, f16, bf16, c64 or c128")->capture_default_str();
  command->add_option("--backend", options->backend, "auto, cpu, cuda or reference")->capture_default_str();
  command->add_option("--order", options->order, "Order of dense matrices: row or col")->capture_default_str();
  command->add_option("--op,--op-a", options->op_a, "op(A): n, t or c")->capture_default_str();
  command->add_option("--op-b", options->op_b, "op(B): n, t or c")->capture_default_str();
  command->add_option("--alpha", options->alpha, "Factor of the product; scale of the softmax")->capture_default_str();
  command->add_option("--beta", options->beta, "Factor of what C holds before")->capture_default_str();
  add_integer(command, "--alg", options->alg, "Force a kernel by its id");
  add_integer(command, "--threads", options->threads, "CPU threads, 0 = the library's default");
  add_integer(command, "--samples", options->samples, "Timed samples");
  command->add_flag("--plan", options->plan, "Prepare a plan first");
  command->add_flag("--check", options->check, "Hold the result against the reference; exit code 1 if it is outside");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] { run(*options, exit_code); });
}

}  // namespace spk::tool
