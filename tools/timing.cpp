// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace spk::tool {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Linear interpolation between the neighbours of a quantile.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Timing summarize(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  return {quantile(seconds, 0.5), quantile(seconds, 0.25), quantile(seconds, 0.75), seconds.front(),
          static_cast<int>(seconds.size())};
}

std::vector<Timing> time_interleaved(const std::vector<Timed>& contenders, const TimingPlan& plan) {
  struct State {
    int samples;
    std::int64_t calls;
    std::vector<double> seconds;
  };
  std::vector<State> states;
  for (const Timed& contender : contenders) {
    contender.call();  // first touch of pages and code
    contender.wait();
    const double start = now();
    contender.call();
    contender.wait();
    const double one = std::max(now() - start, 1e-9);
    const int samples = one > 4 * plan.slow_seconds ? 1
                        : one > plan.slow_seconds   ? std::min(3, plan.samples)
                                                    : plan.samples;
    states.push_back({samples, static_cast<std::int64_t>(std::ceil(plan.sample_seconds / one)), {}});
  }
  for (int round = 0; round < plan.samples; ++round) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      State& state = states[c];
      if (round >= state.samples) continue;
      const Timed& contender = contenders[c];
      for (std::int64_t call = 0; call < 1 + state.calls / 4; ++call) contender.call();
      contender.wait();
      const double start = now();
      for (std::int64_t call = 0; call < state.calls; ++call) contender.call();
      contender.wait();
      state.seconds.push_back((now() - start) / static_cast<double>(state.calls));
    }
  }
  std::vector<Timing> timings;
  for (State& state : states) timings.push_back(summarize(std::move(state.seconds)));
  return timings;
}

Timing time_alone(const Timed& contender, const TimingPlan& plan) {
  return time_interleaved({contender}, plan).front();
}

}  // namespace spk::tool
