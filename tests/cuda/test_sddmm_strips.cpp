// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/sddmm_exact.hpp"

// SDDMM by tiles that are sampled by strips of columns (sddmm_csr_strips).
namespace spk::test {
namespace {

class SddmmStrips : public SddmmExact {
 protected:
  SddmmStrips() : SddmmExact(775) {}
};

// What is for some types alone.
class SddmmStripsHalf : public SddmmStrips {};
class SddmmStripsF32 : public SddmmStrips {};

TEST_P(SddmmStrips, IsRightForEverySize) {
  expect_exact({1, 1, 16, 100});
  expect_exact({300, 130, 64, 30});
  expect_exact({65, 257, 200, 10});
  expect_exact({129, 66, 72, 40});
  expect_exact({40, 3000, 16, 90});
  expect_exact({512, 512, 512, 20});
  expect_exact({2050, 600, 90, 30});
  expect_exact({1030, 2300, 33, 10});
}

TEST_P(SddmmStrips, TakesEveryOrderOfRows) {
  for (const RowOrder order : {RowOrder::sorted, RowOrder::shuffled, RowOrder::falling, RowOrder::repeated})
    for (const bool far_indices : {false, true}) {
      SddmmCase s{150, 400, 48, 35};
      s.order = order;
      s.far_indices = far_indices;
      expect_exact(s);
    }
}

TEST_P(SddmmStripsHalf, TakesOperandsThatAreNotContiguousAlongK) {
  for (const bool column_major_a : {false, true})
    for (const bool row_major_b : {false, true}) {
      expect_exact({300, 130, 64, 30, column_major_a, row_major_b});
      expect_exact({70, 515, 40, 50, column_major_a, row_major_b, true});
      expect_exact({129, 1000, 300, 10, column_major_a, row_major_b, false, RowOrder::shuffled});
      expect_exact({2500, 1100, 65, 30, column_major_a, row_major_b});
    }
}

TEST_P(SddmmStrips, MatricesOfABatchAreRight) {
  SddmmCase s{70, 90, 64, 30};
  s.batch = 3;
  expect_exact(s);
  s.shared_a = s.wide_c = true;
  s.order = RowOrder::shuffled;
  expect_exact(s);
}

TEST_P(SddmmStrips, NanAndInfinityReachTheirRowsAndColumnsAlone) {
  SddmmCase s{100, 80, 48, 40};
  s.wide_c = s.poison = true;
  expect_exact(s);
  s.order = RowOrder::shuffled;
  expect_exact(s);
}

TEST_P(SddmmStripsF32, NumbersOfEverySizeMeetTheBound) {
  for (const std::int64_t k : {16, 45, 300}) {
    SddmmCase s{90, 300, k, 40};
    s.wide = true;
    s.beta = 0;
    expect_exact(s);
  }
}

TEST_P(SddmmStrips, WithoutBetaTheOldValuesAreNotRead) {
  SddmmCase s{100, 80, 48, 40};
  s.beta = 0;
  expect_exact(s);
}

INSTANTIATE_TEST_SUITE_P(, SddmmStrips, ::testing::Values(SPK_R_16F, SPK_R_16BF, SPK_R_32F), name_of_type);
INSTANTIATE_TEST_SUITE_P(, SddmmStripsHalf, ::testing::Values(SPK_R_16F, SPK_R_16BF), name_of_type);
INSTANTIATE_TEST_SUITE_P(, SddmmStripsF32, ::testing::Values(SPK_R_32F), name_of_type);

}  // namespace
}  // namespace spk::test
