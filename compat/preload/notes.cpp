// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/notes.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

namespace spk::preload {
namespace {

struct Note {
  const void* matrix;
  const void* buffer;  // NULL: an attribute
  Note* next;
};
Note* first = nullptr;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// Notes in the list. Most programs need none, and then nobody takes the lock.
std::atomic<long> notes{0};
// A note could not be kept: from then on everything counts as noted.
std::atomic<bool> is_full{false};

bool is_noted(const void* matrix, const void* buffer) {
  if (is_full.load(std::memory_order_relaxed)) return true;
  if (notes.load(std::memory_order_relaxed) == 0) return false;
  pthread_mutex_lock(&mutex);
  const Note* at = first;
  while (at != nullptr && (at->matrix != matrix || at->buffer != buffer)) at = at->next;
  pthread_mutex_unlock(&mutex);
  return at != nullptr;
}

void note(const void* matrix, const void* buffer) {
  if (is_noted(matrix, buffer)) return;
  auto* added = static_cast<Note*>(std::malloc(sizeof(Note)));
  if (added == nullptr) {
    is_full.store(true, std::memory_order_relaxed);
    return;
  }
  pthread_mutex_lock(&mutex);
  *added = {matrix, buffer, first};
  first = added;
  notes.fetch_add(1, std::memory_order_relaxed);
  pthread_mutex_unlock(&mutex);
}

void erase(const void* matrix, bool attributes_too) {
  if (notes.load(std::memory_order_relaxed) == 0) return;
  pthread_mutex_lock(&mutex);
  for (Note** link = &first; *link != nullptr;) {
    Note* at = *link;
    if (at->matrix != matrix || (at->buffer == nullptr && !attributes_too)) {
      link = &at->next;
      continue;
    }
    *link = at->next;
    std::free(at);
    notes.fetch_sub(1, std::memory_order_relaxed);
  }
  pthread_mutex_unlock(&mutex);
}

}  // namespace

void remember_buffer(const void* matrix, const void* buffer) {
  if (buffer != nullptr) note(matrix, buffer);
}
bool has_buffer(const void* matrix, const void* buffer) { return buffer != nullptr && is_noted(matrix, buffer); }
void forget_buffers(const void* matrix) { erase(matrix, false); }

void remember_attribute(const void* matrix) { note(matrix, nullptr); }
bool has_attribute(const void* matrix) { return is_noted(matrix, nullptr); }

void forget(const void* matrix) { erase(matrix, true); }

}  // namespace spk::preload
