// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "io/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
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

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& name) : name_(name), fd_(open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw io_error(name_, "open", errno);
  }
  ~FileSource() override { close(fd_); }

  // kUnknownSize for pipes and devices.
  std::uint64_t size() const {
    struct stat facts {};
    if (fstat(fd_, &facts) != 0) throw io_error(name_, "read", errno);
    return S_ISREG(facts.st_mode) ? static_cast<std::uint64_t>(facts.st_size) : kUnknownSize;
  }

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(fd_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw io_error(name_, "read", errno);
    }
  }

 private:
  const std::string name_;
  const int fd_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(const char* data, std::size_t size) : data_(data), left_(size) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, left_);
    if (count == 0) return 0;
    std::memcpy(to, data_, count);
    data_ += count;
    left_ -= count;
    return count;
  }

 private:
  const char* data_;
  std::size_t left_;
};

// Gives back the bytes that were read to recognise the format, then the rest.
class PeekedSource final : public ByteSource {
 public:
  PeekedSource(std::unique_ptr<ByteSource> rest, std::size_t count) : rest_(std::move(rest)) {
    head_.resize(count);
    std::size_t have = 0;
    while (have < count) {
      const std::size_t got = rest_->read(head_.data() + have, count - have);
      if (got == 0) break;
      have += got;
    }
    head_.resize(have);
  }
  std::string_view head() const { return head_; }
  std::size_t read(char* to, std::size_t size) override {
    if (next_ == head_.size()) return rest_->read(to, size);
    const std::size_t count = std::min(size, head_.size() - next_);
    std::memcpy(to, head_.data() + next_, count);
    next_ += count;
    return count;
  }

 private:
  std::unique_ptr<ByteSource> rest_;
  std::string head_;
  std::size_t next_ = 0;
};

// Unpacks concatenated gzip members as one stream. The end of the file inside a member, a wrong checksum and
// anything but another member after a member are errors.
class GzipSource final : public ByteSource {
 public:
  GzipSource(std::string name, std::unique_ptr<ByteSource> packed)
      : name_(std::move(name)), packed_(std::move(packed)), input_(kInputBytes) {
    constexpr int kWindowBits = 15;
    constexpr int kGzipOnly = 16;
    const int status = inflateInit2(&stream_, kWindowBits + kGzipOnly);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK) throw broken("zlib cannot start");
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* to, std::size_t size) override {
    constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();
    const auto room = static_cast<uInt>(std::min(size, kMostAtOnce));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_member_) throw broken("the gzip stream is cut short");
        return 0;
      }
      if (!inside_member_ && members_ > 0 && inflateReset(&stream_) != Z_OK) throw broken("zlib cannot start again");
      inside_member_ = true;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        inside_member_ = false;
        ++members_;
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw broken(stream_.msg != nullptr ? stream_.msg : "not a gzip stream");
      }
    }
    return room - stream_.avail_out;
  }

 private:
  static constexpr std::size_t kInputBytes = 64 * 1024;

  bool refill() {
    const std::size_t got = packed_->read(reinterpret_cast<char*>(input_.data()), input_.size());
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }
  Error broken(const char* what) const {
    return Error(SPK_STATUS_IO_ERROR,
                 format("%s: gzip member %lld: %s", name_.c_str(), static_cast<long long>(members_ + 1), what));
  }

  const std::string name_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<Bytef> input_;
  z_stream stream_{};
  std::int64_t members_ = 0;
  bool inside_member_ = false;
};

Input make_input(const std::string& name, std::unique_ptr<ByteSource> raw, std::uint64_t size) {
  constexpr std::string_view kGzipMagic = "\x1f\x8b";
  // deflate codes at best 258 bytes in 2 bits
  constexpr std::uint64_t kBestRatio = 1032;
  constexpr std::uint64_t kLikelyRatio = 4;
  auto peeked = std::make_unique<PeekedSource>(std::move(raw), kGzipMagic.size());
  const bool packed = peeked->head() == kGzipMagic;
  if (!packed && name.ends_with(".gz")) {
    throw Error(SPK_STATUS_IO_ERROR, shown_name(name) + ": the name ends in .gz but the file is not a gzip stream");
  }
  if (!packed) return {std::move(peeked), size, size == kUnknownSize ? 0 : size};
  auto text = std::make_unique<GzipSource>(shown_name(name), std::move(peeked));
  if (size > kUnknownSize / kBestRatio) return {std::move(text), kUnknownSize, 0};
  return {std::move(text), size * kBestRatio, size * kLikelyRatio};
}

}  // namespace

Input open_file(const std::string& name) {
  auto file = std::make_unique<FileSource>(name);
  const std::uint64_t size = file->size();
  return make_input(name, std::move(file), size);
}

Input open_memory(const std::string& name, const void* data, std::size_t size) {
  return make_input(name, std::make_unique<MemorySource>(static_cast<const char*>(data), size), size);
}

}  // namespace spk::io
