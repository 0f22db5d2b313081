// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "support/require.hpp"

namespace spk::test {
namespace {

class TestRequire : public ::testing::Test {
 protected:
  static void require(const char* list) { ASSERT_EQ(setenv("SPK_TEST_REQUIRE", list, 1), 0); }
  void TearDown() override { unsetenv("SPK_TEST_REQUIRE"); }
};

TEST_F(TestRequire, FindsWholeNamesOnly) {
  require("cpu,avx2,data");
  for (const char* name : {"cpu", "avx2", "data"}) EXPECT_TRUE(is_required(name)) << name;
  require("avx512,database");
  for (const char* name : {"avx", "data", ""}) EXPECT_FALSE(is_required(name)) << name;
  require("");
  EXPECT_FALSE(is_required("cpu"));
}

void lack(const char* what) { SPK_SKIP_WITHOUT(what, "there are " << 0 << " of them"); }

TEST_F(TestRequire, MakesAFailureOfASkip) {
  require("cpu,unicorns");
  EXPECT_FATAL_FAILURE(lack("unicorns"), "unicorns is required: there are 0 of them");
}

}  // namespace
}  // namespace spk::test
