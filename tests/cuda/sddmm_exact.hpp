// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "cuda/narrow.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// SDDMM by a kernel that forms tiles of the whole product.
namespace spk::test {

enum class RowOrder { sorted, nearly, shuffled, falling, repeated };

struct SddmmCase {
  std::int64_t m, n, k;
  int percent;
  bool column_major_a = false;  // rows of op(A) = A lie side by side
  bool row_major_b = false;     // op(B) = B by rows, else B^T, whose columns are contiguous
  bool wide_c = false;          // C in f32
  RowOrder order = RowOrder::nearly;
  bool far_indices = false;  // 64 bits, from 0
  std::int64_t batch = 1;
  bool shared_a = false;
  float alpha = 2, beta = 3;
  bool poison = false;  // NaN and infinities in A and B
  int calls = 1;        // behind each other
  bool placed = false;  // alpha and beta lie on the device
  bool wide = false;    // f32: all bits of numbers of 2^-125 to 2^60, and an error bound instead of equality
};

// Columns of row i.
inline std::vector<std::int64_t> columns_of(const SddmmCase& s, std::int64_t i, Draw& draw) {
  std::vector<std::int64_t> columns;
  const int copies = s.order == RowOrder::repeated ? 2 : 1;
  for (std::int64_t j = 0; j < s.n && i % 9 != 4; ++j)
    if (draw.chance(i % 6 == 2 ? 100 : s.percent))
      for (int copy = 0; copy < copies; ++copy) columns.push_back(j);
  if (s.order == RowOrder::nearly && i % 5 == 1 && columns.size() > 2)
    std::swap(columns.back(), columns[columns.size() - 2]);
  if (s.order == RowOrder::falling) std::reverse(columns.begin(), columns.end());
  if (s.order == RowOrder::shuffled)
    for (std::size_t t = columns.size(); t > 1; --t)
      std::swap(columns[t - 1], columns[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(t)))]);
  return columns;
}

// Runs of one kernel, asked for by id, on small integers, whose sums are exact.
class SddmmExact : public ::testing::TestWithParam<spk_value_type_t> {
 protected:
  explicit SddmmExact(spk_algorithm_t kernel) : kernel_(kernel) {}
  void SetUp() override { SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA); }

  bool is_f32() const { return GetParam() == SPK_R_32F; }

  void expect_exact(const SddmmCase& s) {
    if (s.far_indices)
      expect_exact_of<std::int64_t>(s, SPK_INDEX_64I, 0);
    else
      expect_exact_of<std::int32_t>(s, SPK_INDEX_32I, 1);
  }

  template <class Index>
  void expect_exact_of(const SddmmCase& s, spk_index_type_t index, std::int64_t base) {
    SCOPED_TRACE(std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k));
    const spk_value_type_t type = GetParam(), out = s.wide_c ? SPK_R_32F : type;
    const DeviceHandle handle;
    Draw draw(static_cast<std::uint64_t>(s.m * 7 + s.n * 5 + s.k));
    std::vector<Index> offsets{static_cast<Index>(base)}, columns;
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (const std::int64_t j : columns_of(s, i, draw)) columns.push_back(static_cast<Index>(j + base));
      offsets.push_back(static_cast<Index>(static_cast<std::int64_t>(columns.size()) + base));
    }
    const auto nnz = static_cast<std::int64_t>(columns.size());
    const std::int64_t lda = ((s.column_major_a ? s.m : s.k) + 7) / 8 * 8, lines_a = s.column_major_a ? s.k : s.m;
    const std::int64_t ldb = ((s.row_major_b ? s.n : s.k) + 7) / 8 * 8 + 8, lines_b = s.row_major_b ? s.k : s.n;
    const std::int64_t stride_a = s.shared_a ? 0 : lines_a * lda, stride_b = lines_b * ldb;
    const auto place_a = [&](std::int64_t i, std::int64_t l) { return s.column_major_a ? l * lda + i : i * lda + l; };
    const auto place_b = [&](std::int64_t l, std::int64_t j) { return s.row_major_b ? l * ldb + j : j * ldb + l; };
    const auto numbers = [&](std::int64_t count, int least, int exponents) {
      std::vector<float> list(static_cast<std::size_t>(count));
      for (float& x : list)
        x = s.wide ? std::ldexp(static_cast<float>(draw.below(1 << 24) - (1 << 23)),
                                least - 23 + static_cast<int>(draw.below(exponents)))
                   : static_cast<float>(draw.below(5) - 2);
      return list;
    };
    std::vector<float> a = numbers(s.shared_a ? lines_a * lda : stride_a * s.batch, -102, 30);
    std::vector<float> b = numbers(stride_b * s.batch, 30, 30);
    if (s.poison) {
      a[static_cast<std::size_t>(place_a(2, s.k / 2))] = std::numeric_limits<float>::infinity();
      a[static_cast<std::size_t>(place_a(s.m - 1, 0))] = std::numeric_limits<float>::quiet_NaN();
      b[static_cast<std::size_t>(place_b(s.k - 1, s.n / 2))] = -std::numeric_limits<float>::infinity();
    }
    const float old = s.beta == 0 ? std::numeric_limits<float>::quiet_NaN() : -7;
    const std::vector<float> start(static_cast<std::size_t>(nnz * s.batch), old);
    const DeviceArray<Index> offsets_there(handle, offsets), columns_there(handle, columns);
    const NarrowArray a_there(handle, a, type), b_there(handle, b, type);
    const NarrowArray c_there(handle, start, out);

    spk_dnmat_t mat_a = nullptr, mat_b = nullptr;
    spk_spmat_t mat_c = nullptr;
    SPK_EXPECT_OK(spk_dnmat_create(&mat_a, s.m, s.k, lda, a_there.data(), type,
                                   s.column_major_a ? SPK_ORDER_COL : SPK_ORDER_ROW));
    SPK_EXPECT_OK(s.row_major_b ? spk_dnmat_create(&mat_b, s.k, s.n, ldb, b_there.data(), type, SPK_ORDER_ROW)
                                : spk_dnmat_create(&mat_b, s.n, s.k, ldb, b_there.data(), type, SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_csr_create(&mat_c, s.m, s.n, nnz, offsets_there.data(), columns_there.data(), c_there.data(),
                                 index, index, base == 1 ? SPK_INDEX_BASE_ONE : SPK_INDEX_BASE_ZERO, out));
    if (s.batch > 1) {
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_a, s.batch, stride_a));
      SPK_EXPECT_OK(spk_dnmat_set_batch(mat_b, s.batch, stride_b));
      SPK_EXPECT_OK(spk_spmat_set_batch(mat_c, s.batch, 0, 0, nnz));
    }
    const DeviceArray<float> scalars(handle, {s.alpha, s.beta});
    if (s.placed) SPK_EXPECT_OK(spk_set_pointer_mode(handle, SPK_POINTER_MODE_DEVICE));
    const float *const alpha = s.placed ? scalars.data() : &s.alpha, *const beta = s.placed ? alpha + 1 : &s.beta;
    const auto run = [&] {
      c_there.write(start);
      spk_status_t status = SPK_STATUS_SUCCESS;
      for (int call = 0; call < s.calls && status == SPK_STATUS_SUCCESS; ++call)
        status = spk_sddmm(handle, SPK_OP_N, s.row_major_b ? SPK_OP_N : SPK_OP_T, alpha, mat_a, mat_b, beta, mat_c,
                           SPK_COMPUTE_32F, kernel_, nullptr, 0);
      return status;
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
        for (std::int64_t p = offsets[static_cast<std::size_t>(i)] - base;
             p < offsets[static_cast<std::size_t>(i + 1)] - base; ++p) {
          const std::int64_t j = columns[static_cast<std::size_t>(p)] - base;
          double sum = 0, size = 0;
          for (std::int64_t l = 0; l < s.k; ++l) {
            const double product = static_cast<double>(a[static_cast<std::size_t>(z * stride_a + place_a(i, l))]) *
                                   static_cast<double>(b[static_cast<std::size_t>(z * stride_b + place_b(l, j))]);
            sum += product;
            size += std::abs(product);
          }
          double exact = static_cast<double>(old);
          for (int call = 0; call < s.calls; ++call)
            exact = (s.alpha == 0 ? 0 : static_cast<double>(s.alpha) * sum) +
                    (s.beta == 0 ? 0 : static_cast<double>(s.beta) * exact);
          auto want = static_cast<float>(exact);
          if (!s.wide_c && !is_f32()) want = rounded(want, type);
          const float got = c[static_cast<std::size_t>(z * nnz + p)];
          const double bound = s.wide ? std::ldexp(static_cast<double>(s.k + 3) * size * std::abs(s.alpha), -24) : 0;
          ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want || std::abs(got - exact) <= bound)
              << "matrix " << z << ", (" << i << ", " << j << ") = " << got << ", not " << want;
          ASSERT_TRUE(std::isnan(want) || again[static_cast<std::size_t>(z * nnz + p)] == got) << "another result";
        }
  }

 private:
  spk_algorithm_t kernel_;
};

inline std::string name_of_type(const ::testing::TestParamInfo<spk_value_type_t>& instance) {
  return instance.param == SPK_R_16F ? "f16" : instance.param == SPK_R_16BF ? "bf16" : "f32";
}

}  // namespace spk::test
