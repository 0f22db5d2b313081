// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include <algorithm>

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/spmm_dense_copy_bits.cuh"
#include "cuda/kernels/spmm_slots.cuh"

namespace spk::cuda {
namespace {

constexpr int kColumnThreads = 256, kSegment = 32;  // bytes of a row of the copy that a block writes
constexpr int kSharedBytes = 64 << 10;              // most of a block

// A block takes 32 bytes' worth of columns of op(A), as they are stored, for `panel` rows: entries go to slots of shared
// memory, 32 bytes per row, from where they are written. x runs over sets of columns, y over panels, z over matrices.
template <class Kind>
__global__ void __launch_bounds__(kColumnThreads)
    spmm_copy_columns(const __grid_constant__ CopyArgs<typename Kind::Value> args, const int panel) {
  using Value = typename Kind::Value;
  static_assert(Kind::kPlanes == 1, "what is split must know how many entries its rows have");
  extern __shared__ uint4 memory[];
  constexpr int kColumns = kSegment / sizeof(Value), kWarps = kColumnThreads / 32, kAhead = 4;
  auto* const slots = reinterpret_cast<Value*>(memory);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * panel, first_column = std::int64_t{blockIdx.x} * kColumns;
  const auto rows = static_cast<int>(min(args.m - first_row, static_cast<std::int64_t>(panel)));
  const auto first_index = static_cast<unsigned>(args.base) + static_cast<unsigned>(first_row);
  wait_for_kernel_in_front();
  let_kernel_behind_start();
  for (std::int64_t matrix = blockIdx.z; matrix < args.matrices; matrix += gridDim.z) {
    for (int i = static_cast<int>(threadIdx.x); i < rows * 2; i += kColumnThreads) memory[i] = {~0u, ~0u, ~0u, ~0u};
    __syncthreads();
    const int* indices = args.columns + matrix * args.columns_stride;
    const Value* values = args.values + matrix * args.values_stride;
    for (int q = warp; q < kColumns && first_column + q < args.k; q += kWarps) {
      const std::int64_t at = matrix * args.offsets_stride + first_column + q;
      const int begin = first_entry(args, at), end = first_entry(args, at + 1);
      for (int first = begin + lane; first < end; first += 32 * kAhead) {
        unsigned row[kAhead];
        Value value[kAhead];
#pragma unroll
        for (int u = 0; u < kAhead; ++u) {
          const int p = first + 32 * u;
          row[u] = p < end ? static_cast<unsigned>(indices[p]) - first_index : ~0u;
          value[u] = p < end ? values[p] : Value{};
        }
#pragma unroll
        for (int u = 0; u < kAhead; ++u) {
          if (row[u] >= static_cast<unsigned>(rows)) continue;
          Value* const slot = slots + static_cast<int>(row[u]) * kColumns + q;
          // Of entries at one place, all but the first write NaN, the last of them last.
          if (!take_slot(slot, as_stored(value[u]))) *slot = Kind::nan();
        }
      }
    }
    __syncthreads();
    const std::int64_t pack = std::int64_t{blockIdx.x} * 2;
    for (int i = static_cast<int>(threadIdx.x); i < rows * 2; i += kColumnThreads) {
      args.copy[matrix * args.plane + (first_row + i / 2) * args.packs + pack + i % 2] =
          Kind::of(without_empty<Value>(memory[i]), 0);
    }
    __syncthreads();
  }
}

}  // namespace

template <class Kind>
void copy_columns(const SpmmCall& call, const Launch& launch) {
  const SpmmProblem& p = call.p;
  const auto args = copy_args<Kind>(call, launch);
  constexpr std::int64_t kColumns = kSegment / sizeof(typename Kind::Value);
  const std::int64_t sets = (p.k + kColumns - 1) / kColumns;
  // As many panels as give every multiprocessor a block or two; not less than 128 rows.
  const std::int64_t wanted = std::max<std::int64_t>(1, 2 * launch.device.sm_count / sets);
  const std::int64_t panel = std::clamp<std::int64_t>((p.m + wanted - 1) / wanted, 128, kSharedBytes / kSegment);
  const auto bytes = static_cast<std::size_t>(std::min(panel, p.m) * kSegment);
  allow_shared_memory(reinterpret_cast<const void*>(spmm_copy_columns<Kind>), launch.device, bytes);
  const dim3 blocks(static_cast<unsigned>(sets), static_cast<unsigned>((p.m + panel - 1) / panel),
                    static_cast<unsigned>(std::min<std::int64_t>(args.matrices, 65535)));
  launch_kernel(spmm_copy_columns<Kind>, {blocks, kColumnThreads, bytes, launch.device.overlaps_launches},
                launch.stream, args, static_cast<int>(panel));
}
template void copy_columns<HalfBits>(const SpmmCall&, const Launch&);
template void copy_columns<Tf32Bits>(const SpmmCall&, const Launch&);

}  // namespace spk::cuda
