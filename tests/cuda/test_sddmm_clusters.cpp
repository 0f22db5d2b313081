// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/sddmm_exact.hpp"

// SDDMM by clusters of blocks that have whole rows (sddmm_csr_clusters).
namespace spk::test {
namespace {

class SddmmClusters : public SddmmExact {
 protected:
  SddmmClusters() : SddmmExact(776) {}
};

// What is for some types alone.
class SddmmClustersHalf : public SddmmClusters {};
class SddmmClustersF32 : public SddmmClusters {};

TEST_P(SddmmClusters, IsRightForEverySize) {
  expect_exact({1, 1, 16, 100});
  expect_exact({300, 130, 64, 30});
  expect_exact({65, 257, 200, 10});
  expect_exact({129, 66, 72, 40});
  expect_exact({40, 1500, 16, 90});
  expect_exact({512, 512, 512, 20});
  expect_exact({2050, 600, 90, 30});
  expect_exact({1030, 1300, 33, 10});
  expect_exact({4000, 90, 520, 60});
  expect_exact({1200, 500, 700, 1});
}

// Of some a warp has more entries than it takes at a time.
TEST_P(SddmmClusters, RowsMayBeFull) {
  expect_exact({70, 1536, 40, 100});
  expect_exact({2100, 512, 40, 100});
  expect_exact({9000, 60, 40, 100});
}

TEST_P(SddmmClusters, TakesEveryOrderOfRows) {
  for (const RowOrder order : {RowOrder::sorted, RowOrder::shuffled, RowOrder::falling, RowOrder::repeated})
    for (const bool far_indices : {false, true}) {
      SddmmCase s{150, 400, 48, 35};
      s.order = order;
      s.far_indices = far_indices;
      expect_exact(s);
    }
}

TEST_P(SddmmClustersHalf, TakesColumnsOfBThatAreNotContiguous) {
  expect_exact({300, 130, 64, 30, false, true});
  expect_exact({70, 515, 40, 50, false, true, true});
  expect_exact({129, 1000, 300, 10, false, true, false, RowOrder::shuffled});
  expect_exact({2500, 1100, 65, 30, false, true});
}

TEST_P(SddmmClusters, MatricesOfABatchAreRight) {
  SddmmCase s{70, 190, 64, 30};
  s.batch = 3;
  expect_exact(s);
  s.shared_a = s.wide_c = true;
  s.order = RowOrder::shuffled;
  expect_exact(s);
}

TEST_P(SddmmClusters, NanAndInfinityReachTheirRowsAndColumnsAlone) {
  SddmmCase s{100, 180, 48, 40};
  s.wide_c = s.poison = true;
  expect_exact(s);
  s.order = RowOrder::shuffled;
  expect_exact(s);
}

TEST_P(SddmmClustersF32, NumbersOfEverySizeMeetTheBound) {
  for (const std::int64_t k : {16, 45, 300}) {
    SddmmCase s{90, 300, k, 40};
    s.wide = true;
    s.beta = 0;
    expect_exact(s);
  }
}

TEST_P(SddmmClusters, WithoutBetaTheOldValuesAreNotRead) {
  SddmmCase s{100, 180, 48, 40};
  s.beta = 0;
  expect_exact(s);
}

// Each reads what the one before has written, while launches may overlap.
TEST_P(SddmmClusters, CallsBehindEachOtherAddUp) {
  SddmmCase s{520, 500, 64, 30};
  s.calls = 4;
  s.alpha = s.beta = 1;
  s.wide_c = true;
  expect_exact(s);
}

TEST_P(SddmmClusters, WithoutAlphaAAndBAreNotRead) {
  SddmmCase s{100, 180, 48, 40};
  s.poison = s.wide_c = s.placed = true;
  s.alpha = 0;
  expect_exact(s);
}

INSTANTIATE_TEST_SUITE_P(, SddmmClusters, ::testing::Values(SPK_R_16F, SPK_R_16BF, SPK_R_32F), name_of_type);
INSTANTIATE_TEST_SUITE_P(, SddmmClustersHalf, ::testing::Values(SPK_R_16F, SPK_R_16BF), name_of_type);
INSTANTIATE_TEST_SUITE_P(, SddmmClustersF32, ::testing::Values(SPK_R_32F), name_of_type);

}  // namespace
}  // namespace spk::test
