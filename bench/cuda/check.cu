// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "check.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device_memory.hpp"

namespace spk::bench {
namespace {

constexpr int kThreads = 256;

__device__ double wide(float x) { return x; }
__device__ double wide(double x) { return x; }
__device__ double wide(__half x) { return __half2float(x); }
__device__ double wide(__nv_bfloat16 x) { return __bfloat162float(x); }

__device__ void narrow(double x, float& y) { y = static_cast<float>(x); }
__device__ void narrow(double x, double& y) { y = x; }
__device__ void narrow(double x, __half& y) { y = __float2half_rn(static_cast<float>(x)); }
__device__ void narrow(double x, __nv_bfloat16& y) { y = __float2bfloat16_rn(static_cast<float>(x)); }

template <class T>
__device__ double element(const StridedMatrix& matrix, std::int64_t i, std::int64_t j) {
  return wide(static_cast<const T*>(matrix.values)[i * matrix.row_step + j * matrix.col_step]);
}

// A dot product as exact as twice double's digits would give (Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26(6), Dot2):
// the judge of f64 results must know better than f64.
struct CompensatedSum {
  double sum = 0, tail = 0, magnitude = 0;
  __device__ void add(double a, double b) {
    const double product = a * b;
    const double next = sum + product;
    const double part = next - sum;
    tail += fma(a, b, -product) + ((sum - (next - part)) + (product - part));
    sum = next;
    magnitude += fabs(product);
  }
};

// Half a unit in the last place of the output type at |x|.
__device__ double half_ulp(double x, spk_value_type_t output) {
  int digits = 24, least = -126;
  if (output == SPK_R_64F) digits = 53, least = -1022;
  if (output == SPK_R_16F) digits = 11, least = -14;
  if (output == SPK_R_16BF) digits = 8;
  const int exponent = x > 0 ? max(ilogb(x), least) : least;
  return scalbn(1.0, exponent - digits);
}

__device__ double allowed(const CompensatedSum& dot, std::int64_t terms, const Rounding& rounding) {
  if (terms == 0) return 0;  // nothing is summed: the result is exactly 0
  const double error = (static_cast<double>(terms + 2) * rounding.sum + rounding.product) * dot.magnitude;
  return error + half_ulp(fabs(dot.sum + dot.tail) + error, rounding.output);
}

template <class T>
__global__ void product_kernel(DeviceCsr a, StridedMatrix b, std::int64_t n, Rounding rounding, double* want,
                               double* bound) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const T* values = static_cast<const T*>(a.values);
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; e < a.rows * n; e += step) {
    const std::int64_t i = e / n, j = e % n;
    CompensatedSum dot;
    for (std::int32_t t = a.offsets[i]; t < a.offsets[i + 1]; ++t) {
      dot.add(wide(values[t]), element<T>(b, a.indices[t], j));
    }
    want[e] = dot.sum + dot.tail;
    bound[e] = allowed(dot, a.offsets[i + 1] - a.offsets[i], rounding);
  }
}

template <class T>
__global__ void sampled_kernel(DeviceCsr places, StridedMatrix a, StridedMatrix b, std::int64_t k, Rounding rounding,
                               double* want, double* bound) {
  for (std::int64_t i = blockIdx.x; i < places.rows; i += gridDim.x) {
    for (std::int64_t t = places.offsets[i] + static_cast<std::int64_t>(threadIdx.x); t < places.offsets[i + 1];
         t += blockDim.x) {
      CompensatedSum dot;
      for (std::int64_t l = 0; l < k; ++l) dot.add(element<T>(a, i, l), element<T>(b, l, places.indices[t]));
      want[t] = dot.sum + dot.tail;
      bound[t] = allowed(dot, k, rounding);
    }
  }
}

// One thread per row: slow, and plainly right.
template <class T>
__global__ void softmax_kernel(DeviceCsr x, Rounding rounding, double* want, double* bound) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const T* values = static_cast<const T*>(x.values);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < x.rows; i += step) {
    const std::int32_t first = x.offsets[i], last = x.offsets[i + 1];
    double largest = -INFINITY;
    for (std::int32_t t = first; t < last; ++t) largest = fmax(largest, wide(values[t]));
    double sum = 0, spread = 0;
    for (std::int32_t t = first; t < last; ++t) {
      const double term = exp(wide(values[t]) - largest);
      sum += term;
      spread += term * 3 * (largest - wide(values[t]));
    }
    for (std::int32_t t = first; t < last; ++t) {
      want[t] = exp(wide(values[t]) - largest) / sum;
      const double relative = 3 * (largest - wide(values[t])) + spread / sum + static_cast<double>(last - first + 12);
      const double error = relative * rounding.sum * want[t];
      bound[t] = error + half_ulp(want[t] + error, rounding.output);
    }
  }
}

template <class T>
__global__ void worst_kernel(const double* want, const double* bound, std::int64_t rows, std::int64_t cols,
                             StridedMatrix got, unsigned long long* worst) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double largest = 0;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; e < rows * cols; e += step) {
    const double value = element<T>(got, e / cols, e % cols);
    const double error = fabs(value - want[e]);
    const double share = !isfinite(value) ? INFINITY : error == 0 ? 0.0 : bound[e] > 0 ? error / bound[e] : INFINITY;
    largest = fmax(largest, share);
  }
  // Bits of doubles that are not negative are in the order of their values.
  atomicMax(worst, static_cast<unsigned long long>(__double_as_longlong(largest)));
}

template <class T>
__global__ void gather_kernel(DeviceCsr places, StridedMatrix from, T* values) {
  for (std::int64_t i = blockIdx.x; i < places.rows; i += gridDim.x) {
    for (std::int64_t t = places.offsets[i] + static_cast<std::int64_t>(threadIdx.x); t < places.offsets[i + 1];
         t += blockDim.x) {
      values[t] = static_cast<const T*>(from.values)[i * from.row_step + places.indices[t] * from.col_step];
    }
  }
}

template <class T>
__global__ void scatter_kernel(DeviceCsr places, std::int64_t cols, T* dense) {
  for (std::int64_t i = blockIdx.x; i < places.rows; i += gridDim.x) {
    for (std::int64_t t = places.offsets[i] + static_cast<std::int64_t>(threadIdx.x); t < places.offsets[i + 1];
         t += blockDim.x) {
      dense[i * cols + places.indices[t]] = static_cast<const T*>(places.values)[t];
    }
  }
}

// SplitMix64 by index: element e is the number after e steps of the generator.
template <class T>
__global__ void random_kernel(T* values, std::int64_t count, std::uint64_t seed) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; e < count; e += step) {
    std::uint64_t z = seed + (static_cast<std::uint64_t>(e) + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    narrow(static_cast<double>(z >> 40) * 0x1p-23 - 1.0, values[e]);
  }
}

__global__ void empty_kernel() {}

unsigned blocks_for(std::int64_t work) {
  const std::int64_t blocks = (work + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > 16384 ? 16384 : blocks);
}
unsigned blocks_of_rows(std::int64_t rows) { return static_cast<unsigned>(rows < 1 ? 1 : rows > 65535 ? 65535 : rows); }

// Calls `call` with a null pointer of the element's type.
template <class Call>
void with_type(spk_value_type_t type, const char* what, Call call) {
  switch (type) {
    case SPK_R_64F: call(static_cast<double*>(nullptr)); break;
    case SPK_R_16F: call(static_cast<__half*>(nullptr)); break;
    case SPK_R_16BF: call(static_cast<__nv_bfloat16*>(nullptr)); break;
    default: call(static_cast<float*>(nullptr)); break;
  }
  check_cuda(cudaGetLastError(), what);
}

}  // namespace

void expect_product(const DeviceCsr& a, const StridedMatrix& b, std::int64_t n, spk_value_type_t type,
                    const Rounding& rounding, double* want, double* bound, cudaStream_t stream) {
  with_type(type, "product_kernel", [&]<class T>(T*) {
    product_kernel<T><<<blocks_for(a.rows * n), kThreads, 0, stream>>>(a, b, n, rounding, want, bound);
  });
}

void expect_sampled(const DeviceCsr& places, const StridedMatrix& a, const StridedMatrix& b, std::int64_t k,
                    spk_value_type_t type, const Rounding& rounding, double* want, double* bound, cudaStream_t stream) {
  with_type(type, "sampled_kernel", [&]<class T>(T*) {
    sampled_kernel<T><<<blocks_of_rows(places.rows), 64, 0, stream>>>(places, a, b, k, rounding, want, bound);
  });
}

void expect_softmax(const DeviceCsr& x, spk_value_type_t type, const Rounding& rounding, double* want, double* bound,
                    cudaStream_t stream) {
  with_type(type, "softmax_kernel", [&]<class T>(T*) {
    softmax_kernel<T><<<blocks_for(x.rows), kThreads, 0, stream>>>(x, rounding, want, bound);
  });
}

double worst_share(const double* want, const double* bound, std::int64_t rows, std::int64_t cols,
                   const StridedMatrix& got, spk_value_type_t type, cudaStream_t stream) {
  const DeviceBytes worst(sizeof(unsigned long long));
  check_cuda(cudaMemsetAsync(worst.data(), 0, worst.bytes(), stream), "cudaMemsetAsync");
  with_type(type, "worst_kernel", [&]<class T>(T*) {
    worst_kernel<T><<<blocks_for(rows * cols), kThreads, 0, stream>>>(want, bound, rows, cols, got,
                                                                      worst.as<unsigned long long>());
  });
  double share = 0;
  check_cuda(cudaMemcpyAsync(&share, worst.data(), sizeof share, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream), "worst_kernel");
  return share;
}

void gather_places(const DeviceCsr& places, const StridedMatrix& from, void* values, spk_value_type_t type,
                   cudaStream_t stream) {
  with_type(type, "gather_kernel", [&]<class T>(T*) {
    gather_kernel<T><<<blocks_of_rows(places.rows), 64, 0, stream>>>(places, from, static_cast<T*>(values));
  });
}

void scatter_places(const DeviceCsr& places, std::int64_t cols, void* dense, spk_value_type_t type,
                    cudaStream_t stream) {
  with_type(type, "scatter_kernel", [&]<class T>(T*) {
    scatter_kernel<T><<<blocks_of_rows(places.rows), 64, 0, stream>>>(places, cols, static_cast<T*>(dense));
  });
}

void fill_random(void* values, std::int64_t count, std::uint64_t seed, spk_value_type_t type, cudaStream_t stream) {
  with_type(type, "random_kernel", [&]<class T>(T*) {
    random_kernel<T><<<blocks_for(count), kThreads, 0, stream>>>(static_cast<T*>(values), count, seed);
  });
}

void launch_nothing(cudaStream_t stream) { empty_kernel<<<1, 32, 0, stream>>>(); }

}  // namespace spk::bench
