// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/convert_device.cuh"
#include "cuda/operations.hpp"

// Sorting and coalescing in place: the new arrays are made in the workspace and copied back when complete.
namespace spk::cuda {
namespace {

struct InPlaceSpace {
  InPlaceSpace(const Device& device, const SparseView& a, bool coalesces, Pieces& pieces)
      : state(pieces.take<SourceState>(1)), sort(device, a, pieces) {
    const Int index_bytes = a.nnz * static_cast<Int>(size_of(a.index_type));
    if (a.format != Format::csr) rows = pieces.take<char>(index_bytes);
    if (a.format != Format::csc) cols = pieces.take<char>(index_bytes);
    values = pieces.take<char>(a.nnz * static_cast<Int>(size_of(a.value_type)));
    if (!coalesces) return;
    numbers = pieces.take<Int>(a.nnz);
    scratch_bytes = sum_scratch(device, a.nnz);
    scratch = pieces.take<char>(static_cast<Int>(scratch_bytes));
    if (a.format != Format::coo) counts = std::make_unique<CountSpace>(device, a.major(), pieces);
  }
  SourceState* state;
  SortSpace sort;
  void *rows = nullptr, *cols = nullptr, *values = nullptr;
  Int* numbers = nullptr;  // of the place of every entry in the new order, from 1
  std::size_t scratch_bytes = 0;
  void* scratch = nullptr;
  std::unique_ptr<CountSpace> counts;
};

const Int* order_of(const Device& device, const SparseView& a, const SourceState& state, const InPlaceSpace& space,
                    const Exec& exec) {
  if (state.descents == 0) return nullptr;
  return sort_entries(device, a, a.format == Format::csc ? SortBy::cols : SortBy::rows, 1, space.sort, exec);
}

// Copies the first `count` entries back into the matrix.
void copy_back(const SparseView& a, const InPlaceSpace& space, Int count, const Exec& exec) {
  const auto copy = [&](void* to, const void* from, std::size_t size) {
    if (from != nullptr && count > 0)
      SPK_CUDA_CHECK(
          cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * size, cudaMemcpyDeviceToDevice, stream_of(exec)));
  };
  copy(writable(a.row_indices), space.rows, size_of(a.index_type));
  copy(writable(a.col_indices), space.cols, size_of(a.index_type));
  copy(a.values, space.values, size_of(a.value_type));
}

__global__ void write_permutation(const Int* order, Int first, Int count, Int* permutation) {
  for (Int t = first_item(); t < count; t += item_stride()) permutation[t] = first + (order == nullptr ? t : order[t]);
}

__device__ void write_indices(const SparseView& a, const Entry& entry, Int place, void* rows, void* cols) {
  if (rows != nullptr) store_index(rows, a.index_type, place, entry.row + a.base);
  if (cols != nullptr) store_index(cols, a.index_type, place, entry.col + a.base);
}

__global__ void write_sorted(const SparseView a, const Int* order, void* rows, void* cols, void* values, int value_size,
                             int value_alignment) {
  for (Int t = first_item(); t < a.nnz; t += item_stride()) {
    const Entry entry = read_entry(a, order[t]);
    write_indices(a, entry, t, rows, cols);
    move_value(values, t, a.values, entry.place, value_size, value_alignment);
  }
}

// Marks the first entry of every place and counts them by major, if that is asked for.
__global__ void find_places(const SparseView a, const Int* order, Int* numbers, Int* counts) {
  for (Int t = first_item(); t < a.nnz; t += item_stride()) {
    const Entry entry = read_entry(a, order == nullptr ? t : order[t]);
    bool is_first = t == 0;
    if (t > 0) {
      const Entry before = read_entry(a, order == nullptr ? t - 1 : order[t - 1]);
      is_first = before.row != entry.row || before.col != entry.col;
    }
    numbers[t] = is_first ? 1 : 0;
    if (is_first && counts != nullptr)
      atomicAdd(reinterpret_cast<unsigned long long*>(counts + (a.format == Format::csc ? entry.col : entry.row)),
                1ull);
  }
}

// The thread of a place's first entry adds the others up, in the type of sums. One entry keeps its bits.
template <class T>
__global__ void write_coalesced(const SparseView a, const Int* order, const Int* numbers, void* rows, void* cols,
                                void* values) {
  const T* const source = static_cast<const T*>(a.values);
  for (Int t = first_item(); t < a.nnz; t += item_stride()) {
    if (t > 0 && numbers[t] == numbers[t - 1]) continue;
    const Entry entry = read_entry(a, order == nullptr ? t : order[t]);
    const Int place = numbers[t] - 1;
    write_indices(a, entry, place, rows, cols);
    T value = source[entry.place];
    if (t + 1 < a.nnz && numbers[t + 1] == numbers[t]) {
      Sum<T> sum = to_sum(value);
      for (Int next = t + 1; next < a.nnz && numbers[next] == numbers[t]; ++next)
        sum = add(sum, to_sum(source[a.first_entry + (order == nullptr ? next : order[next])]));
      value = FromSum<T>::of(sum);
    }
    static_cast<T*>(values)[place] = value;
  }
}

// Numbers the places; answers how many there are.
Int count_places(const Device& device, const SparseView& a, const Int* order, const InPlaceSpace& space,
                 const Exec& exec) {
  if (a.nnz == 0) return 0;
  Int* const counts = space.counts == nullptr ? nullptr : space.counts->offsets;
  if (counts != nullptr)
    SPK_CUDA_CHECK(cudaMemsetAsync(counts, 0, static_cast<std::size_t>(a.major() + 1) * sizeof(Int), stream_of(exec)));
  for_items(find_places, device, a.nnz, exec, a, order, space.numbers, counts);
  sum_in_place(space.numbers, a.nnz, true, space.scratch, space.scratch_bytes, exec);
  return read_number(space.numbers + a.nnz - 1, exec);
}

}  // namespace

std::size_t workspace(const Device& device, const SortProblem& p, const Exec&) {
  Pieces pieces;
  InPlaceSpace(device, p.a, false, pieces);
  return pieces.bytes();
}

std::int64_t analyze(const Device& device, const SortProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const InPlaceSpace space(device, p.a, false, pieces);
  examine(device, p.a, along_of(p.a.format), "mat", space.state, exec);
  return p.a.nnz;
}

std::int64_t run(const Device& device, const SortProblem& p, const Exec& exec) {
  const SparseView& a = p.a;
  Pieces pieces(exec.workspace);
  const InPlaceSpace space(device, a, false, pieces);
  const SourceState state = examine(device, a, along_of(a.format), "mat", space.state, exec);
  const Int* const order = order_of(device, a, state, space, exec);
  if (p.permutation != nullptr)
    for_items(write_permutation, device, a.nnz, exec, order, a.first_entry, a.nnz, p.permutation);
  if (order == nullptr) return a.nnz;
  for_items(write_sorted, device, a.nnz, exec, a, order, space.rows, space.cols, space.values,
            static_cast<int>(size_of(a.value_type)), static_cast<int>(align_of(a.value_type)));
  copy_back(a, space, a.nnz, exec);
  return a.nnz;
}

std::size_t workspace(const Device& device, const CoalesceProblem& p, const Exec&) {
  Pieces pieces;
  InPlaceSpace(device, p.a, true, pieces);
  return pieces.bytes();
}

std::int64_t analyze(const Device& device, const CoalesceProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const InPlaceSpace space(device, p.a, true, pieces);
  const SourceState state = examine(device, p.a, along_of(p.a.format), "mat", space.state, exec);
  return count_places(device, p.a, order_of(device, p.a, state, space, exec), space, exec);
}

std::int64_t run(const Device& device, const CoalesceProblem& p, const Exec& exec) {
  const SparseView& a = p.a;
  Pieces pieces(exec.workspace);
  const InPlaceSpace space(device, a, true, pieces);
  const SourceState state = examine(device, a, along_of(a.format), "mat", space.state, exec);
  if (state.descents == 0 && state.repeats == 0) return a.nnz;
  const Int* const order = order_of(device, a, state, space, exec);
  const Int count = count_places(device, a, order, space, exec);
  visit_device(a.value_type, [&](auto tag) {
    for_items(write_coalesced<typename decltype(tag)::type>, device, a.nnz, exec, a, order, space.numbers, space.rows,
              space.cols, space.values);
  });
  copy_back(a, space, count, exec);
  if (space.counts == nullptr) return count;
  sum_in_place(space.counts->offsets, a.major() + 1, false, space.counts->scratch, space.counts->scratch_bytes, exec);
  write_offsets(device, a, space.counts->offsets, exec);
  return count;
}

}  // namespace spk::cuda
