// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/convert_rows.cuh"
#include "cuda/kernels/convert_rows_bits.cuh"
#include "cuda/operations.hpp"

// Entries of op(A) brought into rows: a stable counting sort by the row in op(A), here called the key.
//
// One pass sorts by up to kMostKeys keys; more keys are sorted digit by digit, the lowest first. A pass is three
// kernels over chunks of consecutive entries: count_keys counts the keys of every chunk, sum_counts turns the counts
// of every key into sums over the chunks before, and scatter_entries puts every entry where it belongs. Integer counts
// only, and ranks follow the order of storage, so the result is the same in every run. Keys out of range are left out.
// Compressed matrices of moderate size have a quicker way (convert_rows_bits.cuh).
namespace spk::cuda {
namespace {

// Clears the flag if keys of neighbours descend or an entry is left out.
template <class Index, class Out>
__global__ void find_descents(const Pass<Index, Out> p, int* is_sorted) {
  const Int stride = static_cast<Int>(gridDim.x) * blockDim.x;
  for (Int t = static_cast<Int>(blockIdx.x) * blockDim.x + threadIdx.x; t < p.count; t += stride) {
    const Int key = p.key_of(t);
    if (key < 0 || (t > 0 && key < p.key_of(t - 1))) *is_sorted = 0;
  }
}

// Offsets from keys in ascending order; a thread searches one row.
template <class Out>
__global__ void search_offsets(const Out* sorted_keys, const Out* sorted_count, const int* is_sorted, Int stored_count,
                               Out* offsets, Int rows) {
  const Int count = *is_sorted != 0 ? stored_count : static_cast<Int>(*sorted_count);
  const Int stride = static_cast<Int>(gridDim.x) * blockDim.x;
  for (Int row = static_cast<Int>(blockIdx.x) * blockDim.x + threadIdx.x; row <= rows; row += stride) {
    Int low = 0;
    for (Int high = count; low < high;) {
      const Int middle = low + (high - low) / 2;
      if (static_cast<Int>(sorted_keys[middle]) < row)
        low = middle + 1;
      else
        high = middle;
    }
    offsets[row] = static_cast<Out>(low);
  }
}

// A's storage is by rows of op(A) already.
template <class Out>
__global__ void copy_rows(const SparseView a, const RowArrays rows, int value_size, int value_alignment) {
  const Int stride = static_cast<Int>(gridDim.x) * blockDim.x, start = static_cast<Int>(blockIdx.x) * blockDim.x;
  const Int majors = a.format == Format::csc ? a.cols : a.rows / a.block_size;
  const void* const indices = a.format == Format::csc ? a.row_indices : a.col_indices;
  for (Int i = start + threadIdx.x; i <= majors; i += stride)
    static_cast<Out*>(rows.offsets)[i] =
        static_cast<Out>(load_index(a.offsets, a.offset_type, i) - a.base - a.first_entry);
  for (Int t = start + threadIdx.x; t < a.nnzb; t += stride) {
    const Int place = a.first_entry + t;
    static_cast<Out*>(rows.indices)[t] = static_cast<Out>(load_index(indices, a.index_type, place) - a.base);
    if (rows.positions != nullptr) static_cast<Out*>(rows.positions)[t] = static_cast<Out>(place);
    if (rows.values != nullptr) move_value(rows.values, t, a.values, place, value_size, value_alignment);
  }
}

bool is_stored_in_rows(const SparseView& a, Op op) noexcept {
  if (a.format == Format::csr || a.format == Format::bsr) return op == Op::n;
  return a.format == Format::csc && op != Op::n;
}

// Rows of op(A): of blocks for formats with blocks.
Int rows_of(const SparseView& a, Op op) noexcept { return (op == Op::n ? a.rows : a.cols) / a.block_size; }

// How many passes and chunks, and what they need.
template <class Out>
struct Layout {
  Layout(const Device& device, const SparseView& a, Int keys, Pieces& pieces) {
    const int bits = keys > 1 ? 64 - __builtin_clzll(static_cast<unsigned long long>(keys - 1)) : 1;
    passes = keys <= kMostKeys ? 1 : static_cast<int>(ceil_div(bits, kDigitBits));
    most_bins = passes == 1 ? std::max<Int>(keys, 1) : Int{1} << kDigitBits;
    // A round for every multiprocessor, but not many more counters than entries.
    const Int share = ceil_div(a.nnzb, device.sm_count);
    chunk = std::clamp<Int>(share, kThreads, kRound);
    chunk = round_up(std::max({chunk, most_bins / 4, std::min(most_bins, share / 2)}), kThreads);
    // Turing has 64 KiB of shared memory for a block.
    tile = device.shared_per_block > 96 * 1024 - 1 ? kTile : kTile / 2;
    chunks = std::max<Int>(1, ceil_div(a.nnzb, chunk));
    counts = pieces.take<Out>(chunks * most_bins);
    totals = pieces.take<Out>(most_bins);
    chunk_rows = pieces.take<Out>(chunks);
    descents = pieces.take<int>(chunks);
    if (passes == 1) return;
    for (int i = 0; i < 2; ++i) {
      bin_offsets[i] = pieces.take<Out>(most_bins + 1);
      orders[i] = pieces.take<Out>(a.nnzb);
    }
    sorted_keys = pieces.take<Out>(a.nnzb);
    is_sorted = pieces.take<int>(1);
  }
  int passes;
  Int most_bins, chunk, chunks;
  int tile;
  Out *counts, *totals, *chunk_rows;
  Out *bin_offsets[2] = {}, *orders[2] = {}, *sorted_keys = nullptr;
  int *descents, *is_sorted = nullptr;
};

template <class Index, class Out>
void run_pass(const Launch& launch, const Pass<Index, Out>& p) {
  const auto chunks = static_cast<unsigned>(p.chunks), tiles = static_cast<unsigned>(ceil_div(p.bins, p.tile));
  const auto stride = static_cast<std::size_t>(round_up(std::min<Int>(p.bins, p.tile), 2));
  const std::size_t shared = stride * (sizeof(Out) + kWarps * sizeof(std::uint16_t));
  allow_shared_memory(reinterpret_cast<const void*>(&scatter_entries<Index, Out>), launch.device, shared);
  launch_kernel(count_keys<Index, Out>,
                {dim3(chunks, tiles), kThreads + 32, 0, launch.device.overlaps_launches && p.order != nullptr},
                launch.stream, p);
  launch_kernel(sum_counts<Index, Out>,
                {static_cast<unsigned>(ceil_div(p.bins, 32)), 1024, 0, launch.device.overlaps_launches}, launch.stream,
                p);
  launch_kernel(scatter_entries<Index, Out>, {dim3(chunks, tiles), kThreads, shared, launch.device.overlaps_launches},
                launch.stream, p);
}

template <class Index, class Out>
void sort_entries(const Launch& launch, const SparseView& a, Op op, const RowArrays& rows, void* scratch) {
  const Int keys = rows_of(a, op);
  Pieces pieces(scratch);
  const Layout<Out> layout(launch.device, a, keys, pieces);
  Pass<Index, Out> p{};
  const bool by_rows = op == Op::n;
  const Index* indices = static_cast<const Index*>(a.minor_indices());
  if (a.format == Format::coo) {
    p.walk = Walk::coo;
    indices = static_cast<const Index*>(by_rows ? a.row_indices : a.col_indices);
    const void* const others = by_rows ? a.col_indices : a.row_indices;
    p.others = advance_bytes(others, a.first_entry * static_cast<Int>(sizeof(Index)));
  } else if (a.format == Format::blocked_ell) {
    p.walk = Walk::ell;
    p.key_is_major = by_rows;
    p.slots = std::max<Int>(a.slots_per_row(), 1);
  } else if (a.format == Format::sell) {
    p.walk = Walk::sell;
    p.key_is_major = by_rows;
    p.slots = 1;
    p.others = a.offsets;
    p.slice_size = a.slice_size;
    p.rows = a.rows;
  } else {
    p.walk = Walk::compressed;
    p.others = a.offsets;
  }
  p.offset_type = a.offset_type;
  p.base = a.base;
  p.value_size = static_cast<int>(size_of(a.value_type));
  p.value_alignment = static_cast<int>(align_of(a.value_type));
  p.first = a.first_entry;
  p.keys = indices == nullptr ? nullptr : indices + a.first_entry;
  p.count = a.nnzb;
  p.majors = a.major();
  p.key_count = keys;
  p.chunk = layout.chunk;
  p.chunks = layout.chunks;
  p.tile = layout.tile;
  p.counts = layout.counts;
  p.totals = layout.totals;
  p.chunk_rows = layout.chunk_rows;
  p.indices = static_cast<Out*>(rows.indices);
  p.positions = static_cast<Out*>(rows.positions);
  p.source_values = a.values;
  p.values = rows.values;
  if (layout.passes == 1) {
    p.bins = layout.most_bins;
    p.is_last = true;
    p.bin_offsets = static_cast<Out*>(rows.offsets);
    if (p.walk == Walk::coo) p.descents = layout.descents;
    if (keys == 0) return SPK_CUDA_CHECK(cudaMemsetAsync(rows.offsets, 0, sizeof(Out), launch.stream));
    return run_pass(launch, p);
  }
  SPK_CUDA_CHECK(cudaMemsetAsync(layout.is_sorted, p.walk == Walk::coo ? 0xff : 0, sizeof(int), launch.stream));
  const unsigned grid = grid_for(launch.device, a.nnzb, 256);
  if (p.walk == Walk::coo) launch_kernel(find_descents<Index, Out>, {grid, 256}, launch.stream, p, layout.is_sorted);
  p.is_sorted = layout.is_sorted;
  for (int pass = 0; pass < layout.passes; ++pass) {
    p.shift = pass * kDigitBits;
    p.is_last = pass + 1 == layout.passes;
    p.bins = p.is_last ? ((keys - 1) >> p.shift) + 1 : layout.most_bins;
    p.bin_offsets = layout.bin_offsets[pass % 2];
    p.next_order = layout.orders[pass % 2];
    if (p.is_last) p.sorted_keys = layout.sorted_keys;
    if (pass > 0) {
      p.order = layout.orders[(pass + 1) % 2];
      p.order_count = layout.bin_offsets[(pass + 1) % 2] + layout.most_bins;
    }
    run_pass(launch, p);
  }
  launch_kernel(search_offsets<Out>, {grid_for(launch.device, keys + 1, 256), 256}, launch.stream, layout.sorted_keys,
                p.bin_offsets + p.bins, layout.is_sorted, a.nnzb, static_cast<Out*>(rows.offsets), keys);
}

// Where a marked sort keeps its numbers.
struct MarkedPieces {
  MarkedPieces(const MarkedLayout& layout, Int keys, Pieces& pieces)
      : marks(pieces.take<unsigned>(layout.chunks * keys)),
        sums(pieces.take<int>(layout.chunks * keys)),
        totals(pieces.take<int>(keys)),
        repeats(pieces.take<int>(layout.chunks)) {}
  unsigned* marks;
  int *sums, *totals, *repeats;
};

template <class Index>
void sort_marked(const Launch& launch, const SparseView& a, const MarkedLayout& layout, Int keys, const RowArrays& rows,
                 void* scratch) {
  Pieces pieces(scratch);
  const MarkedPieces space(layout, keys, pieces);
  MarkedPass<Index> p{};
  p.keys = static_cast<const Index*>(a.minor_indices()) + a.first_entry;
  p.offsets = a.offsets;
  p.offset_type = a.offset_type;
  p.origin = a.first_entry + a.base;
  p.first = a.first_entry;
  p.base = a.base;
  p.key_count = static_cast<int>(keys);
  p.majors = static_cast<int>(a.major());
  p.chunk_majors = layout.chunk_majors;
  p.chunks = layout.chunks;
  p.stage = layout.stage;
  p.marks = space.marks;
  p.sums = space.sums;
  p.totals = space.totals;
  p.repeats = space.repeats;
  p.row_offsets = static_cast<int*>(rows.offsets);
  p.indices = static_cast<int*>(rows.indices);
  p.positions = static_cast<int*>(rows.positions);
  p.source = a.values;
  p.values = rows.values;
  p.value_size = static_cast<int>(size_of(a.value_type));
  p.value_alignment = static_cast<int>(align_of(a.value_type));
  const auto chunks = static_cast<unsigned>(layout.chunks);
  const auto table = static_cast<std::size_t>(keys) * 4;
  const std::size_t shared = 3 * table + static_cast<std::size_t>(layout.stage) * (p.positions != nullptr ? 13 : 9);
  allow_shared_memory(reinterpret_cast<const void*>(&place_marked<Index>), launch.device, shared);
  launch_kernel(mark_keys<Index>, {chunks, kThreads, table}, launch.stream, p);
  launch_kernel(sum_marks<Index>, {static_cast<unsigned>(ceil_div(keys, 32)), 1024, 0, launch.device.overlaps_launches},
                launch.stream, p);
  launch_kernel(place_marked<Index>, {chunks, kThreads, shared, launch.device.overlaps_launches}, launch.stream, p);
}

}  // namespace

IndexType row_index_type(const SparseView& a) noexcept {
  const Int largest = std::max({a.rows, a.cols, a.first_entry + a.nnzb});
  return largest < INT32_MAX ? IndexType::i32 : IndexType::i64;
}

std::size_t sort_into_rows_scratch(const Device& device, const SparseView& a, Op op) {
  if (is_stored_in_rows(a, op)) return 0;
  const Int keys = rows_of(a, op);
  Pieces pieces, marked;
  Layout<std::int64_t>(device, a, keys, pieces);
  if (const MarkedLayout layout(device, a, keys); layout.suits()) MarkedPieces(layout, keys, marked);
  return std::max(pieces.bytes(), marked.bytes());
}

void sort_into_rows(const Launch& launch, const SparseView& a, Op op, const RowArrays& rows, void* scratch) {
  visit(rows.index_type == IndexType::i64 ? IndexType::i64 : IndexType::i32, [&](auto out) {
    using Out = typename decltype(out)::type;
    if constexpr (sizeof(Out) >= 4) {
      if (is_stored_in_rows(a, op))
        return launch_kernel(copy_rows<Out>, {grid_for(launch.device, std::max(a.nnzb, a.major() + 1), 256), 256},
                             launch.stream, a, rows, static_cast<int>(size_of(a.value_type)),
                             static_cast<int>(align_of(a.value_type)));
      visit(a.index_type, [&](auto index) {
        using Index = typename decltype(index)::type;
        const Int keys = rows_of(a, op);
        if constexpr (sizeof(Out) == 4)
          if (const MarkedLayout layout(launch.device, a, keys); layout.suits())
            return sort_marked<Index>(launch, a, layout, keys, rows, scratch);
        sort_entries<Index, Out>(launch, a, op, rows, scratch);
      });
    }
  });
}

}  // namespace spk::cuda
