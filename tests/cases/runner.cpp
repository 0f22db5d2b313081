// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// spk_case_runner DIR [--backend cpu|cuda|reference]: carries out every case file of a folder and prints one line each,
// "id PASS|FAIL|SKIP reason", sorted by id, then a line of counts. Exit code 1 if one failed, 2 for wrong usage.
// Each file runs in a process of its own, so that a crash or a hang is the verdict on one case and no more.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "cases/cases.hpp"
#include "cases/child_process.hpp"
#include "support/require.hpp"

namespace {

using spk::cases::Options;
using spk::cases::Result;
using spk::cases::Verdict;
namespace fs = std::filesystem;

constexpr char kUsage[] = "usage: spk_case_runner DIR [--backend cpu|cuda|reference]\n";

struct Arguments {
  std::string folder, one_file;
  std::string backend_name = "cpu";
  Options options;
};

// Empty, or one sentence about what is wrong.
std::string parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--backend" || argument == "--one-file") {
      if (i + 1 == argc) return argument + " needs a value";
      (argument == "--backend" ? arguments.backend_name : arguments.one_file) = argv[++i];
    } else if (argument.starts_with("--")) {
      return "unknown option " + argument;
    } else if (!arguments.folder.empty()) {
      return "more than one folder is given";
    } else {
      arguments.folder = argument;
    }
  }
  if (!spk::cases::backend_from_name(arguments.backend_name, arguments.options.backend))
    return "--backend = " + arguments.backend_name + " but must be cpu, cuda or reference";
  if (arguments.folder.empty() && arguments.one_file.empty()) return "a folder with case files must be given";
  std::error_code failed;
  if (arguments.one_file.empty() && !fs::is_directory(arguments.folder, failed))
    return arguments.folder + " is not a folder";
  return {};
}

// The verdict of one file as a worker process prints it: verdict, tab, id, tab, reason.
int run_one(const Arguments& arguments) {
  const Result result = spk::cases::run_file(arguments.one_file, arguments.options);
  std::printf("\n%s\t%s\t%s\n", name_of(result.verdict), result.id.c_str(), result.reason.c_str());
  std::fflush(stdout);
  return 0;
}

bool read_verdict(const std::string& output, Result& result) {
  const std::size_t end = output.find_last_not_of('\n');
  if (end == std::string::npos) return false;
  const std::size_t begin = output.rfind('\n', end);
  const std::string line =
      output.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1) + 1);
  const std::size_t first = line.find('\t');
  const std::size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
  if (second == std::string::npos) return false;
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::skip}) {
    if (line.substr(0, first) != name_of(verdict)) continue;
    result = {line.substr(first + 1, second - first - 1), verdict, line.substr(second + 1)};
    return true;
  }
  return false;
}

Result run_apart(const std::string& path, const Arguments& arguments) {
  std::string output;
  const spk::cases::Ending ending =
      spk::cases::run_program({spk::cases::this_program(), "--one-file", path, "--backend", arguments.backend_name},
                              spk::cases::seconds_allowed(path), &output);
  Result result{fs::path(path).stem().string(), Verdict::fail, ""};
  const bool has_verdict = read_verdict(output, result);
  const std::string problem = ending.problem();
  if (!problem.empty()) {
    const std::string before = has_verdict ? std::string(" after ") + name_of(result.verdict) : std::string();
    result.verdict = Verdict::fail;
    result.reason = "the process " + problem + before;
  } else if (!has_verdict) {
    result.reason = "the process gave no verdict";
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  const std::string problem = parse(argc, argv, arguments);
  if (!problem.empty()) {
    std::fprintf(stderr, "spk_case_runner: %s\n%s", problem.c_str(), kUsage);
    return 2;
  }
  if (!arguments.one_file.empty()) return run_one(arguments);
  // Where the backend must be there, that all its cases are skipped is no good.
  if (spk::test::is_required(arguments.backend_name)) {
    if (const std::string missing = spk::test::missing_backend(arguments.options.backend); !missing.empty()) {
      std::fprintf(stderr, "spk_case_runner: is required: %s\n", missing.c_str());
      return 1;
    }
  }

  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(arguments.folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "spk_case_runner: %s holds no .json file\n%s", arguments.folder.c_str(), kUsage);
    return 2;
  }
  std::array<int, 3> counts{};
  for (const std::string& path : files) {
    const Result result = run_apart(path, arguments);
    ++counts[static_cast<std::size_t>(result.verdict)];
    std::printf("%s\n", spk::cases::to_line(result).c_str());
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed, %d skipped\n", counts[0], counts[1], counts[2]);
  return counts[1] == 0 ? 0 : 1;
}
