// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/validate_convert.hpp"
#include "cpu/parallel.hpp"

// What the conversions of the CPU backend share. The source is checked as a whole before anything follows it; after
// that the code relies on it. A matrix is seen as a list of units: entries, or square blocks of entries.
namespace spk::cpu::convert {

using Int = std::int64_t;
using Long = long long;

// Hands out pieces of the workspace. Without one it only measures, so that the query and the run share one layout.
class Space {
 public:
  Space() = default;
  explicit Space(const Exec& exec) noexcept : base_(static_cast<char*>(exec.workspace)) {}
  template <class T>
  T* take(Int count) {
    constexpr Int kMost = INT64_MAX / 4;
    constexpr Int kSize = sizeof(T);
    if (count > kMost / kSize || bytes_ > kMost)
      throw Error(SPK_STATUS_INDEX_OVERFLOW, "the workspace needs %lld numbers, which do not fit in 63 bits of bytes",
                  static_cast<Long>(count));
    T* const here = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + bytes_);
    bytes_ += (count * kSize + 15) / 16 * 16;
    return here;
  }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(bytes_); }

 private:
  char* base_ = nullptr;
  Int bytes_ = 0;
};

struct Range {
  Int begin, end;
};

// Parts that `work` simple steps are worth, and the share of one part in [0, total).
inline Int part_count(Int work) noexcept { return std::clamp<Int>(work / 16384, 1, 64); }
inline Range part_range(Int total, Int parts, Int part) noexcept {
  const auto begin = [&](Int p) { return total / parts * p + std::min(p, total % parts); };
  return {begin(part), begin(part + 1)};
}
// As part_range over the majors of ascending offsets, so that parts have like numbers of majors and units together.
Range part_of_majors(const Int* offsets, Int majors, Int parts, Int part) noexcept;

// Values as bits: what is only moved is never interpreted. Complex numbers are aligned like their real part.
template <class Part>
struct Pair {
  Part re, im;
};
template <class F>
decltype(auto) visit_bits(ValueType t, F&& f) {
  switch (t) {
    case ValueType::f16:
    case ValueType::bf16: return f(TypeTag<std::uint16_t>{});
    case ValueType::f64: return f(TypeTag<std::uint64_t>{});
    case ValueType::c64: return f(TypeTag<Pair<std::uint32_t>>{});
    case ValueType::c128: return f(TypeTag<Pair<std::uint64_t>>{});
    case ValueType::f32: break;
  }
  return f(TypeTag<std::uint32_t>{});
}

// Calls f(TypeTag<Index>) for the index types that descriptors have.
template <class F>
decltype(auto) visit_index(IndexType t, F&& f) {
  if (t == IndexType::i64) return f(TypeTag<std::int64_t>{});
  return f(TypeTag<std::int32_t>{});
}

// Sums where entries meet; 16-bit values in float.
inline f16 add(f16 x, f16 y) noexcept { return to_f16(to_float(x) + to_float(y)); }
inline bf16 add(bf16 x, bf16 y) noexcept { return to_bf16(to_float(x) + to_float(y)); }
template <class T>
T add(T x, T y) noexcept {
  return x + y;
}

// Which dimension comes first in an order.
enum class Along { rows, cols };

inline Along along_of(Format format) noexcept { return format == Format::csc ? Along::cols : Along::rows; }
inline bool has_blocks(Format format) noexcept { return format == Format::bsr || format == Format::blocked_ell; }
// Units along a dimension, and across it.
inline Int majors_of(const SparseView& a, Along along) noexcept {
  return (along == Along::rows ? a.rows : a.cols) / a.block_size;
}
inline Int minors_of(const SparseView& a, Along along) noexcept {
  return (along == Along::rows ? a.cols : a.rows) / a.block_size;
}

// Where the values of a unit lie: element (i, j) of the unit at `position` is start(position) + i * major_step +
// j * minor_step, with i along the order's first dimension.
struct Places {
  Places(const SparseView& a, Along along) noexcept;
  Int start(Int position) const noexcept {
    return slots == 0 ? position * unit : position / slots * row_length + position % slots * edge;
  }
  Int edge, unit, slots = 0, row_length = 0, major_step, minor_step;
};

// Units in ascending order of (major, minor), those of one place in storage order.
struct Sorted {
  Int majors = 0;
  const Int* major_id = nullptr;  // NULL: major k is number k; else only majors that have units are listed
  const Int* offsets = nullptr;   // majors + 1, from 0
  const Int* position = nullptr;  // NULL: unit t is stored at first + t
  const Int* minor = nullptr;     // NULL: read from `indices`
  Int first = 0;
  const void* indices = nullptr;
  IndexType type = IndexType::i32;
  std::int32_t base = 0;

  Int count() const noexcept { return offsets[majors]; }
  Int major_of(Int k) const noexcept { return major_id == nullptr ? k : major_id[k]; }
  Int position_of(Int t) const noexcept { return position == nullptr ? first + t : position[t]; }
  Int minor_of(Int t) const noexcept {
    return minor != nullptr ? minor[t] : index_at(indices, type, position_of(t)) - base;
  }
  // One past the last unit of t's place, given the end of its major.
  Int place_end(Int t, Int end) const noexcept {
    const Int m = minor_of(t);
    do ++t;
    while (t < end && minor_of(t) == m);
    return t;
  }
};

// What a sort is for: only the number of units per major (CSR and CSC sources), the order, or an order that may do
// without an offset for every major (the result is COO), which serves matrices with far more rows than entries.
enum class Need { counts, order, compact_order };

// Workspace of a sort; depends on sizes only.
struct SortSpace {
  SortSpace(const SparseView& a, Along along, Need need, Space& space);
  bool is_compact = false;
  Int parts = 1;
  Int *offsets = nullptr, *position = nullptr, *minor = nullptr, *major_id = nullptr, *counts = nullptr;
  SortKey* keys = nullptr;
};
Sorted sort_units(const SparseView& a, Along along, const SortSpace& space, const Exec& exec);

// Units of every major into space.offsets (majors + 1, summed up); no order inside. Not for a compact order.
void count_units(const SparseView& a, Along along, const SortSpace& space, const Exec& exec);

// Units of a source: its blocks or entries; unused slots of Blocked-ELL do not count.
Int used_units(const SparseView& a, const Exec& exec);

// Throws INVALID_STRUCTURE with the first place of `a` that contradicts itself.
void check_source(const SparseView& a, const char* name, const Exec& exec);
// Throws INVALID_STRUCTURE unless all indices are in [base, base + limit), or -1 where that is allowed.
void check_indices(const void* indices, IndexType type, Range range, std::int32_t base, Int limit, bool may_be_unused,
                   const char* name, const char* array, const Exec& exec);
// Writes the offsets array of a result, if its format has one: offsets (majors + 1, from 0) plus the base.
void write_offsets(const SparseView& b, const Int* offsets, const Exec& exec) noexcept;

inline void* writable(const void* array) noexcept { return const_cast<void*>(array); }

// Copies count elements, in parallel if that pays.
void copy_elements(void* to, const void* from, Int count, std::size_t element_size, const Exec& exec) noexcept;

// Results with blocks (convert_blocks.cpp). Answer what Conversion in core/backend.hpp says.
void blocks_layout(const SparseToSparseProblem& p, Space& space);
Int analyze_blocks(const SparseToSparseProblem& p, const Exec& exec);
Int run_blocks(const SparseToSparseProblem& p, const Exec& exec);

// Dense to formats with blocks (convert_from_dense_blocks.cpp).
void from_dense_blocks_layout(const DenseToSparseProblem& p, Space& space);
Int analyze_from_dense_blocks(const DenseToSparseProblem& p, const Exec& exec);
Int run_from_dense_blocks(const DenseToSparseProblem& p, const Exec& exec);

}  // namespace spk::cpu::convert
