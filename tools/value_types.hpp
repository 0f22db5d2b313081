// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk_types.h>

#include <cstdint>
#include <string_view>

#include "buffer.hpp"

namespace spk::tool {

// A value type under the name that the command line uses.
struct ValueType {
  const char* name;
  spk_value_type_t type;
  spk_compute_type_t compute;  // type of the sums, alpha and beta
  std::size_t size;            // bytes of one value
  bool is_complex;
};

// By name: f32, f64, f16, bf16, c64 or c128. UsageError naming `option` for anything else.
const ValueType& value_type(std::string_view name, std::string_view option);

// The narrowest of f32/c64 (wide: f64/c128) that holds what a file contains.
const ValueType& value_type_of_field(bool is_complex, bool wide);

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): every stream of numbers of the tool, so that runs repeat anywhere.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // On the grid of 2^-23 in [-1, 1): exact in f32, rounded once for 16-bit types.
  double next_value() { return static_cast<double>(next() >> 40) * 0x1p-23 - 1.0; }

  // In [0, 1), 53 bits.
  double next_unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// `count` values uniform in [-1, 1), in storage order; a complex value takes two draws.
Buffer random_values(std::int64_t count, const ValueType& type, std::uint64_t seed);

// One alpha or beta: storage for the widest compute type.
struct Scalar {
  double storage[2];
};
Scalar make_scalar(double real, const ValueType& type);

}  // namespace spk::tool
