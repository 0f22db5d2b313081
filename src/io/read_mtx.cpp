// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/read.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/error.hpp"
#include "io/mtx_header.hpp"
#include "io/numbers.hpp"
#include "io/parse_blocks.hpp"

namespace spk::io {
namespace {

Segment make_segment(const MtxHeader& header, std::int64_t capacity) {
  Segment segment;
  if (!header.is_array) {
    segment.rows = IndexArray(capacity, needs_wide(std::max(header.rows, header.cols)));
    segment.cols = IndexArray(capacity, segment.rows.is_wide());
  }
  if (header.field == SPK_IO_INTEGER) {
    segment.integers = raw_array<std::int64_t>(capacity);
  } else if (header.field != SPK_IO_PATTERN) {
    segment.reals = raw_array<double>(capacity * header.values_per_entry());
  }
  return segment;
}

template <spk_io_field_t kField>
bool parse_value(const char*& p, const Segment& segment, std::int64_t k) {
  p = skip_blanks(p);
  if constexpr (kField == SPK_IO_INTEGER) {
    return parse_integer(p, segment.integers[static_cast<std::size_t>(k)]) == NumberStatus::kOk;
  } else if constexpr (kField == SPK_IO_REAL) {
    return parse_real(p, segment.reals[static_cast<std::size_t>(k)]);
  } else if constexpr (kField == SPK_IO_COMPLEX) {
    if (!parse_real(p, segment.reals[static_cast<std::size_t>(2 * k)])) return false;
    p = skip_blanks(p);
    return parse_real(p, segment.reals[static_cast<std::size_t>(2 * k + 1)]);
  }
  return true;
}

// True if the header's symmetry lets the file list entry `k` at 1-based (row, col).
bool may_be_listed(const MtxHeader& header, const Segment& segment, std::int64_t k, std::int64_t row,
                   std::int64_t col) {
  if (header.symmetry == SPK_IO_GENERAL || row > col) return true;
  if (row < col || header.symmetry == SPK_IO_SKEW_SYMMETRIC) return false;
  return header.symmetry != SPK_IO_HERMITIAN || segment.reals[static_cast<std::size_t>(2 * k + 1)] == 0;
}

// Takes the lines of a block one by one. `take(p, k)` reads entry k from the line at p, up to its end.
template <class Take>
void parse_lines(const MtxHeader& header, const TextBlock& block, ParsedBlock& parsed, const Take& take) {
  const char* p = block.begin();
  std::int64_t k = 0;
  for (std::int64_t line = 0; p != block.end(); ++line) {
    const char* const start = p;
    if (at_line_end(p)) {
      if (!parsed.blanks.empty() && parsed.blanks.back().first + parsed.blanks.back().count == line) {
        ++parsed.blanks.back().count;
      } else {
        parsed.blanks.push_back({static_cast<std::int32_t>(line), 1});
      }
    } else if (p = start; take(p, k) && at_line_end(p)) {
      ++k;
    } else {
      const auto* const feed = static_cast<const char*>(
          std::memchr(start, '\n', static_cast<std::size_t>(block.end() - start)));  // every block ends in one
      parsed.fault = TextFault{line, explain_mtx_line(header, {start, static_cast<std::size_t>(feed - start)})};
      break;
    }
    ++p;
  }
  parsed.segment.count = k;
}

template <class Index, spk_io_field_t kField>
void parse_coordinates(const MtxHeader& header, const TextBlock& block, ParsedBlock& parsed) {
  const Segment& segment = parsed.segment;
  Index* const rows = parsed.segment.rows.data<Index>();
  Index* const cols = parsed.segment.cols.data<Index>();
  parse_lines(header, block, parsed, [&](const char*& p, std::int64_t k) {
    std::int64_t row = 0;
    std::int64_t col = 0;
    p = skip_blanks(p);
    if (parse_integer(p, row) != NumberStatus::kOk || row < 1 || row > header.rows) return false;
    p = skip_blanks(p);
    if (parse_integer(p, col) != NumberStatus::kOk || col < 1 || col > header.cols) return false;
    rows[k] = static_cast<Index>(row - 1);
    cols[k] = static_cast<Index>(col - 1);
    return parse_value<kField>(p, segment, k) && may_be_listed(header, segment, k, row, col);
  });
}

template <spk_io_field_t kField>
void parse_field(const MtxHeader& header, const TextBlock& block, ParsedBlock& parsed) {
  if (header.is_array) {
    parse_lines(header, block, parsed,
                [&](const char*& p, std::int64_t k) { return parse_value<kField>(p, parsed.segment, k); });
  } else if (parsed.segment.rows.is_wide()) {
    parse_coordinates<std::int64_t, kField>(header, block, parsed);
  } else {
    parse_coordinates<std::int32_t, kField>(header, block, parsed);
  }
}

void parse_block(const MtxHeader& header, const TextBlock& block, ParsedBlock& parsed) {
  parsed.lines = std::count(block.begin(), block.end(), '\n');
  parsed.segment = make_segment(header, parsed.lines);
  switch (header.field) {
    case SPK_IO_REAL: parse_field<SPK_IO_REAL>(header, block, parsed); break;
    case SPK_IO_COMPLEX: parse_field<SPK_IO_COMPLEX>(header, block, parsed); break;
    case SPK_IO_INTEGER: parse_field<SPK_IO_INTEGER>(header, block, parsed); break;
    default: parse_field<SPK_IO_PATTERN>(header, block, parsed); break;
  }
  if (!header.is_array) parsed.segment.find_order();
  parsed.segment.pack(parsed.lines, header.values_per_entry());
}

// Diagonal of a hermitian array file: its places are known only when all blocks are there.
void check_array_diagonal(const TextReader& reader, const MtxHeader& header, std::int64_t header_lines,
                          const std::deque<ParsedBlock>& blocks) {
  auto block = blocks.begin();
  std::int64_t begin = 0;  // first entry of *block
  std::int64_t line = header_lines;
  std::int64_t place = 0;  // of the diagonal entry of column j in the packed lower triangle
  for (std::int64_t j = 0; j < header.rows; place += header.rows - j, ++j) {
    for (; place >= begin + block->segment.count; ++block) {
      begin += block->segment.count;
      line += block->lines;
    }
    if (block->segment.reals[static_cast<std::size_t>(2 * (place - begin) + 1)] != 0) {
      reader.fail(
          line + block->line_of_entry(place - begin) + 1,
          format("the diagonal entry %lld of a hermitian matrix has an imaginary part", static_cast<long long>(j + 1)));
    }
  }
}

// The first thing that is wrong with the entries, in the order of the file.
void check_blocks(const TextReader& reader, const MtxHeader& header, std::int64_t header_lines,
                  const std::deque<ParsedBlock>& blocks) {
  std::int64_t seen = 0;
  std::int64_t line = header_lines;
  for (const ParsedBlock& block : blocks) {
    if (block.failure != nullptr) std::rethrow_exception(block.failure);
    if (block.segment.count > header.count - seen) {
      reader.fail(line + block.line_of_entry(header.count - seen) + 1,
                  format("more entries than the %lld that are declared", static_cast<long long>(header.count)));
    }
    if (block.fault) reader.fail(line + block.fault->place + 1, block.fault->what);
    seen += block.segment.count;
    line += block.lines;
  }
  if (seen != header.count) {
    reader.fail(line, format("the file ends after %lld of %lld entries", static_cast<long long>(seen),
                             static_cast<long long>(header.count)));
  }
  if (header.is_array && header.symmetry == SPK_IO_HERMITIAN)
    check_array_diagonal(reader, header, header_lines, blocks);
}

}  // namespace

void read_mtx(TextReader& reader, const ReadRequest& request, spk_io_matrix& matrix) {
  const MtxHeader header = read_mtx_header(reader);
  matrix.field = header.field;
  matrix.symmetry = header.symmetry;
  matrix.is_array = header.is_array;
  matrix.is_mirrored = header.symmetry != SPK_IO_GENERAL && !request.keep_stored_triangle;
  matrix.rows = header.rows;
  matrix.cols = header.cols;
  matrix.stored = header.count;
  request.check_fits(reader.name(), "rows", header.rows);
  request.check_fits(reader.name(), "columns", header.cols);
  request.check_fits(reader.name(), "entries", header.count);

  const std::int64_t header_lines = reader.line();
  std::deque<ParsedBlock> blocks = parse_blocks(
      request.threads, reader.likely_bytes(), header.count,
      [&reader](TextBlock& block) { return reader.next_lines(block); },
      [&header](const TextBlock& block, ParsedBlock& parsed) { parse_block(header, block, parsed); });
  check_blocks(reader, header, header_lines, blocks);
  matrix.segments.reserve(blocks.size());
  for (ParsedBlock& block : blocks) {
    if (block.segment.count > 0) matrix.segments.push_back(std::move(block.segment));
  }
  finish_mtx(matrix);
}

}  // namespace spk::io
