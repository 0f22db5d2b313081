// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <atomic>

#include "cpu/parallel.hpp"
#include "cpu/spmm.hpp"

// One matrix of the batch: reduces the problem to an SpmmTask and cuts it into steps for threads. Every row (or segment
// of a long row) is summed whole by one step, so that the cuts do not show in the result.
namespace spk::cpu {
namespace {

// A workspace may be aligned to 16 bytes only; its arrays are aligned to 64 from there on where that is free.
template <class T>
T* at(char* memory, std::size_t offset) noexcept {
  return reinterpret_cast<T*>(memory + offset);
}

void describe_a(const SpmmProblem& p, SpmmTask& t) noexcept {
  const SparseView& a = p.a;
  t.value_type = a.value_type;
  t.values = a.values;
  t.conjugate_a = p.op_a == Op::c && is_complex(a.value_type);
  t.offsets = a.offsets;
  t.offset_type = a.offset_type;
  t.offset_base = a.base;
  t.indices = a.minor_indices();
  t.index_type = a.index_type;
  t.index_base = a.base;
  if (a.format == Format::blocked_ell) {
    t.offsets = nullptr;
    t.block_size = a.block_size;
    t.slots = a.slots_per_row();
    t.block_slab = a.block_size * a.ell_cols;
    t.block_step = a.block_size;
    t.block_row_step = a.ell_cols;
    t.block_col_step = 1;
  } else if (a.format == Format::bsr) {
    t.block_size = a.block_size;
    t.block_step = a.block_size * a.block_size;
    t.block_row_step = a.block_order == Order::col ? 1 : a.block_size;
    t.block_col_step = a.block_order == Order::col ? a.block_size : 1;
  }
}

void use_plan(const SpmmPlan::Matrix& matrix, SpmmTask& t) noexcept {
  if (!matrix.amx_masks.empty()) t.amx_masks = matrix.amx_masks.data();
  if (!matrix.windows.empty()) matrix.windows.describe_to(t);
  if (matrix.indices16.empty()) return;
  if (t.block_rows > 0) {
    t.short_indices = matrix.indices16.data();
  } else {
    t.indices = matrix.indices16.data();
    t.index_type = IndexType::u16;
    t.index_base = 0;
  }
}

void use_rows(const SpmmProblem& p, const RowArrays& rows, SpmmTask& t) noexcept {
  t.offsets = rows.offsets;
  t.offset_type = IndexType::i64;
  t.offset_base = 0;
  if (rows.in_place) {  // COO in the order of rows
    t.indices = p.op_a == Op::n ? p.a.col_indices : p.a.row_indices;
    return;
  }
  t.indices = rows.indices;
  t.index_type = rows.index_type;
  t.index_base = 0;
  if (t.block_size != 0) {
    t.positions = rows.positions;
    std::swap(t.block_row_step, t.block_col_step);
  } else {
    t.values = rows.values;
  }
}

void prepare_rows(const SpmmProblem& p, const SpmmLayout& l, const SpmmPlan::Matrix* prepared, char* memory,
                  SpmmTask& t) noexcept {
  if (l.form != RowForm::sorted && l.form != RowForm::turned) return;
  RowArrays rows;
  rows.index_type = sorted_index_type(p.a);
  const bool blocks = l.form == RowForm::turned;
  if (prepared == nullptr) {
    rows.offsets = at<std::int64_t>(memory, l.offsets);
    rows.indices = at<char>(memory, l.indices);
    if (blocks)
      rows.positions = at<std::int64_t>(memory, l.positions);
    else
      rows.values = at<char>(memory, l.values);
    sort_into_rows(p.a, p.op_a, rows);
    return use_rows(p, rows, t);
  }
  // Read only from here on: a plan's arrays stay as they are.
  rows.offsets = const_cast<std::int64_t*>(prepared->offsets.data());
  rows.positions = const_cast<std::int64_t*>(prepared->positions.data());
  rows.indices =
      const_cast<void*>(rows.index_type == IndexType::i64 ? static_cast<const void*>(prepared->indices64.data())
                                                          : static_cast<const void*>(prepared->indices32.data()));
  rows.in_place = prepared->in_place;
  if (!blocks && !rows.in_place) {
    rows.values = at<char>(memory, l.values);
    prepared->moves.run(p.a.values, rows.values, size_of(p.a.value_type), l.threads);
  }
  use_rows(p, rows, t);
}

SpmmTask make_task(const SpmmProblem& p, const SpmmLayout& l) noexcept {
  SpmmTask t;
  t.m = p.m;
  t.k = p.k;
  const Operand b = operand(p.b, p.op_b);
  t.b = b.values;
  t.b_type = l.complex ? (l.real_bytes == 8 ? ValueType::f64 : ValueType::f32) : b.type;
  t.b_row_stride = b.row_stride;
  t.b_col_stride = b.col_stride;
  t.conjugate_b = b.conjugate;
  t.b_access = l.b_access;
  t.complex = l.complex;
  t.columns = l.columns;
  t.vectors = l.vectors;
  t.tiles = l.tiles;
  t.sets = l.sets;
  t.block_rows = l.block_rows;
  t.c = p.c.values;
  t.c_type = p.c.type;
  t.c_row_stride = p.c.row_stride();
  t.c_col_stride = p.c.col_stride();
  t.alpha = p.scalars.alpha;
  t.beta = p.scalars.beta;
  if (!p.epilogue.is_identity()) t.epilogue = p.epilogue;
  t.empty = p.skips_product();
  if (t.empty) {
    t.alpha = Scalar{0, 0};
    t.b_access = BAccess::rows;
  } else {
    describe_a(p, t);
    t.whole_rows = l.whole_rows && p.epilogue.is_identity();
  }
  return t;
}

std::int64_t row_begin(const SpmmTask& t, std::int64_t major) noexcept {
  return t.offsets == nullptr ? major * t.slots : index_at(t.offsets, t.offset_type, major) - t.offset_base;
}

// First row of part `part` of `parts`: parts have about the same number of entries plus rows.
std::int64_t part_begin(const SpmmTask& t, std::int64_t rows, std::int64_t part, std::int64_t parts) noexcept {
  if (part == 0) return 0;
  if (part == parts) return rows;
  std::int64_t found;
  if (t.empty || t.offsets == nullptr) {
    found = static_cast<std::int64_t>(static_cast<__int128>(rows) * part / parts);
  } else {
    const std::int64_t size = std::max<std::int64_t>(1, t.block_size), majors = rows / size;
    constexpr std::int64_t kRowCost = 4;  // of visiting a row, in entries
    const std::int64_t start = row_begin(t, 0);
    const auto cost = [&](std::int64_t i) { return row_begin(t, i) - start + kRowCost * i; };
    const std::int64_t wanted = static_cast<std::int64_t>(static_cast<__int128>(cost(majors)) * part / parts);
    std::int64_t low = 0, high = majors;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (cost(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    found = low * size;
  }
  // Whole cache lines of a column-major C belong to one part.
  return rows >= 64 * parts ? found / 16 * 16 : found;
}

// Finds long rows, and cuts them. Answers how many there are.
std::int64_t cut_long_rows(SpmmTask& t, std::int64_t nnz, const SpmmLayout& l, char* memory) noexcept {
  if (l.segment_limit == 0 || t.empty || t.block_size != 0) return 0;
  const std::int64_t length = segment_length(nnz);
  RowSegment* segments = at<RowSegment>(memory, l.segments);
  LongRow* long_rows = at<LongRow>(memory, l.long_rows);
  std::int64_t count = 0, used = 0;
  // Most groups of rows have fewer entries together than one long row.
  constexpr std::int64_t kGroup = 16;
  for (std::int64_t first = 0; first < t.m; first += kGroup) {
    const std::int64_t rows_end = std::min(t.m, first + kGroup);
    std::int64_t begin = row_begin(t, first);
    if (row_begin(t, rows_end) - begin <= 2 * length) continue;
    for (std::int64_t row = first; row < rows_end; ++row) {
      const std::int64_t end = row_begin(t, row + 1);
      if (end - begin > 2 * length) {
        long_rows[count++] = {row, used, (end - begin + length - 1) / length};
        for (std::int64_t e = begin; e < end; e += length) segments[used++] = {row, e, std::min(end, e + length)};
      }
      begin = end;
    }
  }
  if (count > 0) {
    t.long_row = 2 * length;
    t.partials = at<char>(memory, l.partials);
  }
  return count;
}

class MatrixRun {
 public:
  MatrixRun(const SpmmProblem& p, const SpmmLayout& l, const SpmmPlan::Matrix* prepared, char* memory) noexcept
      : layout_(l), memory_(memory), task_(make_task(p, l)), nnz_(p.a.nnz) {
    threads_ = l.threads;
    if (!task_.empty) {
      prepare_rows(p, l, prepared, memory, task_);
      if (prepared != nullptr) use_plan(*prepared, task_);
      long_rows_ = cut_long_rows(task_, p.a.nnz, l, memory);
    }
    parts_ = threads_ == 1 ? 1 : std::clamp<std::int64_t>(task_.m / 8, 1, 8 * std::int64_t{threads_});
  }

  void scatter() noexcept {
    if (!task_.empty) {
      task_.partials = at<char>(memory_, layout_.partials);
      const std::int64_t sets = layout_.scatter_parts;
      const ValueType sum = layout_.real_bytes == 8 ? ValueType::f64 : ValueType::f32;
      task_.scatter_to_c = sets == 1 && !layout_.complex && layout_.pitch == layout_.columns && task_.c_type == sum &&
                           task_.c_col_stride == 1 && task_.epilogue.is_identity();
      task_.scatter_pitch = task_.scatter_to_c ? task_.c_row_stride : layout_.pitch;
      parallel_for(threads_, sets, [&](std::int64_t part) noexcept {
        SpmmStep step;
        step.kind = SpmmStep::scatter;
        step.begin = part_begin(task_, task_.k, part, sets);
        step.end = part_begin(task_, task_.k, part + 1, sets);
        step.partial = part * task_.m;
        call(step);
      });
      if (task_.scatter_to_c) return;
    }
    parallel_for(threads_, parts_, [&](std::int64_t part) noexcept {
      SpmmStep step;
      step.kind = SpmmStep::finish;
      step.begin = task_.m * part / parts_;
      step.end = task_.m * (part + 1) / parts_;
      step.partials = layout_.scatter_parts;
      call(step);
    });
  }

  // A block of rows is computed in one way whoever computes it, by tiles or not.
  void amx() noexcept {
    char* panels = memory_ == nullptr ? nullptr : cache_line(layout_.panel);
    if (!task_.empty) {
      constexpr std::int64_t kMostParts = 64;
      std::int32_t least[kMostParts];
      const std::int64_t steps = amx_steps(task_.k), parts = threads_ == 1 ? 1 : std::min(steps, kMostParts);
      parallel_for(threads_, parts, [&](std::int64_t part) noexcept {
        SpmmStep step;
        step.kind = SpmmStep::pack;
        step.begin = steps * part / parts * kAmxRows;
        step.end = std::min(task_.k, steps * (part + 1) / parts * kAmxRows);
        step.panel = panels;
        step.least_exponent = least + part;
        call(step);
      });
      task_.b_least_exponent = *std::min_element(least, least + parts);
    }
    const std::int64_t blocks = (task_.m + kAmxRows - 1) / kAmxRows;
    const std::int64_t pieces = threads_ == 1 ? 1 : std::min<std::int64_t>(blocks, 8 * std::int64_t{threads_});
    in_turn(pieces, [&](std::int64_t piece, SpmmStep& step) noexcept {
      step.begin = blocks * piece / pieces * kAmxRows;
      step.end = std::min(task_.m, blocks * (piece + 1) / pieces * kAmxRows);
      step.panel = panels;
      call(step);
    });
  }

  void windows() noexcept {
    const std::int64_t groups = (task_.m + kWindowRows - 1) / kWindowRows;
    const std::int64_t parts = threads_ == 1 ? 1 : std::min<std::int64_t>(groups, 8 * std::int64_t{threads_});
    in_turn(layout_.tiles * parts, [&](std::int64_t piece, SpmmStep& step) noexcept {
      const std::int64_t part = piece % parts;
      step.begin = groups * part / parts * kWindowRows;
      step.end = std::min(task_.m, groups * (part + 1) / parts * kWindowRows);
      step.tile = piece / parts;
      call(step);
    });
  }

  void tiles() noexcept {
    if (task_.b_access != BAccess::panel) return rows_of(0, layout_.tiles);
    const SpmmTask unpacked = task_;
    task_.b = at<char>(memory_, layout_.panel);
    task_.b_type = layout_.real_bytes == 8 ? ValueType::f64 : ValueType::f32;
    task_.b_panel_stride = task_.k * layout_.pitch;
    for (std::int64_t tile = 0; tile < layout_.tiles; tile += layout_.panels) {
      const std::int64_t count = std::min(layout_.panels, layout_.tiles - tile);
      pack(unpacked, tile, count);
      task_.b_first_panel = tile;
      rows_of(tile, count);
    }
  }

 private:
  void call(const SpmmStep& step) const noexcept { layout_.kernel->function(task_, step); }

  void pack(const SpmmTask& unpacked, std::int64_t first, std::int64_t count) noexcept {
    constexpr std::int64_t kRows = 256;
    const std::int64_t chunks = threads_ == 1 ? 1 : (task_.k + kRows - 1) / kRows;
    parallel_for(threads_, count * chunks, [&](std::int64_t part) noexcept {
      SpmmStep step;
      step.kind = SpmmStep::pack;
      step.tile = first + part / chunks;
      step.begin = threads_ == 1 ? 0 : part % chunks * kRows;
      step.end = threads_ == 1 ? task_.k : std::min(task_.k, step.begin + kRows);
      step.panel = at<char>(memory_, layout_.panel) + static_cast<std::size_t>(part / chunks * task_.b_panel_stride) *
                                                          static_cast<std::size_t>(layout_.real_bytes);
      layout_.kernel->function(unpacked, step);
    });
  }

  void rows_of(std::int64_t first, std::int64_t count) noexcept {
    if (long_rows_ > 0) {
      const RowSegment* segments = at<RowSegment>(memory_, layout_.segments);
      const LongRow* rows = at<LongRow>(memory_, layout_.long_rows);
      const std::int64_t cut = rows[long_rows_ - 1].first_segment + rows[long_rows_ - 1].segments;
      parallel_for(threads_, count * cut, [&](std::int64_t part) noexcept {
        const RowSegment& segment = segments[part % cut];
        SpmmStep step;
        step.kind = SpmmStep::segment;
        step.tile = first + part / cut;
        step.row = segment.row;
        step.begin = segment.begin;
        step.end = segment.end;
        step.partial = part % cut;
        call(step);
      });
      parallel_for(threads_, count * long_rows_, [&](std::int64_t part) noexcept {
        const LongRow& row = rows[part % long_rows_];
        SpmmStep step;
        step.kind = SpmmStep::combine;
        step.tile = first + part / long_rows_;
        step.row = row.row;
        step.partial = row.first_segment;
        step.partials = row.segments;
        call(step);
      });
    }
    // In a panel's turn every row passes it; where B stays in place, C is written in whole rows, or in pieces of a few rows.
    constexpr std::int64_t kRowsInTurn = 32;
    if (task_.whole_rows) count = 1;
    const bool tiles_inside = task_.b_access != BAccess::panel && count > 1 && layout_.method == SpmmMethod::tile;
    const std::int64_t parts = tiles_inside ? std::max(parts_, std::min(task_.m, nnz_ / 8) / kRowsInTurn) : parts_;
    const std::int64_t inside = tiles_inside ? count : 1;
    const std::int64_t turns = tiles_inside ? 1 : count;
    const auto run_part = [&](std::int64_t turn, std::int64_t part, SpmmStep& step) noexcept {
      step.begin = part_begin(task_, task_.m, part, parts);
      step.end = part_begin(task_, task_.m, part + 1, parts);
      for (std::int64_t tile = 0; tile < inside; ++tile) {
        step.tile = first + turn + tile;
        call(step);
      }
    };
    if (parts == 1) return in_turn(turns, [&](std::int64_t turn, SpmmStep& step) noexcept { run_part(turn, 0, step); });
    in_turn(turns * parts,
            [&](std::int64_t piece, SpmmStep& step) noexcept { run_part(piece / parts, piece % parts, step); });
  }

  // Threads take the pieces in turn: body(piece, step), where the step has its thread's chunk of memory.
  template <class Body>
  void in_turn(std::int64_t pieces, const Body& body) noexcept {
    if (threads_ == 1) {
      SpmmStep step;
      if (layout_.chunk_bytes > 0) step.chunk = cache_line(layout_.chunks);
      for (std::int64_t piece = 0; piece < pieces; ++piece) body(piece, step);
      return;
    }
    std::atomic<std::int64_t> taken{0};
    parallel_for(threads_, std::min<std::int64_t>(threads_, pieces), [&](std::int64_t thread) noexcept {
      SpmmStep step;
      if (layout_.chunk_bytes > 0) step.chunk = cache_line(layout_.chunks) + thread * layout_.chunk_bytes;
      for (std::int64_t piece; (piece = taken.fetch_add(1, std::memory_order_relaxed)) < pieces;) body(piece, step);
    });
  }

  // The first cache line of an array that has 64 bytes more than it needs.
  char* cache_line(std::size_t offset) const noexcept {
    return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory_ + offset) + 63) / 64 * 64);
  }

  const SpmmLayout& layout_;
  char* memory_;
  SpmmTask task_;
  std::int64_t nnz_;
  int threads_ = 1;
  std::int64_t parts_ = 1, long_rows_ = 0;
};

}  // namespace

void make_amx_masks(const SpmmProblem& p, const SpmmLayout& layout, std::vector<std::uint32_t>& masks) {
  SpmmTask t;
  t.m = p.m;
  t.k = p.k;
  describe_a(p, t);
  masks.resize(static_cast<std::size_t>((p.m + kAmxRows - 1) / kAmxRows * amx_mask_words(p.k)));
  SpmmStep step;
  step.kind = SpmmStep::masks;
  step.end = p.m;
  step.panel = masks.data();
  layout.kernel->function(t, step);
}

void run_matrix(const SpmmProblem& p, const SpmmLayout& layout, const SpmmPlan::Matrix* prepared,
                char* memory) noexcept {
  MatrixRun matrix(p, layout, prepared, memory);
  if (layout.method == SpmmMethod::scatter)
    matrix.scatter();
  else if (layout.method == SpmmMethod::amx)
    matrix.amx();
  else if (layout.method == SpmmMethod::windows)
    matrix.windows();
  else
    matrix.tiles();
}

}  // namespace spk::cpu
