// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/convert_bits.cuh"
#include "cuda/kernels/convert_device.cuh"
#include "cuda/operations.hpp"

// The report of core/validate_structure.hpp, made on the device. Raw numbers are compared as they stand in the arrays,
// no offset is followed before it was checked, and every matrix of a batch is read back before the next.
namespace spk::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kRankBits = 61;  // places of a fault's position; above them 0 offsets, 1 row indices, 2 column indices

struct Counters {
  unsigned long long fault;  // smallest rank and position, all ones: none
  unsigned long long bad_offsets, bad_indices, unsorted_rows, repeats, empty_rows, rows_seen, nan_values,
      infinite_values;
};

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

enum OffsetFault { kNone, kFirst, kDecreases, kLast };
__host__ __device__ OffsetFault offset_fault(Int i, Int majors, Int here, Int before, Int first, Int last) {
  if (i == 0 && here != first) return kFirst;
  if (i > 0 && here < before) return kDecreases;
  return here > last || (i == majors && here != last) ? kLast : kNone;
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
    if (offset_fault(i, majors, here, before, first, last) == kNone) continue;
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
    if (a.format == Format::blocked_ell && index == -1) continue;
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
    const bool sound = begin >= reached && end >= begin && end <= last;
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
    }
    const int kind = kind_of(values[t], infinity);
    nan_values += kind == 2 ? 1 : 0;
    infinite_values += kind == 1 ? 1 : 0;
  }
  add_to(&counters->nan_values, nan_values);
  add_to(&counters->infinite_values, infinite_values);
}

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
    if (flags != nullptr) launch_kernel(accept_majors, dim3(1), 1, 0, stream_of(exec_), false, a_, a_.major(), flags);
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
  const OffsetFault kind = offset_fault(report.position, a.major(), report.value, before, first, first + a.nnzb);
  report.fault = kind == kFirst       ? SPK_FAULT_FIRST_OFFSET
                 : kind == kDecreases ? SPK_FAULT_OFFSET_DECREASES
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
    const bool slots_differ = a.format == Format::blocked_ell && new_indices;
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
