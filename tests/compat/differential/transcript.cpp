// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/differential/transcript.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>

namespace spk::test {

std::string noted(const char* pattern, int first, int second) {
  char text[80];
  std::snprintf(text, sizeof text, pattern, first, second);
  return text;
}

void Transcript::begin(const char* name, const std::string& note) {
  std::string line(name);
  if (!note.empty()) line.append(" [").append(note).append("]");
  lines_.push_back(line.append(" ="));
}

void Transcript::end(const char* answer) { lines_.back().append(" ").append(answer); }

void* Transcript::find(const char* name) {
  void* symbol = dlsym(library_, std::string(prefix_).append(name).c_str());
  if (symbol == nullptr) end("absent");
  return symbol;
}

void Transcript::field(const char* name, i64 value) {
  lines_.back().append(" ").append(name).append("=").append(std::to_string(value));
}

void Transcript::field(const char* name, const void* value) {
  const std::ptrdiff_t distance = static_cast<const char*>(value) - arrays;
  lines_.back().append(" ").append(name).append("=");
  if (value == nullptr) {
    lines_.back().append("null");
  } else if (value == kUntouched) {
    lines_.back().append("untouched");
  } else if (distance >= 0 && distance < static_cast<std::ptrdiff_t>(sizeof arrays)) {
    lines_.back().append("array+").append(std::to_string(distance));
  } else {
    lines_.back().append("object");
  }
}

}  // namespace spk::test
