// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "cases/cuda_driver.hpp"
#include "cuda/narrow.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// The SpMM kernels that make a dense copy of op(A) (spmm_dense_copy_*), or of 16 of its rows in shared memory
// (spmm_row_tile_*), asked for by id, on small integers, whose sums are exact, in every order of B and C.
namespace spk::test {
namespace {

struct Kernel {
  const char* name;
  spk_algorithm_t id;
  spk_value_type_t type;
  spk_compute_type_t compute = SPK_COMPUTE_32F;
  std::int64_t most_columns = 98304;  // of op(A); 0: any number
};

struct Case {
  std::int64_t m, n, k;
  int percent;
  bool turned_b = false;  // op(B) = B^T
  spk_order_t order_b = SPK_ORDER_ROW, order_c = SPK_ORDER_ROW;
  bool wide_c = false;  // C in f32
  std::int64_t batch = 1;
  bool shared_a = true, shared_b = false;
  float beta = 3;
  bool disorder = false, poison = false;  // rows out of order or with repeated columns; not finite numbers in B
};

class DenseCopy : public ::testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }

  static std::size_t at(const spk_order_t order, std::int64_t ld, std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(order == SPK_ORDER_ROW ? i * ld + j : j * ld + i);
  }

  void expect_exact(const Case& s) {
    const Kernel& kernel = GetParam();
    const DeviceHandle handle;
    Draw draw(static_cast<std::uint64_t>(s.m * 7 + s.n * 5 + s.k));
    std::vector<std::int32_t> offsets{1}, columns;
    for (std::int64_t i = 0; i < s.m; ++i) {
      const auto first = static_cast<std::size_t>(offsets.back() - 1);
      for (std::int64_t j = 0; j < s.k && i % 9 != 4; ++j)
        if (draw.chance(i % 6 == 2 && s.k < 1000 ? 100 : s.percent))
          columns.push_back(static_cast<std::int32_t>(j + 1));
      if (s.disorder && columns.size() > first + 2 && i % 5 == 1) std::swap(columns[first], columns.back());
      if (s.disorder && columns.size() > first + 2 && i % 5 == 3) columns[first + 1] = columns[first];
      offsets.push_back(static_cast<std::int32_t>(columns.size() + 1));
    }
    if (columns.empty()) columns.push_back(1), offsets.back() = 2;
    const auto nnz = static_cast<std::int64_t>(columns.size());
    const std::int64_t rows_b = s.turned_b ? s.n : s.k, cols_b = s.turned_b ? s.k : s.n;
    const std::int64_t ldb = ((s.order_b == SPK_ORDER_ROW ? cols_b : rows_b) + 7) / 8 * 8 + 8;
    const std::int64_t lines_b = s.order_b == SPK_ORDER_ROW ? rows_b : cols_b, stride_b = lines_b * ldb;
    // Some leading dimensions allow wide stores, some do not.
    const std::int64_t ldc = (s.order_c == SPK_ORDER_ROW ? s.n : s.m) + (s.m % 2 == 0 ? (8 - s.n % 8) % 8 : 3);
    const std::int64_t lines_c = s.order_c == SPK_ORDER_ROW ? s.m : s.n, stride_c = lines_c * ldc;
    const std::int64_t stride_a = s.shared_a ? 0 : (nnz + 7) / 8 * 8;
    const auto integers = [&](std::int64_t count, int most) {
      std::vector<float> list(static_cast<std::size_t>(count));
      for (float& x : list) x = static_cast<float>(draw.below(2 * most + 1) - most);
      return list;
    };
    const std::vector<float> values = integers(s.shared_a ? nnz : stride_a * s.batch, 2);
    std::vector<float> b = integers(stride_b * (s.shared_b ? 1 : s.batch), 3);
    const auto place_in_b = [&](std::int64_t i, std::int64_t j) {
      return s.turned_b ? at(s.order_b, ldb, j, i) : at(s.order_b, ldb, i, j);
    };
    if (s.poison) {
      b[place_in_b(s.k / 2, 0)] = std::numeric_limits<float>::infinity();
      b[place_in_b(s.k / 3, s.n - 1)] = std::numeric_limits<float>::quiet_NaN();
    }
    const float old = s.beta == 0 ? std::numeric_limits<float>::quiet_NaN() : -7;
    const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
    const NarrowArray values_there(handle, values, kernel.type), b_there(handle, b, kernel.type);
    const NarrowArray c_there(handle, std::vector<float>(static_cast<std::size_t>(stride_c * s.batch), old),
                              s.wide_c ? SPK_R_32F : kernel.type);

    spk_spmat_t mat_a = nullptr;
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_EXPECT_OK(spk_csr_create(&mat_a, s.m, s.k, nnz, offsets_there.data(), columns_there.data(), values_there.data(),
                                 SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ONE, kernel.type));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b, rows_b, cols_b, ldb, b_there.data(), kernel.type, s.order_b));
    SPK_EXPECT_OK(
        spk_dnmat_create(&mat_c, s.m, s.n, ldc, c_there.data(), s.wide_c ? SPK_R_32F : kernel.type, s.order_c));
    if (s.batch > 1) {
      SPK_EXPECT_OK(spk_spmat_set_batch(mat_a, s.batch, 0, 0, stride_a));
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_b, s.batch, s.shared_b ? 0 : stride_b));
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_c, s.batch, stride_c));
    }
    const float alpha = 2;
    std::vector<float> c, first;
    spk_status_t status = SPK_STATUS_SUCCESS;
    for (int turn = 0; turn < 2 && status == SPK_STATUS_SUCCESS; ++turn) {
      c_there.write(std::vector<float>(static_cast<std::size_t>(stride_c * s.batch), old));
      status = spk_spmm(handle, SPK_OP_N, s.turned_b ? SPK_OP_T : SPK_OP_N, &alpha, mat_a, mat_b, &s.beta, mat_c,
                        kernel.compute, kernel.id, nullptr, 0);
      c = c_there.read();
      if (turn == 0) first = c;
    }
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
    if (lacks_kernel(status, message(handle))) GTEST_SKIP() << message(handle);
    SPK_ASSERT_OK(status);
    EXPECT_EQ(std::memcmp(c.data(), first.data(), c.size() * sizeof(float)), 0) << "bits differ from run to run";

    // op(B) by rows, so that the loop below is quick.
    std::vector<float> rows_of_b(static_cast<std::size_t>(s.k * s.n)), sums(static_cast<std::size_t>(s.n));
    for (std::int64_t z = 0; z < s.batch; ++z) {
      const std::int64_t a_from = z * stride_a, b_from = s.shared_b ? 0 : z * stride_b;
      for (std::int64_t i = 0; i < s.k; ++i)
        for (std::int64_t j = 0; j < s.n; ++j)
          rows_of_b[static_cast<std::size_t>(i * s.n + j)] = b[static_cast<std::size_t>(b_from) + place_in_b(i, j)];
      for (std::int64_t i = 0; i < s.m; ++i) {
        std::fill(sums.begin(), sums.end(), 0.0f);  // integers below 2^24
        for (std::int64_t p = offsets[static_cast<std::size_t>(i)] - 1;
             p + 1 < offsets[static_cast<std::size_t>(i + 1)]; ++p) {
          const float x = values[static_cast<std::size_t>(a_from + p)];
          const float* row = rows_of_b.data() + (columns[static_cast<std::size_t>(p)] - 1) * s.n;
          for (std::int64_t j = 0; j < s.n; ++j) sums[static_cast<std::size_t>(j)] += x * row[j];
        }
        for (std::int64_t j = 0; j < s.n; ++j) {
          float want = 2 * sums[static_cast<std::size_t>(j)];
          if (s.beta != 0) want += s.beta * old;
          if (!s.wide_c) want = rounded(want, kernel.type);
          const float got = c[static_cast<std::size_t>(z * stride_c) + at(s.order_c, ldc, i, j)];
          if (std::isnan(want) ? !std::isnan(got) : got != want) {
            ADD_FAILURE() << s.m << " x " << s.n << " x " << s.k << ", orders " << s.order_b << s.turned_b << s.order_c
                          << ", matrix " << z << ": C(" << i << ", " << j << ") = " << got << ", not " << want;
            return;
          }
        }
      }
    }
    const std::int64_t line = s.order_c == SPK_ORDER_ROW ? s.n : s.m;
    for (std::int64_t i = 0; i < lines_c * s.batch; ++i)
      for (std::int64_t j = line; j < ldc; ++j) {
        const float got = c[static_cast<std::size_t>(i * ldc + j)];
        ASSERT_TRUE(std::isnan(old) ? std::isnan(got) : got == old) << "padding was written to";
      }
  }

  void expect_replays(bool keeps_values);

  // In every order of B and C, in both types of C.
  void expect_exact_in_all_orders(Case s) {
    for (int bits = 0; bits < 16; ++bits) {
      s.turned_b = (bits & 1) != 0;
      s.order_b = (bits & 2) != 0 ? SPK_ORDER_COL : SPK_ORDER_ROW;
      s.order_c = (bits & 4) != 0 ? SPK_ORDER_COL : SPK_ORDER_ROW;
      s.wide_c = (bits & 8) != 0;
      s.beta = bits % 3 == 0 ? 3.0f : 0.0f;
      expect_exact(s);
      if (IsSkipped() || HasFailure()) return;
    }
  }
};

constexpr std::int64_t kShapes[][4] = {
    {1, 8, 1, 50},     {63, 5, 64, 50},      {64, 64, 65, 30},   {65, 130, 300, 20}, {130, 40, 2305, 5},
    {7, 257, 700, 40}, {300, 520, 130, 10},  {513, 33, 1000, 2}, {40, 8, 9000, 3},   {128, 256, 512, 70},
    {1, 1, 20000, 1},  {1100, 1030, 200, 5}, {50, 32, 4100, 10}, {600, 8, 300, 50},  {35, 12, 2500, 60}};

TEST_P(DenseCopy, SumsAreExactInAllOrders) {
  for (const auto& s : kShapes) expect_exact_in_all_orders({s[0], s[1], s[2], static_cast<int>(s[3])});
}

// More tiles than blocks, of every size.
TEST_P(DenseCopy, SumsOfManyTilesAreExact) {
  for (const spk_order_t order : {SPK_ORDER_ROW, SPK_ORDER_COL})
    for (const bool wide : {false, true}) {
      Case s{4100, 2090, 70, 20};
      s.order_c = order;
      s.wide_c = wide;
      s.beta = 0;
      expect_exact(s);
      Case small{520, 70, 130, 20};
      small.order_c = order;
      small.wide_c = wide;
      small.batch = 40;
      expect_exact(small);
    }
}

// Sizes for which the 16-bit kernels take tiles of 64 x 64 and 64 x 128 in 1, 2, 4 and 8 slices of k, 128 x 128 and
// 128 x 256, with one tile for each block and with more.
TEST_P(DenseCopy, TilesOfEverySizeAreExact) {
  constexpr std::int64_t kSizes[][4] = {{130, 500, 700, 10},  {300, 500, 1100, 4},  {70, 500, 1500, 5},
                                        {70, 200, 3000, 4},   {450, 2000, 1100, 1}, {1000, 1100, 530, 2},
                                        {1500, 1490, 150, 5}, {2100, 1000, 700, 1}};
  for (const auto& s : kSizes)
    for (int bits = 0; bits < 8; ++bits) {
      Case c{s[0], s[1], s[2], static_cast<int>(s[3])};
      c.turned_b = (bits & 1) != 0;
      c.order_c = (bits & 2) != 0 ? SPK_ORDER_COL : SPK_ORDER_ROW;
      c.wide_c = (bits & 4) != 0;
      c.beta = bits % 3 == 1 ? 3.0f : 0.0f;
      c.disorder = c.poison = bits % 3 != 0;
      expect_exact(c);
      if (IsSkipped() || HasFailure()) return;
    }
}

TEST_P(DenseCopy, ColumnsMayRepeatAndBeOutOfOrder) {
  for (const auto& s : kShapes) {
    Case c{s[0], s[1], s[2], static_cast<int>(s[3])};
    c.disorder = true;
    expect_exact_in_all_orders(c);
  }
}

TEST_P(DenseCopy, WhatIsNotStoredNeverMeetsInfinity) {
  for (const auto& s : kShapes) {
    Case c{s[0], s[1], s[2], static_cast<int>(s[3])};
    c.poison = true;
    expect_exact_in_all_orders(c);
  }
}

TEST_P(DenseCopy, MatricesOfABatchAreTheirOwn) {
  for (const bool shared_a : {false, true})
    for (const bool shared_b : {false, true}) {
      Case c{70, 90, 150, 20};
      c.batch = 3;
      c.shared_a = shared_a;
      c.shared_b = shared_b;
      expect_exact_in_all_orders(c);
    }
}

// Asked for by id: an answer with the reason, not another kernel.
TEST_P(DenseCopy, SaysWhatItDoesNotTake) {
  const Kernel& kernel = GetParam();
  const DeviceHandle handle;
  const auto answer = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t ldb) {
    const DeviceArray<std::int32_t> offsets(handle, [&] {
      std::vector<std::int32_t> list(static_cast<std::size_t>(m + 1), 1);
      list[0] = 0;
      return list;
    }());
    const DeviceArray<std::int32_t> columns(handle, std::vector<std::int32_t>(4, 0));
    const NarrowArray values(handle, std::vector<float>(4, 1), kernel.type);
    const NarrowArray b(handle, std::vector<float>(static_cast<std::size_t>(k * ldb), 1), kernel.type);
    const NarrowArray c(handle, std::vector<float>(static_cast<std::size_t>(m * n), -7), SPK_R_32F);
    spk_spmat_t mat_a = nullptr;
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_EXPECT_OK(spk_csr_create(&mat_a, m, k, 1, offsets.data(), columns.data(), values.data(), SPK_INDEX_32I,
                                 SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, kernel.type));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b, k, n, ldb, b.data(), kernel.type, SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_c, m, n, n, c.data(), SPK_R_32F, SPK_ORDER_ROW));
    const float one = 1, zero = 0;
    const spk_status_t status =
        spk_spmm(handle, SPK_OP_N, SPK_OP_N, &one, mat_a, mat_b, &zero, mat_c, kernel.compute, kernel.id, nullptr, 0);
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
    if (status == SPK_STATUS_SUCCESS) return c.read().front() == 1 ? std::string() : std::string("a wrong result");
    return (status == SPK_STATUS_NOT_SUPPORTED ? "" : "other status: ") + message(handle);
  };
  const std::string text = answer(3, 8, 16, 8);
  if (lacks_kernel(SPK_STATUS_NOT_SUPPORTED, text)) GTEST_SKIP() << text;
  EXPECT_EQ(text, "");
  EXPECT_NE(answer(3, 5, 16, 5).find("lines of B are not aligned"), std::string::npos);
  if (kernel.most_columns == 0) return;
  EXPECT_EQ(answer(3, 5, kernel.most_columns, 8), "");
  EXPECT_NE(
      answer(3, 5, kernel.most_columns + 1, 8).find("more than " + std::to_string(kernel.most_columns) + " columns"),
      std::string::npos);
  EXPECT_NE(answer(1200000, 1, 1024, 8).find("more than 2 GiB"), std::string::npos);
}

// The copy's kernel, or where a plan has the copy the product's, may be behind anything in a graph: a copy of memory, another
// product, itself.
void DenseCopy::expect_replays(bool keeps_values) {
  const Kernel& kernel = GetParam();
  const DeviceHandle handle;
  const cases::CudaDriver* driver = cases::CudaDriver::find();
  if (driver == nullptr) GTEST_SKIP() << "the device has no CUDA driver";
  constexpr std::int64_t kRows = 200, kInner = 320, kWidth = 64, kItems = kInner * kWidth;
  std::vector<std::int32_t> offsets{0}, columns;
  std::vector<float> values;
  Draw draw(5);
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kInner; ++j)
      if (draw.chance(5))
        columns.push_back(static_cast<std::int32_t>(j)), values.push_back(static_cast<float>(draw.below(3)));
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const DeviceArray<std::int32_t> offsets_there(handle, offsets), columns_there(handle, columns);
  const NarrowArray values_there(handle, values, kernel.type);
  const NarrowArray b_there(handle, std::vector<float>(kItems, 0), kernel.type);
  const NarrowArray c_there(handle, std::vector<float>(kRows * kWidth, 0), SPK_R_32F);
  spk_spmat_t mat_a = nullptr;
  spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
  SPK_EXPECT_OK(spk_csr_create(&mat_a, kRows, kInner, static_cast<std::int64_t>(columns.size()), offsets_there.data(),
                               columns_there.data(), values_there.data(), SPK_INDEX_32I, SPK_INDEX_32I,
                               SPK_INDEX_BASE_ZERO, kernel.type));
  SPK_EXPECT_OK(spk_dnmat_create(&mat_b, kInner, kWidth, kWidth, b_there.data(), kernel.type, SPK_ORDER_ROW));
  SPK_EXPECT_OK(spk_dnmat_create(&mat_c, kRows, kWidth, kWidth, c_there.data(), SPK_R_32F, SPK_ORDER_ROW));
  std::size_t bytes = 0;
  const float one = 1, zero = 0;
  const spk_status_t status =
      spk_spmm_workspace(handle, SPK_OP_N, SPK_OP_N, mat_a, mat_b, mat_c, kernel.compute, kernel.id, &bytes);
  if (lacks_kernel(status, message(handle))) {
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
    GTEST_SKIP() << message(handle);
  }
  SPK_ASSERT_OK(status);
  spk_plan_t plan = nullptr;
  if (keeps_values) {
    SPK_ASSERT_OK(spk_spmm_plan_create(&plan, handle, SPK_OP_N, SPK_OP_N, mat_a, mat_b, mat_c, kernel.compute,
                                       kernel.id, nullptr));
    SPK_ASSERT_OK(spk_plan_keep_values(handle, plan, mat_a));
    SPK_ASSERT_OK(spk_plan_workspace(handle, plan, &bytes));
  }
  const DeviceArray<std::uint8_t> workspace(handle, std::vector<std::uint8_t>(bytes + 1));
  const std::size_t sent_bytes = kItems * (kernel.type == SPK_R_32F ? 4 : 2);
  void* const sent = driver->allocate_host(sent_bytes);
  void* const stream = driver->create_stream();
  SPK_ASSERT_OK(spk_set_stream(handle, stream));
  const auto queue = [&](const float* beta) {
    SPK_EXPECT_OK(plan != nullptr ? spk_spmm_execute(handle, plan, &one, mat_a, mat_b, beta, mat_c, nullptr,
                                                     workspace.data(), bytes)
                                  : spk_spmm(handle, SPK_OP_N, SPK_OP_N, &one, mat_a, mat_b, beta, mat_c,
                                             kernel.compute, kernel.id, workspace.data(), bytes));
  };
  driver->begin_capture(stream);
  driver->copy(b_there.data(), sent, sent_bytes, stream);
  queue(&zero);
  queue(&one);
  queue(&one);
  void* const graph = driver->end_capture(stream);
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<float> b(kItems);
    for (float& x : b) x = static_cast<float>(draw.below(7) - 3);
    if (kernel.type == SPK_R_32F)
      std::memcpy(sent, b.data(), sent_bytes);
    else
      for (std::size_t i = 0; i < b.size(); ++i) static_cast<std::uint16_t*>(sent)[i] = narrow(b[i], kernel.type);
    driver->launch(graph, stream);
    driver->wait(stream);
    const std::vector<float> c = c_there.read();
    for (std::int64_t i = 0; i < kRows; ++i)
      for (std::int64_t j = 0; j < kWidth; ++j) {
        float want = 0;
        for (std::int32_t p = offsets[static_cast<std::size_t>(i)]; p < offsets[static_cast<std::size_t>(i + 1)]; ++p)
          want += 3 * values[static_cast<std::size_t>(p)] *
                  b[static_cast<std::size_t>(columns[static_cast<std::size_t>(p)] * kWidth + j)];
        ASSERT_EQ(c[static_cast<std::size_t>(i * kWidth + j)], want) << "turn " << turn << ", " << i << ", " << j;
      }
  }
  driver->destroy_graph(graph);
  SPK_EXPECT_OK(spk_set_stream(handle, nullptr));
  driver->destroy_stream(stream);
  driver->free_host(sent);
  spk_plan_destroy(plan);
  spk_spmat_destroy(mat_a);
  spk_dnmat_destroy(mat_b);
  spk_dnmat_destroy(mat_c);
}
TEST_P(DenseCopy, ReplaysBehindOtherWork) { expect_replays(false); }
TEST_P(DenseCopy, ReplaysOfPlansThatKeepValuesBehindOtherWork) { expect_replays(true); }

INSTANTIATE_TEST_SUITE_P(All, DenseCopy,
                         ::testing::Values(Kernel{"f16", 592, SPK_R_16F}, Kernel{"bf16", 593, SPK_R_16BF},
                                           Kernel{"split_tf32", 594, SPK_R_32F, SPK_COMPUTE_32F, 49152},
                                           Kernel{"tf32", 595, SPK_R_32F, SPK_COMPUTE_TF32, 49152},
                                           Kernel{"row_tile_f16", 632, SPK_R_16F, SPK_COMPUTE_32F, 0},
                                           Kernel{"row_tile_bf16", 633, SPK_R_16BF, SPK_COMPUTE_32F, 0}),
                         [](const ::testing::TestParamInfo<Kernel>& kernel) { return std::string(kernel.param.name); });

}  // namespace
}  // namespace spk::test
