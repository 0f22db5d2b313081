// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "cpu/isa.hpp"
#include "cpu/operations.hpp"
#include "kernels/sddmm_case.hpp"
#include "support/require.hpp"

// Every row of the SDDMM table that this machine can run, forced by its id, against the oracle.
namespace spk::test {
namespace {

using cpu::Isa;

using TableRow = SddmmTableRow;
using Shape = SddmmShape;
using Case = SddmmCase;

template <Format kFormat, ValueType kType>
TableRow row_of(const char* name, std::int32_t id, Isa isa) {
  return {name, id, isa, kFormat, kType};
}
#define needs row_of
#define SPK_EXPAND(...) __VA_ARGS__
#define SPK_KERNEL(name, isa, id, refuse) (SPK_EXPAND refuse)(#name "__" #isa, id, Isa::isa),
const TableRow kRows[] = {
#include "cpu/sddmm_kernels.inc"
};
#undef SPK_KERNEL
#undef needs

class SddmmKernel : public ::testing::TestWithParam<TableRow> {
 protected:
  void SetUp() override {
    const char* isa = name_of(GetParam().isa);
    if (!cpu::isa_supports(cpu::available_isa(), GetParam().isa)) SPK_SKIP_WITHOUT(isa, "no " << isa << " is here");
  }
  void expect_right(const Shape& shape, bool with_plan = false) {
    Case c(GetParam(), shape);
    ASSERT_EQ(cpu::choose(c.problem).id, GetParam().id) << cpu::choose(c.problem).text;
    const std::vector<char> result = c.run(1, with_plan);
    const Verdict verdict = c.judge(result);
    EXPECT_LE(verdict.worst, 1) << "m = " << shape.m << ", n = " << shape.n << ", k = " << shape.k << ", block "
                                << shape.block_size << ", batch " << shape.batch << ", at (" << verdict.batch << ", "
                                << verdict.row << ", " << verdict.col << "): " << verdict.got.re << " instead of "
                                << verdict.want.re;
    EXPECT_TRUE(c.outside_is_intact(result));
  }
};

class SddmmBlockKernel : public SddmmKernel {};
class Sddmm16BitKernel : public SddmmKernel {};

TEST_P(SddmmKernel, MeetsTheBoundForEveryInnerSize) {
  for (const std::int64_t k : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 257})
    expect_right({.m = 5, .n = 19, .k = k, .block_size = 3});
}

TEST_P(SddmmKernel, MeetsTheBoundForEveryRowLength) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 65})
    expect_right({.m = 6, .n = n, .k = 21, .block_size = 2});
}

TEST_P(SddmmBlockKernel, MeetsTheBoundForEveryBlockSize) {
  for (const std::int64_t edge : {2, 3, 4, 5, 7, 8, 9, 16, 32})
    for (const Order order : {Order::row, Order::col})
      expect_right({.m = 5, .n = 4, .k = 18, .block_size = edge, .block_order = order, .beta = {0.5, 0.25}});
}

TEST_P(SddmmKernel, TakesEveryOperationAndOrder) {
  for (const Op op_a : {Op::n, Op::t, Op::c})
    for (const Op op_b : {Op::n, Op::t, Op::c})
      for (const Order order_a : {Order::row, Order::col})
        for (const Order order_b : {Order::row, Order::col})
          for (const double density : {0.4, 0.02})
            expect_right({.m = 37,
                          .n = 41,
                          .k = 19,
                          .block_size = 2,
                          .density = density,
                          .op_a = op_a,
                          .op_b = op_b,
                          .order_a = order_a,
                          .order_b = order_b,
                          .pad = 3,
                          .alpha = {0.75, -0.5},
                          .beta = {2, 1}});
}

TEST_P(SddmmKernel, GathersWhereFewEntriesNeedTheOperands) {
  for (const Op op : {Op::n, Op::t})
    expect_right({.m = 3,
                  .n = 301,
                  .k = 40,
                  .block_size = 3,
                  .density = 0.01,
                  .op_a = op,
                  .op_b = op,
                  .order_a = Order::col,
                  .order_b = Order::row,
                  .pad = 1});
  expect_right({.m = 400, .n = 2, .k = 9, .density = 0, .order_a = Order::col, .order_b = Order::row, .base = 1});
}

TEST_P(SddmmKernel, TakesEveryIndexTypeAndBase) {
  for (const IndexType offset_type : {IndexType::i32, IndexType::i64})
    for (const IndexType index_type : {IndexType::i32, IndexType::i64})
      for (const std::int32_t base : {0, 1})
        for (const Order order_b : {Order::row, Order::col})
          expect_right({.m = 9,
                        .n = 23,
                        .k = 10,
                        .block_size = 4,
                        .order_b = order_b,
                        .offset_type = offset_type,
                        .index_type = index_type,
                        .base = base});
}

TEST_P(SddmmKernel, TakesBatchesWithSharedOperands) {
  for (const bool shared_a : {false, true})
    for (const bool shared_b : {false, true})
      for (const bool shared_structure : {false, true})
        for (const Order order : {Order::row, Order::col})
          for (const std::int64_t n : {21, 301})
            expect_right({.m = 6,
                          .n = n,
                          .k = 11,
                          .block_size = 2,
                          .density = 0.01,
                          .order_a = order,
                          .order_b = order,
                          .pad = 2,
                          .batch = 3,
                          .shared_a = shared_a,
                          .shared_b = shared_b,
                          .shared_structure = shared_structure,
                          .beta = {1, 0}});
}

TEST_P(SddmmKernel, TakesRowSlices) {
  for (const Order order : {Order::row, Order::col})
    for (const std::int64_t rows : {0, 1, 5})
      for (const bool with_plan : {false, true})
        expect_right({.m = 12,
                      .n = 31,
                      .k = 9,
                      .block_size = 3,
                      .order_a = order,
                      .order_b = order,
                      .base = 1,
                      .beta = {1, 0},
                      .slice_begin = 4,
                      .slice_rows = rows},
                     with_plan);
}

TEST_P(Sddmm16BitKernel, WritesFloat) {
  for (const double beta : {0.0, -1.5})
    expect_right({.m = 7, .n = 29, .k = 35, .block_size = 5, .float_output = true, .beta = {beta, 0}});
}

TEST_P(SddmmKernel, LeavesBetaTimesCWithoutAProduct) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double beta : {0.0, 1.0, -0.5}) {
    expect_right({.m = 5, .n = 9, .k = 0, .block_size = 3, .beta = {beta, beta / 2}});
    Case c(GetParam(), {.m = 5, .n = 9, .k = 4, .block_size = 3, .alpha = {0, 0}, .beta = {beta, 0}});
    put(GetParam().type, c.problem.a.values, 0, {nan, nan});
    EXPECT_LE(c.judge(c.run(1, false)).worst, 1) << "beta = " << beta;
  }
  expect_right({.m = 5, .n = 0, .k = 4});
  expect_right({.m = 0, .n = 5, .k = 4});
}

TEST_P(SddmmKernel, GivesTheSameBitsForAnyThreads) {
  for (const Order order : {Order::row, Order::col})
    for (const std::int64_t block : {1, 4}) {
      Case c(GetParam(), {.m = 60,
                          .n = 67,
                          .k = 260,
                          .block_size = block,
                          .density = 0.7,
                          .order_a = order,
                          .order_b = order,
                          .alpha = {0.3, 0.1},
                          .beta = {0.7, 0}});
      const std::vector<char> one = c.run(1, false);
      for (const int threads : {2, 5}) {
        EXPECT_TRUE(c.run(threads, false) == one) << threads << " threads";
        EXPECT_TRUE(c.run(threads, true) == one) << threads << " threads with a plan";
      }
    }
}

TEST_P(SddmmKernel, GivesTheSameBitsInColumnBlocks) {
  const std::int64_t edge = GetParam().format == Format::bsr ? 2 : 1;
  const std::int64_t k = 8192 / static_cast<std::int64_t>(size_of(GetParam().type));
  Case c(GetParam(), {.m = 9, .n = 401 / edge, .k = k, .block_size = edge, .density = 0.5});
  const std::vector<char> one = c.run(1, false);
  EXPECT_LE(c.judge(one).worst, 1);
  EXPECT_NE(cpu::prepare(c.problem, Exec{})->describe().find("column blocks"), std::string::npos);
  for (const int threads : {1, 2, 5}) {
    EXPECT_TRUE(c.run(threads, false) == one) << threads << " threads";
    EXPECT_TRUE(c.run(threads, true) == one) << threads << " threads with a plan";
  }
}

TEST_P(SddmmKernel, GivesEqualColumnsEqualBitsWhereverTheyStand) {
  // One column of B, every entry of the dense row of C meets it.
  Case c(GetParam(), {.m = 4, .n = 61, .k = 37, .density = 0});
  const SparseView& v = c.problem.c;
  for (std::int64_t e = 0; e < v.nnzb; ++e) set_index(const_cast<void*>(v.col_indices), v.index_type, e, 5);
  const std::vector<char> result = c.run(1, false);
  const std::size_t size = size_of(v.value_type) * static_cast<std::size_t>(c.elements_per_entry());
  for (std::size_t e = 1; e < static_cast<std::size_t>(v.nnzb); ++e)
    EXPECT_EQ(std::memcmp(result.data(), result.data() + e * size, size), 0) << "entry " << e;
}

TEST_P(SddmmKernel, PlansRefuseBrokenStructure) {
  Case c(GetParam(), {.m = 5, .n = 9, .k = 4, .block_size = 2});
  void* columns = const_cast<void*>(c.problem.c.col_indices);
  const std::int64_t column = index_at(columns, IndexType::i32, 2);
  for (const std::int64_t wrong : {-1, 9}) {
    set_index(columns, IndexType::i32, 2, wrong);
    EXPECT_THROW(cpu::prepare(c.problem, Exec{}), Error) << wrong;
  }
  set_index(columns, IndexType::i32, 2, column);
  EXPECT_NO_THROW(cpu::prepare(c.problem, Exec{}));
  void* offsets = const_cast<void*>(c.problem.c.offsets);
  set_index(offsets, IndexType::i32, 1, c.problem.c.nnzb + 1);
  EXPECT_THROW(cpu::prepare(c.problem, Exec{}), Error);
}

template <class Predicate>
std::vector<TableRow> rows_where(Predicate&& predicate) {
  std::vector<TableRow> rows;
  std::copy_if(std::begin(kRows), std::end(kRows), std::back_inserter(rows), predicate);
  return rows;
}
std::string name_of_row(const ::testing::TestParamInfo<TableRow>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Table, SddmmKernel, ::testing::ValuesIn(kRows), name_of_row);
INSTANTIATE_TEST_SUITE_P(Table, SddmmBlockKernel,
                         ::testing::ValuesIn(rows_where([](const TableRow& r) { return r.format == Format::bsr; })),
                         name_of_row);
INSTANTIATE_TEST_SUITE_P(Table, Sddmm16BitKernel,
                         ::testing::ValuesIn(rows_where([](const TableRow& r) { return is_16bit(r.type); })),
                         name_of_row);

TEST(SddmmTable, IdsAreUniqueAndAtLeast256) {
  std::vector<std::int32_t> ids;
  for (const TableRow& row : kRows) ids.push_back(row.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_GE(ids.front(), 256);
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(Sddmm, ListsEveryRefusal) {
  const TableRow row{"", 0, Isa::scalar, Format::csr, ValueType::f32};
  Case c(row, {});
  c.problem.compute = ValueType::f64;
  const Choice choice = cpu::choose(c.problem);
  EXPECT_EQ(choice.id, 0);
  EXPECT_NE(choice.text.find("sddmm_csr_f32__scalar: the compute type is not that of the sums"), std::string::npos)
      << choice.text;
}

}  // namespace
}  // namespace spk::test
