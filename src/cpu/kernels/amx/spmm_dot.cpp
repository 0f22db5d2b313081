// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/kernels/spmm_dot.hpp"
#include "cpu/kernels/spmm_kernels.hpp"

namespace spk::cpu {

void SPK_ARCH_SYMBOL(spmm_dot_f32)(const SpmmTask& task, const SpmmStep& step) noexcept {
  run_dot<float, false>(task, step);
}
void SPK_ARCH_SYMBOL(spmm_dot_f64)(const SpmmTask& task, const SpmmStep& step) noexcept {
  run_dot<double, false>(task, step);
}

}  // namespace spk::cpu
