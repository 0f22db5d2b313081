// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace spk::test {

Outcome run_program(const std::string& program, const std::vector<std::string>& arguments) {
  int out_pipe[2];
  int err_pipe[2];
  if (pipe(out_pipe) != 0 || pipe(err_pipe) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out_pipe[1], STDOUT_FILENO);
    dup2(err_pipe[1], STDERR_FILENO);
    for (const int end : {out_pipe[0], out_pipe[1], err_pipe[0], err_pipe[1]}) close(end);
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    execv(program.c_str(), words.data());
    _exit(127);
  }
  close(out_pipe[1]);
  close(err_pipe[1]);
  Outcome outcome{-1, "", ""};
  std::array<pollfd, 2> ends = {pollfd{out_pipe[0], POLLIN, 0}, pollfd{err_pipe[0], POLLIN, 0}};
  std::array<std::string*, 2> texts = {&outcome.out, &outcome.err};
  for (int open_ends = 2; open_ends > 0;) {
    poll(ends.data(), ends.size(), -1);
    for (std::size_t e = 0; e < ends.size(); ++e) {
      if (ends[e].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = ::read(ends[e].fd, buffer, sizeof buffer);
      if (count > 0) {
        texts[e]->append(buffer, static_cast<std::size_t>(count));
      } else {
        close(ends[e].fd);
        ends[e].fd = -1;  // poll leaves it out from now on
        --open_ends;
      }
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome run_tool(const std::vector<std::string>& arguments) { return run_program(SPK_TOOL, arguments); }

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return text.str();
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

ToolTest::ToolTest() {
  std::string name = (std::filesystem::temp_directory_path() / "spk_tool_test_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder");
  folder_ = name;
}

ToolTest::~ToolTest() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

std::string ToolTest::write(const std::string& name, const std::string& text) const {
  write_text(folder_ / name, text);
  return path(name);
}

}  // namespace spk::test
