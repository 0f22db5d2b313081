// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <limits>
#include <utility>

#include "cuda/narrow.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// The SpMM kernels with a row to a group of lanes (spmm_short_rows_*), asked for by id, on small integers, whose sums are
// exact; rows are empty, short, and as long as the matrix is wide.
namespace spk::test {
namespace {

struct Kernel {
  const char* name;
  spk_algorithm_t id;
  spk_value_type_t type;
};

struct Shape {
  std::int64_t m, n, k;
  int percent;
};

class ShortRows : public ::testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }

  // disorder: some rows have columns out of order, some a column twice. poison: B has Inf and NaN in places.
  void expect_exact(const Shape& s, bool disorder, bool poison) {
    const Kernel& kernel = GetParam();
    const DeviceHandle handle;
    Draw draw(static_cast<std::uint64_t>(s.m * 7 + s.n * 5 + s.k));
    std::vector<std::int32_t> offsets{1}, columns;
    for (std::int64_t i = 0; i < s.m; ++i) {
      const auto first = static_cast<std::size_t>(offsets.back() - 1);
      for (std::int64_t j = 0; j < s.k && i % 9 != 4; ++j)
        if (draw.chance(i % 6 == 2 ? 100 : s.percent)) columns.push_back(static_cast<std::int32_t>(j + 1));
      if (disorder && columns.size() > first + 2 && i % 5 == 1) std::swap(columns[first], columns.back());
      if (disorder && columns.size() > first + 2 && i % 5 == 3) columns[first + 1] = columns[first];
      offsets.push_back(static_cast<std::int32_t>(columns.size() + 1));
    }
    if (columns.empty()) columns.push_back(1), offsets.back() = 2;
    const std::int64_t ldb = (s.n + 7) / 8 * 8, ldc = s.n + 3;
    const auto integers = [&](std::size_t count, int most) {
      std::vector<float> list(count);
      for (float& x : list) x = static_cast<float>(draw.below(2 * most + 1) - most);
      return list;
    };
    const std::vector<float> values = integers(columns.size(), 2);
    std::vector<float> b = integers(static_cast<std::size_t>(s.k * ldb), 3);
    if (poison) {
      b[static_cast<std::size_t>(s.k / 2 * ldb)] = std::numeric_limits<float>::infinity();
      b[static_cast<std::size_t>(s.k / 3 * ldb + s.n - 1)] = std::numeric_limits<float>::quiet_NaN();
    }
    const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
    const NarrowArray values_there(handle, values, kernel.type), b_there(handle, b, kernel.type);
    const DeviceArray<float> c_there(handle, std::vector<float>(static_cast<std::size_t>(s.m * ldc), -7));

    spk_spmat_t mat_a = nullptr;
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_EXPECT_OK(spk_csr_create(&mat_a, s.m, s.k, static_cast<std::int64_t>(columns.size()), offsets_there.data(),
                                 columns_there.data(), values_there.data(), SPK_INDEX_32I, SPK_INDEX_32I,
                                 SPK_INDEX_BASE_ONE, kernel.type));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b, s.k, s.n, ldb, b_there.data(), kernel.type, SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_c, s.m, s.n, ldc, c_there.data(), SPK_R_32F, SPK_ORDER_ROW));
    const float alpha = 2, beta = 3;
    const spk_status_t status = spk_spmm(handle, SPK_OP_N, SPK_OP_N, &alpha, mat_a, mat_b, &beta, mat_c,
                                         SPK_COMPUTE_32F, kernel.id, nullptr, 0);
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
    if (lacks_kernel(status, message(handle))) GTEST_SKIP() << message(handle);
    SPK_ASSERT_OK(status);

    const std::vector<float> c = c_there.read();
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 0; j < ldc; ++j) {
        double want = 0;
        for (auto p = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)] - 1);
             j < s.n && p + 1 < static_cast<std::size_t>(offsets[static_cast<std::size_t>(i + 1)]); ++p)
          want += static_cast<double>(values[p]) *
                  static_cast<double>(b[static_cast<std::size_t>((columns[p] - 1) * ldb + j)]);
        want = j < s.n ? 2 * want - 21 : -7;
        const double got = static_cast<double>(c[static_cast<std::size_t>(i * ldc + j)]);
        if (std::isnan(want) ? !std::isnan(got) : got != want) {
          ADD_FAILURE() << s.m << " x " << s.n << " x " << s.k << ": C(" << i << ", " << j << ") = " << got << ", not "
                        << want;
          return;
        }
      }
  }
};

constexpr Shape kShapes[] = {{1, 8, 1, 50},      {63, 5, 64, 50},    {64, 64, 65, 30},    {65, 130, 300, 20},
                             {130, 40, 2305, 5}, {7, 257, 700, 40},  {300, 520, 130, 10}, {513, 33, 1000, 2},
                             {40, 8, 9000, 3},   {128, 256, 512, 70}};

TEST_P(ShortRows, SumsAreExact) {
  for (const Shape& shape : kShapes) expect_exact(shape, false, false);
}

TEST_P(ShortRows, ColumnsMayRepeatAndBeOutOfOrder) {
  for (const Shape& shape : kShapes) expect_exact(shape, true, false);
}

TEST_P(ShortRows, WhatIsNotStoredNeverMeetsInfinity) {
  for (const Shape& shape : kShapes) expect_exact(shape, false, true);
}

INSTANTIATE_TEST_SUITE_P(All, ShortRows,
                         ::testing::Values(Kernel{"f32", 608, SPK_R_32F}, Kernel{"f16", 610, SPK_R_16F},
                                           Kernel{"bf16", 611, SPK_R_16BF}),
                         [](const ::testing::TestParamInfo<Kernel>& kernel) { return std::string(kernel.param.name); });

}  // namespace
}  // namespace spk::test
