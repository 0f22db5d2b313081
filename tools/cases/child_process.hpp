// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace spk::cases {

// How a process ended.
struct Ending {
  bool timed_out = false;
  int exit_code = -1;  // -1 if a signal ended it
  int signal = 0;
  // Empty for exit code `wanted`, else "was ended by signal 11 (Segmentation fault)" and the like.
  std::string problem(int wanted = 0) const;
};

// Waits for a child, at most `seconds`; kills it after that.
Ending wait_for(pid_t child, double seconds);

// Runs a program with the arguments after arguments[0]; its standard output goes to `output` if not NULL.
Ending run_program(const std::vector<std::string>& arguments, double seconds, std::string* output);

// Absolute path of this executable, and of a file beside it.
std::string this_program();
std::string beside_this_program(const std::string& name);

// Path of the libspk.so in use; empty where spk is linked statically.
std::string library_path();

}  // namespace spk::cases
