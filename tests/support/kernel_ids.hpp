// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <spk/spk.h>

namespace spk::test {

// Kernels have ids of [kFirstKernel, kMostKernels); the algorithms named by the C ABI are below.
constexpr spk_algorithm_t kFirstKernel = 256, kMostKernels = 1024;

}  // namespace spk::test
