// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest.h>

#include <cstring>

#include "products.hpp"

namespace {

// x stores 2, 3, 5 at the places 4, 0, 2 of six; y = 1 10 100 1000 10000 100000 (complex: times 1 + i).
class CusparseVectors : public ::testing::TestWithParam<std::tuple<cudaDataType, cusparseIndexBase_t, bool>> {
 protected:
  void SetUp() override {
    if (handle_.status() == CUSPARSE_STATUS_NOT_INITIALIZED) GTEST_SKIP() << "SKIPPED: no device";
    ASSERT_EQ(handle_.status(), kSuccess);
    std::vector<std::int64_t> places = {4, 0, 2};
    for (std::int64_t& place : places) place += base_;
    indices_ = std::make_unique<DeviceMemory>(upload(places, index_type_));
    x_values_ = std::make_unique<DeviceMemory>(upload({2, 3, 5}, type_));
    y_values_ = std::make_unique<DeviceMemory>(upload(y_, type_));
    ASSERT_EQ(cusparseCreateSpVec(&x_, 6, 3, indices_->data(), x_values_->data(), index_type_, base_, type_), kSuccess);
    ASSERT_EQ(cusparseCreateDnVec(&vec_y_, 6, y_values_->data(), type_), kSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cusparseDestroySpVec(x_), kSuccess);
    EXPECT_EQ(cusparseDestroyDnVec(vec_y_), kSuccess);
  }
  // A scalar of the sum's type where the pointer mode says.
  struct Scalar {
    DeviceMemory on_device;
    std::vector<char> on_host;
    bool device;
    void* at() { return device ? on_device.data() : on_host.data(); }
  };
  Scalar scalar(Value value) {
    std::vector<char> bytes(bytes_of(sum_));
    store(bytes.data(), sum_, value);
    return {DeviceMemory(bytes), bytes, device_};
  }
  void expect(const std::vector<Value>& x, const std::vector<Value>& y) {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(download(*x_values_, type_), x);
    EXPECT_EQ(download(*y_values_, type_), y);
  }

  const cudaDataType type_ = std::get<0>(GetParam());
  const cusparseIndexBase_t base_ = std::get<1>(GetParam());
  const bool device_ = std::get<2>(GetParam());
  const cusparseIndexType_t index_type_ = device_ ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  const cudaDataType sum_ = type_ == CUDA_R_16F ? CUDA_R_32F : type_;
  const Value unit_ = is_complex(type_) ? Value(1, 1) : Value(1);
  const std::vector<Value> y_ = {unit_, 2. * unit_, 4. * unit_, 8. * unit_, 16. * unit_, 32. * unit_};
  const std::vector<Value> x0_ = {2, 3, 5};
  Handle handle_;
  std::unique_ptr<DeviceMemory> indices_, x_values_, y_values_;
  cusparseSpVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t vec_y_ = nullptr;
};

TEST_P(CusparseVectors, AxpbyScalesEveryElement) {
  ASSERT_EQ(cusparseSetPointerMode(handle_, device_ ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST),
            kSuccess);
  Scalar alpha = scalar(3);
  Scalar beta = scalar(-2);
  ASSERT_EQ(cusparseAxpby(handle_, alpha.at(), x_, beta.at(), vec_y_), kSuccess);
  std::vector<Value> want;
  for (const Value& value : y_) want.push_back(-2. * value);
  want[4] += 6;
  want[0] += 9;
  want[2] += 15;
  expect(x0_, want);
}

TEST_P(CusparseVectors, GatherAndScatterMoveNumbers) {
  ASSERT_EQ(cusparseScatter(handle_, x_, vec_y_), kSuccess);
  std::vector<Value> want = y_;
  want[4] = 2;
  want[0] = 3;
  want[2] = 5;
  expect(x0_, want);
  const DeviceMemory other = upload({7, 7, 7}, type_);
  ASSERT_EQ(cusparseSpVecSetValues(x_, other.data()), kSuccess);
  ASSERT_EQ(cusparseGather(handle_, vec_y_, x_), kSuccess);
  EXPECT_EQ(download(other, type_), x0_);
  expect(x0_, want);
}

TEST_P(CusparseVectors, RotTurnsThePairs) {
  ASSERT_EQ(cusparseSetPointerMode(handle_, device_ ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST),
            kSuccess);
  Scalar c = scalar(2);
  Scalar s = scalar(-1);
  ASSERT_EQ(cusparseRot(handle_, c.at(), s.at(), x_, vec_y_), kSuccess);
  std::vector<Value> x, y = y_;
  const int places[] = {4, 0, 2};
  for (int i = 0; i < 3; ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    x.push_back(2. * x0_[static_cast<std::size_t>(i)] - y_[place]);
    y[place] = 2. * y_[place] + x0_[static_cast<std::size_t>(i)];
  }
  expect(x, y);
}

TEST_P(CusparseVectors, SpvvIsTheDotProduct) {
  ASSERT_EQ(cusparseSetPointerMode(handle_, device_ ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST),
            kSuccess);
  // Imaginary x, so that the conjugate shows.
  const Value turn = is_complex(type_) ? Value(0, 1) : Value(1);
  const DeviceMemory turned = upload({2. * turn, 3. * turn, 5. * turn}, type_);
  ASSERT_EQ(cusparseSpVecSetValues(x_, turned.data()), kSuccess);
  for (const auto op : {kN, kC}) {
    Scalar result = scalar(-7);
    std::size_t bytes = ~std::size_t{0};
    ASSERT_EQ(cusparseSpVV_bufferSize(handle_, op, x_, vec_y_, result.at(), sum_, &bytes), kSuccess);
    const DeviceMemory buffer = scratch(bytes);
    ASSERT_EQ(cusparseSpVV(handle_, op, x_, vec_y_, result.at(), sum_, buffer.data()), kSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<char> got = device_ ? result.on_device.bytes() : result.on_host;
    EXPECT_EQ(load(got.data(), sum_), 55. * unit_ * (op == kC ? std::conj(turn) : turn));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CusparseVectors,
                         ::testing::Combine(::testing::Values(CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_C_32F),
                                            ::testing::Values(CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE),
                                            ::testing::Bool()));

}  // namespace
