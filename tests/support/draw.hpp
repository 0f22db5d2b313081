// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstdint>
#include <initializer_list>

namespace spk::test {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers on every machine for one seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t bits() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // 0 .. count - 1
  std::int64_t below(std::int64_t count) noexcept {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(count));
  }
  bool chance(int percent) noexcept { return below(100) < percent; }
  // [-1, 1)
  double real() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1; }
  template <class Item>
  Item pick(std::initializer_list<Item> items) noexcept {
    return *(items.begin() + below(static_cast<std::int64_t>(items.size())));
  }

 private:
  std::uint64_t state_;
};

}  // namespace spk::test
