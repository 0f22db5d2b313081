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

extern "C" int cuPointerGetAttributes(unsigned attribute_count, const int* attributes, void** data,
                                      unsigned long long pointer) {
  Marked found;
  for (int i = 0; i < count; ++i) {
    const auto begin = reinterpret_cast<unsigned long long>(marked[i].begin);
    if (pointer >= begin && pointer < begin + marked[i].bytes) found = marked[i];
  }
  for (unsigned i = 0; i < attribute_count; ++i) {
    if (attributes[i] == 2)
      std::memcpy(data[i], &found.type, sizeof found.type);
    else
      *static_cast<bool*>(data[i]) = found.is_managed;
  }
  return 0;
}
