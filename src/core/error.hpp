// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_types.h>

#include <cstdarg>
#include <cstdio>
#include <exception>

namespace spk {

// The one exception of the library: a status and the sentence that goes with it. The text has fixed storage, so that
// reporting an allocation failure allocates nothing.
class Error : public std::exception {
 public:
  __attribute__((format(printf, 3, 4))) Error(spk_status_t status, const char* format, ...) noexcept : status_(status) {
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text_, sizeof text_, format, arguments);
    va_end(arguments);
  }
  spk_status_t status() const noexcept { return status_; }
  const char* what() const noexcept override { return text_; }

 private:
  spk_status_t status_;
  char text_[1024];
};

}  // namespace spk
