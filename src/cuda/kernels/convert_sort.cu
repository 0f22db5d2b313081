// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/kernels/convert_device.cuh"

// The order of a matrix's entries, and sums, on which conversions build. Sorting is a stable radix sort of entry
// numbers by keys made of rows and columns; where they do not fit one key of 64 bits it takes several, the lowest
// digits first.
namespace spk::cuda {
namespace {

constexpr int kFields = 5;

// A key is made of fields: (row, col) or (block row, block col, row inside, col inside), below a bit for unused slots.
// Field 0 is the lowest.
struct KeyFields {
  SortBy by;
  Int edge;
  int group[kFields];  // of the field, -1: not there
  int shift[kFields];  // inside the group
  int groups, bits[kFields];
};

int bits_of(Int count) noexcept {
  return count > 1 ? 64 - __builtin_clzll(static_cast<unsigned long long>(count - 1)) : 0;
}

KeyFields key_fields(const SparseView& a, SortBy by, Int edge) noexcept {
  KeyFields keys{by, edge, {}, {}, 1, {}};
  const bool blocks = by == SortBy::blocks;
  const int widths[kFields] = {
      blocks ? bits_of(edge) : bits_of(by == SortBy::rows ? a.cols : a.rows),
      blocks ? bits_of(edge) : bits_of(by == SortBy::rows ? a.rows : a.cols),
      blocks ? bits_of(a.cols / edge) : 0,
      blocks ? bits_of(a.rows / edge) : 0,
      a.format == Format::blocked_ell ? 1 : 0,
  };
  for (int i = 0; i < kFields; ++i) {
    keys.group[i] = -1;
    if (widths[i] == 0) continue;
    if (keys.bits[keys.groups - 1] + widths[i] > 64) ++keys.groups;
    keys.group[i] = keys.groups - 1;
    keys.shift[i] = keys.bits[keys.groups - 1];
    keys.bits[keys.groups - 1] += widths[i];
  }
  return keys;
}

__global__ void make_keys(const SparseView a, const KeyFields fields, int group, const Int* order, std::uint64_t* keys,
                          Int* entries) {
  for (Int t = first_item(); t < a.nnz; t += item_stride()) {
    const Int number = order == nullptr ? t : order[t];
    const Entry entry = read_entry(a, number);
    Int values[kFields] = {entry.col, entry.row, 0, 0, entry.used ? 0 : 1};
    if (fields.by == SortBy::cols) {
      values[0] = entry.row;
      values[1] = entry.col;
    } else if (fields.by == SortBy::blocks) {
      values[0] = entry.col % fields.edge;
      values[1] = entry.row % fields.edge;
      values[2] = entry.col / fields.edge;
      values[3] = entry.row / fields.edge;
    }
    std::uint64_t key = 0;
#pragma unroll
    for (int i = 0; i < kFields; ++i)
      if (fields.group[i] == group && (entry.used || i == kFields - 1))
        key |= static_cast<std::uint64_t>(values[i]) << fields.shift[i];
    keys[t] = key;
    if (order == nullptr) entries[t] = number;
  }
}

// Counts the used entries of every major; lanes with one major add once.
__global__ void count_majors(const SparseView a, Along along, Int* counts) {
  const Int rounds = ceil_div(a.nnz, item_stride());
  for (Int round = 0; round < rounds; ++round) {
    const Int t = round * item_stride() + first_item();
    Int major = -1;
    if (t < a.nnz) {
      const Entry entry = read_entry(a, t);
      if (entry.used) major = along == Along::rows ? entry.row : entry.col;
    }
    const unsigned same = __match_any_sync(0xffffffffu, static_cast<unsigned long long>(major));
    if (major >= 0 && __ffs(static_cast<int>(same)) - 1 == static_cast<int>(threadIdx.x % 32))
      atomicAdd(reinterpret_cast<unsigned long long*>(counts + major), static_cast<unsigned long long>(__popc(same)));
  }
}

__global__ void add_base(const Int* offsets, Int count, Int base, void* to, IndexType type) {
  for (Int i = first_item(); i < count; i += item_stride()) store_index(to, type, i, offsets[i] + base);
}

}  // namespace

SortSpace::SortSpace(const Device& device, Int count, Pieces& pieces) {
  const DeviceGuard guard(device.ordinal);
  for (int i = 0; i < 2; ++i) {
    keys[i] = pieces.take<std::uint64_t>(count);
    entries[i] = pieces.take<Int>(count);
  }
  cub::DoubleBuffer<std::uint64_t> key_buffers;
  cub::DoubleBuffer<Int> entry_buffers;
  scratch_bytes = 0;
  SPK_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, scratch_bytes, key_buffers, entry_buffers, count));
  scratch = pieces.take<char>(static_cast<Int>(scratch_bytes));
}

int sort_pass(const SortSpace& space, int from, Int count, int bits, const Exec& exec) {
  if (bits == 0 || count == 0) return from;
  cub::DoubleBuffer<std::uint64_t> keys(space.keys[0], space.keys[1]);
  cub::DoubleBuffer<Int> entries(space.entries[from], space.entries[1 - from]);
  std::size_t bytes = space.scratch_bytes;
  SPK_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(space.scratch, bytes, keys, entries, count, 0, bits, stream_of(exec)));
  return entries.Current() == space.entries[0] ? 0 : 1;
}

const Int* sort_entries(const Device& device, const SparseView& a, SortBy by, Int edge, const SortSpace& space,
                        const Exec& exec) {
  const KeyFields fields = key_fields(a, by, edge);
  int current = 0;
  for (int group = 0; group < fields.groups; ++group) {
    for_items(make_keys, device, a.nnz, exec, a, fields, group, group == 0 ? nullptr : space.entries[current],
              space.keys[0], space.entries[current]);
    current = sort_pass(space, current, a.nnz, fields.bits[group], exec);
  }
  return space.entries[current];
}

std::size_t sum_scratch(const Device& device, Int count) {
  const DeviceGuard guard(device.ordinal);
  std::size_t inclusive = 0, exclusive = 0;
  Int* const numbers = nullptr;
  SPK_CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, inclusive, numbers, numbers, count));
  SPK_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, exclusive, numbers, numbers, count));
  return std::max({inclusive, exclusive, std::size_t{1}});
}

void sum_in_place(Int* counts, Int count, bool inclusive, void* scratch, std::size_t scratch_bytes, const Exec& exec) {
  if (count == 0) return;
  if (inclusive)
    SPK_CUDA_CHECK(cub::DeviceScan::InclusiveSum(scratch, scratch_bytes, counts, counts, count, stream_of(exec)));
  else
    SPK_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, scratch_bytes, counts, counts, count, stream_of(exec)));
}

void count_entries(const Device& device, const SparseView& a, Along along, Int majors, const CountSpace& space,
                   const Exec& exec) {
  const auto bytes = static_cast<std::size_t>(majors + 1) * sizeof(Int);
  SPK_CUDA_CHECK(cudaMemsetAsync(space.offsets, 0, bytes, stream_of(exec)));
  for_items(count_majors, device, a.nnz, exec, a, along, space.offsets);
  sum_in_place(space.offsets, majors + 1, false, space.scratch, space.scratch_bytes, exec);
}

void write_offsets(const Device& device, const SparseView& b, const Int* offsets, const Exec& exec) {
  if (b.offset_type == IndexType::none) return;
  for_items(add_base, device, b.major() + 1, exec, offsets, b.major() + 1, Int{b.base}, writable(b.offsets),
            b.offset_type);
}

}  // namespace spk::cuda
