// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "plugin/fake_driver.hpp"

#include <cstring>

// Stands in for the CUDA driver where pointers are asked about.
namespace {

struct Marked {
  const char* begin = nullptr;
  std::size_t bytes = 0;
  unsigned type = 0;
  bool is_managed = false;
};
Marked marked[8];
int count = 0;

}  // namespace

extern "C" void fake_driver_mark(const void* begin, std::size_t bytes, unsigned type, bool is_managed) {
  marked[count++] = {static_cast<const char*>(begin), bytes, type, is_managed};
}

extern "C" int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  for (int i = 0; i < count; ++i) {
    const auto begin = reinterpret_cast<unsigned long long>(marked[i].begin);
    if (pointer < begin || pointer >= begin + marked[i].bytes) continue;
    if (attribute == 2)
      std::memcpy(data, &marked[i].type, sizeof marked[i].type);
    else
      *static_cast<bool*>(data) = marked[i].is_managed;
    return 0;
  }
  return 1;  // CUDA_ERROR_INVALID_VALUE
}
