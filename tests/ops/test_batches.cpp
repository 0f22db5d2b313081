// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cuda/problem.hpp"
#include "support/backends.hpp"
#include "support/kernel_ids.hpp"

// Batches whose matrices have rows of other lengths each, on every kernel, asked for by id, judged by the shadow check.
namespace spk::test {
namespace {

constexpr std::int64_t kRows = 70, kCols = 40, kBatch = 3;

// The bits of 1, 2, -1 and 3.
template <class T>
std::vector<T> small_numbers(spk_value_type_t type) {
  if constexpr (sizeof(T) == 2)
    return type == SPK_R_16F ? std::vector<T>{0x3c00, 0x4000, 0xbc00, 0x4200}
                             : std::vector<T>{0x3f80, 0x4000, 0xbf80, 0x4040};
  else
    return {1, 2, -1, 3};
}

template <class T>
std::vector<T> draw_numbers(Draw& draw, spk_value_type_t type, std::int64_t count) {
  const std::vector<T> from = small_numbers<T>(type);
  std::vector<T> list(static_cast<std::size_t>(count));
  for (T& x : list) x = from[static_cast<std::size_t>(draw.below(4))];
  return list;
}

// A batch of CSR with own structures, the same number of entries in each.
struct Structure {
  std::vector<std::int32_t> offsets, columns;
  std::int64_t nnz = 0;

  explicit Structure(Draw& draw) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < kRows; ++i) lengths.push_back(i % 9 == 2 ? 0 : draw.below(i % 8 == 3 ? kCols : 6));
    for (std::int64_t z = 0; z < kBatch; ++z) {
      std::int32_t sum = 0;
      offsets.push_back(0);
      for (const std::int64_t length : lengths) {
        const std::int64_t first = draw.below(kCols - length + 1);
        for (std::int64_t j = 0; j < length; ++j) columns.push_back(static_cast<std::int32_t>(first + j));
        offsets.push_back(sum += static_cast<std::int32_t>(length));
      }
      nnz = sum;
      std::rotate(lengths.begin(), lengths.begin() + 11, lengths.end());
    }
  }
};

struct BackendHandle {
  cases::Handle handle;
  explicit BackendHandle(spk_backend_t backend) {
    SPK_EXPECT_OK(static_cast<spk_status_t>(cases::create_handle(handle, backend, 2).status));
    SPK_EXPECT_OK(spk_set_check(handle.get(), 1));
  }
  operator spk_handle_t() const { return handle.get(); }
};

class Batches : public ::testing::TestWithParam<spk_value_type_t> {
 protected:
  spk_backend_t backend = SPK_BACKEND_CPU;

  // alpha and beta.
  const void* one() const {
    static const float narrow = 1;
    static const double wide = 1;
    return is_wide() ? static_cast<const void*>(&wide) : &narrow;
  }
  spk_compute_type_t compute() const { return is_wide() ? SPK_COMPUTE_64F : SPK_COMPUTE_32F; }
  static bool is_wide() { return GetParam() == SPK_R_64F; }

  template <class T>
  void multiply(spk_operation_t op_a, spk_order_t order, std::int64_t n, int* taken) {
    const BackendHandle handle(backend);
    Draw draw(static_cast<std::uint64_t>(n + 7 * op_a));
    const Structure structure(draw);
    const std::int64_t m = op_a == SPK_OP_N ? kRows : kCols, k = kRows + kCols - m;
    const DeviceArray<std::int32_t> offsets(handle, structure.offsets), columns(handle, structure.columns);
    const DeviceArray<T> values(handle, draw_numbers<T>(draw, GetParam(), structure.nnz * kBatch));
    const DeviceArray<T> b(handle, draw_numbers<T>(draw, GetParam(), k * n * kBatch));
    const DeviceArray<T> c(handle, draw_numbers<T>(draw, GetParam(), m * n * kBatch));
    spk_spmat_t mat_a = nullptr;
    spk_dnmat_t mat_b = nullptr, mat_c = nullptr;
    SPK_EXPECT_OK(spk_csr_create(&mat_a, kRows, kCols, structure.nnz, offsets.data(), columns.data(), values.data(),
                                 SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, GetParam()));
    SPK_EXPECT_OK(spk_spmat_set_batch(mat_a, kBatch, kRows + 1, structure.nnz, structure.nnz));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b, k, n, order == SPK_ORDER_ROW ? n : k, b.data(), GetParam(), order));
    SPK_EXPECT_OK(spk_dnmat_set_batch(mat_b, kBatch, k * n));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_c, m, n, order == SPK_ORDER_ROW ? n : m, c.data(), GetParam(), order));
    SPK_EXPECT_OK(spk_dnmat_set_batch(mat_c, kBatch, m * n));
    for (spk_algorithm_t kernel = kFirstKernel; kernel < kMostKernels; ++kernel) {
      const spk_status_t status =
          spk_spmm(handle, op_a, SPK_OP_N, one(), mat_a, mat_b, one(), mat_c, compute(), kernel, nullptr, 0);
      if (status == SPK_STATUS_NOT_SUPPORTED) continue;
      EXPECT_EQ(status, SPK_STATUS_SUCCESS) << "kernel " << kernel << ": " << message(handle);
      ++*taken;
    }
    spk_plan_t plan = nullptr;
    SPK_EXPECT_OK(
        spk_spmm_plan_create(&plan, handle, op_a, SPK_OP_N, mat_a, mat_b, mat_c, compute(), SPK_ALG_DEFAULT, nullptr));
    SPK_EXPECT_OK(spk_spmm_execute(handle, plan, one(), mat_a, mat_b, one(), mat_c, nullptr, nullptr, 0));
    spk_plan_destroy(plan);
    spk_spmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
    spk_dnmat_destroy(mat_c);
  }

  // C's places are those of a CSR batch; A is kRows x inner, B kCols x inner, by rows.
  template <class T>
  void sample(std::int64_t inner, int* taken) {
    const BackendHandle handle(backend);
    Draw draw(static_cast<std::uint64_t>(inner));
    const Structure structure(draw);
    const DeviceArray<std::int32_t> offsets(handle, structure.offsets), columns(handle, structure.columns);
    const DeviceArray<T> values(handle, draw_numbers<T>(draw, GetParam(), structure.nnz * kBatch));
    const DeviceArray<T> a(handle, draw_numbers<T>(draw, GetParam(), kRows * inner * kBatch));
    const DeviceArray<T> b(handle, draw_numbers<T>(draw, GetParam(), kCols * inner * kBatch));
    spk_spmat_t mat_c = nullptr;
    spk_dnmat_t mat_a = nullptr, mat_b = nullptr;
    SPK_EXPECT_OK(spk_csr_create(&mat_c, kRows, kCols, structure.nnz, offsets.data(), columns.data(), values.data(),
                                 SPK_INDEX_32I, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, GetParam()));
    SPK_EXPECT_OK(spk_spmat_set_batch(mat_c, kBatch, kRows + 1, structure.nnz, structure.nnz));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_a, kRows, inner, inner, a.data(), GetParam(), SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_dnmat_set_batch(mat_a, kBatch, kRows * inner));
    SPK_EXPECT_OK(spk_dnmat_create(&mat_b, kCols, inner, inner, b.data(), GetParam(), SPK_ORDER_ROW));
    SPK_EXPECT_OK(spk_dnmat_set_batch(mat_b, kBatch, kCols * inner));
    for (spk_algorithm_t kernel = kFirstKernel; kernel < kMostKernels; ++kernel) {
      const spk_status_t status =
          spk_sddmm(handle, SPK_OP_N, SPK_OP_T, one(), mat_a, mat_b, one(), mat_c, compute(), kernel, nullptr, 0);
      if (status == SPK_STATUS_NOT_SUPPORTED) continue;
      EXPECT_EQ(status, SPK_STATUS_SUCCESS) << "kernel " << kernel << ": " << message(handle);
      ++*taken;
    }
    if (inner == 32) {
      SPK_EXPECT_OK(spk_softmax(handle, 0.5, mat_c, nullptr, mat_c, SPK_ALG_DEFAULT, nullptr, 0));
    }
    spk_spmat_destroy(mat_c);
    spk_dnmat_destroy(mat_a);
    spk_dnmat_destroy(mat_b);
  }

  template <class T>
  void expect_right() {
    int products = 0, samples = 0;
    for (const spk_operation_t op_a : {SPK_OP_N, SPK_OP_T})
      for (const spk_order_t order : {SPK_ORDER_ROW, SPK_ORDER_COL})
        for (const std::int64_t n : {1, 5, 32}) multiply<T>(op_a, order, n, &products);
    for (const std::int64_t inner : {7, 32}) sample<T>(inner, &samples);
    // One that takes everything, at least.
    EXPECT_GE(products, 12);
    EXPECT_GE(samples, 2);
  }

  void expect_right_of_type() {
    switch (GetParam()) {
      case SPK_R_64F: return expect_right<double>();
      case SPK_R_32F: return expect_right<float>();
      default: return expect_right<std::uint16_t>();
    }
  }
};

TEST_P(Batches, MatricesHaveTheirOwnRows) {
  if (const std::string missing = missing_isa(); !missing.empty()) SPK_SKIP_WITHOUT(wanted_isa(), missing);
  expect_right_of_type();
}

class BatchesCuda : public Batches {};
TEST_P(BatchesCuda, MatricesHaveTheirOwnRows) {
  SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
  backend = SPK_BACKEND_CUDA;
  expect_right_of_type();
}

const auto kTypes = ::testing::Values(SPK_R_32F, SPK_R_64F, SPK_R_16F, SPK_R_16BF);
INSTANTIATE_TEST_SUITE_P(Types, Batches, kTypes);
INSTANTIATE_TEST_SUITE_P(Types, BatchesCuda, kTypes);

}  // namespace
}  // namespace spk::test
