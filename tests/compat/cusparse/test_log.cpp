// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <cusparse.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr auto kSuccess = CUSPARSE_STATUS_SUCCESS;
constexpr auto kInvalid = CUSPARSE_STATUS_INVALID_VALUE;

struct Line {
  int level;
  std::string function;
  std::string message;
};
std::vector<Line> heard;
void hear(int level, const char* function, const char* message) { heard.push_back({level, function, message}); }

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text.push_back(static_cast<char>(c));
  return text;
}

// The log belongs to the process, so each test leaves it silent.
class CusparseLog : public ::testing::Test {
 protected:
  void SetUp() override {
    heard.clear();
    file_ = std::tmpfile();
    ASSERT_NE(file_, nullptr);
    ASSERT_EQ(cusparseLoggerSetFile(file_), kSuccess);
    ASSERT_EQ(cusparseLoggerSetCallback(hear), kSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cusparseLoggerSetLevel(0), kSuccess);
    EXPECT_EQ(cusparseLoggerSetCallback(nullptr), kSuccess);
    EXPECT_EQ(cusparseLoggerSetFile(nullptr), kSuccess);
    std::fclose(file_);
  }
  static void succeed() { EXPECT_EQ(cusparseDestroyDnVec(nullptr), kSuccess); }
  static void fail() { EXPECT_EQ(cusparseCreateDnVec(nullptr, 3, nullptr, CUDA_R_32F), kInvalid); }
  std::FILE* file_ = nullptr;
};

TEST_F(CusparseLog, IsSilentByDefault) {
  succeed();
  fail();
  EXPECT_TRUE(heard.empty());
  EXPECT_EQ(contents(file_), "");
}

TEST_F(CusparseLog, LevelOneHasFailuresAlone) {
  ASSERT_EQ(cusparseLoggerSetLevel(1), kSuccess);
  succeed();
  fail();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].level, 1);
  EXPECT_EQ(heard[0].function, "cusparseCreateDnVec");
  EXPECT_EQ(heard[0].message, "dnVecDescr is NULL");
  EXPECT_NE(contents(file_).find("[Error][cusparseCreateDnVec] dnVecDescr is NULL\n"), std::string::npos);
  EXPECT_STREQ(spk_cusparseLastError(), "cusparseCreateDnVec: dnVecDescr is NULL");
}

TEST_F(CusparseLog, LevelFiveHasEveryCallWithItsArguments) {
  ASSERT_EQ(cusparseLoggerSetLevel(5), kSuccess);
  cusparseDnMatDescr_t matrix = nullptr;
  ASSERT_EQ(cusparseCreateDnMat(&matrix, 2, 3, 4, nullptr, CUDA_R_64F, CUSPARSE_ORDER_ROW), kSuccess);
  EXPECT_EQ(cusparseDestroyDnMat(matrix), kSuccess);
  ASSERT_GE(heard.size(), 2u);
  const Line& line = heard[heard.size() - 2];
  EXPECT_EQ(line.level, 5);
  EXPECT_EQ(line.function, "cusparseCreateDnMat");
  EXPECT_NE(line.message.find(", rows=2, cols=3, ld=4, values=0, valueType=1, order=2"), std::string::npos)
      << line.message;
}

TEST_F(CusparseLog, MaskChoosesKinds) {
  ASSERT_EQ(cusparseLoggerSetMask(1 << 4), kSuccess);
  heard.clear();
  fail();
  EXPECT_TRUE(heard.empty());
  succeed();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].level, 5);
}

}  // namespace
