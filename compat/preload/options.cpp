// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/options.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace spk::preload {
namespace {

Options read;
std::atomic<long> counters[kCounters];

bool names(const char* list, const char* word) {
  const std::size_t length = std::strlen(word);
  for (const char* at = list; at != nullptr; at = std::strchr(at, ',')) {
    if (*at == ',') ++at;
    if (std::strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == ',')) return true;
  }
  return false;
}

// Leaves *value as it is where the variable is not set, or no number.
void read_number(const char* variable, double* value) {
  const char* text = secure_getenv(variable);
  if (text == nullptr) return;
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  if (end != text && *end == '\0' && number >= 0) *value = number;
}

void read_options() {
  if (const char* words = secure_getenv("SPK_CUSPARSE"); words != nullptr) {
    read.is_off = names(words, "off");
    read.takes_all = names(words, "force");
    read.logs = names(words, "log");
    read.counts = names(words, "count");
  }
  read_number("SPK_CUSPARSE_MIN_SPEEDUP", &read.min_speedup);
  read_number("SPK_CUSPARSE_MIN_PRODUCTS", &read.min_products);
}

__attribute__((destructor)) void print_counters() {
  if (!options().counts) return;
  const auto value = [](Counter counter) { return counters[counter].load(std::memory_order_relaxed); };
  std::fprintf(stderr,
               "spk cusparse preload: SpMM handled %ld forwarded %ld, SDDMM handled %ld forwarded %ld, failed %ld\n",
               value(kSpmmHandled), value(kSpmmForwarded), value(kSddmmHandled), value(kSddmmForwarded),
               value(kFailedAndForwarded));
}

}  // namespace

const Options& options() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_options);
  return read;
}

void count(Counter counter) { counters[counter].fetch_add(1, std::memory_order_relaxed); }

}  // namespace spk::preload
