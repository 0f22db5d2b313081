// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <algorithm>
#include <memory>

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

struct Options {
  std::vector<std::string> files;
  std::int64_t n = 128;
  int threads = 0;
  bool time_reference = false;
};

struct Source {
  std::string text;
  std::vector<std::string> files;
};

// Files that were asked for, else the smoke set of DLMC, else the project's own samples.
Source source_of(const Options& options) {
  if (!options.files.empty()) {
    Source source{"files of the command line", {}};
    for (const std::string& path : options.files) {
      for (std::string& file : matrix_files(path, "", "demo: FILE")) source.files.push_back(std::move(file));
    }
    return source;
  }
  if (const auto folder = data_folder()) {
    return {"smoke set of the Deep Learning Matrix Collection (Gale et al., SC 2020)",
            matrix_files(*folder / "dlmc" / "index.csv", "smoke", "demo: SPK_DATA_DIR")};
  }
  if (const auto folder = sample_folder()) {
    return {"the project's own samples", matrix_files(*folder, "", "demo: samples")};
  }
  throw UsageError(
      "demo: no FILE is given, SPK_DATA_DIR names no folder with dlmc/index.csv, and tests/data is not here");
}

std::string rate_text(const Workload& workload, double seconds) {
  if (workload.flops() > 0) return fmt::format("{:.2f}", workload.flops() / seconds * 1e-9);
  return workload.problem().operation == Operation::kSoftmax && workload.matrix().nnz > 0
             ? fmt::format("{:.3f} G/s", static_cast<double>(workload.matrix().nnz) / seconds * 1e-9)
             : "-";
}

struct Counts {
  int runs = 0;
  int outside = 0;
};

// One operation on one backend: a row of the table.
void add_result(Table& table, Counts& counts, const Handle& handle, Workload& workload, bool reference) {
  const CsrMatrix& matrix = workload.matrix();
  const bool softmax = workload.problem().operation == Operation::kSoftmax;
  std::vector<Table::Cell> cells = {short_name(matrix.name, 48), fmt::format("{} x {}", matrix.rows, matrix.cols),
                                    fmt::format("{:.2f} %", 100 * matrix.sparsity()),
                                    operation_name(workload.problem().operation),
                                    softmax ? "-" : fmt::format("{}", workload.problem().n)};
  const std::string kernel = workload.kernel(handle);
  const std::string backend = backend_name(handle);
  // Kernels carry their target in their name; the backend is said where the name does not.
  cells.emplace_back(kernel == backend ? backend : fmt::format("{}: {}", backend, kernel));
  const Runner runner(handle, workload, false);
  TimingPlan plan;
  plan.samples = 5;
  const Timing timing = time_alone(runner.timed(), plan);
  cells.emplace_back(fmt::format("{:.4f}", timing.median * 1e3));
  cells.emplace_back(rate_text(workload, timing.median));
  if (reference) {
    cells.emplace_back("-");
    cells.emplace_back("is the check", Style::kDim);
  } else {
    const Verdict verdict = check_against_reference(handle, workload, runner);
    ++counts.runs;
    counts.outside += !verdict.inside;
    cells.emplace_back(fmt::format("{:.3f}", verdict.worst));
    cells.emplace_back(verdict.inside ? "ok" : "OUTSIDE", verdict.inside ? Style::kGood : Style::kBad);
  }
  table.add_row(std::move(cells));
}

void print_header(const Source& source, const std::vector<spk_backend_info_t>& backends) {
  const int version = spk_version();
  fmt::print("spk {}.{}.{} on {}\n", version / 10000, version / 100 % 100, version % 100, cpu_model());
  for (const spk_backend_info_t& backend : backends) {
    fmt::print("  {:<10} {}{}\n", backend.name, backend.available != 0 ? "" : "not here: ", backend.detail);
  }
  fmt::print("{} file{} from: {}\n\n", source.files.size(), source.files.size() == 1 ? "" : "s", source.text);
}

void demo(const Options& options, int& exit_code) {
  require_at_least("demo", "--n", options.n, 1);
  require_at_least("demo", "--threads", options.threads, 0);
  const Source source = source_of(options);
  const auto backends = all_backends();
  std::vector<Handle> handles;
  std::vector<bool> is_reference;
  for (const spk_backend_info_t& backend : backends) {
    const bool reference = backend.backend == SPK_BACKEND_REFERENCE;
    if (backend.available == 0 || (reference && !options.time_reference)) continue;
    handles.push_back(make_handle(backend.backend, options.threads));
    is_reference.push_back(reference);
  }
  print_header(source, backends);

  Table table({{"matrix", false},
               {"size"},
               {"sparsity"},
               {"op", false},
               {"n"},
               {"kernel", false},
               {"ms"},
               {"GFLOP/s"},
               {"err/bound"},
               {"verdict", false}});
  Counts counts;
  const ValueType& type = value_type("f32", "type");
  {
    Progress progress(source.files.size());
    for (std::size_t f = 0; f < source.files.size(); ++f) {
      progress.show(f, short_name(source.files[f], 48));
      const MatrixFile file(source.files[f], "demo: FILE");
      const CsrMatrix matrix = file.csr(file.info().field == SPK_IO_COMPLEX ? value_type_of_field(true, false) : type);
      for (const Operation operation : {Operation::kSpmm, Operation::kSddmm, Operation::kSoftmax}) {
        if (operation == Operation::kSoftmax && matrix.type->is_complex) continue;  // there is no complex softmax
        Problem problem;
        problem.operation = operation;
        problem.n = options.n;
        // Attention's Q K^T: both operands of the SDDMM have their inner size contiguous.
        if (operation == Operation::kSddmm) problem.opB = SPK_OP_T;
        for (std::size_t h = 0; h < handles.size(); ++h) {
          Workload workload(matrix, problem, backend_of(handles[h]));
          add_result(table, counts, handles[h], workload, is_reference[h]);
        }
      }
    }
  }
  table.print(stdout);
  fmt::print(
      "\nf32, row-major, warm caches, median of 5; n is the inner size for sddmm; softmax counts entries (G/s)\n");
  fmt::print("err/bound: worst element against the reference backend, as a share of the error that is allowed\n");
  const std::string summary =
      fmt::format("{} of {} results inside their bound", counts.runs - counts.outside, counts.runs);
  fmt::print("{}\n", styled(summary, counts.outside == 0 ? Style::kGood : Style::kBad, stdout));
  if (counts.outside != 0) exit_code = 1;
}

}  // namespace

void add_demo(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("demo", "SpMM, SDDMM and softmax on every backend, each checked");
  command->add_option("FILE", options->files, ".mtx or .smtx files; without any: DLMC samples or the project's own");
  add_integer(command, "--n", options->n, "SpMM: columns of C; SDDMM: inner size");
  add_integer(command, "--threads", options->threads, "CPU threads, 0 = the library's default");
  command->add_flag("--time-reference", options->time_reference, "Also time the reference backend");
  command->callback([options, &exit_code] { demo(*options, exit_code); });
}

}  // namespace spk::tool
