// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "core/checked.hpp"
#include "cpu/convert.hpp"
#include "cpu/operations.hpp"

// Dense from sparse. Entries are put in storage order; one bit per place says whether it was met before, so that the
// first entry of a place is copied and only the others are added.
namespace spk::cpu {

using namespace convert;

namespace {

// Lines of the dense matrix along the source's major dimension. Parts hold whole groups of 64 units' lines, so that no
// two of them share a word of bits.
constexpr Int kGroup = 64;

std::uint64_t* take_bits(const SparseView& a, Space& space) {
  const Int places = saturating_product(a.rows, a.cols);
  return space.take<std::uint64_t>(places / 64 + 1);
}

template <class T>
class DenseFiller {
 public:
  DenseFiller(const SparseToDenseProblem& p, std::uint64_t* bits) noexcept
      : a_(p.a),
        places_(p.a, along_of(p.a.format)),
        source_(static_cast<const T*>(p.a.values)),
        dense_(static_cast<T*>(p.b.values)),
        bits_(bits),
        by_rows_(along_of(p.a.format) == Along::rows),
        length_(by_rows_ ? p.a.cols : p.a.rows),
        line_stride_(by_rows_ ? p.b.row_stride() : p.b.col_stride()),
        inner_stride_(by_rows_ ? p.b.col_stride() : p.b.row_stride()) {}

  // The lines of unit majors [begin, end).
  void fill(Int begin, Int end) const noexcept {
    clear(begin * places_.edge, end * places_.edge);
    if (a_.format == Format::coo) {
      for (Int t = 0; t < a_.nnz; ++t) {
        const Int row = index_at(a_.row_indices, a_.index_type, t) - a_.base;
        if (row >= begin && row < end) put(row, index_at(a_.col_indices, a_.index_type, t) - a_.base, source_[t]);
      }
      return;
    }
    const bool is_ell = a_.format == Format::blocked_ell;
    const Int slots = a_.slots_per_row();
    for (Int k = begin; k < end; ++k) {
      const Int stop = is_ell ? (k + 1) * slots : a_.offset(k + 1);
      for (Int t = is_ell ? k * slots : a_.offset(k); t < stop; ++t) {
        const Int stored = index_at(a_.minor_indices(), a_.index_type, t);
        if (is_ell && stored == -1) continue;
        put_unit(k, stored - a_.base, t);
      }
    }
  }

 private:
  void clear(Int begin, Int end) const noexcept {
    const Int first_word = begin * length_ / 64;
    std::fill_n(bits_ + first_word, (end * length_ + 63) / 64 - first_word, std::uint64_t{0});
    if (inner_stride_ == 1)
      for (Int line = begin; line < end; ++line) std::fill_n(dense_ + line * line_stride_, length_, T{});
    else
      for (Int i = 0; i < length_; ++i) std::fill_n(dense_ + i * inner_stride_ + begin, end - begin, T{});
  }

  void put_unit(Int major, Int minor, Int position) const noexcept {
    const Int edge = places_.edge;
    const Int start = places_.start(position);
    for (Int i = 0; i < edge; ++i)
      for (Int j = 0; j < edge; ++j)
        put(major * edge + i, minor * edge + j, source_[start + i * places_.major_step + j * places_.minor_step]);
  }

  void put(Int line, Int inner, T value) const noexcept {
    const Int bit = line * length_ + inner;
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    T& place = dense_[line * line_stride_ + inner * inner_stride_];
    place = (bits_[bit / 64] & mask) != 0 ? add(place, value) : value;
    bits_[bit / 64] |= mask;
  }

  const SparseView& a_;
  Places places_;
  const T* source_;
  T* dense_;
  std::uint64_t* bits_;
  bool by_rows_;
  Int length_, line_stride_, inner_stride_;
};

}  // namespace

std::size_t workspace(const SparseToDenseProblem& p, const Exec&) {
  Space space;
  take_bits(p.a, space);
  return space.bytes();
}

std::int64_t analyze(const SparseToDenseProblem& p, const Exec& exec) {
  check_source(p.a, "matA", exec);
  return p.b.rows * p.b.cols;
}

std::int64_t run(const SparseToDenseProblem& p, const Exec& exec) {
  check_source(p.a, "matA", exec);
  const Int places = p.b.rows * p.b.cols;
  if (places == 0) return 0;
  Space space(exec);
  std::uint64_t* const bits = take_bits(p.a, space);
  const Int majors = majors_of(p.a, along_of(p.a.format));
  const Int groups = (majors + kGroup - 1) / kGroup;
  // Every part of an unsorted source reads all its indices, so there are no more of them than threads.
  const Int most = p.a.format == Format::coo ? std::clamp(exec.threads, 1, 16) : groups;
  const Int parts = std::min({part_count(places / 4 + p.a.nnz), groups, most});
  visit(p.b.type, [&](auto tag) {
    const DenseFiller<typename decltype(tag)::type> filler(p, bits);
    parallel_for(exec.threads, parts, [&](Int part) noexcept {
      const Range range = part_range(groups, parts, part);
      filler.fill(range.begin * kGroup, std::min(majors, range.end * kGroup));
    });
  });
  return places;
}

}  // namespace spk::cpu
