// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <fstream>
#include <sstream>

#include "process.hpp"
#include "support/require.hpp"

namespace spk::test {
namespace {

void expect_success(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_tool(arguments);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(ToolTest, ConvertKeepsStructureThroughBothFormats) {
  expect_success({"convert", sample("pruned_128x256_s90.smtx"), path("a.mtx")});
  expect_success({"convert", path("a.mtx"), path("b.smtx.gz")});
  expect_success({"convert", path("b.smtx.gz"), path("c.smtx")});
  EXPECT_EQ(read_text(path("c.smtx")), read_text(sample("pruned_128x256_s90.smtx")));
}

TEST_F(ToolTest, ConvertKeepsValuesBitForBit) {
  expect_success({"convert", sample("pruned_64x147_s95.mtx"), path("a.mtx.gz")});
  expect_success({"convert", path("a.mtx.gz"), path("b.mtx")});
  expect_success({"convert", path("b.mtx"), path("c.mtx")});
  EXPECT_EQ(read_text(path("b.mtx")), read_text(path("c.mtx")));
  const std::string text = read_text(path("b.mtx"));
  const std::string original = read_text(sample("pruned_64x147_s95.mtx"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(original.begin(), original.end(), '\n'));
}

TEST_F(ToolTest, TransposeMovesEveryEntry) {
  const std::string file =
      write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2.5\n2 2 -4\n");
  expect_success({"convert", file, path("t.mtx"), "--transpose"});
  const std::string text = read_text(path("t.mtx"));
  std::istringstream in(text.substr(text.find("3 2 3")));
  std::vector<double> numbers;
  for (double number; in >> number;) numbers.push_back(number);
  EXPECT_EQ(numbers, (std::vector<double>{3, 2, 3, 1, 1, 1, 2, 2, -4, 3, 1, 2.5}));
}

TEST_F(ToolTest, TransposeTwiceIsTheSameFile) {
  expect_success({"convert", sample("uneven_200x300_s97.mtx"), path("a.mtx")});
  expect_success({"convert", path("a.mtx"), path("t.mtx"), "--transpose"});
  expect_success({"convert", path("t.mtx"), path("tt.mtx"), "--transpose"});
  EXPECT_EQ(read_text(path("tt.mtx")), read_text(path("a.mtx")));
  EXPECT_NE(read_text(path("t.mtx")), read_text(path("a.mtx")));
}

TEST_F(ToolTest, PatternOptionDropsValues) {
  expect_success({"convert", sample("pruned_64x147_s95.mtx"), path("p.mtx"), "--pattern"});
  EXPECT_NE(read_text(path("p.mtx")).find("pattern"), std::string::npos);
}

TEST_F(ToolTest, ValuesOptionWritesRepeatableValues) {
  expect_success({"convert", sample("pruned_128x256_s90.smtx"), path("a.mtx"), "--values"});
  expect_success({"convert", sample("pruned_128x256_s90.smtx"), path("b.mtx"), "--values"});
  EXPECT_EQ(read_text(path("a.mtx")), read_text(path("b.mtx")));
  EXPECT_NE(read_text(path("a.mtx")).find("real"), std::string::npos);
}

TEST_F(ToolTest, GenerateRepeatsForASeed) {
  const auto generate = [&](const char* name, const char* seed) {
    expect_success({"generate", path(name), "--rows", "70", "--cols", "90", "--sparsity", "0.9", "--seed", seed});
    return read_text(path(name));
  };
  const std::string first = generate("a.mtx", "7");
  EXPECT_EQ(first, generate("b.mtx", "7"));
  EXPECT_NE(first, generate("c.mtx", "8"));
  EXPECT_NE(first.find("\n70 90 630\n"), std::string::npos);
}

TEST_F(ToolTest, GenerateReachesBothEndsOfSparsity) {
  expect_success({"generate", path("full.smtx"), "--rows", "3", "--cols", "4", "--sparsity", "0", "--row-cov", "3"});
  EXPECT_TRUE(read_text(path("full.smtx")).starts_with("3, 4, 12\n"));
  expect_success({"generate", path("none.smtx"), "--rows", "3", "--cols", "4", "--sparsity", "1"});
  EXPECT_TRUE(read_text(path("none.smtx")).starts_with("3, 4, 0\n"));
  expect_success({"generate", path("no_rows.smtx"), "--rows", "0", "--cols", "4"});
  EXPECT_TRUE(read_text(path("no_rows.smtx")).starts_with("0, 4, 0\n"));
}

TEST_F(ToolTest, ValidateSaysWhichFileIsBadAndExits1) {
  const std::string good = write("good.smtx", "2, 2, 2\n0 1 2\n0 1\n");
  const std::string bad = write("bad.smtx", "2, 2, 2\n0 2 1\n0 1\n");
  const Outcome both = run_tool({"validate", good, bad});
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_NE(both.out.find("valid    " + good), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("INVALID  " + bad), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("1 valid, 1 invalid"), std::string::npos) << both.out;
  EXPECT_EQ(run_tool({"validate", good}).exit_code, 0);
}

TEST_F(ToolTest, ValidateRemarksDuplicatesOrderAndSpecialValues) {
  const std::string file = write("odd.mtx",
                                 "%%MatrixMarket matrix coordinate real general\n2 2 4\n"
                                 "2 2 nan\n1 1 1\n1 1 2\n1 2 inf\n");
  const Outcome outcome = run_tool({"validate", file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* remark : {"1 duplicates", "1 descents", "1 NaN", "1 infinite"}) {
    EXPECT_NE(outcome.out.find(remark), std::string::npos) << outcome.out;
  }
}

TEST(Validate, GivesEveryMalformedFileItsVerdict) {
  const std::string folder = std::string(SPK_DATA_DIR) + "/malformed";
  std::ifstream in(folder + "/expectations.csv");
  if (!in) SPK_SKIP_WITHOUT("data", "no malformed/expectations.csv: SPK_DATA_DIR = \"" << SPK_DATA_DIR << "\"");
  const Outcome outcome = run_tool({"validate", folder});
  EXPECT_EQ(outcome.exit_code, 1);
  std::string line;
  std::getline(in, line);
  int files = 0;
  while (std::getline(in, line)) {
    const std::string name = line.substr(0, line.find(','));
    const bool accepted = line.substr(name.size() + 1).starts_with("accept");
    const std::string verdict = (accepted ? "valid    " : "INVALID  ") + folder + "/" + name + " ";
    EXPECT_NE(outcome.out.find(verdict), std::string::npos) << verdict;
    ++files;
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace spk::test
