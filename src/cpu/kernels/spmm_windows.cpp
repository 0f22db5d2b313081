// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cpu/kernels/spmm_windows.hpp"

#include "cpu/kernels/spmm_kernels.hpp"

namespace spk::cpu {

#if defined(SPK_ARCH_avx512)
void SPK_ARCH_SYMBOL(spmm_windows_f32)(const SpmmTask& task, const SpmmStep& step) noexcept {
  if (task.value_type == ValueType::f16) return window_rows<float, f16>(task, step);
  if (task.value_type == ValueType::bf16) return window_rows<float, bf16>(task, step);
  window_rows<float, float>(task, step);
}
void SPK_ARCH_SYMBOL(spmm_windows_f64)(const SpmmTask& task, const SpmmStep& step) noexcept {
  window_rows<double, double>(task, step);
}
#endif

}  // namespace spk::cpu
