// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/text_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/error.hpp"
#include "io/numbers.hpp"

namespace spk::io {
namespace {

// Read at a time while lines are taken one by one.
constexpr std::size_t kHeaderBytes = std::min<std::size_t>(4096, TextReader::kBlockBytes);

}  // namespace

TextReader::TextReader(std::string name, Input input)
    : name_(std::move(name)),
      text_(std::move(input.text)),
      most_bytes_(input.most_bytes),
      likely_bytes_(input.likely_bytes) {}

std::uint64_t TextReader::most_bytes_left() const {
  return most_bytes_ == kUnknownSize ? kUnknownSize : most_bytes_ - std::min(most_bytes_, taken_);
}

void TextReader::fail(std::int64_t line, const std::string& what) const {
  throw Error(SPK_STATUS_PARSE_ERROR,
              format("%s: line %lld: %s", name_.c_str(), static_cast<long long>(line), what.c_str()));
}

bool TextReader::fill_pending() {
  if (at_end_) return false;
  if (pending_begin_ > 0) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(pending_begin_));
    pending_begin_ = 0;
  }
  const std::size_t have = pending_.size();
  pending_.resize(have + kHeaderBytes);
  const std::size_t got = text_->read(pending_.data() + have, kHeaderBytes);
  pending_.resize(have + got);
  at_end_ = got == 0;
  return got > 0;
}

bool TextReader::starts_with(std::string_view prefix) {
  while (pending() < prefix.size() && fill_pending()) {
  }
  return std::string_view(pending_.data() + pending_begin_, pending()).starts_with(prefix);
}

bool TextReader::next_line(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* const begin = pending_.data() + pending_begin_;
    const void* const found =
        pending() > searched ? std::memchr(begin + searched, '\n', pending() - searched) : nullptr;
    if (found != nullptr || (at_end_ && pending() > 0)) {
      const std::size_t size =
          found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - begin) : pending();
      line = std::string_view(begin, size);
      if (line.ends_with('\r')) line.remove_suffix(1);
      pending_begin_ += size + (found != nullptr ? 1 : 0);
      taken_ += size + 1;
      ++line_;
      return true;
    }
    if (at_end_) return false;
    searched = pending();
    if (searched > kBlockBytes) fail(line_ + 1, format("the line is longer than %zu bytes", kBlockBytes));
    fill_pending();
  }
}

// Fills the block with what is pending and what follows, up to kBlockBytes. False if nothing is left.
bool TextReader::take_block(TextBlock& block) {
  block.size = pending();
  // A short file does not take the memory of a long one; one more byte tells its end from what merely filled up.
  const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes - 1, most_bytes_left()) + 1);
  const std::size_t limit = std::max(block.size, room);
  block.buffer.resize(limit + 1);  // for the line feed that a file may lack
  if (block.size > 0) std::memcpy(block.buffer.data(), pending_.data() + pending_begin_, block.size);
  pending_.clear();
  pending_begin_ = 0;
  while (!at_end_ && block.size < limit) {
    const std::size_t got = text_->read(block.buffer.data() + block.size, limit - block.size);
    at_end_ = got == 0;
    block.size += got;
  }
  if (at_end_ && block.size > 0 && block.buffer[block.size - 1] != '\n') block.buffer[block.size++] = '\n';
  return block.size > 0;
}

// Shortens the block to `size`; the rest waits for the next one.
void TextReader::keep_tail(TextBlock& block, std::size_t size) {
  pending_.assign(block.begin() + size, block.end());
  block.size = size;
}

bool TextReader::next_lines(TextBlock& block) {
  if (!take_block(block)) return false;
  const std::size_t last = std::string_view(block.begin(), block.size).rfind('\n');
  if (last == std::string_view::npos) throw TextFault{0, format("the line is longer than %zu bytes", kBlockBytes)};
  keep_tail(block, last + 1);
  return true;
}

bool TextReader::next_words(TextBlock& block) {
  if (!take_block(block)) return false;
  block.line = line_ + 1;
  const void* const feed = std::memchr(block.begin(), '\n', block.size);
  block.ends_line = feed != nullptr;
  if (block.ends_line) {
    ++line_;
    keep_tail(block, static_cast<std::size_t>(static_cast<const char*>(feed) - block.begin()) + 1);
    return true;
  }
  std::size_t size = block.size;
  while (size > 0 && !is_blank(block.buffer[size - 1])) --size;
  if (size == 0) throw TextFault{0, format("a word longer than %zu bytes", kBlockBytes)};
  keep_tail(block, size);
  return true;
}

}  // namespace spk::io
