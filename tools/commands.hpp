// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <vector>

#include "failure.hpp"
#include "library.hpp"

namespace spk::tool {

// Each function adds one subcommand. When it was chosen, its work runs inside App::parse: it prints to stdout, throws
// UsageError or Failure, and sets exit_code to 1 where the answer is "no" (a result outside its bound, a bad file).
void add_info(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_generate(CLI::App& app, int& exit_code);
void add_demo(CLI::App& app, int& exit_code);

// UsageError "COMMAND: OPTION = VALUE but must be at least LEAST".
void require_at_least(std::string_view command, std::string_view option, std::int64_t value, std::int64_t least);

// row or col; n, t or c; names as on the command line. UsageError naming `option` otherwise.
spk_order_t order_from_name(std::string_view name, std::string_view option);
spk_operation_t op_from_name(std::string_view name, std::string_view option);

// An integer option that starts at what `value` holds. CLI11's own conversion answers the largest number for one that is
// larger, this one UsageError "COMMAND: NAME = TEXT but must be an integer". `value` must live as long as the command.
template <class Integer>
CLI::Option* add_integer(CLI::App* command, const std::string& name, Integer& value, const std::string& help) {
  const auto parse = [command, name, &value](const std::string& text) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) {
      const char* range = error == std::errc::result_out_of_range ? " that fits" : "";
      throw UsageError(fmt::format("{}: {} = {} but must be an integer{}", command->get_name(), name, text, range));
    }
  };
  return command->add_option_function<std::string>(name, parse, help)
      ->type_name("INT")
      ->default_str(fmt::format("{}", value));
}

// Words between commas; UsageError naming `option` if there is none or one is empty.
std::vector<std::string> list_of(const std::string& text, std::string_view option);

// Writes a whole file or throws Failure naming it.
void write_file(const std::string& path, const std::string& contents);

}  // namespace spk::tool
