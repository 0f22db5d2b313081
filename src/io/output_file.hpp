// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spk::io {

// Where packed or plain bytes go.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;
  virtual void write(const char* data, std::size_t size) = 0;
  virtual void finish() = 0;
};

// A file that is removed at the end of the scope, unless `name` has been cleared.
struct TemporaryFile {
  std::string name;

  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
};

// A text file that appears under its name only when `commit` has succeeded: until then it is a temporary file in the
// same folder.
class OutputFile {
 public:
  OutputFile(const std::string& path, bool compress);

  void put(std::string_view text);
  void put(std::int64_t number);
  // The shortest decimal that reads back as the same number. Not for NaN.
  void put(float number);
  void put(double number);
  void commit();

 private:
  static constexpr std::size_t kBufferBytes = 256 * 1024;
  static constexpr std::size_t kLongestNumber = 64;

  template <class Number>
  void put_number(Number number);
  void flush();

  const std::string path_;
  TemporaryFile temporary_;  // removed after sink_ has closed it
  std::unique_ptr<ByteSink> sink_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
};

}  // namespace spk::io
