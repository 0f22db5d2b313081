// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>
#include <spk/spk.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include "commands.hpp"
#include "failure.hpp"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// One sentence on stderr, whatever the text was broken into.
int complain(const std::string& message, int exit_code) {
  std::string line = message;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "spk: {}\n", line);
  return exit_code;
}

int run(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app("Sparse matrix operations for deep learning: look at matrices, run, check and time the library.", "spk");
  app.set_version_flag(
      "--version", fmt::format("spk {}.{}.{}", spk_version() / 10000, spk_version() / 100 % 100, spk_version() % 100));
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  spk::tool::add_info(app, exit_code);
  spk::tool::add_inspect(app, exit_code);
  spk::tool::add_run(app, exit_code);
  spk::tool::add_bench(app, exit_code);
  spk::tool::add_convert(app, exit_code);
  spk::tool::add_validate(app, exit_code);
  spk::tool::add_replay(app, exit_code);
  spk::tool::add_generate(app, exit_code);
  spk::tool::add_demo(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    // An unknown word in place of a subcommand gets its own sentence; CLI11 only misses a subcommand.
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') {
      return complain(fmt::format("{} is not a subcommand, see spk --help", argv[1]), kExitUsage);
    }
    std::string command;
    for (const CLI::App* chosen : app.get_subcommands()) command = chosen->get_name() + ": ";
    std::string message = error.what();
    constexpr std::string_view kConversion = "Could not convert: ";
    if (message.starts_with(kConversion)) message = message.substr(kConversion.size()) + " but must be a number";
    return complain(command + message, kExitUsage);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = kExitFailure;
  try {
    exit_code = run(argc, argv);
  } catch (const spk::tool::UsageError& error) {
    return complain(error.what(), kExitUsage);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kExitFailure);
  } catch (const std::exception& error) {
    return complain(error.what(), kExitFailure);
  }
  // Output that did not arrive (a full disk) is a failure too.
  if (std::fflush(stdout) != 0) return complain("standard output cannot be written", kExitFailure);
  return exit_code;
}
