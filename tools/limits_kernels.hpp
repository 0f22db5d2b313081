// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>

// Loops of limits.cpp, once per instruction set (limits_kernels.cpp).
namespace spk::tool {

struct LimitKernels {
  const char* isa;
  // Chains of fused multiply-adds, `rounds` times; returns a number that depends on all of them.
  float (*fma_f32)(std::int64_t rounds);
  double (*fma_f64)(std::int64_t rounds);
  std::int64_t flops_f32_per_round;
  std::int64_t flops_f64_per_round;
  // Sum of `count` floats (a multiple of 256), read `rounds` times.
  float (*read)(const float* data, std::int64_t count, std::int64_t rounds);
};

extern const LimitKernels kLimitKernelsScalar;
extern const LimitKernels kLimitKernelsAvx2;
extern const LimitKernels kLimitKernelsAvx512;

}  // namespace spk::tool
