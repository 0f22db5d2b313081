// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_io.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace spk::io {

// The one failure of host code in this library: a status and the sentence for spk_io_last_error.
class Error : public std::exception {
 public:
  Error(spk_status_t status, std::string message) : status_(status), message_(std::move(message)) {}
  spk_status_t status() const noexcept { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  spk_status_t status_;
  std::string message_;
};

// Formats as std::printf. Only integers and text go through it: floating-point conversions would obey the locale.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// At most 40 bytes of `text`, quoted, with anything that is not printable ASCII written as \xNN.
std::string quoted(const char* text, std::size_t size);

// The name of a file as messages show it: of a very long one only the end, so that what follows it is not cut off.
std::string shown_name(const std::string& name);

// Keeps "<function>: <message>" for this thread, in fixed storage, so that running out of memory can be reported too.
void set_last_error(const char* function, const char* message) noexcept;
const char* last_error() noexcept;

// The exception boundary: runs `body` and turns what it throws into a status.
template <class Body>
spk_status_t guarded(const char* function, Body&& body) noexcept {
  try {
    body();
    return SPK_STATUS_SUCCESS;
  } catch (const Error& error) {
    set_last_error(function, error.what());
    return error.status();
  } catch (const std::bad_alloc&) {
    set_last_error(function, "out of memory");
    return SPK_STATUS_ALLOC_FAILED;
  } catch (const std::exception& error) {
    set_last_error(function, error.what());
    return SPK_STATUS_INTERNAL_ERROR;
  } catch (...) {
    set_last_error(function, "an exception of unknown type");
    return SPK_STATUS_INTERNAL_ERROR;
  }
}

}  // namespace spk::io
