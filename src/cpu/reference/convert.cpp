// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "core/error.hpp"
#include "cpu/reference/assemble.hpp"
#include "cpu/reference/operations.hpp"

namespace spk::reference {
namespace {

bool is_zero(const DenseView& a, std::int64_t place) noexcept {
  return visit(a.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T x = static_cast<const T*>(a.values)[place];
    if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
      return to_float(x) == 0;
    else
      return x == T{};
  });
}

// The entries of a dense matrix that a sparse one stores: those that are not zero, or all of a block with such an
// entry.
Source source_of(const DenseToSparseProblem& p) {
  Source source{p.a.type, p.a.values, {}};
  const bool has_blocks = p.b.format == Format::bsr || p.b.format == Format::blocked_ell;
  const std::int64_t edge = has_blocks ? p.b.block_size : 1;
  for (std::int64_t i = 0; i < p.a.rows; i += edge)
    for (std::int64_t j = 0; j < p.a.cols; j += edge) {
      std::vector<Entry> block;
      bool stored = false;
      for (std::int64_t e = 0; e < edge * edge; ++e) {
        const std::int64_t row = i + e / edge, col = j + e % edge;
        const std::int64_t place = row * p.a.row_stride() + col * p.a.col_stride();
        block.push_back({row, col, place});
        stored = stored || !is_zero(p.a, place);
      }
      if (stored) source.entries.insert(source.entries.end(), block.begin(), block.end());
    }
  return source;
}

Source source_of(const SparseToSparseProblem& p) { return {p.a.value_type, p.a.values, entries_of(p.a)}; }

Source source_of(const TransposeProblem& p) {
  Source source{p.a.value_type, p.a.values, entries_of(p.a)};
  for (Entry& entry : source.entries) std::swap(entry.row, entry.col);
  return source;
}

template <class Problem>
std::int64_t analyze_into(const Problem& p) {
  Source source = source_of(p);
  source.values = nullptr;
  const Assembled result = assemble(std::move(source), p.b);
  check_fits(result, p.b);
  write_offsets(result, p.b);
  return result.count;
}

template <class Problem>
std::int64_t run_into(const Problem& p) {
  const Assembled result = assemble(source_of(p), p.b);
  check_fits(result, p.b);
  check_count(result, p.b);
  write_all(result, p.b);
  return result.count;
}

// Blocked-ELL with given block columns: only the values are written.
std::int64_t gather_blocks(const DenseToSparseProblem& p) {
  const SparseView& b = p.b;
  const std::int64_t slots = b.slots_per_row();
  for (std::int64_t i = 0; i < b.major(); ++i) {
    std::vector<std::int64_t> block_cols;
    for (std::int64_t s = i * slots; s < (i + 1) * slots; ++s) {
      const std::int64_t col = checked_slot(b, s);
      if (col >= 0 && std::count(block_cols.begin(), block_cols.end(), col) != 0)
        throw Error(SPK_STATUS_INVALID_STRUCTURE, "col_indices[%" PRId64 "] repeats block column %" PRId64, s, col);
      block_cols.push_back(col);
    }
  }
  if (b.nnz > 0) std::memset(b.values, 0, static_cast<std::size_t>(b.nnz) * size_of(b.value_type));
  for_each_entry(b, [&](std::int64_t row, std::int64_t col, std::int64_t place) {
    copy_value(b.value_type, b.values, place, p.a.values, row * p.a.row_stride() + col * p.a.col_stride());
  });
  return b.ell_cols;
}

// One sum of consecutive entries, left to right from the first; 16-bit values in float, rounded once.
template <class T>
T sum_of(const T* values, const Entry* begin, const Entry* end) {
  T total = values[begin->place];
  for (const Entry* entry = begin + 1; entry != end; ++entry) total += values[entry->place];
  return total;
}
float float_sum_of(const auto* values, const Entry* begin, const Entry* end) {
  float total = to_float(values[begin->place]);
  for (const Entry* entry = begin + 1; entry != end; ++entry) total += to_float(values[entry->place]);
  return total;
}
f16 sum_of(const f16* values, const Entry* begin, const Entry* end) { return to_f16(float_sum_of(values, begin, end)); }
bf16 sum_of(const bf16* values, const Entry* begin, const Entry* end) {
  return to_bf16(float_sum_of(values, begin, end));
}

// The first of each run of entries with one place, and the end.
std::vector<const Entry*> runs_of(const std::vector<Entry>& entries) {
  std::vector<const Entry*> runs;
  for (const Entry& entry : entries)
    if (runs.empty() || runs.back()->row != entry.row || runs.back()->col != entry.col) runs.push_back(&entry);
  runs.push_back(entries.data() + entries.size());
  return runs;
}

}  // namespace

std::int64_t analyze(const SparseToDenseProblem& p) {
  check_entries(p.a);
  return p.b.rows * p.b.cols;
}

std::int64_t run(const SparseToDenseProblem& p) {
  const std::vector<Entry> entries = entries_of(p.a);
  const DenseView& b = p.b;
  std::vector<bool> filled(static_cast<std::size_t>(b.rows * b.cols));
  for (std::int64_t i = 0; i < b.rows; ++i)
    for (std::int64_t j = 0; j < b.cols; ++j) {
      constexpr std::byte kZero[16] = {};
      copy_value(b.type, b.values, i * b.row_stride() + j * b.col_stride(), kZero, 0);
    }
  for (const Entry& entry : entries) {
    auto seen = filled[static_cast<std::size_t>(entry.row * b.cols + entry.col)];
    const auto put = seen ? add_value : copy_value;
    put(b.type, b.values, entry.row * b.row_stride() + entry.col * b.col_stride(), p.a.values, entry.place);
    seen = true;
  }
  return b.rows * b.cols;
}

std::int64_t analyze(const DenseToSparseProblem& p) { return analyze_into(p); }
std::int64_t run(const DenseToSparseProblem& p) { return p.keep_columns ? gather_blocks(p) : run_into(p); }
std::int64_t analyze(const SparseToSparseProblem& p) { return analyze_into(p); }
std::int64_t run(const SparseToSparseProblem& p) { return run_into(p); }
std::int64_t analyze(const TransposeProblem& p) { return analyze_into(p); }

std::int64_t run(const TransposeProblem& p) {
  const std::int64_t count = run_into(p);
  if (p.permutation == nullptr) return count;
  Source source = source_of(p);
  sort_entries(source.entries, Format::csr);
  for (std::size_t t = 0; t < source.entries.size(); ++t) p.permutation[t] = source.entries[t].place;
  return count;
}

std::int64_t analyze(const SortProblem& p) {
  check_entries(p.a);
  return p.a.nnz;
}

std::int64_t run(const SortProblem& p) {
  Source source{p.a.value_type, p.a.values, entries_of(p.a)};
  sort_entries(source.entries, p.a.format);
  if (p.permutation != nullptr)
    for (std::size_t t = 0; t < source.entries.size(); ++t) p.permutation[t] = source.entries[t].place;
  const Assembled sorted = assemble(std::move(source), p.a);
  write_all(sorted, p.a);
  return sorted.count;
}

std::int64_t analyze(const CoalesceProblem& p) {
  std::vector<Entry> entries = entries_of(p.a);
  sort_entries(entries, p.a.format);
  return static_cast<std::int64_t>(runs_of(entries).size()) - 1;
}

std::int64_t run(const CoalesceProblem& p) {
  std::vector<Entry> entries = entries_of(p.a);
  sort_entries(entries, p.a.format);
  const std::vector<const Entry*> runs = runs_of(entries);
  Source kept{p.a.value_type, nullptr, {}};
  std::vector<std::byte> sums((runs.size() - 1) * size_of(p.a.value_type));
  kept.values = sums.data();
  for (std::size_t t = 0; t + 1 < runs.size(); ++t) {
    const auto position = static_cast<std::int64_t>(t);
    kept.entries.push_back({runs[t]->row, runs[t]->col, position});
    // What does not repeat keeps its bits, which an assignment of a signalling NaN might not.
    copy_value(p.a.value_type, sums.data(), position, p.a.values, runs[t]->place);
    if (runs[t + 1] - runs[t] > 1)
      visit(p.a.value_type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        reinterpret_cast<T*>(sums.data())[t] = sum_of(static_cast<const T*>(p.a.values), runs[t], runs[t + 1]);
      });
  }
  const Assembled result = assemble(std::move(kept), p.a);
  write_all(result, p.a);
  return result.count;
}

}  // namespace spk::reference
