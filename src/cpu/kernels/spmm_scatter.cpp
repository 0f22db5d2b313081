// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/kernels/spmm_scatter.hpp"

#include "cpu/kernels/spmm_kernels.hpp"

namespace spk::cpu {

void SPK_ARCH_SYMBOL(spmm_scatter_f32)(const SpmmTask& task, const SpmmStep& step) noexcept {
  run_scatter<float, false>(task, step);
}
void SPK_ARCH_SYMBOL(spmm_scatter_f64)(const SpmmTask& task, const SpmmStep& step) noexcept {
  run_scatter<double, false>(task, step);
}
void SPK_ARCH_SYMBOL(spmm_scatter_c64)(const SpmmTask& task, const SpmmStep& step) noexcept {
  run_scatter<float, true>(task, step);
}
void SPK_ARCH_SYMBOL(spmm_scatter_c128)(const SpmmTask& task, const SpmmStep& step) noexcept {
  run_scatter<double, true>(task, step);
}

}  // namespace spk::cpu
