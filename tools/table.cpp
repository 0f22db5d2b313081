// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace spk::tool {
namespace {

// Characters of UTF-8 text: bytes that do not continue one.
std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t length = text_width(text);
  const std::string blanks(width > length ? width - length : 0, ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace

bool has_colours(std::FILE* stream) {
  if (isatty(fileno(stream)) == 0) return false;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && term != nullptr && std::strcmp(term, "dumb") != 0;
}

bool has_blocks(std::FILE* stream) {
  if (isatty(fileno(stream)) == 0) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = value;
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::string styled(const std::string& text, Style style, std::FILE* stream) {
  if (style == Style::kPlain || !has_colours(stream)) return text;
  const char* code = "";
  switch (style) {
    case Style::kPlain: break;
    case Style::kBold: code = "1"; break;
    case Style::kDim: code = "2"; break;
    case Style::kGood: code = "32"; break;
    case Style::kBad: code = "1;31"; break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void Table::print(std::FILE* stream) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(text_width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < std::min(row.size(), widths.size()); ++c) {
      widths[c] = std::max(widths[c], text_width(row[c].text));
    }
  }
  const auto print_line = [&](auto cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c != 0) line += "  ";
      const Cell cell = cell_of(c);
      // The last column needs no blanks behind it.
      const bool last_left = c + 1 == columns_.size() && !columns_[c].right;
      line += styled(last_left ? cell.text : padded(cell.text, widths[c], columns_[c].right), cell.style, stream);
    }
    fmt::print(stream, "{}\n", line);
  };
  print_line([&](std::size_t c) { return Cell(columns_[c].title, Style::kBold); });
  print_line([&](std::size_t c) { return Cell(std::string(widths[c], '-'), Style::kDim); });
  for (const auto& row : rows_) print_line([&](std::size_t c) { return c < row.size() ? row[c] : Cell(""); });
}

std::string with_commas(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t place = 0; place < digits.size(); ++place) {
    const bool after_digit = place > 0 && digits[place - 1] != '-';
    if (after_digit && (digits.size() - place) % 3 == 0) text += ',';
    text += digits[place];
  }
  return text;
}

std::string bar(double share, std::size_t width, std::FILE* stream) {
  const double places = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  if (!has_blocks(stream)) return std::string(static_cast<std::size_t>(std::lround(places)), '#');
  const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto whole = static_cast<std::size_t>(places);
  std::string text;
  for (std::size_t i = 0; i < whole; ++i) text += "█";
  return text + eighths[static_cast<std::size_t>((places - static_cast<double>(whole)) * 8)];
}

Progress::Progress(std::size_t total) : total_(total), on_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (on_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(std::size_t done, const std::string& what) {
  if (!on_) return;
  constexpr std::size_t kWidth = 24;
  const double share = total_ == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total_);
  const std::string filled = bar(share, kWidth, stderr);
  fmt::print(stderr, "\r\x1b[K[{}] {:>3.0f} %  {}/{}  {}", padded(filled, kWidth, false), 100 * share, done, total_,
             what);
  std::fflush(stderr);
}

}  // namespace spk::tool
