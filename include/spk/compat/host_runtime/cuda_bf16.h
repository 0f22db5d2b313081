/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_HOST_RUNTIME_CUDA_BF16_H
#define SPK_HOST_RUNTIME_CUDA_BF16_H

/** \file
 *  Stand-in for the CUDA header of this name: bfloat16 for host code in C++, as cuda_fp16.h has binary16.
 */

#ifdef __CUDA_BF16_H__
#error "cuda_bf16.h of a CUDA toolkit came first; put spk/compat/host_runtime on the include path instead of it"
#endif
#define __CUDA_BF16_H__

#ifdef __cplusplus
#include "spk_narrow_float.hpp"

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 : spk_host_runtime::NarrowFloat<__nv_bfloat16, spk_host_runtime::Bfloat16Bits> {
  using NarrowFloat::NarrowFloat;
  __nv_bfloat16() = default;
  __nv_bfloat16(__nv_bfloat16_raw raw) { __x = raw.x; }
  operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};
static_assert(sizeof(__nv_bfloat16) == 2, "two bytes, as on the device");

#ifndef CUDA_NO_BFLOAT16
typedef __nv_bfloat16 nv_bfloat16;
#endif

static inline __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
static inline __nv_bfloat16 __float2bfloat16_rn(float value) { return __nv_bfloat16(value); }
static inline __nv_bfloat16 __double2bfloat16(double value) { return __nv_bfloat16(value); }
static inline float __bfloat162float(__nv_bfloat16 value) { return value; }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return __nv_bfloat16_raw(value).x; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
#endif

#endif
