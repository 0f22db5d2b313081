// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "read_and_copy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Any bytes as .mtx: read or refused, the same way with one thread and with three.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Copy serial = fuzz::read_and_copy("m.mtx", data, size, 1);
  fuzz::demand(fuzz::read_and_copy("m.mtx", data, size, 3) == serial, "threads change nothing");
  return 0;
}
