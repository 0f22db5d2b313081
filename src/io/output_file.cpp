// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "io/error.hpp"

namespace spk::io {
namespace {

Error io_error(const std::string& name, const char* verb, int code) {
  return Error(SPK_STATUS_IO_ERROR,
               shown_name(name) + ": cannot " + verb + ": " + std::generic_category().message(code));
}

// The file that `path` leads to, so that a symbolic link keeps pointing where it does. Only a regular file is
// replaced, never a device or a folder.
std::string final_path(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return path;
  std::string target = path;
  if (S_ISLNK(facts.st_mode)) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
    if (real == nullptr || stat(real.get(), &facts) != 0) throw io_error(path, "follow the link", errno);
    target = real.get();
  }
  if (!S_ISREG(facts.st_mode)) throw Error(SPK_STATUS_IO_ERROR, shown_name(path) + ": is not a regular file");
  return target;
}

// A new file beside `path`, with the permissions that the process gives to new files.
int open_beside(const std::string& path, std::string& temporary) {
  static std::atomic<unsigned> counter{0};
  constexpr mode_t kMode = 0666;
  // Not made from the file's own name, which may be as long as names can be.
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (;;) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    std::string name = folder + format(".spk_io_%ld_%llx_%u.part", static_cast<long>(getpid()),
                                       static_cast<unsigned long long>(now), counter++);
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd >= 0) {
      temporary = std::move(name);
      return fd;
    }
    if (errno != EEXIST) throw io_error(path, "create a file in this folder", errno);
  }
}

class FileSink final : public ByteSink {
 public:
  // A new file beside `path`, whose name goes to `temporary`; messages speak of `path`.
  FileSink(const std::string& path, std::string& temporary) : name_(path), fd_(open_beside(path, temporary)) {}
  ~FileSink() override {
    if (fd_ >= 0) close(fd_);
  }
  void write(const char* data, std::size_t size) override {
    while (size > 0) {
      const ssize_t put = ::write(fd_, data, size);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw io_error(name_, "write", errno);
      data += put;
      size -= static_cast<std::size_t>(put);
    }
  }
  void finish() override {
    // Network file systems report a full disk here.
    if (close(std::exchange(fd_, -1)) != 0) throw io_error(name_, "write", errno);
  }

 private:
  const std::string name_;
  int fd_;
};

// gzip without name and time, so that equal matrices give equal bytes.
class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> file) : file_(std::move(file)), output_(kOutputBytes) {
    constexpr int kWindowBits = 15;
    constexpr int kGzip = 16;
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindowBits + kGzip, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipSink() override { deflateEnd(&stream_); }
  void write(const char* data, std::size_t size) override {
    // zlib does not write through next_in; its type lacks the const unless ZLIB_CONST is set everywhere.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data));
    stream_.avail_in = static_cast<uInt>(size);
    while (stream_.avail_in > 0) step(Z_NO_FLUSH);
  }
  void finish() override {
    while (step(Z_FINISH) != Z_STREAM_END) {
    }
    file_->finish();
  }

 private:
  static constexpr std::size_t kOutputBytes = 64 * 1024;

  int step(int flush) {
    stream_.next_out = output_.data();
    stream_.avail_out = static_cast<uInt>(output_.size());
    const int status = deflate(&stream_, flush);
    file_->write(reinterpret_cast<const char*>(output_.data()), output_.size() - stream_.avail_out);
    return status;
  }

  std::unique_ptr<ByteSink> file_;
  std::vector<Bytef> output_;
  z_stream stream_{};
};

}  // namespace

TemporaryFile::~TemporaryFile() {
  if (!name.empty()) std::remove(name.c_str());
}

OutputFile::OutputFile(const std::string& path, bool compress)
    : path_(final_path(path)),
      sink_(std::make_unique<FileSink>(path_, temporary_.name)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {
  if (compress) sink_ = std::make_unique<GzipSink>(std::move(sink_));
}

void OutputFile::put(std::string_view text) {
  while (!text.empty()) {
    if (used_ == kBufferBytes) flush();
    const std::size_t count = std::min(text.size(), kBufferBytes - used_);
    std::memcpy(buffer_.get() + used_, text.data(), count);
    used_ += count;
    text.remove_prefix(count);
  }
}

template <class Number>
void OutputFile::put_number(Number number) {
  if (kBufferBytes - used_ < kLongestNumber) flush();
  char* const begin = buffer_.get() + used_;
  used_ += static_cast<std::size_t>(std::to_chars(begin, begin + kLongestNumber, number).ptr - begin);
}

void OutputFile::put(std::int64_t number) { put_number(number); }
// The shortest decimal of a float identifies it among floats. A reader goes by way of a double, and of all positive floats one,
// 7.038531e-26, has a shortest decimal whose double rounds to another float.
void OutputFile::put(float number) {
  const std::size_t begin = used_ + kLongestNumber > kBufferBytes ? 0 : used_;
  put_number(number);
  double read = 0;
  std::from_chars(buffer_.get() + begin, buffer_.get() + used_, read);
  if (static_cast<float>(read) == number) return;
  used_ = begin;
  put_number(double{number});
}
void OutputFile::put(double number) { put_number(number); }

void OutputFile::flush() {
  sink_->write(buffer_.get(), used_);
  used_ = 0;
}

void OutputFile::commit() {
  flush();
  sink_->finish();
  if (std::rename(temporary_.name.c_str(), path_.c_str()) != 0)
    throw io_error(path_, "put the finished file in place", errno);
  temporary_.name.clear();
}

}  // namespace spk::io
