// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/checked.hpp"
#include "core/validate_convert.hpp"
#include "cuda/kernels/convert_bits.cuh"
#include "cuda/kernels/convert_device.cuh"

// Dense to BSR and Blocked-ELL: mark the blocks that are not zero, list them, copy them.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256;
constexpr Int kWarpEdge = 6;  // blocks from here on are worth a warp each

struct MarksSpace {
  MarksSpace(const Device& device, const DenseToSparseProblem& p, Pieces& pieces)
      : state(pieces.take<SourceState>(1)),
        longest(pieces.take<unsigned long long>(1)),
        rows(device, p.b.major(), pieces) {
    if (!p.keep_columns) marks = pieces.take<std::uint8_t>(saturating_product(p.b.major(), p.b.block_cols()));
  }
  SourceState* state;
  unsigned long long* longest;    // blocks of the longest block row, or the first slot that repeats
  CountSpace rows;                // blocks before each block row
  std::uint8_t* marks = nullptr;  // (block rows, block cols)
};

// A thread or a warp looks at a block, line by line of the dense matrix.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    mark_blocks(const DenseView a, Int edge, bool by_warp, Int block_rows, Int block_cols, std::uint8_t* marks) {
  const Bits* const values = static_cast<const Bits*>(a.values);
  const Int row_stride = a.order == Order::row ? a.ld : 1, col_stride = a.order == Order::row ? 1 : a.ld;
  const int width = by_warp ? 32 : 1, lane = static_cast<int>(threadIdx.x) % width;
  for (Int block = first_item() / width; block < block_rows * block_cols; block += item_stride() / width) {
    const Bits* const corner = values + block / block_cols * edge * row_stride + block % block_cols * edge * col_stride;
    bool stored = false;
    for (Int e = lane; e < edge * edge && !stored; e += width)
      stored = !is_zero_bits(corner[e / edge * a.ld + e % edge]);
    if (by_warp) stored = __any_sync(0xffffffffu, stored);
    if (lane == 0) marks[block] = stored ? 1 : 0;
  }
}

// A warp takes a block row. kFills: writes the block columns of its slots; else counts.
template <bool kFills>
__global__ void __launch_bounds__(kThreads)
    list_blocks(const std::uint8_t* marks, const SparseView b, Int block_rows, Int* rows, unsigned long long* longest) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Int block_cols = b.cols / b.block_size;
  const bool is_ell = b.format == Format::blocked_ell;
  for (Int row = first_item() / 32; row < block_rows; row += item_stride() / 32) {
    Int slot = 0;
    if (kFills) slot = is_ell ? row * (b.ell_cols / b.block_size) : rows[row];
    for (Int begin = 0; begin < block_cols; begin += 32) {
      const Int col = begin + lane;
      const bool stored = col < block_cols && marks[row * block_cols + col] != 0;
      const unsigned found = __ballot_sync(0xffffffffu, stored);
      if (kFills && stored)
        store_index(const_cast<void*>(b.col_indices), b.index_type, slot + __popc(found & ((1u << lane) - 1)),
                    col + b.base);
      slot += __popc(found);
    }
    if (!kFills && lane == 0) {
      rows[row] = slot;
      atomicMax(longest, static_cast<unsigned long long>(slot));
    }
  }
}

// Copies the blocks whose columns are listed, element by element of the result; unused slots become 0.
template <class Bits>
__global__ void __launch_bounds__(kThreads) copy_blocks(const DenseView a, const SparseView b, const Int* rows) {
  const Bits* const source = static_cast<const Bits*>(a.values);
  Bits* const values = static_cast<Bits*>(b.values);
  const Int edge = b.block_size, unit = edge * edge, slots = b.ell_cols / edge;
  const Int row_stride = a.order == Order::row ? a.ld : 1, col_stride = a.order == Order::row ? 1 : a.ld;
  const bool is_ell = b.format == Format::blocked_ell;
  for (Int t = first_item(); t < b.nnz; t += item_stride()) {
    Int row, slot, col;
    if (is_ell) {
      row = t / b.ell_cols;
      const Int inside = t % b.ell_cols;
      slot = row / edge * slots + inside / edge;
      col = inside % edge;
    } else {
      slot = t / unit;
      const Int slow = t % unit / edge, fast = t % edge;
      row = last_at_most(rows, IndexType::i64, slot, 0, b.rows / edge) * edge +
            (b.block_order == Order::col ? fast : slow);
      col = b.block_order == Order::col ? slow : fast;
    }
    const Int stored = load_index(b.col_indices, b.index_type, slot);
    Bits value{};
    if (!is_ell || stored != -1) value = source[row * row_stride + ((stored - b.base) * edge + col) * col_stride];
    values[t] = value;
  }
}

// The first slot whose block column stands in its block row twice: the lowest block row, in it the smallest such
// column, of that the last slot. A thread looks at a slot; *first is the smallest of (block row, column) and then of
// slots counted from the end.
__global__ void find_repeats(const SparseView b, Int pass, unsigned long long* found) {
  const Int slots = b.ell_cols / b.block_size;
  for (Int t = first_item(); t < b.nnzb; t += item_stride()) {
    const Int col = load_index(b.col_indices, b.index_type, t);
    if (col == -1) continue;
    const Int row = t / slots, end = (row + 1) * slots;
    if (pass > 0 && row != static_cast<Int>(found[0])) continue;
    if (pass > 1 && col - b.base != static_cast<Int>(found[1])) continue;
    bool repeats = false;
    for (Int other = row * slots; other < end && !repeats; ++other)
      repeats = other != t && load_index(b.col_indices, b.index_type, other) == col;
    if (!repeats) continue;
    const Int what = pass == 0 ? row : pass == 1 ? col - b.base : end - 1 - t;
    atomicMin(found + pass, static_cast<unsigned long long>(what));
  }
}

// The block columns that the destination brings: in range, and each once in its block row.
void check_columns(const Device& device, const SparseView& b, const MarksSpace& space, const Exec& exec) {
  examine_indices(device, b, "matB", space.state, exec);
  unsigned long long* const found = &space.state->fault;
  SPK_CUDA_CHECK(cudaMemsetAsync(found, 0xff, 3 * sizeof *found, stream_of(exec)));
  for_items(find_repeats, device, b.nnzb, exec, b, Int{0}, found);
  const auto row = static_cast<Int>(read_number(found, exec));
  if (row == -1) return;
  for (Int pass = 1; pass < 3; ++pass) for_items(find_repeats, device, b.nnzb, exec, b, pass, found);
  const Int col = static_cast<Int>(read_number(found + 1, exec));
  const Int from_end = static_cast<Int>(read_number(found + 2, exec));
  throw Error(SPK_STATUS_INVALID_STRUCTURE, "matB: block_col_indices[%lld] = %lld is already in block row %lld",
              static_cast<Long>((row + 1) * b.slots_per_row() - 1 - from_end), static_cast<Long>(col + b.base),
              static_cast<Long>(row));
}

Int mark(const Device& device, const DenseToSparseProblem& p, const MarksSpace& space, const Exec& exec) {
  const Int block_rows = p.b.major(), block_cols = p.b.block_cols(), edge = p.b.block_size;
  const bool by_warp = edge >= kWarpEdge;
  SPK_CUDA_CHECK(cudaMemsetAsync(space.longest, 0, sizeof *space.longest, stream_of(exec)));
  SPK_CUDA_CHECK(cudaMemsetAsync(space.rows.offsets + block_rows, 0, sizeof(Int), stream_of(exec)));
  visit_bits(p.a.type, [&](auto tag) {
    const Int blocks = block_rows * block_cols;
    for_items(mark_blocks<typename decltype(tag)::type>, device, by_warp ? blocks * 32 : blocks, exec, p.a, edge,
              by_warp, block_rows, block_cols, space.marks);
  });
  for_items(list_blocks<false>, device, block_rows * 32, exec, space.marks, p.b, block_rows, space.rows.offsets,
            space.longest);
  sum_in_place(space.rows.offsets, block_rows + 1, false, space.rows.scratch, space.rows.scratch_bytes, exec);
  return p.b.format == Format::blocked_ell ? static_cast<Int>(read_number(space.longest, exec)) * edge
                                           : read_number(space.rows.offsets + block_rows, exec);
}

void copy(const Device& device, const DenseToSparseProblem& p, const MarksSpace& space, const Exec& exec) {
  visit_bits(p.a.type, [&](auto tag) {
    for_items(copy_blocks<typename decltype(tag)::type>, device, p.b.nnz, exec, p.a, p.b, space.rows.offsets);
  });
}

}  // namespace

std::size_t blocks_workspace(const Device& device, const DenseToSparseProblem& p) {
  Pieces pieces;
  MarksSpace(device, p, pieces);
  return pieces.bytes();
}

Int analyze_blocks(const Device& device, const DenseToSparseProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const MarksSpace space(device, p, pieces);
  const Int count = mark(device, p, space, exec);
  check_result(p.b, count);
  write_offsets(device, p.b, space.rows.offsets, exec);
  return count;
}

Int run_blocks(const Device& device, const DenseToSparseProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const MarksSpace space(device, p, pieces);
  if (p.keep_columns) {
    check_columns(device, p.b, space, exec);
    copy(device, p, space, exec);
    return p.b.ell_cols;
  }
  const Int count = mark(device, p, space, exec);
  check_destination(p.b, count);
  if (p.b.format == Format::blocked_ell) clear_blocks(p.b, exec);
  for_items(list_blocks<true>, device, p.b.major() * 32, exec, space.marks, p.b, p.b.major(), space.rows.offsets,
            space.longest);
  copy(device, p, space, exec);
  write_offsets(device, p.b, space.rows.offsets, exec);
  return count;
}

}  // namespace spk::cuda
