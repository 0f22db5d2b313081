// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cases/cases.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace spk::tool {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> paths;
  std::string backend = "cpu";
};

// The .json files of a folder, sorted by name, or the file itself.
void add_files(const std::string& path, std::vector<std::string>& files) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    files.push_back(path);
    return;
  }
  if (!fs::is_directory(path, error)) {
    throw UsageError(fmt::format("replay: FILE = {} is neither a file nor a folder", path));
  }
  const std::size_t first = files.size();
  for (const auto& item : fs::directory_iterator(path)) {
    if (item.is_regular_file() && item.path().extension() == ".json") files.push_back(item.path().string());
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  if (files.size() == first) throw UsageError(fmt::format("replay: FILE = {} holds no .json file", path));
}

// In this process, so that a debugger can watch: a case that ends the process ends the replay.
void replay(const Options& options, int& exit_code) {
  cases::Options case_options;
  case_options.backend = backend_from_name(options.backend, "replay: --backend");
  std::vector<std::string> files;
  for (const std::string& path : options.paths) add_files(path, files);
  std::size_t counts[3] = {};
  for (const std::string& file : files) {
    const cases::Result result = cases::run_file(file, case_options);
    ++counts[static_cast<std::size_t>(result.verdict)];
    const Style style = result.verdict == cases::Verdict::fail   ? Style::kBad
                        : result.verdict == cases::Verdict::pass ? Style::kGood
                                                                 : Style::kDim;
    fmt::print("{}\n", styled(cases::to_line(result), style, stdout));
    std::fflush(stdout);
  }
  const auto count = [&counts](cases::Verdict verdict) { return counts[static_cast<std::size_t>(verdict)]; };
  fmt::print("{} passed, {} failed, {} skipped\n", count(cases::Verdict::pass), count(cases::Verdict::fail),
             count(cases::Verdict::skip));
  if (count(cases::Verdict::fail) != 0) exit_code = 1;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("replay", "Carry out case files, such as SPK_DUMP_DIR writes, and judge them");
  command->add_option("FILE", options->paths, "Case files or folders of them; exit code 1 if one fails")->required();
  command->add_option("--backend", options->backend, "auto, cpu, cuda or reference")->capture_default_str();
  command->callback([options, &exit_code] { replay(*options, exit_code); });
}

}  // namespace spk::tool
