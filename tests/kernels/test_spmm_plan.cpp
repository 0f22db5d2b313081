// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "cpu/reference/operations.hpp"
#include "cpu/spmm.hpp"
#include "kernels/spmm_case.hpp"

namespace spk::test {
namespace {

struct Planned {
  std::unique_ptr<Plan> plan;
  DenseView result;
};

// Prepares with the case's structure, runs with `threads` threads.
Planned run_planned(SpmmCase& c, int threads) {
  SpmmProblem p = c.problem();
  p.c = c.fresh_c();
  Exec exec;
  exec.threads = threads;
  // Preparing sees no scalars and no values.
  SpmmProblem structure = p;
  structure.scalars = {};
  structure.a.values = nullptr;
  structure.b.values = structure.c.values = nullptr;
  Planned planned{cpu::prepare(structure, exec), p.c};
  const Guarded workspace(cpu::workspace(p, planned.plan.get(), exec) + 16);
  exec.workspace = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(workspace.data()) + 15) / 16 * 16);
  exec.workspace_bytes = workspace.bytes() - 16;
  cpu::run(p, planned.plan.get(), exec);
  return planned;
}

void expect_planned_right(const SpmmShape& s) {
  SpmmCase c(s);
  const Planned one = run_planned(c, 1);
  const Verdict verdict = reference::judge(c.problem(), one.result);
  EXPECT_LE(verdict.worst, 1.0) << to_string(s) << "\n  " << one.plan->describe() << " at (" << verdict.row << ", "
                                << verdict.col << ") of matrix " << verdict.batch << ": got " << verdict.got.re
                                << " want " << verdict.want.re;
  EXPECT_TRUE(c.padding_is_intact(one.result)) << to_string(s);
  for (const int threads : {2, 5})
    EXPECT_TRUE(c.equal_bits(one.result, run_planned(c, threads).result)) << to_string(s);
}

TEST(SpmmPlan, MatchesTheOracle) {
  for (const Format format : {Format::csr, Format::csc, Format::coo, Format::bsr, Format::blocked_ell})
    for (const Op op_a : {Op::n, Op::t, Op::c})
      for (const ValueType type : {ValueType::f32, ValueType::f64, ValueType::bf16, ValueType::c64})
        for (const Order order : {Order::row, Order::col})
          for (const std::int64_t n : {1, 5, 40, 130}) {
            SpmmShape s;
            s.format = format;
            s.op_a = op_a;
            s.type = type;
            s.b_order = s.c_order = order;
            s.m = 37;
            s.k = 52;
            s.n = n;
            s.base = n == 5 ? 1 : 0;
            s.beta = {0.5, 0};
            s.c_padding = 2;
            s.sorted = n > 5;
            if (format == Format::bsr || format == Format::blocked_ell) s.block_size = 4;
            expect_planned_right(s);
          }
}

TEST(SpmmPlan, ServesSortedRowsOfManyEntries) {
  for (const ValueType type : {ValueType::f32, ValueType::f64, ValueType::f16})
    for (const Order order : {Order::row, Order::col})
      for (const std::int64_t n : {48, 64, 100, 128, 200, 300}) {
        SpmmShape s;
        s.type = type;
        s.m = 300;
        s.k = 420;
        s.n = n;
        s.density = 0.35;
        s.sorted = true;
        s.b_order = s.c_order = order;
        s.alpha = {0.5, 0};
        s.beta = {n == 100 ? -1.0 : 0.0, 0};
        s.activation = n == 300 ? Activation::relu : Activation::none;
        expect_planned_right(s);
      }
}

TEST(SpmmPlan, ServesSlicesLongRowsAndBatches) {
  SpmmShape slice;
  slice.m = 50;
  slice.slice_from = 7;
  slice.n = 1;
  expect_planned_right(slice);
  slice.n = 80;
  slice.sorted = true;
  expect_planned_right(slice);
  SpmmShape long_row;
  long_row.m = 30;
  long_row.k = 900;
  long_row.n = 20;
  long_row.long_row = 9000;
  expect_planned_right(long_row);
  SpmmShape batch;
  batch.batch = 4;
  batch.op_a = Op::t;
  batch.n = 70;
  expect_planned_right(batch);
}

TEST(SpmmPlan, ServesMatricesWithoutEntries) {
  for (const Format format : {Format::csr, Format::csc, Format::coo, Format::bsr})
    for (const Op op_a : {Op::n, Op::t})
      for (const std::int64_t k : {0, 6}) {
        SpmmShape s;
        s.format = format;
        s.op_a = op_a;
        s.k = k;
        s.n = 90;
        s.density = 0;
        s.beta = {2, 0};
        expect_planned_right(s);
      }
}

TEST(SpmmPlan, ReadsValuesAtExecution) {
  SpmmShape s;
  s.op_a = Op::t;
  s.n = 90;
  SpmmCase c(s);
  Planned first = run_planned(c, 1);
  float* values = static_cast<float*>(c.problem().a.values);
  for (std::int64_t e = 0; e < c.problem().a.nnz; ++e) values[e] *= -2;
  SpmmProblem p = c.problem();
  p.c = c.fresh_c();
  Exec exec;
  std::vector<double> workspace(cpu::workspace(p, first.plan.get(), exec) / 8 + 2);
  exec.workspace = workspace.data();
  cpu::run(p, first.plan.get(), exec);
  EXPECT_LE(reference::judge(c.problem(), p.c).worst, 1.0);
}

TEST(SpmmPlan, RejectsABrokenStructure) {
  SpmmShape s;
  s.m = 20;
  SpmmCase c(s);
  ASSERT_GT(c.problem().a.nnz, 3);
  std::int32_t* columns = static_cast<std::int32_t*>(const_cast<void*>(c.problem().a.col_indices));
  columns[3] = 8;
  try {
    cpu::prepare(c.problem(), Exec{});
    FAIL() << "accepted a column index of 8 in a matrix of 8 columns";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), SPK_STATUS_INVALID_STRUCTURE);
    EXPECT_NE(std::string(error.what()).find('8'), std::string::npos);
  }
}

// Rows of C that pass B in blocks take 16-bit indices from the plan.
SpmmShape shape_in_blocks() {
  SpmmShape s;
  s.m = 300;
  s.k = 1000;
  s.n = 131;
  s.density = 0.2;
  s.sorted = true;
  return s;
}

TEST(SpmmPlan, KeepsShortIndicesForBlocks) {
  for (const ValueType type : {ValueType::f32, ValueType::f64})
    for (const IndexType index_type : {IndexType::i32, IndexType::i64})
      for (const std::int32_t base : {0, 1})
        for (const std::int64_t n : {64, 96, 128, 131, 300}) {
          SpmmShape s = shape_in_blocks();
          s.type = type;
          s.offset_type = s.index_type = index_type;
          s.base = base;
          s.n = n;
          s.sorted = n != 128;
          SpmmCase c(s);
          const Planned planned = run_planned(c, 1);
          EXPECT_NE(planned.plan->describe().find("16-bit indices"), std::string::npos) << to_string(s);
          // Blocks, tiles and the order of sums are those of the one-shot call.
          EXPECT_TRUE(c.equal_bits(planned.result, run_spmm(c, 0, 1))) << to_string(s);
          expect_planned_right(s);
        }
}

TEST(SpmmPlan, ServesBlocksWithEmptyAndLongRowsAndDuplicates) {
  SpmmShape s = shape_in_blocks();
  s.long_row = 9500;  // more than there are columns, so that many are named twice
  expect_planned_right(s);
  s.long_row = 0;
  SpmmCase c(s);
  SpmmProblem& p = c.problem();
  auto* offsets = static_cast<std::int32_t*>(const_cast<void*>(p.a.offsets));
  std::fill(offsets + 5, offsets + 25, offsets[25]);
  auto* columns = static_cast<std::int32_t*>(const_cast<void*>(p.a.col_indices));
  for (std::int64_t e = 1; e < p.a.nnz; e += 3) columns[e] = columns[e - 1];
  const Planned planned = run_planned(c, 1);
  EXPECT_NE(planned.plan->describe().find("16-bit indices"), std::string::npos);
  EXPECT_LE(reference::judge(p, planned.result).worst, 1.0);
}

TEST(SpmmPlan, KeepsEntriesThatAreNotStoredAwayFromInfinity) {
  SpmmShape s = shape_in_blocks();
  SpmmCase c(s);
  c.leave_out_column(700);
  EXPECT_LE(reference::judge(c.problem(), run_planned(c, 1).result).worst, 1.0);
}

TEST(SpmmPlan, ReadsValuesAtExecutionInBlocks) {
  SpmmCase c(shape_in_blocks());
  const Planned first = run_planned(c, 1);
  float* values = static_cast<float*>(c.problem().a.values);
  for (std::int64_t e = 0; e < c.problem().a.nnz; ++e) values[e] *= -2;
  SpmmProblem p = c.problem();
  p.c = c.fresh_c();
  for (const int threads : {1, 3}) {  // other threads than the plan was made for
    Exec exec;
    exec.threads = threads;
    std::vector<double> workspace(cpu::workspace(p, first.plan.get(), exec) / 8 + 2);
    exec.workspace = workspace.data();
    cpu::run(p, first.plan.get(), exec);
    EXPECT_LE(reference::judge(c.problem(), p.c).worst, 1.0);
  }
}

TEST(SpmmPlan, KeepsShortIndicesOfVectorProductsWithManyEntries) {
  SpmmShape s;
  s.m = 1100;
  s.k = 2000;
  s.n = 1;
  s.density = 1;
  SpmmCase c(s);
  const Planned planned = run_planned(c, 1);
  EXPECT_NE(planned.plan->describe().find("16-bit indices"), std::string::npos);
  EXPECT_LE(reference::judge(c.problem(), planned.result).worst, 1.0);
}

TEST(SpmmPlan, TransposesWhereMostRowsOfCAreEmpty) {
  SpmmShape s;
  s.op_a = Op::t;
  s.m = 200;
  s.k = 60;
  s.n = 8;
  s.density = 0.005;
  SpmmCase c(s);
  ASSERT_LT(c.problem().a.nnz, s.m);
  EXPECT_NE(cpu::prepare(c.problem(), Exec{})->describe().find("entries in rows"), std::string::npos);
  expect_planned_right(s);
}

TEST(SpmmPlan, DescribesWhatItKeeps) {
  SpmmShape s;
  s.n = 1;
  SpmmCase vector(s);
  EXPECT_EQ(cpu::prepare(vector.problem(), Exec{})->describe().find("16-bit indices"), std::string::npos);
  s.op_a = Op::t;
  s.n = 100;
  SpmmCase transposed(s);
  const std::string text = cpu::prepare(transposed.problem(), Exec{})->describe();
  EXPECT_NE(text.find("spmm_tile_f32"), std::string::npos) << text;
  EXPECT_NE(text.find("entries in rows"), std::string::npos) << text;
  EXPECT_NE(text.find(" bytes"), std::string::npos) << text;
}

}  // namespace
}  // namespace spk::test
