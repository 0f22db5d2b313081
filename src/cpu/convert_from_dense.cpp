// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/convert.hpp"
#include "cpu/operations.hpp"

// Sparse from dense where the result stores entries; results with blocks are in convert_from_dense_blocks.cpp. Two
// passes over the dense matrix: count, then fill.
namespace spk::cpu {

using namespace convert;

namespace {

// Majors that are scanned side by side where the dense matrix is contiguous across them: as many as threads leave, so
// that memory is read in long runs; and how many of them are turned at a time.
constexpr Int kTile = 2048;
constexpr Int kSmallTile = 256;
Int tile_of(Int majors, int threads) noexcept {
  const Int share = majors / std::max(1, threads);
  return std::clamp((share + kSmallTile - 1) / kSmallTile * kSmallTile, kSmallTile, kTile);
}

// Places of a contiguous line that are looked at before their entries are written.
constexpr Int kChunk = 256;

// Both signs of zero are zero, NaN is not.
bool is_zero(std::uint16_t bits) noexcept { return (bits & 0x7fffu) == 0; }
bool is_zero(std::uint32_t bits) noexcept { return (bits & 0x7fffffffu) == 0; }
bool is_zero(std::uint64_t bits) noexcept { return (bits & INT64_MAX) == 0; }
template <class Part>
bool is_zero(const Pair<Part>& bits) noexcept {
  return is_zero(bits.re) && is_zero(bits.im);
}

template <class Bits>
class EntryScanner {
 public:
  explicit EntryScanner(const DenseToSparseProblem& p) noexcept
      : b_(p.b), source_(static_cast<const Bits*>(p.a.values)), minors_(minors_of(p.b, along_of(p.b.format))) {
    const bool by_rows = along_of(p.b.format) == Along::rows;
    major_stride_ = by_rows ? p.a.row_stride() : p.a.col_stride();
    minor_stride_ = by_rows ? p.a.col_stride() : p.a.row_stride();
  }

  // Entries of the majors of a tile.
  void count(Range tile, Int* counts) const noexcept {
    const Int width = tile.end - tile.begin;
    if (minor_stride_ == 1) {
      for (Int k = 0; k < width; ++k) {
        const Bits* const line = source_ + (tile.begin + k) * major_stride_;
        Int found = 0;
        for (Int j = 0; j < minors_; ++j) found += is_zero(line[j]) ? 0 : 1;
        counts[k] = found;
      }
      return;
    }
    std::fill_n(counts, width, Int{0});
    // Narrow counters for as many lines as they can take: they keep pace with the loads.
    constexpr Int kMost = Int{1} << 30;
    for (Int first = 0; first < minors_; first += kMost) {
      std::uint32_t found[kTile] = {};
      for (Int j = first; j < std::min(minors_, first + kMost); ++j) {
        const Bits* const line = source_ + j * minor_stride_ + tile.begin;
        for (Int k = 0; k < width; ++k) found[k] += is_zero(line[k]) ? 0u : 1u;
      }
      for (Int k = 0; k < width; ++k) counts[k] += found[k];
    }
  }

  // Writes the entries of the majors of a tile from offsets[major] on.
  template <class Index>
  void fill(Range tile, const Int* offsets) const noexcept {
    Index* const majors = b_.format == Format::coo ? static_cast<Index*>(writable(b_.row_indices)) : nullptr;
    Index* const minors = static_cast<Index*>(writable(b_.minor_indices()));
    Bits* const values = static_cast<Bits*>(b_.values);
    const auto put = [&](Int entry, Int major, Int minor, const Bits& value) {
      if (majors != nullptr) majors[entry] = static_cast<Index>(major + b_.base);
      minors[entry] = static_cast<Index>(minor + b_.base);
      values[entry] = value;
    };
    // Entries of a line's places [first, first + count), without a branch on the data: every place is noted, and kept
    // only if it is not zero.
    const auto scan = [&](const Bits* line, Int first, Int count, Int major, Int entry) {
      std::uint16_t found[kChunk];
      Int kept = 0;
      for (Int j = 0; j < count; ++j) {
        found[kept] = static_cast<std::uint16_t>(j);
        kept += is_zero(line[j]) ? 0 : 1;
      }
      for (Int t = 0; t < kept; ++t) put(entry + t, major, first + found[t], line[found[t]]);
      return entry + kept;
    };
    const Int width = tile.end - tile.begin;
    if (minor_stride_ == 1) {
      for (Int k = tile.begin; k < tile.end; ++k) {
        Int entry = offsets[k];
        for (Int first = 0; first < minors_; first += kChunk)
          entry = scan(source_ + k * major_stride_ + first, first, std::min(kChunk, minors_ - first), k, entry);
      }
      return;
    }
    // The matrix is read in order, a few minors of all majors at a time, turned so that a major's places are a cache
    // line, and scanned like one that is stored that way.
    constexpr Int kTurned = 64 / static_cast<Int>(sizeof(Bits));
    alignas(64) Bits turned[kSmallTile * kTurned];
    Int next[kTile];
    std::copy_n(offsets + tile.begin, width, next);
    for (Int first = 0; first < minors_; first += kTurned) {
      const Int count = std::min(kTurned, minors_ - first);
      for (Int side = 0; side < width; side += kSmallTile) {
        const Int wide = std::min(kSmallTile, width - side);
        for (Int j = 0; j < count; ++j) {
          const Bits* const line = source_ + (first + j) * minor_stride_ + tile.begin + side;
          for (Int k = 0; k < wide; ++k) turned[k * kTurned + j] = line[k];
        }
        for (Int k = 0; k < wide; ++k)
          next[side + k] = scan(turned + k * kTurned, first, count, tile.begin + side + k, next[side + k]);
      }
    }
  }

 private:
  const SparseView& b_;
  const Bits* source_;
  Int minors_, major_stride_, minor_stride_;
};

// Calls body(tile) for all tiles, in parallel.
template <class Body>
void for_each_tile(const SparseView& b, const Exec& exec, const Body& body) noexcept {
  const Int majors = majors_of(b, along_of(b.format));
  const Int width = tile_of(majors, exec.threads), tiles = (majors + width - 1) / width;
  const Int parts = std::min(part_count(majors * minors_of(b, along_of(b.format))), tiles);
  parallel_for(exec.threads, parts, [&](Int part) noexcept {
    const Range range = part_range(tiles, parts, part);
    for (Int tile = range.begin; tile < range.end; ++tile)
      body(Range{tile * width, std::min(majors, (tile + 1) * width)});
  });
}

Int* take_offsets(const DenseToSparseProblem& p, Space& space) {
  return space.take<Int>(majors_of(p.b, along_of(p.b.format)) + 1);
}

Int count_entries(const DenseToSparseProblem& p, Int* offsets, const Exec& exec) {
  const Int majors = majors_of(p.b, along_of(p.b.format));
  offsets[0] = 0;
  visit_bits(p.a.type, [&](auto bits) {
    const EntryScanner<typename decltype(bits)::type> scanner(p);
    for_each_tile(p.b, exec, [&](Range tile) { scanner.count(tile, offsets + tile.begin + 1); });
  });
  for (Int k = 0; k < majors; ++k) offsets[k + 1] += offsets[k];
  return offsets[majors];
}

}  // namespace

std::size_t workspace(const DenseToSparseProblem& p, const Exec&) {
  Space space;
  if (has_blocks(p.b.format))
    from_dense_blocks_layout(p, space);
  else
    take_offsets(p, space);
  return space.bytes();
}

std::int64_t analyze(const DenseToSparseProblem& p, const Exec& exec) {
  if (has_blocks(p.b.format)) return analyze_from_dense_blocks(p, exec);
  Space space(exec);
  Int* const offsets = take_offsets(p, space);
  const Int count = count_entries(p, offsets, exec);
  check_result(p.b, count);
  write_offsets(p.b, offsets, exec);
  return count;
}

std::int64_t run(const DenseToSparseProblem& p, const Exec& exec) {
  if (has_blocks(p.b.format)) return run_from_dense_blocks(p, exec);
  Space space(exec);
  Int* const offsets = take_offsets(p, space);
  const Int count = count_entries(p, offsets, exec);
  check_destination(p.b, count);
  visit_bits(p.a.type, [&](auto bits) {
    visit_index(p.b.index_type, [&](auto index) {
      const EntryScanner<typename decltype(bits)::type> scanner(p);
      for_each_tile(p.b, exec,
                    [&](Range tile) { scanner.template fill<typename decltype(index)::type>(tile, offsets); });
    });
  });
  write_offsets(p.b, offsets, exec);
  return count;
}

}  // namespace spk::cpu
