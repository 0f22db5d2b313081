// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>
#include <vector>

#include "graph_timing.hpp"
#include "oneshot.hpp"
#include "race.hpp"

namespace spk::bench {

// What a number is worth nothing without.
struct Circumstances {
  std::string commit;
  std::string command;  // the options, without the program's path
  bool cold = false;
  int samples = 0;
  DeviceRates rates;
};

void print_circumstances(const Device& device, const Circumstances& circumstances);

// The title of a group of lines, and one line per race as it is done.
void print_titles(const Setting& setting);
void print_line(const Race& race);

// Geometric means per setting and width, over all, and every race that spk lost.
void print_summary(const std::vector<Race>& races);

std::string to_json(const Device& device, const Circumstances& circumstances, const std::vector<Race>& races,
                    const std::vector<Oneshot>& oneshots);

}  // namespace spk::bench
