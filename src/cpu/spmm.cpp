// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/spmm.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "core/error.hpp"
#include "cpu/kernels/spmm_kernels.hpp"
#include "cpu/parallel.hpp"

// Choice of the kernel, sizes of the workspace, batches. What happens to one matrix is in spmm_matrix.cpp.
namespace spk::cpu {
namespace {

// Widest C for which a dot product per element, and a scatter, beat making rows of vectors.
constexpr std::int64_t kDotColumns = 4;
constexpr std::int64_t kScatterColumns = 128;

bool entries_stored_in_rows(const SpmmProblem& p) noexcept {
  return (p.a.format == Format::csr && p.op_a == Op::n) || (p.a.format == Format::csc && p.op_a != Op::n);
}
bool entries_stored_in_columns(const SpmmProblem& p) noexcept {
  return (p.a.format == Format::csr && p.op_a != Op::n) || (p.a.format == Format::csc && p.op_a == Op::n);
}
bool is_block_format(Format format) noexcept { return format == Format::bsr || format == Format::blocked_ell; }

bool columns_contiguous(const SpmmProblem& p) noexcept { return operand(p.b, p.op_b).row_stride == 1; }

// Whether tiles are faster than the tile kernel, measured on Emerald Rapids: their work is that of a dense matrix, and
// without a plan masks have to be made.
bool amx_pays(const SpmmProblem& p, bool planned) noexcept {
  constexpr double kLeastShare = 0.1, kLeastShareOfColumns = 18;
  constexpr std::int64_t kLeastColumns = 24, kLeastRows = 16;
  const double share =
      static_cast<double>(p.a.nnz) / (static_cast<double>(p.m) * static_cast<double>(std::max<std::int64_t>(1, p.k)));
  return p.n >= kLeastColumns && p.m >= kLeastRows && share >= kLeastShare &&
         (planned || share * static_cast<double>(p.n) >= kLeastShareOfColumns);
}

template <ValueType kSum>
const char* refuse_tile(const SpmmProblem& p) {
  return sum_type(p.a.value_type) == kSum ? nullptr : "other value type";
}

#if SPK_HAS_avx512
// Whether rows of C go straight there from sums of entries that are read where they are (kernels/spmm_direct.hpp).
bool is_direct(const SpmmProblem& p) noexcept {
  const ValueType type = p.a.value_type;
  return (type == ValueType::f32 || type == ValueType::f64) && p.b.type == type && p.c.type == type &&
         !is_block_format(p.a.format) && operand(p.b, p.op_b).col_stride == 1 && p.c.col_stride() == 1 &&
         p.epilogue.is_identity();
}

// Registers half as wide, where C's columns fit them and entries cannot share a wide one: no masks, and a processor's
// other ports take part.
template <ValueType kSum>
const char* refuse_wide_tile(const SpmmProblem& p) {
  if (const char* reason = refuse_tile<kSum>(p)) return reason;
#if SPK_HAS_avx2
  constexpr std::int64_t kHalf = 32 / static_cast<std::int64_t>(size_of(kSum));
  if (p.alg < 256 && p.n <= kHalf && !is_direct(p)) return "C's columns fill at most half a register";
#endif
  return nullptr;
}
#endif

template <ValueType kSum>
const char* refuse_dot(const SpmmProblem& p) {
  if (sum_type(p.a.value_type) != kSum) return "other value type";
  if (is_block_format(p.a.format)) return "blocks";
  if (p.n > kDotColumns) return "n > 4";
  if (!columns_contiguous(p)) return "columns of op(B) are not contiguous";
  if (entries_stored_in_columns(p)) return "op(A) is stored by columns";
  return nullptr;
}

template <ValueType kSum>
const char* refuse_scatter(const SpmmProblem& p) {
  if (sum_type(p.a.value_type) != kSum) return "other value type";
  if (!entries_stored_in_columns(p)) return "op(A) is not stored by columns";
  if (p.n > kScatterColumns) return "n > 128";
  // Rows of C are visited out of order: past 64 columns that pays only while C stays in the second-level cache.
  constexpr double kCacheBytes = 384 << 10;
  if (p.n > kScatterColumns / 2 &&
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(size_of(kSum)) > kCacheBytes)
    return "n > 64 and C is large";
  return nullptr;
}

#if SPK_HAS_avx512
template <ValueType kSum>
const char* refuse_windows(const SpmmProblem& p) {
  if (const char* reason = refuse_dot<kSum>(p)) return reason;
  if (!entries_stored_in_rows(p)) return "op(A) is not stored by rows of entries";
  if (p.k < kWindowColumns || p.k > INT32_MAX) return "k is less than a window, or takes more than 31 bits";
  return p.keeps_values ? nullptr : "values are not kept: spk_plan_keep_values";
}
#endif

#if SPK_HAS_amx
const char* refuse_amx(const SpmmProblem& p) {
  constexpr std::int64_t kMostInner = 1 << 16;
  if (p.a.value_type != ValueType::bf16 || p.b.type != ValueType::bf16) return "other value type";
  if (!entries_stored_in_rows(p)) return "op(A) is not stored by rows of entries";
  if (p.k > kMostInner) return "k > 65536";
  return p.alg >= 256 || amx_pays(p, false) ? nullptr : "too few entries or columns";
}
#endif

#define SPK_KERNEL(name, isa, id, refuse) {#name "__" #isa, id, Isa::isa, &name##__##isa, &refuse},
constexpr SpmmRow kTable[] = {
#include "cpu/spmm_kernels.inc"
};
#undef SPK_KERNEL

std::int64_t vector_bytes(Isa isa) noexcept { return isa >= Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

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
  if (long_vectors && l.vectors > 4 && second_level_bytes() >= kLargeSecondLevel)
    least = p.k * row_bytes <= kLargeSecondLevel / 8 ? 16 : 10;
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

std::span<const SpmmRow> spmm_kernels() noexcept { return kTable; }

SpmmMethod method_of(const SpmmRow& row) noexcept {
  // Ids are 256 + 32 * instruction set + 4 * method + value type.
  return static_cast<SpmmMethod>((row.id & 31) >> 2);
}

namespace {

// The rows that this machine can run, by the type of their sums, so that a call looks at three of them.
class RowsOfTypes {
 public:
  RowsOfTypes() noexcept {
    for (const SpmmRow& row : kTable)
      if (Rows& rows = rows_[row.id & 3]; isa_supports(available_isa(), row.target)) rows.row[rows.count++] = &row;
  }
  const SpmmRow* first_that_takes(const SpmmProblem& p) const noexcept {
    const Rows& rows = rows_[place_of(sum_type(p.a.value_type))];
    for (int i = 0; i < rows.count; ++i)
      if (rows.row[i]->refuse(p) == nullptr) return rows.row[i];
    return nullptr;
  }

 private:
  static int place_of(ValueType sum) noexcept {
    return sum == ValueType::f32 ? 0 : sum == ValueType::f64 ? 1 : sum == ValueType::c64 ? 2 : 3;
  }
  struct Rows {
    const SpmmRow* row[std::size(kTable)];
    int count = 0;
  };
  Rows rows_[4];
};

}  // namespace

const SpmmRow* select_spmm(const SpmmProblem& p, std::string* refusals) noexcept {
  if (refusals == nullptr && p.alg < 256) {
    static const RowsOfTypes rows;
    return rows.first_that_takes(p);
  }
  return select(spmm_kernels(), p, available_isa(), isa_supports, refusals);
}

const SpmmRow* select_amx_for_plan(const SpmmProblem& p) noexcept {
  for (const SpmmRow& row : kTable) {
    if (method_of(row) != SpmmMethod::amx || !isa_supports(available_isa(), row.target)) continue;
    SpmmProblem asked = p;
    asked.alg = row.id;
    if (row.refuse(asked) == nullptr && amx_pays(p, true)) return &row;
  }
  return nullptr;
}

const SpmmRow* select_windows_for_plan(const SpmmProblem& p) noexcept {
  for (const SpmmRow& row : kTable)
    if (method_of(row) == SpmmMethod::windows && isa_supports(available_isa(), row.target) &&
        is_asked_for(row, p.alg) && row.refuse(p) == nullptr)
      return &row;
  return nullptr;
}

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

Choice choose(const SpmmProblem& p) {
  std::string refusals;
  const SpmmRow* row = select_spmm(p, &refusals);
  return row == nullptr ? Choice{0, refusals} : Choice{row->id, row->name};
}

namespace {

const SpmmRow& kernel_for(const SpmmProblem& p, const SpmmPlan* plan) {
  if (plan != nullptr) return *plan->kernel;
  if (const SpmmRow* row = select_spmm(p, nullptr)) return *row;
  throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes this product: %s", choose(p).text.c_str());
}

// Of one call: a plan has the layout for the threads it was made with.
bool has_layout(const SpmmPlan* plan, int threads) noexcept { return plan != nullptr && threads == plan->threads; }

// Rows as they are stored, none of them long, for dots or up to two vectors of B in place: what layout_of() finds to need
// nothing, found sooner, since small products take less time than it.
bool needs_no_workspace(const SpmmProblem& p, const SpmmRow& kernel) noexcept {
  if (!entries_stored_in_rows(p) || most_segments(p.a.nnz) > 0) return false;
  if (method_of(kernel) == SpmmMethod::dot) return true;
  const std::int64_t sum_bytes = static_cast<std::int64_t>(size_of(sum_type(p.a.value_type)));
  return method_of(kernel) == SpmmMethod::tile && operand(p.b, p.op_b).col_stride == 1 &&
         p.n <= 2 * vector_bytes(kernel.target) / sum_bytes;
}

SpmmProblem matrix_of(const SpmmProblem& p, std::int64_t b) noexcept {
  SpmmProblem one = p;
  one.a = p.a.batch(b);
  one.b = p.b.batch(b);
  one.c = p.c.batch(b);
  if (p.epilogue.has_residual) one.epilogue.residual = p.epilogue.residual.batch(b);
  return one;
}

}  // namespace

std::size_t workspace(const SpmmProblem& p, const Plan* plan, const Exec& exec) {
  if (p.m == 0 || p.n == 0) return 0;
  const SpmmPlan* own = static_cast<const SpmmPlan*>(plan);
  if (own != nullptr && own->plan_of_rows != nullptr)
    return workspace(own->rows.problem(p), own->plan_of_rows.get(), exec);
  if (has_layout(own, exec.threads)) return own->layout.bytes();
  const SpmmRow& kernel = kernel_for(p, own);
  return needs_no_workspace(p, kernel) ? 0 : layout_of(p, own != nullptr, kernel, exec.threads).bytes();
}

namespace {

void run_in_layout(const SpmmProblem& p, const SpmmPlan* plan, const SpmmLayout& layout, char* memory) {
  const std::int64_t batches = p.c.batch_count, slices = layout.slices;
  if (batches == 1) return run_matrix(p, layout, plan == nullptr ? nullptr : &plan->matrix(0), memory);
  parallel_for(static_cast<int>(slices), slices, [&](std::int64_t slice) noexcept {
    char* mine = memory == nullptr ? nullptr : memory + static_cast<std::size_t>(slice) * layout.slice_bytes;
    for (std::int64_t b = slice * batches / slices; b < (slice + 1) * batches / slices; ++b)
      run_matrix(matrix_of(p, b), layout, plan == nullptr ? nullptr : &plan->matrix(b), mine);
  });
}

}  // namespace

void run(const SpmmProblem& p, const Plan* plan, const Exec& exec) {
  if (p.m == 0 || p.n == 0) return;
  const SpmmPlan* own = static_cast<const SpmmPlan*>(plan);
  if (own != nullptr && own->plan_of_rows != nullptr) return run(own->rows.problem(p), own->plan_of_rows.get(), exec);
  char* memory = static_cast<char*>(exec.workspace);
  if (has_layout(own, exec.threads)) return run_in_layout(p, own, own->layout, memory);
  run_in_layout(p, own, layout_of(p, own != nullptr, kernel_for(p, own), exec.threads), memory);
}

}  // namespace spk::cpu
