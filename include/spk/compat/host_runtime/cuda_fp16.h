/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_HOST_RUNTIME_CUDA_FP16_H
#define SPK_HOST_RUNTIME_CUDA_FP16_H

/** \file
 *  Stand-in for the CUDA header of this name: IEEE binary16 for host code in C++. For C there is nothing here, as in
 *  CUDA's own. Conversions round to nearest, ties to even; arithmetic is float's, rounded when it is stored.
 */

#ifdef __CUDA_FP16_H__
#error "cuda_fp16.h of a CUDA toolkit came first; put spk/compat/host_runtime on the include path instead of it"
#endif
#define __CUDA_FP16_H__

#ifdef __cplusplus
#include "spk_narrow_float.hpp"

struct __half_raw {
  unsigned short x;
};

struct __half : spk_host_runtime::NarrowFloat<__half, spk_host_runtime::HalfBits> {
  using NarrowFloat::NarrowFloat;
  __half() = default;
  __half(__half_raw raw) { __x = raw.x; }
  operator __half_raw() const { return __half_raw{__x}; }
};
static_assert(sizeof(__half) == 2, "two bytes, as on the device");

#ifndef CUDA_NO_HALF
typedef __half half;
#endif

static inline __half __float2half(float value) { return __half(value); }
static inline __half __float2half_rn(float value) { return __half(value); }
static inline __half __double2half(double value) { return __half(value); }
static inline float __half2float(__half value) { return value; }
static inline unsigned short __half_as_ushort(__half value) { return __half_raw(value).x; }
static inline __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
#endif

#endif
