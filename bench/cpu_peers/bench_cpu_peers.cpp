// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "dataset.hpp"
#include "failure.hpp"
#include "race.hpp"
#include "report.hpp"
#include "table.hpp"

// spk against the loops of a textbook and against the libraries that are installed: one-shot calls, plans and plans that keep values, SpMM,
// SDDMM and softmax, f32, over the DLMC core set.
namespace spk::bench {
namespace {

struct Options {
  std::string matrices;
  std::string set = "smoke,core";
  std::vector<std::string> operations = {"spmm", "sddmm", "softmax"};
  std::vector<std::string> orders = {"row", "col"};
  std::vector<std::string> transposes = {"N"};
  std::vector<std::int64_t> widths = {1, 8, 32, 128, 512};
  std::vector<std::string> peers;
  std::string json;
  std::string svg;
  std::string commit = SPK_BENCH_COMMIT;
  int threads = 1;
  int samples = 9;
  bool details = false;
};

// Two ways of summing the same f32 products differ by far less; a wrong kernel differs by far more.
constexpr double kSameResult = 1e-4;

void choose_matrices(Options& options) {
  if (!options.matrices.empty()) return;
  if (const auto folder = tool::data_folder()) {
    options.matrices = (*folder / "dlmc" / "index.csv").string();
  } else if (const auto samples = tool::sample_folder()) {
    options.matrices = samples->string();
    options.set.clear();
  } else {
    throw tool::UsageError(
        "no --matrices is given, SPK_DATA_DIR names no folder with dlmc/index.csv, and tests/data is not here");
  }
}

std::vector<tool::Problem> problems_of(const Options& options) {
  std::vector<tool::Problem> problems;
  for (const std::string& name : options.operations) {
    tool::Problem problem;
    problem.operation = tool::operation_from_name(name, "--op");
    if (problem.operation == tool::Operation::kSpmv) {
      throw tool::UsageError("--op = spmv but must be spmm, sddmm or softmax; SpMV is SpMM with n = 1");
    }
    if (problem.operation == tool::Operation::kSoftmax) {
      problems.push_back(problem);
      continue;
    }
    for (const std::string& order : options.orders) {
      if (order != "row" && order != "col")
        throw tool::UsageError(fmt::format("--order = {} but must be row or col", order));
      problem.order = order == "row" ? SPK_ORDER_ROW : SPK_ORDER_COL;
      if (problem.operation == tool::Operation::kSddmm) problem.opB = SPK_OP_T;
      for (const std::string& op : options.transposes) {
        if (op != "N" && op != "T") throw tool::UsageError(fmt::format("--opA = {} but must be N or T", op));
        if (op == "T" && problem.operation == tool::Operation::kSddmm) continue;  // a mask is not transposed
        problem.opA = op == "T" ? SPK_OP_T : SPK_OP_N;
        for (const std::int64_t n : options.widths) {
          if (n < 1) throw tool::UsageError(fmt::format("--n = {} but must be at least 1", n));
          problem.n = n;
          problems.push_back(problem);
        }
      }
    }
  }
  return problems;
}

// Folder and name only: where a machine keeps its data is nobody's business.
std::string source_name(const Options& options) {
  const std::filesystem::path path = options.matrices;
  return (path.parent_path().filename() / path.filename()).string() + " " + options.set;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw tool::Failure(path + " cannot be written");
}

int run(Options options) {
  if (options.threads < 1)
    throw tool::UsageError(fmt::format("--threads = {} but must be at least 1", options.threads));
  if (options.samples < 1)
    throw tool::UsageError(fmt::format("--samples = {} but must be at least 1", options.samples));
  choose_matrices(options);
  const auto problems = problems_of(options);
  const auto files = tool::matrix_files(options.matrices, options.set, "--matrices");
  const tool::Handle handle = tool::make_handle(SPK_BACKEND_CPU, options.threads);
  fmt::print("{}, commit {}, compiler {}, textbook loops -O3 -march=native\n", tool::cpu_model(), options.commit,
             kCompiler);
  Circumstances circumstances{options.commit, source_name(options), options.samples,
                              tool::measure_limits(options.threads)};
  print_limits(circumstances.limits);

  std::vector<Race> races;
  std::size_t empty = 0;
  std::size_t different = 0;
  {
    tool::Progress progress(files.size());
    for (std::size_t f = 0; f < files.size(); ++f) {
      progress.show(f, tool::short_name(files[f], 48));
      const auto matrix = tool::MatrixFile(files[f], "--matrices").csr(tool::value_type("f32", "type"));
      if (matrix.nnz == 0) {
        ++empty;
        continue;
      }
      for (const tool::Problem& problem : problems) {
        races.push_back(race(matrix, problem, handle, circumstances.limits, options.samples, options.peers));
        different += !(races.back().difference <= kSameResult);
      }
    }
  }
  if (races.empty()) throw tool::UsageError(fmt::format("--matrices = {} holds only empty matrices", options.matrices));
  if (options.details) print_details(races);
  print_summary(races);
  if (empty != 0) fmt::print("{} matrices without entries were left out\n", empty);
  if (different != 0)
    fmt::print("{} races have a result that differs from the textbook loop by more than {} of its largest value\n",
               different, kSameResult);

  if (options.json.empty()) {
    std::filesystem::create_directories(SPK_BENCH_RESULTS);
    options.json = fmt::format("{}/cpu-peers-{}-{}t.json", SPK_BENCH_RESULTS, options.commit, options.threads);
  }
  if (options.svg.empty()) options.svg = std::filesystem::path(options.json).replace_extension(".svg").string();
  write_file(options.json, to_json(races, circumstances));
  write_file(options.svg, to_svg(races, circumstances));
  fmt::print("all numbers: {}\nratios to the best peer: {}\n", options.json, options.svg);
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace spk::bench

int main(int argc, char** argv) {
  spk::bench::Options options;
  CLI::App app("Races spk against textbook loops and other libraries over the DLMC core set", "bench_cpu_peers");
  app.add_option("--matrices", options.matrices, "index.csv, folder or file instead of DLMC");
  app.add_option("--set", options.set, "Rows of the index to take")->capture_default_str();
  app.add_option("--op", options.operations, "spmm, sddmm, softmax")->delimiter(',')->capture_default_str();
  app.add_option("--order", options.orders, "row, col")->delimiter(',')->capture_default_str();
  app.add_option("--opA", options.transposes, "N, T: of the sparse matrix, SpMM")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--n", options.widths, "Columns of C (SpMM), inner sizes (SDDMM)")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option(
         "--peers", options.peers,
         "Of mkl, mkl_optimized, mkl_scsrmm, mkl_sgemm, eigen, librsb, openblas_sgemm; default: all that are here")
      ->delimiter(',');
  app.add_option("--threads", options.threads, "Threads of all contenders")->capture_default_str();
  app.add_option("--samples", options.samples, "Timed samples of each contender")->capture_default_str();
  app.add_option("--json", options.json, "File for all numbers; default: bench/results/cpu-peers-COMMIT-THREADSt.json");
  app.add_option("--svg", options.svg, "File for the plot; default: as --json, ending in .svg");
  app.add_option("--commit", options.commit, "Commit that is measured")->capture_default_str();
  app.add_flag("--details", options.details, "Print a line for every problem");
  try {
    app.parse(argc, argv);
    return spk::bench::run(options);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "bench_cpu_peers: {}\n", error.what());
    return 2;
  } catch (const spk::tool::UsageError& error) {
    fmt::print(stderr, "bench_cpu_peers: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cpu_peers: {}\n", error.what());
    return 1;
  }
}
