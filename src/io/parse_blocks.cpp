// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/parse_blocks.hpp"

#include <algorithm>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace spk::io {
namespace {

constexpr std::uint64_t kBytesPerThread = 8 * 1024 * 1024;

class Parser {
 public:
  Parser(std::int64_t most_entries, const NextBlock& next, const ParseBlock& parse)
      : most_entries_(most_entries), next_(next), parse_(parse) {}

  // Body of each thread. Nothing may leave it: what goes wrong is kept beside the block that it belongs to.
  void run() noexcept {
    TextBlock block;
    while (ParsedBlock* const parsed = take(block)) {
      try {
        parse_(block, *parsed);
      } catch (...) {
        parsed->failure = std::current_exception();
      }
      give(*parsed);
    }
  }

  std::deque<ParsedBlock> take_blocks() {
    // Without a block there is nothing to keep a failure beside.
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return std::move(blocks_);
  }

 private:
  ParsedBlock* take(TextBlock& block) noexcept {
    const std::lock_guard lock(mutex_);
    if (stopped_) return nullptr;
    ParsedBlock* parsed = nullptr;
    try {
      parsed = &blocks_.emplace_back();
      if (next_(block)) {
        parsed->ends_line = block.ends_line;
        return parsed;
      }
      blocks_.pop_back();
    } catch (TextFault& fault) {
      parsed->fault = std::move(fault);
    } catch (...) {
      (parsed != nullptr ? parsed->failure : failure_) = std::current_exception();
    }
    stopped_ = true;
    return nullptr;
  }

  void give(const ParsedBlock& parsed) noexcept {
    const std::lock_guard lock(mutex_);
    // The sum is over blocks of a front part of the file, so it never exceeds what that part holds.
    entries_ += parsed.segment.count;
    if (parsed.fault || parsed.failure != nullptr || entries_ > most_entries_) stopped_ = true;
  }

  const std::int64_t most_entries_;
  const NextBlock& next_;
  const ParseBlock& parse_;
  std::mutex mutex_;
  std::deque<ParsedBlock> blocks_;  // a deque, because threads hold references
  std::int64_t entries_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

int thread_count(int asked, std::uint64_t likely_bytes) {
  const auto by_blocks = static_cast<std::int64_t>(
      std::min<std::uint64_t>(likely_bytes / TextReader::kBlockBytes, std::numeric_limits<int>::max() - 1) + 1);
  if (asked > 0) return static_cast<int>(likely_bytes == 0 ? asked : std::min<std::int64_t>(asked, by_blocks));
  const auto by_size = static_cast<std::int64_t>(std::min<std::uint64_t>(likely_bytes / kBytesPerThread, 1 << 20));
  const std::int64_t hardware = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<int>(std::clamp<std::int64_t>(by_size, 1, hardware));
}

}  // namespace

std::deque<ParsedBlock> parse_blocks(int threads, std::uint64_t likely_bytes, std::int64_t most_entries,
                                     const NextBlock& next, const ParseBlock& parse) {
  Parser parser(most_entries, next, parse);
  {
    std::vector<std::jthread> helpers;
    const int count = thread_count(threads, likely_bytes);
    helpers.reserve(static_cast<std::size_t>(count));
    try {
      for (int i = 1; i < count; ++i) helpers.emplace_back([&parser] { parser.run(); });
    } catch (const std::system_error&) {
      // The system grants no more threads; fewer do the same work.
    } catch (const std::bad_alloc&) {
      // As above.
    }
    parser.run();
  }
  return parser.take_blocks();
}

}  // namespace spk::io
