// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/validate_structure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace spk {
namespace {

bool is_nan(f16 x) noexcept { return std::isnan(to_float(x)); }
bool is_nan(bf16 x) noexcept { return std::isnan(to_float(x)); }
bool is_nan(float x) noexcept { return std::isnan(x); }
bool is_nan(double x) noexcept { return std::isnan(x); }
template <class Real>
bool is_nan(std::complex<Real> x) noexcept {
  return std::isnan(x.real()) || std::isnan(x.imag());
}
bool is_infinite(f16 x) noexcept { return std::isinf(to_float(x)); }
bool is_infinite(bf16 x) noexcept { return std::isinf(to_float(x)); }
bool is_infinite(float x) noexcept { return std::isinf(x); }
bool is_infinite(double x) noexcept { return std::isinf(x); }
template <class Real>
bool is_infinite(std::complex<Real> x) noexcept {
  return std::isinf(x.real()) || std::isinf(x.imag());
}

// Checks one matrix of a batch. Raw numbers are compared as they stand in the arrays: taking the base off a broken one
// could overflow.
class Checker {
 public:
  Checker(const SparseView& a, std::int64_t batch, spk_validation_report_t& report)
      : a_(a), batch_(batch), report_(report), first_(a.first_entry + a.base), last_(first_ + a.nnzb) {}

  bool has_every_array() {
    const bool needs_offsets = a_.offset_type != IndexType::none;
    const bool has_rows = a_.format == Format::csc || a_.format == Format::coo, has_cols = a_.format != Format::csc;
    const std::pair<bool, const void*> arrays[] = {{needs_offsets, a_.offsets},
                                                   {has_rows && a_.nnzb > 0, a_.row_indices},
                                                   {has_cols && a_.nnzb > 0, a_.col_indices},
                                                   {a_.nnz > 0, a_.values}};
    std::int64_t which = 0;
    for (const auto& [needed, array] : arrays) {
      if (needed && array == nullptr) fault(SPK_FAULT_NULL_ARRAY, 0, which);
      ++which;
    }
    return report_.fault != SPK_FAULT_NULL_ARRAY;
  }

  void check_offsets() {
    if (a_.offset_type == IndexType::none) return;
    for (std::int64_t i = 0; i <= a_.major(); ++i) {
      const std::int64_t here = raw_offset(i);
      spk_fault_t kind = SPK_FAULT_NONE;
      if (i == 0 && here != first_)
        kind = SPK_FAULT_FIRST_OFFSET;
      else if (i > 0 && here < raw_offset(i - 1))
        kind = SPK_FAULT_OFFSET_DECREASES;
      else if (here > last_ || (i == a_.major() && here != last_))
        kind = SPK_FAULT_LAST_OFFSET;
      else if (a_.format == Format::sell && i > 0 && raw_offset(i - 1) >= first_ &&
               (here - raw_offset(i - 1)) % a_.slice_size != 0)
        kind = SPK_FAULT_SLICE_OFFSET;
      if (kind != SPK_FAULT_NONE) {
        fault(kind, i, here);
        ++report_.bad_offsets;
      }
    }
  }

  // Every index in the arrays, also where the offsets are broken.
  void check_indices() {
    if (a_.format == Format::csc || a_.format == Format::coo)
      check_indices(a_.row_indices, SPK_FAULT_ROW_INDEX, a_.rows);
    if (a_.format != Format::csc) check_indices(a_.col_indices, SPK_FAULT_COL_INDEX, a_.block_cols());
  }

  void count_entries(bool count_empty) {
    if (a_.format == Format::coo) return count_coo();
    if (a_.format == Format::sell) return count_slices(count_empty);
    const bool is_ell = a_.format == Format::blocked_ell;
    std::vector<std::int64_t> row;
    std::int64_t reached = first_;  // no entry is counted twice, so that broken offsets cost no more than sound ones
    for (std::int64_t i = 0; i < a_.major(); ++i) {
      const std::int64_t begin = is_ell ? i * a_.slots_per_row() : raw_offset(i);
      const std::int64_t end = is_ell ? begin + a_.slots_per_row() : raw_offset(i + 1);
      if (!is_ell) {
        if (begin < reached || end < begin || end > last_) continue;  // counted as a bad offset
        reached = end;
      }
      row.clear();
      for (std::int64_t t = begin; t < end; ++t) {
        const std::int64_t index = index_at(a_.minor_indices(), a_.index_type, is_ell ? t : t - a_.base);
        if (!is_ell || index != -1) row.push_back(index);
      }
      count_row(row, count_empty);
    }
  }

  void count_values() {
    if (a_.format == Format::sell) {
      for (std::int64_t t = 0; t < a_.nnz; ++t)
        if (index_at(a_.col_indices, a_.index_type, t) != -1) count_values(t, 1);
      return;
    }
    if (a_.format != Format::blocked_ell) {
      const std::int64_t elements = a_.block_size * a_.block_size;
      return count_values(a_.first_entry * elements, a_.nnz);
    }
    const std::int64_t slots = a_.slots_per_row();
    for (std::int64_t s = 0; s < a_.nnzb; ++s) {
      if (index_at(a_.col_indices, a_.index_type, s) == -1) continue;
      for (std::int64_t r = 0; r < a_.block_size; ++r)
        count_values((s / slots * a_.block_size + r) * a_.ell_cols + s % slots * a_.block_size, a_.block_size);
    }
  }

 private:
  std::int64_t raw_offset(std::int64_t i) const noexcept { return index_at(a_.offsets, a_.offset_type, i); }

  void fault(spk_fault_t kind, std::int64_t position, std::int64_t value) noexcept {
    if (report_.fault != SPK_FAULT_NONE) return;
    report_.fault = kind;
    report_.batch = batch_;
    report_.position = position;
    report_.value = value;
  }

  void check_indices(const void* indices, spk_fault_t kind, std::int64_t limit) {
    for (std::int64_t t = a_.first_entry; t < a_.first_entry + a_.nnzb; ++t) {
      const std::int64_t index = index_at(indices, a_.index_type, t);
      if (has_unused_slots(a_) && index == -1) continue;
      if (index >= a_.base && index - a_.base < limit) continue;
      fault(kind, t, index);
      ++report_.bad_indices;
    }
  }

  void count_row(std::vector<std::int64_t>& row, bool count_empty) {
    if (row.empty() && count_empty) ++report_.empty_rows;
    if (!std::is_sorted(row.begin(), row.end())) {
      ++report_.unsorted_rows;
      std::sort(row.begin(), row.end());
    }
    for (std::size_t t = 1; t < row.size(); ++t) report_.duplicates += row[t] == row[t - 1] ? 1 : 0;
  }

  void count_slices(bool count_empty) {
    std::vector<std::int64_t> row;
    std::int64_t reached = first_;
    for (std::int64_t slice = 0; slice < a_.major(); ++slice) {
      const std::int64_t begin = raw_offset(slice), end = raw_offset(slice + 1);
      if (begin < reached || end < begin || end > last_ || (end - begin) % a_.slice_size != 0) continue;
      reached = end;
      const std::int64_t first_row = slice * a_.slice_size;
      for (std::int64_t r = 0; r < std::min(a_.slice_size, a_.rows - first_row); ++r) {
        row.clear();
        for (std::int64_t t = begin - a_.base + r; t < end - a_.base; t += a_.slice_size) {
          const std::int64_t index = index_at(a_.col_indices, a_.index_type, t);
          if (index != -1) row.push_back(index);
        }
        count_row(row, count_empty);
      }
    }
  }

  void count_coo() {
    using Place = std::pair<std::int64_t, std::int64_t>;
    const auto place_at = [&](std::int64_t t) {
      return Place{index_at(a_.row_indices, a_.index_type, t), index_at(a_.col_indices, a_.index_type, t)};
    };
    std::int64_t descents = 0;
    for (std::int64_t t = 1; t < a_.nnz; ++t) descents += place_at(t) < place_at(t - 1) ? 1 : 0;
    report_.unsorted_rows += descents;
    std::vector<Place> sorted;
    if (descents > 0) {
      for (std::int64_t t = 0; t < a_.nnz; ++t) sorted.push_back(place_at(t));
      std::sort(sorted.begin(), sorted.end());
    }
    std::int64_t rows_seen = 0;
    Place before{};
    for (std::int64_t t = 0; t < a_.nnz; ++t) {
      const Place here = descents > 0 ? sorted[static_cast<std::size_t>(t)] : place_at(t);
      if (t > 0 && here == before) ++report_.duplicates;
      const bool in_range = here.first >= a_.base && here.first - a_.base < a_.rows;
      if (in_range && (t == 0 || here.first != before.first)) ++rows_seen;
      before = here;
    }
    report_.empty_rows += a_.rows - rows_seen;
  }

  void count_values(std::int64_t begin, std::int64_t count) {
    visit(a_.value_type, [&](auto tag) {
      const auto* const values = static_cast<const typename decltype(tag)::type*>(a_.values) + begin;
      for (std::int64_t t = 0; t < count; ++t) {
        if (is_nan(values[t]))
          ++report_.nan_values;
        else if (is_infinite(values[t]))
          ++report_.infinite_values;
      }
    });
  }

  const SparseView& a_;
  const std::int64_t batch_;
  spk_validation_report_t& report_;
  const std::int64_t first_, last_;  // what the offsets must run from and to
};

}  // namespace

void validate_structure(const SparseView& a, spk_validation_report_t& report) {
  const std::uint32_t struct_size = report.struct_size;
  report = {};
  report.struct_size = struct_size;
  if (Checker check(a, 0, report); !check.has_every_array()) return;
  for (std::int64_t batch = 0; batch < a.batch_count; ++batch) {
    // What the batch shares was counted with its first matrix.
    const bool new_offsets = batch == 0 || (a.offset_type != IndexType::none && a.offsets_stride != 0);
    const bool new_indices = batch == 0 || a.indices_stride != 0;
    const bool new_values = batch == 0 || a.values_stride != 0;
    const bool slots_differ = has_unused_slots(a) && new_indices;
    const SparseView one = a.batch(batch);
    Checker check(one, batch, report);
    if (new_offsets) check.check_offsets();
    if (new_indices) check.check_indices();
    if (new_offsets || new_indices) check.count_entries(new_offsets || slots_differ);
    if (a.nnz > 0 && (new_values || slots_differ)) check.count_values();
  }
}

}  // namespace spk
