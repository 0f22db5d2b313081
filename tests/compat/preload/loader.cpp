// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
// loader HOW FILE: reaches cuSPARSE in one of the ways in which programs do, and prints what a product answers.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* how = argv[1];
  int mode = RTLD_NOW;
  if (std::strcmp(how, "local") == 0 || std::strcmp(how, "dlsym") == 0) mode |= RTLD_LOCAL;
  if (std::strcmp(how, "global") == 0) mode |= RTLD_GLOBAL;
  if (std::strcmp(how, "deepbind") == 0) mode |= RTLD_LOCAL | RTLD_DEEPBIND;
  void* library = dlopen(argv[2], mode);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  int status = -1;
  if (std::strcmp(how, "dlsym") == 0) {
    // The library itself, its function by name. The fake reads none of the arguments.
    auto* product = reinterpret_cast<int (*)(void*, int, int, const void*, const void*, const void*, const void*, void*,
                                             int, int, void*)>(dlsym(library, "cusparseSpMM"));
    status = product(nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, nullptr);
  } else {
    status = reinterpret_cast<int (*)()>(dlsym(library, "multiply"))();
  }
  std::printf("SpMM = %d\n", status);
  std::fflush(stdout);
  return 0;
}
