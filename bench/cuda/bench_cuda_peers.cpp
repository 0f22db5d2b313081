// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>

#include "dataset.hpp"
#include "failure.hpp"
#include "report.hpp"

// The CUDA backend against cuSPARSE and cuBLAS: one process, the contenders in turn, results checked before timing.
namespace spk::bench {
namespace {

struct Options {
  std::vector<std::string> operations = {"spmm"};
  std::vector<std::string> types = {"f32"};
  std::vector<std::string> orders = {"row"};
  std::vector<std::string> op_a = {"N"}, op_b;
  std::vector<std::int64_t> widths;
  std::vector<std::string> files, uniform, power_law;
  std::string index;
  std::string set = "smoke";
  std::string json;
  std::string commit = SPK_BENCH_COMMIT;
  int samples = 7;
  double seconds = 0;
  bool cold = false, algs = false, peers_only = false, spk_only = false, no_plan = false, keeps_values = false,
       shuffles = false;
};

// Besides those of the data set: matrix-vector, decoding, and large enough for the dense peers.
constexpr std::int64_t kWidths[] = {1, 8, 32, 512, 2048};

std::vector<Source> sources(const Options& options) {
  std::vector<Source> all;
  const auto append = [&](const std::vector<Source>& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (const std::string& file : options.files) append(sources_of(file, "", "--files"));
  for (const std::string& text : options.uniform) all.push_back(parse_generated(text, false));
  for (const std::string& text : options.power_law) all.push_back(parse_generated(text, true));
  if (!options.index.empty()) {
    append(sources_of(options.index, options.set, "--index"));
  } else if (all.empty()) {
    const auto folder = tool::data_folder();
    if (!folder) {
      throw tool::UsageError(
          "none of --files, --index, --uniform and --power-law is given, and SPK_DATA_DIR names no folder with "
          "dlmc/index.csv");
    }
    append(sources_of((*folder / "dlmc" / "index.csv").string(), options.set, "--set"));
  }
  for (Source& source : all) {
    source.has_shuffled_rows = options.shuffles;
    if (options.shuffles) source.name += " shuffled";
  }
  return all;
}

std::vector<std::int64_t> widths_of(const Options& options, const Source& source) {
  if (!options.widths.empty()) return options.widths;
  std::vector<std::int64_t> widths(std::begin(kWidths), std::end(kWidths));
  widths.insert(widths.end(), source.widths.begin(), source.widths.end());
  if (source.widths.empty()) widths.push_back(128);
  std::sort(widths.begin(), widths.end());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}

std::vector<Setting> settings_of(const Options& options, const std::string& name) {
  const bool oneshot = name == "oneshot";
  const tool::Operation operation = oneshot ? tool::Operation::kSpmm : tool::operation_from_name(name, "--op");
  // SDDMM: both operands with the inner size contiguous, as attention has them.
  const std::vector<std::string> default_b = {operation == tool::Operation::kSddmm ? "T" : "N"};
  const bool dense_matrices = operation == tool::Operation::kSpmm || operation == tool::Operation::kSddmm;
  std::vector<Setting> settings;
  for (const std::string& type : options.types) {
    if (type == "tf32" && !dense_matrices) continue;
    for (const std::string& order : options.orders) {
      for (const std::string& op_a : options.op_a) {
        for (const std::string& op_b : options.op_b.empty() ? default_b : options.op_b) {
          Setting setting = make_setting(operation, type, order, op_a, op_b);
          // What an operation does not have gives one setting, not several alike.
          const bool first_order = &order == &options.orders.front(), first_a = &op_a == &options.op_a.front();
          const bool first_b = options.op_b.empty() || &op_b == &options.op_b.front();
          if (!dense_matrices && !(first_order && first_b)) continue;
          if (operation == tool::Operation::kSoftmax && !first_a) continue;
          settings.push_back(std::move(setting));
        }
      }
    }
  }
  return settings;
}

// What is asked for, made of words and files before the device is looked for.
struct Program {
  struct Step {
    std::string name;  // of the operation, or oneshot
    Setting setting;
  };
  std::vector<Step> steps;
  std::vector<Source> sources;
};

Program make_program(const Options& options) {
  if (options.samples < 1)
    throw tool::UsageError(fmt::format("--samples = {} but must be at least 1", options.samples));
  for (const std::int64_t n : options.widths) {
    if (n < 1) throw tool::UsageError(fmt::format("--n = {} but must be at least 1", n));
  }
  Program program;
  for (const std::string& name : options.operations) {
    for (Setting& setting : settings_of(options, name)) program.steps.push_back({name, std::move(setting)});
  }
  program.sources = sources(options);
  return program;
}

class Session {
 public:
  Session(const Options& options, const std::string& command)
      : options_(options), device_(!options.peers_only), start_(std::chrono::steady_clock::now()) {
    circumstances_ = {options.commit, command, options.cold, options.samples, measure_rates(device_)};
    race_options_ = {{!options.peers_only, !options.no_plan, options.algs, !options.spk_only, options.keeps_values},
                     options.cold,
                     options.samples};
    print_circumstances(device_, circumstances_);
  }

  int run(const Program& program) {
    for (const Program::Step& step : program.steps) {
      if (late()) break;
      step.name == "oneshot" ? print_oneshot_titles() : print_titles(step.setting);
      for (const Source& source : program.sources) {
        if (late()) break;
        run_matrix(step.name, step.setting, source);
      }
      save();
    }
    if (stopped_) fmt::print("\nstopped after {} s: not everything that was asked for was run\n", options_.seconds);
    if (!races_.empty() && !options_.peers_only) print_summary(races_);
    if (empty_ != 0) fmt::print("{} times a matrix without entries was left out\n", empty_);
    return std::any_of(races_.begin(), races_.end(), [](const Race& race) { return race.wrong(); }) ? 1 : 0;
  }

 private:
  void run_matrix(const std::string& name, const Setting& setting, const Source& source) {
    const tool::CsrMatrix matrix = load(source, *setting.type);
    if (matrix.nnz == 0) {
      ++empty_;
      return;
    }
    const bool one_width =
        setting.operation == tool::Operation::kSpmv || setting.operation == tool::Operation::kSoftmax;
    for (const std::int64_t width : one_width ? std::vector<std::int64_t>{1} : widths_of(options_, source)) {
      if (late()) return;
      if (name == "oneshot") {
        oneshots_.push_back(measure_oneshot(device_, matrix, setting, width, !options_.peers_only, !options_.spk_only));
        print_oneshot(oneshots_.back());
      } else {
        races_.push_back(race(device_, matrix, setting, width, race_options_));
        print_line(races_.back());
      }
    }
  }

  bool late() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    stopped_ = options_.seconds > 0 && passed.count() > options_.seconds;
    return stopped_;
  }

  // After every setting, so that an interrupted run leaves what it has.
  void save() const {
    if (options_.json.empty()) return;
    std::ofstream out(options_.json);
    out << to_json(device_, circumstances_, races_, oneshots_);
    out.close();
    if (!out) throw tool::Failure(options_.json + " cannot be written");
  }

  const Options& options_;
  Device device_;
  std::chrono::steady_clock::time_point start_;
  Circumstances circumstances_;
  RaceOptions race_options_;
  std::vector<Race> races_;
  std::vector<Oneshot> oneshots_;
  std::size_t empty_ = 0;
  bool stopped_ = false;
};

}  // namespace
}  // namespace spk::bench

int main(int argc, char** argv) {
  spk::bench::Options options;
  CLI::App app("Races spk's CUDA backend against cuSPARSE and cuBLAS", "bench_cuda_peers");
  const auto list = [&app](const char* name, auto& value, const char* help) {
    app.add_option(name, value, help)->delimiter(',')->capture_default_str();
  };
  list("--op", options.operations, "spmm, spmv, sddmm, softmax, oneshot");
  list("--type", options.types, "f32, f16, bf16, f64, tf32");
  list("--order", options.orders, "row, col, row/col, col/row: of B and C; SDDMM: of both dense matrices");
  list("--op-a", options.op_a, "N, T");
  list("--op-b", options.op_b, "N, T; default: N, for SDDMM T");
  list("--n", options.widths,
       "Columns of C, inner sizes of SDDMM; default: those of the data set, 1, 8, 32, 512, 2048");
  list("--files", options.files, "Matrix files or folders");
  app.add_option("--index", options.index, "index.csv of a data set; default: dlmc/index.csv in SPK_DATA_DIR");
  app.add_option("--set", options.set, "Rows of the index to take, such as smoke or smoke,core")->capture_default_str();
  app.add_option("--uniform", options.uniform, "Generated: ROWS,COLS,SPARSITY; may be repeated");
  app.add_option("--power-law", options.power_law, "Generated: ROWS,COLS,SPARSITY,EXPONENT of the row lengths");
  app.add_option("--json", options.json, "File for all numbers");
  app.add_option("--commit", options.commit, "Commit that is measured")->capture_default_str();
  app.add_option("--samples", options.samples, "Timed samples of each contender")->capture_default_str();
  app.add_option("--seconds", options.seconds, "Begin no further problem after this time; 0: no limit");
  app.add_flag("--shuffle", options.shuffles, "Columns of every row in random order");
  app.add_flag("--cold", options.cold, "Rotate operands through copies larger than L2");
  app.add_flag("--algs", options.algs, "Also time every kernel of spk by its id");
  app.add_flag("--no-plan", options.no_plan, "Leave spk's plans out");
  app.add_flag("--keep-values", options.keeps_values, "Plans of products keep A's values");
  app.add_flag("--peers-only", options.peers_only, "Leave spk out");
  app.add_flag("--spk-only", options.spk_only, "Leave the peers out");
  try {
    app.parse(argc, argv);
    std::string command;
    for (int i = 1; i < argc; ++i) command += std::string(i == 1 ? "" : " ") + argv[i];
    const spk::bench::Program program = spk::bench::make_program(options);
    return spk::bench::Session(options, command).run(program);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  } catch (const spk::tool::UsageError& error) {
    fmt::print(stderr, "bench_cuda_peers: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cuda_peers: {}\n", error.what());
    return 1;
  }
}
