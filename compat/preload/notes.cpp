// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "preload/notes.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace spk::preload {
namespace {

enum Kind { kBuffer, kAttribute, kBytes };

struct Note {
  const void* matrix;
  std::uint64_t value;
  Kind kind;
  std::size_t bytes;
  Note* next;
};
constexpr std::size_t kBuckets = 1024;
Note* buckets[kBuckets];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// Where there are none, nobody takes the lock.
std::atomic<long> notes{0};
// A note could not be kept: from then on every answer is the careful one.
std::atomic<bool> is_incomplete{false};

// Descriptors are blocks of malloc, at least 16 bytes apart.
Note** bucket(const void* matrix) { return &buckets[(reinterpret_cast<std::uintptr_t>(matrix) >> 4) % kBuckets]; }

// Finds a note; `bytes` may be NULL.
bool find(const void* matrix, Kind kind, std::uint64_t value, std::size_t* bytes) {
  if (notes.load(std::memory_order_relaxed) == 0) return false;
  pthread_mutex_lock(&mutex);
  const Note* at = *bucket(matrix);
  while (at != nullptr && (at->matrix != matrix || at->kind != kind || at->value != value)) at = at->next;
  if (at != nullptr && bytes != nullptr) *bytes = at->bytes;
  pthread_mutex_unlock(&mutex);
  return at != nullptr;
}

// A product needs the same bytes every time, so what is noted already stays.
void note(const void* matrix, Kind kind, std::uint64_t value, std::size_t bytes) {
  if (find(matrix, kind, value, nullptr)) return;
  auto* added = static_cast<Note*>(std::malloc(sizeof(Note)));
  if (added == nullptr) {
    is_incomplete.store(true, std::memory_order_relaxed);
    return;
  }
  pthread_mutex_lock(&mutex);
  Note** first = bucket(matrix);
  *added = {matrix, value, kind, bytes, *first};
  *first = added;
  notes.fetch_add(1, std::memory_order_relaxed);
  pthread_mutex_unlock(&mutex);
}

void erase(const void* matrix, bool only_buffers) {
  if (notes.load(std::memory_order_relaxed) == 0) return;
  pthread_mutex_lock(&mutex);
  for (Note** link = bucket(matrix); *link != nullptr;) {
    Note* at = *link;
    if (at->matrix != matrix || (only_buffers && at->kind != kBuffer)) {
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

void note_buffer(const void* matrix, const void* buffer) {
  if (buffer != nullptr) note(matrix, kBuffer, reinterpret_cast<std::uintptr_t>(buffer), 0);
}
bool has_buffer(const void* matrix, const void* buffer) {
  if (buffer == nullptr) return false;
  return is_incomplete.load(std::memory_order_relaxed) ||
         find(matrix, kBuffer, reinterpret_cast<std::uintptr_t>(buffer), nullptr);
}
void forget_buffers(const void* matrix) { erase(matrix, true); }

void note_attribute(const void* matrix) { note(matrix, kAttribute, 0, 0); }
bool has_attribute(const void* matrix) {
  return is_incomplete.load(std::memory_order_relaxed) || find(matrix, kAttribute, 0, nullptr);
}

void note_bytes(const void* matrix, std::uint64_t product, std::size_t bytes) { note(matrix, kBytes, product, bytes); }
bool find_bytes(const void* matrix, std::uint64_t product, std::size_t* bytes) {
  return find(matrix, kBytes, product, bytes);
}

void forget(const void* matrix) { erase(matrix, false); }

}  // namespace spk::preload
