// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cpu/convert.hpp"

// Stable counting sort of units by a key, in two passes over the source. Parts are contiguous in storage order and
// each has its own counts, so the result is the same for any number of parts.
namespace spk::cpu::convert {

// Turns counts (parts x majors) into the first slot of every part and major, and fills space.offsets.
void finish_counts(const SortSpace& space, Int majors, Int parts, const Exec& exec) noexcept;

// walk(part, parts, f) calls f(position, key, other) for the units of a part in storage order;
// emit(slot, position, other) receives each unit once with its place in the result.
template <class Walk>
void count_keys(const SortSpace& space, Int majors, Int parts, const Exec& exec, const Walk& walk) noexcept {
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    Int* const counts = space.counts + part * majors;
    std::fill_n(counts, majors, Int{0});
    walk(part, parts, [&](Int, Int key, Int) { ++counts[key]; });
  });
  finish_counts(space, majors, parts, exec);
}

template <class Walk, class Emit>
void bucket(const SortSpace& space, Int majors, const Exec& exec, const Walk& walk, const Emit& emit) noexcept {
  const Int parts = exec.threads <= 1 ? 1 : space.parts;
  count_keys(space, majors, parts, exec, walk);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    Int* const next = space.counts + part * majors;
    walk(part, parts, [&](Int position, Int key, Int other) { emit(next[key]++, position, other); });
  });
}

// Walks compressed units (CSR, CSC, BSR): the key is the stored index, the other number the major.
template <class Index>
struct CompressedWalk {
  const SparseView& a;
  template <class F>
  void operator()(Int part, Int parts, F&& f) const noexcept {
    const Index* const indices = static_cast<const Index*>(a.minor_indices());
    const Int majors = a.major();
    const Range share = part_range(a.nnzb, parts, part);
    if (share.begin == share.end) return;
    Int position = a.first_entry + share.begin;
    const Int stop = a.first_entry + share.end;
    // The last major that begins at or before the first unit of the share.
    Int low = 0;
    for (Int high = majors; high - low > 1;) {
      const Int middle = low + (high - low) / 2;
      (a.offset(middle) <= position ? low : high) = middle;
    }
    for (Int i = low; position < stop; ++i) {
      const Int end = std::min(stop, a.offset(i + 1));
      for (; position < end; ++position) f(position, static_cast<Int>(indices[position]) - a.base, i);
    }
  }
};

}  // namespace spk::cpu::convert
