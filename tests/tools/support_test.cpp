// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "dataset.hpp"
#include "failure.hpp"
#include "generate.hpp"
#include "limits.hpp"
#include "matrix_file.hpp"
#include "row_statistics.hpp"
#include "support/require.hpp"
#include "table.hpp"
#include "timing.hpp"
#include "value_types.hpp"
#include "workload.hpp"

namespace spk::tool {
namespace {

std::string sample(const std::string& name) { return std::string(SPK_SAMPLES) + "/" + name; }

TEST(SplitMix, GivesThePublishedNumbers) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(RandomValues, FollowTheRecipeInF32) {
  const Buffer values = random_values(2, value_type("f32", "type"), 1234567);
  EXPECT_EQ(values.as<float>()[0], static_cast<float>((6457827717110365317u >> 40) * 0x1p-23 - 1));
  EXPECT_EQ(values.as<float>()[1], static_cast<float>((3203168211198807973u >> 40) * 0x1p-23 - 1));
}

TEST(RandomValues, RoundToTheNearest16BitNumber) {
  constexpr std::int64_t kCount = 100'000;
  const Buffer exact = random_values(kCount, value_type("f64", "type"), 5);
  const Buffer f16 = random_values(kCount, value_type("f16", "type"), 5);
  const Buffer bf16 = random_values(kCount, value_type("bf16", "type"), 5);
  for (std::int64_t t = 0; t < kCount; ++t) {
    const double x = exact.as<double>()[t];
    const unsigned half = f16.as<std::uint16_t>()[t];
    const int field = static_cast<int>(half >> 10 & 31u);
    const double digits = (half & 1023u) + (field == 0 ? 0 : 1024);
    const double decoded = (half & 0x8000u ? -1 : 1) * std::ldexp(digits, (field == 0 ? 1 : field) - 25);
    const int exponent = x == 0 ? -14 : std::max(std::ilogb(x), -14);
    ASSERT_LE(std::fabs(decoded - x), std::ldexp(1, exponent - 11)) << x;
    const auto brain = std::bit_cast<float>(static_cast<std::uint32_t>(bf16.as<std::uint16_t>()[t]) << 16);
    ASSERT_LE(std::fabs(static_cast<double>(brain) - x), x == 0 ? 0 : std::ldexp(1, std::ilogb(x) - 8)) << x;
  }
}

TEST(ValueType, RefusesUnknownNames) { EXPECT_THROW(value_type("f8", "--type"), UsageError); }

TEST(Summarize, InterpolatesQuartiles) {
  const Timing timing = summarize({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(timing.median, 2.5);
  EXPECT_DOUBLE_EQ(timing.q1, 1.75);
  EXPECT_DOUBLE_EQ(timing.q3, 3.25);
  EXPECT_DOUBLE_EQ(timing.best, 1);
  EXPECT_EQ(timing.samples, 4);
  EXPECT_DOUBLE_EQ(timing.spread(), 0.6);
  EXPECT_EQ(summarize({}).samples, 0);
}

TEST(TimeInterleaved, TakesTurns) {
  std::string calls;
  TimingPlan plan;
  plan.samples = 2;
  plan.sample_seconds = 0;  // one counted call per sample
  const auto timings = time_interleaved({[&] { calls += 'a'; }, [&] { calls += 'b'; }}, plan);
  ASSERT_EQ(timings.size(), 2u);
  // Two calls each to learn how long one takes, then samples of one warm and at least one counted call.
  const std::string turns = calls.substr(4);
  EXPECT_EQ(calls.substr(0, 4), "aabb");
  EXPECT_LT(turns.find('a'), turns.find('b'));
  EXPECT_LT(turns.find('b'), turns.rfind('a'));
}

TEST(Limits, BoundIsTheLargerOfArithmeticAndTraffic) {
  Limits limits;
  limits.flops_f32 = 100;
  limits.flops_f64 = 50;
  limits.levels = {{"L1", 1000, 40}, {"L2", 8000, 20}, {"DRAM", 0, 10}};
  EXPECT_DOUBLE_EQ(limits.bound_seconds(1000, 40, false), 10);
  EXPECT_DOUBLE_EQ(limits.bound_seconds(1000, 40, true), 20);
  EXPECT_DOUBLE_EQ(limits.bound_seconds(0, 1000, false), 25);
  EXPECT_DOUBLE_EQ(limits.bound_seconds(0, 1001, false), 50.05);
  EXPECT_DOUBLE_EQ(limits.bound_seconds(0, 9000, false), 900);
}

TEST(Text, IsShortAndReadable) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-123456), "-123,456");
  EXPECT_EQ(with_commas(INT64_MAX), "9,223,372,036,854,775,807");
  EXPECT_EQ(short_name("a/b/c.smtx.gz", 20), "a/b/c");
  EXPECT_EQ(short_name("folder/another/matrix.mtx", 16), ".../matrix");
  EXPECT_EQ(short_name("a_very_long_file_name.mtx", 10), "...le_name");
}

TEST(RowStatistics, AreThoseOfTheSample) {
  const CsrMatrix matrix = MatrixFile(sample("empty_rows_300x100_s99.smtx"), "FILE").csr(value_type("f32", "type"));
  const RowStatistics rows = row_statistics(matrix);
  EXPECT_DOUBLE_EQ(rows.mean, 1);
  EXPECT_EQ(rows.empty_rows, 203);
  const Histogram histogram = row_histogram(matrix, 4);
  ASSERT_LE(histogram.bins.size(), 4u);
  std::int64_t total = 0;
  for (const Histogram::Bin& bin : histogram.bins) total += bin.rows;
  EXPECT_EQ(total, 300);
  EXPECT_EQ(histogram.bins.front().first, rows.shortest);
  EXPECT_EQ(histogram.bins.back().last, rows.longest);
}

TEST(Generate, GivesExactCountsAndSortedColumns) {
  for (const double sparsity : {0.0, 0.31, 0.9, 0.999, 1.0}) {
    const CsrMatrix matrix = generate_pruned({37, 53, sparsity, 2.0, 11}, value_type("f32", "type"));
    EXPECT_EQ(matrix.nnz, std::llround((1 - sparsity) * 37 * 53));
    EXPECT_EQ(matrix.offset(37), matrix.nnz);
    for (std::int64_t i = 0; i < 37; ++i) {
      for (std::int64_t t = matrix.offset(i); t < matrix.offset(i + 1); ++t) {
        ASSERT_GE(matrix.column(t), t > matrix.offset(i) ? matrix.column(t - 1) + 1 : 0);
        ASSERT_LT(matrix.column(t), 53);
      }
    }
  }
}

TEST(Generate, ComesNearTheWantedVariation) {
  const CsrMatrix matrix = generate_pruned({2000, 1000, 0.9, 0.25, 3}, value_type("f32", "type"));
  EXPECT_NEAR(row_statistics(matrix).cov, 0.25, 0.02);
}

TEST(ValueSeed, IsTheHashOfTheIndex) {
  const std::string data = SPK_DATA_DIR;
  std::error_code error;
  if (!std::filesystem::exists(data + "/dlmc/index.csv", error)) {
    SPK_SKIP_WITHOUT("data", "no dlmc/index.csv: SPK_DATA_DIR = \"" << data << "\"");
  }
  const std::string file =
      "rn50/extended_magnitude_pruning/0.8/bottleneck_1_block_group_projection_block_group3.smtx.gz";
  const CsrMatrix matrix = MatrixFile(data + "/dlmc/" + file, "FILE").csr(value_type("f32", "type"));
  EXPECT_EQ(matrix.seed, 0xC7B4CEBE4C8DA49Cu);
}

TEST(Workload, CountsUsefulWorkAndBytes) {
  const CsrMatrix matrix = generate_pruned({10, 20, 0.5, 0, 1}, value_type("f32", "type"));
  Problem problem;
  problem.n = 4;
  const Workload spmm(matrix, problem);
  EXPECT_EQ(spmm.flops(), 2 * 100 * 4);
  EXPECT_EQ(spmm.dense_flops(), 2 * 10 * 20 * 4);
  EXPECT_EQ(spmm.bytes(), 100 * 4 + 11 * 4 + 100 * 4 + 20 * 4 * 4 + 10 * 4 * 4);
  problem.operation = Operation::kSddmm;
  const Workload sddmm(matrix, problem);
  EXPECT_EQ(sddmm.flops(), 2 * 100 * 4);
  EXPECT_EQ(sddmm.dense_flops(), 2 * 10 * 20 * 4);
  EXPECT_EQ(sddmm.bytes(), 100 * 4 + 11 * 4 + 10 * 4 * 4 + 20 * 4 * 4 + 100 * 4);
}

}  // namespace
}  // namespace spk::tool
