// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cmath>
#include <cstring>

#include "cuda/problem.hpp"

// Numbers of 16-bit types in tests that use integers which these hold.
namespace spk::test {

// x as a 16-bit value, cut off.
inline std::uint16_t narrow(float x, spk_value_type_t type) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  if (type == SPK_R_16BF) return static_cast<std::uint16_t>(bits >> 16);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  if (x == 0) return static_cast<std::uint16_t>(sign);
  if (!std::isfinite(x)) return static_cast<std::uint16_t>(sign | (std::isnan(x) ? 0x7e00 : 0x7c00));
  return static_cast<std::uint16_t>(sign | ((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff));
}

inline float widened(std::uint16_t x, spk_value_type_t type) {
  std::uint32_t bits = static_cast<std::uint32_t>(x) << 16;
  float value = 0;
  if (type == SPK_R_16BF) {
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  const int exponent = x >> 10 & 31;
  const float fraction = static_cast<float>(x & 0x3ff), sign = (x & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

// x as the nearest number of the type, which neither overflows nor becomes subnormal.
inline float rounded(float x, spk_value_type_t type) {
  if (type == SPK_R_32F || x == 0 || !std::isfinite(x)) return x;
  const int bits = type == SPK_R_16BF ? 8 : 11;
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(x, bits - exponent)), exponent - bits);
}

// Numbers on the device in a type.
class NarrowArray {
 public:
  NarrowArray(spk_handle_t handle, const std::vector<float>& items, spk_value_type_t type) : type_(type) {
    if (type == SPK_R_32F)
      wide_ = std::make_unique<DeviceArray<float>>(handle, items);
    else
      narrow_ = std::make_unique<DeviceArray<std::uint16_t>>(handle, bits_of(items));
  }
  void* data() const { return wide_ ? static_cast<void*>(wide_->data()) : narrow_->data(); }
  void write(const std::vector<float>& items) const {
    if (wide_)
      wide_->write(items);
    else
      narrow_->write(bits_of(items));
  }
  std::vector<float> read() const {
    if (wide_) return wide_->read();
    std::vector<float> items;
    for (const std::uint16_t x : narrow_->read()) items.push_back(widened(x, type_));
    return items;
  }

 private:
  std::vector<std::uint16_t> bits_of(const std::vector<float>& items) const {
    std::vector<std::uint16_t> bits;
    for (const float x : items) bits.push_back(narrow(x, type_));
    return bits;
  }

  spk_value_type_t type_;
  std::unique_ptr<DeviceArray<float>> wide_;
  std::unique_ptr<DeviceArray<std::uint16_t>> narrow_;
};

}  // namespace spk::test
