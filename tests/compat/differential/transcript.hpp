// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The same calls made on two libraries with cuSPARSE's interface, and what each answered as lines of text. Functions are
// looked up by name, so that no header of either library is needed; enumerations are ints, as in their ABI.
namespace spk::test {

using i64 = std::int64_t;

// Arrays for descriptors, which never read them. Addresses are written down as their distance from here.
alignas(256) inline char arrays[4096];
inline void* array(int number) { return arrays + 256 * number; }

// What an output holds before a call, so that the transcript shows whether it was written.
inline int untouched_object;
inline void* const kUntouched = &untouched_object;
constexpr int kUntouchedInt = -77;

// A note with numbers in it.
std::string noted(const char* pattern, int first, int second = 0);

class Transcript {
 public:
  Transcript(void* library, const char* prefix) : library_(library), prefix_(prefix) {}

  // Calls PREFIX + name and starts a line. `note` says what is special about the arguments.
  template <class... Arguments>
  __attribute__((no_sanitize("undefined"))) int call(const char* name, const std::string& note,
                                                     Arguments... arguments) {
    begin(name, note);
    void* symbol = find(name);
    if (symbol == nullptr) return -1;
    const int status = reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
    end(std::to_string(status).c_str());
    return status;
  }
  // For the two functions that return text.
  __attribute__((no_sanitize("undefined"))) void text(const char* name, int argument) {
    begin(name, std::to_string(argument));
    void* symbol = find(name);
    if (symbol != nullptr) end(reinterpret_cast<const char* (*)(int)>(symbol)(argument));
  }

  // Adds an output to the last line.
  void field(const char* name, i64 value);
  void field(const char* name, const void* value);

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void begin(const char* name, const std::string& note);
  void end(const char* answer);
  void* find(const char* name);  // or ends the line

  void* library_;
  std::string prefix_;
  std::vector<std::string> lines_;
};

// The table, by subject. Each leaves nothing behind.
void call_management(Transcript& t);
void call_vectors(Transcript& t);
void call_dense(Transcript& t);
void call_compressed(Transcript& t);
void call_coordinates(Transcript& t);
void call_blocks(Transcript& t);
void call_slices(Transcript& t);
void call_common(Transcript& t);
void call_products(Transcript& t);

}  // namespace spk::test
