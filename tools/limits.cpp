// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "limits.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <fstream>
#include <thread>

#include "buffer.hpp"
#include "limits_kernels.hpp"

namespace spk::tool {
namespace {

const LimitKernels& widest_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return kLimitKernelsAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kLimitKernelsAvx2;
#endif
  return kLimitKernelsScalar;
}

// Keeps results alive without a store that the compiler could see through.
std::atomic<double> sink;

// Best of several runs of `work(thread)` on all threads at once, in seconds: a limit is what was ever reached.
template <class Work>
double best_seconds(int threads, Work work) {
  constexpr int kTries = 7;
  std::vector<double> seconds(kTries, 1e9);
  std::chrono::steady_clock::time_point start;
  int run = -1;  // the first round warms up
  std::barrier all(threads, [&]() noexcept {
    const auto stop = std::chrono::steady_clock::now();
    if (run >= 0 && run < kTries)
      seconds[static_cast<std::size_t>(run)] = std::chrono::duration<double>(stop - start).count();
    ++run;
    start = std::chrono::steady_clock::now();
  });
  const auto loop = [&](int thread) {
    for (int round = 0; round <= kTries; ++round) {
      work(thread);
      all.arrive_and_wait();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(loop, thread);
  loop(0);
  for (std::thread& other : others) other.join();
  return *std::min_element(seconds.begin(), seconds.end());
}

// Capacity in bytes as the C library tells it, or what is usual.
std::size_t cache_bytes(int name, std::size_t usual) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : usual;
}

}  // namespace

double Limits::bound_seconds(double flops, double bytes, bool wide) const {
  const double peak = wide ? flops_f64 : flops_f32;
  double rate = levels.back().bytes_per_second;
  for (const Level& level : levels) {
    if (level.bytes != 0 && bytes <= static_cast<double>(level.bytes)) {
      rate = level.bytes_per_second;
      break;
    }
  }
  return std::max(flops / peak, bytes / rate);
}

Limits measure_limits(int threads) {
  const LimitKernels& kernels = widest_kernels();
  Limits limits;
  limits.threads = threads;
  limits.isa = kernels.isa;

  constexpr std::int64_t kRounds = 100'000;
  const double seconds_f32 = best_seconds(threads, [&](int) { sink = static_cast<double>(kernels.fma_f32(kRounds)); });
  const double seconds_f64 = best_seconds(threads, [&](int) { sink = kernels.fma_f64(kRounds); });
  const auto all_rounds = static_cast<double>(kRounds * threads);
  limits.flops_f32 = all_rounds * static_cast<double>(kernels.flops_f32_per_round) / seconds_f32;
  limits.flops_f64 = all_rounds * static_cast<double>(kernels.flops_f64_per_round) / seconds_f64;

  const std::size_t l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, std::size_t{32} << 10);
  const std::size_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, std::size_t{1} << 20);
  const std::size_t l3 = std::max(cache_bytes(_SC_LEVEL3_CACHE_SIZE, std::size_t{16} << 20), 2 * l2);
  const auto count = static_cast<std::size_t>(threads);
  struct Measured {
    const char* name;
    std::size_t capacity;    // of all threads
    std::size_t each_bytes;  // read by one thread
  };
  // Half of a level is surely inside it; DRAM is read in a stretch that a shared last level cannot hold.
  const Measured measured[] = {{"L1", l1 * count, l1 / 2},
                               {"L2", l2 * count, l2 / 2},
                               {"L3", l3, std::max(l3 / 2 / count, 2 * l2)},
                               {"DRAM", 0, std::max(std::size_t{64} << 20, 3 * l3 / count)}};
  constexpr std::size_t kStep = 256 * sizeof(float);
  for (const Measured& level : measured) {
    const std::size_t bytes = std::max(level.each_bytes / kStep, std::size_t{1}) * kStep;
    std::vector<Buffer> data;
    for (int thread = 0; thread < threads; ++thread) data.emplace_back(bytes);
    const auto rounds = static_cast<std::int64_t>(std::max<std::size_t>(1, (std::size_t{16} << 20) / bytes));
    const double seconds = best_seconds(threads, [&](int thread) {
      const float* values = data[static_cast<std::size_t>(thread)].as<float>();
      sink = static_cast<double>(kernels.read(values, static_cast<std::int64_t>(bytes / sizeof(float)), rounds));
    });
    const double all_bytes = static_cast<double>(bytes) * static_cast<double>(rounds) * static_cast<double>(threads);
    limits.levels.push_back({level.name, level.capacity, all_bytes / seconds});
  }
  return limits;
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown processor";
#endif
}

}  // namespace spk::tool
