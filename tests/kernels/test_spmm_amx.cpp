// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <bit>

#include "cpu/reference/operations.hpp"
#include "cpu/spmm.hpp"
#include "kernels/spmm_case.hpp"
#include "support/require.hpp"

// The AMX kernel where tiles do the work: rows whose columns ascend. Rows in any other order are in test_spmm.cpp.
namespace spk::test {
namespace {

constexpr std::int32_t kAmx = 396;

class SpmmAmx : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cpu::isa_supports(cpu::available_isa(), cpu::Isa::amx))
      SPK_SKIP_WITHOUT(
          "amx", "no AMX tiles of bf16 are here: the best instruction set is " << cpu::name_of(cpu::available_isa()));
  }
  static SpmmShape shape(std::int64_t m, std::int64_t k, std::int64_t n) {
    SpmmShape s;
    s.m = m;
    s.k = k;
    s.n = n;
    s.density = 0.5;
    s.type = ValueType::bf16;
    s.sorted = s.distinct = true;
    return s;
  }
  static std::uint16_t* values_of(const SparseView& a) { return static_cast<std::uint16_t*>(a.values); }
  static std::uint16_t* values_of(const DenseView& b) { return static_cast<std::uint16_t*>(b.values); }
  static std::uint16_t bf16_of(float x) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16); }

  // One-shot on 1, 2 and 5 threads, and by a plan: within the bound, and all the same.
  static void expect_all_right(SpmmCase& c, const SpmmShape& s) {
    const DenseView one = expect_right(c, s, kAmx, 1);
    for (const int threads : {2, 5}) EXPECT_TRUE(c.equal_bits(one, run_spmm(c, kAmx, threads))) << to_string(s);
    SpmmProblem p = c.problem();
    p.alg = kAmx;
    p.c = c.fresh_c();
    Exec exec;
    const std::unique_ptr<Plan> plan = cpu::prepare(p, exec);
    EXPECT_NE(plan->describe().find("spmm_amx_f32__amx"), std::string::npos) << plan->describe();
    const Guarded workspace(cpu::workspace(p, plan.get(), exec));
    exec.workspace = workspace.data();
    exec.workspace_bytes = workspace.bytes();
    cpu::run(p, plan.get(), exec);
    EXPECT_TRUE(c.equal_bits(one, p.c)) << to_string(s) << " by a plan";
  }
};

TEST_F(SpmmAmx, MatchesTheOracleAtTheEdgesOfTiles) {
  for (const std::int64_t m : {1, 15, 16, 17, 31, 32, 33, 70})
    for (const std::int64_t k : {1, 2, 31, 32, 33, 65, 100})
      for (const std::int64_t n : {1, 15, 33, 64, 127, 128, 129, 300}) {
        SpmmShape s = shape(m, k, n);
        s.b_order = (m + k) % 2 == 0 ? Order::row : Order::col;
        s.c_order = (m + n) % 2 == 0 ? Order::row : Order::col;
        s.b_padding = n % 3;
        s.c_padding = k % 3;
        s.c_is_f32 = k % 4 < 2;
        s.density = n % 4 == 0 ? 1.0 : 0.5;
        SpmmCase c(s);
        expect_right(c, s, kAmx, 1);
      }
}

TEST_F(SpmmAmx, GivesTheSameBitsForEveryNumberOfThreadsAndByPlans) {
  for (const Order order : {Order::row, Order::col})
    for (const Op op_b : {Op::n, Op::t})
      for (const std::int64_t n : {16, 50, 200})
        for (const double density : {0.05, 0.3, 0.9}) {
          SpmmShape s = shape(300, 420, n);
          s.b_order = order;
          s.op_b = op_b;
          s.density = density;
          s.alpha = {0.75, 0};
          s.beta = {n == 50 ? -1.5 : 0.0, 0};
          SpmmCase c(s);
          expect_all_right(c, s);
        }
}

TEST_F(SpmmAmx, ReadsEveryIndexTypeBaseAndSlice) {
  for (const IndexType indices : {IndexType::i32, IndexType::i64})
    for (const std::int32_t base : {0, 1})
      for (const std::int64_t slice : {0, 9})
        for (const Format format : {Format::csr, Format::csc}) {
          SpmmShape s = shape(40, 90, 40);
          s.format = format;
          s.op_a = format == Format::csc ? Op::t : Op::n;
          s.offset_type = s.index_type = indices;
          s.base = base;
          s.slice_from = format == Format::csr ? slice : 0;
          SpmmCase c(s);
          expect_all_right(c, s);
        }
}

TEST_F(SpmmAmx, AppliesTheEpilogueAndRunsBatches) {
  SpmmShape s = shape(50, 70, 150);
  s.bias = BiasKind::per_col;
  s.residual = true;
  s.activation = Activation::relu;
  s.beta = {0.5, 0};
  SpmmCase c(s);
  expect_all_right(c, s);
  SpmmShape batch = shape(40, 60, 40);
  batch.batch = 4;
  SpmmCase many(batch);
  expect_right(many, batch, kAmx, 3);
}

TEST_F(SpmmAmx, SmallIntegersAreExact) {
  SpmmShape s = shape(100, 130, 90);
  s.integers = true;
  s.c_is_f32 = true;
  SpmmCase c(s);
  EXPECT_EQ(reference::judge(c.problem(), run_spmm(c, kAmx, 1)).worst, 0.0);
}

// Blocks whose rows do not ascend, or hold a column twice, beside blocks that tiles take.
TEST_F(SpmmAmx, LeavesRowsInAnotherOrderToTheOtherKernel) {
  for (const bool twice : {false, true}) {
    const SpmmShape s = shape(100, 64, 40);
    SpmmCase c(s);
    std::int32_t* columns = static_cast<std::int32_t*>(const_cast<void*>(c.problem().a.col_indices));
    const std::int64_t at = c.problem().a.offset(50);
    ASSERT_GT(c.problem().a.offset(51) - at, 20);
    if (twice)
      columns[at + 18] = columns[at + 17];
    else
      std::swap(columns[at + 3], columns[at + 4]);
    expect_all_right(c, s);
  }
}

// What is not stored never meets op(B), and what is stored does.
TEST_F(SpmmAmx, InfinityAndNanGoWhereEntriesAre) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const Order order : {Order::row, Order::col})
    for (const float special : {inf, -inf, nan})
      for (const bool in_b : {false, true}) {
        SpmmShape s = shape(70, 80, 50);
        s.b_order = order;
        SpmmCase c(s);
        if (in_b)
          values_of(c.problem().b)[333] = bf16_of(special);
        else
          values_of(c.problem().a)[100] = bf16_of(special);
        expect_all_right(c, s);
      }
}

// Tiles take subnormal numbers for zeros, and give zeros for them.
TEST_F(SpmmAmx, SubnormalNumbersSurvive) {
  struct Values {
    float a, b;
  };
  for (const Values v : {Values{1e-40F, 1e30F}, {1e30F, 1e-40F}, {1e-20F, 1e-20F}, {3e-22F, 5e-17F}, {1e-16F, 1e-3F}})
    for (const Order order : {Order::row, Order::col}) {
      SpmmShape s = shape(70, 80, 50);
      s.b_order = order;
      s.c_is_f32 = true;
      s.density = 0.2;
      SpmmCase c(s);
      const SpmmProblem& p = c.problem();
      for (std::int64_t e = 0; e < p.a.nnz; ++e) values_of(p.a)[e] = bf16_of(e % 3 == 0 ? -v.a : v.a * 1.5F);
      for (std::int64_t e = 0; e < p.b.rows * p.b.cols; ++e) values_of(p.b)[e] = bf16_of(e % 5 == 0 ? -v.b : v.b);
      expect_all_right(c, s);
    }
}

TEST_F(SpmmAmx, IsChosenWhereItPays) {
  const auto chosen = [](const SpmmShape& s) { return cpu::choose(SpmmCase(s).problem()).id == kAmx; };
  EXPECT_TRUE(chosen(shape(64, 100, 64)));
  SpmmShape other = shape(64, 100, 64);
  other.type = ValueType::f16;
  EXPECT_FALSE(chosen(other));
  other = shape(64, 100, 64);
  other.density = 0.05;
  EXPECT_FALSE(chosen(other));
  other = shape(64, 100, 64);
  other.op_a = Op::t;
  EXPECT_FALSE(chosen(other));
  EXPECT_FALSE(chosen(shape(64, 100, 8)));

  // Without a plan, masks of few columns cost more than tiles save.
  const auto planned = [](const SpmmShape& s) {
    const SpmmCase c(s);
    return cpu::prepare(c.problem(), Exec())->describe();
  };
  EXPECT_FALSE(chosen(shape(64, 100, 24)));
  EXPECT_EQ(planned(shape(64, 100, 24)).find("spmm_amx_f32__amx, rows as stored, masks of columns"), 0U);
  EXPECT_NE(planned(shape(64, 100, 16)).find("spmm_amx_f32__amx"), 0U);
}

}  // namespace
}  // namespace spk::test
