// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/sddmm_operands.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "cpu/parallel.hpp"
#include "cpu/row_parts.hpp"
#include "cpu/sddmm_pack.hpp"

namespace spk::cpu {
namespace {

constexpr std::int64_t kGatherFactor = 12;  // a strided read costs about this many elements of a transposition
// Of B for one pass: three quarters of a usual L1, half of a usual L2. Without blocks B may fill three quarters of L2.
constexpr std::int64_t kBlockBytes[] = {24 << 10, 1 << 19};
constexpr std::int64_t kUnblockedBytes[] = {24 << 10, 3 << 18};
constexpr std::int64_t kMinBlockRun[] = {24, 8};  // entries of a row in a pass that pay for visiting the row once more
constexpr std::int64_t kSlotBytes = 1 << 26;      // copies of a batch that are held at once, if more than one fits

std::size_t to_size(std::int64_t x) noexcept { return static_cast<std::size_t>(x); }

std::size_t checked_bytes(std::int64_t vectors, std::int64_t ld, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(to_size(vectors), to_size(ld), &bytes) || __builtin_mul_overflow(bytes, size, &bytes) ||
      bytes > SIZE_MAX / 4)
    throw Error(SPK_STATUS_INDEX_OVERFLOW, "spk_sddmm: a workspace of %lld x %lld elements does not fit size_t",
                static_cast<long long>(vectors), static_cast<long long>(ld));
  return (bytes + 63) / 64 * 64;
}

SddmmOperand describe(const DenseView& x, const Operand& view, bool is_a, const SddmmProblem& p) {
  SddmmOperand o;
  o.view = view;
  o.vectors = is_a ? p.m : p.n;
  o.vector_stride = is_a ? view.row_stride : view.col_stride;
  o.step = is_a ? view.col_stride : view.row_stride;
  o.batch_stride = x.batch_count > 1 ? x.batch_stride : 0;
  o.ld = o.vector_stride;
  if (o.step == 1 || p.k <= 1 || p.c.nnz == 0) return o;

  const std::int64_t size = static_cast<std::int64_t>(size_of(view.type));
  const std::int64_t line = 64 / size;
  o.ld = p.k > INT64_MAX - 2 * line ? p.k : (p.k + line - 1) / line * line;
  if (o.ld * size % 4096 == 0) o.ld += line;  // vectors a page apart would share cache sets
  const bool few = p.c.nnzb <= o.vectors / kGatherFactor / p.c.block_size;
  o.access = few ? Access::gathered : Access::packed;
  o.bytes = checked_bytes(few ? p.c.nnzb * p.c.block_size : o.vectors, o.ld, size_of(view.type));
  return o;
}

// The least block of columns that pays: small blocks only where rows are dense enough.
std::int64_t column_step(const SddmmProblem& p) noexcept {
  const std::int64_t major = p.c.major(), cols = p.c.block_cols(), edge = p.c.block_size;
  const std::int64_t size = static_cast<std::int64_t>(size_of(p.b.type));
  if (p.k == 0 || p.k > kBlockBytes[1] / size / edge || major == 0) return 0;
  const std::int64_t vector_bytes = p.k * size * edge;
  for (int level = 0; level < 2; ++level) {
    if (cols <= kUnblockedBytes[level] / vector_bytes) return 0;
    const std::int64_t step = kBlockBytes[level] / vector_bytes;
    if (step == 0) continue;
    const std::int64_t passes = (cols + step - 1) / step;
    if (passes > 1 && p.c.nnzb / major / passes * edge >= kMinBlockRun[level]) return step;
  }
  return 0;
}

// Copies matrix `batch` of one operand: share `part` of `parts`.
void copy_share(const SddmmProblem& p, const SddmmOperand& o, bool is_a, std::int64_t batch, void* to,
                std::int64_t part, std::int64_t parts) noexcept {
  const Strided from{o.values(batch), size_of(o.view.type), o.vector_stride, o.step};
  if (o.access == Access::packed) {
    // Whole cache lines of the source for every share.
    const std::int64_t line = static_cast<std::int64_t>(64 / from.size);
    const std::int64_t lines = (o.vectors + line - 1) / line;
    const std::int64_t begin = std::min(o.vectors, lines * part / parts * line);
    const std::int64_t end = std::min(o.vectors, lines * (part + 1) / parts * line);
    pack_vectors(from, begin, end, p.k, to, o.ld);
    return;
  }
  const SparseView c = p.c.batch(batch);
  const std::int64_t edge = c.block_size;
  constexpr std::size_t kTogether = 16;
  std::array<Gathered, kTogether> waiting;
  std::size_t count = 0;
  const auto flush = [&] {
    gather_vectors(from, {waiting.data(), count}, p.k);
    count = 0;
  };
  const auto gather = [&](std::int64_t entry, std::int64_t vector) {
    for (std::int64_t i = 0; i < edge; ++i) {
      const std::int64_t place = ((entry - c.first_entry) * edge + i) * o.ld;
      waiting[count++] = {vector * edge + i, static_cast<char*>(to) + place * static_cast<std::int64_t>(from.size)};
      if (count == kTogether) flush();
    }
  };
  const std::int64_t begin = c.first_entry + c.nnzb * part / parts, end = c.first_entry + c.nnzb * (part + 1) / parts;
  for (std::int64_t e = begin; e < end;) {
    if (is_a) {
      // Rows by their first entries: there are few entries, and many rows without.
      const std::int64_t row = row_of_entry(c, e);
      if (c.offset(row) == e) gather(e, row);
      e = c.offset(row + 1);
    } else {
      gather(e, index_at(c.col_indices, c.index_type, e) - c.base);
      ++e;
    }
  }
  flush();
}

}  // namespace

SddmmLayout sddmm_layout(const SddmmProblem& p) {
  SddmmLayout layout;
  layout.a = describe(p.a, operand(p.a, p.op_a), true, p);
  layout.b = describe(p.b, operand(p.b, p.op_b), false, p);

  if (layout.b.access != Access::gathered) layout.col_step = column_step(p);
  layout.shared_bytes = (layout.a.shared() ? layout.a.bytes : 0) + (layout.b.shared() ? layout.b.bytes : 0);
  layout.slot_bytes = layout.a.bytes + layout.b.bytes - layout.shared_bytes;
  layout.b_offset = layout.a.shared() == layout.b.shared() ? layout.a.bytes : 0;
  if (layout.col_step != 0) {
    layout.cursor_offset = layout.slot_bytes;
    layout.slot_bytes += checked_bytes(p.c.major() + kMaxBlockedParts, 1, sizeof(std::int64_t));
  }
  const std::int64_t batches = std::max<std::int64_t>(1, p.c.batch_count);
  layout.slots = layout.slot_bytes == 0
                     ? batches
                     : std::clamp<std::int64_t>(kSlotBytes / static_cast<std::int64_t>(layout.slot_bytes), 1, batches);
  layout.total_bytes = layout.shared_bytes + to_size(layout.slots) * layout.slot_bytes;
  return layout;
}

void sddmm_copy_operands(const SddmmProblem& p, const SddmmLayout& layout, std::int64_t first, std::int64_t count,
                         int threads, char* workspace) noexcept {
  for (const bool is_a : {true, false}) {
    const SddmmOperand& o = is_a ? layout.a : layout.b;
    if (o.access == Access::in_place) continue;
    if (o.shared() && first > 0) continue;
    const std::int64_t matrices = o.shared() ? 1 : count;
    const std::int64_t parts = o.bytes < (1 << 18) || threads <= 1 ? 1 : std::int64_t{threads} * 4;
    parallel_for(threads, matrices * parts, [&](std::int64_t unit) noexcept {
      const std::int64_t slot = unit / parts;
      char* to = workspace + (is_a ? std::size_t{0} : layout.b_offset);
      if (!o.shared()) to += layout.shared_bytes + to_size(slot) * layout.slot_bytes;
      copy_share(p, o, is_a, first + slot, to, unit % parts, parts);
    });
  }
}

SddmmTask sddmm_task(const SddmmProblem& p, const SddmmLayout& layout, std::int64_t batch, std::int64_t slot,
                     char* workspace) noexcept {
  const SparseView c = p.c.batch(batch);
  const std::int64_t width = is_complex(p.a.type) ? 2 : 1;
  const auto place = [&](const SddmmOperand& o, std::size_t offset) -> const void* {
    if (o.access == Access::in_place) return o.values(batch);
    if (o.shared()) return workspace + offset;
    return workspace + layout.shared_bytes + to_size(slot) * layout.slot_bytes + offset;
  };
  SddmmTask t;
  t.a = place(layout.a, 0);
  t.b = place(layout.b, layout.b_offset);
  t.a_ld = layout.a.ld * width;
  t.b_ld = layout.b.ld * width;
  t.k = p.k * width;
  t.a_gathered = layout.a.access == Access::gathered;
  t.b_gathered = layout.b.access == Access::gathered;
  t.conj_a = layout.a.view.conjugate;
  t.conj_b = layout.b.view.conjugate;
  t.offsets = c.offsets;
  t.indices = c.col_indices;
  t.values = c.values;
  t.offset_type = c.offset_type;
  t.index_type = c.index_type;
  t.c_type = c.value_type;
  t.base = c.base;
  t.first_entry = c.first_entry;
  t.block_size = c.block_size;
  t.row_major_blocks = c.block_order != Order::col;
  t.alpha = p.scalars.alpha;
  t.beta = p.scalars.beta;
  t.cols = c.block_cols();
  return t;
}

}  // namespace spk::cpu
