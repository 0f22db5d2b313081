// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spk::tool {

// What the processor can do at best, measured here and now.
struct Limits {
  struct Level {
    std::string name;         // L1, L2, L3, DRAM
    std::size_t bytes;        // capacity, of all threads for private caches; 0 for DRAM
    double bytes_per_second;  // streaming read, all threads together
  };

  int threads = 1;
  std::string isa;       // widest instruction set that was measured
  double flops_f32 = 0;  // fused multiply-add, two operations each, per second, all threads together
  double flops_f64 = 0;
  std::vector<Level> levels;

  // Lower bound on the seconds of `flops` that touch `bytes` once: arithmetic at the FMA peak, or all bytes at the rate
  // of the smallest level that holds them. No program with warm caches beats it, and few come near.
  double bound_seconds(double flops, double bytes, bool wide) const;
};

// Takes about a second per thread count; `threads` threads run at once.
Limits measure_limits(int threads);

// Model name of the processor, or the architecture where the system does not tell.
std::string cpu_model();

}  // namespace spk::tool
