// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <cuda_runtime_api.h>
#include <spk/spk_types.h>

#include <cstdint>

// The bench's own judge, on the device: what every element should be, in double with compensated sums, and how far from
// it a result may be by the error bound of spk_ops.h. It shares no code with what it judges.
namespace spk::bench {

// A dense matrix of any order with a transpose applied: element (i, j) is values[i * row_step + j * col_step].
struct StridedMatrix {
  const void* values = nullptr;
  std::int64_t row_step = 0, col_step = 0;
};

// A CSR matrix in device memory.
struct DeviceCsr {
  std::int64_t rows = 0, nnz = 0;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* indices = nullptr;
  const void* values = nullptr;
};

// Units roundoff of sums and results. A product of rounded operands (TF32) is off by `product` besides.
struct Rounding {
  double sum = 0;
  double product = 0;
  spk_value_type_t output = SPK_R_32F;
};

// want and bound of C = A B, row after row, m x n each.
void expect_product(const DeviceCsr& a, const StridedMatrix& b, std::int64_t n, spk_value_type_t type,
                    const Rounding& rounding, double* want, double* bound, cudaStream_t stream);

// want and bound of (A B)(i, j) at the places of `places`, in storage order; inner size k.
void expect_sampled(const DeviceCsr& places, const StridedMatrix& a, const StridedMatrix& b, std::int64_t k,
                    spk_value_type_t type, const Rounding& rounding, double* want, double* bound, cudaStream_t stream);

// want and bound of the softmax of every row of x, scale 1.
void expect_softmax(const DeviceCsr& x, spk_value_type_t type, const Rounding& rounding, double* want, double* bound,
                    cudaStream_t stream);

// Largest error / bound of rows x cols results; infinity where one is not finite, or wrong where no error is allowed.
double worst_share(const double* want, const double* bound, std::int64_t rows, std::int64_t cols,
                   const StridedMatrix& got, spk_value_type_t type, cudaStream_t stream);

// values[t] = the element of `from` at the place of entry t.
void gather_places(const DeviceCsr& places, const StridedMatrix& from, void* values, spk_value_type_t type,
                   cudaStream_t stream);
// The element of the zeroed dense matrix at the place of entry t = values[t], row-major.
void scatter_places(const DeviceCsr& places, std::int64_t cols, void* dense, spk_value_type_t type,
                    cudaStream_t stream);

// Random values in [-1, 1) on a grid of 2^-23, rounded to the type.
void fill_random(void* values, std::int64_t count, std::uint64_t seed, spk_value_type_t type, cudaStream_t stream);

// An empty kernel: what any launch costs.
void launch_nothing(cudaStream_t stream);

}  // namespace spk::bench
