// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

// Threads on the CPU. Everything that knows OpenMP or oneTBB is behind these calls (parallel.cpp).
namespace spk::cpu {

// Threads used when nothing is set: SPK_NUM_THREADS, else the runtime's own default.
int default_threads() noexcept;

// What a request for `threads` gives here and now: 1 inside a parallel region of the caller and in a forked child.
int usable_threads(int threads) noexcept;

// Calls body(context, part) once for every part in [0, parts), on at most `threads` threads, in no order.
void run_parts(int threads, std::int64_t parts, void (*body)(void* context, std::int64_t part), void* context) noexcept;

// Sorts by (major, minor, position). Positions differ, so there is one answer.
struct SortKey {
  std::int64_t major, minor, position;
  friend auto operator<=>(const SortKey&, const SortKey&) = default;
};
void sort_keys(int threads, SortKey* keys, std::int64_t count);

// run_parts with a callable. The body may not throw; results may not depend on how parts meet threads.
template <class Body>
void parallel_for(int threads, std::int64_t parts, Body&& body) noexcept {
  static_assert(noexcept(body(std::int64_t{})), "bodies of parallel_for are noexcept");
  if (parts <= 0) return;
  if (threads <= 1 || parts == 1) {
    for (std::int64_t part = 0; part < parts; ++part) body(part);
    return;
  }
  using Callable = std::remove_reference_t<Body>;
  run_parts(
      threads, parts, [](void* context, std::int64_t part) { (*static_cast<Callable*>(context))(part); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace spk::cpu
