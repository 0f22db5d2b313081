// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "limits_kernels.hpp"

#include <cstring>

// Compiled once per instruction set with SPK_LIMITS_NAME (the table's name), SPK_LIMITS_ISA (its text) and
// SPK_LIMITS_BYTES (vector width). Vectors are the compilers' own extension, so that nothing else is needed.
namespace spk::tool {
namespace {

template <class Value>
struct Vectors {
  typedef Value Vec __attribute__((vector_size(SPK_LIMITS_BYTES)));
  static constexpr int kLanes = SPK_LIMITS_BYTES / static_cast<int>(sizeof(Value));
  // Enough independent chains to cover latency 4-5 on two units; 16 vector registers must hold them and two constants.
  static constexpr int kChains = 12;

  static Vec all(double x) {
    Vec vec{};
    for (int lane = 0; lane < kLanes; ++lane) vec[lane] = static_cast<Value>(x);
    return vec;
  }

  // Named variables, not an array: GCC keeps an array of vectors in memory. Without -ffast-math no compiler may fold
  // the rounds into each other, so nothing has to stop it.
  static Value chains(std::int64_t rounds) {
    const Vec f = all(0.999);
    const Vec a = all(0.001);
    Vec s0 = all(0), s1 = all(1), s2 = all(2), s3 = all(3), s4 = all(4), s5 = all(5);
    Vec s6 = all(6), s7 = all(7), s8 = all(8), s9 = all(9), s10 = all(10), s11 = all(11);
    for (std::int64_t round = 0; round < rounds; ++round) {
      s0 = s0 * f + a, s1 = s1 * f + a, s2 = s2 * f + a, s3 = s3 * f + a;
      s4 = s4 * f + a, s5 = s5 * f + a, s6 = s6 * f + a, s7 = s7 * f + a;
      s8 = s8 * f + a, s9 = s9 * f + a, s10 = s10 * f + a, s11 = s11 * f + a;
    }
    const Vec total = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;
    Value sum = 0;
    for (int lane = 0; lane < kLanes; ++lane) sum += total[lane];
    return sum;
  }
};

float fma_f32(std::int64_t rounds) { return Vectors<float>::chains(rounds); }
double fma_f64(std::int64_t rounds) { return Vectors<double>::chains(rounds); }

float read(const float* data, std::int64_t count, std::int64_t rounds) {
  using Vec = Vectors<float>::Vec;
  constexpr int kLanes = Vectors<float>::kLanes;
  const auto load = [](const float* place) {
    Vec vec;
    std::memcpy(&vec, place, sizeof vec);
    return vec;
  };
  Vec s0{}, s1{}, s2{}, s3{}, s4{}, s5{}, s6{}, s7{};
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t i = 0; i < count; i += kLanes * 8) {
      const float* place = data + i;
      s0 += load(place), s1 += load(place + kLanes), s2 += load(place + 2 * kLanes), s3 += load(place + 3 * kLanes);
      place += 4 * kLanes;
      s4 += load(place), s5 += load(place + kLanes), s6 += load(place + 2 * kLanes), s7 += load(place + 3 * kLanes);
    }
    // The data might have changed, says this: every round reads it again.
    __asm__ volatile("" ::: "memory");
  }
  const Vec total = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += total[lane];
  return sum;
}

}  // namespace

const LimitKernels SPK_LIMITS_NAME = {
    SPK_LIMITS_ISA,
    fma_f32,
    fma_f64,
    std::int64_t{2} * Vectors<float>::kChains* Vectors<float>::kLanes,
    std::int64_t{2} * Vectors<double>::kChains* Vectors<double>::kLanes,
    read,
};

}  // namespace spk::tool
