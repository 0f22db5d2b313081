// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <span>

#include "core/kernel_table.hpp"
#include "cuda/operations.hpp"

// The inside of SDDMM on CUDA: the kernel table, and how work is cut.
namespace spk::cuda {

using SddmmKernel = void(const SddmmProblem& p, const Launch& launch);

struct SddmmRow : KernelRow<SddmmProblem, int, SddmmKernel> {             // target: least SM
  double (*cost)(const Device& device, const SddmmProblem& p);            // expected microseconds
  std::size_t (*workspace)(const Device& device, const SddmmProblem& p);  // bytes
};

std::span<const SddmmRow> sddmm_kernels() noexcept;
// The cheapest kernel that takes p on the device, or NULL with all refusals.
const SddmmRow* select_sddmm(const Device& device, const SddmmProblem& p, std::string* refusals);

// How the tile kernel cuts C: tiles of `rows` x `cols`, the inner size in `splits` parts whose sums meet in the
// workspace.
struct SddmmTiling {
  int rows = 0, cols = 0, splits = 1;
  double microseconds = 0;  // expected
};
// rows = 0 if no tiling is possible.
SddmmTiling sddmm_tiling(const Device& device, const SddmmProblem& p);

// The same for the kernel that forms whole tiles.
SddmmTiling sddmm_dense_tiling(const Device& device, const SddmmProblem& p);
SddmmTiling sddmm_dense_sm90_tiling(const Device& device, const SddmmProblem& p);
// The former with a given tiling of 128 rows and 64 or 128 columns.
void launch_sddmm_dense_sm80(const SddmmProblem& p, const SddmmTiling& tiling, const Launch& launch);

// The kernel that forms tiles by warpgroups and samples them by strips of columns: the tile it takes, rows x columns.
enum class SddmmStripTile { t64x64, t128x64, t128x128 };
constexpr int kSddmmStripTiles = 3;
constexpr unsigned kSddmmStripShort =
    32;  // entries of the fullest of 16 rows, up to which these are read from end to end
SddmmStripTile sddmm_strip_tile(const Device& device, const SddmmProblem& p);
void sddmm_strips_f16(const SddmmProblem& p, const Launch& launch);
void sddmm_strips_bf16(const SddmmProblem& p, const Launch& launch);

// The kernel by clusters of blocks that have whole rows: rows of a cluster, groups of 64 columns of a block.
struct SddmmClusterTile {
  int rows, groups;
};
inline constexpr SddmmClusterTile kSddmmClusterTiles[] = {{8, 1}, {16, 1}, {32, 1}, {8, 3}};
constexpr int kSddmmClusterBlocks = 8;  // of a cluster, on every device that has clusters
// Whether some tile has all columns of C.
bool sddmm_cluster_fits(const SddmmProblem& p) noexcept;
struct SddmmClusterChoice {
  int place = -1;           // in kSddmmClusterTiles
  double microseconds = 0;  // expected
};
SddmmClusterChoice sddmm_cluster_tile(const Device& device, const SddmmProblem& p);
void sddmm_clusters_f16(const SddmmProblem& p, const Launch& launch);
void sddmm_clusters_bf16(const SddmmProblem& p, const Launch& launch);

constexpr int kSddmmTileThreads = 256, kSddmmSliceBytes = 128, kSddmmStages = 3;
constexpr int kSddmmTileList = 3072;
// Entries of a tile whose sums, of sum_bytes each, a block holds in registers at a time.
constexpr int sddmm_tile_capacity(std::size_t sum_bytes) noexcept {
  return sum_bytes == 4 ? 768 : sum_bytes == 8 ? 512 : 256;
}
// Bytes of shared memory of a block.
constexpr std::size_t sddmm_tile_shared(const SddmmTiling& t) noexcept {
  return static_cast<std::size_t>(kSddmmStages * (t.rows + t.cols) * kSddmmSliceBytes + (t.rows + 1) * 4 +
                                  kSddmmTileList * 5);
}

// Whether the gather kernel needs a copy of an operand: op(X) is not contiguous along k in whole pieces of 16 bytes.
inline bool sddmm_needs_copy(const DenseView& x, std::int64_t k_stride, std::int64_t k) noexcept {
  const auto bytes = static_cast<std::int64_t>(size_of(x.type));
  return k_stride != 1 || x.ld * bytes % 16 != 0 || x.batch_stride * bytes % 16 != 0 || k * bytes % 16 != 0;
}
// Bytes of an operand's copy for the gather kernel: `count` rows of k elements, padded to 16 bytes.
constexpr std::size_t sddmm_packed_bytes(std::int64_t count, std::int64_t k, std::int64_t batches,
                                         std::size_t value_bytes) noexcept {
  const auto row = (static_cast<std::size_t>(k) * value_bytes + 15) / 16 * 16;
  return (static_cast<std::size_t>(count * batches) * row + 255) / 256 * 256;
}

#define SPK_KERNEL(name, id, sm, refuse, cost, workspace) SddmmKernel name;
#include "cuda/sddmm_kernels.inc"
#undef SPK_KERNEL

}  // namespace spk::cuda
