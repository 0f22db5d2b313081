// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>
#include <vector>

#include "limits.hpp"
#include "race.hpp"

namespace spk::bench {

#if defined(__clang__)
inline constexpr const char* kCompiler = __VERSION__;  // begins with the compiler's name
#else
inline constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

// What a number is worth nothing without.
struct Circumstances {
  std::string commit;
  std::string source;  // where the matrices come from
  int samples = 0;
  tool::Limits limits;
};

void print_limits(const tool::Limits& limits);

// One line per race.
void print_details(const std::vector<Race>& races);

// One line per operation, order and n: geometric means over the matrices, and the worst ratio with its matrix.
void print_summary(const std::vector<Race>& races);

// A picture for every operation and order: how many times as fast as the best peer, by sparsity, a colour for every n.
std::string to_svg(const std::vector<Race>& races, const Circumstances& circumstances);

std::string to_json(const std::vector<Race>& races, const Circumstances& circumstances);

}  // namespace spk::bench
