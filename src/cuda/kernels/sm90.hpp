// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/device.hpp"

namespace spk::cuda {

inline constexpr std::size_t kSm90aMarkerBytes = 256;

// Whether the device runs code for SM 9.0a, and this build has it: not so where it was built for other architectures,
// or where the driver compiles older PTX.
bool has_sm90a(const Device& device);

}  // namespace spk::cuda
