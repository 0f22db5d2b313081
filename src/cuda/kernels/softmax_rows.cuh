// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include <algorithm>
#include <limits>

#include "cuda/kernels/softmax_stage.cuh"

// Rows of a softmax or of its gradient. An operation `Op` (softmax_forward.cuh, softmax_backward.cuh) says what an
// entry is in registers (Cell), what a row or a part of one amounts to (State), and how an entry is written once its
// row's State is known. Here is who has which row.
namespace spk::cuda {

// A staged row that fits into the registers of its group, kEach entries for a lane. Results replace the first array's
// entries. The row begins at element `begin` of the stages, and at position `first` of the arrays.
template <int kEach, class Op, class Group>
__device__ void staged_row(const Op& op, const Group& group, const SoftmaxStage<typename Op::Stored>* stages, int begin,
                           std::int64_t first, int length) {
  typename Op::Cell cells[kEach];
  const int own = length - group.index();  // entries from the lane's first one on
  const int at = begin + group.index();
  first += group.index();
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    cells[i] = Op::nothing();
    if (i * Group::kSize < own) cells[i] = op.cell(stages, at + i * Group::kSize, first + i * Group::kSize);
  }
  const typename Op::State state = op.close(cells, group);
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    if (i * Group::kSize < own)
      stages[0].values[at + i * Group::kSize] = op.stored(op.result(cells[i], state), first + i * Group::kSize);
}

// What entries [begin, end) amount to, read once.
template <class Op, class Block>
__device__ typename Op::State state_of(const Op& op, const Block& block, SoftmaxRange part) {
  constexpr int kAhead = 8;
  typename Op::State state = Op::empty();
  std::int64_t at = part.begin + block.index();
  for (; at + (kAhead - 1) * Block::kSize < part.end; at += kAhead * Block::kSize) {
    typename Op::Cell cells[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) cells[i] = op.load(at + i * Block::kSize);
    op.take(state, cells);
  }
  for (; at < part.end; at += Block::kSize) {
    typename Op::Cell cells[1] = {op.load(at)};
    op.take(state, cells);
  }
  return op.join(state, block);
}

template <class Op, class Block>
__device__ void write_part(const Op& op, const Block& block, SoftmaxRange part, typename Op::State state) {
  constexpr int kAhead = 8;
  state = Op::inverted(state);
  std::int64_t at = part.begin + block.index();
  for (; at + (kAhead - 1) * Block::kSize < part.end; at += kAhead * Block::kSize) {
    typename Op::Cell cells[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) cells[i] = op.load(at + i * Block::kSize);
#pragma unroll
    for (int i = 0; i < kAhead; ++i) op.write(at + i * Block::kSize, op.late_result(cells[i], state));
  }
  for (; at < part.end; at += Block::kSize) op.write(at, op.late_result(op.load(at), state));
}

// A row that a block has alone: through shared memory where it fits there, else read twice; rows longer than `longest`
// are left. `shared` has Op::kArrays times `room` bytes.
template <class Op, class Block>
__device__ void block_row(const Op& op, const Block& block, unsigned char* shared, int room, SoftmaxRange row,
                          std::int64_t longest) {
  using Stored = typename Op::Stored;
  const std::int64_t length = row.end - row.begin;
  if (length == 0 || length > longest) return;
  if (length > (room - 16) / static_cast<int>(sizeof(Stored))) {
    write_part(op, block, row, state_of(op, block, row));
    return;
  }
  SoftmaxStage<Stored> stages[Op::kArrays];
#pragma unroll
  for (int i = 0; i < Op::kArrays; ++i)
    stages[i].fetch(block, shared + i * room, op.source(i) + row.begin, static_cast<int>(length));
  wait_for_stages();
  __syncthreads();
  op.staged_row(block, stages, 0, row.begin, static_cast<int>(length));
  __syncthreads();
  stages[0].give(block, op.target() + row.begin, static_cast<int>(length));
  __syncthreads();  // the room is free
}

// Rows of a warp in its shared memory: row i begins at element starts[i] - starts[row] of the stages, and at position
// first + starts[i] of the arrays.
template <class Op>
struct SoftmaxStagedRows {
  const Op& op;
  const SoftmaxStage<typename Op::Stored>* stages;
  const int* starts;
  std::uint16_t* left;  // rows that are too long for a group
  int row, end;
  std::int64_t first;

  // Rows row_of(0), ..., row_of(count - 1) by groups of lanes, if they have no more than 8 entries a lane. The others are
  // listed, or where the group is a warp already, done by it. Returns how many are listed.
  template <class Group, class RowOf>
  __device__ int by_groups(int count, const RowOf& row_of) const {
    constexpr int kGroups = 32 / Group::kSize;
    const Group group;
    const int lane = static_cast<int>(threadIdx.x) % 32, origin = starts[row];
    int listed = 0;
    for (int at = 0; at < count; at += kGroups) {
      const int i = at + lane / Group::kSize;
      int taken = 0, begin = 0, length = 0;
      if (i < count) {
        taken = row_of(i);
        begin = starts[taken] - origin;
        length = starts[taken + 1] - origin - begin;
      }
      const bool is_long = length > 8 * Group::kSize;
      const int own = is_long ? 0 : length;
      const std::int64_t place = first + origin + begin;
      if (__all_sync(kAllLanes, own <= 4 * Group::kSize))
        staged_row<4>(op, group, stages, begin, place, own);
      else
        staged_row<8>(op, group, stages, begin, place, own);
      const unsigned found = __ballot_sync(kAllLanes, is_long && lane % Group::kSize == 0);
      if (found == 0) continue;
      if constexpr (Group::kSize == 32) {
        op.staged_row(group, stages, begin, place, length);
      } else {
        __syncwarp();  // what the list may lose here has been read
        if (is_long && lane % Group::kSize == 0)
          left[listed + __popc(found & ((1u << lane) - 1))] = static_cast<std::uint16_t>(taken);
        listed += __popc(found);
      }
    }
    return listed;
  }
  // First by groups of kLanes lanes, then what is listed by larger ones.
  template <int kLanes>
  __device__ void run() const {
    int listed = by_groups<GroupOf<kLanes>>(end - row, [&](int i) { return row + i; });
    if constexpr (kLanes < 4) {
      if (listed == 0) return;
      __syncwarp();
      // A group takes rows from the list before it adds others at the same place or in front of it.
      listed = by_groups<GroupOf<8>>(listed, [&](int i) { return static_cast<int>(left[i]); });
    }
    if constexpr (kLanes < 32) {
      if (listed == 0) return;
      __syncwarp();
      by_groups<GroupOf<32>>(listed, [&](int i) { return static_cast<int>(left[i]); });
    }
  }
  // The size of the groups follows the mean length.
  __device__ void run_by_length() const {
    const int each = (starts[end] - starts[row] - 1) / (end - row);
    if (each < 4)
      run<1>();
    else if (each < 8)
      run<2>();
    else if (each < 16)
      run<4>();
    else if (each < 32)
      run<8>();
    else if (each < 64)
      run<16>();
    else
      run<32>();
  }
};

// How rows are given out by softmax_rows_kernel.
struct SoftmaxShape {
  int rows_per_warp;  // at most kSoftmaxMostRows
  int room;           // bytes of shared memory of a warp for one array, a multiple of 16
  bool leaves_rows;   // rows that do not fit there are another kernel's
};
constexpr int kSoftmaxMostRows = 512;

// A warp has `rows_per_warp` rows, whose entries lie side by side. As many rows as fit are brought to the warp's shared
// memory, worked on there and their results taken back from there, all in storage order, however short the rows are;
// the size of the groups of lanes that share a row follows the mean length of the rows at hand. Warps wait for nobody,
// so that some fetch while others work. Rows that do not fit are left to the block, which has them one by one at last, or
// to softmax_block_rows_kernel.
// Shared memory: `room` bytes per warp and array (16 of them as entries keep their place in a piece), and
// 6 * rows_per_warp + 4 bytes per warp.
template <class Op>
__global__ void __launch_bounds__(kSoftmaxThreads, resident_blocks(sizeof(typename Op::S) == 4 ? 3 : 2))
    softmax_rows_kernel(const typename Op::Arguments arguments, const SoftmaxStructure a, SoftmaxShape shape,
                        std::int64_t longest) {
  using Stage = SoftmaxStage<typename Op::Stored>;
  constexpr int kWarps = kSoftmaxThreads / 32, kAhead = 8;
  constexpr std::int64_t kMostEntries = std::int64_t{1} << 30;  // that starts may count
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ double combined[kWarps];
  __shared__ unsigned for_block[kWarps][kSoftmaxMostRows / 32];  // a bit per row
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t rows_per_block = std::int64_t{kWarps} * shape.rows_per_warp;
  const std::int64_t runs = (a.rows + rows_per_block - 1) / rows_per_block;
  const std::int64_t batch = blockIdx.x / runs, row0 = blockIdx.x % runs * rows_per_block;
  const std::int64_t own0 = row0 + warp * shape.rows_per_warp;
  const int count =
      static_cast<int>(std::max<std::int64_t>(0, std::min<std::int64_t>(shape.rows_per_warp, a.rows - own0)));
  const Op op(arguments, batch);
  unsigned char* const buffer = shared + warp * Op::kArrays * shape.room;
  int* const starts =
      reinterpret_cast<int*>(shared + kWarps * Op::kArrays * shape.room) + warp * (shape.rows_per_warp + 1);
  auto* const left =
      reinterpret_cast<std::uint16_t*>(reinterpret_cast<int*>(shared + kWarps * Op::kArrays * shape.room) +
                                       kWarps * (shape.rows_per_warp + 1)) +
      warp * shape.rows_per_warp;
  const int most = (shape.room - 16) / static_cast<int>(sizeof(typename Op::Stored));

  if (lane < kSoftmaxMostRows / 32) for_block[warp][lane] = 0;
  bool leaves = false;
  std::int64_t first = 0, total = 0;
  if (count > 0) {
    // The type is asked for once, so that loads need not wait for one another.
    const auto load = [&](const auto* offsets) {
      offsets += batch * a.offsets_stride + own0;
      first = offsets[0];
      total = offsets[count] - first;
      for (int at = lane; at <= count; at += 32 * kAhead) {
        std::remove_cvref_t<decltype(offsets[0])> some[kAhead];
#pragma unroll
        for (int i = 0; i < kAhead; ++i) some[i] = at + 32 * i <= count ? offsets[at + 32 * i] : 0;
#pragma unroll
        for (int i = 0; i < kAhead; ++i)
          if (at + 32 * i <= count) starts[at + 32 * i] = static_cast<int>(some[i] - first);
      }
      first -= a.base;
    };
    if (a.offset_type == IndexType::i32)
      load(static_cast<const std::int32_t*>(a.offsets));
    else
      load(static_cast<const std::int64_t*>(a.offsets));
    __syncwarp();
  }
  if (total > kMostEntries) {
    leaves = true;
    if (lane < kSoftmaxMostRows / 32)
      for_block[warp][lane] = count >= 32 * (lane + 1) ? kAllLanes : count > 32 * lane ? (1u << (count % 32)) - 1 : 0;
  } else if (total > 0) {
    for (int row = 0; row < count;) {
      int end = count;
      if (starts[count] - starts[row] > most) {
        for (int stride = (count - row + 31) / 32;; stride = 1) {
          const int probe = row + (lane + 1) * stride;
          const bool fits = probe <= count && starts[probe] - starts[row] <= most;
          end = row + stride * __popc(__ballot_sync(kAllLanes, fits));
          if (end > row || stride == 1) break;
        }
      }
      if (end == row) {
        if (lane == 0) for_block[warp][row / 32] |= 1u << (row % 32);
        leaves = true;
        ++row;
        continue;
      }
      const int entries = starts[end] - starts[row];
      Stage stages[Op::kArrays];
#pragma unroll
      for (int i = 0; i < Op::kArrays; ++i)
        stages[i].fetch(GroupOf<32>{}, buffer + i * shape.room, op.source(i) + first + starts[row], entries);
      wait_for_stages();
      __syncwarp();
      SoftmaxStagedRows<Op>{op, stages, starts, left, row, end, first}.run_by_length();
      __syncwarp();
      stages[0].give(GroupOf<32>{}, op.target() + first + starts[row], entries);
      __syncwarp();  // the room is free
      row = end;
    }
  }
  if (shape.leaves_rows || __syncthreads_or(leaves) == 0) return;
  const BlockOf<kSoftmaxThreads> block{combined};
  for (int w = 0; w < kWarps; ++w)
    for (int word = 0; word < kSoftmaxMostRows / 32; ++word)
      for (unsigned left = for_block[w][word]; left != 0; left &= left - 1) {
        const std::int64_t row = row0 + w * shape.rows_per_warp + word * 32 + __ffs(static_cast<int>(left)) - 1;
        block_row(op, block, shared, kWarps * shape.room, softmax_row(a, batch, row), longest);
      }
}

// Rows that a block has one by one: of rows_per_block (at most kSoftmaxBlockRows) rows those of more than `least`
// entries. Shared memory: `room` bytes per array.
struct SoftmaxBlockShape {
  int rows_per_block, room, least;
};
constexpr int kSoftmaxBlockRows = 1024;
template <class Op>
__global__ void __launch_bounds__(kSoftmaxThreads, resident_blocks(4))
    softmax_block_rows_kernel(const typename Op::Arguments arguments, const SoftmaxStructure a,
                              const SoftmaxBlockShape shape, std::int64_t longest) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ double combined[kSoftmaxThreads / 32];
  __shared__ int list[kSoftmaxBlockRows], listed;
  const BlockOf<kSoftmaxThreads> block{combined};
  const std::int64_t all = a.rows * a.batches;
  for (std::int64_t first = std::int64_t{blockIdx.x} * shape.rows_per_block; first < all;
       first += std::int64_t{gridDim.x} * shape.rows_per_block) {
    int count = 1;
    if (shape.rows_per_block > 1) {
      __syncthreads();
      if (block.index() == 0) listed = 0;
      __syncthreads();
#pragma unroll 4
      for (int r = block.index(); r < shape.rows_per_block; r += kSoftmaxThreads)
        if (first + r < all) {
          const SoftmaxRange row = softmax_row(a, (first + r) / a.rows, (first + r) % a.rows);
          // In any order: no result depends on it.
          if (row.end - row.begin > shape.least) list[atomicAdd(&listed, 1)] = r;
        }
      __syncthreads();
      count = listed;
    }
    for (int i = 0; i < count; ++i) {
      const std::int64_t row = first + (shape.rows_per_block > 1 ? list[i] : 0), batch = row / a.rows;
      block_row(Op(arguments, batch), block, shared, shape.room, softmax_row(a, batch, row % a.rows), longest);
    }
  }
}

template <class Op>
void launch_softmax_warps(const typename Op::Arguments& arguments, const SoftmaxStructure& a, SoftmaxShape shape,
                          std::int64_t longest, const Launch& launch) {
  constexpr int kWarps = kSoftmaxThreads / 32;
  const std::int64_t per_block = std::int64_t{kWarps} * shape.rows_per_warp;
  const std::int64_t blocks = (a.rows + per_block - 1) / per_block * a.batches;
  const std::size_t shared =
      static_cast<std::size_t>(kWarps * (Op::kArrays * shape.room + 6 * shape.rows_per_warp + 4));
  const auto kernel = softmax_rows_kernel<Op>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, shared);
  kernel<<<static_cast<unsigned>(blocks), kSoftmaxThreads, shared, launch.stream>>>(arguments, a, shape, longest);
  SPK_CUDA_CHECK(cudaGetLastError());
}

template <class Op>
void launch_softmax_block_rows(const typename Op::Arguments& arguments, const SoftmaxStructure& a,
                               const SoftmaxBlockShape& shape, std::int64_t longest, const Launch& launch) {
  const std::int64_t runs = (a.rows * a.batches + shape.rows_per_block - 1) / shape.rows_per_block;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(runs, std::int64_t{1} << 30));
  const std::size_t shared = static_cast<std::size_t>(Op::kArrays) * static_cast<std::size_t>(shape.room);
  const auto kernel = softmax_block_rows_kernel<Op>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), launch.device, shared);
  kernel<<<blocks, kSoftmaxThreads, shared, launch.stream>>>(arguments, a, shape, longest);
  SPK_CUDA_CHECK(cudaGetLastError());
}

template <class Op>
void launch_softmax_rows(const typename Op::Arguments& arguments, const SoftmaxStructure& a, std::int64_t longest,
                         const Launch& launch) {
  constexpr int kEntry = static_cast<int>(sizeof(typename Op::Stored)), kRowBytes = kEntry * Op::kArrays;
  const double mean = std::max(1.0, static_cast<double>(a.nnz) / static_cast<double>(a.rows));
  const double row_bytes = mean * kRowBytes;
  const std::int64_t all = a.rows * a.batches;
  // What a block may ask for beside its own arrays; an eighth of it has to hold a row.
  const double most = static_cast<double>(launch.device.shared_per_block) - 6144;
  if (row_bytes > std::min(9000.0, most / 9 - 200) || (all <= 2 * std::int64_t{launch.device.sm_count} && mean > 128)) {
    // As much shared memory as a row takes, where a block would have little to load ahead, and for rows so long that
    // another reading of them would not find them in L2; in between that costs less than what waiting for a row does.
    const double wanted = std::max(4096.0, 1.125 * row_bytes + 1024);
    const bool stages = wanted <= most && (row_bytes <= 9000 || (row_bytes > 40000 && mean <= 30000));
    const int room = stages ? static_cast<int>(wanted) / Op::kArrays / 16 * 16 : 32;
    launch_softmax_block_rows<Op>(arguments, a, {1, room, 0}, longest, launch);
    return;
  }
  // What a warp may have of shared memory for three blocks of a multiprocessor, entries and 6 bytes a row; a little more
  // than the rows take, whose lengths differ.
  constexpr double kFill = 0.94, kLeast = 4096, kMost = 8192;
  const double of_warp = static_cast<double>(launch.device.shared_per_sm) / (3 * kSoftmaxThreads / 32) - 200;
  const double bytes =
      std::max(std::clamp(of_warp / (1 + 6 * kFill / row_bytes), kLeast, kMost), 1.125 * row_bytes + 64);
  const int room = static_cast<int>(bytes) / Op::kArrays / 16 * 16 + 16;
  const auto wanted = static_cast<std::int64_t>(kFill * bytes / row_bytes);
  const std::int64_t fair = all / (std::int64_t{launch.device.sm_count} * 32);
  // No more blocks than a grid may have.
  const std::int64_t fitting = std::max<std::int64_t>(1, all >> 32);
  std::int64_t rows = std::min(wanted, fair);
  if (rows > 32) rows = rows / 8 * 8;
  rows = std::clamp<std::int64_t>(rows, fitting, kSoftmaxMostRows);
  // Long rows among others: a launch of their own, where looking for them is little of the work.
  const int fits = (room - 16) / kEntry;
  const bool leaves_rows = a.longest > fits && mean >= 12 && a.nnz * a.batches >= 4000000;
  if (leaves_rows) {
    const int bytes_of_block = std::min(65536, static_cast<int>(most) / 32 * 32);
    launch_softmax_block_rows<Op>(arguments, a, {512, bytes_of_block / Op::kArrays, fits}, longest, launch);
  }
  launch_softmax_warps<Op>(arguments, a, {static_cast<int>(rows), room, leaves_rows}, longest, launch);
}

}  // namespace spk::cuda
