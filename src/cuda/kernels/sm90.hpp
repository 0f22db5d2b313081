// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/device.hpp"

namespace spk::cuda {

inline constexpr std::size_t kSm90aMarkerBytes = 256;

// The code that the current device runs of this build: the compute capability that it was compiled for, in tenths, and
// whether it is that for SM 9.0a. A build may have code or PTX for less than the device is; kernels that ask for more are
// empty in it.
struct CodeAtHand {
  int sm;
  bool is_sm90a;
};
CodeAtHand code_at_hand();

}  // namespace spk::cuda
