// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/convert.hpp"
#include "cpu/operations.hpp"

// Sorting and coalescing in place: the new arrays are made in the workspace and copied back when complete.
namespace spk::cpu {

using namespace convert;

namespace {

struct InPlaceSpace {
  InPlaceSpace(const SparseView& a, bool coalesces, Space& space)
      : sort(a, along_of(a.format), a.format == Format::coo ? Need::compact_order : Need::order, space) {
    const Int index_bytes = a.nnz * static_cast<Int>(size_of(a.index_type));
    if (coalesces) heads = space.take<Int>((sort.is_compact ? a.nnz : a.major()) + 1);
    if (a.format == Format::coo) majors = space.take<char>(index_bytes);
    minors = space.take<char>(index_bytes);
    values = space.take<char>(a.nnz * static_cast<Int>(size_of(a.value_type)));
  }
  SortSpace sort;
  Int* heads = nullptr;  // kept entries before each major of the order
  void *majors = nullptr, *minors = nullptr, *values = nullptr;
};

// Copies the first `count` entries back into the matrix.
void copy_back(const SparseView& a, const InPlaceSpace& space, Int count, const Exec& exec) noexcept {
  const std::size_t index_size = size_of(a.index_type);
  if (a.format == Format::coo) copy_elements(writable(a.row_indices), space.majors, count, index_size, exec);
  copy_elements(writable(a.minor_indices()), space.minors, count, index_size, exec);
  copy_elements(a.values, space.values, count, size_of(a.value_type), exec);
}

// Calls body(k) for every major of the order, in parallel.
template <class Body>
void for_each_major(const Sorted& order, const Exec& exec, const Body& body) noexcept {
  const Int parts = part_count(order.count() + order.majors);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_of_majors(order.offsets, order.majors, parts, part);
    for (Int k = range.begin; k < range.end; ++k) body(k);
  });
}

// Sum of the entries of one place, left to right. One entry keeps its bits.
template <class T>
T sum_of(const T* values, const Sorted& order, Int begin, Int end) noexcept {
  const T first = values[order.position_of(begin)];
  if (end - begin == 1) return first;
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    float sum = to_float(first);
    for (Int t = begin + 1; t < end; ++t) sum += to_float(values[order.position_of(t)]);
    if constexpr (std::is_same_v<T, f16>)
      return to_f16(sum);
    else
      return to_bf16(sum);
  } else {
    T sum = first;
    for (Int t = begin + 1; t < end; ++t) sum += values[order.position_of(t)];
    return sum;
  }
}

// Fills heads with the entries that stay, major by major, and answers their number.
Int count_heads(const Sorted& order, Int* heads, const Exec& exec) noexcept {
  heads[0] = 0;
  for_each_major(order, exec, [&](Int k) {
    Int count = 0;
    for (Int t = order.offsets[k]; t < order.offsets[k + 1]; t = order.place_end(t, order.offsets[k + 1])) ++count;
    heads[k + 1] = count;
  });
  for (Int k = 0; k < order.majors; ++k) heads[k + 1] += heads[k];
  return heads[order.majors];
}

}  // namespace

std::size_t workspace(const SortProblem& p, const Exec&) {
  Space space;
  InPlaceSpace(p.a, false, space);
  return space.bytes();
}

std::int64_t analyze(const SortProblem& p, const Exec& exec) {
  check_source(p.a, "mat", exec);
  return p.a.nnz;
}

std::int64_t run(const SortProblem& p, const Exec& exec) {
  const SparseView& a = p.a;
  check_source(a, "mat", exec);
  Space carved(exec);
  const InPlaceSpace space(a, false, carved);
  const Sorted order = sort_units(a, along_of(a.format), space.sort, exec);
  if (p.permutation != nullptr)
    for_each_major(order, exec, [&](Int k) {
      for (Int t = order.offsets[k]; t < order.offsets[k + 1]; ++t) p.permutation[t] = order.position_of(t);
    });
  if (order.position == nullptr) return a.nnz;
  visit_bits(a.value_type, [&](auto bits) {
    using Bits = typename decltype(bits)::type;
    const Bits* const from = static_cast<const Bits*>(a.values);
    Bits* const to = static_cast<Bits*>(space.values);
    for_each_major(order, exec, [&](Int k) {
      for (Int t = order.offsets[k]; t < order.offsets[k + 1]; ++t) {
        if (space.majors != nullptr) set_index(space.majors, a.index_type, t, order.major_of(k) + a.base);
        set_index(space.minors, a.index_type, t, order.minor_of(t) + a.base);
        to[t] = from[order.position_of(t)];
      }
    });
  });
  copy_back(a, space, a.nnz, exec);
  return a.nnz;
}

std::size_t workspace(const CoalesceProblem& p, const Exec&) {
  Space space;
  InPlaceSpace(p.a, true, space);
  return space.bytes();
}

std::int64_t analyze(const CoalesceProblem& p, const Exec& exec) {
  check_source(p.a, "mat", exec);
  Space carved(exec);
  const InPlaceSpace space(p.a, true, carved);
  return count_heads(sort_units(p.a, along_of(p.a.format), space.sort, exec), space.heads, exec);
}

std::int64_t run(const CoalesceProblem& p, const Exec& exec) {
  const SparseView& a = p.a;
  check_source(a, "mat", exec);
  Space carved(exec);
  const InPlaceSpace space(a, true, carved);
  const Sorted order = sort_units(a, along_of(a.format), space.sort, exec);
  const Int count = count_heads(order, space.heads, exec);
  if (count == a.nnz && order.position == nullptr) return count;
  visit(a.value_type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = static_cast<const T*>(a.values);
    T* const to = static_cast<T*>(space.values);
    for_each_major(order, exec, [&](Int k) {
      Int kept = space.heads[k];
      const Int end = order.offsets[k + 1];
      for (Int t = order.offsets[k]; t < end; ++kept) {
        const Int next = order.place_end(t, end);
        if (space.majors != nullptr) set_index(space.majors, a.index_type, kept, order.major_of(k) + a.base);
        set_index(space.minors, a.index_type, kept, order.minor_of(t) + a.base);
        to[kept] = sum_of(from, order, t, next);
        t = next;
      }
    });
  });
  copy_back(a, space, count, exec);
  write_offsets(a, space.heads, exec);
  return count;
}

}  // namespace spk::cpu
