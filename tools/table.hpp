// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace spk::tool {

enum class Style { kPlain, kBold, kDim, kGood, kBad };

// True if `stream` is a terminal that shows colours (NO_COLOR is not set and TERM is not dumb).
bool has_colours(std::FILE* stream);

// True if the locale's character set is UTF-8 and `stream` is a terminal.
bool has_blocks(std::FILE* stream);

// `text` in colour if `stream` shows colours.
std::string styled(const std::string& text, Style style, std::FILE* stream);

// Columns of text, as wide as needed. Colours only where the stream shows them.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = true;  // numbers stand on the right
  };
  struct Cell {
    Cell(std::string text_in, Style style_in = Style::kPlain) : text(std::move(text_in)), style(style_in) {}
    Cell(const char* text_in) : text(text_in) {}
    std::string text;
    Style style = Style::kPlain;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Missing cells are empty.
  void add_row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  void print(std::FILE* stream) const;
  bool empty() const { return rows_.empty(); }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// 1234567 -> 1,234,567.
std::string with_commas(std::int64_t number);

// A bar of `width` places, filled to `share` (0 to 1).
std::string bar(double share, std::size_t width, std::FILE* stream);

// A line on stderr that says how far a loop is; nothing at all where stderr is no terminal.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Before step number `done` (from 0), named `what`.
  void show(std::size_t done, const std::string& what);

 private:
  std::size_t total_;
  bool on_;
};

}  // namespace spk::tool
