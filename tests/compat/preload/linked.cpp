// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// A program that is linked with cuSPARSE.
#include <cstdio>

extern "C" int multiply();

int main() {
  std::printf("SpMM = %d\n", multiply());
  std::fflush(stdout);
  return 0;
}
