// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/spmm_windows.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace spk::cpu {
namespace {

std::size_t index(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

struct Entry {
  std::int64_t column, place;
};

// The entries of rows that share vectors, each row's by columns.
class SliceEntries {
 public:
  explicit SliceEntries(const SparseView& a) : a_(a) {}

  void clear() noexcept {
    entries_.clear();
    lanes_ = 0;
  }
  void add_row(std::int64_t row) {
    const std::size_t first = entries_.size();
    for (std::int64_t e = a_.offset(row), end = a_.offset(row + 1); e < end; ++e)
      entries_.push_back({index_at(a_.minor_indices(), a_.index_type, e) - a_.base, e});
    const auto by_column = [](const Entry& x, const Entry& y) { return x.column < y.column; };
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
    if (!std::is_sorted(begin, entries_.end(), by_column)) std::stable_sort(begin, entries_.end(), by_column);
    next_[lanes_] = first;
    end_[lanes_++] = entries_.size();
  }
  std::size_t lanes() const noexcept { return lanes_; }
  // The least column that is left; -1: none.
  std::int64_t least() const noexcept {
    std::int64_t least = -1;
    for (std::size_t l = 0; l < lanes_; ++l)
      if (next_[l] < end_[l] && (least < 0 || entries_[next_[l]].column < least)) least = entries_[next_[l]].column;
    return least;
  }
  // The next entry of a lane, if its column is below `limit`, else NULL.
  const Entry* take(std::size_t lane, std::int64_t limit) noexcept {
    if (next_[lane] == end_[lane] || entries_[next_[lane]].column >= limit) return nullptr;
    return &entries_[next_[lane]++];
  }

 private:
  static constexpr std::size_t kMostLanes = kWindowLanes;
  const SparseView& a_;
  std::vector<Entry> entries_;
  std::size_t lanes_ = 0;
  std::array<std::size_t, kMostLanes> next_{}, end_{};
};

}  // namespace

bool Windows::make(const SpmmProblem& p, std::int64_t most) {
  const SparseView& a = p.a;
  const std::size_t size = size_of(a.value_type);
  const char* stored = static_cast<const char*>(a.values);
  // Windows that start at any column would fit more entries, but more of them would cross cache lines: where they start
  // at a half of a vector, Zen 4 is 1.2 times as fast.
  constexpr std::int64_t kGrain = kWindowLanes / 2;
  const auto length = [&](std::int64_t row) { return a.offset(row + 1) - a.offset(row); };
  slices_.push_back(0);
  SliceEntries slice(a);
  std::vector<std::int64_t> group;
  for (std::int64_t first = 0; first < p.m; first += kWindowRows) {
    group.resize(index(std::min(kWindowRows, p.m - first)));
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = first + static_cast<std::int64_t>(i);
    std::stable_sort(group.begin(), group.end(), [&](auto x, auto y) { return length(x) > length(y); });
    for (std::size_t begin = 0; begin < group.size(); begin += index(kWindowLanes)) {
      slice.clear();
      for (std::size_t l = 0; l < index(kWindowLanes); ++l) {
        const bool in = begin + l < group.size();
        if (in) slice.add_row(group[begin + l]);
        rows_.push_back(static_cast<std::uint8_t>(in ? group[begin + l] - first : kWindowRows));
      }
      for (std::int64_t least; (least = slice.least()) >= 0;) {
        if (static_cast<std::int64_t>(starts_.size()) == most) {
          *this = {};
          return false;
        }
        const std::int64_t start = std::min(least / kGrain * kGrain, p.k - kWindowColumns);
        starts_.push_back(static_cast<std::uint32_t>(start));
        const std::size_t at = places_.size();
        places_.resize(at + index(kWindowLanes));
        values_.resize((at + index(kWindowLanes)) * size);
        for (std::size_t l = 0; l < slice.lanes(); ++l) {
          const Entry* entry = slice.take(l, start + kWindowColumns);
          if (entry == nullptr) continue;
          places_[at + l] = static_cast<std::uint8_t>(kWindowPlace + entry->column - start);
          std::memcpy(values_.data() + (at + l) * size, stored + index(entry->place) * size, size);
        }
      }
      slices_.push_back(static_cast<std::int64_t>(starts_.size()));
    }
  }
  starts_.shrink_to_fit();
  places_.shrink_to_fit();
  values_.shrink_to_fit();
  return true;
}

std::size_t Windows::bytes() const noexcept {
  return 8 * slices_.size() + 4 * starts_.size() + places_.size() + rows_.size() + values_.size();
}

void Windows::describe_to(SpmmTask& t) const noexcept {
  t.windows = {slices_.data(), starts_.data(), places_.data(), rows_.data()};
  t.values = values_.data();
}

}  // namespace spk::cpu
