// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <unistd.h>

#include <algorithm>

#include "core/error.hpp"
#include "cpu/spmm.hpp"

// How a product is cut into tiles of columns and blocks of rows, where op(B) is read, and what memory that takes.
namespace spk::cpu {

std::int64_t vector_bytes(Isa isa) noexcept { return isa >= Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return b == 1 ? a : (a + b - 1) / b; }

// Accumulators per column: enough for about eight independent sums in a row's inner loop.
std::int32_t accumulator_sets(std::int64_t vectors, bool complex) noexcept {
  if (complex) return 2;
  return vectors <= 2 ? 4 : vectors <= 4 ? 2 : 1;
}

// Workspace arithmetic that refuses to wrap.
class Bytes {
 public:
  std::size_t take(std::int64_t count, std::int64_t size) {
    const std::size_t at = used_;
    std::int64_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow(count, size, &bytes) ||
        bytes > INT64_MAX / 2 - static_cast<std::int64_t>(used_))
      throw Error(SPK_STATUS_INDEX_OVERFLOW, "the workspace of this product does not fit in 63 bits");
    used_ += (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
    return at;
  }
  std::size_t used() const noexcept { return used_; }

 private:
  std::size_t used_ = 0;
};

double flops_of(const SpmmProblem& p) noexcept {
  return (is_complex(p.a.value_type) ? 8.0 : 2.0) * static_cast<double>(p.a.nnz) * static_cast<double>(p.n);
}

// Uses of a row of B from which on a copy of it pays.
constexpr std::int64_t kUsesOfRow = 8;

// The second-level cache of a processor, 0 if the system does not know it.
std::int64_t second_level_bytes() noexcept {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  static const std::int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes;
#else
  return 0;
#endif
}
// Caches of this size (Sapphire Rapids and later) bring rows of B so fast that copies and blocks pay later.
constexpr std::int64_t kLargeSecondLevel = 2 << 20;

// Whether rows of op(B) are whole vectors that follow each other.
bool fills_vectors(const Operand& b, const SpmmLayout& l) noexcept {
  return b.col_stride == 1 && b.row_stride == l.columns && l.columns % l.lanes == 0;
}

// Blocks of op(B)'s rows for the first-level cache (kernels/spmm_blocked.hpp), where a row of A has enough entries in one
// to pay for going through C once more. The limits are measured on the DLMC matrices, Zen 4, those of large second-level
// caches on Emerald Rapids. Sparse rows take blocks that exceed the first-level cache: what they hit of it still pays, the more
// so where all of B leaves the second-level one.
void choose_blocks(const SpmmProblem& p, SpmmLayout& l) noexcept {
  const bool plain = p.a.value_type == ValueType::f32 || p.a.value_type == ValueType::f64;
  if (!plain || is_block_format(p.a.format) || l.vectors < 3) return;
  if (p.a.nnz == 0 || p.a.nnz / kUsesOfRow < p.k) return;
  struct Shape {
    std::int64_t vectors;  // of a tile
    std::int32_t sets;
    double entries;  // of a row in a block, at least
    std::int64_t least_bytes, most_bytes, most_bytes_of_large;
  };
  constexpr Shape kWide{8, 1, 7, 32 << 10, 64 << 10, 96 << 10}, kNarrow{4, 2, 12, 48 << 10, 48 << 10, 48 << 10};
  // Half as long vectors pass an entry in half the time.
  constexpr Shape kWideOfShortVectors{8, 1, 10, 32 << 10, 32 << 10, 64 << 10};
  const bool long_vectors = l.lanes * l.real_bytes == 64;
  const Shape& shape = l.vectors <= 4 ? kNarrow : long_vectors ? kWide : kWideOfShortVectors;
  const std::int64_t row_bytes = shape.vectors * l.lanes * l.real_bytes;
  constexpr std::int64_t kLargeBytes = 1 << 19, kStep = 32;
  // Several panels that large are better halved than cut into large blocks.
  const std::int64_t most =
      (p.k * row_bytes > kLargeBytes && l.vectors <= shape.vectors ? shape.most_bytes_of_large : shape.most_bytes) /
      row_bytes;
  const double density = static_cast<double>(p.a.nnz) / (static_cast<double>(p.m) * static_cast<double>(p.k));
  double least = shape.entries;
  if (long_vectors && second_level_bytes() >= kLargeSecondLevel) {
    if (l.vectors <= 4)
      least = l.vectors == 3 ? 60 : 30;
    else
      least = p.k * row_bytes <= kLargeSecondLevel / 8 ? 16 : 10;
  }
  if (density * static_cast<double>(most) < least) return;
  const std::int64_t wanted = (static_cast<std::int64_t>(shape.entries / density) + kStep) / kStep * kStep;
  const std::int64_t rows = std::clamp(wanted, shape.least_bytes / row_bytes, most);
  if (p.k < 2 * rows) return;
  l.tiles = ceil_div(l.vectors, shape.vectors);
  l.pitch = ceil_div(l.vectors, l.tiles) * l.lanes;
  l.sets = shape.sets;
  l.block_rows = rows;
}

// Whether the kernel can take all tiles of a row of C before the next row: they are alike.
bool writes_whole_rows(const SpmmProblem& p, const SpmmLayout& l) noexcept {
  return l.method == SpmmMethod::tile && l.tiles > 1 && l.sets == 1 && l.columns == l.tiles * l.pitch && is_direct(p);
}

// Whether a B that stays in place is as good as copies, for rows of C that are written whole, which copies make
// pieces of: the second-level cache has all of it, but the first-level one would not have a tile's columns.
bool stays_in_place(const SpmmProblem& p, const SpmmLayout& l) noexcept {
  constexpr std::int64_t kMostOfFirstLevel = 96 << 10;
  const std::int64_t second_level = second_level_bytes();
  return second_level >= kLargeSecondLevel && l.block_rows == 0 && writes_whole_rows(p, l) &&
         p.k <= second_level / (l.columns * l.real_bytes) && p.k > kMostOfFirstLevel / (l.pitch * l.real_bytes);
}

BAccess choose_b_access(const SpmmProblem& p, const SpmmLayout& layout) noexcept {
  const Operand b = operand(p.b, p.op_b);
  if (layout.method != SpmmMethod::tile || p.n == 1) return BAccess::rows;
  // Reading a row of B where it lies costs a cache line per element unless rows are contiguous.
  if (b.col_stride != 1) return p.a.nnz < p.k / 4 ? BAccess::elements : BAccess::panel;
  // Rows of a wide B lie far apart, for powers of two in a few sets of the cache: copying them pays once they are used
  // often enough.
  const bool apart = layout.tiles > 1 || (layout.block_rows > 0 && !fills_vectors(b, layout));
  return apart && p.a.nnz / kUsesOfRow >= p.k && !stays_in_place(p, layout) ? BAccess::panel : BAccess::rows;
}

// A panel that exceeds every cache is better one vector wide, which multiplies the times that A is read: for matrices of
// few entries, like those of differences.
bool narrows_panels(const SpmmProblem& p, const SpmmLayout& l) noexcept {
  constexpr double kCacheBytes = 32 << 20;
  const double panel = static_cast<double>(p.k) * static_cast<double>(l.pitch * l.real_bytes);
  const double times_a = 8.0 * static_cast<double>(p.a.nnz) * static_cast<double>(l.vectors - l.tiles);
  return l.b_access == BAccess::panel && !l.complex && l.vectors > l.tiles && panel > kCacheBytes &&
         times_a < static_cast<double>(l.tiles) * panel;
}

}  // namespace

RowForm row_form(const SpmmProblem& p, SpmmMethod method) noexcept {
  if (method == SpmmMethod::scatter) return RowForm::scatter;
  if (is_block_format(p.a.format)) return p.op_a == Op::n ? RowForm::stored : RowForm::turned;
  return entries_stored_in_rows(p) ? RowForm::stored : RowForm::sorted;
}

std::int64_t segment_length(std::int64_t nnz) noexcept { return std::max<std::int64_t>(4096, nnz / 256); }

std::int64_t most_segments(std::int64_t nnz) noexcept {
  const std::int64_t length = segment_length(nnz);
  // A row that is cut has more than two whole segments, so at most 3/2 of its share.
  return nnz <= 2 * length ? 0 : nnz / length + nnz / (2 * length) + 1;
}

SpmmLayout layout_of(const SpmmProblem& p, bool planned, const SpmmRow& kernel, int threads) {
  SpmmLayout l;
  l.kernel = &kernel;
  l.method = method_of(kernel);
  l.form = row_form(p, l.method);
  l.complex = is_complex(p.a.value_type);
  const ValueType sum = sum_type(p.a.value_type);
  l.real_bytes = sum == ValueType::f64 || sum == ValueType::c128 ? 8 : 4;
  l.lanes = vector_bytes(kernel.target) / l.real_bytes;
  const std::int64_t per = l.complex ? 2 : 1;
  l.columns = per * p.n;
  if (l.method == SpmmMethod::tile || l.method == SpmmMethod::amx) {
    // Lanes are a power of two.
    l.vectors = (l.columns + l.lanes - 1) >> __builtin_ctzll(static_cast<unsigned long long>(l.lanes));
    // A panel of a wide B should leave room in a second-level cache of half a megabyte and more.
    const bool narrow = l.vectors > 8 && p.k > (std::int64_t{1} << 19) / (8 * vector_bytes(kernel.target));
    l.tiles = l.complex || narrow ? ceil_div(l.vectors, 4) : ceil_div(l.vectors, 8);
    l.pitch = ceil_div(l.vectors, l.tiles) * l.lanes;
    l.sets = l.tiles > 1 && !l.complex ? (narrow ? 2 : 1) : accumulator_sets(l.vectors, l.complex);
    choose_blocks(p, l);
  } else {
    l.tiles = p.n;
    // Scattered sums of more than half a vector have room for all of it, if that pays for bringing them to C.
    const bool fills = l.complex || 2 * l.columns <= l.lanes || p.a.nnz < 4 * p.m;
    l.pitch = fills ? l.columns : ceil_div(l.columns, l.lanes) * l.lanes;
  }
  l.b_access = choose_b_access(p, l);
  if (l.method == SpmmMethod::amx && operand(p.b, p.op_b).col_stride != 1) l.b_access = BAccess::elements;
  l.whole_rows = l.b_access == BAccess::rows && l.block_rows == 0 && writes_whole_rows(p, l);
  if (narrows_panels(p, l)) {
    l.tiles = l.vectors;
    l.pitch = l.lanes;
    l.sets = accumulator_sets(1, false);
    l.block_rows = 0;
  }

  // One thread where waking others takes longer than the work.
  constexpr double kOneThreadFlops = 1e6;
  const double flops = flops_of(p);
  const std::int64_t batches = p.c.batch_count;
  const int usable = std::max(1, threads);
  if (flops * static_cast<double>(batches) < kOneThreadFlops) {
    l.threads = 1;
  } else if (batches > 1 && (flops < 8 * kOneThreadFlops || batches >= 4 * usable)) {
    l.slices = std::min<std::int64_t>(usable, batches);
  } else {
    l.threads = usable;
  }

  Bytes bytes;
  const std::int64_t nnz = p.a.nnz;
  if (l.form == RowForm::sorted || l.form == RowForm::turned) {
    const bool blocks = l.form == RowForm::turned;
    const std::int64_t stored = blocks ? p.a.nnzb : nnz;
    if (!planned) {
      l.offsets = bytes.take(p.m / p.a.block_size + 2, 8);
      l.indices = bytes.take(stored, static_cast<std::int64_t>(size_of(sorted_index_type(p.a))));
      if (blocks) l.positions = bytes.take(stored, 8);
    }
    if (!blocks) l.values = bytes.take(stored, static_cast<std::int64_t>(size_of(p.a.value_type)));
  }
  if (l.b_access == BAccess::panel) {
    l.panels = std::min<std::int64_t>(l.tiles, l.threads);
    std::int64_t rows = 0;
    if (__builtin_mul_overflow(l.panels, p.k, &rows)) rows = -1;
    l.panel = bytes.take(rows, l.pitch * l.real_bytes);
  }
  // A chunk for every thread, and room to begin at a cache line.
  if (l.method == SpmmMethod::amx) {
    l.panel = bytes.take(ceil_div(p.n, kAmxRows), amx_panel_bytes(p.k));
    bytes.take(64, 1);
    l.chunk_bytes = amx_chunk_bytes(p.k);
  } else if (l.block_rows > 0) {
    l.chunk_bytes = chunk_bytes(l.pitch, l.real_bytes);
  }
  if (l.chunk_bytes > 0) l.chunks = bytes.take(l.threads * l.chunk_bytes + 64, 1);
  if (l.method == SpmmMethod::scatter) {
    const double work = flops / 1e6;
    const std::int64_t affordable = nnz / std::max<std::int64_t>(1, 4 * p.m);
    l.scatter_parts =
        std::clamp<std::int64_t>(std::min(static_cast<std::int64_t>(std::min(work, 8.0)), affordable), 1, 8);
    l.partials = bytes.take(l.scatter_parts * p.m, l.pitch * l.real_bytes);
  } else if (l.method != SpmmMethod::amx && l.method != SpmmMethod::windows && !is_block_format(p.a.format)) {
    l.segment_limit = most_segments(nnz);
    l.segments = bytes.take(l.segment_limit, sizeof(RowSegment));
    l.long_rows = bytes.take(l.segment_limit, sizeof(LongRow));
    l.partials = bytes.take(l.segment_limit * per, l.columns * l.real_bytes);
  }
  l.slice_bytes = bytes.used();
  return l;
}

}  // namespace spk::cpu
