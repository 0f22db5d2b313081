// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/error.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace spk::io {
namespace {

constexpr std::size_t kMessageBytes = 1024;
constexpr std::size_t kQuotedBytes = 40;
constexpr std::size_t kNameBytes = 500;

thread_local char last_message[kMessageBytes] = "";

}  // namespace

std::string format(const char* pattern, ...) {
  std::va_list arguments;
  va_start(arguments, pattern);
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(static_cast<std::size_t>(std::max(length, 0)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

std::string quoted(const char* text, std::size_t size) {
  std::string out = "\"";
  for (std::size_t i = 0; i < std::min(size, kQuotedBytes); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
      out += text[i];
    } else {
      out += format("\\x%02x", static_cast<unsigned>(byte));
    }
  }
  return out + (size > kQuotedBytes ? "...\"" : "\"");
}

std::string shown_name(const std::string& name) {
  return name.size() <= kNameBytes ? name : "..." + name.substr(name.size() - kNameBytes);
}

void set_last_error(const char* function, const char* message) noexcept {
  std::snprintf(last_message, sizeof last_message, "%s: %s", function, message);
}

const char* last_error() noexcept { return last_message; }

}  // namespace spk::io
