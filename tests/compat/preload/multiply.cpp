// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// A user of cuSPARSE: an extension module of some program, or a part of the program itself.
#include "compat/preload/fake_cusparse.hpp"

extern "C" __attribute__((visibility("default"))) int multiply();

int multiply() {
  fake_cusparse::Handle handle;
  fake_cusparse::Sparse a{5, 1, 4, 4, 4};  // Blocked-ELL, which the interposer leaves alone
  fake_cusparse::Dense b{4, 4, 4}, c{4, 4, 4};
  const float one = 1;
  return cusparseSpMM(&handle, 0, 0, &one, &a, &b, &one, &c, 0, 0, nullptr);
}
