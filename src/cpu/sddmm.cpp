// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/kernel_table.hpp"
#include "cpu/isa.hpp"
#include "cpu/kernels/sddmm_task.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"
#include "cpu/row_parts.hpp"
#include "cpu/sddmm_operands.hpp"

namespace spk::cpu {
namespace {

template <Format kFormat, ValueType kType>
const char* needs(const SddmmProblem& p) {
  // Blocks of one element are CSR.
  const Format format = p.c.format == Format::bsr && p.c.block_size == 1 ? Format::csr : p.c.format;
  if (format != kFormat) return kFormat == Format::csr ? "C is not csr" : "C is not bsr";
  if (p.a.type != kType || p.b.type != kType) return "A and B have another type";
  if (p.c.value_type != kType && !(is_16bit(kType) && p.c.value_type == ValueType::f32))
    return "C is neither of the operands' type nor float with 16-bit operands";
  if (p.compute != sum_type(kType)) return "the compute type is not that of the sums";
  return nullptr;
}

using Row = KernelRow<SddmmProblem, Isa, SddmmKernel>;
const Row kTable[] = {
#define SPK_KERNEL(name, isa, id, refuse) {#name "__" #isa, id, Isa::isa, &name##__##isa, refuse},
#include "cpu/sddmm_kernels.inc"
#undef SPK_KERNEL
};

const Row* find(const SddmmProblem& p, std::string* refusals) {
  return select<Row>(kTable, p, available_isa(), isa_supports, refusals);
}

// The column-block partition: runs of entries of one row inside one block of columns, block by block.
class SddmmPlan final : public Plan {
 public:
  std::string kernel;
  std::int64_t col_step = 0;
  std::vector<SddmmSegment> segments;
  std::vector<std::int64_t> before;  // entries in the segments before each one, and in all of them

  std::string describe() const override {
    if (segments.empty()) return kernel + ", rows in place, 0 bytes";
    const std::size_t bytes = segments.size() * sizeof(SddmmSegment) + before.size() * sizeof(std::int64_t);
    return kernel + ", column blocks of " + std::to_string(col_step) + ", " + std::to_string(segments.size()) +
           " segments, " + std::to_string(bytes) + " bytes";
  }
};

void collect_segments(const SparseView& c, std::int64_t step, SddmmPlan& plan) {
  const std::int64_t passes = (c.block_cols() + step - 1) / step;
  // Counting sort by pass; inside a pass rows stay in order.
  std::vector<std::int64_t> starts(static_cast<std::size_t>(passes) + 1, 0);
  const auto each_run = [&](auto&& f) {
    for (std::int64_t row = 0; row < c.major(); ++row) {
      const std::int64_t end = c.offset(row + 1);
      for (std::int64_t e = c.offset(row); e < end;) {
        const auto pass_of = [&](std::int64_t i) { return (index_at(c.col_indices, c.index_type, i) - c.base) / step; };
        const std::int64_t pass = pass_of(e), begin = e;
        while (e < end && pass_of(e) == pass) ++e;
        f(static_cast<std::size_t>(pass), SddmmSegment{row, begin, e});
      }
    }
  };
  each_run([&](std::size_t pass, const SddmmSegment&) { ++starts[pass + 1]; });
  for (std::size_t pass = 1; pass < starts.size(); ++pass) starts[pass] += starts[pass - 1];
  plan.segments.resize(static_cast<std::size_t>(starts.back()));
  each_run(
      [&](std::size_t pass, const SddmmSegment& s) { plan.segments[static_cast<std::size_t>(starts[pass]++)] = s; });
  plan.before.reserve(plan.segments.size() + 1);
  std::int64_t entries = 0;
  for (const SddmmSegment& s : plan.segments) {
    plan.before.push_back(entries);
    entries += s.end - s.begin;
  }
  plan.before.push_back(entries);
}

template <class Value>
void scale_range(Value* c, std::int64_t count, Scalar beta) noexcept {
  if (beta.is_zero()) {
    std::fill(c, c + count, Value{});
  } else if constexpr (std::is_same_v<Value, f16>) {
    for (std::int64_t i = 0; i < count; ++i) c[i] = to_f16(static_cast<float>(beta.re) * to_float(c[i]));
  } else if constexpr (std::is_same_v<Value, bf16>) {
    for (std::int64_t i = 0; i < count; ++i) c[i] = to_bf16(static_cast<float>(beta.re) * to_float(c[i]));
  } else if constexpr (std::is_floating_point_v<Value>) {
    for (std::int64_t i = 0; i < count; ++i) c[i] *= static_cast<Value>(beta.re);
  } else {
    using Real = typename Value::value_type;
    const Real re = static_cast<Real>(beta.re), im = static_cast<Real>(beta.im);
    for (std::int64_t i = 0; i < count; ++i)
      c[i] = im == 0 ? Value(re * c[i].real(), re * c[i].imag())
                     : Value(re * c[i].real() - im * c[i].imag(), re * c[i].imag() + im * c[i].real());
  }
}

// values(C) = beta * values(C)
void scale(const SddmmProblem& p, int threads) noexcept {
  if (p.scalars.beta.is_one() || p.c.nnz == 0) return;
  constexpr std::int64_t kChunk = 1 << 16;
  const std::int64_t chunks = (p.c.nnz + kChunk - 1) / kChunk;
  parallel_for(threads, chunks * p.c.batch_count, [&](std::int64_t unit) noexcept {
    const SparseView c = p.c.batch(unit / chunks);
    const std::int64_t begin = unit % chunks * kChunk;
    visit(c.value_type, [&](auto tag) {
      using Value = typename decltype(tag)::type;
      scale_range(static_cast<Value*>(c.values) + c.first_entry * c.block_size * c.block_size + begin,
                  std::min(kChunk, c.nnz - begin), p.scalars.beta);
    });
  });
}

// Share `part` of `parts` of a plan's segments, equal in entries.
SddmmPart segment_part(const SddmmPlan& plan, std::int64_t parts, std::int64_t part) noexcept {
  const std::int64_t entries = plan.before.back();
  const auto first = [&](std::int64_t q) {
    return std::lower_bound(plan.before.begin(), plan.before.end() - 1, share_begin(entries, parts, q)) -
           plan.before.begin();
  };
  SddmmPart result;
  const std::int64_t begin = first(part);
  result.segments = plan.segments.data() + begin;
  result.segment_count =
      (part + 1 == parts ? static_cast<std::int64_t>(plan.segments.size()) : first(part + 1)) - begin;
  return result;
}

SddmmPart entry_part(const SparseView& c, std::int64_t parts, std::int64_t part) noexcept {
  SddmmPart result;
  result.begin = c.first_entry + share_begin(c.nnzb, parts, part);
  result.end = c.first_entry + share_begin(c.nnzb, parts, part + 1);
  if (result.begin == result.end) return result;
  result.first_row = row_of_entry(c, result.begin);
  result.rows = row_of_entry(c, result.end - 1) - result.first_row + 1;
  return result;
}

}  // namespace

Choice choose(const SddmmProblem& p) {
  std::string refusals;
  const Row* row = find(p, &refusals);
  if (row == nullptr) return {0, std::move(refusals)};
  return {row->id, row->name};
}

std::size_t workspace(const SddmmProblem& p, const Plan*, const Exec&) { return sddmm_layout(p).total_bytes; }

std::unique_ptr<Plan> prepare(const SddmmProblem& p, const Exec&) {
  std::string refusals;
  const Row* row = find(p, &refusals);
  if (row == nullptr) throw Error(SPK_STATUS_NOT_SUPPORTED, "spk_sddmm: %s", refusals.c_str());
  require_structure(p.c, "matC");
  auto plan = std::make_unique<SddmmPlan>();
  plan->kernel = row->name;
  const bool one_structure = p.c.batch_count == 1 || (p.c.offsets_stride == 0 && p.c.indices_stride == 0);
  plan->col_step = sddmm_layout(p).col_step;
  if (plan->col_step != 0 && one_structure) collect_segments(p.c, plan->col_step, *plan);
  return plan;
}

void run(const SddmmProblem& p, const Plan* prepared, const Exec& exec) {
  std::string refusals;
  const Row* row = find(p, nullptr);
  if (row == nullptr) {
    find(p, &refusals);
    throw Error(SPK_STATUS_NOT_SUPPORTED, "spk_sddmm: %s", refusals.c_str());
  }
  if (p.c.nnz == 0 || p.c.batch_count == 0) return;
  const double flops = 2.0 * static_cast<double>(p.c.nnz) * static_cast<double>(p.k) * (is_complex(p.a.type) ? 4 : 1);
  constexpr double kOneThread = 1e6;  // below this a team costs more than it gives
  if (p.skips_product()) return scale(p, static_cast<double>(p.c.nnz) < kOneThread ? 1 : exec.threads);

  const SddmmLayout layout = sddmm_layout(p);
  if (exec.workspace_bytes < layout.total_bytes)
    throw Error(SPK_STATUS_WORKSPACE_TOO_SMALL, "spk_sddmm: workspace_bytes = %zu but %zu are needed",
                exec.workspace_bytes, layout.total_bytes);
  const auto* plan = static_cast<const SddmmPlan*>(prepared);
  const bool segmented = plan != nullptr && !plan->segments.empty();
  char* const workspace = static_cast<char*>(exec.workspace);
  for (std::int64_t first = 0; first < p.c.batch_count; first += layout.slots) {
    const std::int64_t count = std::min(layout.slots, p.c.batch_count - first);
    const int threads = flops * static_cast<double>(count) < kOneThread ? 1 : usable_threads(exec.threads);
    sddmm_copy_operands(p, layout, first, count, threads, workspace);
    // Dots do not depend on their share, so shares may follow the threads. A pass over B's blocks is made per share.
    const std::int64_t wanted = std::int64_t{threads} * (layout.col_step != 0 && !segmented ? 2 : 4) / count;
    const std::int64_t parts =
        threads == 1 ? 1 : std::clamp<std::int64_t>(wanted, 1, std::min(p.c.nnzb, kMaxBlockedParts));
    parallel_for(threads, count * parts, [&](std::int64_t unit) noexcept {
      const std::int64_t slot = unit / parts, share = unit % parts;
      SddmmTask task = sddmm_task(p, layout, first + slot, slot, workspace);
      if (segmented) return row->function(task, segment_part(*plan, parts, share));
      SddmmPart part = entry_part(p.c.batch(first + slot), parts, share);
      if (layout.col_step != 0) {
        // A row that two shares meet in has a cursor in each.
        auto* cursors =
            reinterpret_cast<std::int64_t*>(workspace + layout.shared_bytes +
                                            static_cast<std::size_t>(slot) * layout.slot_bytes + layout.cursor_offset);
        task.col_step = layout.col_step;
        part.cursors = cursors + part.first_row + share;
      }
      row->function(task, part);
    });
  }
}

}  // namespace spk::cpu
