// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/convert_bucket.hpp"
#include "cpu/operations.hpp"

// Sparse from sparse where the result stores entries (CSR, CSC, COO), and the transpose.
namespace spk::cpu {

using namespace convert;

namespace {

bool is_compressed(Format format) noexcept { return format == Format::csr || format == Format::csc; }

// CSR to CSC or back: walking the source in storage order meets the result's order, so one counting sort does it all
// and moves the entries themselves.
bool turns(const SparseView& a, const SparseView& b) noexcept {
  return is_compressed(a.format) && is_compressed(b.format) && a.format != b.format;
}

SortSpace entries_layout(const SparseToSparseProblem& p, Space& space) {
  const Need need = turns(p.a, p.b) ? Need::counts : p.b.format == Format::coo ? Need::compact_order : Need::order;
  return SortSpace(p.a, along_of(p.b.format), need, space);
}

// Turns a into b, which has its sizes; b.values may be NULL.
void run_turn(const SparseView& a, const SparseView& b, Int* permutation, const SortSpace& space, const Exec& exec) {
  visit_index(a.index_type, [&](auto from) {
    visit_index(b.index_type, [&](auto to) {
      visit_bits(a.value_type, [&](auto bits) {
        using Index = typename decltype(to)::type;
        using Bits = typename decltype(bits)::type;
        Index* const indices = static_cast<Index*>(writable(b.minor_indices()));
        Bits* const values = static_cast<Bits*>(b.values);
        const Bits* const source = static_cast<const Bits*>(a.values);
        bucket(space, b.major(), exec, CompressedWalk<typename decltype(from)::type>{a},
               [=](Int slot, Int position, Int major) {
                 indices[slot] = static_cast<Index>(major + b.base);
                 if (values != nullptr) values[slot] = source[position];
                 if (permutation != nullptr) permutation[slot] = position;
               });
      });
    });
  });
  write_offsets(b, space.offsets, exec);
}

// The offsets of a result with entries, from the order of the source's units.
void write_entry_offsets(const SparseView& b, const Int* units, Int edge, const Exec& exec) noexcept {
  if (edge == 1 || b.offset_type == IndexType::none) return write_offsets(b, units, exec);
  const Int majors = b.major() / edge;
  const Int parts = part_count(majors * edge);
  set_index(writable(b.offsets), b.offset_type, 0, b.base);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(majors, parts, part);
    for (Int k = range.begin; k < range.end; ++k) {
      const Int entries = (units[k + 1] - units[k]) * edge;
      for (Int i = 0; i < edge; ++i)
        set_index(writable(b.offsets), b.offset_type, k * edge + i + 1,
                  units[k] * edge * edge + (i + 1) * entries + b.base);
    }
  });
}

template <class Index, class Bits>
class EntryWriter {
 public:
  EntryWriter(const SparseView& a, const Sorted& order, const SparseView& b) noexcept
      : order_(order),
        b_(b),
        places_(a, along_of(b.format)),
        source_(static_cast<const Bits*>(a.values)),
        values_(static_cast<Bits*>(b.values)),
        majors_(b.format == Format::coo ? static_cast<Index*>(writable(b.row_indices)) : nullptr),
        minors_(static_cast<Index*>(writable(b.minor_indices()))) {}

  // Entries of one major of the order.
  void write(Int k) const noexcept {
    const Int begin = order_.offsets[k], end = order_.offsets[k + 1];
    const Int major = order_.major_of(k);
    const Int edge = places_.edge;
    if (edge == 1) {
      for (Int t = begin; t < end; ++t) put(t, major, order_.minor_of(t), places_.start(order_.position_of(t)));
      return;
    }
    for (Int i = 0; i < edge; ++i) {
      Int entry = begin * places_.unit + i * (end - begin) * edge;
      for (Int t = begin; t < end;) {
        const Int next = order_.place_end(t, end);
        const Int minor = order_.minor_of(t) * edge;
        for (Int j = 0; j < edge; ++j)
          for (Int u = t; u < next; ++u)
            put(entry++, major * edge + i, minor + j,
                places_.start(order_.position_of(u)) + i * places_.major_step + j * places_.minor_step);
        t = next;
      }
    }
  }

 private:
  void put(Int entry, Int major, Int minor, Int source) const noexcept {
    if (majors_ != nullptr) majors_[entry] = static_cast<Index>(major + b_.base);
    minors_[entry] = static_cast<Index>(minor + b_.base);
    values_[entry] = source_[source];
  }

  const Sorted& order_;
  const SparseView& b_;
  Places places_;
  const Bits* source_;
  Bits* values_;
  Index *majors_, *minors_;
};

// The destination of a transpose holds what CSC of the source would hold.
SparseView as_csc(const TransposeProblem& p) noexcept {
  SparseView b = p.b;
  b.format = Format::csc;
  b.rows = p.a.rows;
  b.cols = p.a.cols;
  b.row_indices = p.b.col_indices;
  b.col_indices = nullptr;
  return b;
}

}  // namespace

std::size_t workspace(const SparseToSparseProblem& p, const Exec&) {
  Space space;
  if (has_blocks(p.b.format))
    blocks_layout(p, space);
  else
    entries_layout(p, space);
  return space.bytes();
}

std::int64_t analyze(const SparseToSparseProblem& p, const Exec& exec) {
  check_source(p.a, "matA", exec);
  if (has_blocks(p.b.format)) return analyze_blocks(p, exec);
  const Int edge = p.a.block_size;
  const Int count = used_units(p.a, exec) * edge * edge;
  check_result(p.b, count);
  if (p.b.format == Format::coo) return count;
  Space space(exec);
  const SortSpace sort = entries_layout(p, space);
  count_units(p.a, along_of(p.b.format), sort, exec);
  write_entry_offsets(p.b, sort.offsets, edge, exec);
  return count;
}

std::int64_t run(const SparseToSparseProblem& p, const Exec& exec) {
  check_source(p.a, "matA", exec);
  if (has_blocks(p.b.format)) return run_blocks(p, exec);
  const Int edge = p.a.block_size;
  const Int count = used_units(p.a, exec) * edge * edge;
  check_destination(p.b, count);
  Space space(exec);
  const SortSpace sort = entries_layout(p, space);
  if (turns(p.a, p.b)) {
    run_turn(p.a, p.b, nullptr, sort, exec);
    return count;
  }
  const Sorted order = sort_units(p.a, along_of(p.b.format), sort, exec);
  visit_bits(p.a.value_type, [&](auto bits) {
    visit_index(p.b.index_type, [&](auto index) {
      const EntryWriter<typename decltype(index)::type, typename decltype(bits)::type> writer(p.a, order, p.b);
      const Int parts = part_count(count + order.majors);
      parallel_for(exec.threads, parts, [&](Int part) noexcept {
        const Range range = part_of_majors(order.offsets, order.majors, parts, part);
        for (Int k = range.begin; k < range.end; ++k) writer.write(k);
      });
    });
  });
  write_entry_offsets(p.b, order.offsets, edge, exec);
  return count;
}

std::size_t workspace(const TransposeProblem& p, const Exec&) {
  Space space;
  SortSpace(p.a, Along::cols, Need::counts, space);
  return space.bytes();
}

std::int64_t analyze(const TransposeProblem& p, const Exec& exec) {
  check_source(p.a, "matA", exec);
  check_result(p.b, p.a.nnz);
  Space space(exec);
  const SortSpace sort(p.a, Along::cols, Need::counts, space);
  count_units(p.a, Along::cols, sort, exec);
  write_offsets(p.b, sort.offsets, exec);
  return p.a.nnz;
}

std::int64_t run(const TransposeProblem& p, const Exec& exec) {
  check_source(p.a, "matA", exec);
  check_destination(p.b, p.a.nnz);
  Space space(exec);
  const SortSpace sort(p.a, Along::cols, Need::counts, space);
  run_turn(p.a, as_csc(p), p.permutation, sort, exec);
  return p.a.nnz;
}

}  // namespace spk::cpu
