// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_convert.hpp"
#include "cuda/kernels/convert_device.cuh"

// Sparse from sparse where the result stores blocks (BSR, Blocked-ELL). Entries are sorted by block of the result and
// place inside, so that blocks are runs of entries, and entries that meet are neighbours in storage order.
namespace spk::cuda {
namespace {

struct BlocksSpace {
  BlocksSpace(const Device& device, const SparseToSparseProblem& p, Pieces& pieces)
      : state(pieces.take<SourceState>(1)),
        longest(pieces.take<unsigned long long>(1)),
        sort(device, p.a, pieces),
        rows(device, p.b.major(), pieces),
        numbers(pieces.take<Int>(p.a.nnz)),
        scratch_bytes(sum_scratch(device, p.a.nnz)) {
    scratch = pieces.take<char>(static_cast<Int>(scratch_bytes));
  }
  SourceState* state;
  unsigned long long* longest;  // blocks of the longest block row
  SortSpace sort;
  CountSpace rows;  // blocks before each block row
  Int* numbers;     // of the block of every entry in the new order, from 1
  std::size_t scratch_bytes;
  void* scratch;
};

// Marks the first entry of every block and counts them by block row.
__global__ void find_blocks(const SparseView a, const Int* order, Int count, Int edge, Int* numbers, Int* rows) {
  for (Int t = first_item(); t < count; t += item_stride()) {
    const Entry entry = read_entry(a, order[t]);
    bool is_first = t == 0;
    if (t > 0) {
      const Entry before = read_entry(a, order[t - 1]);
      is_first = before.row / edge != entry.row / edge || before.col / edge != entry.col / edge;
    }
    numbers[t] = is_first ? 1 : 0;
    if (is_first) atomicAdd(reinterpret_cast<unsigned long long*>(rows + entry.row / edge), 1ull);
  }
}

__global__ void find_longest(const Int* rows, Int count, unsigned long long* longest) {
  Int most = 0;
  for (Int i = first_item(); i < count; i += item_stride()) most = max(most, rows[i]);
  if (most > 0) atomicMax(longest, static_cast<unsigned long long>(most));
}

// The thread of a place's first entry adds up the others.
template <class T>
__global__ void fill_blocks(const SparseView a, const Int* order, Int count, const SparseView b, const Int* numbers,
                            const Int* rows) {
  const T* const source = static_cast<const T*>(a.values);
  T* const values = static_cast<T*>(b.values);
  const Int edge = b.block_size;
  for (Int t = first_item(); t < count; t += item_stride()) {
    const Entry entry = read_entry(a, order[t]);
    const Int block_row = entry.row / edge, block_col = entry.col / edge;
    Int slot = numbers[t] - 1;
    if (b.format == Format::blocked_ell) slot += block_row * (b.ell_cols / edge) - rows[block_row];
    if (t == 0 || numbers[t] != numbers[t - 1])
      store_index(const_cast<void*>(b.col_indices), b.index_type, slot, block_col + b.base);
    if (t > 0) {
      const Entry before = read_entry(a, order[t - 1]);
      if (before.row == entry.row && before.col == entry.col) continue;
    }
    T sum = source[entry.place];
    for (Int next = t + 1; next < count; ++next) {
      const Entry other = read_entry(a, order[next]);
      if (other.row != entry.row || other.col != entry.col) break;
      sum = add_values(sum, source[other.place]);
    }
    const Int row = entry.row % edge, col = entry.col % edge;
    Int place = slot * edge * edge + (b.block_order == Order::col ? col * edge + row : row * edge + col);
    if (b.format == Format::blocked_ell) {
      const Int slots = b.ell_cols / edge;
      place = entry.row * b.ell_cols + (slot - block_row * slots) * edge + col;
    }
    values[place] = sum;
  }
}

struct Blocks {
  const Int* order;
  Int entries;  // of the source
  Int count;    // what check_destination takes
};

// Lists the blocks of the result.
Blocks list_blocks(const Device& device, const SparseToSparseProblem& p, const BlocksSpace& space, const Exec& exec) {
  const SourceState state = examine(device, p.a, Along::rows, "matA", space.state, exec);
  Blocks blocks{};
  blocks.entries = static_cast<Int>(state.used) * p.a.block_size * p.a.block_size;
  blocks.order = sort_entries(device, p.a, SortBy::blocks, p.b.block_size, space.sort, exec);
  const Int block_rows = p.b.major();
  const auto bytes = static_cast<std::size_t>(block_rows + 1) * sizeof(Int);
  SPK_CUDA_CHECK(cudaMemsetAsync(space.rows.offsets, 0, bytes, stream_of(exec)));
  SPK_CUDA_CHECK(cudaMemsetAsync(space.longest, 0, sizeof *space.longest, stream_of(exec)));
  for_items(find_blocks, device, blocks.entries, exec, p.a, blocks.order, blocks.entries, p.b.block_size, space.numbers,
            space.rows.offsets);
  for_items(find_longest, device, block_rows, exec, space.rows.offsets, block_rows, space.longest);
  sum_in_place(space.rows.offsets, block_rows + 1, false, space.rows.scratch, space.rows.scratch_bytes, exec);
  sum_in_place(space.numbers, blocks.entries, true, space.scratch, space.scratch_bytes, exec);
  blocks.count = p.b.format == Format::blocked_ell ? static_cast<Int>(read_number(space.longest, exec)) * p.b.block_size
                                                   : read_number(space.rows.offsets + block_rows, exec);
  return blocks;
}

}  // namespace

std::size_t blocks_workspace(const Device& device, const SparseToSparseProblem& p) {
  Pieces pieces;
  BlocksSpace(device, p, pieces);
  return pieces.bytes();
}

Int analyze_blocks(const Device& device, const SparseToSparseProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const BlocksSpace space(device, p, pieces);
  const Blocks blocks = list_blocks(device, p, space, exec);
  check_result(p.b, blocks.count);
  write_offsets(device, p.b, space.rows.offsets, exec);
  return blocks.count;
}

Int run_blocks(const Device& device, const SparseToSparseProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const BlocksSpace space(device, p, pieces);
  const Blocks blocks = list_blocks(device, p, space, exec);
  check_destination(p.b, blocks.count);
  clear_blocks(p.b, exec);
  visit_device(p.a.value_type, [&](auto tag) {
    for_items(fill_blocks<typename decltype(tag)::type>, device, blocks.entries, exec, p.a, blocks.order,
              blocks.entries, p.b, space.numbers, space.rows.offsets);
  });
  write_offsets(device, p.b, space.rows.offsets, exec);
  return blocks.count;
}

void clear_blocks(const SparseView& b, const Exec& exec) {
  if (b.nnzb == 0) return;
  const auto value_bytes = static_cast<std::size_t>(b.nnz) * size_of(b.value_type);
  SPK_CUDA_CHECK(cudaMemsetAsync(b.values, 0, value_bytes, stream_of(exec)));
  const auto index_bytes = static_cast<std::size_t>(b.nnzb) * size_of(b.index_type);
  SPK_CUDA_CHECK(cudaMemsetAsync(writable(b.col_indices), 0xff, index_bytes, stream_of(exec)));  // -1
}

}  // namespace spk::cuda
