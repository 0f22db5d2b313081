// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <spk/spk_handle.h>

#include <nlohmann/json.hpp>

#include "process.hpp"

namespace spk::test {
namespace {

using nlohmann::json;

// One run with --check: inside the bound, every element compared.
void expect_inside(std::vector<std::string> arguments, std::int64_t elements) {
  std::string line = "spk";
  for (const std::string& argument : arguments) line += " " + argument;
  SCOPED_TRACE(line);
  for (const char* more : {"--check", "--json", "--samples", "1"}) arguments.emplace_back(more);
  const Outcome outcome = run_tool(arguments);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["check"]["inside"], true);
  EXPECT_LE(result["check"]["error_over_bound"].get<double>(), 1);
  EXPECT_EQ(result["check"]["entries"], elements);
  EXPECT_NE(result["kernel"], "");
}

class Run : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Types, Run, ::testing::Values("f32", "f64", "f16", "bf16", "c64", "c128"),
                         [](const auto& test) { return std::string(test.param); });

const std::string kFile = sample("uneven_200x300_s97.mtx");  // 1800 entries

TEST_P(Run, SpmmIsInsideTheBoundForEveryOrderAndOp) {
  for (const char* order : {"row", "col"}) {
    for (const char* op : {"n", "t", "c"}) {
      const std::int64_t rows = op[0] == 'n' ? 200 : 300;
      expect_inside({"run", "spmm", kFile, "--type", GetParam(), "--order", order, "--op", op, "--n", "17"}, rows * 17);
    }
    expect_inside({"run", "spmm", kFile, "--type", GetParam(), "--order", order, "--op-b", "t", "--n", "17", "--alpha",
                   "-1.5", "--beta", "0.5", "--plan"},
                  200 * 17);
  }
}

TEST_P(Run, SpmvIsInsideTheBoundForEveryOp) {
  expect_inside({"run", "spmv", kFile, "--type", GetParam(), "--op", "n"}, 200);
  expect_inside({"run", "spmv", kFile, "--type", GetParam(), "--op", "t", "--plan"}, 300);
  expect_inside({"run", "spmv", kFile, "--type", GetParam(), "--op", "c", "--beta", "2"}, 300);
}

TEST_P(Run, SddmmIsInsideTheBoundForEveryOrderAndOp) {
  for (const char* order : {"row", "col"}) {
    for (const char* op : {"n", "t", "c"}) {
      expect_inside(
          {"run", "sddmm", kFile, "--type", GetParam(), "--order", order, "--op", "n", "--op-b", op, "--n", "33"},
          1800);
      expect_inside({"run", "sddmm", kFile, "--type", GetParam(), "--order", order, "--op", op, "--n", "33", "--beta",
                     "0.5", "--plan"},
                    1800);
    }
  }
}

TEST_P(Run, SoftmaxIsInsideTheBound) {
  const std::string type = GetParam();
  if (type[0] == 'c') {
    const Outcome outcome = run_tool({"run", "softmax", kFile, "--type", type});
    EXPECT_EQ(outcome.exit_code, 1) << "there is no complex softmax";
    EXPECT_NE(outcome.err.find("spk_softmax"), std::string::npos) << outcome.err;
    return;
  }
  expect_inside({"run", "softmax", kFile, "--type", type, "--alpha", "3"}, 1800);
  expect_inside({"run", "softmax", kFile, "--type", type, "--plan"}, 1800);
}

TEST(RunOn, TheReferenceBackendChecksItself) {
  for (const char* operation : {"spmm", "sddmm"}) {
    const std::int64_t elements = operation[1] == 'p' ? 200 * 5 : 1800;
    expect_inside({"run", operation, kFile, "--n", "5", "--backend", "reference"}, elements);
  }
  expect_inside({"run", "softmax", kFile, "--backend", "reference"}, 1800);
}

TEST_F(ToolTest, RunTakesMatricesWithoutEntries) {
  const std::string file = write("none.smtx", "3, 4, 0\n0 0 0 0\n\n");
  expect_inside({"run", "spmm", file, "--n", "5"}, 15);
  expect_inside({"run", "sddmm", file, "--n", "5"}, 0);
  expect_inside({"run", "softmax", file}, 0);
}

TEST_F(ToolTest, BenchWritesEveryProblemAsJson) {
  const Outcome outcome =
      run_tool({"bench", SPK_SAMPLES, "--op", "spmm,sddmm,softmax", "--n", "4,16", "--backend",
                "cpu,cpu:plan,reference", "--samples", "1", "--no-limits", "--json", path("b.json")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "progress belongs on terminals";
  EXPECT_NE(outcome.out.find("geometric mean cpu:"), std::string::npos) << outcome.out;
  const json result = json::parse(read_text(path("b.json")));
  ASSERT_EQ(result["problems"].size(), 5u * (2 + 2 + 1));
  for (const json& problem : result["problems"]) {
    ASSERT_EQ(problem["results"].size(), 3u);
    EXPECT_EQ(problem["results"][1]["backend"], "cpu:plan");
    const auto work = 2 * problem["nnz"].get<std::int64_t>() * problem["n"].get<std::int64_t>();
    EXPECT_EQ(problem["flops"].get<double>(), problem["operation"] == "softmax" ? 0 : static_cast<double>(work));
    for (const json& timed : problem["results"]) EXPECT_GT(timed["seconds_median"].get<double>(), 0);
  }
}

TEST_F(ToolTest, BenchTakesTheSetsOfAnIndex) {
  write("a.smtx", "2, 2, 2\n0 1 2\n0 1\n");
  write("b.smtx", "2, 2, 1\n0 1 1\n0\n");
  const std::string index = write("index.csv", "file,set\na.smtx,smoke\nb.smtx,full\n");
  const auto problems = [&](const char* set) {
    const Outcome outcome =
        run_tool({"bench", index, "--set", set, "--samples", "1", "--no-limits", "--json", path("b.json")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(read_text(path("b.json")))["problems"].size();
  };
  EXPECT_EQ(problems("smoke"), 1u);
  EXPECT_EQ(problems("smoke,full"), 2u);
  EXPECT_EQ(run_tool({"bench", index, "--set", "core"}).exit_code, 2);
}

// What the demo ends with for `count` results of each backend that is checked: the CPU, and CUDA where it is.
std::string all_inside(int count) {
  spk_backend_info_t cuda{};
  cuda.struct_size = sizeof cuda;
  EXPECT_EQ(spk_backend_info(SPK_BACKEND_CUDA, &cuda), SPK_STATUS_SUCCESS);
  const std::string results = std::to_string(count * (1 + cuda.available));
  return results + " of " + results + " results inside their bound";
}

TEST(Demo, ChecksEveryOperationOnEveryFile) {
  const Outcome outcome = run_tool({"demo", SPK_SAMPLES, "--n", "16"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(all_inside(15)), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << "colours belong on terminals";
  for (const char* text : {"spmm", "sddmm", "softmax", "pruned_64x147_s95", "err/bound"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
}

TEST(Demo, TimesTheReferenceWhenAsked) {
  const Outcome outcome = run_tool({"demo", sample("pruned_64x147_s95.mtx"), "--n", "8", "--time-reference"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("is the check"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(all_inside(3)), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace spk::test
