// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "compat/log.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>

#include "compat/boundary.hpp"

namespace spk::compat::log {
namespace {

constexpr int kLevels = 5;

int mask_of_level(int level) { return level >= kLevels ? (1 << kLevels) - 1 : (1 << level) - 1; }

// A number in the environment, absent or not.
bool number_from_environment(const char* name, int& number) {
  const char* text = secure_getenv(name);
  if (text == nullptr || *text == '\0') return false;
  number = static_cast<int>(std::strtol(text, nullptr, 10));
  return true;
}

struct Logger {
  std::atomic<int> mask{0};
  std::atomic<bool> is_disabled{false};
  std::recursive_mutex lock;  // recursive: a callback may call the library
  cusparseLoggerCallback_t callback = nullptr;
  std::FILE* file = stdout;
  bool owns_file = false;

  Logger() {
    int number = 0;
    if (number_from_environment("CUSPARSE_LOG_MASK", number))
      mask = number;
    else if (number_from_environment("CUSPARSE_LOG_LEVEL", number) && number > 0)
      mask = mask_of_level(number);
    if (const char* name = secure_getenv("CUSPARSE_LOG_FILE"); name != nullptr && *name != '\0') open(name);
  }

  bool open(const char* name) {
    std::string path = name;
    if (const std::size_t place = path.find("%i"); place != std::string::npos)
      path.replace(place, 2, std::to_string(getpid()));
    std::FILE* opened = std::fopen(path.c_str(), "w");
    if (opened == nullptr) return false;
    use(opened, true);
    return true;
  }

  void use(std::FILE* other, bool owned) {
    if (owns_file) std::fclose(file);
    file = other;
    owns_file = owned;
  }
};

// Never destroyed: other objects' destructors may still call the library.
Logger& logger() {
  static Logger& instance = *new Logger;
  return instance;
}

}  // namespace

bool wants(Kind kind) noexcept {
  Logger& log = logger();
  return (log.mask.load(std::memory_order_relaxed) & (1 << (static_cast<int>(kind) - 1))) != 0 &&
         !log.is_disabled.load(std::memory_order_relaxed);
}

void write(Kind kind, const char* function, const char* text) noexcept {
  Logger& log = logger();
  char time[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  if (localtime_r(&now, &parts) != nullptr) std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", &parts);
  const std::lock_guard<std::recursive_mutex> hold(log.lock);
  if (log.callback != nullptr) log.callback(static_cast<int>(kind), function, text);
  std::fprintf(log.file, "[%s][CUSPARSE][%ld][%s][%s] %s\n", time, static_cast<long>(getpid()),
               kind == Kind::error ? "Error" : "Api", function, text);
  std::fflush(log.file);
}

}  // namespace spk::compat::log

using namespace spk::compat;
using spk::compat::log::logger;

extern "C" cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t callback) {
  return SPK_CALL(callback).run([&] {
    const std::lock_guard<std::recursive_mutex> hold(logger().lock);
    logger().callback = callback;
  });
}

extern "C" cusparseStatus_t cusparseLoggerSetFile(FILE* file) {
  return SPK_CALL(file).run([&] {
    const std::lock_guard<std::recursive_mutex> hold(logger().lock);
    logger().use(file == nullptr ? stdout : file, false);
  });
}

extern "C" cusparseStatus_t cusparseLoggerOpenFile(const char* logFile) {
  return SPK_CALL(logFile).run([&] {
    const std::lock_guard<std::recursive_mutex> hold(logger().lock);
    if (logFile == nullptr)
      logger().use(stdout, false);
    else if (!logger().open(logFile))
      throw Failure(CUSPARSE_STATUS_INVALID_VALUE, "logFile = \"%.256s\" cannot be opened: %s", logFile,
                    std::strerror(errno));
  });
}

extern "C" cusparseStatus_t cusparseLoggerSetLevel(int level) {
  return SPK_CALL(level).run([&] {
    if (level < 0) throw_invalid("level", level, "must not be negative");
    logger().mask = log::mask_of_level(level);
  });
}

extern "C" cusparseStatus_t cusparseLoggerSetMask(int mask) {
  return SPK_CALL(mask).run([&] { logger().mask = mask; });
}

extern "C" cusparseStatus_t cusparseLoggerForceDisable(void) {
  logger().is_disabled = true;
  return CUSPARSE_STATUS_SUCCESS;
}
