// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_handle.h>

#include <atomic>
#include <string>

// Log lines: to the application's callback if one is set, else to stderr for the topics of SPK_LOG.
namespace spk::log {

namespace detail {
extern std::atomic<std::int32_t> mask;  // topics that anybody wants; -1 until SPK_LOG was read
std::int32_t read_mask() noexcept;
}  // namespace detail

inline bool wants(spk_log_topic_t topic) noexcept {
  std::int32_t mask = detail::mask.load(std::memory_order_relaxed);
  if (mask < 0) mask = detail::read_mask();
  return (mask & topic) != 0;
}

void write(spk_log_topic_t topic, const char* line) noexcept;

// NULL restores stderr and SPK_LOG.
void set_callback(spk_log_callback_t callback, void* user, std::int32_t topics) noexcept;

}  // namespace spk::log
