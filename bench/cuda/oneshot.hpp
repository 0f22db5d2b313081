// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <string>

#include "device.hpp"
#include "problems.hpp"

namespace spk::bench {

// Microseconds of the host thread for SpMM as most callers write it: create three descriptors, call, destroy them. The
// device's work is queued and not waited for. Medians; 0 where nobody ran.
struct Oneshot {
  Setting setting;
  std::string matrix;
  std::int64_t n = 0;
  double empty_us = 0;  // launching an empty kernel
  double spk_us = 0;
  double cusparse_us = 0;
};
Oneshot measure_oneshot(const Device& device, const tool::CsrMatrix& matrix, const Setting& setting, std::int64_t n,
                        bool with_spk, bool with_peers);

void print_oneshot_titles();
void print_oneshot(const Oneshot& oneshot);

}  // namespace spk::bench
