// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/checked.hpp"
#include "cpu/convert.hpp"

// Dense to BSR and Blocked-ELL. The first pass marks the blocks that are not zero in one bit each.
namespace spk::cpu::convert {
namespace {

struct MarksSpace {
  MarksSpace(const DenseToSparseProblem& p, Space& space) : words((p.b.block_cols() + 63) / 64) {
    blocks = space.take<Int>(p.b.major() + 1);
    if (p.keep_columns)
      sorted_cols = space.take<Int>(p.b.nnzb);
    else
      marks = space.take<std::uint64_t>(saturating_product(p.b.major(), words));
  }
  Int words;                       // of one block row
  Int* blocks;                     // blocks before each block row
  std::uint64_t* marks = nullptr;  // block row after block row
  Int* sorted_cols = nullptr;
};

template <class T>
bool is_zero(T value) noexcept {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return (value.bits & 0x7fffu) == 0;
  else
    return value == T{};
}

// Calls body(d) for every block row, in parallel.
template <class Body>
void for_each_block_row(const SparseView& b, const Exec& exec, const Body& body) noexcept {
  const Int block_rows = b.major();
  const Int parts = std::min(part_count(b.rows * b.cols + block_rows), block_rows);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(block_rows, parts, part);
    for (Int d = range.begin; d < range.end; ++d) body(d);
  });
}

template <class T>
class BlockScanner {
 public:
  explicit BlockScanner(const DenseToSparseProblem& p) noexcept
      : a_(p.a),
        b_(p.b),
        to_(p.b, Along::rows),
        source_(static_cast<const T*>(p.a.values)),
        values_(static_cast<T*>(p.b.values)) {}

  bool is_zero_block(Int d, Int c) const noexcept {
    const Int edge = b_.block_size;
    const T* const corner = source_ + d * edge * a_.row_stride() + c * edge * a_.col_stride();
    bool all_zero = true;
    for (Int i = 0; i < edge && all_zero; ++i)  // a line of the dense matrix at a time
      for (Int j = 0; j < edge; ++j) all_zero &= is_zero(corner[i * a_.ld + j]);
    return all_zero;
  }

  // Marks the blocks of block row d and answers their number.
  Int mark(Int d, std::uint64_t* marks, Int words) const noexcept {
    std::fill_n(marks, words, std::uint64_t{0});
    Int found = 0;
    for (Int c = 0; c < b_.block_cols(); ++c) {
      if (is_zero_block(d, c)) continue;
      marks[c / 64] |= std::uint64_t{1} << (c % 64);
      ++found;
    }
    return found;
  }

  // Copies block (d, c) to a slot of the result.
  void copy_block(Int d, Int c, Int slot) const noexcept {
    const Int edge = b_.block_size;
    const Int start = to_.start(slot);
    for (Int i = 0; i < edge; ++i)
      for (Int j = 0; j < edge; ++j)
        values_[start + i * to_.major_step + j * to_.minor_step] =
            source_[(d * edge + i) * a_.row_stride() + (c * edge + j) * a_.col_stride()];
  }
  void clear_block(Int slot) const noexcept {
    const Int start = to_.start(slot);
    for (Int i = 0; i < b_.block_size; ++i)
      for (Int j = 0; j < b_.block_size; ++j) values_[start + i * to_.major_step + j * to_.minor_step] = T{};
  }

  void fill(Int d, const std::uint64_t* marks, Int slot, Int end) const noexcept {
    for (Int c = 0; c < b_.block_cols(); ++c) {
      if ((marks[c / 64] >> (c % 64) & 1u) == 0) continue;
      set_index(writable(b_.col_indices), b_.index_type, slot, c + b_.base);
      copy_block(d, c, slot++);
    }
    for (; slot < end; ++slot) {
      set_index(writable(b_.col_indices), b_.index_type, slot, -1);
      clear_block(slot);
    }
  }

 private:
  const DenseView& a_;
  const SparseView& b_;
  Places to_;
  const T* source_;
  T* values_;
};

Int mark_blocks(const DenseToSparseProblem& p, const MarksSpace& space, const Exec& exec) {
  const Int block_rows = p.b.major();
  space.blocks[0] = 0;
  visit(p.a.type, [&](auto tag) {
    const BlockScanner<typename decltype(tag)::type> scanner(p);
    for_each_block_row(
        p.b, exec, [&](Int d) { space.blocks[d + 1] = scanner.mark(d, space.marks + d * space.words, space.words); });
  });
  Int longest = 0;
  for (Int d = 0; d < block_rows; ++d) {
    longest = std::max(longest, space.blocks[d + 1]);
    space.blocks[d + 1] += space.blocks[d];
  }
  return p.b.format == Format::blocked_ell ? longest * p.b.block_size : space.blocks[block_rows];
}

// The block columns that the destination brings: in range, and each once in its block row.
void check_columns(const SparseView& b, Int* sorted, const Exec& exec) {
  const Int slots = b.slots_per_row();
  check_indices(b.col_indices, b.index_type, {0, b.nnzb}, b.base, b.block_cols(), true, "matB", "block_col_indices",
                exec);
  for (Int d = 0; d < b.major(); ++d) {
    Int* const begin = sorted + d * slots;
    Int* end = begin;
    for (Int t = d * slots; t < (d + 1) * slots; ++t)
      if (const Int col = index_at(b.col_indices, b.index_type, t); col != -1) *end++ = col;
    std::sort(begin, end);
    const Int* const twice = std::adjacent_find(begin, end);
    if (twice == end) continue;
    Int t = (d + 1) * slots - 1;  // the last of those that repeat
    while (index_at(b.col_indices, b.index_type, t) != *twice) --t;
    throw Error(SPK_STATUS_INVALID_STRUCTURE, "matB: block_col_indices[%lld] = %lld is already in block row %lld",
                static_cast<Long>(t), static_cast<Long>(*twice), static_cast<Long>(d));
  }
}

Int gather_columns(const DenseToSparseProblem& p, const MarksSpace& space, const Exec& exec) {
  check_columns(p.b, space.sorted_cols, exec);
  visit(p.a.type, [&](auto tag) {
    const BlockScanner<typename decltype(tag)::type> scanner(p);
    for_each_block_row(p.b, exec, [&](Int d) {
      const Int slots = p.b.slots_per_row();
      for (Int slot = d * slots; slot < (d + 1) * slots; ++slot) {
        const Int stored = index_at(p.b.col_indices, p.b.index_type, slot);
        if (stored == -1)
          scanner.clear_block(slot);
        else
          scanner.copy_block(d, stored - p.b.base, slot);
      }
    });
  });
  return p.b.ell_cols;
}

}  // namespace

void from_dense_blocks_layout(const DenseToSparseProblem& p, Space& space) { MarksSpace(p, space); }

Int analyze_from_dense_blocks(const DenseToSparseProblem& p, const Exec& exec) {
  Space carved(exec);
  const MarksSpace space(p, carved);
  const Int count = mark_blocks(p, space, exec);
  check_result(p.b, count);
  write_offsets(p.b, space.blocks, exec);
  return count;
}

Int run_from_dense_blocks(const DenseToSparseProblem& p, const Exec& exec) {
  Space carved(exec);
  const MarksSpace space(p, carved);
  if (p.keep_columns) return gather_columns(p, space, exec);
  const Int count = mark_blocks(p, space, exec);
  check_destination(p.b, count);
  visit(p.a.type, [&](auto tag) {
    const BlockScanner<typename decltype(tag)::type> scanner(p);
    for_each_block_row(p.b, exec, [&](Int d) {
      const std::uint64_t* const marks = space.marks + d * space.words;
      const bool is_ell = p.b.format == Format::blocked_ell;
      const Int slots = p.b.slots_per_row();
      scanner.fill(d, marks, is_ell ? d * slots : space.blocks[d], is_ell ? (d + 1) * slots : space.blocks[d + 1]);
    });
  });
  write_offsets(p.b, space.blocks, exec);
  return count;
}

}  // namespace spk::cpu::convert
