// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.hpp"

// Fuzzing makes blocks tiny, so that short texts have many.
#ifndef SPK_IO_BLOCK_BYTES
#define SPK_IO_BLOCK_BYTES (1024 * 1024)
#endif

namespace spk::io {

// What is wrong with a block, before its place in the file is known. `place` counts from 0 inside the block: lines of a
// block of lines, words of a block of words.
struct TextFault {
  std::int64_t place;
  std::string what;
};

// A piece of text for one thread. Its buffer is reused from piece to piece.
struct TextBlock {
  std::vector<char> buffer;
  std::size_t size = 0;
  std::int64_t line = 0;  // 1-based line of the piece; only where pieces do not cross lines
  bool ends_line = false;

  const char* begin() const { return buffer.data(); }
  const char* end() const { return buffer.data() + size; }
};

// Hands out a text from front to back: header lines one at a time, then the rest in blocks.
// Whatever is handed out ends in a line feed (or, for words, a blank), also at the end of a file that does not.
class TextReader {
 public:
  // Text of a block, and the longest line outside .smtx. The Matrix Market definition stops at 1024 characters.
  static constexpr std::size_t kBlockBytes = SPK_IO_BLOCK_BYTES;

  TextReader(std::string name, Input input);

  const std::string& name() const { return name_; }
  std::uint64_t likely_bytes() const { return likely_bytes_; }
  // Lines handed out so far by next_line.
  std::int64_t line() const { return line_; }
  // The most bytes that can follow.
  std::uint64_t most_bytes_left() const;
  // True if the text begins so. Only before the first line was taken.
  bool starts_with(std::string_view prefix);

  // The next line, without its end. Valid until the next call. False at the end of the text.
  bool next_line(std::string_view& line);
  // Whole lines. False at the end of the text. Throws TextFault for a line longer than a block.
  bool next_lines(TextBlock& block);
  // Whole words of one line. False at the end of the text. Throws TextFault for a word longer than a block.
  bool next_words(TextBlock& block);

  // A PARSE_ERROR at `line`.
  [[noreturn]] void fail(std::int64_t line, const std::string& what) const;

 private:
  std::size_t pending() const { return pending_.size() - pending_begin_; }
  bool fill_pending();
  bool take_block(TextBlock& block);
  void keep_tail(TextBlock& block, std::size_t size);

  const std::string name_;
  std::unique_ptr<ByteSource> text_;
  const std::uint64_t most_bytes_;
  const std::uint64_t likely_bytes_;
  std::vector<char> pending_;  // read, but not handed out
  std::size_t pending_begin_ = 0;
  std::uint64_t taken_ = 0;
  std::int64_t line_ = 0;
  bool at_end_ = false;
};

}  // namespace spk::io
