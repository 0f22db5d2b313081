// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cstddef>

#define FAKE_DRIVER __attribute__((visibility("default")))

extern "C" {
// Says what the driver answers about a range: type 1 host, 2 device. Nothing is known of other addresses.
FAKE_DRIVER void fake_driver_mark(const void* begin, std::size_t bytes, unsigned type, bool is_managed);
FAKE_DRIVER int cuPointerGetAttributes(unsigned attribute_count, const int* attributes, void** data,
                                       unsigned long long pointer);
}
