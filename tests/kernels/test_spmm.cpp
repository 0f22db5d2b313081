// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cpu/reference/operations.hpp"
#include "cpu/spmm.hpp"
#include "kernels/spmm_case.hpp"
#include "support/require.hpp"

// Every row of the SpMM kernel table that this machine can run, forced by its id.
namespace spk::test {
namespace {

constexpr ValueType kTypes[] = {ValueType::f32,  ValueType::f64, ValueType::f16,
                                ValueType::bf16, ValueType::c64, ValueType::c128};

class SpmmKernelTest : public ::testing::TestWithParam<std::int32_t> {
 protected:
  void SetUp() override {
    for (const cpu::SpmmRow& row : cpu::spmm_kernels())
      if (row.id == GetParam()) row_ = &row;
    ASSERT_NE(row_, nullptr);
    const char* isa = cpu::name_of(row_->target);
    if (!cpu::isa_supports(cpu::available_isa(), row_->target)) SPK_SKIP_WITHOUT(isa, "no " << isa << " is here");
  }
  // Whether the row takes the problem when it is asked for.
  bool takes(const SpmmCase& c) const {
    SpmmProblem p = c.problem();
    p.alg = row_->id;
    p.keeps_values = needs_kept_values(row_->id);
    return row_->refuse(p) == nullptr;
  }

  // Checks the kernel on a shape with every value type that it takes. Answers how often it ran.
  int check(SpmmShape shape, int threads = 1) {
    int ran = 0;
    for (const ValueType type : kTypes) {
      shape.type = type;
      if (is_complex(type) && !shape.alpha.is_one()) shape.alpha.im = 0.5;
      if (is_complex(type) && (shape.bias != BiasKind::none || shape.residual || shape.activation != Activation::none))
        continue;
      SpmmCase c(shape);
      if (!takes(c)) continue;
      ++ran;
      expect_right(c, shape, row_->id, threads);
      if (is_16bit(type) && !shape.c_is_f32) {
        SpmmShape wide = shape;
        wide.c_is_f32 = true;
        SpmmCase wide_case(wide);
        expect_right(wide_case, wide, row_->id, threads);
      }
    }
    return ran;
  }
  // A shape that the kernel's method takes, with n columns if it can.
  SpmmShape shape_for(std::int64_t n) const {
    SpmmShape s;
    s.n = n;
    if (cpu::method_of(*row_) == cpu::SpmmMethod::dot || cpu::method_of(*row_) == cpu::SpmmMethod::windows) {
      s.n = std::min<std::int64_t>(n, 4);
      s.b_order = Order::col;
      if (needs_kept_values(row_->id)) s.k = 41;
    } else if (cpu::method_of(*row_) == cpu::SpmmMethod::scatter) {
      s.n = std::min<std::int64_t>(n, 128);
      s.op_a = Op::t;
    }
    return s;
  }

  const cpu::SpmmRow* row_ = nullptr;
};

TEST_P(SpmmKernelTest, MatchesTheOracleOnEveryShape) {
  int ran = 0;
  for (const std::int64_t n :
       {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 33, 63, 64, 65, 97, 127, 128, 129, 200, 257, 300}) {
    SpmmShape s = shape_for(n);
    s.m = 1 + n % 23;
    s.k = 1 + n % 37;
    s.seed = static_cast<unsigned>(n);
    for (const Order order : {Order::row, Order::col}) {
      s.c_order = order;
      ran += check(s);
    }
  }
  for (const auto& [m, k] : {std::pair{1, 1}, {1, 50}, {50, 1}, {16, 16}, {17, 13}, {31, 64}, {70, 40}}) {
    SpmmShape s = shape_for(19);
    s.m = m;
    s.k = k;
    ran += check(s);
  }
  EXPECT_GT(ran, 0);
}

TEST_P(SpmmKernelTest, TakesEveryOrderAndTransposition) {
  int ran = 0;
  for (const Op op_a : {Op::n, Op::t, Op::c})
    for (const Op op_b : {Op::n, Op::t, Op::c})
      for (const Order b : {Order::row, Order::col})
        for (const Order c : {Order::row, Order::col})
          for (const Format format : {Format::csr, Format::csc, Format::coo, Format::bsr, Format::blocked_ell}) {
            SpmmShape s = shape_for(21);
            s.m = 20;
            s.k = 35;
            s.op_a = op_a;
            s.op_b = op_b;
            s.b_order = b;
            s.c_order = c;
            s.format = format;
            s.b_padding = 3;
            s.c_padding = 5;
            s.alpha = {0.75, 0};
            s.beta = {-1.5, 0};
            if (format == Format::bsr || format == Format::blocked_ell) s.block_size = 3;
            ran += check(s);
          }
  EXPECT_GT(ran, 0);
}

TEST_P(SpmmKernelTest, ReadsEveryIndexTypeAndBase) {
  int ran = 0;
  for (const Format format : {Format::csr, Format::csc, Format::coo, Format::bsr, Format::blocked_ell})
    for (const IndexType offsets : {IndexType::i32, IndexType::i64})
      for (const IndexType indices : {IndexType::i32, IndexType::i64})
        for (const std::int32_t base : {0, 1})
          for (const Op op_a : {Op::n, Op::t}) {
            SpmmShape s = shape_for(5);
            s.m = 33;
            s.k = 34;
            s.format = format;
            s.offset_type = offsets;
            s.index_type = indices;
            s.base = base;
            s.op_a = op_a;
            if (format == Format::bsr || format == Format::blocked_ell) s.block_size = 4;
            ran += check(s);
          }
  EXPECT_GT(ran, 0);
}

TEST_P(SpmmKernelTest, ServesBlocksOfAnySizeAndOrder) {
  const bool tile = cpu::method_of(*row_) == cpu::SpmmMethod::tile;
  for (const Format format : {Format::bsr, Format::blocked_ell})
    for (const std::int64_t size : {1, 2, 5, 8, 16, 150})
      for (const Order order : {Order::row, Order::col})
        for (const Op op_a : {Op::n, Op::t}) {
          SpmmShape s = shape_for(40);
          s.m = 4 * size;
          s.k = 3 * size;
          s.format = format;
          s.block_size = size;
          s.block_order = order;
          s.op_a = op_a;
          s.c_order = order;
          EXPECT_EQ(check(s) > 0, tile) << to_string(s);
        }
}

TEST_P(SpmmKernelTest, AppliesTheEpilogue) {
  int ran = 0;
  for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh})
    for (const BiasKind bias : {BiasKind::none, BiasKind::per_row, BiasKind::per_col})
      for (const Order c : {Order::row, Order::col})
        for (const Order residual : {Order::row, Order::col}) {
          SpmmShape s = shape_for(23);
          s.m = 19;
          s.activation = activation;
          s.bias = bias;
          s.bias_in_sum_type = residual == Order::row;
          s.residual = true;
          s.residual_order = residual;
          s.c_order = c;
          s.c_padding = 2;
          s.alpha = {1.25, 0};
          s.beta = {0.5, 0};
          ran += check(s);
        }
  const auto takes_type = [this](ValueType type) {
    SpmmShape s = shape_for(1);
    s.type = type;
    return takes(SpmmCase(s));
  };
  const bool complex = takes_type(ValueType::c64) || takes_type(ValueType::c128);
  if (complex)
    EXPECT_EQ(ran, 0);
  else
    EXPECT_GT(ran, 0);
}

TEST_P(SpmmKernelTest, CutsLongRowsInOneWay) {
  int ran = 0;
  for (const ValueType type : kTypes)
    for (const Order c_order : {Order::row, Order::col}) {
      SpmmShape s = shape_for(18);
      s.type = type;
      s.m = 40;
      s.k = 700;
      s.density = 0.02;
      s.long_row = 9500;
      s.c_order = c_order;
      s.alpha = {0.5, 0};
      SpmmCase c(s);
      if (!takes(c)) continue;
      ++ran;
      const DenseView one = expect_right(c, s, row_->id, 1);
      for (const int threads : {2, 5}) EXPECT_TRUE(c.equal_bits(one, run_spmm(c, row_->id, threads))) << to_string(s);
    }
  EXPECT_GT(ran, 0);
}

// Fewer entries than rows, so that those with entries are looked for.
TEST_P(SpmmKernelTest, FindsTheRowsWithEntries) {
  int ran = 0;
  for (const auto& [m, density] : {std::pair{4200, 0.0004}, {150, 0.015}})
    for (const IndexType offsets : {IndexType::i32, IndexType::i64})
      for (const Order order : {Order::row, Order::col}) {
        SpmmShape s = shape_for(2);
        s.m = m;
        s.k = 40;
        s.density = density;
        s.offset_type = offsets;
        s.base = offsets == IndexType::i64 ? 1 : 0;
        s.c_order = order;
        s.c_padding = 3;
        s.alpha = {-0.75, 0};
        ran += check(s);
        s.beta = {0.5, 0};
        if (m < 200) ran += check(s);
      }
  EXPECT_GT(ran, 0);
}

// A negative alpha makes zeros of either sign, which shall not tell how rows were shared out. With about as many entries as
// rows, some of the parts look for rows with entries and others do not.
TEST_P(SpmmKernelTest, EmptyRowsAreAlikeForEveryNumberOfThreads) {
  const bool dots = cpu::method_of(*row_) == cpu::SpmmMethod::dot;
  if (!dots && cpu::method_of(*row_) != cpu::SpmmMethod::tile) return;
  for (const auto& [n, order] : {std::pair{1, Order::row}, {5, Order::row}, {8, Order::row}, {8, Order::col}}) {
    if (dots != (n == 1)) continue;
    SpmmShape s = shape_for(n);
    s.type = ValueType::f32;
    if (!takes(SpmmCase(s))) s.type = ValueType::f64;
    s.m = dots ? 600000 : 120000;  // enough work for several threads
    s.k = 50;
    s.density = 0.02;
    s.distinct = true;
    s.alpha = {-1, 0};
    s.c_order = order;
    SpmmCase c(s);
    if (!takes(c)) return;  // of complex sums
    const DenseView one = run_spmm(c, row_->id, 1);
    for (const int threads : {2, 3}) EXPECT_TRUE(c.equal_bits(one, run_spmm(c, row_->id, threads))) << to_string(s);
  }
}

TEST_P(SpmmKernelTest, GivesTheSameBitsForEveryNumberOfThreads) {
  int ran = 0;
  for (const ValueType type : kTypes)
    for (const Order order : {Order::row, Order::col})
      for (const std::int64_t n : {1, 3, 30, 150}) {
        SpmmShape s = shape_for(n);
        s.type = type;
        s.m = 600;
        s.k = 500;
        s.density = n == 1 ? 0.9 : 0.2;
        s.c_order = order;
        if (s.b_order == Order::row) s.b_order = order;
        SpmmCase c(s);
        if (!takes(c)) continue;
        ++ran;
        const DenseView one = expect_right(c, s, row_->id, 1);
        for (const int threads : {2, 5}) EXPECT_TRUE(c.equal_bits(one, run_spmm(c, row_->id, threads))) << to_string(s);
      }
  EXPECT_GT(ran, 0);
}

TEST_P(SpmmKernelTest, EqualColumnsOfBGiveEqualColumnsOfC) {
  for (const std::int64_t n : {2, 4, 19, 32, 50, 70, 130, 150}) {
    SpmmShape s = shape_for(n);
    s.m = 37;
    s.k = 90;
    s.equal_columns = true;
    s.alpha = {0.3, 0};
    for (const ValueType type : kTypes)
      for (const Order order : {Order::row, Order::col}) {
        s.type = type;
        s.c_order = order;
        SpmmCase c(s);
        if (!takes(c)) continue;
        const DenseView got = run_spmm(c, row_->id, 1);
        for (std::int64_t j = 1; j < s.n; ++j)
          for (std::int64_t i = 0; i < s.m; ++i)
            ASSERT_EQ(
                std::memcmp(
                    static_cast<char*>(got.values) +
                        static_cast<std::size_t>(i * got.row_stride() + j * got.col_stride()) * size_of(got.type),
                    static_cast<char*>(got.values) + static_cast<std::size_t>(i * got.row_stride()) * size_of(got.type),
                    size_of(got.type)),
                0)
                << to_string(s) << " column " << j;
      }
  }
}

TEST_P(SpmmKernelTest, RunsBatches) {
  int ran = 0;
  for (const bool shared : {false, true}) {
    SpmmShape s = shape_for(12);
    s.batch = 5;
    s.shared_b = shared;
    s.c_padding = 3;
    s.beta = {1, 0};
    ran += check(s, 1);
    s.m = 300;
    s.k = 300;
    ran += check(s, 3);
  }
  EXPECT_GT(ran, 0);
}

// Few rows with an entry, and runs of rows without between them, before them and after them.
TEST_P(SpmmKernelTest, ClearsNearlyEmptyMatrices) {
  int ran = 0;
  for (const std::int64_t n : {1, 4, 19, 140})
    for (const Order c_order : {Order::row, Order::col})
      for (const unsigned seed : {1u, 2u, 3u}) {
        SpmmShape s = shape_for(n);
        s.m = 200;
        s.k = 60;
        s.density = 0.0005;
        s.c_order = c_order;
        s.c_padding = 3;
        s.seed = seed;
        ran += check(s);
      }
  EXPECT_GT(ran, 0);
}

TEST_P(SpmmKernelTest, TakesRowSlices) {
  SpmmShape s = shape_for(6);
  s.m = 12;
  s.k = 35;
  s.slice_from = 9;
  EXPECT_GT(check(s), 0);
}

TEST_P(SpmmKernelTest, SmallIntegersAreExact) {
  for (const std::int64_t n : {1, 4, 33, 140}) {
    SpmmShape s = shape_for(n);
    s.integers = true;
    s.m = 30;
    s.k = 45;
    for (const ValueType type : {ValueType::f32, ValueType::f64}) {
      s.type = type;
      SpmmCase c(s);
      if (!takes(c)) continue;
      EXPECT_EQ(reference::judge(c.problem(), run_spmm(c, row_->id, 1)).worst, 0.0) << to_string(s);
    }
  }
}

TEST_P(SpmmKernelTest, LooksAtNeitherAnorBWithoutAProduct) {
  SpmmShape s = shape_for(20);
  s.beta = {2, 0};
  s.alpha = {0, 0};
  for (const ValueType type : kTypes) {
    s.type = type;
    SpmmCase c(s);
    if (!takes(c)) continue;
    SpmmProblem& p = c.problem();
    expect_right(c, s, row_->id, 1);
    if (needs_kept_values(row_->id)) continue;  // its plan has looked at A before
    p.a.offsets = p.a.col_indices = p.a.row_indices = nullptr;
    p.a.values = nullptr;
    p.b.values = nullptr;
    const DenseView got = run_spmm(c, row_->id, 2);
    EXPECT_EQ(reference::judge(p, got).worst, 0.0) << to_string(s);
  }
}

std::string name_of_row(const ::testing::TestParamInfo<std::int32_t>& info) {
  for (const cpu::SpmmRow& row : cpu::spmm_kernels())
    if (row.id == info.param) return row.name;
  return "none";
}

std::vector<std::int32_t> all_ids() {
  std::vector<std::int32_t> ids;
  for (const cpu::SpmmRow& row : cpu::spmm_kernels()) ids.push_back(row.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Table, SpmmKernelTest, ::testing::ValuesIn(all_ids()), name_of_row);

TEST(SpmmKernels, IdsAreUniqueAndFrom256) {
  std::vector<std::int32_t> ids = all_ids();
  std::sort(ids.begin(), ids.end());
  EXPECT_GE(ids.front(), 256);
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(SpmmKernels, EveryProblemHasAKernel) {
  for (const ValueType type : kTypes)
    for (const Format format : {Format::csr, Format::csc, Format::coo, Format::bsr, Format::blocked_ell})
      for (const Op op : {Op::n, Op::t, Op::c}) {
        SpmmShape s;
        s.type = type;
        s.format = format;
        s.op_a = op;
        if (format == Format::bsr || format == Format::blocked_ell) s.block_size = 2;
        SpmmCase c(s);
        EXPECT_TRUE(cpu::choose(c.problem()).supported()) << to_string(s);
        expect_right(c, s, 0, 1);
      }
}

// Columns that fit half a register go to the kernel of such registers unless another is asked for.
TEST(SpmmKernels, FewColumnsTakeRegistersHalfAsWide) {
  if (!cpu::isa_supports(cpu::available_isa(), cpu::Isa::avx512)) SPK_SKIP_WITHOUT("avx512", "no avx512 is here");
  const auto kernels = cpu::spmm_kernels();
  if (std::none_of(kernels.begin(), kernels.end(), [](const auto& row) { return row.target == cpu::Isa::avx2; }))
    GTEST_SKIP() << "built without avx2";
  const auto chosen = [](ValueType type, std::int64_t n, Order order = Order::row) {
    SpmmShape s;
    s.type = type;
    s.n = n;
    s.c_order = order;
    const std::string name = cpu::choose(SpmmCase(s).problem()).text;
    return name.substr(name.rfind('_') + 1);
  };
  const std::pair<ValueType, std::int64_t> half[] = {
      {ValueType::f32, 8}, {ValueType::bf16, 8}, {ValueType::f64, 4}, {ValueType::c64, 4}, {ValueType::c128, 2}};
  for (const auto& [type, n] : half) {
    const bool pairs = type == ValueType::f32 || type == ValueType::f64;
    EXPECT_EQ(chosen(type, n), pairs ? "avx512" : "avx2") << name_of(type);
    EXPECT_EQ(chosen(type, n, Order::col), "avx2") << name_of(type);
    EXPECT_EQ(chosen(type, n + 1), "avx512") << name_of(type);
  }
  SpmmShape s;
  s.n = 8;
  SpmmCase c(s);
  c.problem().alg = 264;
  EXPECT_EQ(cpu::choose(c.problem()).text, "spmm_tile_f32__avx512");
}

TEST(SpmmKernels, ARefusalSpeaksOfTheKernelAskedFor) {
  SpmmShape s;
  SpmmCase c(s);
  int refused = 0;
  for (const cpu::SpmmRow& row : cpu::spmm_kernels()) {
    c.problem().alg = row.id;
    const Choice choice = cpu::choose(c.problem());
    if (choice.supported()) continue;
    ++refused;
    EXPECT_EQ(choice.text.find(std::string(row.name) + ": "), 0U) << choice.text;
    EXPECT_EQ(choice.text.find("; "), choice.text.size() - 2) << "others are named too: " << choice.text;
  }
  EXPECT_GT(refused, 0) << "one problem fits every kernel";
  c.problem().alg = 99999;
  EXPECT_EQ(cpu::choose(c.problem()).text, "no kernel has the id 99999");
}

}  // namespace
}  // namespace spk::test
