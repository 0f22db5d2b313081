// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/sm90.cuh"
#include "cuda/kernels/sm90_maps.cuh"
#include "cuda/kernels/spmm_dense_tile_sm80.cuh"
#include "cuda/kernels/spmm_slots.cuh"
#include "cuda/spmm_row_tile.hpp"

// C = A B on tensor cores, for few columns: a block makes 16 rows of A dense in shared memory, a warp each, while tensor
// copies bring all of the block's columns of B. The blocks of a cluster, which have the same columns, copy a part each, to all
// of them. Then the warps share the steps of 32 along k (and, from 64 columns on, the columns); their sums are added in a
// fixed order. Rows with columns out of order are placed once more, in any order; rows with repeated columns and sums that are
// not finite are made again from the entries.
namespace spk::cuda {

template <class ValueT, class OutT, int kColsT, bool kTurnedT>
struct RowTileConfig {
  using Value = ValueT;
  using Out = OutT;
  static constexpr int kRows = kRowTileRows, kCols = kColsT;
  static constexpr bool kTurned = kTurnedT;  // B row-major
  static constexpr int kWarps = kRowTileWarps, kThreads = 32 * kWarps;
  static constexpr int kWarpCols = kCols < 32 ? kCols : 32, kWarpsN = kCols / kWarpCols, kWarpsK = kWarps / kWarpsN;
  static constexpr int kTilesN = kWarpCols / 8;
  static constexpr int kSumsPitch = kWarpCols + 4, kSums = kRows * kSumsPitch;  // floats
  // A step of 32 along k in shared memory: boxes of kLines lines (k, or columns) of kLineBytes.
  static constexpr int kLineBytes = kTurned ? (kCols < 64 ? kCols * 2 : 128) : 64, kLines = kTurned ? 32 : kCols;
  static constexpr int kBoxes = kTurned && kCols > 64 ? kCols / 64 : 1;
  static constexpr int kStepBytes = kCols * 64;
  static_assert(kWarps == kRows && kWarps % kWarpsN == 0 && kBoxes * kLines * kLineBytes == kStepBytes);
  static_assert(row_tile_step_bytes(kCols) == kStepBytes && row_tile_sum_bytes(kCols) == kWarps * kSums * 4);
};

template <class Value, class Out>
struct RowTileArgs {
  TileArgs<Value, Out> tile;
  int cluster;     // blocks with neighbouring rows
  int part_steps;  // of 32 along k, of which B is in shared memory at a time
  int b_bytes;     // of shared memory, before the rows of A
  bool flat;       // B is one line, of which boxes are steps
};

// Address of a pack of 16 bytes in a box; the tensor copy swizzles lines of 64 and 128 bytes.
template <class Config>
__device__ std::uint32_t place_in_box(int line, int pack) {
  constexpr int kPacks = Config::kLineBytes / 16;
  const int turned = kPacks == 8 ? pack ^ (line & 7) : kPacks == 4 ? pack ^ (line / 2 & 3) : pack;
  return static_cast<std::uint32_t>(line * Config::kLineBytes + turned * 16);
}

// The operands of a step, by tiles of 8 columns from column `col` of the block on; two halves of 16 along k.
template <class Config>
__device__ void load_step(std::uint32_t step, int col, std::uint32_t (&b)[2][Config::kTilesN][2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < Config::kTilesN; ++j) {
    std::uint32_t four[4];  // of 8 along k each
    if constexpr (Config::kTurned)
      load_matrices_turned(four, step + static_cast<std::uint32_t>(col / 64 * Config::kLines * Config::kLineBytes) +
                                     place_in_box<Config>(lane, col % 64 / 8 + j));
    else
      load_matrices(four, step + place_in_box<Config>(col + 8 * j + lane % 8, lane / 8));
    b[0][j][0] = four[0], b[0][j][1] = four[1], b[1][j][0] = four[2], b[1][j][1] = four[3];
  }
}

// A box of B at (x, y, z) to the shared memory of every block of a cluster.
__device__ inline void tensor_copy_to_all(std::uint32_t to, const CUtensorMap* map, std::uint32_t barrier, int x, int y,
                                          int z, int blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(static_cast<std::uint16_t>((1 << blocks) - 1))
      : "memory");
}

// Four neighbouring entries of a lane.
struct EntryQuad {
  int4 column;
  uint2 value;

  __device__ int at(int e) const { return e == 0 ? column.x : e == 1 ? column.y : e == 2 ? column.z : column.w; }
  __device__ std::uint16_t bits(int e) const {
    const std::uint32_t pair = e < 2 ? value.x : value.y;
    return static_cast<std::uint16_t>(e % 2 == 0 ? pair : pair >> 16);
  }
};

// Predicated, as a branch would cost more than the store.
__device__ inline void store_half_if(bool wanted, std::uint32_t to, std::uint16_t bits) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.shared.u16 [%0], %1;\n}" ::"r"(to), "h"(bits),
               "r"(static_cast<int>(wanted))
               : "memory");
}

// A warp puts the entries [begin, end) of a row to their places in shared memory, which are zero; returns, for every lane,
// whether columns do not increase. total: where the arrays end.
__device__ inline bool place_row(const int* columns, const std::uint16_t* values, int begin, int end, int total,
                                 int base, unsigned k, std::uint32_t row) {
  constexpr int kAhead = 2;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int whole = min(end, total & ~3);  // behind it, fewer than four
  const auto load = [&](int p) {
    EntryQuad q{};
    if (p < whole) {
      q.column = *place_of<int4>(columns, p, sizeof(int));
      q.value = *place_of<uint2>(values, p, sizeof(std::uint16_t));
    }
    return q;
  };
  // By a shuffle, or the compiler computes it again for every store.
  row = __shfl_sync(0xffffffffu, row - 2u * static_cast<std::uint32_t>(base), 0);
  bool bad = false;
  // Of neighbours at one place the first alone is written, so that lanes do not race.
  const auto place = [&](int before, int column, std::uint16_t bits) {
    const bool ordered = before < column;
    const bool inside = static_cast<unsigned>(column) - static_cast<unsigned>(base) < k;
    store_half_if(ordered && inside, row + 2u * static_cast<std::uint32_t>(column), bits);
    return ordered;
  };
  int p = (begin & ~3) + 4 * lane, left = INT_MIN;  // left: of lane 0, the column before
  EntryQuad ahead[kAhead];
#pragma unroll
  for (int i = 0; i < kAhead; ++i) ahead[i] = load(p + 128 * i);
#pragma unroll 1
  for (int from = begin & ~3; from < whole; from += 128 * kAhead) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      EntryQuad q = ahead[i];
      ahead[i] = load(p + 128 * kAhead);
      if (p < begin || p + 4 > whole) {
        // Entries of other rows get columns that do not exist, in order.
        if (p < begin) q.column.x = INT_MIN + 1;
        if (p + 1 < begin) q.column.y = INT_MIN + 2;
        if (p + 2 < begin) q.column.z = INT_MIN + 3;
        if (p >= whole) q.column.x = INT_MAX - 3;
        if (p + 1 >= whole) q.column.y = INT_MAX - 2;
        if (p + 2 >= whole) q.column.z = INT_MAX - 1;
        if (p + 3 >= whole) q.column.w = INT_MAX;
      }
      const int turned = __shfl_sync(0xffffffffu, q.column.w, (lane + 31) % 32);
      int before = lane == 0 ? left : turned;
      left = turned;
      bool ordered = true;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        ordered &= place(before, q.at(e), q.bits(e));
        before = q.at(e);
      }
      bad |= !ordered && p < whole;
      p += 128;
    }
  }
  if (whole < end) {
    const int single = max(whole, begin) + lane;
    if (single < end) bad |= !place(single > begin ? columns[single - 1] : INT_MIN, columns[single], values[single]);
  }
  return bad;
}

// The same for columns in any order, by a warp, whose row has `packs` of 16 bytes; returns whether columns repeat.
__device__ inline bool place_unordered_row(const int* columns, const std::uint16_t* values, int begin, int end,
                                           int base, unsigned k, uint4* row, int packs) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  auto* const slots = reinterpret_cast<std::uint16_t*>(row);
  for (int i = lane; i < packs; i += 32) row[i] = {~0u, ~0u, ~0u, ~0u};
  __syncwarp();
  bool repeats = false;
  for (int p = begin + lane; p < end; p += 32) {
    const unsigned at = static_cast<unsigned>(columns[p]) - static_cast<unsigned>(base);
    if (at < k) repeats |= !take_slot(slots + at, as_stored(values[p]));
  }
  __syncwarp();
  for (int i = lane; i < packs; i += 32) row[i] = without_empty<std::uint16_t>(row[i]);
  return repeats;
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 2)
    spmm_row_tile(const __grid_constant__ CUtensorMap map_b,
                  const __grid_constant__ RowTileArgs<typename Config::Value, typename Config::Out> given) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using Value = typename Config::Value;
  extern __shared__ unsigned char dynamic[];
  __shared__ bool untrusted[Config::kRows];
  __shared__ alignas(8) std::uint64_t arrived;
  const auto& tile = given.tile;
  const auto& args = tile.spmm;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int k = static_cast<int>(args.k), pitch = static_cast<int>(row_tile_pitch(k)), steps = (k + 31) / 32;
  unsigned char* const memory = dynamic + (-sm90::shared_address(dynamic) & 1023);
  const std::uint32_t panel = sm90::shared_address(memory);
  const std::uint32_t rows = panel + static_cast<std::uint32_t>(given.b_bytes);
  const std::uint32_t barrier = sm90::shared_address(&arrived);

  const bool copies = warp == Config::kWarps - 1;
  if (copies && lane == 0) {
    sm90::barrier_init(barrier, 1);
    sm90::barrier_init_fence();
    sm90::barrier_arrive_expect(barrier, min(steps, given.part_steps) * Config::kStepBytes);
  }
  if (given.cluster > 1) sm90::arrive_in_cluster();
  uint4* const own_row = reinterpret_cast<uint4*>(memory + given.b_bytes + warp * pitch);
#pragma unroll 4
  for (int i = lane; i < pitch / 16; i += 32) own_row[i] = {};
  // Blocks of a cluster have neighbouring rows.
  unsigned at = blockIdx.x / static_cast<unsigned>(given.cluster);
  const unsigned groups = (static_cast<unsigned>(tile.tiles_m) + static_cast<unsigned>(given.cluster) - 1) /
                          static_cast<unsigned>(given.cluster);
  const int rank = static_cast<int>(blockIdx.x % static_cast<unsigned>(given.cluster));
  const int row = (static_cast<int>(at % groups) * given.cluster + rank) * Config::kRows;
  at /= groups;
  const int col = static_cast<int>(at % static_cast<unsigned>(tile.tiles_n)) * Config::kCols;
  const std::int64_t batch = at / static_cast<unsigned>(tile.tiles_n);
  const int warp_k = warp / Config::kWarpsN, warp_col = warp % Config::kWarpsN * Config::kWarpCols;
  if (given.cluster > 1) sm90::wait_for_cluster();
  __syncwarp();
  wait_for_kernel_in_front();
  let_kernel_behind_start();

  // One warp; the steps [first, end).
  const auto copy_b = [&](int first, int end) {
    const int z = tile.b_batch ? static_cast<int>(batch) : 0;
    for (int i = rank + lane * given.cluster; i < (end - first) * Config::kBoxes; i += 32 * given.cluster) {
      const int step = first + i / Config::kBoxes, box = i % Config::kBoxes;
      const std::uint32_t to = panel + static_cast<std::uint32_t>(i * Config::kLines * Config::kLineBytes);
      const int x = given.flat ? step * Config::kStepBytes / 2 : Config::kTurned ? col + box * 64 : step * 32;
      const int y = given.flat ? 0 : Config::kTurned ? step * 32 : col;
      if (given.cluster > 1)
        tensor_copy_to_all(to, &map_b, barrier, x, y, z, given.cluster);
      else
        sm90::tensor_copy(to, &map_b, barrier, x, y, z);
    }
    __syncwarp();
  };
  if (copies) copy_b(0, min(steps, given.part_steps));
  {
    const bool inside = row + warp < args.m;
    const int begin = inside ? row_start(tile, batch, row + warp) : 0;
    const int end = inside ? row_start(tile, batch, row + warp + 1) : 0;
    const int* columns = static_cast<const int*>(args.indices) + batch * args.indices_stride;
    const auto* values = reinterpret_cast<const std::uint16_t*>(args.values) + batch * args.values_stride;
    const bool bad = place_row(columns, values, begin, end, static_cast<int>(args.entries), args.base,
                               static_cast<unsigned>(k), rows + static_cast<std::uint32_t>(warp * pitch));
    bool any = __any_sync(0xffffffffu, bad);
    if (any) {
      __syncwarp();
      any = __any_sync(0xffffffffu, place_unordered_row(columns, values, begin, end, args.base,
                                                        static_cast<unsigned>(k), own_row, pitch / 16));
    }
    if (lane == 0) untrusted[warp] = any;
  }
  __syncthreads();

  float d[Config::kTilesN][4] = {};
  const std::uint32_t rows_of_lane = rows + static_cast<std::uint32_t>(lane % 16 * pitch + lane / 16 * 16);
#pragma unroll 1
  for (int first = 0, part = 0; first < steps; first += given.part_steps, ++part) {
    const int end = min(steps, first + given.part_steps);
    if (part > 0) {
      if (copies && lane == 0) sm90::barrier_arrive_expect(barrier, (end - first) * Config::kStepBytes);
      // The part before is read, in all blocks that share B.
      given.cluster > 1 ? sm90::sync_cluster() : __syncthreads();
      if (copies) copy_b(first, end);
    }
    sm90::barrier_wait(barrier, part & 1);
#pragma unroll 2
    for (int step = first + warp_k; step < end; step += Config::kWarpsK) {
      std::uint32_t a[2][4], two[2][Config::kTilesN][2];
      load_matrices(a[0], rows_of_lane + static_cast<std::uint32_t>(step * 64));
      load_matrices(a[1], rows_of_lane + static_cast<std::uint32_t>(step * 64 + 32));
      load_step<Config>(panel + static_cast<std::uint32_t>((step - first) * Config::kStepBytes), warp_col, two);
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int j = 0; j < Config::kTilesN; ++j) multiply_tile<Value>(d[j], a[half], two[half][j]);
    }
  }
  __syncthreads();  // B is read
  float* const sums_of_warps = reinterpret_cast<float*>(memory);
  {
    float* const plane = sums_of_warps + warp * Config::kSums + lane / 4 * Config::kSumsPitch + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < Config::kTilesN; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *reinterpret_cast<float2*>(plane + h * 8 * Config::kSumsPitch + 8 * j) = {d[j][2 * h], d[j][2 * h + 1]};
  }
  __syncthreads();

  const Scaling<float> scaling = scaling_of(args);
  const bool along_cols = args.c.col_stride == 1;
  constexpr int kQuads = Config::kCols / 4;
  if (thread >= Config::kRows * kQuads) return;
  const int r = along_cols ? thread / kQuads : thread % Config::kRows;
  const int c = (along_cols ? thread % kQuads : thread / Config::kRows) * 4;
  if (row + r >= args.m || col + c >= args.n) return;
  const float* from =
      sums_of_warps + c / Config::kWarpCols * Config::kSums + r * Config::kSumsPitch + c % Config::kWarpCols;
  float sums[4] = {};
#pragma unroll
  for (int w = 0; w < Config::kWarpsK; ++w) {
    const float4 x = *reinterpret_cast<const float4*>(from + w * Config::kWarpsN * Config::kSums);
    sums[0] += x.x, sums[1] += x.y, sums[2] += x.z, sums[3] += x.w;
  }
  const int count = min(static_cast<int>(args.n) - col - c, 4);
  const float zero = sums[0] * 0 + sums[1] * 0 + sums[2] * 0 + sums[3] * 0;  // NaN where a sum is not finite
  if (untrusted[r] || !(zero == 0)) {
#pragma unroll 1
    for (int e = 0; e < count; ++e) {
      float sum = e == 0 ? sums[0] : e == 1 ? sums[1] : e == 2 ? sums[2] : sums[3];
      if (untrusted[r] || !isfinite(sum))
        sum =
            sum_exactly(tile, batch, row_start(tile, batch, row + r), row_start(tile, batch, row + r + 1), col + c + e);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (i == e) sums[i] = sum;
    }
  }
  store_columns<4>(args, scaling, place_in_c(args, batch, row + r, col + c), batch, row + r, col + c, count,
                   along_cols && tile.vector_c, sums);
#endif
}

// Whether rows of B, of which a block takes all, lie side by side in memory as they shall in shared memory: lines of 16 bytes
// take the tensor copy eight times as long.
template <class Config>
bool is_flat(const SpmmProblem& p) noexcept {
  return Config::kTurned && Config::kCols == 8 && p.n == 8 && operand(p.b, p.op_b).row_stride == 8 &&
         p.k <= INT32_MAX / 8;
}

// B, or every matrix of its batch, by boxes of a step.
template <class Config>
CUtensorMap row_tile_map(const SpmmProblem& p) {
  using Value = typename Config::Value;
  const Operand b = operand(p.b, p.op_b);
  const bool batch = p.b.batch_count > 1 && p.b.batch_stride != 0;
  constexpr CUtensorMapSwizzle kSwizzle = Config::kLineBytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                          : Config::kLineBytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                                     : CU_TENSOR_MAP_SWIZZLE_NONE;
  const std::int64_t matrices = batch ? p.b.batch_count : 1;
  if (is_flat<Config>(p)) {
    const std::int64_t length = p.k * 8, matrix = batch ? p.b.batch_stride : length;
    return tensor_map_of_boxes<Value>(b.values, length, 1, matrices, length, matrix,
                                      {Config::kStepBytes / static_cast<int>(sizeof(Value)), 1, kSwizzle});
  }
  const std::int64_t pitch = Config::kTurned ? b.row_stride : b.col_stride;
  return tensor_map_of_boxes<Value>(b.values, Config::kTurned ? b.cols : b.rows, Config::kTurned ? b.rows : b.cols,
                                    matrices, pitch, batch ? p.b.batch_stride : pitch,
                                    {Config::kLineBytes / static_cast<int>(sizeof(Value)), Config::kLines, kSwizzle});
}

template <class Config>
void launch_row_tile_config(const SpmmCall& call, const Launch& launch, const RowTileShape& shape) {
  RowTileArgs<typename Config::Value, typename Config::Out> args{};
  args.tile = tile_args<typename Config::Value, typename Config::Out>(call, Config::kRows, Config::kCols);
  args.cluster = shape.cluster;
  args.part_steps = shape.part_steps;
  args.b_bytes = static_cast<int>(row_tile_b_bytes(shape));
  args.flat = is_flat<Config>(call.p);
  const auto kernel = spmm_row_tile<Config>;
  const auto bytes = static_cast<std::size_t>(row_tile_bytes(call.p.k, shape));
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, bytes);
  const std::int64_t groups = (args.tile.tiles_m + shape.cluster - 1) / shape.cluster;
  const auto blocks = static_cast<unsigned>(groups * shape.cluster * args.tile.tiles_n * args.tile.spmm.batches);
  launch_kernel(kernel, {blocks, Config::kThreads, bytes, launch.device.overlaps_launches, shape.cluster},
                launch.stream, row_tile_map<Config>(call.p), args);
}

template <class Value, class Out, bool kTurned>
void launch_row_tile_columns(const SpmmCall& call, const Launch& launch, const RowTileShape& shape) {
  switch (shape.columns) {
    case 8: return launch_row_tile_config<RowTileConfig<Value, Out, 8, kTurned>>(call, launch, shape);
    case 32: return launch_row_tile_config<RowTileConfig<Value, Out, 32, kTurned>>(call, launch, shape);
    case 64: return launch_row_tile_config<RowTileConfig<Value, Out, 64, kTurned>>(call, launch, shape);
    default: return launch_row_tile_config<RowTileConfig<Value, Out, 128, kTurned>>(call, launch, shape);
  }
}

template <class Value, class Out>
void launch_row_tile(const SpmmCall& call, const Launch& launch, const RowTileShape& shape) {
  if (operand(call.p.b, call.p.op_b).col_stride == 1)
    launch_row_tile_columns<Value, Out, true>(call, launch, shape);
  else
    launch_row_tile_columns<Value, Out, false>(call, launch, shape);
}

}  // namespace spk::cuda
