// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>

#include "cuda/problem.hpp"
#include "support/require.hpp"

// The f32 SpMM kernels that form products of split operands on tensor cores, asked for by id, on numbers that need both
// parts: within the bound of a sum in f32, (entries of the row + 2) u sum |a b| with u = 2^-24.
namespace spk::test {
namespace {

struct SplitKernel {
  const char* name;
  spk_algorithm_t id;
};

class SplitProducts : public ::testing::TestWithParam<SplitKernel> {
 protected:
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }

  struct Case {
    std::int64_t m, n, k;
    int percent;
    spk_order_t order_c;
  };

  // Rows of A and columns of B come in sizes from 1 to 2^-120, and with some tiny numbers among large ones.
  static float number(Draw& draw, std::int64_t line) {
    const auto fraction = static_cast<float>(draw.below(1 << 24) - (1 << 23)) * 0x1p-23f;
    const int exponent = line % 7 == 3                      ? -120
                         : line % 7 == 5 && draw.chance(10) ? -90
                                                            : -static_cast<int>(draw.below(6));
    return std::ldexp(fraction, exponent);
  }

  void expect_in_bound(const Case& s) {
    const DeviceHandle handle;
    Draw draw(static_cast<std::uint64_t>(s.m + s.n + s.k));
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<float> values;
    for (std::int64_t i = 0; i < s.m; ++i) {
      const int percent = i % 5 == 4 ? 2 : s.percent;  // some short rows
      for (std::int64_t j = 0; j < s.k; ++j)
        if (draw.chance(percent)) {
          columns.push_back(static_cast<std::int32_t>(j));
          values.push_back(number(draw, i));
        }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    std::vector<float> b(static_cast<std::size_t>(s.k * s.n));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = number(draw, static_cast<std::int64_t>(i) % s.n);
    const bool by_rows = s.order_c == SPK_ORDER_ROW;
    const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
    const DeviceArray<float> values_there(handle, values), b_there(handle, b);
    const DeviceArray<float> c_there(handle, std::vector<float>(static_cast<std::size_t>(s.m * s.n), NAN));
    spk_spmat_t mat_a = nullptr;
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_EXPECT_OK(spk_csr_create(&mat_a, s.m, s.k, static_cast<std::int64_t>(columns.size()), offsets_there.data(),
                                 columns_there.data(), values_there.data(), SPK_INDEX_32I, SPK_INDEX_32I,
                                 SPK_INDEX_BASE_ZERO, SPK_R_32F));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b, s.k, s.n, s.n, b_there.data(), SPK_R_32F, SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_c, s.m, s.n, by_rows ? s.n : s.m, c_there.data(), SPK_R_32F, s.order_c));
    const float one = 1, zero = 0;
    const spk_status_t status = spk_spmm(handle, SPK_OP_N, SPK_OP_N, &one, mat_a, mat_b, &zero, mat_c, SPK_COMPUTE_32F,
                                         GetParam().id, nullptr, 0);
    const std::vector<float> c = c_there.read();
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
    if (lacks_kernel(status, message(handle))) GTEST_SKIP() << message(handle);
    SPK_ASSERT_OK(status);
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 0; j < s.n; ++j) {
        double sum = 0, sizes = 0;
        const std::int32_t begin = offsets[static_cast<std::size_t>(i)], end = offsets[static_cast<std::size_t>(i + 1)];
        for (std::int32_t p = begin; p < end; ++p) {
          const double product =
              static_cast<double>(values[static_cast<std::size_t>(p)]) *
              static_cast<double>(b[static_cast<std::size_t>(columns[static_cast<std::size_t>(p)] * s.n + j)]);
          sum += product;
          sizes += std::abs(product);
        }
        const double least = 0x1p-149 * (end - begin);  // what is subnormal loses as much
        const double got = static_cast<double>(c[static_cast<std::size_t>(by_rows ? i * s.n + j : j * s.m + i)]);
        ASSERT_LE(std::abs(got - sum), (end - begin + 2) * 0x1p-24 * sizes + least)
            << s.m << " x " << s.n << " x " << s.k << ": C(" << i << ", " << j << ") = " << got << ", not " << sum;
      }
  }
};

TEST_P(SplitProducts, KeepTheBound) {
  for (const spk_order_t order : {SPK_ORDER_ROW, SPK_ORDER_COL}) {
    for (const Case& s :
         {Case{65, 40, 300, 40, order}, Case{130, 136, 513, 30, order}, Case{260, 520, 1100, 10, order}})
      expect_in_bound(s);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SplitProducts, ::testing::Values(SplitKernel{"tile", 582}, SplitKernel{"copy", 594}),
                         [](const ::testing::TestParamInfo<SplitKernel>& kernel) { return kernel.param.name; });

}  // namespace
}  // namespace spk::test
