// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <iterator>

#include "cpu/kernels/spmm_kernels.hpp"
#include "cpu/spmm.hpp"

// The table of kernels: which of them takes a product.
namespace spk::cpu {

bool entries_stored_in_rows(const SpmmProblem& p) noexcept {
  return (p.a.format == Format::csr && p.op_a == Op::n) || (p.a.format == Format::csc && p.op_a != Op::n);
}
bool is_block_format(Format format) noexcept { return format == Format::bsr || format == Format::blocked_ell; }

bool is_direct(const SpmmProblem& p) noexcept {
  const ValueType type = p.a.value_type;
  return (type == ValueType::f32 || type == ValueType::f64) && p.b.type == type && p.c.type == type &&
         !is_block_format(p.a.format) && operand(p.b, p.op_b).col_stride == 1 && p.c.col_stride() == 1 &&
         p.epilogue.is_identity();
}

namespace {

// Widest C for which a dot product per element, and a scatter, beat making rows of vectors.
constexpr std::int64_t kDotColumns = 4;
constexpr std::int64_t kScatterColumns = 128;

bool entries_stored_in_columns(const SpmmProblem& p) noexcept {
  return (p.a.format == Format::csr && p.op_a != Op::n) || (p.a.format == Format::csc && p.op_a == Op::n);
}

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

}  // namespace spk::cpu
