// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>
#include <nlohmann/json.hpp>

#include "process.hpp"

namespace spk::test {
namespace {

using nlohmann::json;

struct WrongUsage {
  const char* name;
  std::vector<std::string> arguments;
  const char* sentence;  // somewhere in the message
};

void PrintTo(const WrongUsage& usage, std::ostream* stream) { *stream << usage.name; }

class Usage : public ::testing::TestWithParam<WrongUsage> {};

TEST_P(Usage, IsOneSentenceAndExitCode2) {
  const Outcome outcome = run_tool(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("spk: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().sentence), std::string::npos) << outcome.err;
}

const std::string kFile = sample("pruned_128x256_s90.smtx");

INSTANTIATE_TEST_SUITE_P(
    Cases, Usage,
    ::testing::Values(
        WrongUsage{"NoSubcommand", {}, "subcommand is required"},
        WrongUsage{"UnknownSubcommand", {"frobnicate"}, "frobnicate is not a subcommand"},
        WrongUsage{"UnknownOption", {"inspect", kFile, "--bogus"}, "--bogus"},
        WrongUsage{"NoFile", {"inspect"}, "FILE is required"},
        WrongUsage{"MissingFile", {"inspect", "no_such.mtx"}, "FILE = no_such.mtx cannot be opened"},
        WrongUsage{"FolderAsFile", {"inspect", SPK_SAMPLES}, "is a folder"},
        WrongUsage{"UnknownOperation", {"run", "spgemm", kFile}, "OPERATION = spgemm but must be spmm"},
        WrongUsage{"RunMissingFile", {"run", "spmm", "no_such.smtx"}, "FILE = no_such.smtx cannot be opened"},
        WrongUsage{"ZeroN", {"run", "spmm", kFile, "--n", "0"}, "--n = 0 but must be at least 1"},
        WrongUsage{"NegativeN", {"run", "spmm", kFile, "--n", "-1"}, "--n = -1 but must be at least 1"},
        WrongUsage{"WordAsN", {"run", "spmm", kFile, "--n", "many"}, "--n = many but must be an integer"},
        WrongUsage{"HugeN",
                   {"run", "spmm", kFile, "--n", "99999999999999999999"},
                   "--n = 99999999999999999999 but must be an integer that fits"},
        WrongUsage{"UnknownType", {"run", "spmm", kFile, "--type", "f8"}, "--type = f8 but must be f32"},
        WrongUsage{"UnknownBackend", {"run", "spmm", kFile, "--backend", "tpu"}, "--backend = tpu but must be auto"},
        WrongUsage{"UnknownOrder", {"run", "spmm", kFile, "--order", "diag"}, "--order = diag but must be row or col"},
        WrongUsage{"UnknownOp", {"run", "spmm", kFile, "--op", "h"}, "--op = h but must be n, t or c"},
        WrongUsage{"SoftmaxOp", {"run", "softmax", kFile, "--op", "t"}, "softmax takes no --op"},
        WrongUsage{"NegativeThreads", {"run", "spmm", kFile, "--threads", "-2"}, "--threads = -2"},
        WrongUsage{"ZeroSamples", {"run", "spmm", kFile, "--samples", "0"}, "--samples = 0"},
        WrongUsage{"BenchMissingPath", {"bench", "no_such_folder"}, "PATH = no_such_folder"},
        WrongUsage{"BenchBadN", {"bench", kFile, "--n", "8,0"}, "--n = 8,0"},
        WrongUsage{"BenchEmptyList", {"bench", kFile, "--op", "spmm,"}, "--op = spmm,"},
        WrongUsage{"BenchUnknownBackend", {"bench", kFile, "--backend", "cpu,tpu:plan"}, "--backend = tpu"},
        WrongUsage{"ConvertUnknownFormat", {"convert", kFile, "out.csv"}, "OUT = out.csv but must end in .mtx"},
        WrongUsage{"ConvertValuesToSmtx", {"convert", kFile, "out.smtx", "--values"}, "--values needs an .mtx"},
        WrongUsage{"ValidateMissing", {"validate", "no_such.mtx"}, "FILE = no_such.mtx"},
        WrongUsage{"GenerateSparsity",
                   {"generate", "out.mtx", "--rows", "2", "--cols", "2", "--sparsity", "1.5"},
                   "--sparsity = 1.5 but must be from 0 to 1"},
        WrongUsage{"GenerateNaN",
                   {"generate", "out.mtx", "--rows", "2", "--cols", "2", "--sparsity", "nan"},
                   "--sparsity = nan but must be from 0 to 1"},
        WrongUsage{"GenerateNegative", {"generate", "out.mtx", "--rows", "-2", "--cols", "2"}, "--rows = -2"},
        WrongUsage{"GenerateNoRows", {"generate", "out.mtx", "--cols", "2"}, "--rows is required"},
        WrongUsage{"ReplayMissing", {"replay", "no_such.json"}, "FILE = no_such.json"},
        WrongUsage{"DemoMissingFile", {"demo", "no_such.mtx"}, "FILE = no_such.mtx"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Help, NamesEverySubcommand) {
  const Outcome outcome = run_tool({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* name : {"info", "inspect", "run", "bench", "convert", "validate", "generate", "demo", "replay"}) {
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
    const Outcome help = run_tool({name, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("Usage"), std::string::npos) << name;
  }
}

TEST_F(ToolTest, MalformedFileIsTheReadersMessageAndExitCode1) {
  const std::string file = write("bad.smtx", "2, 2, 1\n0 1 1\n7\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"inspect", file}, {"run", "spmm", file}, {"convert", file, path("out.mtx")}}) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("line 3"), std::string::npos) << outcome.err;
  }
}

TEST_F(ToolTest, ReplayJudgesCaseFilesAndExits1OnAFailure) {
  const char* text = R"({"format": 1, "id": "%s", "op": "no such operation"})";
  const Outcome outcome = run_tool({"replay", write("broken.json", text)});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_NE(outcome.out.find("FAIL"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("0 passed, 1 failed, 0 skipped"), std::string::npos) << outcome.out;
}

TEST(Info, DescribesEveryBackend) {
  const Outcome outcome = run_tool({"info", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json info = json::parse(outcome.out);
  ASSERT_EQ(info["backends"].size(), 3u);
  EXPECT_EQ(info["backends"][0]["name"], "cpu");
  EXPECT_EQ(info["backends"][1]["name"], "cuda");
  EXPECT_EQ(info["backends"][2]["name"], "reference");
  EXPECT_EQ(info["backends"][2]["available"], true);
  for (const json& backend : info["backends"]) EXPECT_NE(backend["detail"], "");
}

TEST(Info, MissingDeviceIsTheLibrarysReason) {
  const json info = json::parse(run_tool({"info", "--json"}).out);
  if (info["backends"][1]["available"]) GTEST_SKIP() << "a CUDA device is here";
  const Outcome outcome = run_tool({"run", "spmm", kFile, "--backend", "cuda"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("SPK_STATUS_BACKEND_UNAVAILABLE"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace spk::test
