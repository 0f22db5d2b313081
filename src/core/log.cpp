// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/log.hpp"

#include <cstdio>
#include <mutex>
#include <string_view>

#include "core/env.hpp"

namespace spk::log {
namespace detail {

std::atomic<std::int32_t> mask{-1};

}  // namespace detail

namespace {

struct Topic {
  std::string_view name;
  spk_log_topic_t bit;
};
constexpr Topic kTopics[] = {
    {"error", SPK_LOG_ERROR}, {"api", SPK_LOG_API}, {"dispatch", SPK_LOG_DISPATCH}, {"check", SPK_LOG_CHECK}};

std::int32_t environment_mask() noexcept {
  const char* text = env::text(env::SPK_LOG);
  std::string_view rest = text == nullptr ? "" : text;
  std::int32_t mask = 0;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    for (const Topic& topic : kTopics)
      if (word == topic.name || word == "all") mask |= topic.bit;
    rest.remove_prefix(word.size() + (word.size() < rest.size() ? 1 : 0));
  }
  return mask;
}

// Leaked on purpose: a thread may still log while the process ends.
std::mutex& callback_mutex() noexcept {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}
spk_log_callback_t callback = nullptr;
void* callback_user = nullptr;

const char* name_of(spk_log_topic_t bit) noexcept {
  for (const Topic& topic : kTopics)
    if (topic.bit == bit) return topic.name.data();
  return "?";
}

}  // namespace

std::int32_t detail::read_mask() noexcept {
  const std::lock_guard lock(callback_mutex());
  std::int32_t current = mask.load(std::memory_order_relaxed);
  if (current < 0) mask.store(current = environment_mask(), std::memory_order_relaxed);
  return current;
}

void write(spk_log_topic_t topic, const char* line) noexcept {
  const std::lock_guard lock(callback_mutex());
  if (callback != nullptr)
    callback(callback_user, topic, line);
  else
    std::fprintf(stderr, "spk %s: %s\n", name_of(topic), line);
}

void set_callback(spk_log_callback_t new_callback, void* user, std::int32_t topics) noexcept {
  const std::lock_guard lock(callback_mutex());
  callback = new_callback;
  callback_user = user;
  detail::mask.store(new_callback != nullptr ? topics : environment_mask(), std::memory_order_relaxed);
}

}  // namespace spk::log
