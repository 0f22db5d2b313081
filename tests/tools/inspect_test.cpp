// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "process.hpp"
#include "support/require.hpp"

namespace spk::test {
namespace {

using nlohmann::json;

// Rows of a table with a title line, by title.
std::vector<std::map<std::string, std::string>> read_csv(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> titles;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(words, cell, ',');) cells.push_back(cell);
    if (titles.empty()) {
      titles = cells;
      continue;
    }
    std::map<std::string, std::string> row;
    for (std::size_t c = 0; c < cells.size(); ++c) row[titles[c]] = cells[c];
    rows.push_back(row);
  }
  return rows;
}

std::string six_digits(const json& number) { return fmt::format("{:.6f}", number.get<double>()); }
std::string integer(const json& number) { return fmt::format("{}", number.get<std::int64_t>()); }

TEST(Inspect, AgreesWithTheIndexOfTheCollection) {
  const std::string folder = std::string(SPK_DATA_DIR) + "/dlmc/";
  const auto rows = read_csv(folder + "index.csv");
  if (rows.empty()) SPK_SKIP_WITHOUT("data", "no dlmc/index.csv: SPK_DATA_DIR = \"" << SPK_DATA_DIR << "\"");
  int compared = 0;
  for (auto row : rows) {
    if (row["set"] == "full") continue;
    SCOPED_TRACE(row["file"]);
    const Outcome outcome = run_tool({"inspect", folder + row["file"], "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json facts = json::parse(outcome.out);
    EXPECT_EQ(integer(facts["rows"]), row["nrows"]);
    EXPECT_EQ(integer(facts["cols"]), row["ncols"]);
    EXPECT_EQ(six_digits(facts["sparsity"]), row["sparsity"]);
    EXPECT_EQ(six_digits(facts["row_mean"]), row["row_mean"]);
    // This column of the index was rounded twice (15.06622749 stands there as 15.066228): one unit of its last digit.
    EXPECT_NEAR(facts["row_std"].get<double>(), std::stod(row["row_std"]), 0.6e-6);
    EXPECT_EQ(six_digits(facts["row_cov"]), row["row_cov"]);
    for (const char* title : {"nnz", "row_min", "row_max", "empty_rows", "empty_cols"}) {
      EXPECT_EQ(integer(facts[title]), row[title]) << title;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 40);
}

TEST_F(ToolTest, InspectCountsWhatAFileHolds) {
  // Rows of 2 (one place twice), 0 and 2 entries; one of them is an explicit zero.
  const std::string file = write("small.mtx",
                                 "%%MatrixMarket matrix coordinate real general\n3 4 5\n"
                                 "1 2 1.5\n1 2 0.5\n1 4 0\n3 1 -2\n3 2 3\n");
  const json facts = json::parse(run_tool({"inspect", file, "--json"}).out);
  EXPECT_EQ(facts["field"], "real");
  EXPECT_EQ(facts["symmetry"], "general");
  EXPECT_EQ(facts["stored_in_file"], 5);
  EXPECT_EQ(facts["nnz"], 4);
  EXPECT_EQ(facts["duplicates"], 1);
  EXPECT_EQ(facts["explicit_zeros"], 1);
  EXPECT_EQ(facts["row_min"], 0);
  EXPECT_EQ(facts["row_max"], 2);
  EXPECT_EQ(facts["empty_rows"], 1);
  EXPECT_EQ(facts["empty_cols"], 1);
  EXPECT_DOUBLE_EQ(facts["sparsity"], 1.0 - 4.0 / 12.0);
  EXPECT_DOUBLE_EQ(facts["row_mean"], 4.0 / 3.0);
  EXPECT_NEAR(facts["row_cov"], std::sqrt(8.0 / 9.0) / (4.0 / 3.0), 1e-15);
}

TEST_F(ToolTest, InspectMirrorsSymmetricFiles) {
  const std::string file =
      write("symmetric.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 5\n2 1 1\n3 2 2\n");
  const json facts = json::parse(run_tool({"inspect", file, "--json"}).out);
  EXPECT_EQ(facts["symmetry"], "symmetric");
  EXPECT_EQ(facts["stored_in_file"], 3);
  EXPECT_EQ(facts["nnz"], 5);
}

TEST_F(ToolTest, InspectTakesMatricesWithoutRowsColumnsOrEntries) {
  for (const char* text : {"0, 4, 0\n0\n\n", "4, 0, 0\n0 0 0 0 0\n\n", "2, 3, 0\n0 0 0\n\n"}) {
    const std::string file = write("empty.smtx", text);
    const Outcome outcome = run_tool({"inspect", file, "--plot", path("empty.svg")});
    EXPECT_EQ(outcome.exit_code, 0) << text << outcome.err;
    EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
    EXPECT_EQ(read_text(path("empty.svg")).find("nan"), std::string::npos) << text;
  }
}

TEST(Inspect, PrintsTheThreePropertiesAndAPlainHistogram) {
  const Outcome outcome = run_tool({"inspect", sample("pruned_128x256_s90.smtx")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"mean row length", "row length CoV", "sparsity", "0.899994", "25.601562", "0.259111",
                           "13.4 times sparser", "2.3 times shorter", "25 times higher", "quoted", "|#"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
  // No terminal, no colours and no block characters.
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  for (const char c : outcome.out) ASSERT_EQ(static_cast<unsigned char>(c) & 0x80, 0);
}

TEST_F(ToolTest, PlotIsWellFormedXml) {
  if (std::string(SPK_PYTHON).empty()) GTEST_SKIP() << "no python3 to read XML with";
  // The name holds everything that XML wants escaped.
  const std::string file = write("a&b<c>\"d\".smtx", read_text(sample("empty_rows_300x100_s99.smtx")));
  const Outcome outcome = run_tool({"inspect", file, "--plot", path("plot.svg")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome parsed = run_program(
      SPK_PYTHON,
      {"-c",
       "import sys, xml.etree.ElementTree as tree\n"
       "root = tree.parse(sys.argv[1]).getroot()\n"
       "space = '{http://www.w3.org/2000/svg}'\n"
       "kinds = [r.get('class') or '' for r in root.iter(space + 'rect')]\n"
       "print(root.tag == space + 'svg', sum(k == 'bar' for k in kinds), sum(k[:1] == 's' for k in kinds) > 50)\n"
       "print([t.text for t in root.iter(space + 'text')][0][-9:])\n",
       path("plot.svg")});
  ASSERT_EQ(parsed.exit_code, 0) << parsed.err;
  // 19 lengths, 0 to 18, are 19 bars.
  EXPECT_EQ(parsed.out, "True 19 True\na&b<c>\"d\"\n");
}

}  // namespace
}  // namespace spk::test
