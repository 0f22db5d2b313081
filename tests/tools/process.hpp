// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace spk::test {

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

// Runs a program and waits for it. Its stdin is empty; stdout and stderr are no terminals.
Outcome run_program(const std::string& program, const std::vector<std::string>& arguments);

// Runs the spk tool.
Outcome run_tool(const std::vector<std::string>& arguments);

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

// Tests that write files do it in a folder of their own, which goes away with them.
class ToolTest : public ::testing::Test {
 protected:
  ToolTest();
  ~ToolTest() override;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path folder_;
};

inline std::string sample(const std::string& name) { return std::string(SPK_SAMPLES) + "/" + name; }

}  // namespace spk::test
