// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/entries.cuh"
#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/spmm_args.cuh"
#include "cuda/kernels/spmm_nnz_split.cuh"

// SpMV in the most frequent form: lanes run along a row's entries.
namespace spk::cuda {

constexpr int kDotThreads = 1 << kDotMostLanesLog2;
constexpr int kDotAhead = 4;  // entries that a thread loads at a time

// One column, one matrix, offsets and indices of 32 bits, no epilogue, nothing conjugated: as few instructions as possible,
// since small products are latency and large ones are bound by what a multiprocessor can have under way. The values, the
// indices and B are moved by the base of the indices, so that it need not be subtracted.
template <class Value, class Out>
struct DotColumnArgs {
  const std::int32_t* offsets;
  const std::int32_t* indices;
  const Value* values;
  const void* b;
  Out* c;
  std::int64_t c_stride;
  ScalarArgument<Sum<Value>> alpha, beta;
  unsigned m;
  int b_bytes;  // between elements of B

  // The new element `row` of C from the sum over its row of A.
  __device__ void store(unsigned row, Sum<Value> sum) const {
    using S = Sum<Value>;
    Out* at = c + row * c_stride;
    const S factor = alpha.get(), kept = beta.get();
    S x = is_zero(factor) ? S{} : multiply(factor, sum);  // alpha = 0: the product is not there, even where it is NaN
    if (!is_zero(kept)) x = multiply_add(kept, to_sum(*at), x);
    *at = FromSum<Out>::of(x);
  }
};

// Whether the kernel for one column takes the call.
template <class Value>
bool is_dot_column(const SpmmCall& call) noexcept {
  const SpmmProblem& p = call.p;
  const Operand b = operand(p.b, p.op_b);
  const auto bytes = static_cast<std::int64_t>(sizeof(Value));
  return is_one_column(p) && !p.skips_product() && call.rows.index_type == IndexType::i32 &&
         call.rows.offset_type == IndexType::i32 && b.row_stride <= INT32_MAX / bytes;
}

template <class Value, class Out>
DotColumnArgs<Value, Out> dot_column_args(const SpmmCall& call) {
  const SpmmArgs<Value, Out> all = spmm_args<Value, Out>(call);
  DotColumnArgs<Value, Out> args{};
  args.offsets = static_cast<const std::int32_t*>(all.offsets);
  args.indices = static_cast<const std::int32_t*>(all.indices) - all.base;
  args.values = all.values - all.base;
  args.b_bytes = static_cast<int>(all.b.row_stride * static_cast<std::int64_t>(sizeof(Value)));
  args.b = reinterpret_cast<const char*>(all.b.values) - std::int64_t{all.base} * args.b_bytes;
  args.c = all.c.values;
  args.c_stride = all.c.row_stride;
  args.alpha = all.alpha;
  args.beta = all.beta;
  args.m = static_cast<unsigned>(all.m);
  return args;
}

struct DotColumnGrid {
  int cut_row;  // entries beyond which a row is left over
  bool beside;  // to a launch in front, which has waited for what is in front of that
};

// Mapping: kLanes neighbouring threads share a row and take its entries in turn, kDotAhead at a time. Where they are fewer
// than a warp, rows of more than 4 * kDotAhead entries for each wait until the others are done, and have the warp one after
// another. Sums meet through shuffles and, of rows that have several warps, through shared memory, in fixed order.
template <class Value, class Out, int kLanes>
__global__ void __launch_bounds__(kDotThreads)
    spmm_dot_column(const __grid_constant__ DotColumnArgs<Value, Out> args, const DotColumnGrid grid) {
  using S = Sum<Value>;
  constexpr int kOfWarp = kLanes < 32 ? kLanes : 32;
  const unsigned thread = threadIdx.x, lane = thread % kLanes;
  const unsigned row = blockIdx.x * (kDotThreads / kLanes) + thread / kLanes;
  unsigned begin = 0;
  int count = 0;
  if (row < args.m && !is_zero(args.alpha.get())) {
    begin = static_cast<unsigned>(args.offsets[row]);
    count = args.offsets[row + 1] - static_cast<int>(begin);
  }
  const bool left_over = count > grid.cut_row;
  if (left_over) count = 0;
  S acc{};
  // Entries first, first + step, ... below end, which may be as far as 2^31 - 1.
  const auto add_entries_of = [&](unsigned first, unsigned end, auto step) {
    for (; first < end; first += kDotAhead * step) {
      std::int32_t column[kDotAhead];
      Value value[kDotAhead], element[kDotAhead];
#pragma unroll
      for (int q = 0; q < kDotAhead; ++q)
        if (first + q * step < end) {
          column[q] = args.indices[first + q * step];
          value[q] = args.values[first + q * step];
        }
#pragma unroll
      for (int q = 0; q < kDotAhead; ++q)
        if (first + q * step < end) element[q] = *place_of<Value>(args.b, column[q], args.b_bytes);
#pragma unroll
      for (int q = 0; q < kDotAhead; ++q)
        if (first + q * step < end) acc = multiply_add(to_sum(value[q]), to_sum(element[q]), acc);
    }
  };
  const bool waits = kLanes < 32 && count > 4 * kDotAhead * kLanes;
  if (!waits)
    add_entries_of(begin + lane, begin + static_cast<unsigned>(count), std::integral_constant<unsigned, kLanes>{});
#pragma unroll
  for (int mask = kOfWarp / 2; mask > 0; mask /= 2) acc = add(acc, shuffle_xor(acc, mask));
  if constexpr (kLanes < 32) {
    for (unsigned left = __ballot_sync(0xffffffffu, waits && lane == 0); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const unsigned its_begin = __shfl_sync(0xffffffffu, begin, from);
      const auto its_count = static_cast<unsigned>(__shfl_sync(0xffffffffu, count, from));
      const S own = acc;
      acc = S{};
      add_entries_of(its_begin + thread % 32, its_begin + its_count, std::integral_constant<unsigned, 32>{});
#pragma unroll
      for (int mask = 16; mask > 0; mask /= 2) acc = add(acc, shuffle_xor(acc, mask));
      if (static_cast<int>(thread % 32) != from) acc = own;
    }
  }
  if constexpr (kLanes > 32) {
    __shared__ S partial[kDotThreads / 32];
    if (thread % 32 == 0) partial[thread / 32] = acc;
    __syncthreads();
    if (lane == 0)
      for (int other = 1; other < kLanes / 32; ++other) acc = add(acc, partial[thread / 32 + other]);
  }
  if (lane == 0 && row < args.m && !left_over) args.store(row, acc);
  end_beside_long_rows(grid.beside);
}

template <class Value, class Out>
void launch_spmm_dot_column(const SpmmCall& call, const Launch& launch, int lanes_log2, std::int64_t cut) {
  const DotColumnArgs<Value, Out> args = dot_column_args<Value, Out>(call);
  const DotColumnGrid grid{cut > 0 ? static_cast<int>(cut) : INT32_MAX, cut > 0};
  const std::int64_t rows_per_block = kDotThreads >> lanes_log2;
  const LaunchShape shape{static_cast<unsigned>((call.p.m + rows_per_block - 1) / rows_per_block), kDotThreads, 0,
                          launch.device.overlaps_launches && cut > 0};
  const auto launch_lanes = [&](auto lanes) {
    launch_kernel(&spmm_dot_column<Value, Out, lanes.value>, shape, launch.stream, args, grid);
  };
  switch (lanes_log2) {
    case 0: return launch_lanes(std::integral_constant<int, 1>{});
    case 1: return launch_lanes(std::integral_constant<int, 2>{});
    case 2: return launch_lanes(std::integral_constant<int, 4>{});
    case 3: return launch_lanes(std::integral_constant<int, 8>{});
    case 4: return launch_lanes(std::integral_constant<int, 16>{});
    case 5: return launch_lanes(std::integral_constant<int, 32>{});
    case 6: return launch_lanes(std::integral_constant<int, 64>{});
    case 7: return launch_lanes(std::integral_constant<int, 128>{});
    default: return launch_lanes(std::integral_constant<int, 256>{});
  }
}

}  // namespace spk::cuda
