// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <atomic>

#include "cpu/convert.hpp"

namespace spk::cpu::convert {
namespace {

// Smallest position that any part reports; the parts meet in any order, the answer does not depend on it.
class FirstFault {
 public:
  void report(Int position) noexcept {
    Int seen = first_.load(std::memory_order_relaxed);
    while (position < seen && !first_.compare_exchange_weak(seen, position, std::memory_order_relaxed)) {
    }
  }
  bool found() const noexcept { return position() != INT64_MAX; }
  Int position() const noexcept { return first_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Int> first_{INT64_MAX};
};

const char* offsets_name(Format format) noexcept {
  return format == Format::csr ? "row_offsets" : format == Format::csc ? "col_offsets" : "block_row_offsets";
}
const char* minor_name(Format format) noexcept {
  return has_blocks(format) ? "block_col_indices" : format == Format::csc ? "row_indices" : "col_indices";
}

void check_offsets(const SparseView& a, const char* name, const Exec& exec) {
  const Int majors = a.major();
  const Int first = a.first_entry + a.base;
  const char* const array = offsets_name(a.format);
  const auto at = [&](Int i) { return index_at(a.offsets, a.offset_type, i); };
  if (at(0) != first)
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[0] = %lld but must be %lld", name, array,
                static_cast<Long>(at(0)), static_cast<Long>(first));
  FirstFault fault;
  const Int parts = part_count(majors);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(majors, parts, part);
    for (Int i = range.begin; i < range.end; ++i)
      if (at(i + 1) < at(i)) return fault.report(i + 1);
  });
  if (fault.found())
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[%lld] = %lld is below the one before it, %lld", name, array,
                static_cast<Long>(fault.position()), static_cast<Long>(at(fault.position())),
                static_cast<Long>(at(fault.position() - 1)));
  if (at(majors) != first + a.nnzb)
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[%lld] = %lld but must be %lld, the number stored plus the base",
                name, array, static_cast<Long>(majors), static_cast<Long>(at(majors)),
                static_cast<Long>(first + a.nnzb));
}

}  // namespace

void check_indices(const void* indices, IndexType type, Range range, std::int32_t base, Int limit, bool may_be_unused,
                   const char* name, const char* array, const Exec& exec) {
  const Int count = range.end - range.begin;
  if (count == 0) return;
  FirstFault fault;
  const Int parts = part_count(count);
  visit_index(type, [&](auto tag) {
    using Index = typename decltype(tag)::type;
    const Index* const numbers = static_cast<const Index*>(indices) + range.begin;
    // Unsigned, so that one comparison finds both sides and nothing overflows.
    const auto is_bad = [=](Int i) {
      const auto number = static_cast<std::uint64_t>(static_cast<Int>(numbers[i]));
      return number - static_cast<std::uint64_t>(base) >= static_cast<std::uint64_t>(limit) &&
             !(may_be_unused && number == UINT64_MAX);
    };
    parallel_for(exec.threads, parts, [&](Int part) noexcept {
      const Range share = part_range(count, parts, part);
      constexpr Int kStep = 1024;
      for (Int begin = share.begin; begin < share.end; begin += kStep) {
        const Int end = std::min(share.end, begin + kStep);
        bool any = false;
        for (Int i = begin; i < end; ++i) any |= is_bad(i);
        if (!any) continue;
        Int i = begin;
        while (!is_bad(i)) ++i;
        return fault.report(i);
      }
    });
  });
  if (fault.found())
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "%s: %s[%lld] = %lld is outside [%d, %lld)", name, array,
                static_cast<Long>(range.begin + fault.position()),
                static_cast<Long>(index_at(indices, type, range.begin + fault.position())), base,
                static_cast<Long>(base + limit));
}

void check_source(const SparseView& a, const char* name, const Exec& exec) {
  if (a.offset_type != IndexType::none) check_offsets(a, name, exec);
  const Range stored{a.first_entry, a.first_entry + a.nnzb};
  if (a.format == Format::coo)
    check_indices(a.row_indices, a.index_type, stored, a.base, a.rows, false, name, "row_indices", exec);
  check_indices(a.minor_indices(), a.index_type, stored, a.base, minors_of(a, along_of(a.format)),
                a.format == Format::blocked_ell, name, minor_name(a.format), exec);
}

void write_offsets(const SparseView& b, const Int* offsets, const Exec& exec) noexcept {
  if (b.offset_type == IndexType::none) return;
  const Int count = b.major() + 1;
  const Int parts = part_count(count);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(count, parts, part);
    for (Int i = range.begin; i < range.end; ++i) set_index(writable(b.offsets), b.offset_type, i, offsets[i] + b.base);
  });
}

void copy_elements(void* to, const void* from, Int count, std::size_t element_size, const Exec& exec) noexcept {
  if (count == 0) return;
  const Int parts = part_count(count / 4);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(count, parts, part);
    const Int size = static_cast<Int>(element_size);
    std::memcpy(advance_bytes(to, range.begin * size), advance_bytes(from, range.begin * size),
                static_cast<std::size_t>(range.end - range.begin) * element_size);
  });
}

}  // namespace spk::cpu::convert
