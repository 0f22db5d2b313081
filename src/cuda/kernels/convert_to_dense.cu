// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/convert_device.cuh"
#include "cuda/operations.hpp"

// Dense from sparse. A source whose entries ascend without repeats is put where it belongs at once; any other is
// sorted first, so that entries of one place are neighbours in storage order and one thread adds them up.
namespace spk::cuda {
namespace {

struct DenseSpace {
  DenseSpace(const Device& device, const SparseView& a, Pieces& pieces)
      : state(pieces.take<SourceState>(1)), sort(device, a, pieces) {}
  SourceState* state;
  SortSpace sort;
};

template <class T>
__global__ void clear_dense(const DenseView b) {
  const Int length = b.order == Order::row ? b.cols : b.rows, lines = b.order == Order::row ? b.rows : b.cols;
  T* const values = static_cast<T*>(b.values);
  if (length == b.ld) {
    for (Int i = first_item(); i < length * lines; i += item_stride()) values[i] = T{};
    return;
  }
  for (Int i = first_item(); i < length * lines; i += item_stride()) values[i / length * b.ld + i % length] = T{};
}

// order NULL: entries have places of their own.
template <class T>
__global__ void fill_dense(const SparseView a, const Int* order, Int count, const DenseView b) {
  const T* const source = static_cast<const T*>(a.values);
  T* const values = static_cast<T*>(b.values);
  const Int row_stride = b.order == Order::row ? b.ld : 1, col_stride = b.order == Order::row ? 1 : b.ld;
  for (Int t = first_item(); t < count; t += item_stride()) {
    const Entry entry = read_entry(a, order == nullptr ? t : order[t]);
    if (!entry.used) continue;
    T sum = source[entry.place];
    if (order != nullptr) {
      if (t > 0) {
        const Entry before = read_entry(a, order[t - 1]);
        if (before.row == entry.row && before.col == entry.col) continue;
      }
      for (Int next = t + 1; next < count; ++next) {
        const Entry other = read_entry(a, order[next]);
        if (other.row != entry.row || other.col != entry.col) break;
        sum = add_values(sum, source[other.place]);
      }
    }
    values[entry.row * row_stride + entry.col * col_stride] = sum;
  }
}

}  // namespace

std::size_t workspace(const Device& device, const SparseToDenseProblem& p, const Exec&) {
  Pieces pieces;
  DenseSpace(device, p.a, pieces);
  return pieces.bytes();
}

std::int64_t analyze(const Device& device, const SparseToDenseProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const DenseSpace space(device, p.a, pieces);
  examine(device, p.a, along_of(p.a.format), "matA", space.state, exec);
  return p.b.rows * p.b.cols;
}

std::int64_t run(const Device& device, const SparseToDenseProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const DenseSpace space(device, p.a, pieces);
  const SourceState state = examine(device, p.a, along_of(p.a.format), "matA", space.state, exec);
  const Int places = p.b.rows * p.b.cols;
  if (places == 0) return 0;
  const Int* order = nullptr;
  Int count = p.a.nnz;
  if (state.descents != 0 || state.repeats != 0) {
    order = sort_entries(device, p.a, SortBy::rows, 1, space.sort, exec);
    count = static_cast<Int>(state.used) * p.a.block_size * p.a.block_size;
  }
  visit_device(p.b.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_items(clear_dense<T>, device, places, exec, p.b);
    for_items(fill_dense<T>, device, count, exec, p.a, order, count, p.b);
  });
  return places;
}

}  // namespace spk::cuda
