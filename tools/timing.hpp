// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace spk::tool {

// Seconds of one call. Quartiles tell the spread.
struct Timing {
  double median = 0;
  double q1 = 0;
  double q3 = 0;
  double best = 0;
  int samples = 0;

  double spread() const { return median > 0 ? (q3 - q1) / median : 0; }
};

struct TimingPlan {
  int samples = 9;                 // of each contender; slow ones get fewer
  double sample_seconds = 0.4e-3;  // calls are repeated until a sample lasts this long: shorter than a scheduler slice
  double slow_seconds = 20e-3;     // a call at least this long gets 3 samples, one four times as long gets 1
};

// What is timed: a call, and how to wait for all calls where they return before they are done.
struct Timed {
  template <class Call>
  Timed(
      Call given, std::function<void()> waits = [] {})
      : call(std::move(given)), wait(std::move(waits)) {}
  std::function<void()> call, wait;
};

// Times contenders sample by sample in turn, so that a change of the machine's speed hits all alike. Each sample is
// preceded by a quarter as many calls that are not counted: caches are warm, and short calls find their branches foreseen.
std::vector<Timing> time_interleaved(const std::vector<Timed>& contenders, const TimingPlan& plan = {});

Timing time_alone(const Timed& contender, const TimingPlan& plan = {});

// Middle, first and third quartile of values in any order; 0 for none.
Timing summarize(std::vector<double> seconds);

}  // namespace spk::tool
