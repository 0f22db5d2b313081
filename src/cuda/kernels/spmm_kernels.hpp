// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/spmm.hpp"

// The launchers of src/cuda/spmm_kernels.inc.
namespace spk::cuda {

#define SPK_KERNEL(name, sm, id, refuse, cost, workspace) SpmmKernel name;
#include "cuda/spmm_kernels.inc"
#undef SPK_KERNEL

// The kernels split by nonzeros, by the type of the values.
#define SPK_BY_TYPE(kernel)                               \
  constexpr SpmmKernel* kernel(ValueType type) noexcept { \
    switch (type) {                                       \
      case ValueType::f64: return &kernel##_f64;          \
      case ValueType::f16: return &kernel##_f16;          \
      case ValueType::bf16: return &kernel##_bf16;        \
      case ValueType::c64: return &kernel##_c64;          \
      case ValueType::c128: return &kernel##_c128;        \
      default: return &kernel##_f32;                      \
    }                                                     \
  }
SPK_BY_TYPE(spmm_nnz_rows)
SPK_BY_TYPE(spmm_nnz_dot)
#undef SPK_BY_TYPE

}  // namespace spk::cuda
