// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/problems.hpp"

// Numbers on the device: the type behind each ValueType, the type its products are summed in, and the conversions.
namespace spk::cuda {

template <class Real>
struct Complex {
  Real re, im;
};

// Blocks of a multiprocessor that registers are to suffice for, of a kernel that has enough with `blocks` of them from
// SM 8.0 on: code for SM 7.0 needs more.
constexpr int resident_blocks(int blocks) noexcept {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return (blocks + 1) / 2;
#else
  return blocks;
#endif
}

// The device's type for a core type.
template <class T>
struct DeviceType {
  using type = T;
};
template <>
struct DeviceType<f16> {
  using type = __half;
};
template <>
struct DeviceType<bf16> {
  using type = __nv_bfloat16;
};
template <class Real>
struct DeviceType<std::complex<Real>> {
  using type = Complex<Real>;
};

// Calls f(TypeTag<T>) for the device type T of a value type or an index type.
template <class F>
decltype(auto) visit_device(ValueType t, F&& f) {
  return visit(t, [&](auto tag) -> decltype(auto) {
    return f(TypeTag<typename DeviceType<typename decltype(tag)::type>::type>{});
  });
}

template <class T>
struct SumOf {
  using type = T;
};
template <>
struct SumOf<__half> {
  using type = float;
};
template <>
struct SumOf<__nv_bfloat16> {
  using type = float;
};
template <class T>
using Sum = typename SumOf<T>::type;

template <class T>
inline constexpr bool kIsComplex = false;
template <class Real>
inline constexpr bool kIsComplex<Complex<Real>> = true;

__device__ inline float to_sum(float x) { return x; }
__device__ inline double to_sum(double x) { return x; }
__device__ inline float to_sum(__half x) { return __half2float(x); }
__device__ inline float to_sum(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class Real>
__device__ Complex<Real> to_sum(Complex<Real> x) {
  return x;
}

template <class T>
struct FromSum {
  template <class S>
  static __device__ T of(S x) {
    return x;
  }
};
template <>
struct FromSum<__half> {
  static __device__ __half of(float x) { return __float2half_rn(x); }
};
template <>
struct FromSum<__nv_bfloat16> {
  static __device__ __nv_bfloat16 of(float x) { return __float2bfloat16_rn(x); }
};

__device__ inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }
template <class Real>
__device__ Complex<Real> multiply_add(Complex<Real> a, Complex<Real> b, Complex<Real> c) {
  return {multiply_add(-a.im, b.im, multiply_add(a.re, b.re, c.re)),
          multiply_add(a.im, b.re, multiply_add(a.re, b.im, c.im))};
}
__device__ inline float multiply(float a, float b) { return a * b; }
__device__ inline double multiply(double a, double b) { return a * b; }
template <class Real>
__device__ Complex<Real> multiply(Complex<Real> a, Complex<Real> b) {
  return {multiply_add(-a.im, b.im, a.re * b.re), multiply_add(a.im, b.re, a.re * b.im)};
}
__device__ inline float add(float a, float b) { return a + b; }
__device__ inline double add(double a, double b) { return a + b; }
template <class Real>
__device__ Complex<Real> add(Complex<Real> a, Complex<Real> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
__device__ T conjugate_if(bool wanted, T x) {
  if constexpr (kIsComplex<T>)
    if (wanted) x.im = -x.im;
  return x;
}

template <class T>
__device__ T shuffle_xor(T x, int mask) {
  if constexpr (kIsComplex<T>)
    return {__shfl_xor_sync(0xffffffffu, x.re, mask), __shfl_xor_sync(0xffffffffu, x.im, mask)};
  else
    return __shfl_xor_sync(0xffffffffu, x, mask);
}

__device__ inline bool is_zero(float x) { return x == 0; }
__device__ inline bool is_zero(double x) { return x == 0; }
template <class Real>
__device__ bool is_zero(Complex<Real> x) {
  return x.re == 0 && x.im == 0;
}
__device__ inline bool is_one(float x) { return x == 1; }
__device__ inline bool is_one(double x) { return x == 1; }
template <class Real>
__device__ bool is_one(Complex<Real> x) {
  return x.re == 1 && x.im == 0;
}

// alpha or beta as a kernel gets it: a value, or in device pointer mode an address to read it from.
template <class S>
struct ScalarArgument {
  S value;
  const S* pointer;
  __device__ S get() const { return pointer != nullptr ? *pointer : value; }
};

template <class S>
ScalarArgument<S> scalar_argument(const Scalar& value, const void* pointer) {
  if constexpr (kIsComplex<S>)
    return {{static_cast<decltype(S::re)>(value.re), static_cast<decltype(S::re)>(value.im)},
            static_cast<const S*>(pointer)};
  else
    return {static_cast<S>(value.re), static_cast<const S*>(pointer)};
}

}  // namespace spk::cuda
