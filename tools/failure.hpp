// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <stdexcept>

namespace spk::tool {

// The command line asks for something that makes no sense: one sentence on stderr, exit code 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What was asked for could not be done: the library's message on stderr, exit code 1.
class Failure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace spk::tool
