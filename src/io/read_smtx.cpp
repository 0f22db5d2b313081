// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <limits>
#include <utility>

#include "io/error.hpp"
#include "io/mtx_header.hpp"
#include "io/numbers.hpp"
#include "io/parse_blocks.hpp"
#include "io/read.hpp"

namespace spk::io {
namespace {

constexpr std::int64_t kOffsetsLine = 2;
constexpr std::int64_t kIndicesLine = 3;

struct SmtxHeader {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;

  bool is_wide() const { return needs_wide(std::max({rows, cols, nnz})); }
};

SmtxHeader read_header(TextReader& reader) {
  std::string_view line;
  if (!reader.next_line(line)) reader.fail(1, "the file is empty");
  std::string text(line);
  std::replace(text.begin(), text.end(), ',', ' ');
  text += '\n';  // ends the last number
  const std::vector<std::string_view> words = words_of(std::string_view(text).substr(0, text.size() - 1));
  if (words.size() != 3) {
    reader.fail(1, format("the line has %zu words but must have 3: rows, columns, entries", words.size()));
  }
  SmtxHeader header;
  constexpr const char* kNames[] = {"number of rows", "number of columns", "number of entries"};
  std::int64_t* const sizes[] = {&header.rows, &header.cols, &header.nnz};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string fault = parse_integer_word(words[i], kNames[i], *sizes[i]);
    if (!fault.empty()) reader.fail(1, fault);
    if (*sizes[i] < 0) {
      reader.fail(1, format("the %s is %lld but must be >= 0", kNames[i], static_cast<long long>(*sizes[i])));
    }
  }
  __extension__ using Wide = unsigned __int128;
  const Wide places = static_cast<Wide>(header.rows) * static_cast<Wide>(header.cols);
  if (static_cast<Wide>(header.nnz) > places) {
    reader.fail(1,
                format("%lld entries are declared but %lld x %lld has fewer places", static_cast<long long>(header.nnz),
                       static_cast<long long>(header.rows), static_cast<long long>(header.cols)));
  }
  // Each number takes a digit and what separates it from the next one.
  const Wide numbers = static_cast<Wide>(header.rows) + 1 + static_cast<Wide>(header.nnz);
  const std::uint64_t left = reader.most_bytes_left();
  if (left != kUnknownSize ? 2 * numbers > static_cast<Wide>(left) + 1
                           : numbers > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) {
    reader.fail(1, format("%lld rows and %lld entries are declared, more than the rest of the file can hold",
                          static_cast<long long>(header.rows), static_cast<long long>(header.nnz)));
  }
  return header;
}

// The numbers of a block go to segment.cols, on either line.
template <class Index>
void parse_numbers(const SmtxHeader& header, const TextBlock& block, ParsedBlock& parsed) {
  const bool is_offset = block.line == kOffsetsLine;
  const std::int64_t largest = is_offset ? header.nnz : header.cols - 1;
  Index* const numbers = parsed.segment.cols.data<Index>();
  std::int64_t k = 0;
  const char* p = block.begin();
  for (;;) {
    while (p != block.end() && is_blank(*p)) ++p;
    if (p == block.end()) break;
    const char* const start = p;
    if (at_line_end(p)) break;
    p = start;
    std::int64_t number = 0;
    const NumberStatus status = parse_integer(p, number);
    if (status == NumberStatus::kOk && number >= 0 && number <= largest) {
      numbers[k++] = static_cast<Index>(number);
      continue;
    }
    const auto* const word_end = std::find_if(start, block.end(), [](char c) { return is_blank(c) || c == '\n'; });
    parsed.fault = TextFault{
        k, format("%s but must be an integer in 0..%lld",
                  quoted(start, static_cast<std::size_t>(word_end - start)).c_str(), static_cast<long long>(largest))};
    break;
  }
  parsed.segment.count = k;
}

void parse_block(const SmtxHeader& header, const TextBlock& block, ParsedBlock& parsed) {
  const std::int64_t capacity =
      std::count_if(block.begin(), block.end(), [](char c) { return is_blank(c) || c == '\n'; });
  parsed.segment.cols = IndexArray(capacity, header.is_wide());
  if (header.is_wide()) {
    parse_numbers<std::int64_t>(header, block, parsed);
  } else {
    parse_numbers<std::int32_t>(header, block, parsed);
  }
  parsed.segment.pack(capacity, 0);
}

// The first thing that is wrong with one line of numbers, of which there must be `expected`. Returns the first block
// of the next line.
using BlockIterator = std::deque<ParsedBlock>::iterator;
BlockIterator check_line(const TextReader& reader, BlockIterator block, BlockIterator end, std::int64_t line,
                         const char* one, const char* many, std::int64_t expected) {
  std::int64_t seen = 0;
  bool ended = false;
  for (; block != end && !ended; ++block) {
    if (block->failure != nullptr) std::rethrow_exception(block->failure);
    if (block->segment.count > expected - seen) {
      reader.fail(line,
                  format("more %s than the %lld that the first line asks for", many, static_cast<long long>(expected)));
    }
    if (block->fault) {
      reader.fail(line, format("%s %lld is %s", one, static_cast<long long>(seen + block->fault->place + 1),
                               block->fault->what.c_str()));
    }
    seen += block->segment.count;
    ended = block->ends_line;
  }
  if (seen != expected) {
    reader.fail(line, format("%lld %s but the first line asks for %lld", static_cast<long long>(seen), many,
                             static_cast<long long>(expected)));
  }
  return block;
}

// Copies the offsets out of their blocks and checks that they rise from 0 to nnz.
IndexArray join_offsets(const TextReader& reader, const SmtxHeader& header, BlockIterator block, BlockIterator end) {
  IndexArray offsets(header.rows + 1, header.is_wide());
  std::int64_t row = 0;
  std::int64_t last = 0;
  for (; block != end; ++block) {
    for (std::int64_t k = 0; k < block->segment.count; ++k, ++row) {
      const std::int64_t offset = block->segment.cols[k];
      if (row == 0 ? offset != 0 : offset < last) {
        reader.fail(kOffsetsLine,
                    format("row offset %lld is %lld but must be %s %lld", static_cast<long long>(row + 1),
                           static_cast<long long>(offset), row == 0 ? "=" : ">=", static_cast<long long>(last)));
      }
      offsets.set(row, offset);
      last = offset;
    }
  }
  if (last != header.nnz) {
    reader.fail(kOffsetsLine, format("the last row offset is %lld but the first line declares %lld entries",
                                     static_cast<long long>(last), static_cast<long long>(header.nnz)));
  }
  return offsets;
}

// Refuses a column that stands twice in a row; columns may be in any order.
void check_columns(const TextReader& reader, const spk_io_matrix& matrix) {
  std::vector<std::int64_t> row_cols;
  auto segment = matrix.segments.begin();
  std::int64_t k = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    row_cols.clear();
    bool ascends = true;
    for (std::int64_t left = matrix.row_offsets[row + 1] - matrix.row_offsets[row]; left > 0; --left, ++k) {
      for (; k == segment->count; ++segment) k = 0;
      const std::int64_t col = segment->cols[k];
      ascends = ascends && (row_cols.empty() || row_cols.back() < col);
      row_cols.push_back(col);
    }
    if (ascends) continue;
    std::sort(row_cols.begin(), row_cols.end());
    const auto twice = std::adjacent_find(row_cols.begin(), row_cols.end());
    if (twice != row_cols.end()) {
      reader.fail(kIndicesLine, format("column index %lld stands twice in row %lld (both counted from 0)",
                                       static_cast<long long>(*twice), static_cast<long long>(row)));
    }
  }
}

void check_no_more_lines(TextReader& reader) {
  std::string_view line;
  while (reader.next_line(line)) {
    if (line.find_first_not_of(" \t") != std::string_view::npos) {
      reader.fail(reader.line(), "more than three lines");
    }
  }
}

}  // namespace

void read_smtx(TextReader& reader, const ReadRequest& request, spk_io_matrix& matrix) {
  const SmtxHeader header = read_header(reader);
  request.check_fits(reader.name(), "rows", header.rows);
  request.check_fits(reader.name(), "columns", header.cols);
  request.check_fits(reader.name(), "entries", header.nnz);
  std::deque<ParsedBlock> blocks = parse_blocks(
      request.threads, reader.likely_bytes(), header.rows + 1 + header.nnz,
      [&reader](TextBlock& block) { return reader.line() < kIndicesLine && reader.next_words(block); },
      [&header](const TextBlock& block, ParsedBlock& parsed) { parse_block(header, block, parsed); });
  const BlockIterator indices =
      check_line(reader, blocks.begin(), blocks.end(), kOffsetsLine, "row offset", "row offsets", header.rows + 1);
  matrix.row_offsets = join_offsets(reader, header, blocks.begin(), indices);
  matrix.has_row_offsets = true;
  check_line(reader, indices, blocks.end(), kIndicesLine, "column index", "column indices", header.nnz);
  for (auto block = indices; block != blocks.end(); ++block) matrix.segments.push_back(std::move(block->segment));
  matrix.rows = header.rows;
  matrix.cols = header.cols;
  matrix.stored = header.nnz;
  matrix.nnz = header.nnz;
  matrix.csr_nnz = header.nnz;
  matrix.is_row_ordered = true;
  check_columns(reader, matrix);
  check_no_more_lines(reader);
}

}  // namespace spk::io
