// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cases/cuda_driver.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// Rows that hold a large share of all entries, among short and empty ones: kernels cut them into parts that several
// blocks have. Every product is checked against the oracle, and must repeat bit for bit.
namespace spk::test {
namespace {

// A CSR matrix with the given row lengths; columns of a row are spread evenly, values are drawn.
struct LongRowMatrix {
  LongRowMatrix(spk_handle_t handle, const std::vector<std::int64_t>& lengths, std::int64_t k, std::int32_t base)
      : rows(static_cast<std::int64_t>(lengths.size())), cols(k) {
    std::vector<std::int32_t> starts{base}, columns;
    for (const std::int64_t length : lengths) {
      for (std::int64_t e = 0; e < length; ++e) columns.push_back(static_cast<std::int32_t>(e * k / length + base));
      starts.push_back(static_cast<std::int32_t>(columns.size()) + base);
    }
    nnz = static_cast<std::int64_t>(columns.size());
    offsets = std::make_unique<DeviceArray<std::int32_t>>(handle, starts);
    indices = std::make_unique<DeviceArray<std::int32_t>>(handle, columns);
    values = std::make_unique<DeviceArray<float>>(handle, draw_floats(3, nnz));
    SPK_EXPECT_OK(spk_csr_create(&mat, rows, cols, nnz, offsets->data(), indices->data(), values->data(), SPK_INDEX_32I,
                                 SPK_INDEX_32I, base, SPK_R_32F));
  }
  LongRowMatrix(const LongRowMatrix&) = delete;
  LongRowMatrix& operator=(const LongRowMatrix&) = delete;
  ~LongRowMatrix() { spk_spmat_destroy(mat); }

  std::int64_t rows, cols, nnz = 0;
  std::unique_ptr<DeviceArray<std::int32_t>> offsets, indices;
  std::unique_ptr<DeviceArray<float>> values;
  spk_spmat_t mat = nullptr;
};

class LongRows : public ::testing::Test {
 protected:
  void SetUp() override {
    SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
    handle_ = std::make_unique<DeviceHandle>();
    SPK_ASSERT_OK(handle_->status());
    if (cases::CudaDriver::find() == nullptr) GTEST_SKIP() << "a stand-in has other kernels";
    SPK_ASSERT_OK(spk_set_check(*handle_, 1));
  }

  // C = alpha A B + beta C with every kernel that takes the problem, by itself chosen or forced.
  void expect_right(const LongRowMatrix& a, std::int64_t n, std::int32_t order) {
    SCOPED_TRACE("n " + std::to_string(n) + ", order " + std::to_string(order));
    const bool by_rows = order == SPK_ORDER_ROW;
    const DeviceArray<float> right(*handle_, draw_floats(5, a.cols * n));
    DeviceArray<float> c(*handle_, draw_floats(7, a.rows * n));
    const std::vector<float> start = c.written();
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_ASSERT_OK(spk_dnmat_create(&mat_b, a.cols, n, by_rows ? n : a.cols, right.data(), SPK_R_32F, order));
    SPK_ASSERT_OK(spk_dnmat_create(&mat_c, a.rows, n, by_rows ? n : a.rows, c.data(), SPK_R_32F, order));
    int taken = 0;
    for (const std::int32_t kernel : {0, 512, 520, 528, 544, 552, 560, 608}) {
      SCOPED_TRACE("kernel " + std::to_string(kernel));
      std::vector<float> first;
      for (int turn = 0; turn < 2; ++turn) {
        c.write(start);
        const float alpha = -1.25F, beta = 0.5F;
        const spk_status_t status = spk_spmm(*handle_, SPK_OP_N, SPK_OP_N, &alpha, a.mat, mat_b, &beta, mat_c,
                                             SPK_COMPUTE_32F, kernel, nullptr, 0);
        if (kernel != 0 && status == SPK_STATUS_NOT_SUPPORTED) break;
        EXPECT_EQ(status, SPK_STATUS_SUCCESS) << message(*handle_);
        if (turn == 0) {
          first = c.read();
          ++taken;
        } else {
          EXPECT_EQ(c.read(), first) << "another result";
        }
      }
    }
    EXPECT_GE(taken, 2);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
  }

  // The same through a plan, which has seen how long the longest row is; twice, for the same bits.
  void expect_planned(const LongRowMatrix& a, std::int64_t n, std::int32_t order, spk_plan_t* kept = nullptr) {
    SCOPED_TRACE("plan, n " + std::to_string(n) + ", order " + std::to_string(order));
    const bool by_rows = order == SPK_ORDER_ROW;
    const DeviceArray<float> right(*handle_, draw_floats(5, a.cols * n));
    DeviceArray<float> c(*handle_, draw_floats(7, a.rows * n));
    const std::vector<float> start = c.written();
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_ASSERT_OK(spk_dnmat_create(&mat_b, a.cols, n, by_rows ? n : a.cols, right.data(), SPK_R_32F, order));
    SPK_ASSERT_OK(spk_dnmat_create(&mat_c, a.rows, n, by_rows ? n : a.rows, c.data(), SPK_R_32F, order));
    for (const std::int32_t kernel : {0, 512, 528, 544, 552, 560, 608}) {
      SCOPED_TRACE("kernel " + std::to_string(kernel));
      spk_plan_t plan = nullptr;
      const spk_status_t made = spk_spmm_plan_create(&plan, *handle_, SPK_OP_N, SPK_OP_N, a.mat, mat_b, mat_c,
                                                     SPK_COMPUTE_32F, kernel, nullptr);
      if (kernel != 0 && made == SPK_STATUS_NOT_SUPPORTED) continue;
      SPK_ASSERT_OK(made);
      std::vector<float> first;
      for (int turn = 0; turn < 2; ++turn) {
        c.write(start);
        const float alpha = -1.25F, beta = 0.5F;
        SPK_EXPECT_OK(spk_spmm_execute(*handle_, plan, &alpha, a.mat, mat_b, &beta, mat_c, nullptr, nullptr, 0));
        if (turn == 0)
          first = c.read();
        else
          EXPECT_EQ(c.read(), first) << "another result";
      }
      if (kept != nullptr && kernel == 512)
        *kept = plan;
      else
        spk_plan_destroy(plan);
    }
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
  }

  // The values of c from alpha A B^T + beta C, A and B by rows of k, with every kernel that takes that.
  void expect_sampled(LongRowMatrix& c, std::int64_t k) {
    SCOPED_TRACE("k " + std::to_string(k));
    const DeviceArray<float> left(*handle_, draw_floats(5, c.rows * k)), right(*handle_, draw_floats(7, c.cols * k));
    const std::vector<float> start = c.values->written();
    spk_dnmat_t mat_a = nullptr, mat_b = nullptr;
    SPK_ASSERT_OK(spk_dnmat_create(&mat_a, c.rows, k, k, left.data(), SPK_R_32F, SPK_ORDER_ROW));
    SPK_ASSERT_OK(spk_dnmat_create(&mat_b, c.cols, k, k, right.data(), SPK_R_32F, SPK_ORDER_ROW));
    for (const std::int32_t kernel : {0, 768, 771, 773}) {
      SCOPED_TRACE("kernel " + std::to_string(kernel));
      std::vector<float> first;
      for (int turn = 0; turn < 2; ++turn) {
        c.values->write(start);
        const float alpha = -1.25F, beta = 0.5F;
        SPK_EXPECT_OK(spk_sddmm(*handle_, SPK_OP_N, SPK_OP_T, &alpha, mat_a, mat_b, &beta, c.mat, SPK_COMPUTE_32F,
                                kernel, nullptr, 0));
        if (turn == 0)
          first = c.values->read();
        else
          EXPECT_EQ(c.values->read(), first) << "another result";
      }
    }
    spk_dnmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
  }

  std::unique_ptr<DeviceHandle> handle_;
};

TEST_F(LongRows, OfManyPartsAreRightAmongShortAndEmptyOnes) {
  std::vector<std::int64_t> lengths(300, 3);
  lengths[0] = 20000;
  for (const std::size_t i : {1UL, 7UL, 8UL, 298UL, 299UL}) lengths[i] = 0;
  lengths[5] = 9000;
  lengths[6] = 17000;
  lengths[100] = 700;
  lengths[297] = 19999;
  for (const std::int32_t base : {0, 1}) {
    const LongRowMatrix a(*handle_, lengths, 20000, base);
    for (const std::int64_t n : {1, 3, 8, 33, 300})
      for (const std::int32_t order : {SPK_ORDER_ROW, SPK_ORDER_COL}) expect_right(a, n, order);
  }
}

TEST_F(LongRows, AreRightWithPlansThatHaveSeenThem) {
  std::vector<std::int64_t> lengths(3000, 4);
  lengths[17] = 40;
  for (const std::int64_t longest : {40, 2000, 9000, 18000}) {
    lengths[999] = longest;
    const LongRowMatrix a(*handle_, lengths, 18000, 0);
    for (const std::int64_t n : {1, 8, 33, 130})
      for (const std::int32_t order : {SPK_ORDER_ROW, SPK_ORDER_COL}) expect_planned(a, n, order);
  }
}

// A plan that has seen short rows only asks for no workspace; shown a long one it does.
TEST_F(LongRows, AreProvidedForByPlansOnlyWhereTheyAre) {
  std::vector<std::int64_t> lengths(3000, 4);
  const LongRowMatrix even(*handle_, lengths, 18000, 0);
  lengths[2] = 0;
  lengths[999] = 8;
  lengths[1000] = 4;
  const LongRowMatrix other(*handle_, lengths, 18000, 0);
  spk_plan_t plan = nullptr;
  expect_planned(even, 32, SPK_ORDER_ROW, &plan);
  ASSERT_NE(plan, nullptr);
  std::size_t bytes = 1;
  SPK_EXPECT_OK(spk_plan_workspace(*handle_, plan, &bytes));
  EXPECT_EQ(bytes, 0U);
  char text[300] = "";
  SPK_EXPECT_OK(spk_plan_describe(plan, text, sizeof text, nullptr));
  EXPECT_NE(std::string(text).find("longest row 4"), std::string::npos) << text;
  SPK_EXPECT_OK(spk_plan_update(*handle_, plan, other.mat));
  SPK_EXPECT_OK(spk_plan_describe(plan, text, sizeof text, nullptr));
  EXPECT_NE(std::string(text).find("longest row 8"), std::string::npos) << text;
  spk_plan_destroy(plan);

  lengths[999] = 9000;
  const LongRowMatrix uneven(*handle_, lengths, 18000, 0);
  plan = nullptr;
  expect_planned(uneven, 32, SPK_ORDER_ROW, &plan);
  ASSERT_NE(plan, nullptr);
  SPK_EXPECT_OK(spk_plan_workspace(*handle_, plan, &bytes));
  EXPECT_GT(bytes, 0U);
  spk_plan_destroy(plan);
}

TEST_F(LongRows, ThatAreAllThereIsAreRight) {
  const LongRowMatrix a(*handle_, {30000}, 30000, 0);
  for (const std::int64_t n : {1, 2, 64}) expect_right(a, n, SPK_ORDER_ROW);
}

// Lengths that fall like 1 / i, also in fewer columns than rows are ever cut for.
TEST_F(LongRows, OfAPowerLawAreRight) {
  for (const std::int64_t k : {900, 5000, 18000}) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < 600; ++i) lengths.push_back(std::min(k, 40000 / (i + 1)));
    const LongRowMatrix a(*handle_, lengths, k, 0);
    for (const std::int64_t n : {1, 16, 70})
      for (const std::int32_t order : {SPK_ORDER_ROW, SPK_ORDER_COL}) expect_right(a, n, order);
  }
}

// Repeated columns make rows longer than the matrix is wide, which nobody expects.
TEST_F(LongRows, OfRepeatedColumnsAreRight) {
  std::vector<std::int64_t> lengths(700, 2);
  lengths[20] = 30000;
  lengths[699] = 5000;
  const LongRowMatrix a(*handle_, lengths, 60, 0);
  for (const std::int64_t n : {1, 5, 40})
    for (const std::int32_t order : {SPK_ORDER_ROW, SPK_ORDER_COL}) expect_right(a, n, order);
}

TEST_F(LongRows, AreSampledRight) {
  std::vector<std::int64_t> lengths(70, 3);
  lengths[0] = 6000;
  lengths[1] = 0;
  lengths[9] = 5000;
  lengths[10] = 900;
  lengths[69] = 6000;
  for (const std::int32_t base : {0, 1}) {
    LongRowMatrix c(*handle_, lengths, 6000, base);
    for (const std::int64_t k : {4, 32, 72, 128, 300}) expect_sampled(c, k);
  }
}

}  // namespace
}  // namespace spk::test
