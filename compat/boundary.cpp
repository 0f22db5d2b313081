// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/boundary.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace spk::compat {
namespace {

thread_local char last_error[1280] = "";

cusparseStatus_t status_from(spk_status_t status) {
  switch (status) {
    case SPK_STATUS_INVALID_STRUCTURE:
    case SPK_STATUS_INDEX_OVERFLOW: return CUSPARSE_STATUS_INVALID_VALUE;
    case SPK_STATUS_BACKEND_UNAVAILABLE: return CUSPARSE_STATUS_NOT_INITIALIZED;
    case SPK_STATUS_NOT_DETERMINISTIC: return CUSPARSE_STATUS_NOT_SUPPORTED;
    default: break;
  }
  const bool is_shared = status >= 0 && status <= SPK_STATUS_INSUFFICIENT_RESOURCES;
  return is_shared ? static_cast<cusparseStatus_t>(status) : CUSPARSE_STATUS_INTERNAL_ERROR;
}

}  // namespace

Failure::Failure(cusparseStatus_t status, const char* format, ...) : status_(status), text_{} {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text_.data(), text_.size(), format, arguments);
  va_end(arguments);
}

void throw_invalid(const char* name, std::int64_t value, const char* must) {
  throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "%s = %lld but %s", name, static_cast<long long>(value), must);
}

void check(spk_status_t status) {
  if (status == SPK_STATUS_SUCCESS) return;
  char text[1024] = "";
  spk_last_error(nullptr, text, sizeof text, nullptr);
  throw Failure(status_from(status), "%s", text);
}

cusparseStatus_t record_failure(const char* function, cusparseStatus_t status, const char* text) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s: %s", function, text);
  if (log::wants(log::Kind::error)) log::write(log::Kind::error, function, text);
  return status;
}

int Argument::print(char* text, std::size_t capacity) const noexcept {
  return std::snprintf(text, capacity, is_address_ ? "%#llx" : "%lld", number_);
}

void log_call(const char* function, const char* names, const Argument* arguments, std::size_t count) noexcept {
  char line[1024] = "";
  std::size_t used = 0;
  const auto room = [&] { return sizeof line - used; };
  const auto advance = [&](int printed) {
    used = printed < 0 || static_cast<std::size_t>(printed) >= room() ? sizeof line - 1
                                                                      : used + static_cast<std::size_t>(printed);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = std::strcspn(names, ",");
    advance(std::snprintf(line + used, room(), "%.*s=", static_cast<int>(length), names));
    advance(arguments[i].print(line + used, room()));
    if (i + 1 < count) advance(std::snprintf(line + used, room(), ", "));
    names += length;
    names += std::strspn(names, ", ");
  }
  log::write(log::Kind::api, function, line);
}

}  // namespace spk::compat

extern "C" const char* spk_cusparseLastError(void) { return spk::compat::last_error; }
