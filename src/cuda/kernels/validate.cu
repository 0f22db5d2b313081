// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/validate.cuh"
#include "cuda/operations.hpp"

// The report of core/validate_structure.hpp, made on the device. Raw numbers are compared as they stand in the arrays,
// no offset is followed before it was checked, and every matrix of a batch is read back before the next.
namespace spk::cuda {
namespace {

// Memory of one call.
class Block {
 public:
  Block(std::size_t bytes, const Exec& exec) : stream_(stream_of(exec)) {
    SPK_CUDA_CHECK(cudaMallocAsync(&data_, std::max<std::size_t>(bytes, 1), stream_));
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { cudaFreeAsync(data_, stream_); }
  void* data() const noexcept { return data_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

std::uint64_t infinity_of(ValueType type) noexcept {
  switch (type) {
    case ValueType::f16: return 0x7c00u;
    case ValueType::bf16: return 0x7f80u;
    case ValueType::f64:
    case ValueType::c128: return 0x7ff0000000000000u;
    default: return 0x7f800000u;
  }
}

// Checks one matrix of a batch.
class Checker {
 public:
  Checker(const Device& device, const SparseView& a, Counters* counters, const Exec& exec)
      : device_(device), a_(a), counters_(counters), exec_(exec) {}

  void check_offsets() {
    if (a_.offset_type != IndexType::none)
      for_items(cuda::check_offsets, device_, a_.major() + 1, exec_, a_, a_.major(), counters_);
  }

  void check_indices() {
    const bool has_rows = a_.format == Format::csc || a_.format == Format::coo;
    if (has_rows) for_items(cuda::check_indices, device_, a_.nnzb, exec_, a_, a_.row_indices, 1, a_.rows, counters_);
    if (a_.format != Format::csc)
      for_items(cuda::check_indices, device_, a_.nnzb, exec_, a_, a_.col_indices, 2, a_.block_cols(), counters_);
  }

  void count_values() {
    visit_bits(a_.value_type, [&](auto tag) {
      for_items(cuda::count_values<typename decltype(tag)::type>, device_, a_.nnz, exec_, a_,
                infinity_of(a_.value_type), counters_);
    });
  }

  // Answers the number of repeated entries.
  Int count_entries(bool count_empty, bool offsets_are_sound) {
    if (a_.format == Format::coo) return count_coo();
    const Block accepted(offsets_are_sound ? 0 : static_cast<std::size_t>(a_.major()), exec_);
    auto* const flags = offsets_are_sound ? nullptr : static_cast<std::uint8_t*>(accepted.data());
    if (flags != nullptr) launch_kernel(accept_majors, {1, 1}, stream_of(exec_), a_, a_.major(), flags);
    count_by_major(flags, count_empty, nullptr, counters_);
    const Counters found = read_number(counters_, exec_);
    if (found.unsorted_rows == 0) return static_cast<Int>(found.repeats);
    // Neighbours say nothing of repeats then: sort by index, then by major.
    Pieces sizes;
    Layout(*this, sizes);
    const Block memory(sizes.bytes(), exec_);
    Pieces pieces(memory.data());
    const Layout layout(*this, pieces);
    const auto bytes = static_cast<std::size_t>(a_.nnzb) * sizeof(Int);
    SPK_CUDA_CHECK(cudaMemsetAsync(layout.majors, 0xff, bytes, stream_of(exec_)));
    count_by_major(flags, false, layout.majors, layout.counters);
    const Int* const order = sort(layout.sort, a_.minor_indices(), layout.majors, IndexType::i64, 0);
    SPK_CUDA_CHECK(cudaMemsetAsync(layout.counters, 0, sizeof(Counters), stream_of(exec_)));
    for_items(count_repeats, device_, a_.nnzb, exec_, a_, a_.minor_indices(), order, layout.majors, layout.counters);
    return static_cast<Int>(read_number(layout.counters, exec_).repeats);
  }

 private:
  struct Layout {
    Layout(const Checker& checker, Pieces& pieces)
        : counters(pieces.take<Counters>(1)),
          majors(pieces.take<Int>(checker.a_.nnzb)),
          sort(checker.device_, checker.a_.nnzb, pieces) {}
    Counters* counters;
    Int* majors;
    SortSpace sort;
  };

  void count_by_major(const std::uint8_t* accepted, bool count_empty, Int* entry_majors, Counters* counters) {
    if (a_.format == Format::blocked_ell)
      for_items(count_block_rows, device_, a_.major(), exec_, a_, a_.major(), count_empty, entry_majors, counters);
    else if (a_.format == Format::sell)
      for_items(count_slice_rows, device_, a_.rows, exec_, a_, accepted, count_empty, entry_majors, counters);
    else
      for_items(cuda::count_majors, device_, a_.major() * 32, exec_, a_, a_.minor_indices(), a_.major(), accepted,
                count_empty, entry_majors, counters);
  }

  const Int* sort(const SortSpace& space, const void* minors, const void* majors, IndexType major_type, Int first) {
    const auto bits = [](IndexType type) { return type == IndexType::i32 ? 32 : 64; };
    for_items(copy_keys, device_, a_.nnzb, exec_, minors, a_.index_type, a_.first_entry, a_.nnzb, nullptr,
              space.keys[0], space.entries[0]);
    const int current = sort_pass(space, 0, a_.nnzb, bits(a_.index_type), exec_);
    for_items(copy_keys, device_, a_.nnzb, exec_, majors, major_type, first, a_.nnzb, space.entries[current],
              space.keys[0], nullptr);
    return space.entries[sort_pass(space, current, a_.nnzb, bits(major_type), exec_)];
  }

  Int count_coo() {
    for_items(count_neighbours, device_, a_.nnz, exec_, a_, nullptr, counters_);
    Counters found = read_number(counters_, exec_);
    if (found.unsorted_rows != 0) {
      Pieces sizes;
      Layout(*this, sizes);
      const Block memory(sizes.bytes(), exec_);
      Pieces pieces(memory.data());
      const Layout layout(*this, pieces);
      const Int* const order = sort(layout.sort, a_.col_indices, a_.row_indices, a_.index_type, a_.first_entry);
      SPK_CUDA_CHECK(cudaMemsetAsync(layout.counters, 0, sizeof(Counters), stream_of(exec_)));
      for_items(count_neighbours, device_, a_.nnz, exec_, a_, order, layout.counters);
      found = read_number(layout.counters, exec_);
    }
    empty_rows_ = a_.rows - static_cast<Int>(found.rows_seen);
    return static_cast<Int>(found.repeats);
  }

 public:
  Int empty_rows() const noexcept { return empty_rows_; }  // of COO

 private:
  const Device& device_;
  const SparseView& a_;
  Counters* const counters_;
  const Exec& exec_;
  Int empty_rows_ = 0;
};

// The same as core's: a needed array that is NULL is the first fault.
bool has_every_array(const SparseView& a, spk_validation_report_t& report) {
  const bool has_rows = a.format == Format::csc || a.format == Format::coo;
  const std::pair<bool, const void*> arrays[] = {{a.offset_type != IndexType::none, a.offsets},
                                                 {has_rows && a.nnzb > 0, a.row_indices},
                                                 {a.format != Format::csc && a.nnzb > 0, a.col_indices},
                                                 {a.nnz > 0, a.values}};
  for (std::size_t which = 0; which < 4; ++which) {
    if (!arrays[which].first || arrays[which].second != nullptr) continue;
    report.fault = SPK_FAULT_NULL_ARRAY;
    report.value = static_cast<Int>(which);
    return false;
  }
  return true;
}

Int read_index(const void* array, IndexType type, Int position, const Exec& exec) {
  Int number = 0;
  read_back(&number, advance_bytes(array, position * static_cast<Int>(size_of(type))), size_of(type), exec);
  return index_at(&number, type, 0);
}

void note_fault(const SparseView& a, Int batch, unsigned long long fault, spk_validation_report_t& report,
                const Exec& exec) {
  if (fault == ~0ull || report.fault != SPK_FAULT_NONE) return;
  const auto rank = static_cast<int>(fault >> kRankBits);
  report.batch = batch;
  report.position = static_cast<Int>(fault & ((1ull << kRankBits) - 1));
  if (rank > 0) {
    report.fault = rank == 1 ? SPK_FAULT_ROW_INDEX : SPK_FAULT_COL_INDEX;
    report.value = read_index(rank == 1 ? a.row_indices : a.col_indices, a.index_type, report.position, exec);
    return;
  }
  report.value = read_index(a.offsets, a.offset_type, report.position, exec);
  const Int before = report.position > 0 ? read_index(a.offsets, a.offset_type, report.position - 1, exec) : 0;
  const Int first = a.first_entry + a.base;
  const OffsetFault kind =
      offset_fault(report.position, a.major(), report.value, before, first, first + a.nnzb, a.slice_size);
  report.fault = kind == kFirst       ? SPK_FAULT_FIRST_OFFSET
                 : kind == kDecreases ? SPK_FAULT_OFFSET_DECREASES
                 : kind == kSlice     ? SPK_FAULT_SLICE_OFFSET
                                      : SPK_FAULT_LAST_OFFSET;
}

}  // namespace

void validate(const Device& device, const SparseView& a, spk_validation_report_t& report, const Exec& exec) {
  const std::uint32_t struct_size = report.struct_size;
  report = {};
  report.struct_size = struct_size;
  if (!has_every_array(a, report)) return;
  const Block memory(sizeof(Counters), exec);
  auto* const counters = static_cast<Counters*>(memory.data());
  bool offsets_are_sound = true;
  for (Int batch = 0; batch < a.batch_count; ++batch) {
    // What the batch shares was counted with its first matrix.
    const bool new_offsets = batch == 0 || (a.offset_type != IndexType::none && a.offsets_stride != 0);
    const bool new_indices = batch == 0 || a.indices_stride != 0;
    const bool new_values = batch == 0 || a.values_stride != 0;
    const bool slots_differ = has_unused_slots(a) && new_indices;
    const SparseView one = a.batch(batch);
    SPK_CUDA_CHECK(cudaMemsetAsync(counters, 0, sizeof *counters, stream_of(exec)));
    SPK_CUDA_CHECK(cudaMemsetAsync(&counters->fault, 0xff, sizeof counters->fault, stream_of(exec)));
    Checker check(device, one, counters, exec);
    if (new_offsets) check.check_offsets();
    if (new_indices) check.check_indices();
    if (new_offsets) offsets_are_sound = read_number(counters, exec).bad_offsets == 0;
    if (a.nnz > 0 && (new_values || slots_differ)) check.count_values();
    if (new_offsets || new_indices)
      report.duplicates += check.count_entries(new_offsets || slots_differ, offsets_are_sound);
    const Counters found = read_number(counters, exec);
    note_fault(one, batch, found.fault, report, exec);
    report.bad_offsets += static_cast<Int>(found.bad_offsets);
    report.bad_indices += static_cast<Int>(found.bad_indices);
    report.unsorted_rows += static_cast<Int>(found.unsorted_rows);
    report.empty_rows += static_cast<Int>(found.empty_rows) + check.empty_rows();
    report.nan_values += static_cast<Int>(found.nan_values);
    report.infinite_values += static_cast<Int>(found.infinite_values);
  }
}

}  // namespace spk::cuda
