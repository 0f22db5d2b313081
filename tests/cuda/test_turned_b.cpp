// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/narrow.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// SpMM with columns of op(B) that are contiguous (spmm_turned_*, asked for by id), whose rows a launch in front makes in the
// workspace, by each kind of kernel behind it.
namespace spk::test {
namespace {

struct Kernel {
  const char* name;
  spk_algorithm_t id;
  spk_value_type_t type;
};

class TurnedB : public ::testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }
};

// An integer that every type holds.
float element(std::int64_t row, std::int64_t column, int product) {
  return static_cast<float>((row * 3 + column * 5 + product * 11) % 97);
}

// Products one behind the other, each with its own B, in one workspace, which has the B before until it is overwritten.
// Every row of A has `per_row` entries, ones; row 1 may have more.
void expect_own_b(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, int per_row, int longest) {
  constexpr int kProducts = 6;
  const DeviceHandle handle;
  std::vector<std::int32_t> offsets{0}, columns;
  for (std::int64_t i = 0; i < m; ++i) {
    const int count = i == 1 ? longest : per_row;
    for (std::int64_t e = 0; e < count; ++e)
      columns.push_back(static_cast<std::int32_t>((e * (k / count) + i % (k / count)) % k));
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
  const NarrowArray values_there(handle, std::vector<float>(columns.size(), 1), kernel.type);
  spk_spmat_t mat_a = nullptr;
  SPK_ASSERT_OK(spk_csr_create(&mat_a, m, k, static_cast<std::int64_t>(columns.size()), offsets_there.data(),
                               columns_there.data(), values_there.data(), SPK_INDEX_32I, SPK_INDEX_32I,
                               SPK_INDEX_BASE_ZERO, kernel.type));
  std::vector<std::unique_ptr<NarrowArray>> b, c;
  std::vector<spk_dnmat_t> mat_b(kProducts), mat_c(kProducts);
  for (std::size_t t = 0; t < kProducts; ++t) {
    std::vector<float> by_columns;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < k; ++i) by_columns.push_back(element(i, j, static_cast<int>(t)));
    b.push_back(std::make_unique<NarrowArray>(handle, by_columns, kernel.type));
    c.push_back(
        std::make_unique<NarrowArray>(handle, std::vector<float>(static_cast<std::size_t>(m * n), -1), SPK_R_32F));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b[t], k, n, k, b[t]->data(), kernel.type, SPK_ORDER_COL));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_c[t], m, n, n, c[t]->data(), SPK_R_32F, SPK_ORDER_ROW));
  }
  std::size_t bytes = 0;
  const spk_status_t status =
      spk_spmm_workspace(handle, SPK_OP_N, SPK_OP_N, mat_a, mat_b[0], mat_c[0], SPK_COMPUTE_32F, kernel.id, &bytes);
  const std::string why = message(handle);
  if (status != SPK_STATUS_SUCCESS) {
    spk_spmat_destroy(mat_a);
    for (spk_dnmat_t mat : mat_b) spk_dnmat_destroy(mat);
    for (spk_dnmat_t mat : mat_c) spk_dnmat_destroy(mat);
  }
  if (lacks_kernel(status, why)) GTEST_SKIP() << why;
  SPK_ASSERT_OK(status);
  const DeviceArray<char> workspace(handle, std::vector<char>(bytes));
  const float alpha = 1, beta = 0;
  for (std::size_t t = 0; t < kProducts; ++t)
    SPK_EXPECT_OK(spk_spmm(handle, SPK_OP_N, SPK_OP_N, &alpha, mat_a, mat_b[t], &beta, mat_c[t], SPK_COMPUTE_32F,
                           kernel.id, workspace.data(), bytes));
  spk_spmat_destroy(mat_a);
  for (std::size_t t = 0; t < kProducts; ++t) {
    spk_dnmat_destroy(mat_b[t]);
    spk_dnmat_destroy(mat_c[t]);
    const std::vector<float> got = c[t]->read();
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        float want = 0;
        for (auto p = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)]);
             p < static_cast<std::size_t>(offsets[static_cast<std::size_t>(i + 1)]); ++p)
          want += element(columns[p], j, static_cast<int>(t));
        ASSERT_EQ(got[static_cast<std::size_t>(i * n + j)], want)
            << m << " x " << n << " x " << k << ", product " << t << ": C(" << i << ", " << j << ')';
      }
  }
}

TEST_P(TurnedB, ProductsHaveTheirOwn) {
  expect_own_b(GetParam(), 300, 64, 30000, 4, 4);     // a warp to a row
  expect_own_b(GetParam(), 30000, 16, 30000, 2, 2);   // many short rows
  expect_own_b(GetParam(), 300, 64, 30000, 4, 3000);  // a long one, which is left to a launch in front
}

INSTANTIATE_TEST_SUITE_P(All, TurnedB,
                         ::testing::Values(Kernel{"f32", 544, SPK_R_32F}, Kernel{"f16", 546, SPK_R_16F},
                                           Kernel{"bf16", 547, SPK_R_16BF}),
                         [](const ::testing::TestParamInfo<Kernel>& kernel) { return std::string(kernel.param.name); });

}  // namespace
}  // namespace spk::test
