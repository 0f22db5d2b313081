// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cases/child_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <spk/spk.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>

extern char** environ;

namespace spk::cases {
namespace {

using Clock = std::chrono::steady_clock;

Ending ending_of(int status) {
  Ending ending;
  if (WIFEXITED(status))
    ending.exit_code = WEXITSTATUS(status);
  else if (WIFSIGNALED(status))
    ending.signal = WTERMSIG(status);
  return ending;
}

int milliseconds_left(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(0, std::min<std::int64_t>(left, 1000)));
}

// Collects what the child writes until it closes its end or the time is over.
void read_all(int descriptor, Clock::time_point deadline, std::string& output) {
  char text[4096];
  while (Clock::now() < deadline) {
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, milliseconds_left(deadline));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    const ssize_t got = read(descriptor, text, sizeof text);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    output.append(text, static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string Ending::problem(int wanted) const {
  if (timed_out) return "did not end in time";
  if (signal != 0) return "was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  if (exit_code != wanted)
    return "ended with code " + std::to_string(exit_code) + " but must end with " + std::to_string(wanted);
  return {};
}

Ending wait_for(pid_t child, double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  // Short pauses at first: most children end at once.
  for (useconds_t pause = 200;; pause = std::min<useconds_t>(pause * 2, 20000)) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return ending_of(status);
    if (ended < 0 && errno != EINTR) return {};
    if (Clock::now() >= deadline) break;
    usleep(pause);
  }
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  Ending ending;
  ending.timed_out = true;
  return ending;
}

Ending run_program(const std::vector<std::string>& arguments, double seconds, std::string* output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output != nullptr && pipe2(ends, O_CLOEXEC) == 0) posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child = -1;
  const auto start = Clock::now();
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (ends[1] >= 0) close(ends[1]);
  Ending ending;
  if (failed == 0) {
    const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    if (ends[0] >= 0) read_all(ends[0], start + limit, *output);
    const std::chrono::duration<double> used = Clock::now() - start;
    ending = wait_for(child, std::max(0.0, seconds - used.count()) + 0.5);
  }
  if (ends[0] >= 0) close(ends[0]);
  return ending;
}

std::string this_program() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

std::string beside_this_program(const std::string& name) {
  return (std::filesystem::path(this_program()).parent_path() / name).string();
}

std::string library_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&spk_create), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::canonical(info.dli_fname, failed);
  return failed || path == this_program() ? std::string() : path.string();
}

}  // namespace spk::cases
