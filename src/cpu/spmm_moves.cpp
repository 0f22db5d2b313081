// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cpu/parallel.hpp"
#include "cpu/spmm.hpp"

// Values of A from the order in which they are stored into that of rows, at every execution of a plan. Taken place after
// place of the result, the values of a transpose lie a row of A apart: each costs a cache line and a page. So the result
// is cut into regions that a second-level cache holds, and the values of one are taken as they are stored.
namespace spk::cpu {
namespace {

constexpr std::int64_t kRegion = 1 << 15;  // entries; a place in one fits 16 bits

std::size_t index(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace

ValueMoves::ValueMoves(std::vector<std::int64_t> positions) {
  const std::int64_t count = static_cast<std::int64_t>(positions.size());
  if (count == 0) return;
  const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
  first_ = *least;
  constexpr std::uint32_t kNone = 0xffffffff;
  const std::int64_t places = *most - first_ + 1;
  if (places >= std::int64_t{kNone}) {
    positions_ = std::move(positions);
    return;
  }
  std::vector<std::uint32_t> place(index(places), kNone);
  for (std::int64_t e = 0; e < count; ++e) place[index(positions[index(e)] - first_)] = static_cast<std::uint32_t>(e);
  std::vector<std::int64_t> next(index((count + kRegion - 1) / kRegion));
  for (std::size_t r = 0; r < next.size(); ++r) next[r] = static_cast<std::int64_t>(r) * kRegion;
  from_.resize(index(count));
  to_.resize(index(count));
  for (std::int64_t e = 0; e < places; ++e) {
    if (place[index(e)] == kNone) continue;
    const std::int64_t to = place[index(e)], at = next[index(to / kRegion)]++;
    from_[index(at)] = static_cast<std::uint32_t>(e);
    to_[index(at)] = static_cast<std::uint16_t>(to % kRegion);
  }
}

template <class Value>
void ValueMoves::move(const Value* stored, Value* values, int threads) const noexcept {
  const std::int64_t count = static_cast<std::int64_t>(std::max(from_.size(), positions_.size()));
  parallel_for(threads, (count + kRegion - 1) / kRegion, [&](std::int64_t region) noexcept {
    const std::int64_t begin = region * kRegion, end = std::min(count, begin + kRegion);
    if (from_.empty()) {
      for (std::int64_t e = begin; e < end; ++e) values[e] = stored[positions_[index(e)]];
      return;
    }
    for (std::int64_t e = begin; e < end; ++e)
      values[begin + to_[index(e)]] = stored[first_ + static_cast<std::int64_t>(from_[index(e)])];
  });
}

void ValueMoves::run(const void* stored, void* values, std::size_t size, int threads) const noexcept {
  struct Wide {
    double re, im;
  };
  const auto typed = [&](auto tag) {
    using Value = typename decltype(tag)::type;
    move(static_cast<const Value*>(stored), static_cast<Value*>(values), threads);
  };
  if (size == 2) return typed(TypeTag<std::uint16_t>{});
  if (size == 4) return typed(TypeTag<float>{});
  if (size == 8) return typed(TypeTag<double>{});
  typed(TypeTag<Wide>{});
}

std::size_t ValueMoves::bytes() const noexcept { return 4 * from_.size() + 2 * to_.size() + 8 * positions_.size(); }

}  // namespace spk::cpu
