// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "cuda/problem.hpp"
#include "support/require.hpp"

// The SpMM kernel with a panel of op(B) and pairs of entries in shared memory (spmm_pair_panel_f32), asked for by id, on
// small integers, whose sums are exact: panels of both widths, k that passes in chunks, short and long rows.
namespace spk::test {
namespace {

constexpr spk_algorithm_t kKernel = 624;

struct Case {
  std::int64_t m, n, k;
  int mean;                               // entries of a row
  std::int64_t slack_b = 0, slack_c = 0;  // of the leading dimensions
  std::int64_t skip_b = 0, skip_c = 0;    // elements that the arrays begin behind 256 bytes
  std::int64_t skip_a = 0;
  std::int64_t batch = 1;
  std::int32_t base = 0;
  spk_order_t order_c = SPK_ORDER_ROW;
  bool turned_b = false;  // op(B) = B^T of a column-major B: rows of op(B) are contiguous too
  bool shared_a = true, wide_offsets = false, disorder = false, poison = false;
  float alpha = 2, beta = 3;
};

class PairPanels : public ::testing::Test {
 protected:
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }

  static std::vector<float> integers(Draw& draw, std::int64_t count, int most) {
    std::vector<float> list(static_cast<std::size_t>(count));
    for (float& x : list) x = static_cast<float>(draw.below(2 * most + 1) - most);
    return list;
  }

  void expect_exact(const Case& s) {
    SCOPED_TRACE(std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k) + ", batch " +
                 std::to_string(s.batch) + ", base " + std::to_string(s.base));
    const DeviceHandle handle;
    Draw draw(static_cast<std::uint64_t>(s.m * 7 + s.n * 5 + s.k));
    std::vector<std::int32_t> offsets{s.base}, columns(static_cast<std::size_t>(s.skip_a));
    for (std::int64_t i = 0; i < s.m; ++i) {
      const std::size_t first = columns.size();
      // Every eleventh row is empty, one is full.
      const int percent = static_cast<int>(std::min<std::int64_t>(100, 100 * s.mean * (i % 7 == 3 ? 3 : 1) / s.k + 1));
      for (std::int64_t j = 0; j < s.k && i % 11 != 4; ++j)
        if (i == s.m / 2 || draw.chance(percent)) columns.push_back(static_cast<std::int32_t>(j) + s.base);
      if (s.disorder && columns.size() > first + 2) {
        std::swap(columns[first], columns.back());
        if (i % 2 == 0) columns[first + 1] = columns[first];
        if (i % 5 == 0) std::reverse(columns.begin() + static_cast<std::ptrdiff_t>(first), columns.end());
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()) - static_cast<std::int32_t>(s.skip_a) + s.base);
    }
    const std::int64_t nnz = static_cast<std::int64_t>(columns.size()) - s.skip_a;
    const std::int64_t ldb = s.n + s.slack_b, stride_b = s.k * ldb;
    const std::int64_t line_c = s.order_c == SPK_ORDER_ROW ? s.n : s.m, ldc = line_c + s.slack_c;
    const std::int64_t stride_c = (s.order_c == SPK_ORDER_ROW ? s.m : s.n) * ldc;
    const std::int64_t stride_a = s.shared_a ? 0 : nnz + 3;
    const std::vector<float> values = integers(draw, s.skip_a + nnz + stride_a * (s.batch - 1), 2);
    std::vector<float> b = integers(draw, s.skip_b + stride_b * s.batch, 3);
    if (s.poison) {
      b[static_cast<std::size_t>(s.skip_b + s.k / 2 * ldb)] = std::numeric_limits<float>::infinity();
      b[static_cast<std::size_t>(s.skip_b + s.k / 3 * ldb + s.n - 1)] = std::numeric_limits<float>::quiet_NaN();
    }
    const float old = s.beta == 0 ? std::numeric_limits<float>::quiet_NaN() : -7;
    const std::vector<float> start(static_cast<std::size_t>(s.skip_c + stride_c * s.batch), old);
    const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
    const DeviceArray<std::int64_t> wide_there(handle, std::vector<std::int64_t>(offsets.begin(), offsets.end()));
    const DeviceArray<float> values_there(handle, values), b_there(handle, b);
    DeviceArray<float> c_there(handle, start);

    spk_spmat_t mat_a = nullptr;
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_EXPECT_OK(spk_csr_create(
        &mat_a, s.m, s.k, nnz, s.wide_offsets ? static_cast<void*>(wide_there.data()) : offsets_there.data(),
        columns_there.data() + s.skip_a, values_there.data() + s.skip_a, s.wide_offsets ? SPK_INDEX_64I : SPK_INDEX_32I,
        SPK_INDEX_32I, static_cast<spk_index_base_t>(s.base), SPK_R_32F));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b, s.turned_b ? s.n : s.k, s.turned_b ? s.k : s.n, ldb,
                                   b_there.data() + s.skip_b, SPK_R_32F, s.turned_b ? SPK_ORDER_COL : SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_c, s.m, s.n, ldc, c_there.data() + s.skip_c, SPK_R_32F, s.order_c));
    if (s.batch > 1) {
      SPK_EXPECT_OK(spk_spmat_set_batch(mat_a, s.batch, 0, 0, stride_a));
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_b, s.batch, stride_b));
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_c, s.batch, stride_c));
    }
    std::vector<float> c, first;
    spk_status_t status = SPK_STATUS_SUCCESS;
    for (int turn = 0; turn < 2 && status == SPK_STATUS_SUCCESS; ++turn) {
      c_there.write(start);
      status = spk_spmm(handle, SPK_OP_N, s.turned_b ? SPK_OP_T : SPK_OP_N, &s.alpha, mat_a, mat_b, &s.beta, mat_c,
                        SPK_COMPUTE_32F, kKernel, nullptr, 0);
      c = c_there.read();
      if (turn == 0) first = c;
    }
    const std::string said = message(handle);
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
    if (lacks_kernel(status, said)) GTEST_SKIP() << said;
    ASSERT_EQ(status, SPK_STATUS_SUCCESS) << said;
    EXPECT_EQ(std::memcmp(c.data(), first.data(), c.size() * sizeof(float)), 0) << "bits differ from run to run";

    std::vector<float> sums(static_cast<std::size_t>(s.n));
    for (std::int64_t z = 0; z < s.batch; ++z)
      for (std::int64_t i = 0; i < s.m; ++i) {
        std::fill(sums.begin(), sums.end(), 0.0f);  // integers below 2^24
        for (std::int64_t p = offsets[static_cast<std::size_t>(i)] - s.base;
             p + s.base < offsets[static_cast<std::size_t>(i + 1)]; ++p) {
          const float x = values[static_cast<std::size_t>(s.skip_a + z * stride_a + p)];
          const std::int64_t row = columns[static_cast<std::size_t>(s.skip_a + p)] - s.base;
          for (std::int64_t j = 0; j < s.n; ++j)
            sums[static_cast<std::size_t>(j)] +=
                x * b[static_cast<std::size_t>(s.skip_b + z * stride_b + row * ldb + j)];
        }
        for (std::int64_t j = 0; j < s.n; ++j) {
          float want = s.alpha == 0 ? 0 : s.alpha * sums[static_cast<std::size_t>(j)];
          if (s.beta != 0) want += s.beta * old;
          const std::int64_t at = s.order_c == SPK_ORDER_ROW ? i * ldc + j : j * ldc + i;
          const float got = c[static_cast<std::size_t>(s.skip_c + z * stride_c + at)];
          ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
              << "matrix " << z << ": C(" << i << ", " << j << ") = " << got << ", not " << want;
        }
      }
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) - s.skip_c;
      if (at >= 0 && at % ldc < line_c) continue;
      ASSERT_TRUE(std::isnan(old) ? std::isnan(c[i]) : c[i] == old) << "padding was written to";
    }
  }
};

// m, n, k, entries of a row. From the sixth on k passes in chunks, where there are 227 KB of shared memory.
constexpr std::int64_t kShapes[][4] = {
    {1, 1, 1, 1},        {70, 33, 5, 2},      {300, 64, 100, 9},   {1030, 130, 500, 20}, {90, 40, 830, 300},
    {130, 65, 1661, 30}, {513, 31, 2048, 90}, {2100, 36, 2305, 3}, {40, 100, 6144, 700}, {70000, 4, 1700, 1}};

Case case_of(const std::int64_t (&shape)[4]) { return {shape[0], shape[1], shape[2], static_cast<int>(shape[3])}; }

TEST_F(PairPanels, SumsAreExact) {
  for (const auto& shape : kShapes) {
    Case s = case_of(shape);
    expect_exact(s);
    s.beta = 0;
    s.base = 1;
    s.order_c = SPK_ORDER_COL;
    s.turned_b = true;
    expect_exact(s);
  }
}

TEST_F(PairPanels, ColumnsMayRepeatAndBeOutOfOrder) {
  for (const auto& shape : kShapes)
    for (const bool wide : {false, true}) {
      Case s = case_of(shape);
      s.disorder = true;
      s.wide_offsets = wide;
      s.base = wide ? 1 : 0;
      expect_exact(s);
    }
}

TEST_F(PairPanels, WhatIsNotStoredNeverMeetsInfinity) {
  for (const auto& shape : kShapes)
    for (const bool disorder : {false, true}) {
      Case s = case_of(shape);
      s.poison = true;
      s.disorder = disorder;
      s.beta = 0;
      expect_exact(s);
    }
}

TEST_F(PairPanels, ArraysOfAnyAlignment) {
  for (const std::int64_t k : {300, 2000})
    for (const std::int64_t n : {64, 127})
      for (const std::int64_t skip : {1, 2, 4}) {
        Case s{200, n, k, 20};
        s.slack_b = skip;
        s.slack_c = 9 - skip;
        expect_exact(s);
        s.slack_b = s.slack_c = 0;
        s.skip_b = skip;
        s.skip_a = 3;
        expect_exact(s);
        s.skip_b = 0;
        s.skip_c = skip;
        expect_exact(s);
      }
}

TEST_F(PairPanels, MatricesOfABatchAreTheirOwn) {
  for (const bool shared : {false, true})
    for (const std::int64_t k : {150, 2000}) {
      Case s{70, 90, k, 20};
      s.batch = 3;
      s.shared_a = shared;
      expect_exact(s);
    }
}

// Nothing of A and B is looked at, whatever is there.
TEST_F(PairPanels, AlphaOfZeroLeavesTheOldC) {
  for (const std::int64_t k : {150, 2000}) {
    Case s{70, 90, k, 20};
    s.alpha = 0;
    s.poison = true;
    expect_exact(s);
  }
}

}  // namespace
}  // namespace spk::test
