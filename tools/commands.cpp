// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "commands.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "failure.hpp"

namespace spk::tool {

void require_at_least(std::string_view command, std::string_view option, std::int64_t value, std::int64_t least) {
  if (value < least)
    throw UsageError(fmt::format("{}: {} = {} but must be at least {}", command, option, value, least));
}

spk_order_t order_from_name(std::string_view name, std::string_view option) {
  if (name == "row") return SPK_ORDER_ROW;
  if (name == "col") return SPK_ORDER_COL;
  throw UsageError(fmt::format("{} = {} but must be row or col", option, name));
}

spk_operation_t op_from_name(std::string_view name, std::string_view option) {
  if (name == "n") return SPK_OP_N;
  if (name == "t") return SPK_OP_T;
  if (name == "c") return SPK_OP_C;
  throw UsageError(fmt::format("{} = {} but must be n, t or c", option, name));
}

std::vector<std::string> list_of(const std::string& text, std::string_view option) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  for (const std::string& word : words) {
    if (word.empty()) throw UsageError(fmt::format("{} = {} but must be names separated by commas", option, text));
  }
  return words;
}

void write_file(const std::string& path, const std::string& contents) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << contents;
  out.close();
  if (!out) throw Failure(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace spk::tool
