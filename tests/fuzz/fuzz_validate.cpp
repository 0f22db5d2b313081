// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/error.hpp"
#include "core/validate_structure.hpp"
#include "cpu/reference/entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using spk::Format;
using spk::IndexType;
using spk::SparseView;
using spk::ValueType;

// Bytes one after the other, zeros behind the end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::int64_t below(std::int64_t limit) { return next() % limit; }
  // Mostly small numbers, now and then the ends of the type.
  std::int64_t index(IndexType type) {
    const std::uint8_t byte = next();
    if (byte == 250) return spk::max_of(type);
    if (byte == 251) return -spk::max_of(type) - 1;
    return byte < 64 ? byte : static_cast<std::int8_t>(byte);
  }
  std::uint8_t next() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

using Memory = std::unique_ptr<std::uint8_t[]>;

// An array with nothing readable behind its last element; NULL if it has none.
Memory indices(Bytes& bytes, IndexType type, std::int64_t count) {
  if (count == 0) return nullptr;
  Memory memory(new std::uint8_t[static_cast<std::size_t>(count) * spk::size_of(type)]);
  for (std::int64_t i = 0; i < count; ++i) spk::set_index(memory.get(), type, i, bytes.index(type));
  return memory;
}

Memory values(Bytes& bytes, ValueType type, std::int64_t count) {
  if (count == 0) return nullptr;
  const std::size_t size = static_cast<std::size_t>(count) * spk::size_of(type);
  Memory memory(new std::uint8_t[size]);
  for (std::size_t i = 0; i < size; ++i) memory[i] = bytes.next();
  return memory;
}

void demand(bool holds) {
  if (!holds) std::abort();
}

bool oracle_accepts(const SparseView& a) {
  try {
    for (std::int64_t batch = 0; batch < a.batch_count; ++batch) spk::reference::check_entries(a.batch(batch));
  } catch (const spk::Error&) {
    return false;
  }
  return true;
}

}  // namespace

// Any small matrix: validation stays inside the arrays, and finds a fault exactly where the oracle refuses to follow.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr Format kFormats[] = {Format::csr, Format::csc, Format::coo, Format::bsr, Format::blocked_ell, Format::sell};
  constexpr ValueType kTypes[] = {ValueType::f16, ValueType::bf16, ValueType::f32,
                                  ValueType::f64, ValueType::c64,  ValueType::c128};
  constexpr IndexType kIndexTypes[] = {IndexType::i32, IndexType::i64};
  Bytes bytes(data, size);
  SparseView a;
  a.format = kFormats[bytes.below(6)];
  a.value_type = kTypes[bytes.below(6)];
  a.offset_type = kIndexTypes[bytes.below(2)];
  a.index_type = kIndexTypes[bytes.below(2)];
  a.base = static_cast<std::int32_t>(bytes.below(2));
  const bool is_ell = a.format == Format::blocked_ell, is_coo = a.format == Format::coo;
  const bool has_blocks = is_ell || a.format == Format::bsr;
  if (has_blocks) a.block_size = 1 + bytes.below(4);
  if (is_ell || is_coo) a.offset_type = IndexType::none;
  if (a.format == Format::sell) a.slice_size = 1 + bytes.below(4);
  a.rows = a.block_size * bytes.below(12);
  a.cols = a.block_size * bytes.below(12);
  if (is_ell) {
    a.ell_cols = a.block_size * bytes.below(5);
    a.nnzb = a.major() * a.slots_per_row();
  } else {
    a.nnzb = bytes.below(24);
    if (a.format == Format::csr || a.format == Format::bsr) a.first_entry = bytes.below(3);
  }
  a.nnz = a.nnzb * a.block_size * a.block_size;
  a.batch_count = 1 + bytes.below(3);
  if (a.batch_count > 1) a.first_entry = 0;
  const std::int64_t in_arrays = a.first_entry + a.nnzb, elements = a.block_size * a.block_size;
  const std::int64_t shared = a.batch_count > 1 ? bytes.below(8) : 7;
  if ((shared & 1) == 0 && a.offset_type != IndexType::none) a.offsets_stride = a.major() + 1 + bytes.below(2);
  if ((shared & 2) == 0) a.indices_stride = in_arrays + bytes.below(2);
  if ((shared & 4) == 0) a.values_stride = in_arrays * elements + bytes.below(2);
  const std::int64_t others = a.batch_count - 1;
  const Memory offsets = a.offset_type == IndexType::none
                             ? nullptr
                             : indices(bytes, a.offset_type, others * a.offsets_stride + a.major() + 1);
  const Memory rows = indices(bytes, a.index_type, others * a.indices_stride + in_arrays);
  const Memory cols = indices(bytes, a.index_type, others * a.indices_stride + in_arrays);
  const Memory numbers = values(bytes, a.value_type, others * a.values_stride + in_arrays * elements);
  a.offsets = offsets.get();
  if (a.format == Format::csc || is_coo) a.row_indices = rows.get();
  if (a.format != Format::csc) a.col_indices = cols.get();
  a.values = numbers.get();

  spk_validation_report_t report;
  std::memset(&report, 0x5a, sizeof report);
  report.struct_size = sizeof report;
  spk::validate_structure(a, report);
  demand(report.struct_size == sizeof report);
  demand((report.fault == SPK_FAULT_NONE) == oracle_accepts(a));
  demand((report.fault == SPK_FAULT_NONE) == (report.bad_offsets + report.bad_indices == 0));
  demand(report.nan_values + report.infinite_values <= a.batch_count * a.nnz);
  demand(report.duplicates >= 0 && report.duplicates <= a.batch_count * a.nnzb);
  return 0;
}
