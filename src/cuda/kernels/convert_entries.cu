// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_convert.hpp"
#include "cuda/kernels/convert_device.cuh"
#include "cuda/operations.hpp"

// Sparse from sparse where the result stores entries (CSR, CSC, COO), and the transpose.
namespace spk::cuda {
namespace {

bool is_compressed(Format format) noexcept { return format == Format::csr || format == Format::csc; }

// CSR to CSC or back: walking the source in storage order meets the result's order, so that a counting sort does it.
bool turns(const SparseView& a, const SparseView& b) noexcept {
  return is_compressed(a.format) && is_compressed(b.format) && a.format != b.format;
}

// Rows of op(A) are the majors of the result.
Op op_of(const SparseView& b) noexcept { return b.format == Format::csc ? Op::t : Op::n; }

// The sorted rows are the result as they come.
bool is_direct(const SparseView& b, IndexType type) noexcept {
  return b.base == 0 && b.index_type == type && b.offset_type == type;
}

struct TurnSpace {
  TurnSpace(const Device& device, const SparseView& a, const SparseView& b, Pieces& pieces) {
    rows.index_type = row_index_type(a);
    const auto size = static_cast<Int>(size_of(rows.index_type));
    if (!is_direct(b, rows.index_type)) {
      rows.offsets = pieces.take<char>((b.major() + 1) * size);
      rows.indices = pieces.take<char>(a.nnz * size);
    }
    rows.positions = pieces.take<char>(a.nnz * size);
    scratch = pieces.take<char>(static_cast<Int>(sort_into_rows_scratch(device, a, op_of(b))));
  }
  RowArrays rows;
  void* scratch;
};

__global__ void write_turned(const RowArrays rows, const SparseView b, Int* permutation, bool writes_indices,
                             Int major_count) {
  if (writes_indices) {
    void* const minors = const_cast<void*>(b.format == Format::csc ? b.row_indices : b.col_indices);
    for (Int t = first_item(); t < b.nnz; t += item_stride())
      store_index(minors, b.index_type, t, load_index(rows.indices, rows.index_type, t) + b.base);
    for (Int i = first_item(); i <= major_count; i += item_stride())
      store_index(const_cast<void*>(b.offsets), b.offset_type, i,
                  load_index(rows.offsets, rows.index_type, i) + b.base);
  }
  if (permutation == nullptr) return;
  for (Int t = first_item(); t < b.nnz; t += item_stride())
    permutation[t] = load_index(rows.positions, rows.index_type, t);
}

// Turns a into b, which has its sizes; b.values may be NULL.
void run_turn(const Device& device, const SparseView& a, const SparseView& b, Int* permutation, const TurnSpace& space,
              const Exec& exec) {
  RowArrays rows = space.rows;
  const bool direct = is_direct(b, rows.index_type);
  if (direct) {
    rows.offsets = writable(b.offsets);
    rows.indices = writable(b.minor_indices());
  }
  if (permutation == nullptr) rows.positions = nullptr;
  rows.values = b.values;
  sort_into_rows({device, stream_of(exec), nullptr}, a, op_of(b), rows, space.scratch);
  if (direct && permutation == nullptr) return;
  for_items(write_turned, device, std::max(b.nnz, b.major() + 1), exec, rows, b, permutation, !direct, b.major());
}

// Entry t of the result is entry order[t] of the source; order NULL: entry t.
__global__ void write_entries(const SparseView a, const Int* order, const SparseView b, Int count, int value_size,
                              int value_alignment) {
  void* const rows = const_cast<void*>(b.row_indices);
  void* const cols = const_cast<void*>(b.col_indices);
  for (Int t = first_item(); t < count; t += item_stride()) {
    const Entry entry = read_entry(a, order == nullptr ? t : order[t]);
    if (b.format != Format::csr) store_index(rows, b.index_type, t, entry.row + b.base);
    if (b.format != Format::csc) store_index(cols, b.index_type, t, entry.col + b.base);
    move_value(b.values, t, a.values, entry.place, value_size, value_alignment);
  }
}

struct EntriesSpace {
  EntriesSpace(const Device& device, const SparseToSparseProblem& p, Pieces& pieces)
      : state(pieces.take<SourceState>(1)) {
    if (p.b.format != Format::coo) counts = std::make_unique<CountSpace>(device, p.b.major(), pieces);
    if (turns(p.a, p.b))
      turn = std::make_unique<TurnSpace>(device, p.a, p.b, pieces);
    else
      sort = std::make_unique<SortSpace>(device, p.a, pieces);
  }
  SourceState* state;
  std::unique_ptr<CountSpace> counts;
  std::unique_ptr<TurnSpace> turn;
  std::unique_ptr<SortSpace> sort;
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

struct TransposeSpace {
  TransposeSpace(const Device& device, const TransposeProblem& p, Pieces& pieces)
      : state(pieces.take<SourceState>(1)), counts(device, p.b.major(), pieces), turn(device, p.a, as_csc(p), pieces) {}
  SourceState* state;
  CountSpace counts;
  TurnSpace turn;
};

}  // namespace

std::size_t workspace(const Device& device, const SparseToSparseProblem& p, const Exec&) {
  if (has_blocks(p.b.format)) return blocks_workspace(device, p);
  Pieces pieces;
  EntriesSpace(device, p, pieces);
  return pieces.bytes();
}

std::int64_t analyze(const Device& device, const SparseToSparseProblem& p, const Exec& exec) {
  if (has_blocks(p.b.format)) return analyze_blocks(device, p, exec);
  Pieces pieces(exec.workspace);
  const EntriesSpace space(device, p, pieces);
  const Along along = along_of(p.b.format);
  const SourceState state = examine(device, p.a, along, "matA", space.state, exec);
  const Int count = static_cast<Int>(state.used) * p.a.block_size * p.a.block_size;
  check_result(p.b, count);
  if (p.b.format == Format::coo) return count;
  count_entries(device, p.a, along, p.b.major(), *space.counts, exec);
  write_offsets(device, p.b, space.counts->offsets, exec);
  return count;
}

std::int64_t run(const Device& device, const SparseToSparseProblem& p, const Exec& exec) {
  if (has_blocks(p.b.format)) return run_blocks(device, p, exec);
  Pieces pieces(exec.workspace);
  const EntriesSpace space(device, p, pieces);
  const Along along = along_of(p.b.format);
  const SourceState state = examine(device, p.a, along, "matA", space.state, exec);
  const Int count = static_cast<Int>(state.used) * p.a.block_size * p.a.block_size;
  check_destination(p.b, count);
  if (space.turn != nullptr) {
    run_turn(device, p.a, p.b, nullptr, *space.turn, exec);
    return count;
  }
  const Int* order = nullptr;
  if (has_blocks(p.a.format) || state.descents != 0)
    order = sort_entries(device, p.a, along == Along::rows ? SortBy::rows : SortBy::cols, 1, *space.sort, exec);
  for_items(write_entries, device, count, exec, p.a, order, p.b, count, static_cast<int>(size_of(p.a.value_type)),
            static_cast<int>(align_of(p.a.value_type)));
  if (p.b.format == Format::coo) return count;
  count_entries(device, p.a, along, p.b.major(), *space.counts, exec);
  write_offsets(device, p.b, space.counts->offsets, exec);
  return count;
}

std::size_t workspace(const Device& device, const TransposeProblem& p, const Exec&) {
  Pieces pieces;
  TransposeSpace(device, p, pieces);
  return pieces.bytes();
}

std::int64_t analyze(const Device& device, const TransposeProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const TransposeSpace space(device, p, pieces);
  examine(device, p.a, Along::cols, "matA", space.state, exec);
  check_result(p.b, p.a.nnz);
  count_entries(device, p.a, Along::cols, p.b.major(), space.counts, exec);
  write_offsets(device, p.b, space.counts.offsets, exec);
  return p.a.nnz;
}

std::int64_t run(const Device& device, const TransposeProblem& p, const Exec& exec) {
  Pieces pieces(exec.workspace);
  const TransposeSpace space(device, p, pieces);
  examine(device, p.a, Along::cols, "matA", space.state, exec);
  check_destination(p.b, p.a.nnz);
  run_turn(device, p.a, as_csc(p), p.permutation, space.turn, exec);
  return p.a.nnz;
}

}  // namespace spk::cuda
