// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>
#include <string>

#include "device.hpp"
#include "operands.hpp"

namespace spk::bench {

// Rates of a chip per second. Measured where it says so, from the vendor's numbers else.
struct Chip {
  const char* name;
  int capability;        // least compute capability that is judged by this row
  double copy_bytes;     // device memory, read and written
  double l2_bytes_rate;  // L2, as usually measured
  double l2_capacity;    // bytes
  double l1_bytes;       // L1 and shared memory: 128 bytes per clock and multiprocessor
  double fma_f32, fma_f64;
  double tensor_16, tensor_bf16, tensor_tf32, tensor_f64;  // 0: the chip has none
};
const Chip& chip_of(int capability);
const Chip& chip_v100();
const Chip& chip_a100();

// A lower bound on the microseconds of a problem, and what sets it. The larger of
//   launch  1.8 us for a small kernel in a graph,
//   bytes   every operand once, from L2 if all of them fit there and the run is warm, else from device memory,
//   work    the smaller of: one operand fetched from L1 for every product (a row at a time; the FMA rate if that is
//           slower), and the dense product on tensor cores or FMA units, f32 as three TF32 products where they exist.
struct Bound {
  double us = 0;
  const char* by = "";  // launch, bytes, gather or dense
};
Bound bound_of(const Operands& operands, const Chip& chip, bool cold);

// Multiplications and additions on stored entries.
double useful_flops(const Operands& operands);

}  // namespace spk::bench
