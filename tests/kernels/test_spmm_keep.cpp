// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/reference/operations.hpp"
#include "cpu/spmm.hpp"
#include "kernels/spmm_case.hpp"
#include "support/require.hpp"

// Plans of SpMM that keep values.
namespace spk::test {
namespace {

constexpr std::int32_t kWindowsF32 = 272, kWindowsF64 = 273;  // ids of the AVX-512 kernels

bool has_windows() { return cpu::isa_supports(cpu::available_isa(), cpu::Isa::avx512); }

std::unique_ptr<Plan> keep(SpmmCase& c, int threads, std::int32_t alg = 0) {
  SpmmProblem p = c.problem();
  p.keeps_values = true;
  p.scalars = {};
  p.alg = alg;
  p.b.values = p.c.values = nullptr;
  Exec exec;
  exec.threads = threads;
  return cpu::prepare(p, exec);
}

DenseView run_kept(SpmmCase& c, const Plan& plan, int threads) {
  SpmmProblem p = c.problem();
  p.c = c.fresh_c();
  Exec exec;
  exec.threads = threads;
  const Guarded workspace(cpu::workspace(p, &plan, exec) + 16);
  exec.workspace = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(workspace.data()) + 15) / 16 * 16);
  exec.workspace_bytes = workspace.bytes() - 16;
  cpu::run(p, &plan, exec);
  return p.c;
}

bool says_kept(const Plan& plan) { return plan.describe().find("with their values") != std::string::npos; }

// Every bit of every value set: NaN in every type.
void poison_values(SpmmCase& c) {
  const SparseView& a = c.problem().a;
  const std::int64_t matrices = a.values_stride == 0 ? 1 : a.batch_count;
  const std::int64_t count = (matrices - 1) * a.values_stride + a.first_entry + a.nnz;
  std::memset(a.values, 0xff, static_cast<std::size_t>(count) * size_of(a.value_type));
}

// Right, equal on any number of threads, and, where the plan says that it keeps values, made from those alone.
// Answers the plan.
std::unique_ptr<Plan> expect_kept_right(SpmmCase& c, const SpmmShape& s, std::int32_t alg = 0) {
  auto plan = keep(c, 1, alg);
  const DenseView one = run_kept(c, *plan, 1);
  const Verdict verdict = reference::judge(c.problem(), one);
  EXPECT_LE(verdict.worst, 1.0) << to_string(s) << "\n  " << plan->describe() << " at (" << verdict.row << ", "
                                << verdict.col << ") of matrix " << verdict.batch << ": got " << verdict.got.re
                                << " want " << verdict.want.re;
  EXPECT_TRUE(c.padding_is_intact(one)) << to_string(s);
  for (const int threads : {2, 5}) {
    EXPECT_TRUE(c.equal_bits(one, run_kept(c, *plan, threads))) << to_string(s);
    EXPECT_TRUE(c.equal_bits(one, run_kept(c, *keep(c, threads, alg), threads))) << to_string(s);
  }
  if (says_kept(*plan)) {
    poison_values(c);
    EXPECT_TRUE(c.equal_bits(one, run_kept(c, *plan, 1))) << to_string(s) << "\n  " << plan->describe();
  }
  return plan;
}
std::unique_ptr<Plan> expect_kept_right(const SpmmShape& s, std::int32_t alg = 0) {
  SpmmCase c(s);
  return expect_kept_right(c, s, alg);
}

TEST(SpmmKeep, MatchesTheOracle) {
  for (const Format format : {Format::csr, Format::csc, Format::coo, Format::bsr, Format::blocked_ell})
    for (const Op op_a : {Op::n, Op::t, Op::c})
      for (const ValueType type :
           {ValueType::f32, ValueType::f64, ValueType::f16, ValueType::bf16, ValueType::c64, ValueType::c128})
        for (const Order order : {Order::row, Order::col})
          for (const std::int64_t n : {1, 3, 8, 40, 130}) {
            SpmmShape s;
            s.format = format;
            s.op_a = op_a;
            s.type = type;
            s.b_order = s.c_order = order;
            s.m = 37;
            s.k = 52;
            s.n = n;
            s.base = n == 8 || n == 1 ? 1 : 0;
            s.index_type = n == 3 ? IndexType::i64 : IndexType::i32;
            s.alpha = {-0.5, 0};
            s.beta = {n == 40 ? 0.0 : 0.5, 0};
            s.c_padding = 2;
            s.sorted = n > 5;
            if (format == Format::bsr || format == Format::blocked_ell) s.block_size = 4;
            const auto plan = expect_kept_right(s);
            const bool rows = (format == Format::csr && op_a == Op::n) || (format == Format::csc && op_a != Op::n);
            if (rows || format == Format::coo) continue;
            EXPECT_EQ(says_kept(*plan), s.block_size == 1) << plan->describe();
          }
}

TEST(SpmmKeep, TransposedProductsAreThoseOfRows) {
  SpmmShape s;
  s.op_a = Op::t;
  s.n = 8;
  s.m = 60;
  s.k = 60;
  SpmmCase c(s);
  EXPECT_NE(cpu::prepare(c.problem(), Exec{})->describe().find("scatter"), std::string::npos);
  const auto plan = expect_kept_right(s);
  EXPECT_NE(plan->describe().find("spmm_tile_f32"), std::string::npos) << plan->describe();
  EXPECT_NE(plan->describe().find("entries in rows with their values"), std::string::npos) << plan->describe();
}

TEST(SpmmKeep, TakesTheValuesThatItIsShownLast) {
  for (const std::int64_t n : {1, 24}) {
    SpmmShape s;
    s.op_a = Op::t;
    s.n = n;
    s.m = 60;
    s.k = 40;
    SpmmCase c(s);
    const auto before = keep(c, 1);
    ASSERT_TRUE(says_kept(*before)) << before->describe();
    const DenseView old = run_kept(c, *before, 1);
    float* values = static_cast<float*>(c.problem().a.values);
    for (std::int64_t e = 0; e < c.problem().a.nnz; ++e) values[e] = values[e] * -2 + 1;
    EXPECT_TRUE(c.equal_bits(old, run_kept(c, *before, 1)));
    EXPECT_GT(reference::judge(c.problem(), old).worst, 1.0);
    EXPECT_LE(reference::judge(c.problem(), run_kept(c, *keep(c, 1), 1)).worst, 1.0);
    EXPECT_LE(reference::judge(c.problem(), run_kept(c, *cpu::prepare(c.problem(), Exec{}), 1)).worst, 1.0);
  }
}

TEST(SpmmKeep, ServesBatches) {
  for (const Format format : {Format::csr, Format::coo, Format::csc})
    for (const Op op_a : {Op::n, Op::c})
      for (const ValueType type : {ValueType::f32, ValueType::c64})
        for (const std::int64_t n : {1, 70}) {
          SpmmShape s;
          s.format = format;
          s.op_a = op_a;
          s.type = type;
          s.batch = 4;
          s.m = 45;
          s.k = 50;
          s.n = n;
          s.b_order = s.c_order = Order::col;
          expect_kept_right(s);
          SpmmCase shared(s);  // one matrix for all
          shared.problem().a.values_stride = 0;
          expect_kept_right(shared, s);
        }
}

TEST(SpmmKeep, KernelsThatAreAskedForStay) {
  SpmmShape s;
  s.op_a = Op::t;
  s.n = 8;
  for (const cpu::SpmmRow& row : cpu::spmm_kernels()) {
    if (!cpu::isa_supports(cpu::available_isa(), row.target)) continue;
    SpmmCase c(s);
    SpmmProblem p = c.problem();
    p.alg = row.id;
    p.keeps_values = true;
    if (row.refuse(p) != nullptr) continue;
    const auto plan = expect_kept_right(s, row.id);
    EXPECT_EQ(plan->describe().find(row.name), 0U) << plan->describe();
  }
}

TEST(SpmmKeep, ServesMatricesWithoutEntries) {
  for (const Format format : {Format::csr, Format::csc, Format::coo})
    for (const Op op_a : {Op::n, Op::t})
      for (const std::int64_t k : {0, 6, 40})
        for (const std::int64_t n : {1, 90}) {
          SpmmShape s;
          s.format = format;
          s.op_a = op_a;
          s.k = k;
          s.n = n;
          s.density = 0;
          s.beta = {2, 0};
          expect_kept_right(s);
        }
}

class SpmmWindows : public ::testing::TestWithParam<ValueType> {
 protected:
  void SetUp() override {
    if (!has_windows()) SPK_SKIP_WITHOUT("avx512", "no avx512 is here");
    shape_.type = GetParam();
    shape_.n = 1;
    shape_.m = 150;
    shape_.k = 300;
  }
  std::int32_t id() const { return sum_type(GetParam()) == ValueType::f64 ? kWindowsF64 : kWindowsF32; }
  void expect_windows(SpmmCase& c) {
    const auto plan = expect_kept_right(c, shape_, id());
    EXPECT_NE(plan->describe().find("in windows with their values"), std::string::npos) << plan->describe();
  }
  void expect_windows() {
    SpmmCase c(shape_);
    expect_windows(c);
  }

  SpmmShape shape_;
};

TEST_P(SpmmWindows, TakeMatricesOfAnySize) {
  for (const std::int64_t m : {1, 7, 16, 17, 128, 129, 300})
    for (const std::int64_t k : {cpu::kWindowColumns, cpu::kWindowColumns + 1, std::int64_t{100}, std::int64_t{70000}})
      for (const double density : {0.001, 0.05, 0.6}) {
        if (k == 70000 && density > 0.001) continue;
        shape_.m = m;
        shape_.k = k;
        shape_.density = density;
        SpmmCase c(shape_);
        if (c.problem().a.nnz > 0) expect_windows(c);
      }
}

TEST_P(SpmmWindows, TakeAnyOrderOfEntriesAndDuplicates) {
  for (const bool sorted : {false, true})
    for (const IndexType index_type : {IndexType::i32, IndexType::i64})
      for (const std::int32_t base : {0, 1}) {
        shape_.sorted = sorted;
        shape_.index_type = shape_.offset_type = index_type;
        shape_.base = base;
        SpmmCase c(shape_);
        void* columns = const_cast<void*>(c.problem().a.col_indices);
        for (std::int64_t e = 1; e < c.problem().a.nnz; e += 5)
          set_index(columns, index_type, e, index_at(columns, index_type, e - 1));
        expect_windows(c);
      }
}

TEST_P(SpmmWindows, TakeColumnsScalarsEpilogues) {
  for (const std::int64_t n : {1, 2, 4})
    for (const Order c_order : {Order::row, Order::col})
      for (const double beta : {0.0, -1.5}) {
        shape_.n = n;
        shape_.b_order = Order::col;
        shape_.b_padding = 3;
        shape_.c_order = shape_.residual_order = c_order;
        shape_.c_padding = 2;
        shape_.alpha = {0.75, 0};
        shape_.beta = {beta, 0};
        shape_.bias = n == 2 ? BiasKind::per_row : n == 4 ? BiasKind::per_col : BiasKind::none;
        shape_.activation = n == 2 ? Activation::relu : Activation::none;
        shape_.residual = n == 4;
        expect_windows();
      }
}

TEST_P(SpmmWindows, TakeSlicesOfRowsLongRowsAndShares) {
  shape_.slice_from = 7;
  expect_windows();
  shape_.slice_from = 0;
  shape_.long_row = 9000;
  expect_windows();
  // Enough work for threads, who share the rows.
  shape_.long_row = 0;
  shape_.m = 700;
  shape_.n = 4;
  shape_.b_order = Order::col;
  shape_.density = 0.7;
  expect_windows();
}

TEST_P(SpmmWindows, KeepWhatIsNotStoredAwayFromNan) {
  for (const std::int64_t gap : {0, 150, 299}) {
    SpmmCase c(shape_);
    SpmmProblem& p = c.problem();
    auto* columns = static_cast<std::int32_t*>(const_cast<void*>(p.a.col_indices));
    std::replace(columns, columns + p.a.nnz, static_cast<std::int32_t>(gap), 100);
    std::memset(static_cast<char*>(p.b.values) + static_cast<std::size_t>(gap) * size_of(p.b.type), 0xff,
                size_of(p.b.type));
    const DenseView got = run_kept(c, *keep(c, 1, id()), 1);
    EXPECT_LE(reference::judge(p, got).worst, 1.0) << gap;
  }
}

TEST_P(SpmmWindows, NanOfAStoredEntryArrivesInItsRowAlone) {
  SpmmCase c(shape_);
  SpmmProblem& p = c.problem();
  const std::int64_t row = 77;
  ASSERT_LT(p.a.offset(row), p.a.offset(row + 1));
  std::memset(static_cast<char*>(p.a.values) + static_cast<std::size_t>(p.a.offset(row)) * size_of(p.a.value_type),
              0xff, size_of(p.a.value_type));
  EXPECT_LE(reference::judge(p, run_kept(c, *keep(c, 1, id()), 1)).worst, 1.0);
}

TEST_P(SpmmWindows, AreTakenWhereTheyPay) {
  shape_.density = 0.5;
  for (const Format format : {Format::csr, Format::csc, Format::coo})
    for (const Op op_a : {Op::n, Op::t}) {
      shape_.format = format;
      shape_.op_a = op_a;
      const auto plan = expect_kept_right(shape_);
      EXPECT_NE(plan->describe().find("in windows"), std::string::npos) << plan->describe();
    }
  // Rows whose entries lie far apart, mostly empty ones, and a column that is not contiguous.
  shape_.format = Format::csr;
  shape_.op_a = Op::n;
  shape_.k = 20000;
  shape_.density = 0.001;
  EXPECT_EQ(expect_kept_right(shape_)->describe().find("in windows"), std::string::npos);
  shape_.k = 100;
  shape_.density = 0.005;
  EXPECT_EQ(expect_kept_right(shape_)->describe().find("in windows"), std::string::npos);
  shape_.density = 0.2;
  shape_.b_padding = 3;
  EXPECT_EQ(expect_kept_right(shape_)->describe().find("in windows"), std::string::npos);
}

TEST_P(SpmmWindows, AreOfPlansThatKeepValuesAlone) {
  SpmmCase c(shape_);
  c.problem().alg = id();
  EXPECT_NE(cpu::choose(c.problem()).text.find("values are not kept"), std::string::npos);
  c.problem().alg = 0;
  EXPECT_EQ(cpu::choose(c.problem()).text.find("windows"), std::string::npos);
}

std::string name_of_type(const ::testing::TestParamInfo<ValueType>& type) { return name_of(type.param); }
INSTANTIATE_TEST_SUITE_P(Types, SpmmWindows,
                         ::testing::Values(ValueType::f32, ValueType::f64, ValueType::f16, ValueType::bf16),
                         name_of_type);

}  // namespace
}  // namespace spk::test
