// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/active.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

namespace spk::preload {
namespace {

struct Pair {
  const void* matrix;
  const void* buffer;
  Pair* next;
};
Pair* first = nullptr;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// Pairs in the list. Most programs never preprocess, and then nobody takes the lock.
std::atomic<long> pairs{0};
// A pair could not be kept: from then on every buffer counts as preprocessed.
std::atomic<bool> is_full{false};

}  // namespace

void remember(const void* matrix, const void* buffer) {
  if (is_remembered(matrix, buffer)) return;
  auto* pair = static_cast<Pair*>(std::malloc(sizeof(Pair)));
  if (pair == nullptr) {
    is_full.store(true, std::memory_order_relaxed);
    return;
  }
  pthread_mutex_lock(&mutex);
  *pair = {matrix, buffer, first};
  first = pair;
  pairs.fetch_add(1, std::memory_order_relaxed);
  pthread_mutex_unlock(&mutex);
}

bool is_remembered(const void* matrix, const void* buffer) {
  if (is_full.load(std::memory_order_relaxed)) return true;
  if (pairs.load(std::memory_order_relaxed) == 0) return false;
  pthread_mutex_lock(&mutex);
  const Pair* at = first;
  while (at != nullptr && (at->matrix != matrix || at->buffer != buffer)) at = at->next;
  pthread_mutex_unlock(&mutex);
  return at != nullptr;
}

void forget(const void* matrix) {
  if (pairs.load(std::memory_order_relaxed) == 0) return;
  pthread_mutex_lock(&mutex);
  for (Pair** link = &first; *link != nullptr;) {
    Pair* pair = *link;
    if (pair->matrix != matrix) {
      link = &pair->next;
      continue;
    }
    *link = pair->next;
    std::free(pair);
    pairs.fetch_sub(1, std::memory_order_relaxed);
  }
  pthread_mutex_unlock(&mutex);
}

}  // namespace spk::preload
