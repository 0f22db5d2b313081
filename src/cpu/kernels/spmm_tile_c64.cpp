// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/kernels/spmm_kernels.hpp"
#include "cpu/kernels/spmm_tile.hpp"

namespace spk::cpu {

void SPK_ARCH_SYMBOL(spmm_tile_c64)(const SpmmTask& task, const SpmmStep& step) noexcept {
  run_tile<float, true>(task, step);
}

}  // namespace spk::cpu
