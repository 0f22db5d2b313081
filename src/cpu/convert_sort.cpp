// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <atomic>

#include "cpu/convert_bucket.hpp"

// The order of a matrix's units, on which conversions to sparse formats build.
namespace spk::cpu::convert {
namespace {

// The units already stand grouped by their major: only the inside of the majors may need sorting.
bool is_grouped(const SparseView& a, Along along) noexcept {
  return a.format != Format::coo && along_of(a.format) == along;
}

template <class Index>
struct CooWalk {
  const SparseView& a;
  Along along;
  template <class F>
  void operator()(Int part, Int parts, F&& f) const noexcept {
    const auto* keys = static_cast<const Index*>(along == Along::rows ? a.row_indices : a.col_indices);
    const auto* others = static_cast<const Index*>(along == Along::rows ? a.col_indices : a.row_indices);
    const Range share = part_range(a.nnz, parts, part);
    for (Int t = share.begin; t < share.end; ++t)
      f(t, static_cast<Int>(keys[t]) - a.base, static_cast<Int>(others[t]) - a.base);
  }
};

// Blocked-ELL by block columns.
struct EllWalk {
  const SparseView& a;
  template <class F>
  void operator()(Int part, Int parts, F&& f) const noexcept {
    const Int slots = a.slots_per_row();
    const Range share = part_range(a.major(), parts, part);
    for (Int i = share.begin; i < share.end; ++i)
      for (Int t = i * slots; t < (i + 1) * slots; ++t)
        if (const Int stored = index_at(a.col_indices, a.index_type, t); stored != -1) f(t, stored - a.base, i);
  }
};

// Calls f(walk) with the walk of a source that is not grouped along the order.
template <class F>
void visit_walk(const SparseView& a, Along along, F&& f) {
  if (a.format == Format::blocked_ell) return f(EllWalk{a});
  visit_index(a.index_type, [&](auto tag) {
    using Index = typename decltype(tag)::type;
    if (a.format == Format::coo)
      f(CooWalk<Index>{a, along});
    else
      f(CompressedWalk<Index>{a});
  });
}

const void* other_indices(const SparseView& a, Along along) noexcept {
  if (a.format == Format::coo) return along == Along::rows ? a.col_indices : a.row_indices;
  return a.minor_indices();
}

void count_grouped(const SparseView& a, const SortSpace& space, const Exec& exec) noexcept {
  const Int majors = a.major();
  const Int parts = part_count(a.format == Format::blocked_ell ? a.nnzb + majors : majors);
  space.offsets[0] = 0;
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(majors, parts, part);
    const Int slots = a.slots_per_row();
    for (Int i = range.begin; i < range.end; ++i) {
      if (a.format != Format::blocked_ell) {
        space.offsets[i + 1] = a.offset(i + 1) - a.first_entry;
        continue;
      }
      Int used = 0;
      for (Int t = i * slots; t < (i + 1) * slots; ++t)
        if (index_at(a.col_indices, a.index_type, t) != -1) space.position[i * slots + used++] = t;
      space.offsets[i + 1] = used;
    }
  });
  if (a.format != Format::blocked_ell) return;
  // Close the gaps that unused slots left in the list of positions.
  const Int slots = a.slots_per_row();
  for (Int i = 0; i < majors; ++i) {
    const Int used = space.offsets[i + 1];
    std::copy_n(space.position + i * slots, used, space.position + space.offsets[i]);
    space.offsets[i + 1] = space.offsets[i] + used;
  }
}

// An index and a position in one number, which sorts as the pair does, where both are small enough.
constexpr Int kPositionBits = 32;
bool packs(const SparseView& a, Along along) noexcept {
  return minors_of(a, along) <= INT32_MAX && a.first_entry + a.nnzb <= UINT32_MAX;
}
Int pack(Int minor, Int position) noexcept { return minor << kPositionBits | position; }

// Calls body(begin, end) with the positions of every major, in parallel.
template <class Body>
void for_each_major(const Sorted& order, Int* position, const Exec& exec, const Body& body) noexcept {
  const Int parts = part_count(order.count() + order.majors);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_of_majors(order.offsets, order.majors, parts, part);
    for (Int k = range.begin; k < range.end; ++k) body(position + order.offsets[k], position + order.offsets[k + 1]);
  });
}

// Sorts packed numbers inside every major and leaves their positions; their minors go to `minor` if that is not NULL.
void sort_packed(const Sorted& order, Int* position, Int* minor, const Exec& exec) noexcept {
  for_each_major(order, position, exec, [=](Int* begin, Int* end) {
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
    for (Int* it = begin; it < end; ++it) {
      if (minor != nullptr) minor[it - position] = *it >> kPositionBits;
      *it &= UINT32_MAX;
    }
  });
}

// Sorts the positions inside every major by index; positions of one index ascend.
void sort_inside(const Sorted& order, Int* position, const Exec& exec) noexcept {
  visit_index(order.type, [&](auto tag) {
    using Index = typename decltype(tag)::type;
    const Index* const indices = static_cast<const Index*>(order.indices);
    const auto less = [=](Int x, Int y) { return indices[x] != indices[y] ? indices[x] < indices[y] : x < y; };
    for_each_major(order, position, exec, [=](Int* begin, Int* end) {
      if (!std::is_sorted(begin, end, less)) std::sort(begin, end, less);
    });
  });
}

bool is_sorted_inside(const SparseView& a, const Sorted& order, const Exec& exec) noexcept {
  if (a.nnzb == 0) return true;
  std::atomic<bool> sorted{true};
  const Int parts = part_count(order.count() + order.majors);
  visit_index(a.index_type, [&](auto tag) {
    using Index = typename decltype(tag)::type;
    const Index* const indices = static_cast<const Index*>(a.minor_indices()) + a.first_entry;
    parallel_for(exec.threads, parts, [&](Int part) noexcept {
      const Range range = part_of_majors(order.offsets, order.majors, parts, part);
      bool descends = false;
      for (Int k = range.begin; k < range.end && !descends; ++k)
        for (Int t = order.offsets[k] + 1; t < order.offsets[k + 1]; ++t) descends |= indices[t] < indices[t - 1];
      if (descends) sorted.store(false, std::memory_order_relaxed);
    });
  });
  return sorted.load();
}

Sorted sort_compact(const SparseView& a, Along along, const SortSpace& space, const Exec& exec) {
  visit_walk(a, along, [&](const auto& walk) {
    const Int parts = part_count(a.nnzb);
    parallel_for(exec.threads, parts, [&](Int part) noexcept {
      walk(part, parts, [&](Int position, Int key, Int other) { space.keys[position] = {key, other, position}; });
    });
  });
  sort_keys(exec.threads, space.keys, a.nnzb);
  Sorted order;
  for (Int t = 0; t < a.nnzb; ++t) {
    const SortKey& key = space.keys[t];
    if (t == 0 || key.major != space.keys[t - 1].major) {
      space.major_id[order.majors] = key.major;
      space.offsets[order.majors++] = t;
    }
    space.position[t] = key.position;
    space.minor[t] = key.minor;
  }
  space.offsets[order.majors] = a.nnzb;
  order.major_id = space.major_id;
  order.offsets = space.offsets;
  order.position = space.position;
  order.minor = space.minor;
  return order;
}

}  // namespace

SortSpace::SortSpace(const SparseView& a, Along along, Need need, Space& space) {
  const Int majors = majors_of(a, along);
  const Int units = a.nnzb;
  const bool grouped = is_grouped(a, along);
  is_compact = need == Need::compact_order && !grouped && majors / 4 > units + 16384;
  offsets = space.take<Int>(is_compact ? units + 1 : majors + 1);
  if (need != Need::counts) position = space.take<Int>(units);
  if (grouped) return;
  if (need != Need::counts) minor = space.take<Int>(units);
  if (is_compact) {
    major_id = space.take<Int>(units);
    keys = space.take<SortKey>(units);
    return;
  }
  // Counts of all parts together stay below the number of units, except for the first part's.
  parts = std::clamp<Int>(std::min(units / 65536, units / 4 / std::max<Int>(majors, 1)), 1, 16);
  counts = space.take<Int>(parts * majors);
}

void finish_counts(const SortSpace& space, Int majors, Int parts, const Exec& exec) noexcept {
  const Int chunks = part_count(majors * parts);
  space.offsets[0] = 0;
  parallel_for(exec.threads, chunks, [&](Int chunk) noexcept {
    const Range range = part_range(majors, chunks, chunk);
    for (Int k = range.begin; k < range.end; ++k) {
      Int total = 0;
      for (Int p = 0; p < parts; ++p) total += space.counts[p * majors + k];
      space.offsets[k + 1] = total;
    }
  });
  for (Int k = 0; k < majors; ++k) space.offsets[k + 1] += space.offsets[k];
  parallel_for(exec.threads, chunks, [&](Int chunk) noexcept {
    const Range range = part_range(majors, chunks, chunk);
    for (Int k = range.begin; k < range.end; ++k) {
      Int next = space.offsets[k];
      for (Int p = 0; p < parts; ++p) {
        Int& count = space.counts[p * majors + k];
        next += count;
        count = next - count;
      }
    }
  });
}

void count_units(const SparseView& a, Along along, const SortSpace& space, const Exec& exec) {
  if (is_grouped(a, along)) return count_grouped(a, space, exec);
  visit_walk(a, along, [&](const auto& walk) {
    count_keys(space, majors_of(a, along), exec.threads <= 1 ? 1 : space.parts, exec, walk);
  });
}

Sorted sort_units(const SparseView& a, Along along, const SortSpace& space, const Exec& exec) {
  if (space.is_compact) return sort_compact(a, along, space, exec);
  Sorted order;
  order.majors = majors_of(a, along);
  order.offsets = space.offsets;
  order.first = a.first_entry;
  order.indices = other_indices(a, along);
  order.type = a.index_type;
  order.base = a.base;
  if (is_grouped(a, along)) {
    count_grouped(a, space, exec);
    if (a.format != Format::blocked_ell) {
      if (is_sorted_inside(a, order, exec)) return order;
      const Int parts = part_count(a.nnzb);
      parallel_for(exec.threads, parts, [&](Int part) noexcept {
        const Range range = part_range(a.nnzb, parts, part);
        for (Int t = range.begin; t < range.end; ++t) space.position[t] = a.first_entry + t;
      });
    }
    order.position = space.position;
    if (packs(a, along)) {
      for_each_major(order, space.position, exec, [&](Int* begin, Int* end) {
        for (Int* it = begin; it < end; ++it) *it = pack(index_at(order.indices, order.type, *it) - order.base, *it);
      });
      sort_packed(order, space.position, nullptr, exec);
    } else {
      sort_inside(order, space.position, exec);
    }
    return order;
  }
  order.position = space.position;
  order.minor = space.minor;
  const bool is_coo = a.format == Format::coo;
  const bool packed = is_coo && packs(a, along);
  visit_walk(a, along, [&](const auto& walk) {
    bucket(space, order.majors, exec, walk, [&](Int slot, Int position, Int other) {
      space.position[slot] = packed ? pack(other, position) : position;
      space.minor[slot] = other;
    });
  });
  if (packed) {
    sort_packed(order, space.position, space.minor, exec);
  } else if (is_coo) {
    sort_inside(order, space.position, exec);
    order.minor = nullptr;
  }
  return order;
}

Range part_of_majors(const Int* offsets, Int majors, Int parts, Int part) noexcept {
  const Int total = offsets[majors] + majors;
  const auto begin = [&](Int p) {
    if (p == parts) return majors;
    const Int target = part_range(total, parts, p).begin;
    Int low = 0;  // first major k with offsets[k] + k >= target
    for (Int high = majors; low < high;) {
      const Int middle = low + (high - low) / 2;
      if (offsets[middle] + middle >= target)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  return {begin(part), begin(part + 1)};
}

Int used_units(const SparseView& a, const Exec& exec) {
  if (a.format != Format::blocked_ell) return a.nnzb;
  std::atomic<Int> used{0};
  const Int parts = part_count(a.nnzb);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(a.nnzb, parts, part);
    Int sum = 0;
    for (Int t = range.begin; t < range.end; ++t) sum += index_at(a.col_indices, a.index_type, t) != -1;
    used.fetch_add(sum, std::memory_order_relaxed);
  });
  return used.load();
}

Places::Places(const SparseView& a, Along along) noexcept
    : edge(a.block_size), unit(a.block_size * a.block_size), major_step(1), minor_step(1) {
  Int row_step = edge, col_step = 1;
  if (a.format == Format::blocked_ell) {
    slots = a.slots_per_row();
    row_length = edge * a.ell_cols;
    row_step = a.ell_cols;
  } else if (a.block_order == Order::col) {
    std::swap(row_step, col_step);
  }
  major_step = along == Along::rows ? row_step : col_step;
  minor_step = along == Along::rows ? col_step : row_step;
}

}  // namespace spk::cpu::convert
