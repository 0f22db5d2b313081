// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <limits>

#include "cuda/narrow.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// SDDMM by the whole dense product (sddmm_csr_product), asked for by id, on small integers, whose sums are exact.
namespace spk::test {
namespace {

constexpr spk_algorithm_t kProduct = 774;

struct Case {
  std::int64_t m, n, k;
  int percent;
  bool column_major_a = false;  // then op(A) = A^T, so that its rows are contiguous all the same
  bool row_major_b = false;     // op(B) = B by rows, else B^T, whose columns are contiguous
  bool wide_c = false;          // C in f32
  std::int64_t batch = 1;
  bool shared_a = false;
  float beta = 3;
  bool poison = false;  // NaN and infinities in A
};

class SddmmProduct : public ::testing::TestWithParam<spk_value_type_t> {
 protected:
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }

  void expect_exact(const Case& s) {
    SCOPED_TRACE(std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k));
    const spk_value_type_t type = GetParam(), out = s.wide_c ? SPK_R_32F : type;
    const DeviceHandle handle;
    Draw draw(static_cast<std::uint64_t>(s.m * 7 + s.n * 5 + s.k));
    std::vector<std::int32_t> offsets{1}, columns;
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 0; j < s.n && i % 9 != 4; ++j)
        if (draw.chance(i % 6 == 2 ? 100 : s.percent)) columns.push_back(static_cast<std::int32_t>(j + 1));
      if (i % 5 == 1 && columns.size() > 2)
        std::swap(columns.back(), columns[columns.size() - 2]);  // any order will do
      offsets.push_back(static_cast<std::int32_t>(columns.size() + 1));
    }
    const auto nnz = static_cast<std::int64_t>(columns.size());
    const std::int64_t lda = (s.k + 7) / 8 * 8, ldb = ((s.row_major_b ? s.n : s.k) + 7) / 8 * 8 + 8;
    const std::int64_t stride_a = s.shared_a ? 0 : s.m * lda, stride_b = (s.row_major_b ? s.k : s.n) * ldb;
    const auto integers = [&](std::int64_t count) {
      std::vector<float> list(static_cast<std::size_t>(count));
      for (float& x : list) x = static_cast<float>(draw.below(5) - 2);
      return list;
    };
    std::vector<float> a = integers(s.shared_a ? s.m * lda : stride_a * s.batch);
    const std::vector<float> b = integers(stride_b * s.batch);
    if (s.poison) {
      a[static_cast<std::size_t>(2 * lda + s.k / 2)] = std::numeric_limits<float>::infinity();
      a[static_cast<std::size_t>((s.m - 1) * lda)] = std::numeric_limits<float>::quiet_NaN();
    }
    const float old = s.beta == 0 ? std::numeric_limits<float>::quiet_NaN() : -7;
    const std::vector<float> start(static_cast<std::size_t>(nnz * s.batch), old);
    const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
    const NarrowArray a_there(handle, a, type), b_there(handle, b, type);
    const NarrowArray c_there(handle, start, out);

    spk_dnmat_t mat_a = nullptr, mat_b = nullptr;
    spk_spmat_t mat_c = nullptr;
    SPK_EXPECT_OK(s.column_major_a ? spk_dnmat_create(&mat_a, s.k, s.m, lda, a_there.data(), type, SPK_ORDER_COL)
                                   : spk_dnmat_create(&mat_a, s.m, s.k, lda, a_there.data(), type, SPK_ORDER_ROW));
    SPK_EXPECT_OK(s.row_major_b ? spk_dnmat_create(&mat_b, s.k, s.n, ldb, b_there.data(), type, SPK_ORDER_ROW)
                                : spk_dnmat_create(&mat_b, s.n, s.k, ldb, b_there.data(), type, SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_csr_create(&mat_c, s.m, s.n, nnz, offsets_there.data(), columns_there.data(), c_there.data(),
                                 SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ONE, out));
    if (s.batch > 1) {
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_a, s.batch, stride_a));
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_b, s.batch, stride_b));
      SPK_EXPECT_OK(spk_spmat_set_batch(mat_c, s.batch, 0, 0, nnz));
    }
    const float alpha = 2;
    const auto run = [&] {
      c_there.write(start);
      return spk_sddmm(handle, s.column_major_a ? SPK_OP_T : SPK_OP_N, s.row_major_b ? SPK_OP_N : SPK_OP_T, &alpha,
                       mat_a, mat_b, &s.beta, mat_c, SPK_COMPUTE_32F, kProduct, nullptr, 0);
    };
    const spk_status_t status = run();
    const std::vector<float> c = c_there.read();
    EXPECT_EQ(run(), status);
    const std::vector<float> again = c_there.read();
    spk_dnmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_spmat_destroy(mat_c);
    if (lacks_kernel(status, message(handle))) GTEST_SKIP() << message(handle);
    SPK_ASSERT_OK(status);

    for (std::int64_t z = 0; z < s.batch; ++z)
      for (std::int64_t i = 0; i < s.m; ++i)
        for (std::int64_t p = offsets[static_cast<std::size_t>(i)] - 1;
             p + 1 < offsets[static_cast<std::size_t>(i + 1)]; ++p) {
          const std::int64_t j = columns[static_cast<std::size_t>(p)] - 1;
          float sum = 0;
          for (std::int64_t l = 0; l < s.k; ++l)
            sum += a[static_cast<std::size_t>(z * stride_a + i * lda + l)] *
                   b[static_cast<std::size_t>(z * stride_b + (s.row_major_b ? l * ldb + j : j * ldb + l))];
          float want = 2 * sum;
          if (s.beta != 0) want += s.beta * old;
          if (!s.wide_c) want = rounded(want, type);
          const float got = c[static_cast<std::size_t>(z * nnz + p)];
          ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
              << "matrix " << z << ", (" << i << ", " << j << ") = " << got << ", not " << want;
          ASSERT_TRUE(std::isnan(want) || again[static_cast<std::size_t>(z * nnz + p)] == got) << "another result";
        }
  }
};

TEST_P(SddmmProduct, IsRightForEverySizeAndOrder) {
  expect_exact({1, 1, 1, 100});
  expect_exact({300, 130, 64, 30});
  expect_exact({65, 257, 200, 10, true, false});
  expect_exact({129, 66, 72, 40, false, true});
  expect_exact({70, 515, 40, 50, true, true, true});
  expect_exact({512, 512, 512, 20, false, false, true});
  expect_exact({40, 3000, 16, 90});
}

TEST_P(SddmmProduct, MatricesOfABatchAreRight) {
  expect_exact({70, 90, 64, 30, false, false, false, 3});
  expect_exact({70, 90, 64, 30, false, true, true, 3, true});
}

TEST_P(SddmmProduct, NanAndInfinityReachTheirRowsAlone) {
  expect_exact({100, 80, 48, 40, false, false, true, 1, false, 3, true});
}

TEST_P(SddmmProduct, WithoutBetaTheOldValuesAreNotRead) {
  expect_exact({100, 80, 48, 40, false, false, false, 1, false, 0});
}

INSTANTIATE_TEST_SUITE_P(, SddmmProduct, ::testing::Values(SPK_R_16F, SPK_R_16BF),
                         [](const auto& instance) { return instance.param == SPK_R_16F ? "f16" : "bf16"; });

}  // namespace
}  // namespace spk::test
