// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cinttypes>

#include "core/error.hpp"
#include "cpu/spmm.hpp"

namespace spk::cpu {
namespace {

[[noreturn]] void broken(const char* array, std::int64_t batch, std::int64_t at, std::int64_t value, const char* rule) {
  throw Error(SPK_STATUS_INVALID_STRUCTURE,
              "matA: %s[%" PRId64 "] = %" PRId64 " in matrix %" PRId64 " of the batch but %s", array, at, value, batch,
              rule);
}

void check_indices(const char* name, const void* indices, const SparseView& a, std::int64_t limit, std::int64_t batch) {
  const std::int64_t end = a.first_entry + a.nnzb;
  const bool has_unused = has_unused_slots(a);
  if (indices == nullptr && a.nnzb > 0) throw Error(SPK_STATUS_INVALID_STRUCTURE, "matA: %s is NULL", name);
  for (std::int64_t e = a.first_entry; e < end; ++e) {
    const std::int64_t stored = index_at(indices, a.index_type, e);
    if (has_unused && stored == -1) continue;
    if (stored - a.base < 0 || stored - a.base >= limit)
      broken(name, batch, e, stored, "must be an index of the matrix, counted from its base");
  }
}

// Everything that preparing relies on, and execution later. Values are not looked at: a plan does not need them.
void check_structure(const SparseView& a, std::int64_t batch) {
  if (a.format == Format::csr || a.format == Format::csc || a.format == Format::bsr || a.format == Format::sell) {
    if (a.offsets == nullptr && a.major() == 0 && a.nnzb == 0) return;
    if (a.offsets == nullptr) throw Error(SPK_STATUS_INVALID_STRUCTURE, "matA: the array of offsets is NULL");
    std::int64_t before = a.first_entry;
    for (std::int64_t i = 0; i <= a.major(); ++i) {
      const std::int64_t offset = a.offset(i);
      if (i == 0 && offset != a.first_entry) broken("offsets", batch, i, offset + a.base, "must be the first one");
      if (offset < before) broken("offsets", batch, i, offset + a.base, "must not be below the one before");
      if (offset > a.first_entry + a.nnzb) broken("offsets", batch, i, offset + a.base, "is beyond the stored entries");
      if (a.format == Format::sell && (offset - before) % a.slice_size != 0)
        broken("offsets", batch, i, offset + a.base, "ends a slice in the middle of a column");
      before = offset;
    }
    if (before != a.first_entry + a.nnzb)
      broken("offsets", batch, a.major(), before + a.base,
             "must be the number of stored entries, counted from the base");
  }
  if (a.format == Format::csc || a.format == Format::coo) check_indices("row_indices", a.row_indices, a, a.rows, batch);
  if (a.format != Format::csc) check_indices("col_indices", a.col_indices, a, a.block_cols(), batch);
}

// A batch whose matrices share their structure needs one set of arrays.
bool shares_structure(const SparseView& a) noexcept { return a.offsets_stride == 0 && a.indices_stride == 0; }

void make_rows(const SpmmProblem& p, const SparseView& a, RowForm form, SpmmPlan::Matrix& matrix) {
  const std::int64_t stored = form == RowForm::turned ? a.nnzb : a.nnz;
  const std::size_t count = static_cast<std::size_t>(stored);
  matrix.offsets.resize(static_cast<std::size_t>(p.m / a.block_size + 2));
  matrix.positions.resize(count);
  RowArrays rows;
  rows.offsets = matrix.offsets.data();
  rows.positions = matrix.positions.data();
  rows.index_type = sorted_index_type(a);
  if (rows.index_type == IndexType::i64) {
    matrix.indices64.resize(count);
    rows.indices = matrix.indices64.data();
  } else {
    matrix.indices32.resize(count);
    rows.indices = matrix.indices32.data();
  }
  sort_into_rows(a, p.op_a, rows);
  matrix.in_place = rows.in_place;
  if (rows.in_place) {
    matrix.positions = {};
    matrix.indices32 = {};
    matrix.indices64 = {};
  } else if (form == RowForm::sorted) {
    matrix.positions.resize(static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(p.m)]));
    matrix.moves = ValueMoves(std::move(matrix.positions));
    matrix.positions = {};
  }
}

// 16-bit indices make a vector of them cover more of a row where it is compared with the end of a block. Dot products take
// longer to pick them apart, which pays where all of A comes from memory: on Zen 4, 0.92 of the one-shot call's speed in
// the caches, 1.07 with 13 million entries.
constexpr std::int64_t kLeastEntriesOfShortDots = std::int64_t{1} << 21;
void shorten_indices(const SparseView& a, SpmmPlan::Matrix& matrix) {
  matrix.indices16.resize(static_cast<std::size_t>(a.nnz));
  for (std::int64_t e = 0; e < a.nnz; ++e)
    matrix.indices16[static_cast<std::size_t>(e)] =
        static_cast<std::uint16_t>(index_at(a.minor_indices(), a.index_type, e) - a.base);
}

// The kernel that a plan runs. Scattering a few columns is cheaper than bringing the values into the kept transpose's
// order at every execution, unless most rows of C are empty, or, from 17 columns on, C has more rows than B: scattering
// meets C out of order, the other way meets B.
const SpmmRow* select_for_plan(const SpmmProblem& p, std::string* refusals) {
  if (p.alg < 256)
    if (const SpmmRow* amx = select_amx_for_plan(p)) return amx;
  const SpmmRow* kernel = select_spmm(p, refusals);
  constexpr std::int64_t kScatterColumns = 32, kScatterColumnsOfLargeC = 16;
  if (kernel == nullptr || p.alg >= 256 || method_of(*kernel) != SpmmMethod::scatter ||
      (p.n <= (p.m > p.k ? kScatterColumnsOfLargeC : kScatterColumns) && p.a.nnz >= p.m))
    return kernel;
  for (const SpmmRow& row : spmm_kernels())
    if (isa_supports(available_isa(), row.target) && method_of(row) == SpmmMethod::tile && row.refuse(p) == nullptr)
      return &row;
  return kernel;
}

// Vectors of windows, the most with which they are faster than dot products of rows. Zen 4 takes a vector in the time of
// four to five entries in f32 and of seven to eight in f64, so that a third, or three fifths, of its lanes are enough. Where A
// comes from memory, the bytes count: 5 of each lane of a vector, 8 of an entry. Mostly empty rows are passed faster by the
// kernel of dots.
std::int64_t most_vectors(const SpmmProblem& p) noexcept {
  constexpr std::int64_t kCachedEntries = std::int64_t{1} << 21;
  if (p.a.nnz < p.m) return 0;
  if (p.a.value_type == ValueType::f64) return p.a.nnz * 5 / (3 * kWindowLanes);
  return p.a.nnz <= kCachedEntries ? p.a.nnz * 3 / kWindowLanes : p.a.nnz * 3 / (2 * kWindowLanes);
}

// Whether the plan's kernel is that of windows now.
bool keep_windows(const SpmmProblem& p, SpmmPlan& plan) {
  const SpmmRow* row = select_windows_for_plan(p);
  if (row == nullptr || p.a.nnz == 0) return false;
  const bool forced = p.alg >= 256;
  const bool one = shares_structure(p.a) && p.a.values_stride == 0;
  std::vector<SpmmPlan::Matrix> matrices(one ? 1 : static_cast<std::size_t>(p.a.batch_count));
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    SpmmProblem q = p;
    q.a = p.a.batch(static_cast<std::int64_t>(b));
    if (!matrices[b].windows.make(q, forced ? INT64_MAX : most_vectors(p))) return false;
  }
  plan.matrices = std::move(matrices);
  plan.kernel = row;
  return true;
}

// Another storage of entries becomes rows with their values, and the plan is that of their product. Not for what
// is better read afresh: blocks, which are used where they are, structures that differ in the batch, and kernels asked for
// that need the other storage.
bool wants_rows(const SpmmProblem& p, const SpmmRow& kernel) noexcept {
  const bool entries = p.a.block_size == 1 && p.a.format != Format::bsr && p.a.format != Format::blocked_ell;
  const bool other = row_form(p, method_of(kernel)) != RowForm::stored;
  return p.keeps_values && entries && other && p.a.nnz > 0 && p.m > 0 && p.n > 0 && shares_structure(p.a) &&
         !(p.alg >= 256 && method_of(kernel) == SpmmMethod::scatter);
}

std::unique_ptr<SpmmPlan> prepare_own(const SpmmProblem& p, const Exec& exec) {
  std::string refusals;
  const SpmmRow* kernel = select_for_plan(p, &refusals);
  if (kernel == nullptr) throw Error(SPK_STATUS_NOT_SUPPORTED, "no kernel takes this product: %s", refusals.c_str());
  auto plan = std::make_unique<SpmmPlan>();
  plan->kernel = kernel;
  plan->matrices.resize(shares_structure(p.a) ? 1 : static_cast<std::size_t>(p.a.batch_count));
  for (std::size_t b = 0; b < plan->matrices.size(); ++b)
    check_structure(p.a.batch(static_cast<std::int64_t>(b)), static_cast<std::int64_t>(b));
  if (wants_rows(p, *kernel)) {
    make_kept_rows(p, plan->rows);
    plan->plan_of_rows = prepare_own(plan->rows.problem(p), exec);
    const SpmmPlan::Matrix& kept = plan->plan_of_rows->matrices[0];
    if (!plan->rows.in_place || !kept.windows.empty() || !kept.indices16.empty()) {
      if (!kept.windows.empty()) plan->rows.forget_entries();
      plan->matrices.clear();
      return plan;
    }
    plan->plan_of_rows = nullptr;  // a copy of what is stored gains nothing
    plan->rows = {};
  }
  keep_windows(p, *plan);
  const SpmmMethod method = method_of(*plan->kernel);
  plan->form = row_form(p, method);
  plan->threads = exec.threads;
  if (p.m > 0 && p.n > 0) plan->layout = layout_of(p, true, *plan->kernel, exec.threads);
  const bool short_indices =
      plan->form == RowForm::stored && p.k <= 65536 &&
      (plan->layout.block_rows > 0 || (method == SpmmMethod::dot && p.a.nnz >= kLeastEntriesOfShortDots));
  for (std::size_t b = 0; b < plan->matrices.size(); ++b) {
    const SparseView a = p.a.batch(static_cast<std::int64_t>(b));
    SpmmPlan::Matrix& matrix = plan->matrices[b];
    if (a.nnzb > 0 && (plan->form == RowForm::sorted || plan->form == RowForm::turned))
      make_rows(p, a, plan->form, matrix);
    if (short_indices && a.first_entry == 0) shorten_indices(a, matrix);
    if (a.nnz > 0 && p.n > 0 && method == SpmmMethod::amx) {
      SpmmProblem one = p;
      one.a = a;
      make_amx_masks(one, plan->layout, matrix.amx_masks);
    }
  }
  return plan;
}

}  // namespace

std::size_t SpmmPlan::bytes() const noexcept {
  std::size_t sum = sizeof *this;
  if (plan_of_rows != nullptr) sum += rows.bytes() + plan_of_rows->bytes();
  for (const Matrix& m : matrices)
    sum += sizeof m + m.windows.bytes() + 4 * (m.indices32.size() + m.amx_masks.size()) + 2 * m.indices16.size() +
           m.moves.bytes() + 8 * (m.offsets.size() + m.positions.size() + m.indices64.size());
  return sum;
}

std::string SpmmPlan::describe() const {
  const SpmmPlan& own = plan_of_rows != nullptr ? *plan_of_rows : *this;
  std::string text = own.kernel->name;
  const bool in_place = !matrices.empty() && matrices[0].in_place;
  if (!own.matrices.empty() && !own.matrices[0].windows.empty()) {
    text += ", entries in windows with their values";
  } else if (plan_of_rows != nullptr) {
    text += ", entries in rows with their values";
  } else {
    switch (form) {
      case RowForm::stored: text += ", rows as stored"; break;
      case RowForm::scatter: text += ", columns as stored"; break;
      case RowForm::sorted:
        text += in_place ? ", offsets of sorted entries" : ", entries in rows with their places";
        break;
      case RowForm::turned: text += ", blocks in rows with their places"; break;
    }
  }
  if (!own.matrices.empty() && !own.matrices[0].indices16.empty()) text += ", 16-bit indices";
  if (!own.matrices.empty() && !own.matrices[0].amx_masks.empty()) text += ", masks of columns";
  if (own.matrices.size() > 1)
    text +=
        ", " + std::to_string(own.matrices.size()) + (own.matrices[0].windows.empty() ? " structures" : " matrices");
  return text + ", " + std::to_string(bytes()) + " bytes";
}

std::unique_ptr<Plan> prepare(const SpmmProblem& p, const Exec& exec) { return prepare_own(p, exec); }

}  // namespace spk::cpu
