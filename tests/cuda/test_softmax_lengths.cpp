// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <limits>

#include "cases/cuda_driver.hpp"
#include "cuda/narrow.hpp"
#include "cuda/problem.hpp"
#include "support/require.hpp"

// Softmax and its gradient over rows of all lengths that kernels treat differently: a lane, a group, a warp or a block has
// a row, in registers, in shared memory or in passes. Every result is checked against the oracle, and must repeat bit for
// bit; the arrays may begin anywhere, and what is in front of them and behind them stays.
namespace spk::test {
namespace {

using Lengths = std::vector<std::int64_t>;

struct Layout {
  spk_value_type_t type;
  std::size_t in, out;  // elements in front of the arrays
  bool in_place, wide_offsets, masked;
};

class SoftmaxLengths : public ::testing::Test {
 protected:
  void SetUp() override {
    SPK_SKIP_WITHOUT_BACKEND(SPK_BACKEND_CUDA);
    handle_ = std::make_unique<DeviceHandle>();
    SPK_ASSERT_OK(handle_->status());
    if (cases::CudaDriver::find() == nullptr) GTEST_SKIP() << "a stand-in has other kernels";
    SPK_ASSERT_OK(spk_set_check(*handle_, 1));
  }

  static constexpr std::size_t kBehind = 9;
  static constexpr float kGuard = -7;
  static std::size_t bytes_of(const Layout& l) { return l.type == SPK_R_32F ? 4 : 2; }

  // Values of a matrix, among guards.
  NarrowArray guarded(const std::vector<float>& values, std::size_t front, const Layout& l) {
    std::vector<float> all(front, kGuard);
    for (const float x : values) all.push_back(x == 0 || !std::isfinite(x) ? x : rounded(x, l.type));
    all.insert(all.end(), kBehind, kGuard);
    return NarrowArray(*handle_, all, l.type);
  }
  static void expect_guards(const NarrowArray& array, std::size_t front, std::size_t count) {
    const std::vector<float> all = array.read();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i < front || i >= front + count) {
        ASSERT_EQ(all[i], kGuard) << "element " << i << " of a guard";
      }
  }

  void expect_right(const Lengths& lengths, const Layout& l) {
    SCOPED_TRACE("type " + std::to_string(l.type) + ", " + std::to_string(l.in) + " and " + std::to_string(l.out) +
                 " elements in front" + (l.in_place ? ", in place" : ""));
    const std::int32_t base = static_cast<std::int32_t>(l.in % 2);
    std::vector<std::int64_t> starts{base};
    std::vector<std::int32_t> columns;
    for (const std::int64_t length : lengths) {
      for (std::int64_t e = 0; e < length; ++e) columns.push_back(static_cast<std::int32_t>(e + base));
      starts.push_back(starts.back() + length);
    }
    const std::size_t count = columns.size();
    const std::int64_t most = std::max<std::int64_t>(1, *std::max_element(lengths.begin(), lengths.end()));
    columns.resize(count + 1);
    std::vector<std::int32_t> short_starts(starts.begin(), starts.end());
    const DeviceArray<std::int64_t> wide(*handle_, starts);
    const DeviceArray<std::int32_t> narrow_starts(*handle_, short_starts), columns_there(*handle_, columns);
    std::vector<std::uint8_t> kept(count + 1);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i % 7 == 3 ? 0 : 1;
    const DeviceArray<std::uint8_t> mask(*handle_, kept);
    const auto matrix = [&](void* values) {
      spk_spmat_t made = nullptr;
      SPK_EXPECT_OK(
          spk_csr_create(&made, static_cast<std::int64_t>(lengths.size()), most, static_cast<std::int64_t>(count),
                         l.wide_offsets ? static_cast<void*>(wide.data()) : narrow_starts.data(), columns_there.data(),
                         values, l.wide_offsets ? SPK_INDEX_64I : SPK_INDEX_32I, SPK_INDEX_32I, base, l.type));
      return made;
    };
    const auto there = [&](const NarrowArray& array, std::size_t front) {
      return static_cast<void*>(static_cast<char*>(array.data()) + front * bytes_of(l));
    };

    std::vector<float> scores = draw_floats(3, static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i) scores[i] *= 8;
    if (count > 40) scores[count / 3] = -std::numeric_limits<float>::infinity();
    if (count > 40) scores[count / 2] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> probabilities = draw_floats(5, static_cast<std::int64_t>(count));
    const std::vector<float> gradient = draw_floats(7, static_cast<std::int64_t>(count));
    for (float& p : probabilities) p = std::abs(p);

    for (const spk_algorithm_t kernel : {0, 896, 897}) {
      SCOPED_TRACE("softmax, kernel " + std::to_string(kernel));
      std::vector<float> first;
      for (int turn = 0; turn < 2; ++turn) {
        const NarrowArray x = guarded(scores, l.in, l);
        const NarrowArray y = guarded(std::vector<float>(count), l.out, l);
        const NarrowArray& result = l.in_place ? x : y;
        const std::size_t front = l.in_place ? l.in : l.out;
        spk_spmat_t mat_x = matrix(there(x, l.in)), mat_y = matrix(there(result, front));
        SPK_EXPECT_OK(spk_softmax(*handle_, 0.75, mat_x, l.masked ? mask.data() : nullptr, mat_y, kernel, nullptr, 0));
        spk_spmat_destroy(mat_x);
        spk_spmat_destroy(mat_y);
        expect_guards(result, front, count);
        expect_same(result.read(), first);
      }
    }
    for (const spk_algorithm_t kernel : {0, 960, 961}) {
      SCOPED_TRACE("gradient, kernel " + std::to_string(kernel));
      std::vector<float> first;
      for (int turn = 0; turn < 2; ++turn) {
        const NarrowArray y = guarded(probabilities, l.in, l), dy = guarded(gradient, l.out, l);
        const NarrowArray dx = guarded(std::vector<float>(count), l.in, l);
        const NarrowArray& result = l.in_place ? dy : dx;
        const std::size_t front = l.in_place ? l.out : l.in;
        spk_spmat_t mat_y = matrix(there(y, l.in)), mat_dy = matrix(there(dy, l.out));
        spk_spmat_t mat_dx = matrix(there(result, front));
        SPK_EXPECT_OK(spk_softmax_backward(*handle_, 0.75, mat_y, mat_dy, mat_dx, kernel, nullptr, 0));
        for (spk_spmat_t mat : {mat_y, mat_dy, mat_dx}) spk_spmat_destroy(mat);
        expect_guards(result, front, count);
        expect_same(result.read(), first);
      }
    }
  }

  // The first call only keeps what it gets. NaN are equal here.
  static void expect_same(const std::vector<float>& got, std::vector<float>& first) {
    if (first.empty()) {
      first = got;
      return;
    }
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(got[i] == first[i] || (std::isnan(got[i]) && std::isnan(first[i]))) << "another result at " << i;
  }

  void expect_right_everywhere(const Lengths& lengths) {
    for (const spk_value_type_t type : {SPK_R_32F, SPK_R_16F, SPK_R_16BF}) {
      expect_right(lengths, {type, 0, 0, false, false, false});
      expect_right(lengths, {type, 0, 0, true, true, false});
      expect_right(lengths, {type, 3, 3, false, true, true});
      expect_right(lengths, {type, 1, 2, false, false, false});
      expect_right(lengths, {type, 5, 1, true, false, false});
    }
  }

  std::unique_ptr<DeviceHandle> handle_;
};

// Row counts beside those that a warp and a block have.
TEST_F(SoftmaxLengths, OfOneKindAreRight) {
  for (const std::int64_t length : {1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 64, 65, 200, 257})
    expect_right(Lengths(static_cast<std::size_t>(20000 / length + 13), length),
                 {SPK_R_32F, 0, 0, false, false, false});
  for (const std::int64_t length : {4, 7, 31, 100})
    expect_right_everywhere(Lengths(static_cast<std::size_t>(9000 / length + 5), length));
}

TEST_F(SoftmaxLengths, OfLongRowsAreRight) {
  for (const std::int64_t length : {1023, 1100, 2047, 4100, 8200, 20000, 40000, 70001})
    expect_right(Lengths{length, 0, length + 1, length - 1}, {SPK_R_32F, 2, 3, false, false, false});
  for (const std::int64_t length : {1030, 5000, 33000}) expect_right_everywhere(Lengths{length, length + 5});
}

TEST_F(SoftmaxLengths, AmongShortAndEmptyOnesAreRight) {
  Lengths lengths(5000, 3);
  for (std::size_t i = 0; i < lengths.size(); i += 7) lengths[i] = static_cast<std::int64_t>(i % 23);
  for (std::size_t i = 11; i < lengths.size(); i += 97) lengths[i] = static_cast<std::int64_t>(i % 700);
  lengths[0] = 3000;
  lengths[1] = 9000;
  lengths[2] = 40000;
  for (const std::size_t i : {40UL, 41UL, 42UL, 43UL, 300UL, 4999UL}) lengths[i] = 1500;
  lengths[2500] = 0;
  expect_right_everywhere(lengths);
}

TEST_F(SoftmaxLengths, OfAPowerLawAreRight) {
  Lengths lengths;
  for (std::int64_t i = 0; i < 4000; ++i) lengths.push_back(60000 / ((i * 1237 % 4000) + 1));
  expect_right(lengths, {SPK_R_32F, 0, 0, false, false, false});
  expect_right(lengths, {SPK_R_16F, 1, 4, false, true, true});
}

}  // namespace
}  // namespace spk::test
