// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/spmm.hpp"
#include "kernels/spmm_case.hpp"
#include "support/require.hpp"

// Rows of C that take all tiles, one after the other: a wide, row-major C whose B stays in place.
namespace spk::test {
namespace {

class SpmmWholeRows : public ::testing::TestWithParam<const cpu::SpmmRow*> {
 protected:
  void SetUp() override {
    const char* isa = cpu::name_of(row_.target);
    if (!cpu::isa_supports(cpu::available_isa(), row_.target)) SPK_SKIP_WITHOUT(isa, "no " << isa << " is here");
  }

  // Too few entries for copies of B. `vectors` of C's columns.
  SpmmShape shape(std::int64_t vectors) const {
    SpmmShape s;
    s.m = 83;
    s.k = 901;
    s.density = 0.05;
    s.seed = static_cast<unsigned>(vectors);
    s.type = (row_.id & 3) == 1 ? ValueType::f64 : ValueType::f32;
    s.n = 1;
    s.n = vectors * cpu::layout_of(SpmmCase(s).problem(), false, row_, 1).lanes;
    return s;
  }
  bool takes_whole_rows(const SpmmCase& c) const { return cpu::layout_of(c.problem(), false, row_, 1).whole_rows; }
  // Right, and the same for every number of threads.
  void check(const SpmmShape& s, SpmmCase& c) const {
    EXPECT_TRUE(takes_whole_rows(c)) << to_string(s);
    check_result(s, c);
  }
  void check_result(const SpmmShape& s, SpmmCase& c) const {
    const DenseView one = expect_right(c, s, row_.id, 1);
    for (const int threads : {2, 5}) EXPECT_TRUE(c.equal_bits(one, run_spmm(c, row_.id, threads))) << to_string(s);
  }
  void check(const SpmmShape& s) const {
    SpmmCase c(s);
    check(s, c);
  }

  const cpu::SpmmRow& row_ = *GetParam();
};

TEST_P(SpmmWholeRows, MatchTheOracle) {
  for (const std::int64_t vectors : {10, 12, 14, 16, 18, 32})
    for (const double beta : {0.0, 1.0, -0.5}) {
      SpmmShape s = shape(vectors);
      s.beta = {beta, 0};
      s.alpha = {beta == 1 ? -1.0 : 1.5, 0};
      s.b_padding = 3;
      s.c_padding = 5;
      check(s);
    }
}

TEST_P(SpmmWholeRows, ReadEveryIndexTypeBaseAndSlice) {
  for (const IndexType offsets : {IndexType::i32, IndexType::i64})
    for (const IndexType indices : {IndexType::i32, IndexType::i64}) {
      if (offsets == IndexType::i32 && indices == IndexType::i64) continue;
      SpmmShape s = shape(16);
      s.offset_type = offsets;
      s.index_type = indices;
      s.base = 1;
      s.slice_from = 7;
      check(s);
    }
}

TEST_P(SpmmWholeRows, ServeLongAndEmptyRows) {
  SpmmShape s = shape(16);
  // So many entries pay for copies, unless the second-level cache is large.
  s.m = 400;
  s.density = 0.01;
  s.long_row = 9500;
  SpmmCase with_long_row(s);
  check_result(s, with_long_row);
  s = shape(16);
  for (const double alpha : {1.0, -1.0}) {
    s.alpha = {alpha, 0};
    SpmmCase c(s);
    // Rows 5 to 24, row 40 and the last one give their entries to the rows before them.
    SpmmProblem& p = c.problem();
    auto* offsets = static_cast<std::int32_t*>(const_cast<void*>(p.a.offsets));
    std::fill(offsets + 5, offsets + 25, offsets[25]);
    offsets[40] = offsets[41];
    offsets[p.m - 1] = offsets[p.m];
    check(s, c);
  }
}

TEST_P(SpmmWholeRows, LeaveOtherEndsToTiles) {
  SpmmShape s = shape(16);
  EXPECT_TRUE(takes_whole_rows(SpmmCase(s)));
  s.n += 1;
  EXPECT_FALSE(takes_whole_rows(SpmmCase(s)));
  s.n -= 1;
  s.c_order = Order::col;
  EXPECT_FALSE(takes_whole_rows(SpmmCase(s)));
  s.c_order = Order::row;
  s.bias = BiasKind::per_col;
  EXPECT_FALSE(takes_whole_rows(SpmmCase(s)));

  // A plan made for rows that go straight to C, executed with an end that they do not.
  SpmmCase c(s);
  SpmmProblem p = c.problem();
  SpmmProblem plain = p;
  plain.epilogue = {};
  plain.alg = row_.id;
  const auto plan = cpu::prepare(plain, {});
  EXPECT_TRUE(static_cast<const cpu::SpmmPlan&>(*plan).layout.whole_rows);
  p.c = c.fresh_c();
  Exec exec;
  const Guarded workspace(cpu::workspace(p, plan.get(), exec));
  exec.workspace = workspace.data();
  exec.workspace_bytes = workspace.bytes();
  cpu::run(p, plan.get(), exec);
  EXPECT_TRUE(c.equal_bits(p.c, run_spmm(c, row_.id, 1)));
}

TEST_P(SpmmWholeRows, KeepWhatIsNotStoredAwayFromInfinity) {
  SpmmShape s = shape(16);
  SpmmCase c(s);
  c.leave_out_column(900);
  check(s, c);
}

std::vector<const cpu::SpmmRow*> real_tiles() {
  std::vector<const cpu::SpmmRow*> rows;
  for (const cpu::SpmmRow& row : cpu::spmm_kernels())
    if (cpu::method_of(row) == cpu::SpmmMethod::tile && (row.id & 3) < 2) rows.push_back(&row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Table, SpmmWholeRows, ::testing::ValuesIn(real_tiles()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace spk::test
