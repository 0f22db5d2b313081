// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/convert_bits.cuh"
#include "cuda/kernels/convert_device.cuh"

// The kernels of validate.cu: each looks at one thing in one matrix and adds what it finds to the counters. None
// follows an offset that was not checked.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kRankBits = 61;  // places of a fault's position; above them 0 offsets, 1 row indices, 2 column indices

struct Counters {
  unsigned long long fault;  // smallest rank and position, all ones: none
  unsigned long long bad_offsets, bad_indices, unsorted_rows, repeats, empty_rows, rows_seen, nan_values,
      infinite_values;
};

enum OffsetFault { kNone, kFirst, kDecreases, kLast, kSlice };
// slice_size: 0 unless slices are whole columns of so many slots.
__host__ __device__ OffsetFault offset_fault(Int i, Int majors, Int here, Int before, Int first, Int last,
                                             Int slice_size) {
  if (i == 0 && here != first) return kFirst;
  if (i > 0 && here < before) return kDecreases;
  if (here > last || (i == majors && here != last)) return kLast;
  return slice_size != 0 && i > 0 && before >= first && (here - before) % slice_size != 0 ? kSlice : kNone;
}

__device__ void report(Counters* counters, int rank, Int position) {
  atomicMin(&counters->fault,
            (static_cast<unsigned long long>(rank) << kRankBits) + static_cast<unsigned long long>(position));
}

__global__ void __launch_bounds__(kThreads) check_offsets(const SparseView a, Int majors, Counters* counters) {
  const Int first = a.first_entry + a.base, last = first + a.nnzb;
  unsigned long long bad = 0;
  for (Int i = first_item(); i <= majors; i += item_stride()) {
    const Int here = load_index(a.offsets, a.offset_type, i);
    const Int before = i > 0 ? load_index(a.offsets, a.offset_type, i - 1) : 0;
    if (offset_fault(i, majors, here, before, first, last, a.slice_size) == kNone) continue;
    ++bad;
    report(counters, 0, i);
  }
  add_to(&counters->bad_offsets, bad);
}

__global__ void __launch_bounds__(kThreads)
    check_indices(const SparseView a, const void* indices, int rank, Int limit, Counters* counters) {
  unsigned long long bad = 0;
  for (Int t = first_item(); t < a.nnzb; t += item_stride()) {
    const Int index = load_index(indices, a.index_type, a.first_entry + t);
    if ((a.format == Format::blocked_ell || a.format == Format::sell) && index == -1) continue;
    if (!is_outside(index, a.base, limit)) continue;
    ++bad;
    report(counters, rank, a.first_entry + t);
  }
  add_to(&counters->bad_indices, bad);
}

// Which majors have entries to count, where offsets are broken: one thread, since each answer depends on those before.
__global__ void accept_majors(const SparseView a, Int majors, std::uint8_t* accepted) {
  Int reached = a.first_entry + a.base;
  const Int last = reached + a.nnzb;
  for (Int i = 0; i < majors; ++i) {
    const Int begin = load_index(a.offsets, a.offset_type, i), end = load_index(a.offsets, a.offset_type, i + 1);
    const bool sound =
        begin >= reached && end >= begin && end <= last && (a.slice_size == 0 || (end - begin) % a.slice_size == 0);
    accepted[i] = sound ? 1 : 0;
    if (sound) reached = end;
  }
}

// A warp takes a major. entry_majors: NULL, or receives the major of every entry, from the first stored one on.
__global__ void __launch_bounds__(kThreads)
    count_majors(const SparseView a, const void* minors, Int majors, const std::uint8_t* accepted, bool count_empty,
                 Int* entry_majors, Counters* counters) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned long long unsorted = 0, repeats = 0, empty = 0;
  for (Int i = first_item() / 32; i < majors; i += item_stride() / 32) {
    if (accepted != nullptr && accepted[i] == 0) continue;
    const Int begin = load_index(a.offsets, a.offset_type, i) - a.base;
    const Int end = load_index(a.offsets, a.offset_type, i + 1) - a.base;
    bool descends = false;
    for (Int t = begin + lane; t < end; t += 32) {
      if (entry_majors != nullptr) entry_majors[t - a.first_entry] = i;
      if (t == begin) continue;
      const Int here = load_index(minors, a.index_type, t), before = load_index(minors, a.index_type, t - 1);
      descends = descends || here < before;
      repeats += here == before ? 1 : 0;
    }
    descends = __any_sync(0xffffffffu, descends) != 0;
    if (lane != 0) continue;
    unsorted += descends ? 1 : 0;
    empty += begin == end && count_empty ? 1 : 0;
  }
  add_to(&counters->unsorted_rows, unsorted);
  add_to(&counters->repeats, repeats);
  add_to(&counters->empty_rows, empty);
}

// A thread takes a block row of Blocked-ELL.
__global__ void __launch_bounds__(kThreads)
    count_block_rows(const SparseView a, Int majors, bool count_empty, Int* entry_majors, Counters* counters) {
  const Int slots = a.ell_cols / a.block_size;
  unsigned long long unsorted = 0, repeats = 0, empty = 0;
  for (Int i = first_item(); i < majors; i += item_stride()) {
    Int before = -1;
    bool descends = false, any = false;
    for (Int t = i * slots; t < (i + 1) * slots; ++t) {
      const Int here = load_index(a.col_indices, a.index_type, t);
      if (here == -1) continue;
      if (entry_majors != nullptr) entry_majors[t] = i;
      descends = descends || (any && here < before);
      repeats += any && here == before ? 1 : 0;
      any = true;
      before = here;
    }
    unsorted += descends ? 1 : 0;
    empty += !any && count_empty ? 1 : 0;
  }
  add_to(&counters->unsorted_rows, unsorted);
  add_to(&counters->repeats, repeats);
  add_to(&counters->empty_rows, empty);
}

// A thread takes a row of SELL; `accepted` is about slices.
__global__ void __launch_bounds__(kThreads) count_slice_rows(const SparseView a, const std::uint8_t* accepted,
                                                             bool count_empty, Int* entry_majors, Counters* counters) {
  unsigned long long unsorted = 0, repeats = 0, empty = 0;
  for (Int row = first_item(); row < a.rows; row += item_stride()) {
    const Int slice = row / a.slice_size;
    if (accepted != nullptr && accepted[slice] == 0) continue;
    const Int begin = load_index(a.offsets, a.offset_type, slice) - a.base;
    const Int end = load_index(a.offsets, a.offset_type, slice + 1) - a.base;
    Int before = -1;
    bool descends = false, any = false;
    for (Int t = begin + row % a.slice_size; t < end; t += a.slice_size) {
      const Int here = load_index(a.col_indices, a.index_type, t);
      if (here == -1) continue;
      if (entry_majors != nullptr) entry_majors[t] = row;
      descends = descends || (any && here < before);
      repeats += any && here == before ? 1 : 0;
      any = true;
      before = here;
    }
    unsorted += descends ? 1 : 0;
    empty += !any && count_empty ? 1 : 0;
  }
  add_to(&counters->unsorted_rows, unsorted);
  add_to(&counters->repeats, repeats);
  add_to(&counters->empty_rows, empty);
}

// Neighbours of COO, as stored or in the order given.
__global__ void __launch_bounds__(kThreads) count_neighbours(const SparseView a, const Int* order, Counters* counters) {
  unsigned long long descents = 0, repeats = 0, rows = 0;
  for (Int t = first_item(); t < a.nnz; t += item_stride()) {
    const Int here = order == nullptr ? t : order[t];
    const Int row = load_index(a.row_indices, a.index_type, here), col = load_index(a.col_indices, a.index_type, here);
    bool is_new = true;
    if (t > 0) {
      const Int before = order == nullptr ? t - 1 : order[t - 1];
      const Int row_before = load_index(a.row_indices, a.index_type, before);
      const Int col_before = load_index(a.col_indices, a.index_type, before);
      is_new = row != row_before;
      descents += row < row_before || (row == row_before && col < col_before) ? 1 : 0;
      repeats += row == row_before && col == col_before ? 1 : 0;
    }
    rows += is_new && !is_outside(row, a.base, a.rows) ? 1 : 0;
  }
  if (order == nullptr) add_to(&counters->unsorted_rows, descents);
  add_to(&counters->repeats, repeats);
  add_to(&counters->rows_seen, rows);
}

// Keys that bring equal numbers together; their order means nothing. order NULL: as stored, and entries are numbered.
__global__ void copy_keys(const void* numbers, IndexType type, Int first, Int count, const Int* order,
                          std::uint64_t* keys, Int* entries) {
  for (Int t = first_item(); t < count; t += item_stride()) {
    const Int entry = order == nullptr ? t : order[t];
    const Int number = load_index(numbers, type, first + entry);
    keys[t] = type == IndexType::i32 ? static_cast<std::uint32_t>(number) : static_cast<std::uint64_t>(number);
    if (order == nullptr) entries[t] = t;
  }
}

// Entries that repeat the one before them, majors of -1 left out.
__global__ void __launch_bounds__(kThreads) count_repeats(const SparseView a, const void* minors, const Int* order,
                                                          const Int* entry_majors, Counters* counters) {
  unsigned long long repeats = 0;
  for (Int t = first_item() + 1; t < a.nnzb; t += item_stride()) {
    const Int here = order[t], before = order[t - 1];
    if (entry_majors[here] == -1 || entry_majors[here] != entry_majors[before]) continue;
    repeats += load_index(minors, a.index_type, a.first_entry + here) ==
                       load_index(minors, a.index_type, a.first_entry + before)
                   ? 1
                   : 0;
  }
  add_to(&counters->repeats, repeats);
}

// Bits without the sign, against those of infinity.
__device__ inline int kind_of(std::uint16_t bits, std::uint64_t infinity) {
  const std::uint64_t magnitude = bits & 0x7fffu;
  return magnitude > infinity ? 2 : magnitude == infinity ? 1 : 0;
}
__device__ inline int kind_of(std::uint32_t bits, std::uint64_t infinity) {
  const std::uint64_t magnitude = bits & 0x7fffffffu;
  return magnitude > infinity ? 2 : magnitude == infinity ? 1 : 0;
}
__device__ inline int kind_of(std::uint64_t bits, std::uint64_t infinity) {
  const std::uint64_t magnitude = bits & INT64_MAX;
  return magnitude > infinity ? 2 : magnitude == infinity ? 1 : 0;
}
template <class Part>
__device__ int kind_of(const BitPair<Part>& bits, std::uint64_t infinity) {
  return max(kind_of(bits.re, infinity), kind_of(bits.im, infinity));
}

template <class Bits>
__global__ void __launch_bounds__(kThreads)
    count_values(const SparseView a, std::uint64_t infinity, Counters* counters) {
  const Bits* const values = static_cast<const Bits*>(a.values) + a.first_entry * a.block_size * a.block_size;
  unsigned long long nan_values = 0, infinite_values = 0;
  for (Int t = first_item(); t < a.nnz; t += item_stride()) {
    if (a.format == Format::blocked_ell) {
      const Int slot = t / a.ell_cols / a.block_size * (a.ell_cols / a.block_size) + t % a.ell_cols / a.block_size;
      if (load_index(a.col_indices, a.index_type, slot) == -1) continue;
    } else if (a.format == Format::sell && load_index(a.col_indices, a.index_type, t) == -1) {
      continue;
    }
    const int kind = kind_of(values[t], infinity);
    nan_values += kind == 2 ? 1 : 0;
    infinite_values += kind == 1 ? 1 : 0;
  }
  add_to(&counters->nan_values, nan_values);
  add_to(&counters->infinite_values, infinite_values);
}

}  // namespace
}  // namespace spk::cuda
