// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/convert.hpp"

// Sparse from sparse where the result stores blocks (BSR, Blocked-ELL). The source is put in row order first, so that
// entries of one place are neighbours and the block columns of a block row come from merging its rows.
namespace spk::cpu::convert {
namespace {

struct BlocksSpace {
  BlocksSpace(const SparseToSparseProblem& p, Space& space) : sort(p.a, Along::rows, Need::order, space) {
    blocks = space.take<Int>(p.b.major() + 1);
    block_cols = space.take<Int>(p.a.nnz);
  }
  SortSpace sort;
  Int* blocks;      // blocks before each block row of the result
  Int* block_cols;  // of block row d: its block columns, ascending, from first_entry(d)
};

// The source in row order, seen in block rows of the result.
struct BlockRows {
  const Sorted& order;
  Int from_edge, to_edge;

  // Entries of the source before row r. They are at least as many as the distinct block columns of the rows, which is
  // why block_cols has room.
  Int entries_before(Int r) const noexcept {
    const Int unit_row = r / from_edge;
    const Int before = order.offsets[unit_row];
    const Int inside = r % from_edge;
    if (inside == 0) return before * from_edge * from_edge;
    return (before * from_edge + inside * (order.offsets[unit_row + 1] - before)) * from_edge;
  }
  Int first_entry(Int d) const noexcept { return entries_before(d * to_edge); }

  // Writes the distinct block columns of block row d to `list` in ascending order and answers their number.
  Int list_block_cols(Int d, Int* list) const noexcept {
    Int* end = list;
    const Int last_unit_row = ((d + 1) * to_edge - 1) / from_edge;
    for (Int unit_row = d * to_edge / from_edge; unit_row <= last_unit_row; ++unit_row) {
      Int* const begin = end;
      for (Int t = order.offsets[unit_row]; t < order.offsets[unit_row + 1]; ++t) {
        const Int first_col = order.minor_of(t) * from_edge;
        const Int last = (first_col + from_edge - 1) / to_edge;
        for (Int c = first_col / to_edge; c <= last; ++c)
          if (end == begin || end[-1] < c) *end++ = c;
      }
    }
    std::sort(list, end);
    return std::unique(list, end) - list;
  }
};

// Lists the blocks of the result; space.blocks becomes their running sum. Answers what check_destination takes.
Int list_blocks(const SparseToSparseProblem& p, const BlocksSpace& space, const BlockRows& rows, const Exec& exec) {
  const Int block_rows = p.b.major();
  const Int parts = std::min(part_count(p.a.nnz + block_rows), std::max<Int>(block_rows, 1));
  space.blocks[0] = 0;
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(block_rows, parts, part);
    for (Int d = range.begin; d < range.end; ++d)
      space.blocks[d + 1] = rows.list_block_cols(d, space.block_cols + rows.first_entry(d));
  });
  Int longest = 0;
  for (Int d = 0; d < block_rows; ++d) {
    longest = std::max(longest, space.blocks[d + 1]);
    space.blocks[d + 1] += space.blocks[d];
  }
  return p.b.format == Format::blocked_ell ? longest * p.b.block_size : space.blocks[block_rows];
}

// Fills block row d of the result: its block columns and all values, also those of unused slots.
template <class T>
void fill_block_row(const SparseToSparseProblem& p, const BlocksSpace& space, const BlockRows& rows, Int d) noexcept {
  const SparseView& b = p.b;
  const bool is_ell = b.format == Format::blocked_ell;
  const Places from(p.a, Along::rows), to(b, Along::rows);
  const T* const source = static_cast<const T*>(p.a.values);
  T* const values = static_cast<T*>(b.values);
  const Int* const cols = space.block_cols + rows.first_entry(d);
  const Int used = space.blocks[d + 1] - space.blocks[d];
  const Int slots = is_ell ? b.slots_per_row() : used;
  const Int first_slot = is_ell ? d * slots : space.blocks[d];
  for (Int s = 0; s < slots; ++s)
    set_index(writable(b.col_indices), b.index_type, first_slot + s, s < used ? cols[s] + b.base : -1);
  std::fill_n(values + first_slot * to.unit, slots * to.unit, T{});

  const Int edge = to.edge;
  for (Int i = 0; i < edge; ++i) {
    const Int row = d * edge + i;
    const Int unit_row = row / from.edge, row_inside = row % from.edge;
    const Int end = rows.order.offsets[unit_row + 1];
    Int s = 0;
    for (Int t = rows.order.offsets[unit_row]; t < end;) {
      const Int next = rows.order.place_end(t, end);
      const Int first_col = rows.order.minor_of(t) * from.edge;
      for (Int j = 0; j < from.edge; ++j) {
        const Int col = first_col + j;
        while (cols[s] < col / edge) ++s;
        T& place = values[to.start(first_slot + s) + i * to.major_step + col % edge * to.minor_step];
        for (Int u = t; u < next; ++u) {
          const T value =
              source[from.start(rows.order.position_of(u)) + row_inside * from.major_step + j * from.minor_step];
          place = u == t ? value : add(place, value);
        }
      }
      t = next;
    }
  }
}

}  // namespace

void blocks_layout(const SparseToSparseProblem& p, Space& space) { BlocksSpace(p, space); }

Int analyze_blocks(const SparseToSparseProblem& p, const Exec& exec) {
  Space carved(exec);
  const BlocksSpace space(p, carved);
  const Sorted order = sort_units(p.a, Along::rows, space.sort, exec);
  const Int count = list_blocks(p, space, BlockRows{order, p.a.block_size, p.b.block_size}, exec);
  check_result(p.b, count);
  write_offsets(p.b, space.blocks, exec);
  return count;
}

Int run_blocks(const SparseToSparseProblem& p, const Exec& exec) {
  Space carved(exec);
  const BlocksSpace space(p, carved);
  const Sorted order = sort_units(p.a, Along::rows, space.sort, exec);
  const BlockRows rows{order, p.a.block_size, p.b.block_size};
  const Int count = list_blocks(p, space, rows, exec);
  check_destination(p.b, count);
  visit(p.a.value_type, [&](auto tag) {
    const Int block_rows = p.b.major();
    const Int parts = std::min(part_count(p.b.nnz + block_rows), std::max<Int>(block_rows, 1));
    parallel_for(exec.threads, parts, [&](Int part) noexcept {
      const Range range = part_range(block_rows, parts, part);
      for (Int d = range.begin; d < range.end; ++d) fill_block_row<typename decltype(tag)::type>(p, space, rows, d);
    });
  });
  write_offsets(p.b, space.blocks, exec);
  return count;
}

}  // namespace spk::cpu::convert
