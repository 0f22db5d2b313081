// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// What lies between the calls: buffers, preparations, attributes, and what is refused.
#include <gtest/gtest.h>

#include <cstring>

#include "products.hpp"

namespace {

constexpr auto kInvalid = CUSPARSE_STATUS_INVALID_VALUE;
constexpr auto kNotSupported = CUSPARSE_STATUS_NOT_SUPPORTED;

// C = A B with the 2 x 2 matrix A = (0 1; 2 0) in COO, whose product needs a buffer, and B = (1 2; 3 4).
class CusparseLifeCycle : public ::testing::Test {
 protected:
  void SetUp() override {
    if (handle_.status() == CUSPARSE_STATUS_NOT_INITIALIZED) GTEST_SKIP() << "SKIPPED: no device";
    ASSERT_EQ(handle_.status(), kSuccess);
    ASSERT_EQ(cusparseCreateCoo(&a_, 2, 2, 2, rows_.data(), cols_.data(), values_.data(), CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
              kSuccess);
    ASSERT_EQ(cusparseCreateDnMat(&b_, 2, 2, 2, b_memory_.data(), CUDA_R_32F, kRow), kSuccess);
    ASSERT_EQ(cusparseCreateDnMat(&c_, 2, 2, 2, c_memory_.data(), CUDA_R_32F, kRow), kSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cusparseDestroySpMat(a_), kSuccess);
    EXPECT_EQ(cusparseDestroyDnMat(b_), kSuccess);
    EXPECT_EQ(cusparseDestroyDnMat(c_), kSuccess);
  }

  std::size_t ask(cusparseOperation_t op = kN) {
    std::size_t bytes = 77;
    EXPECT_EQ(cusparseSpMM_bufferSize(handle_, op, kN, &alpha_, a_, b_, &beta_, c_, CUDA_R_32F,
                                      CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
              kSuccess);
    return bytes;
  }
  int prepare(void* buffer, cusparseOperation_t op = kN) {
    return cusparseSpMM_preprocess(handle_, op, kN, &alpha_, a_, b_, &beta_, c_, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                                   buffer);
  }
  int execute(void* buffer, cusparseOperation_t op = kN, cusparseSpMMAlg_t alg = CUSPARSE_SPMM_ALG_DEFAULT,
              cudaDataType compute = CUDA_R_32F) {
    return cusparseSpMM(handle_, op, kN, &alpha_, a_, b_, &beta_, c_, compute, alg, buffer);
  }
  void expect(const std::vector<Value>& want) {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(download(c_memory_, CUDA_R_32F), want);
  }

  Handle handle_;
  DeviceMemory rows_ = upload(std::vector<std::int64_t>{0, 1}, CUSPARSE_INDEX_32I);
  DeviceMemory cols_ = upload(std::vector<std::int64_t>{1, 0}, CUSPARSE_INDEX_32I);
  DeviceMemory values_ = upload(std::vector<Value>{1, 2}, CUDA_R_32F);
  DeviceMemory b_memory_ = upload(std::vector<Value>{1, 2, 3, 4}, CUDA_R_32F);
  DeviceMemory c_memory_ = upload(std::vector<Value>{9, 9, 9, 9}, CUDA_R_32F);
  cusparseSpMatDescr_t a_ = nullptr;
  cusparseDnMatDescr_t b_ = nullptr;
  cusparseDnMatDescr_t c_ = nullptr;
  float alpha_ = 1;
  float beta_ = 0;
};

const std::vector<Value> kProduct = {3, 4, 2, 4};
const std::vector<Value> kTransposed = {6, 8, 1, 2};

TEST_F(CusparseLifeCycle, ABufferOfAnyAlignmentWillDo) {
  const std::size_t bytes = ask(kT);
  ASSERT_GT(bytes, 0u);
  for (const std::size_t shift : {0u, 1u, 3u, 17u}) {
    const DeviceMemory buffer = scratch(bytes + shift);
    EXPECT_EQ(execute(static_cast<char*>(buffer.data()) + shift, kT), kSuccess) << shift;
    expect(kTransposed);
  }
}

TEST_F(CusparseLifeCycle, ANeededBufferMayNotBeNull) {
  ASSERT_GT(ask(kT), 0u);
  EXPECT_EQ(execute(nullptr, kT), kInvalid);
  EXPECT_EQ(prepare(nullptr, kT), kInvalid);
  expect({9, 9, 9, 9});
}

TEST_F(CusparseLifeCycle, TheSizeIsWrittenAlsoOnFailure) {
  std::size_t bytes = 77;
  EXPECT_EQ(cusparseSpMM_bufferSize(handle_, kN, static_cast<cusparseOperation_t>(3), &alpha_, a_, b_, &beta_, c_,
                                    CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
            kInvalid);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(cusparseSpMM_bufferSize(handle_, kN, kN, &alpha_, a_, b_, &beta_, c_, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                                    nullptr),
            kInvalid);
}

// A preparation keeps the structure it has seen: only with its own buffer, options and arrays may it be used. The index
// arrays are changed in place to see which structure a product takes.
class CusparsePreparation : public CusparseLifeCycle {
 protected:
  void SetUp() override {
    CusparseLifeCycle::SetUp();
    if (IsSkipped()) return;
    buffer_ = std::make_unique<DeviceMemory>(scratch(ask(kT)));
    other_ = std::make_unique<DeviceMemory>(scratch(ask(kT)));
    ASSERT_EQ(prepare(buffer_->data(), kT), kSuccess);
    const std::int32_t turned[] = {0, 1};
    ASSERT_EQ(cudaMemcpy(cols_.data(), turned, sizeof turned, cudaMemcpyHostToDevice), cudaSuccess);
  }
  std::unique_ptr<DeviceMemory> buffer_;
  std::unique_ptr<DeviceMemory> other_;
  const std::vector<Value> changed_ = {1, 2, 6, 8};  // A = (1 0; 0 2)
};

TEST_F(CusparsePreparation, IsUsedWithItsBuffer) {
  EXPECT_EQ(execute(buffer_->data(), kT), kSuccess);
  expect(kTransposed);
}

TEST_F(CusparsePreparation, IsNotUsedWithAnotherBuffer) {
  EXPECT_EQ(execute(other_->data(), kT), kSuccess);
  expect(changed_);
}

TEST_F(CusparsePreparation, IsNotUsedWithOtherOptions) {
  EXPECT_EQ(execute(buffer_->data(), kN), kSuccess);
  expect(changed_);
  EXPECT_EQ(execute(buffer_->data(), kT, CUSPARSE_SPMM_COO_ALG2), kSuccess);
  expect(changed_);
}

TEST_F(CusparsePreparation, IsDroppedWithNewPointers) {
  ASSERT_EQ(cusparseCooSetPointers(a_, rows_.data(), cols_.data(), values_.data()), kSuccess);
  EXPECT_EQ(execute(buffer_->data(), kT), kSuccess);
  expect(changed_);
}

TEST_F(CusparsePreparation, IsDroppedWithANewBatch) {
  ASSERT_EQ(cusparseCooSetStridedBatch(a_, 1, 0), kSuccess);
  EXPECT_EQ(execute(buffer_->data(), kT), kSuccess);
  expect(changed_);
}

TEST_F(CusparsePreparation, StaysWithNewValuesAndIsReplacedByTheNext) {
  const DeviceMemory doubled = upload(std::vector<Value>{2, 4}, CUDA_R_32F);
  ASSERT_EQ(cusparseSpMatSetValues(a_, doubled.data()), kSuccess);
  EXPECT_EQ(execute(buffer_->data(), kT), kSuccess);
  expect({12, 16, 2, 4});
  ASSERT_EQ(prepare(other_->data(), kT), kSuccess);
  EXPECT_EQ(execute(buffer_->data(), kT), kSuccess);
  expect({2, 4, 12, 16});
}

TEST_F(CusparseLifeCycle, RefusesWhatItCannotDo) {
  const DeviceMemory buffer = scratch(ask());
  void* memory = buffer.data();
  EXPECT_EQ(execute(memory, kN, CUSPARSE_SPMM_CSR_ALG1), kNotSupported);
  EXPECT_EQ(execute(memory, kN, static_cast<cusparseSpMMAlg_t>(7)), kInvalid);
  EXPECT_EQ(execute(memory, static_cast<cusparseOperation_t>(3)), kInvalid);
  EXPECT_EQ(execute(memory, kN, CUSPARSE_SPMM_ALG_DEFAULT, CUDA_R_16F), kNotSupported);
  EXPECT_EQ(execute(memory, kN, CUSPARSE_SPMM_ALG_DEFAULT, static_cast<cudaDataType>(40)), kInvalid);
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
  ASSERT_EQ(cusparseSpMatSetAttribute(a_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), kSuccess);
  EXPECT_EQ(execute(memory), kNotSupported);
  EXPECT_NE(std::strstr(spk_cusparseLastError(), "cusparseSpMM: matA has a fill mode"), nullptr)
      << spk_cusparseLastError();
  expect({9, 9, 9, 9});
}

TEST_F(CusparseLifeCycle, TypesThatSpkLacksAreDescribedButNotComputed) {
  cusparseDnMatDescr_t integers = nullptr;
  ASSERT_EQ(cusparseCreateDnMat(&integers, 2, 2, 2, b_memory_.data(), CUDA_R_8I, kRow), kSuccess);
  std::size_t bytes = 0;
  EXPECT_EQ(cusparseSpMM_bufferSize(handle_, kN, kN, &alpha_, a_, integers, &beta_, c_, CUDA_R_32F,
                                    CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
            kNotSupported);
  EXPECT_EQ(cusparseDestroyDnMat(integers), kSuccess);
}

TEST_F(CusparseLifeCycle, SizesThatDisagreeAreNamed) {
  cusparseDnMatDescr_t other = nullptr;
  ASSERT_EQ(cusparseCreateDnMat(&other, 3, 2, 2, b_memory_.data(), CUDA_R_32F, kRow), kSuccess);
  EXPECT_EQ(
      cusparseSpMM(handle_, kN, kN, &alpha_, a_, other, &beta_, c_, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
      kInvalid);
  EXPECT_NE(std::strstr(spk_cusparseLastError(), "3"), nullptr) << spk_cusparseLastError();
  EXPECT_EQ(cusparseDestroyDnMat(other), kSuccess);
}

TEST_F(CusparseLifeCycle, HandleKeepsStreamModeAndVersion) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cusparseSetStream(handle_, stream), kSuccess);
  cudaStream_t got = nullptr;
  EXPECT_EQ(cusparseGetStream(handle_, &got), kSuccess);
  EXPECT_EQ(got, stream);
  EXPECT_EQ(cusparseSetStream(handle_, nullptr), kSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
  EXPECT_EQ(cusparseSetPointerMode(handle_, CUSPARSE_POINTER_MODE_DEVICE), kSuccess);
  EXPECT_EQ(cusparseGetPointerMode(handle_, &mode), kSuccess);
  EXPECT_EQ(mode, CUSPARSE_POINTER_MODE_DEVICE);
  EXPECT_EQ(cusparseSetPointerMode(handle_, static_cast<cusparsePointerMode_t>(2)), kInvalid);
  int version = 0;
  EXPECT_EQ(cusparseGetVersion(handle_, &version), kSuccess);
  EXPECT_EQ(version, CUSPARSE_VERSION);
  EXPECT_EQ(spk_cusparseGetSpkVersion(), SPK_VERSION);
}

TEST_F(CusparseLifeCycle, DestroyedAndForeignObjectsAreRefused) {
  cusparseDnMatDescr_t strange = reinterpret_cast<cusparseDnMatDescr_t>(a_);
  EXPECT_EQ(cusparseDestroyDnMat(strange), kInvalid);
  EXPECT_EQ(
      cusparseSpMM(handle_, kN, kN, &alpha_, a_, strange, &beta_, c_, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
      kInvalid);
}

#ifndef SPK_HOST_RUNTIME
// With a real runtime: products are captured into a graph, and preprocess does not spoil that.
TEST_F(CusparseLifeCycle, IsCapturedIntoAGraph) {
  const DeviceMemory buffer = scratch(ask(kT));
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cusparseSetStream(handle_, stream), kSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  const int prepared = prepare(buffer.data(), kT);
  const int executed = execute(buffer.data(), kT);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(prepared, kSuccess);
  ASSERT_EQ(executed, kSuccess) << spk_cusparseLastError();
  expect({9, 9, 9, 9});
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  expect(kTransposed);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cusparseSetStream(handle_, nullptr), kSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}
#endif

}  // namespace
