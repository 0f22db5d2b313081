// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "core/env.hpp"

#if SPK_THREADING_OPENMP
#include <omp.h>
#elif SPK_THREADING_TBB
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#endif

namespace spk::cpu {
namespace {

// A child of fork() has none of its parent's worker threads; libgomp would wait for them for ever.
std::atomic<bool> in_forked_child{false};

const bool fork_guard_installed = [] {
  return pthread_atfork(nullptr, nullptr, [] { in_forked_child.store(true, std::memory_order_relaxed); }) == 0;
}();

}  // namespace

int default_threads() noexcept {
  // Read once: what the application does to its own OpenMP settings later is not the library's business.
  static const int threads = [] {
    if (const int wanted = env::num_threads(); wanted > 0) return wanted;
#if SPK_THREADING_OPENMP
    return std::max(1, omp_get_max_threads());
#elif SPK_THREADING_TBB
    return std::max(1, tbb::this_task_arena::max_concurrency());
#else
    return 1;
#endif
  }();
  return threads;
}

int usable_threads(int threads) noexcept {
  if (!fork_guard_installed || in_forked_child.load(std::memory_order_relaxed)) return 1;
#if SPK_THREADING_OPENMP
  if (omp_in_parallel() != 0) return 1;
#elif !SPK_THREADING_TBB
  return 1;
#endif
  return std::max(1, threads);
}

void run_parts(int threads, std::int64_t parts, void (*body)(void*, std::int64_t), void* context) noexcept {
  const int team = static_cast<int>(std::min<std::int64_t>(usable_threads(threads), parts));
  if (team > 1) {
#if SPK_THREADING_OPENMP
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
    for (std::int64_t part = 0; part < parts; ++part) body(context, part);
    return;
#elif SPK_THREADING_TBB
    tbb::task_arena arena(team);
    arena.execute([&] { tbb::parallel_for(std::int64_t{0}, parts, [&](std::int64_t part) { body(context, part); }); });
    return;
#endif
  }
  for (std::int64_t part = 0; part < parts; ++part) body(context, part);
}

void sort_keys(int threads, SortKey* keys, std::int64_t count) {
#if SPK_THREADING_TBB
  if (const int team = usable_threads(threads); team > 1) {
    tbb::task_arena arena(team);
    arena.execute([&] { tbb::parallel_sort(keys, keys + count); });
    return;
  }
#endif
  static_cast<void>(threads);
  std::sort(keys, keys + count);
}

}  // namespace spk::cpu
