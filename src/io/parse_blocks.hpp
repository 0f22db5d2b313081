// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "io/entries.hpp"
#include "io/text_reader.hpp"

namespace spk::io {

// Consecutive lines of a block that hold no entry.
struct BlankRun {
  std::int32_t first;  // 0-based inside the block
  std::int32_t count;
};

// What became of one block.
struct ParsedBlock {
  Segment segment;
  std::int64_t lines = 0;          // line feeds in a block of lines
  std::vector<BlankRun> blanks;    // where entry k does not stand on line k
  bool ends_line = false;          // as TextBlock::ends_line
  std::optional<TextFault> fault;  // the first thing that is wrong in the block
  std::exception_ptr failure;      // no memory, or the file could not be read on

  // Line inside the block, from 0, of its entry `k`.
  std::int64_t line_of_entry(std::int64_t k) const {
    for (const BlankRun& run : blanks) {
      if (k < run.first) break;
      k += run.count;
    }
    return k;
  }
};

// Fetches the next block, one thread at a time; false at the end of the text. May throw TextFault.
using NextBlock = std::function<bool(TextBlock&)>;
// Turns a block into entries; many threads at once.
using ParseBlock = std::function<void(const TextBlock&, ParsedBlock&)>;

// Parses a text with `threads` threads (0: by likely_bytes). The result has every block up to the end of the text or
// to a fault: blocks are handed out in order and each one that was handed out is finished, so the first fault in the
// result is the first in the file, whatever the threads did. Reading also stops once more than `most_entries` were
// seen, since the file is wrong then.
std::deque<ParsedBlock> parse_blocks(int threads, std::uint64_t likely_bytes, std::int64_t most_entries,
                                     const NextBlock& next, const ParseBlock& parse);

}  // namespace spk::io
