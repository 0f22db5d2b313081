// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "cases/cuda_driver.hpp"
#include "cuda/narrow.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// The kernels for few columns (spmm_dot_*, spmm_nnz_dot_*) for every type of number and index, on small integers, whose sums
// are exact: rows of very different lengths, around the lengths at which a row is left to a warp, a block or several
// blocks.
namespace spk::test {
namespace {

using Number = std::complex<double>;

struct Type {
  const char* name;
  int number;  // of the type in the kernels' ids
  spk_value_type_t value;
  spk_compute_type_t compute;
  bool is_complex, is_wide;
};

struct Matrix {
  std::vector<std::int64_t> lengths;
  std::int64_t k;
};

std::vector<Matrix> matrices() {
  std::vector<Matrix> list;
  std::vector<std::int64_t> mixed(20001, 0);
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = static_cast<std::int64_t>(i % 9);
  std::size_t at = 300;
  for (const std::int64_t length :
       {5000, 3000, 511, 512, 513, 1024, 1025, 2047, 2048, 2049, 4096, 4097, 129, 128, 65, 64})
    mixed[at++] = length;
  mixed[0] = 9000;
  mixed[7777] = 9000;
  mixed[20000] = 6000;
  mixed[19999] = 600;
  list.push_back({mixed, 9000});
  for (std::int64_t& length : mixed) length = std::min<std::int64_t>(length, 40);
  list.push_back({mixed, 9000});
  std::vector<std::int64_t> last(40, 0);
  last.back() = 9000;
  list.push_back({last, 9000});
  list.push_back({{9000}, 9000});
  list.push_back({{0, 1, 0, 0}, 3});
  list.push_back({std::vector<std::int64_t>(513, 33), 100});
  return list;
}

class FewColumns : public ::testing::TestWithParam<Type> {
 protected:
  void SetUp() override {
    SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
    handle_ = std::make_unique<DeviceHandle>();
    SPK_ASSERT_OK(handle_->status());
    if (cases::CudaDriver::find() == nullptr) GTEST_SKIP() << "a stand-in has other kernels";
  }

  std::vector<std::uint8_t> bytes_of(const std::vector<Number>& numbers) const {
    std::vector<std::uint8_t> bytes;
    const auto put = [&](const auto& x) {
      const auto* first = reinterpret_cast<const std::uint8_t*>(&x);
      bytes.insert(bytes.end(), first, first + sizeof x);
    };
    for (const Number& x : numbers)
      for (const double part : {x.real(), x.imag()}) {
        if (GetParam().value == SPK_R_16F || GetParam().value == SPK_R_16BF)
          put(narrow(static_cast<float>(part), GetParam().value));
        else if (GetParam().is_wide)
          put(part);
        else
          put(static_cast<float>(part));
        if (!GetParam().is_complex) break;
      }
    return bytes;
  }
  // alpha and beta.
  std::vector<std::uint8_t> scalar(double x) const {
    std::vector<std::uint8_t> bytes(16, 0);
    const auto narrowed = static_cast<float>(x);
    std::memcpy(bytes.data(), GetParam().is_wide ? static_cast<const void*>(&x) : &narrowed,
                GetParam().is_wide ? sizeof x : sizeof narrowed);
    return bytes;
  }

  std::vector<Number> integers(Draw& draw, std::size_t count, bool sparse) const {
    std::vector<Number> list(count);
    const auto part = [&] { return sparse && !draw.chance(12) ? 0.0 : draw.chance(50) ? 1.0 : -1.0; };
    for (Number& x : list) {
      x = part();
      if (GetParam().is_complex && draw.chance(50)) x = {0, x.real()};
    }
    return list;
  }

  // C = 2 A B + beta C, with beta = -1, or 0 where C is NaN; B is Inf where A stores nothing.
  template <class Index>
  void expect_exact(const Matrix& matrix, std::int64_t n, Index base, bool keeps_c) {
    SCOPED_TRACE("m " + std::to_string(matrix.lengths.size()) + ", n " + std::to_string(n) + ", index " +
                 std::to_string(sizeof(Index)));
    const Type& type = GetParam();
    const auto m = static_cast<std::int64_t>(matrix.lengths.size());
    Draw draw(static_cast<std::uint64_t>(m + n));
    // Even columns only, in falling order in every fifth row; some twice.
    std::vector<Index> offsets{base}, columns;
    for (std::int64_t i = 0; i < m; ++i) {
      const std::int64_t length = matrix.lengths[static_cast<std::size_t>(i)];
      for (std::int64_t e = 0; e < length; ++e) {
        const std::int64_t column = (i % 5 == 1 ? length - 1 - e : e) * matrix.k / length;
        columns.push_back(static_cast<Index>(column - column % 2 + base));
      }
      offsets.push_back(static_cast<Index>(columns.size()) + base);
    }
    const std::vector<Number> values = integers(draw, columns.size(), true);
    std::vector<Number> b = integers(draw, static_cast<std::size_t>(matrix.k * n), false);
    for (std::int64_t i = 1; i < matrix.k; i += 2)
      for (std::int64_t j = 0; j < n; ++j)
        b[static_cast<std::size_t>(i * n + j)] =
            i % 4 == 1 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    std::vector<Number> c = integers(draw, static_cast<std::size_t>(m * n), false), want(c.size());
    for (Number& x : c) x = keeps_c ? 2.0 * x : std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        Number sum = 0;
        for (Index e = offsets[static_cast<std::size_t>(i)] - base; e < offsets[static_cast<std::size_t>(i + 1)] - base;
             ++e)
          sum += values[static_cast<std::size_t>(e)] *
                 b[static_cast<std::size_t>((columns[static_cast<std::size_t>(e)] - base) * n + j)];
        const auto at = static_cast<std::size_t>(i * n + j);
        want[at] = keeps_c ? 2.0 * sum - c[at] : 2.0 * sum;
      }
    const std::vector<std::uint8_t> start = bytes_of(c), right = bytes_of(want);

    const DeviceArray<Index> offsets_there(*handle_, offsets), columns_there(*handle_, columns);
    const DeviceArray<std::uint8_t> values_there(*handle_, bytes_of(values)), b_there(*handle_, bytes_of(b));
    DeviceArray<std::uint8_t> c_there(*handle_, start);
    const spk_index_type_t index = sizeof(Index) == 4 ? SPK_INDEX_32I : SPK_INDEX_64I;
    spk_spmat_t mat_a = nullptr;
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_ASSERT_OK(spk_csr_create(&mat_a, m, matrix.k, static_cast<std::int64_t>(columns.size()), offsets_there.data(),
                                 columns_there.data(), values_there.data(), index, index,
                                 base == 0 ? SPK_INDEX_BASE_ZERO : SPK_INDEX_BASE_ONE, type.value));
    SPK_ASSERT_OK(spk_dnmat_create(&mat_b, matrix.k, n, n, b_there.data(), type.value, SPK_ORDER_ROW));
    SPK_ASSERT_OK(spk_dnmat_create(&mat_c, m, n, n, c_there.data(), type.value, SPK_ORDER_ROW));
    const std::vector<std::uint8_t> alpha = scalar(2), beta = scalar(keeps_c ? -1 : 0);
    const auto expect_c = [&](const std::string& what) {
      const std::vector<std::uint8_t> got = c_there.read();
      const std::size_t size = start.size() / c.size();
      for (std::size_t i = 0; i < c.size(); ++i) {
        bool same = true;
        for (std::size_t byte = i * size; byte < (i + 1) * size; ++byte) same &= got[byte] == right[byte];
        // Zeros may have another sign.
        const std::uint8_t zero = static_cast<std::uint8_t>(0x80);
        if (!same && want[i] == Number(0)) {
          same = true;
          for (std::size_t byte = i * size; byte < (i + 1) * size; ++byte) same &= (got[byte] & ~zero) == 0;
        }
        if (same) continue;
        ADD_FAILURE() << what << ": element " << i << " is not " << want[i];
        return;
      }
    };
    for (const spk_algorithm_t kernel : {0, 528 + type.number, 560 + type.number}) {
      const std::string name = "kernel " + std::to_string(kernel);
      c_there.write(start);
      SPK_EXPECT_OK(spk_spmm(*handle_, SPK_OP_N, SPK_OP_N, alpha.data(), mat_a, mat_b, beta.data(), mat_c, type.compute,
                             kernel, nullptr, 0));
      expect_c(name);
      spk_plan_t plan = nullptr;
      SPK_ASSERT_OK(spk_spmm_plan_create(&plan, *handle_, SPK_OP_N, SPK_OP_N, mat_a, mat_b, mat_c, type.compute, kernel,
                                         nullptr));
      c_there.write(start);
      SPK_EXPECT_OK(
          spk_spmm_execute(*handle_, plan, alpha.data(), mat_a, mat_b, beta.data(), mat_c, nullptr, nullptr, 0));
      expect_c(name + " of a plan");
      spk_plan_destroy(plan);
    }
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
  }

  std::unique_ptr<DeviceHandle> handle_;
};

TEST_P(FewColumns, SumsOfOneAreExact) {
  for (const Matrix& matrix : matrices()) {
    expect_exact<std::int32_t>(matrix, 1, 0, false);
    expect_exact<std::int32_t>(matrix, 1, 1, true);
    expect_exact<std::int64_t>(matrix, 1, 1, true);
  }
}

TEST_P(FewColumns, SumsOfSeveralAreExact) {
  for (const Matrix& matrix : matrices())
    for (const std::int64_t n : {3, 8}) expect_exact<std::int32_t>(matrix, n, 1, n == 3);
}

INSTANTIATE_TEST_SUITE_P(All, FewColumns,
                         ::testing::Values(Type{"f32", 0, SPK_R_32F, SPK_COMPUTE_32F, false, false},
                                           Type{"f64", 1, SPK_R_64F, SPK_COMPUTE_64F, false, true},
                                           Type{"f16", 2, SPK_R_16F, SPK_COMPUTE_32F, false, false},
                                           Type{"bf16", 3, SPK_R_16BF, SPK_COMPUTE_32F, false, false},
                                           Type{"c64", 4, SPK_C_32F, SPK_COMPUTE_C_32F, true, false},
                                           Type{"c128", 5, SPK_C_64F, SPK_COMPUTE_C_64F, true, true}),
                         [](const ::testing::TestParamInfo<Type>& type) { return std::string(type.param.name); });

}  // namespace
}  // namespace spk::test
