// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "cuda/kernels/entries.cuh"
#include "cuda/spmm.hpp"

namespace spk::cuda {
namespace {

// One thread per entry, blocks in y over matrices. Values move as words of their size.
template <class Word, class Position>
__global__ void __launch_bounds__(256) gather(GatherValues g) {
  for (std::int64_t matrix = blockIdx.y; matrix < g.matrices; matrix += gridDim.y)
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < g.count;
         i += std::int64_t{gridDim.x} * blockDim.x)
      static_cast<Word*>(g.to)[matrix * g.to_stride + i] = static_cast<const Word*>(
          g.from)[matrix * g.from_stride + static_cast<const Position*>(g.positions)[matrix * g.position_stride + i]];
}

}  // namespace

void gather_values(const GatherValues& g, const Launch& launch) {
  const dim3 blocks(static_cast<unsigned>(std::clamp<std::int64_t>((g.count + 255) / 256, 1, 1 << 20)),
                    static_cast<unsigned>(std::min<std::int64_t>(g.matrices, 65535)));
  const auto run = [&](auto word) {
    using Word = typename decltype(word)::type;
    if (g.position_type == IndexType::i64)
      gather<Word, std::int64_t><<<blocks, 256, 0, launch.stream>>>(g);
    else
      gather<Word, std::int32_t><<<blocks, 256, 0, launch.stream>>>(g);
  };
  switch (size_of(g.type)) {
    case 2: run(TypeTag<std::uint16_t>{}); break;
    case 4: run(TypeTag<std::uint32_t>{}); break;
    case 8: g.type == ValueType::f64 ? run(TypeTag<double>{}) : run(TypeTag<Complex<float>>{}); break;
    default: run(TypeTag<Complex<double>>{}); break;
  }
  SPK_CUDA_CHECK(cudaGetLastError());
}

}  // namespace spk::cuda
