// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include "products.hpp"

namespace {

class CusparseConvert : public ::testing::Test {
 protected:
  void SetUp() override {
    if (handle_.status() == CUSPARSE_STATUS_NOT_INITIALIZED) GTEST_SKIP() << "SKIPPED: no device";
    ASSERT_EQ(handle_.status(), kSuccess);
  }
  Handle handle_;
};

using Numbers = std::vector<std::int64_t>;

std::vector<std::int64_t> numbers_in(const DeviceMemory& memory, cusparseIndexType_t type) {
  const std::vector<char> bytes = memory.bytes();
  std::vector<std::int64_t> numbers;
  if (type == CUSPARSE_INDEX_64I) {
    numbers.resize(bytes.size() / 8);
    std::copy_n(reinterpret_cast<const std::int64_t*>(bytes.data()), numbers.size(), numbers.begin());
  } else {
    numbers.resize(bytes.size() / 4);
    std::copy_n(reinterpret_cast<const std::int32_t*>(bytes.data()), numbers.size(), numbers.begin());
  }
  return numbers;
}

TEST_F(CusparseConvert, SparseToDense) {
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_BSR,
                            CUSPARSE_FORMAT_BLOCKED_ELL})
    for (const auto order : {kRow, kCol}) {
      SCOPED_TRACE(format);
      Draw draw(5);
      const bool has_blocks = format == CUSPARSE_FORMAT_BSR || format == CUSPARSE_FORMAT_BLOCKED_ELL;
      const std::vector<Matrix> a{draw_sparse(draw, 8, 6, has_blocks ? 2 : 1, 0, false)};
      SparseLayout layout;
      layout.format = format;
      layout.base = CUSPARSE_INDEX_BASE_ONE;
      const SparseOperand sparse(a, layout, CUDA_R_32F);
      const DenseOperand dense({draw_dense(draw, 8, 6, false)}, {order, 2}, CUDA_R_32F, false);
      std::size_t bytes = ~std::size_t{0};
      ASSERT_EQ(cusparseSparseToDense_bufferSize(handle_, sparse.descriptor(), dense.descriptor(),
                                                 CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes),
                kSuccess);
      const DeviceMemory buffer = scratch(bytes);
      ASSERT_EQ(cusparseSparseToDense(handle_, sparse.descriptor(), dense.descriptor(),
                                      CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer.data()),
                kSuccess);
      dense.expect(a);
    }
}

// The whole path of a caller who does not know the number of entries.
TEST_F(CusparseConvert, DenseToCsrAndCoo) {
  Matrix matrix(3, 4);
  matrix.places = {0, 5, 0, -1, 0, 0, 0, 0, 2, 0, 0, 3};
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
    for (const auto type : {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I}) {
      SCOPED_TRACE(format);
      const DenseOperand dense({matrix}, {kCol, 1}, CUDA_R_32F, false);
      const std::size_t lines = format == CUSPARSE_FORMAT_COO ? 0 : format == CUSPARSE_FORMAT_CSC ? 5 : 4;
      const DeviceMemory offsets = upload(Numbers(lines, 7), type);
      cusparseSpMatDescr_t sparse = nullptr;
      const auto create = format == CUSPARSE_FORMAT_CSC ? cusparseCreateCsc : cusparseCreateCsr;
      if (format == CUSPARSE_FORMAT_COO)
        ASSERT_EQ(
            cusparseCreateCoo(&sparse, 3, 4, 0, nullptr, nullptr, nullptr, type, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F),
            kSuccess);
      else
        ASSERT_EQ(
            create(&sparse, 3, 4, 0, offsets.data(), nullptr, nullptr, type, type, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F),
            kSuccess);
      std::size_t bytes = ~std::size_t{0};
      const auto alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
      ASSERT_EQ(cusparseDenseToSparse_bufferSize(handle_, dense.descriptor(), sparse, alg, &bytes), kSuccess);
      const DeviceMemory buffer = scratch(bytes);
      ASSERT_EQ(cusparseDenseToSparse_analysis(handle_, dense.descriptor(), sparse, alg, buffer.data()), kSuccess);
      std::int64_t rows = 0, cols = 0, nnz = 0;
      ASSERT_EQ(cusparseSpMatGetSize(sparse, &rows, &cols, &nnz), kSuccess);
      ASSERT_EQ(nnz, 4);
      const DeviceMemory row_indices = upload(Numbers(4, 0), type);
      const DeviceMemory indices = upload(Numbers(4, 0), type);
      const DeviceMemory values = upload(std::vector<Value>(4), CUDA_R_32F);
      const auto set = format == CUSPARSE_FORMAT_CSR   ? cusparseCsrSetPointers
                       : format == CUSPARSE_FORMAT_CSC ? cusparseCscSetPointers
                                                       : cusparseCooSetPointers;
      void* first = format == CUSPARSE_FORMAT_COO ? row_indices.data() : offsets.data();
      ASSERT_EQ(set(sparse, first, indices.data(), values.data()), kSuccess);
      ASSERT_EQ(cusparseDenseToSparse_convert(handle_, dense.descriptor(), sparse, alg, buffer.data()), kSuccess);
      const bool is_csc = format == CUSPARSE_FORMAT_CSC;
      EXPECT_EQ(download(values, CUDA_R_32F),
                is_csc ? (std::vector<Value>{2, 5, -1, 3}) : (std::vector<Value>{5, -1, 2, 3}));
      EXPECT_EQ(numbers_in(indices, type), is_csc ? (Numbers{3, 1, 1, 3}) : (Numbers{2, 4, 1, 4}));
      if (format == CUSPARSE_FORMAT_COO) {
        EXPECT_EQ(numbers_in(row_indices, type), (Numbers{1, 1, 3, 3}));
      }
      if (format == CUSPARSE_FORMAT_CSR) {
        EXPECT_EQ(numbers_in(offsets, type), (Numbers{1, 3, 3, 5}));
      }
      if (is_csc) {
        EXPECT_EQ(numbers_in(offsets, type), (Numbers{1, 2, 3, 3, 5}));
      }
      EXPECT_EQ(cusparseDestroySpMat(sparse), kSuccess);
    }
}

TEST_F(CusparseConvert, DenseToTheBlocksThatAreGiven) {
  Draw draw(6);
  const std::vector<Matrix> blocks{draw_sparse(draw, 8, 6, 2, 0, false)};
  SparseLayout layout;
  layout.format = CUSPARSE_FORMAT_BLOCKED_ELL;
  SparseOperand sparse(blocks, layout, CUDA_R_32F);
  const std::vector<Matrix> wanted{redraw(draw, blocks[0], false)};
  Matrix full = draw_dense(draw, 8, 6, false);  // what lies outside the blocks is dropped
  for (std::size_t i = 0; i < full.places.size(); ++i)
    if (wanted[0].places[i] != Value()) full.places[i] = wanted[0].places[i];
  const DenseOperand dense({full}, {kRow, 0}, CUDA_R_32F, false);
  std::size_t bytes = 0;
  const auto alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
  ASSERT_EQ(cusparseDenseToSparse_bufferSize(handle_, dense.descriptor(), sparse.descriptor(), alg, &bytes), kSuccess);
  const DeviceMemory buffer = scratch(bytes);
  ASSERT_EQ(cusparseDenseToSparse_analysis(handle_, dense.descriptor(), sparse.descriptor(), alg, buffer.data()),
            kSuccess);
  ASSERT_EQ(cusparseDenseToSparse_convert(handle_, dense.descriptor(), sparse.descriptor(), alg, buffer.data()),
            kSuccess);
  sparse.expect_values(wanted, 0);
}

TEST_F(CusparseConvert, CsrToCscWithAndWithoutValues) {
  const DeviceMemory offsets = upload(Numbers{1, 3, 3, 5}, CUSPARSE_INDEX_32I);
  const DeviceMemory columns = upload(Numbers{2, 4, 1, 4}, CUSPARSE_INDEX_32I);
  const DeviceMemory values = upload(std::vector<Value>{5, -1, 2, 3}, CUDA_R_64F);
  for (const auto action : {CUSPARSE_ACTION_NUMERIC, CUSPARSE_ACTION_SYMBOLIC}) {
    const bool numeric = action == CUSPARSE_ACTION_NUMERIC;
    const DeviceMemory out_offsets = upload(Numbers(5, 0), CUSPARSE_INDEX_32I);
    const DeviceMemory out_rows = upload(Numbers(4, 0), CUSPARSE_INDEX_32I);
    const DeviceMemory out_values = upload(std::vector<Value>(4, 8), CUDA_R_64F);
    const void* in = numeric ? values.data() : nullptr;
    void* out = numeric ? out_values.data() : nullptr;
    const auto ints = [](const DeviceMemory& memory) { return static_cast<int*>(memory.data()); };
    std::size_t bytes = ~std::size_t{0};
    ASSERT_EQ(cusparseCsr2cscEx2_bufferSize(handle_, 3, 4, 4, in, ints(offsets), ints(columns), out, ints(out_offsets),
                                            ints(out_rows), CUDA_R_64F, action, CUSPARSE_INDEX_BASE_ONE,
                                            CUSPARSE_CSR2CSC_ALG1, &bytes),
              kSuccess);
    const DeviceMemory buffer = scratch(bytes);
    ASSERT_EQ(
        cusparseCsr2cscEx2(handle_, 3, 4, 4, in, ints(offsets), ints(columns), out, ints(out_offsets), ints(out_rows),
                           CUDA_R_64F, action, CUSPARSE_INDEX_BASE_ONE, CUSPARSE_CSR2CSC_ALG1, buffer.data()),
        kSuccess)
        << spk_cusparseLastError();
    EXPECT_EQ(numbers_in(out_offsets, CUSPARSE_INDEX_32I), (Numbers{1, 2, 3, 3, 5}));
    EXPECT_EQ(numbers_in(out_rows, CUSPARSE_INDEX_32I), (Numbers{3, 1, 1, 3}));
    EXPECT_EQ(download(out_values, CUDA_R_64F), numeric ? (std::vector<Value>{2, 5, -1, 3}) : std::vector<Value>(4, 8));
  }
}

}  // namespace
