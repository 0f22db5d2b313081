// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "cpu/spmm.hpp"
#include "kernels/spmm_case.hpp"
#include "support/require.hpp"

// The tile kernels where C's rows pass op(B) in blocks of rows: large, dense enough matrices.
namespace spk::test {
namespace {

class SpmmBlocks : public ::testing::TestWithParam<std::int32_t> {
 protected:
  void SetUp() override {
    for (const cpu::SpmmRow& row : cpu::spmm_kernels())
      if (row.id == GetParam()) row_ = &row;
    ASSERT_NE(row_, nullptr);
    const char* isa = cpu::name_of(row_->target);
    if (!cpu::isa_supports(cpu::available_isa(), row_->target)) SPK_SKIP_WITHOUT(isa, "no " << isa << " is here");
  }

  // Enough entries for blocks with every length of vectors.
  SpmmShape shape(std::int64_t n, double density = 0.3) const {
    SpmmShape s;
    s.m = 70;
    s.k = 1601;
    s.n = n;
    s.density = density;
    s.seed = static_cast<unsigned>(n);
    s.type = row_->refuse(SpmmCase(s).problem()) == nullptr ? ValueType::f32 : ValueType::f64;
    return s;
  }
  std::int64_t block_rows(const SpmmCase& c, int threads = 1) const {
    return cpu::layout_of(c.problem(), false, *row_, threads).block_rows;
  }
  // Right, and the same for every number of threads.
  void check(const SpmmShape& s) const {
    SpmmCase c(s);
    EXPECT_GT(block_rows(c), 0) << to_string(s);
    const DenseView one = expect_right(c, s, GetParam(), 1);
    for (const int threads : {2, 5}) {
      EXPECT_EQ(block_rows(c, threads), block_rows(c)) << to_string(s);
      EXPECT_TRUE(c.equal_bits(one, run_spmm(c, GetParam(), threads))) << to_string(s);
    }
  }

  const cpu::SpmmRow* row_ = nullptr;
};

TEST_P(SpmmBlocks, MatchTheOracleForAnyOrderOfEntries) {
  for (const bool sorted : {true, false})
    for (const std::int64_t n : {64, 100, 128, 129, 200}) {
      SpmmShape s = shape(n);
      s.sorted = sorted;
      check(s);
    }
}

TEST_P(SpmmBlocks, ServeSparserRowsByNarrowerTiles) {
  for (const std::int64_t n : {96, 128, 147, 300}) {
    SpmmShape s = shape(n, 0.11);
    s.m = 131;
    s.sorted = true;
    check(s);
  }
}

TEST_P(SpmmBlocks, ServeMoreRowsThanPassABlockTogether) {
  for (const std::int64_t n : {64, 130}) {
    SpmmShape s = shape(n);
    s.m = 600;
    s.k = 700;
    s.sorted = true;
    check(s);
  }
}

TEST_P(SpmmBlocks, ServeBTooLargeForTheSecondLevelCache) {
  SpmmShape s = shape(128, 0.2);
  s.k = 4000;
  s.sorted = true;
  check(s);
}

TEST_P(SpmmBlocks, ReadEveryIndexTypeAndBase) {
  for (const IndexType type : {IndexType::i32, IndexType::i64})
    for (const std::int32_t base : {0, 1})
      for (const Op op_a : {Op::n, Op::t}) {
        SpmmShape s = shape(130);
        s.offset_type = s.index_type = type;
        s.base = base;
        s.op_a = op_a;
        s.sorted = true;
        check(s);
      }
}

TEST_P(SpmmBlocks, ServeEveryOrderOfBandC) {
  for (const Order b : {Order::row, Order::col})
    for (const Order c : {Order::row, Order::col})
      for (const std::int64_t padding : {0, 3}) {
        SpmmShape s = shape(128);
        s.b_order = b;
        s.c_order = c;
        s.b_padding = s.c_padding = padding;
        s.alpha = {0.75, 0};
        s.beta = {-1.5, 0};
        s.activation = c == Order::col ? Activation::relu : Activation::none;
        s.sorted = true;
        check(s);
      }
}

TEST_P(SpmmBlocks, LeaveLongRowsToSegments) {
  for (const Order c_order : {Order::row, Order::col}) {
    SpmmShape s = shape(131);
    s.long_row = 9500;
    s.c_order = c_order;
    check(s);
  }
}

TEST_P(SpmmBlocks, ClearEmptyRows) {
  for (const Order c_order : {Order::row, Order::col}) {
    SpmmShape s = shape(131, 0.6);
    s.c_order = c_order;
    SpmmCase c(s);
    // Rows 5 to 24 and the last one give their entries to the rows before them.
    SpmmProblem& p = c.problem();
    auto* offsets = static_cast<std::int32_t*>(const_cast<void*>(p.a.offsets));
    std::fill(offsets + 5, offsets + 25, offsets[25]);
    offsets[p.m - 1] = offsets[p.m];
    EXPECT_GT(block_rows(c), 0);
    expect_right(c, s, GetParam(), 1);
    expect_right(c, s, GetParam(), 2);
  }
}

TEST_P(SpmmBlocks, GiveEqualColumnsOfCForEqualColumnsOfB) {
  for (const double density : {0.3, 0.11}) {
    SpmmShape s = shape(147, density);
    s.m = 131;
    s.equal_columns = true;
    SpmmCase c(s);
    EXPECT_GT(block_rows(c), 0);
    const DenseView got = run_spmm(c, GetParam(), 1);
    const std::size_t size = size_of(got.type);
    const char* values = static_cast<const char*>(got.values);
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 1; j < s.n; ++j)
        ASSERT_EQ(std::memcmp(values + static_cast<std::size_t>(i * got.ld) * size,
                              values + static_cast<std::size_t>(i * got.ld + j) * size, size),
                  0)
            << "row " << i << " column " << j;
  }
}

TEST_P(SpmmBlocks, KeepEntriesThatAreNotStoredAwayFromInfinity) {
  SpmmShape s = shape(128);
  s.integers = true;
  s.sorted = true;
  SpmmCase c(s);
  c.leave_out_column(1000);
  EXPECT_GT(block_rows(c), 0);
  expect_right(c, s, GetParam(), 1);
}

TEST(SpmmBlocksChoice, SparseMatricesAndFewRowsAreLeftWhole) {
  for (const cpu::SpmmRow& row : cpu::spmm_kernels()) {
    SpmmShape s;
    s.k = 1601;
    s.n = 128;
    for (const auto& [m, density] : {std::pair{200, 0.004}, {4, 0.5}}) {
      s.m = m;
      s.density = density;
      const SpmmCase c(s);
      if (row.refuse(c.problem()) == nullptr) {
        EXPECT_EQ(cpu::layout_of(c.problem(), false, row, 1).block_rows, 0) << row.name;
      }
    }
  }
}

TEST(SpmmBlocksChoice, PanelsBeyondEveryCacheAreOneVectorWide) {
  SpmmShape s;
  s.m = 40;
  s.k = 150000;
  s.n = 100;
  s.density = 0.0125;  // half an entry for every row of B, of which most are used
  s.b_order = s.c_order = Order::col;
  s.sorted = true;
  SpmmCase c(s);
  const DenseView one = expect_right(c, s, 0, 1);
  EXPECT_TRUE(c.equal_bits(one, run_spmm(c, 0, 3)));
  const cpu::SpmmRow* row = cpu::select_spmm(c.problem(), nullptr);
  ASSERT_NE(row, nullptr);
  const cpu::SpmmLayout wide = cpu::layout_of(c.problem(), false, *row, 1);
  EXPECT_EQ(wide.tiles, wide.vectors);
  EXPECT_EQ(wide.pitch, wide.lanes);
}

std::vector<std::int32_t> real_tiles() {
  std::vector<std::int32_t> ids;
  for (const cpu::SpmmRow& row : cpu::spmm_kernels())
    if (std::strstr(row.name, "tile_f32") != nullptr || std::strstr(row.name, "tile_f64") != nullptr)
      ids.push_back(row.id);
  return ids;
}

std::string name_of_row(const ::testing::TestParamInfo<std::int32_t>& info) {
  for (const cpu::SpmmRow& row : cpu::spmm_kernels())
    if (row.id == info.param) return row.name;
  return "none";
}

INSTANTIATE_TEST_SUITE_P(Table, SpmmBlocks, ::testing::ValuesIn(real_tiles()), name_of_row);

}  // namespace
}  // namespace spk::test
