// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <vector>

#include "race.hpp"

namespace spk::bench {

// Fills in the times. `entered` holds the contenders of `results`, in order; those that are wrong have been taken out.
//
// A sample is a graph of about 20 launches (fewer if they are slow, one per copy at least when cold) between two
// events. The contenders take turns, sample by sample, each after one replay that is not counted.
void time_all(const Device& device, const std::vector<const Contender*>& entered, const std::vector<Result*>& results,
              std::size_t copies, int samples);

// Microseconds of a launch in a graph of empty kernels, and bytes per second of a large copy (read and written): what
// this very device does now.
struct DeviceRates {
  double launch_us = 0;
  double copy_bytes = 0;
};
DeviceRates measure_rates(const Device& device);

}  // namespace spk::bench
